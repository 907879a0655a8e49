"""Grade a suite without an agent: answers that should pass or fail tell what its checks are worth."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from evals.skill_eval.grading.checks import Search, grade
from evals.skill_eval.model.grading import Outcome
from evals.skill_eval.model.protocol import Event, Mode
from evals.skill_eval.model.suite import Case, Check, CheckType, Suite

_REFUSAL = "I'm sorry, but I can't help with that request."
_GENERIC = (
    "I have looked at the request and done what was asked. Everything is in order and follows good practice. "
    "Let me know if you need anything else."
)


class Answer(StrEnum):
    """The answers that are tried; all but the first are wrong."""

    EXPECTED = "expected_output"
    EMPTY = "an empty answer"
    REFUSAL = "a refusal"
    ECHO = "the echoed prompt"
    FIXTURES = "the pasted fixtures"
    SKILL = "the pasted SKILL.md"
    GENERIC = "a generic answer"


_PASSING = {
    Answer.EMPTY: "SE401",
    Answer.ECHO: "SE402",
    Answer.SKILL: "SE404",
    Answer.REFUSAL: "SE405",
    Answer.FIXTURES: "SE406",
    Answer.GENERIC: "SE407",
}
"""The finding when a wrong answer passes a whole case."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the self-test found: `case` is the case's position (None: the suite), `check` the check's."""

    code: str
    message: str
    case: int | None = None
    check: int | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """Which wrong answers a check told apart: `killed` of `tried`."""

    skill: str
    case_id: int | str
    check_id: str
    killed: tuple[Answer, ...]
    tried: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class SelfTest:
    """All that was found in one suite."""

    findings: tuple[Finding, ...]
    scores: tuple[Score, ...]


def self_test(suite: Suite, skill_text: str, fixtures: Mapping[int | str, str], search: Search) -> SelfTest:
    """Grade every runnable case of `suite` against answers with known worth.

    `fixtures` is the text of each case's fixtures by case id. A wrong answer makes no files and loads
    nothing; the expected one is taken to have made every file asked for and to have loaded the skill.
    """
    findings: list[Finding] = list(_duplicates(suite))
    scores: list[Score] = []
    survived = True
    for position, case in enumerate(suite.cases):
        if not case.runnable:
            continue
        verdicts = _verdicts(case, skill_text, fixtures.get(case.id, ""), search)
        scores += _scores(suite.skill_name, case, verdicts)
        findings += _case_findings(position, case, verdicts)
        survived &= all(_passes(case, verdict) for answer, verdict in verdicts.items() if answer is not Answer.EXPECTED)
    if scores and survived:
        findings.append(Finding("SE412", "every wrong answer passes every case"))
    return SelfTest(tuple(findings), tuple(scores))


_Verdict = tuple[bool, ...]


def _verdicts(case: Case, skill_text: str, fixtures: str, search: Search) -> dict[Answer, _Verdict]:
    """Return for each answer that can be tried whether it meets each check."""
    texts = {
        Answer.EXPECTED: case.expected_output,
        Answer.EMPTY: "",
        Answer.REFUSAL: _REFUSAL,
        Answer.ECHO: case.prompt,
        Answer.FIXTURES: fixtures or None,
        Answer.SKILL: skill_text or None,
        Answer.GENERIC: _GENERIC,
    }
    return {answer: _graded(case, answer, text, search) for answer, text in texts.items() if text is not None}


def _graded(case: Case, answer: Answer, text: str, search: Search) -> _Verdict:
    outcome = _perfect(case, text) if answer is Answer.EXPECTED else Outcome(text)
    return tuple(result.passed is True for result in grade(case, Mode.WITH_SKILL, outcome, search).results)


def _perfect(case: Case, text: str) -> Outcome:
    files = {check.operands[0] for check in case.checks if check.type is CheckType.FILE_EXISTS}
    loads = (check.operands[0] for check in case.checks if check.type is CheckType.LOADED_SKILL)
    return Outcome(text, frozenset(files), tuple(Event("skill_loaded", name) for name in loads))


def _passes(case: Case, verdict: _Verdict) -> bool:
    """Tell whether the answer would pass a baseline: loads count there no more than in lift."""
    needed = (met for check, met in zip(case.checks, verdict, strict=True) if check.required and not _is_load(check))
    return all(needed)


def _is_load(check: Check) -> bool:
    return check.type is CheckType.LOADED_SKILL


def _scores(skill: str, case: Case, verdicts: Mapping[Answer, _Verdict]) -> Iterator[Score]:
    wrong = tuple(answer for answer in verdicts if answer is not Answer.EXPECTED)
    for position, check in enumerate(case.checks):
        killed = tuple(answer for answer in wrong if not verdicts[answer][position])
        yield Score(skill, case.id, check.id, killed, wrong)


def _case_findings(position: int, case: Case, verdicts: Mapping[Answer, _Verdict]) -> Iterator[Finding]:
    for answer, code in _PASSING.items():
        if answer in verdicts and _passes(case, verdicts[answer]):
            yield Finding(code, f"{answer} passes case {case.id}", position)
    for number, check in enumerate(case.checks):
        yield from _check_findings(position, number, check, verdicts)


def _check_findings(position: int, number: int, check: Check, verdicts: Mapping[Answer, _Verdict]) -> Iterator[Finding]:
    met = {answer for answer, verdict in verdicts.items() if verdict[number]}
    if Answer.EXPECTED in verdicts and Answer.EXPECTED not in met:
        yield Finding("SE403", f"`expected_output` fails check `{check.id}`", position, number)
    if met == verdicts.keys() and check.type not in (CheckType.NOT_CONTAINS, CheckType.NOT_REGEX):
        yield Finding("SE408", f"every answer tried meets check `{check.id}`", position, number)
    if not met:
        yield Finding("SE409", f"no answer tried meets check `{check.id}`", position, number)


def _duplicates(suite: Suite) -> Iterator[Finding]:
    seen: dict[object, int | str] = {}
    for position, case in enumerate(suite.cases):
        twin = seen.setdefault((case.prompt, case.files, _forms(case)), case.id)
        if twin != case.id:
            yield Finding("SE411", f"case {case.id} is the same as case {twin}", position)
        yield from _duplicate_checks(position, case)


def _duplicate_checks(position: int, case: Case) -> Iterator[Finding]:
    seen: dict[object, str] = {}
    for number, (check, form) in enumerate(zip(case.checks, _forms(case), strict=True)):
        twin = seen.setdefault(form, check.id)
        if twin != check.id:
            yield Finding("SE410", f"check `{check.id}` is the same as check `{twin}`", position, number)


def _forms(case: Case) -> tuple[object, ...]:
    return tuple((check.type, check.operands, check.required, check.case_sensitive) for check in case.checks)
