"""Doubts about a case whose checks are well-formed: what they can hardly tell apart."""

from collections.abc import Sequence

from evals.skill_eval.model.suite import Case, Check, CheckType
from evals.skill_eval.reading.findings import Findings
from evals.skill_eval.reading.patterns import may_explode
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.strict_json import Where

_WANTED = (CheckType.CONTAINS, CheckType.CONTAINS_ALL)
_NEGATIVE = (CheckType.NOT_CONTAINS, CheckType.NOT_REGEX)
_PATTERNS = (CheckType.REGEX, CheckType.NOT_REGEX)
_EXAMINED = 100


def note_doubts(case: Case, places: Sequence[Where], where: Where, findings: Findings) -> None:
    """Add a warning for everything that makes the checks of `case` say little.

    `places` are those of the checks, `where` is the case's. Checks are compared with each other and
    with the prompt, so only the first hundred are.
    """
    checks = case.checks[:_EXAMINED]
    required = [check for check in case.checks if check.required]
    if case.checks and not required:
        message = "no check is required, so the case passes whatever the answer is"
        findings.add("SE254", where, message)
    elif required and all(check.type in _NEGATIVE for check in required):
        message = "every required check forbids something, so an empty answer passes"
        findings.add("SE254", where, message, "add a check for what a good answer has")
    for check, place in zip(checks, places, strict=False):
        _doubt(check, place, case, findings)
    for message in _contradictions([check for check in checks if check.required]):
        findings.add("SE253", where, message)


def _doubt(check: Check, where: Where, case: Case, findings: Findings) -> None:
    if check.type in _PATTERNS and may_explode(check.operands[0]):
        message = f"{quoted(check.operands[0])} repeats what repeats itself, so a search may take forever"
        findings.add("SE252", where, message, "a search is stopped after a bound, and then the check fails")
    if check.required and _answered(check, case.prompt):
        message = "the prompt already holds the wanted text, so an answer that repeats it passes"
        findings.add("SE255", where, message)


def _answered(check: Check, prompt: str) -> bool:
    """Tell whether the prompt itself would pass the check."""
    held = [_holds(prompt, text, check.case_sensitive) for text in check.operands]
    return all(held) if check.type in _WANTED else check.type is CheckType.CONTAINS_ANY and any(held)


def _contradictions(required: list[Check]) -> list[str]:
    pairs = ((wanted, other) for wanted in required for other in required if _contradict(wanted, other))
    return [f"no answer passes both {quoted(wanted.id)} and {quoted(other.id)}" for wanted, other in pairs]


def _contradict(wanted: Check, other: Check) -> bool:
    """Tell whether what makes `wanted` pass makes `other` fail, as far as that can be read off them."""
    if wanted.type is CheckType.REGEX and other.type is CheckType.NOT_REGEX:
        same = wanted.operands == other.operands
        return same and (wanted.case_sensitive or not other.case_sensitive)
    if other.type is not CheckType.NOT_CONTAINS or (other.case_sensitive and not wanted.case_sensitive):
        return False
    forbidden = [_holds(text, other.operands[0], other.case_sensitive) for text in wanted.operands]
    return any(forbidden) if wanted.type in _WANTED else wanted.type is CheckType.CONTAINS_ANY and all(forbidden)


def _holds(text: str, part: str, case_sensitive: bool) -> bool:
    return part in text if case_sensitive else part.casefold() in text.casefold()
