"""A suite taken apart: where its cases are, and what stands where in each, under our names.

Nothing is judged here and nothing is dropped in silence: every value keeps its place in the file,
and the words in `foreign` say what was taken for what.
"""

from collections.abc import Mapping
from typing import NamedTuple

from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.reading.findings import Part
from evals.skill_eval.reading.strict_json import Where

RUBRIC_KEYS = ("assertions", "expectations")
CASE_KEYS = ("id", "prompt", "expected_output", *RUBRIC_KEYS, "files", "checks")

_OWN_KEYS = frozenset((*CASE_KEYS, "name"))


class Outline(NamedTuple):
    """Where a suite keeps its parts.

    `cases` is what should be the list of them, or the one case that is there (None when there is
    neither); `wrapped` tells whether there is an object around them.
    """

    skill_name: Part | None
    cases: Part | None
    foreign: tuple[str, ...] = ()
    wrapped: bool = True

    @property
    def items(self) -> tuple[Part, ...]:
        """Return the cases one by one."""
        if self.cases is not None and not self.wrapped and isinstance(self.cases.value, dict):
            return (self.cases,)
        return items_of(self.cases)


class MadeCheck(NamedTuple):
    """A check that is spelled as something else; `operand` still has to be examined."""

    id: str
    type: CheckType
    operand: Part
    required: bool = True
    case_sensitive: bool = False


class Line(NamedTuple):
    """What one entry of a rubric is: a text for a judge, a check, or a command; none of them when it is unusable."""

    text: str | None = None
    check: MadeCheck | None = None
    command: bool = False


class CaseParts(NamedTuple):
    """The parts of one case, whatever they are called.

    `keys` is the case as it stands and `used` what is read of it; `lines` come from rubrics under foreign names.
    """

    where: Where
    keys: Mapping[str, object]
    id: Part | None
    name: str | None
    prompt: Part | None
    expected: Part | None
    rubrics: tuple[Part, ...]
    files: Part | None
    checks: Part | None
    used: frozenset[str]
    lines: tuple[tuple[Part, Line], ...] = ()
    made: tuple[MadeCheck, ...] = ()
    foreign: tuple[str, ...] = ()


def outline(root: object) -> Outline:
    """Find the cases of a suite in the value of its file."""
    if isinstance(root, dict) and "skill_name" in root and "evals" in root:
        return Outline(part_of(root, (), "skill_name"), part_of(root, (), "evals"))
    from evals.skill_eval.reading.dialects import foreign_outline

    return foreign_outline(root)


def case_parts(case: Mapping[str, object], where: Where) -> CaseParts:
    """Lay out one case."""
    if not _is_own(case):
        from evals.skill_eval.reading.dialects import foreign_parts

        return foreign_parts(case, where)
    name = case.get("name")
    return CaseParts(
        where=where,
        keys=case,
        id=part_of(case, where, "id"),
        name=name if isinstance(name, str) else None,
        prompt=part_of(case, where, "prompt"),
        expected=part_of(case, where, "expected_output"),
        rubrics=tuple(part for key in RUBRIC_KEYS if (part := part_of(case, where, key))),
        files=part_of(case, where, "files"),
        checks=part_of(case, where, "checks"),
        used=_OWN_KEYS,
    )


def rubric_line(part: Part) -> Line:
    """Say what one entry of a rubric is."""
    if isinstance(part.value, dict):
        from evals.skill_eval.reading.dialects import object_line

        return object_line(part, part.value)
    return Line(text=part.value if isinstance(part.value, str) else None)


def has_checks(case: object) -> bool:
    """Tell whether a case has a check as only this harness writes them."""
    checks = case.get("checks") if isinstance(case, dict) else None
    return isinstance(checks, list) and any(isinstance(check, dict) for check in checks)


def part_of(holder: Mapping[str, object], where: Where, key: str | None) -> Part | None:
    """Return the value of a key with its place, None when it is not there."""
    return Part((*where, key), holder[key]) if key is not None and key in holder else None


def items_of(part: Part | None) -> tuple[Part, ...]:
    """Return the items of a list with their places, nothing for anything else."""
    if part is None or not isinstance(part.value, list):
        return ()
    return tuple(Part((*part.where, number), item) for number, item in enumerate(part.value))


def _is_own(case: Mapping[str, object]) -> bool:
    """Tell whether a case has our keys alone, and neither a foreign prompt nor assertions that are objects."""
    if not (case.keys() <= _OWN_KEYS and isinstance(case.get("prompt"), str)):
        return False
    rubrics = (part_of(case, (), key) for key in RUBRIC_KEYS)
    return not any(isinstance(item.value, dict) for rubric in rubrics for item in items_of(rubric))
