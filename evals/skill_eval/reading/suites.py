"""Suites: `evals/evals.json` becomes a record, or findings that each have a line and a column."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.model.suite import Dialect, Suite
from evals.skill_eval.reading.cases import Manner, read_cases
from evals.skill_eval.reading.findings import LIMIT, Findings, Part, fault_problem
from evals.skill_eval.reading.parts import CaseParts, Outline, case_parts, has_checks, outline
from evals.skill_eval.reading.problems import finding
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.regular_files import SIZE, UnusableFile, read_regular
from evals.skill_eval.reading.strict_json import Document, JsonFault, kind_of, parse
from evals.skill_eval.reading.triggers import TRIGGER_NAMES, trigger_count

SUITE_NAME = "evals.json"
SUITE_LIMIT_BYTES = 2 << 20
CASE_LIMIT = 10_000
_MENDED_BYTES = 4 << 20

_SHAPE = 'a suite is `{"skill_name": "...", "evals": [...]}`'


class SuiteReading(NamedTuple):
    """What came of reading a suite; `suite` is None when `problems` hold an error.

    `cases` counts those that could be read all the same.
    """

    suite: Suite | None
    problems: tuple[Problem, ...]
    cases: int = 0


def read_suite(skill_directory: Path, shown: str, skill_name: str | None) -> SuiteReading | None:
    """Read the suite of a skill; None when it has none.

    `shown` is the folder as findings name it, `skill_name` what the skill is called (None when
    that is unknown). A skill that has but a set of trigger queries has a suite without cases.
    """
    folder = skill_directory / "evals"
    try:
        names = _names(folder)
    except UnusableFile as error:
        return SuiteReading(None, (finding("SE201", f"{shown}/evals", str(error)),))
    if not names and (other := _misspelt(skill_directory)):
        message = "is not called `evals`, so most file systems do not find the suite in it"
        return SuiteReading(None, (finding("SE237", f"{shown}/{other}", message),))
    triggers = [name for name in names if name in TRIGGER_NAMES]
    notes = tuple(_trigger_file(folder / name, f"{shown}/evals/{name}") for name in triggers)
    if any(name.lower() == SUITE_NAME for name in names):
        reading = _suite_file(folder, names, f"{shown}/evals", skill_name)
        return reading._replace(problems=(*reading.problems, *notes))
    if not triggers:
        return None
    name = skill_name or skill_directory.name
    return SuiteReading(Suite(name, folder / triggers[0], (), Dialect.TRIGGERS), notes)


def _misspelt(skill_directory: Path) -> str | None:
    """Return a folder that only some file systems take for `evals`, if there is one with a suite."""
    try:
        names = os.listdir(skill_directory)
    except OSError:
        return None
    alike = (name for name in names if name != "evals" and name.lower() == "evals")
    return next((name for name in alike if (skill_directory / name / SUITE_NAME).is_file()), None)


def _names(folder: Path) -> list[str]:
    try:
        mode = os.lstat(folder).st_mode
        if stat.S_ISLNK(mode):
            raise UnusableFile("link", "is a link, and links are not followed")
        if not stat.S_ISDIR(mode):
            raise UnusableFile("kind", "is no folder, so there is no suite in it")
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UnusableFile("access", "cannot be listed") from error


def _suite_file(folder: Path, names: list[str], shown: str, skill_name: str | None) -> SuiteReading:
    if SUITE_NAME not in names:
        others = (name for name in names if name.lower() == SUITE_NAME)
        message = f"is not called `{SUITE_NAME}`, so most file systems do not find it"
        return SuiteReading(None, tuple(finding("SE237", f"{shown}/{name}", message) for name in others))
    document, faults = _document(folder / SUITE_NAME, f"{shown}/{SUITE_NAME}")
    if document is None:
        return SuiteReading(None, faults)
    findings = Findings(f"{shown}/{SUITE_NAME}", document)
    suite = _suite(document.value, folder / SUITE_NAME, skill_name, findings)
    problems = (*faults, *findings.problems())
    broken = any(problem.severity is Severity.ERROR for problem in problems)
    return SuiteReading(None if broken else suite, problems, len(suite.cases) if suite else 0)


def _document(path: Path, shown: str) -> tuple[Document | None, tuple[Problem, ...]]:
    """Read a file, beyond faults whose mending is plain, so that they hide no other; return what is wrong with it."""
    try:
        data = read_regular(path, SUITE_LIMIT_BYTES).content
    except UnusableFile as error:
        return None, (finding("SE202" if error.code == SIZE else "SE201", shown, str(error)),)
    faults: list[Problem] = []
    room = _MENDED_BYTES
    while True:
        try:
            return parse(data), tuple(faults)
        except JsonFault as fault:
            faults.append(fault_problem(shown, fault))
            room -= len(data)
            if fault.mended is None or room < 0 or len(faults) == LIMIT:
                return None, tuple(faults)
            data = fault.mended.encode()


def _trigger_file(path: Path, shown: str) -> Problem:
    """Return the finding that says what becomes of a file of trigger queries: it is not run."""
    document, faults = _document(path, shown)
    if faults or document is None:
        return faults[0]._replace(severity=Severity.WARNING)
    findings, count = Findings(shown, document), trigger_count(document.value)
    if count is None:
        message = "is called like a trigger set, and is none; not run"
        findings.add("SE222", (), message, severity=Severity.WARNING)
    else:
        findings.add("SE222", (), _triggers(count))
    return findings.problems()[0]


def _triggers(count: int) -> str:
    return f"trigger set of {count} {'query' if count == 1 else 'queries'}, not run"


def _suite(root: object, path: Path, skill_name: str | None, findings: Findings) -> Suite | None:
    """Return the suite as far as it can be read; an error among the findings makes it useless."""
    directory = path.parent.parent
    count = trigger_count(root)
    if count is not None:
        findings.add("SE222", (), _triggers(count))
        return Suite(skill_name or directory.name, path, (), Dialect.TRIGGERS)
    parts = outline(root)
    if not _has_shape(root, parts, findings):
        return None
    items = parts.items
    cases = _laid_out(items, findings)
    foreign = _say_foreign(parts, cases, findings)
    with_checks = any(has_checks(item.value) for item in items)
    lenient = foreign and not _is_unwrapped(parts, cases, with_checks, findings)
    if not items and parts.cases:
        empty = "there is no case, so nothing is measured"
        findings.add("SE224", parts.cases.where, empty, severity=Severity.WARNING if lenient else None)
    name = _skill_name(parts, skill_name, lenient, findings) or directory.name
    if parts.wrapped and isinstance(root, dict):
        _note_top_keys(root, parts, findings)
    manner = Manner(directory, name, lenient, with_checks and not lenient)
    return Suite(name, path, read_cases(cases, manner, findings), Dialect.FOREIGN if foreign else Dialect.HARNESS)


def _note_top_keys(root: Mapping[str, object], parts: Outline, findings: Findings) -> None:
    """Report keys around the cases that are not read; a second list of cases is more than a note."""
    used = frozenset(str(part.where[-1]) for part in (parts.skill_name, parts.cases) if part)
    if root.keys() <= used:
        return
    from evals.skill_eval.reading.unused_keys import note_keys, note_unused

    if isinstance(root.get("cases"), list) and "cases" not in used:
        message = "is not read: the cases stand in `evals`"
        findings.add("SE234", ("cases",), message, key=True, severity=Severity.WARNING)
        used |= {"cases"}
    note_unused(note_keys(root, (), used, ("skill_name", "evals"), findings), findings)


def _has_shape(root: object, parts: Outline, findings: Findings) -> bool:
    """Tell whether there are cases to be read."""
    if not isinstance(root, dict | list):
        findings.add("SE220", (), f"expected a suite, found {kind_of(root)}", _SHAPE)
        return False
    if parts.cases is None:
        from evals.skill_eval.reading.near_miss import near_miss

        near = next((key for key in root if isinstance(key, str) and near_miss(key, ("evals",))), None)
        hint = f"did you mean `evals` where it says {quoted(near)}?" if near else _SHAPE
        findings.add("SE220", (), "`evals` is missing: the list of cases", hint)
        return False
    if parts.wrapped and not isinstance(parts.cases.value, list):
        findings.add("SE220", parts.cases.where, f"expected a list of cases, found {kind_of(parts.cases.value)}")
        return False
    if isinstance(parts.cases.value, list) and len(parts.cases.value) > CASE_LIMIT:
        findings.add("SE202", parts.cases.where, f"has {len(parts.cases.value)} cases; at most {CASE_LIMIT} are read")
        return False
    return True


def _laid_out(items: Sequence[Part], findings: Findings) -> list[CaseParts]:
    laid = []
    for item in items:
        if isinstance(item.value, dict):
            laid.append(case_parts(item.value, item.where))
        else:
            hint = 'a case is `{"id": 1, "prompt": "...", ...}`'
            findings.add("SE225", item.where, f"expected a case, found {kind_of(item.value)}", hint)
    return laid


def _say_foreign(parts: Outline, cases: Sequence[CaseParts], findings: Findings) -> bool:
    """Tell whether the suite is written in a foreign dialect, and name it in one finding."""
    words = dict.fromkeys((*parts.foreign, *(word for case in cases for word in case.foreign)))
    if words:
        findings.add("SE221", (), f"foreign dialect, read as well as it goes: {', '.join(words)}", _SHAPE)
    return bool(words)


def _is_unwrapped(parts: Outline, cases: Sequence[CaseParts], with_checks: bool, findings: Findings) -> bool:
    """Tell whether these are cases as only this harness has them, without the object that belongs around them."""
    unwrapped = with_checks and not parts.wrapped and not any(case.foreign for case in cases)
    if unwrapped:
        findings.add("SE220", (), "a suite with `checks` needs the object that names its skill", _SHAPE)
    return unwrapped


def _skill_name(parts: Outline, actual: str | None, lenient: bool, findings: Findings) -> str | None:
    """Return what the skill is called, by itself or else by its suite."""
    severity = Severity.WARNING if lenient else None
    part = parts.skill_name
    if part is None:
        if parts.wrapped:
            hint = f"write {quoted(actual)}" if actual else None
            findings.add("SE223", (), "`skill_name` is missing", hint, severity=severity)
        return actual
    if not isinstance(part.value, str) or not part.value.strip():
        found = "a blank string" if isinstance(part.value, str) else kind_of(part.value)
        findings.add("SE223", part.where, f"expected the name of the skill, found {found}", severity=severity)
        return actual
    if actual is not None and part.value != actual:
        message = f"expected {quoted(actual)}, the name of the skill, found {quoted(part.value)}"
        findings.add("SE223", part.where, message, severity=severity)
    return actual or part.value
