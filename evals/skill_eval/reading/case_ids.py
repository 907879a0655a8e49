"""Ids of cases: what names a folder of artifacts, and so must be safe and unique on every file system."""

import re
from collections.abc import Sequence

from evals.skill_eval.model.problem import Severity
from evals.skill_eval.model.sentinel import EXPECTED
from evals.skill_eval.reading.findings import Findings, Part, pointer
from evals.skill_eval.reading.fixtures import folded
from evals.skill_eval.reading.parts import CaseParts
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.strict_json import Where, kind_of

LENGTH_LIMIT = 64
LENGTH_LIMIT_BYTES = 200
NUMBER_LIMIT = 2**53 - 1

# What a folder's name cannot hold on every file system and in every archive, and what nobody sees.
_UNSAFE = '[\x00-\x1f\x7f-\x9f/\\\\:*?"<>|\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]'
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))))


def assign_ids(cases: Sequence[CaseParts], lenient: bool, findings: Findings) -> list[int | str]:
    """Return an id for each case; a case without one is numbered, which is an error unless `lenient`.

    A case whose id is refused is numbered as well, so that the rest of it can be read.
    """
    first_with: dict[str, Part] = {}
    ids = [None if case.id is None else _own_id(case.id, first_with, findings) for case in cases]
    for number, case in enumerate(cases, 1):
        if case.id is None:
            _say_missing(case.where, lenient, findings)
        if ids[number - 1] is None:
            free = number if str(number) not in first_with else number + len(cases)
            while str(free) in first_with:
                free += len(cases)
            ids[number - 1] = free
            first_with[str(free)] = Part(case.where, free)
    return [id_ for id_ in ids if id_ is not None]


def id_fault(value: object) -> str | None:
    """Return why `value` cannot be the id of a case, or None."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return f"expected a whole number or a string, found {_number_or_kind(value)}"
    if isinstance(value, int):
        return None if 0 <= value <= NUMBER_LIMIT else f"expected a number from 0 to {NUMBER_LIMIT}, found another"
    if not value.strip():
        return "expected a name, found an empty or blank string"
    if len(value) > LENGTH_LIMIT or len(value.encode()) > LENGTH_LIMIT_BYTES:
        return f"has {len(value)} characters; at most {LENGTH_LIMIT} ({LENGTH_LIMIT_BYTES} bytes) name a folder safely"
    if re.search(_UNSAFE, value) or value != value.strip() or value.endswith(".") or value in (".", ".."):
        return f"{quoted(value)} is no safe name for a folder"
    if value.split(".")[0].strip().casefold() in _DEVICES:
        return f"{quoted(value)} is the name of a device on Windows"
    return None


def _own_id(part: Part, first_with: dict[str, Part], findings: Findings) -> int | str | None:
    fault = id_fault(part.value)
    if fault is not None:
        hint = "use letters, digits, `-`, `_` and inner dots" if isinstance(part.value, str) else None
        findings.add("SE226", part.where, fault, hint)
        return None
    text = str(part.value)
    if folded(text) in EXPECTED:  # its trials would count as the sentinel's, in no rate
        message = f"{quoted(text)} is the name of a sentinel, a case of the harness's own"
        findings.add("SE226", part.where, message, "choose another")
        return None
    first = first_with.setdefault(folded(text), part)
    if first is not part:
        same = "the same" if text == str(first.value) else "the same folder on some file systems"
        message = f"id {quoted(text)} is {same} as {pointer(first.where)}; an id names one case"
        findings.add("SE227", part.where, message)
        return None
    return part.value if isinstance(part.value, int | str) else None


def _say_missing(where: Where, lenient: bool, findings: Findings) -> None:
    if lenient:
        findings.add_once("SE226", where, "`id` is missing; the position counts", severity=Severity.WARNING)
    else:
        findings.add("SE226", where, "`id` is missing: every case has a number or a name of its own")


def _number_or_kind(value: object) -> str:
    return f"the number {value!r}" if isinstance(value, float) else kind_of(value)
