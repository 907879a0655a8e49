"""Texts without a header: what they begin with instead, or what was perhaps meant to end it."""

import re

from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.text_findings import TextFindings, place_of

_NEARLY_CLOSING = r"(?m)^(?:[ \t]+---|----+|\.\.\.|--|—+-*)[ \t]*$"
_LINK_STUB = r"(?!#|<|`)(?:\S{0,1000}/\S{0,1000}|\S{1,200}\.md)\n?"
_BEGIN_HINT = "begin the file with `---`, the fields, and `---` on lines of their own"
# The first that fits counts.
_INSTEAD = (
    (r"-{4,}[ \t]*$", "more than three dashes"),
    (r"---", "text behind the dashes"),
    (r"[ \t]+---", "blanks before the dashes"),
    (r"[ \t]*$", "a blank line"),
    (r"#", "a heading"),
    (r"```|~~~", "a code fence"),
    (r"<!--", "an HTML comment"),
    (r"\{", "a JSON object"),
    (r"\+\+\+", "TOML frontmatter"),
    (r"[A-Za-z-]+:([ \t]|$)", "a field"),
    (r"", "text"),
)


def explain_missing_header(text: str, begun: bool, findings: TextFindings) -> None:
    """Say what stands on line 1 instead of `---` or, when a header is `begun`, that it has no end."""
    if begun:
        _explain_unclosed_header(text, findings)
    else:
        _explain_first_line(text, findings)


def _explain_first_line(text: str, findings: TextFindings) -> None:
    first_line = text.partition("\n")[0]
    if not text.strip():
        findings.add("SE113", (1, 1), "the file is empty, expected frontmatter", _BEGIN_HINT)
    elif re.fullmatch(_LINK_STUB, text):
        message = f"the file holds nothing but a path, {quoted(first_line)}: a symbolic link that Git wrote as text"
        findings.add("SE114", (1, 1), message, "check out with links, or put a copy of the file in its place")
    else:
        instead = next(what for pattern, what in _INSTEAD if re.match(pattern, first_line))
        shown = f": {quoted(first_line)}" if first_line.strip() else ""
        findings.add("SE113", (1, 1), f"expected `---` on line 1, found {instead}{shown}", _BEGIN_HINT)


def _explain_unclosed_header(text: str, findings: TextFindings) -> None:
    hint = "end it with `---` on a line of its own"
    if nearly := re.search(_NEARLY_CLOSING, text):
        hint += f"; line {place_of(text, nearly.start())[0]} is {quoted(nearly[0])}"
    findings.add("SE115", (1, 1), "the frontmatter is never closed", hint)
