"""Cases of a suite: each read whole, so that everything wrong with it is said at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evals.skill_eval.model.problem import Severity
from evals.skill_eval.model.suite import Case, Check
from evals.skill_eval.reading.case_ids import assign_ids
from evals.skill_eval.reading.checks import CheckScope, PlacedCheck, read_checks, read_operands
from evals.skill_eval.reading.doubts import note_doubts
from evals.skill_eval.reading.findings import Findings, Part
from evals.skill_eval.reading.fixtures import check_fixtures, workspace_path
from evals.skill_eval.reading.parts import CASE_KEYS, CaseParts, Line, MadeCheck, rubric_line
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.strict_json import kind_of


class Manner(NamedTuple):
    """How a suite is to be read.

    `lenient`: it is foreign, so what it leaves out is a warning. `plain_assertions`: it is not, and
    it has checks as only this harness has, so its assertions are texts and nothing else.
    """

    skill_directory: Path
    skill_name: str
    lenient: bool
    plain_assertions: bool

    @property
    def missing(self) -> Severity:
        """Return how bad it is that a suite leaves out what a case needs."""
        return Severity.WARNING if self.lenient else Severity.ERROR


def read_cases(cases: Sequence[CaseParts], manner: Manner, findings: Findings) -> tuple[Case, ...]:
    """Return every case; one with an error among the findings is as good as it can be."""
    ids = assign_ids(cases, manner.lenient, findings)
    if not all(parts.keys.keys() <= parts.used for parts in cases):
        _note_keys(cases, findings)
    return tuple(_case(id_, parts, manner, findings) for id_, parts in zip(ids, cases, strict=True))


def _note_keys(cases: Sequence[CaseParts], findings: Findings) -> None:
    from evals.skill_eval.reading.unused_keys import note_keys, note_unused

    unused = [where for parts in cases for where in note_keys(parts.keys, parts.where, parts.used, CASE_KEYS, findings)]
    note_unused(unused, findings)


def _case(id_: int | str, parts: CaseParts, manner: Manner, findings: Findings) -> Case:
    prompt = _prompt(parts, manner, findings)
    expected = _expected(parts, manner, findings)
    lines = _rubric(parts, manner, findings)
    placed = _checks(parts, lines, manner, findings)
    checks = tuple(check for check, _ in placed) if prompt else ()
    files = check_fixtures(parts.files, manner.skill_directory, bool(checks), findings) if parts.files else ()
    texts = tuple(line.text for _, line in lines if line.text is not None)
    case = Case(id_, prompt, expected, texts, files, checks, parts.name)
    _note_goal(case, parts, findings)
    note_doubts(case, [place for _, place in placed], parts.where, findings)
    return case


def _prompt(parts: CaseParts, manner: Manner, findings: Findings) -> str:
    """Return the prompt, empty when there is none: such a case is not run."""
    if parts.prompt is None:
        findings.add("SE228", parts.where, "`prompt` is missing", severity=manner.missing)
    elif not isinstance(parts.prompt.value, str):
        findings.add("SE228", parts.prompt.where, f"expected a string, found {kind_of(parts.prompt.value)}")
    elif not parts.prompt.value.strip():
        findings.add("SE228", parts.prompt.where, "the prompt is empty or blank", severity=manner.missing)
    else:
        return parts.prompt.value
    return ""


def _expected(parts: CaseParts, manner: Manner, findings: Findings) -> str | None:
    value = parts.expected.value if parts.expected else None
    if isinstance(value, str):
        return value
    if parts.expected:
        message = f"expected a string, found {kind_of(value)}"
        findings.add("SE229", parts.expected.where, message, severity=manner.missing)
    return None


def _rubric(parts: CaseParts, manner: Manner, findings: Findings) -> list[tuple[Part, Line]]:
    """Return the usable lines of `assertions` and `expectations`, then those under foreign names."""
    entries: list[Part] = []
    for part in parts.rubrics:
        if part.where[-1] == "expectations":
            both = " as well: both are kept" if len(parts.rubrics) > 1 else ""
            findings.add_once("SE231", part.where, f"read as `assertions`, its published name{both}", key=True)
        if isinstance(part.value, list):
            entries += (Part((*part.where, number), item) for number, item in enumerate(part.value))
        else:
            message = f"expected a list of strings, found {kind_of(part.value)}"
            findings.add("SE230", part.where, message, severity=manner.missing)
    lines = [*((entry, rubric_line(entry)) for entry in entries), *parts.lines]
    return [(entry, line) for entry, line in lines if _is_usable(entry, line, manner, findings)]


def _is_usable(entry: Part, line: Line, manner: Manner, findings: Findings) -> bool:
    if isinstance(entry.value, dict) and manner.plain_assertions:
        hint = f"write its text alone: {quoted(line.text)}" if line.text else "write a sentence, or a check in `checks`"
        message = "expected a string, found an object: a suite with `checks` has plain assertions"
        findings.add("SE230", entry.where, message, hint)
    elif isinstance(entry.value, str) and not entry.value.strip():
        findings.add("SE230", entry.where, "the assertion is empty or blank", severity=manner.missing)
    elif line == Line():
        what = "an object without a text" if isinstance(entry.value, dict) else kind_of(entry.value)
        findings.add("SE230", entry.where, f"expected a string, found {what}", severity=manner.missing)
    else:
        return True
    return False


def _checks(parts: CaseParts, lines: list[tuple[Part, Line]], manner: Manner, findings: Findings) -> list[PlacedCheck]:
    inputs = parts.files.value if parts.files and isinstance(parts.files.value, list) else []
    laid = frozenset(workspace_path(path) for path in inputs if isinstance(path, str))
    scope = CheckScope(manner.skill_name, laid)
    placed = _own_checks(parts.checks, lines, scope, manner, findings) if parts.checks else []
    for entry, line in lines:
        if line.command:
            findings.add("SE235", entry.where, "is a command, and commands of a suite are never run")
    taken = {check.id for check, _ in placed}
    made = (*parts.made, *(line.check for _, line in lines if line.check))
    return placed + [check for one in made if (check := _made_check(one, taken, scope, findings))]


def _own_checks(
    part: Part, lines: list[tuple[Part, Line]], scope: CheckScope, manner: Manner, findings: Findings
) -> list[PlacedCheck]:
    strings = isinstance(part.value, list) and bool(part.value) and all(isinstance(item, str) for item in part.value)
    if not (strings and manner.lenient and isinstance(part.value, list)):
        return read_checks(part, scope, findings)
    message = "strings are no checks; read as `assertions`"
    findings.add_once("SE236", part.where, message, key=True, severity=Severity.WARNING)
    lines += [(Part((*part.where, number), item), Line(text=item)) for number, item in enumerate(part.value)]
    return []


def _made_check(made: MadeCheck, taken: set[str], scope: CheckScope, findings: Findings) -> PlacedCheck | None:
    operands = read_operands(made.type, made.operand, scope, findings)
    if operands is None:
        return None
    id_ = made.id
    while id_ in taken:
        id_ += "-made"
    taken.add(id_)
    return Check(id_, made.type, operands, made.required, made.case_sensitive), made.operand.where


def _note_goal(case: Case, parts: CaseParts, findings: Findings) -> None:
    """Say that a case does not tell what a good answer is; what it tells wrongly is said elsewhere."""
    if parts.expected or case.assertions or any(part.value for part in parts.rubrics):
        return
    if case.checks or (parts.checks and parts.checks.value):
        message = "no `expected_output` says what a good answer is"
        findings.add_once("SE232", parts.where, message, severity=Severity.INFO)
    else:
        message = "nothing says what a good answer is: no `expected_output`, no `assertions`, no `checks`"
        findings.add_once("SE232", parts.where, message)
