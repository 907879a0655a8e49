"""A suite: the cases and checks of one evals.json."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple


class CheckType(StrEnum):
    """The deterministic requirements that a case can make."""

    CONTAINS = "contains"
    CONTAINS_ALL = "contains_all"
    CONTAINS_ANY = "contains_any"
    NOT_CONTAINS = "not_contains"
    REGEX = "regex"
    NOT_REGEX = "not_regex"
    FILE_EXISTS = "file_exists"
    LOADED_SKILL = "loaded_skill"


class Check(NamedTuple):
    """One deterministic requirement.

    `operands` holds what the type compares with: the texts, the one pattern, the one path below
    the workspace, or the one skill name (`loaded_skill` is given its own skill's by default).
    """

    id: str
    type: CheckType
    operands: tuple[str, ...]
    required: bool = True
    case_sensitive: bool = False


class Case(NamedTuple):
    """One entry of a suite. `files` are fixture paths relative to the skill root, with `/`."""

    id: int | str
    prompt: str
    expected_output: str | None = None
    assertions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    name: str | None = None

    @property
    def runnable(self) -> bool:
        """Tell whether the case can be graded without a judge: checks that are not required decide nothing."""
        return any(check.required for check in self.checks)


class Dialect(StrEnum):
    """The shape in which a suite was written."""

    HARNESS = "harness"
    FOREIGN = "foreign"
    TRIGGERS = "triggers"


class Suite(NamedTuple):
    """The cases of one evals.json, in file order. `path` is the file."""

    skill_name: str
    path: Path
    cases: tuple[Case, ...]
    dialect: Dialect = Dialect.HARNESS

    @property
    def runnable_cases(self) -> tuple[Case, ...]:
        """Return the cases that can be graded without a judge."""
        return tuple(case for case in self.cases if case.runnable)
