"""Grade an outcome against a case's checks: values in, verdict out."""

from collections.abc import Callable
from typing import assert_never

from evals.skill_eval.model.grading import CheckResult, Grading, Outcome
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.suite import Case, Check, CheckType

Search = Callable[[str, str, bool], bool | None]
"""`search(pattern, text, ignore_case)`: found, not found, or None when stopped at its time bound."""


def grade(case: Case, mode: Mode, outcome: Outcome, search: Search) -> Grading:
    """Grade `outcome` against every check of `case`.

    In the baseline a `loaded_skill` check does not apply: it cannot pass there, so it would turn
    lift into a constant. It is left out of the comparison on both sides and still gates the
    with-skill run.
    """
    return Grading(tuple(_result(check, mode, outcome, search) for check in case.checks))


def _result(check: Check, mode: Mode, outcome: Outcome, search: Search) -> CheckResult:
    passed, message = _verdict(check, mode, outcome, search)
    return CheckResult(check.id, check.type, check.required, passed, message)


def _verdict(check: Check, mode: Mode, outcome: Outcome, search: Search) -> tuple[bool | None, str]:
    match check.type:
        case CheckType.CONTAINS | CheckType.CONTAINS_ALL:
            missing = _absent(check, outcome.output)
            return not missing, f"output lacks {_quoted(missing)}" if missing else f"output contains {_all(check)}"
        case CheckType.CONTAINS_ANY:
            missing = _absent(check, outcome.output)
            found = len(missing) < len(check.operands)
            return found, f"output contains {'one' if found else 'none'} of {_all(check)}"
        case CheckType.NOT_CONTAINS:
            found = not _absent(check, outcome.output)
            return not found, f"output {'contains' if found else 'does not contain'} {_all(check)}"
        case CheckType.REGEX | CheckType.NOT_REGEX:
            return _search(check, outcome.output, search)
        case CheckType.FILE_EXISTS:
            made = check.operands[0] in outcome.files
            return made, f"the agent {'made' if made else 'did not make'} the file {_all(check)}"
        case CheckType.LOADED_SKILL:
            return _loaded(check, mode, outcome)
        case _:
            assert_never(check.type)


def _absent(check: Check, output: str) -> list[str]:
    if check.case_sensitive:
        return [text for text in check.operands if text not in output]
    folded = output.casefold()
    return [text for text in check.operands if text.casefold() not in folded]


def _search(check: Check, output: str, search: Search) -> tuple[bool, str]:
    found = search(check.operands[0], output, not check.case_sensitive)
    if found is None:
        return False, f"pattern {_all(check)} was stopped: it took too long on this output"
    passed = found is (check.type is CheckType.REGEX)
    return passed, f"output {'matches' if found else 'does not match'} {_all(check)}"


def _loaded(check: Check, mode: Mode, outcome: Outcome) -> tuple[bool | None, str]:
    if mode is not Mode.WITH_SKILL:
        return None, f"not applicable without the skill {_all(check)}"
    loaded = any(event.type == "skill_loaded" and event.name == check.operands[0] for event in outcome.events)
    return loaded, f"{'an' if loaded else 'no'} event proves that {_all(check)} was loaded"


def _all(check: Check) -> str:
    return _quoted(check.operands)


def _quoted(texts: list[str] | tuple[str, ...]) -> str:
    return ", ".join(f"`{text}`" for text in texts)
