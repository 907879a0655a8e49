"""Characters that nobody sees, or that readers take differently."""

import re
from itertools import islice

from evals.skill_eval.reading.text_findings import TextFindings, place_of

MOST_RUNS = 10

_CONTROLS = "\x01-\x08\x0b\x0e-\x1f\x7f"
_SEPARATORS = "\x85\u2028\u2029"
# What YAML 1.2.2 calls not printable (5.1), but for NUL.
_NOT_IN_YAML = "\x01-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff"
_INVISIBLE = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
# Joiners belong in emoji, and in Arabic and Indic scripts; there they are no finding.
_JOINERS = "\u200c\u200d"
_JOINED = "\u0600-\u08ff\u0900-\u0dff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"

_SUSPECT = f"[\0{_NOT_IN_YAML}{_SEPARATORS}{_INVISIBLE}{_JOINERS}]"
_INVISIBLE_RUN = f"(?:[{_INVISIBLE}]|(?<![{_JOINED}])[{_JOINERS}])+"

_TAKE_OUT = "take it out: it can hide text from the people who review the skill"
_REPLACE = "put a blank or a real line break in its place: only some readers take it for a line break"
# Code, pattern, what it finds, hint, and whether to look for it in header and body.
_LOOKS = (
    ("SE109", "\0+", "NUL character", "save the file as plain text in UTF-8", True, True),
    ("SE136", f"[{_NOT_IN_YAML}]+", "control character", "take it out: YAML does not allow it", True, False),
    ("SE137", f"[{_SEPARATORS}]+", "line separator", _REPLACE, True, False),
    ("SE138", f"[{_CONTROLS}]+", "control character", _TAKE_OUT, False, True),
    ("SE138", _INVISIBLE_RUN, "invisible character", _TAKE_OUT, True, True),
)


def look_for_odd_characters(text: str, header_end: int, findings: TextFindings) -> None:
    """Report invisible, control and line-separating characters of a text whose header ends at `header_end`."""
    if not re.search(_SUSPECT, text):
        return
    for code, pattern, what, hint, in_header, in_body in _LOOKS:
        start, end = 0 if in_header else header_end, len(text) if in_body else header_end
        runs = re.compile(pattern).finditer(text, start, end)
        for number, run in enumerate(islice(runs, MOST_RUNS)):
            more = "; further ones are not listed" if number + 1 == MOST_RUNS else ""
            findings.add(code, place_of(text, run.start()), _named(what, run[0]) + more, hint)


def _named(what: str, run: str) -> str:
    first = f"U+{ord(run[0]):04X}"
    return f"{what} {first}" if len(run) == 1 else f"{len(run)} {what}s from {first} on"
