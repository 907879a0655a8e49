"""Skills of one name: which is a copy of which."""

from collections.abc import Iterator, Sequence

from evals.skill_eval.model.problem import Problem
from evals.skill_eval.reading.file_copies import same_files
from evals.skill_eval.reading.problems import finding
from evals.skill_eval.reading.validation import ValidatedSkill, without_dot


def with_namesakes(skills: Sequence[ValidatedSkill]) -> Iterator[ValidatedSkill]:
    """Yield `skills` again, with a finding for all but one of those that share a name."""
    first_of: dict[str, ValidatedSkill] = {}
    for skill in sorted(skills, key=_likely_original, reverse=True):
        if skill.skill:
            first_of.setdefault(skill.skill.name, skill)
    for skill in skills:
        first = first_of[skill.skill.name] if skill.skill else skill
        yield skill if first is skill else _with_problem(skill, _namesake(skill, first))


def _likely_original(skill: ValidatedSkill) -> tuple[bool, int]:
    """Return a key that ranks `skills/x` above its mirrors in folders of tools and plugins."""
    return (not skill.folder.shown.startswith("."), -skill.folder.shown.count("/"))


def _with_problem(skill: ValidatedSkill, found: Problem) -> ValidatedSkill:
    return skill._replace(problems=tuple(sorted((*skill.problems, found), key=Problem.order)))


def _namesake(skill: ValidatedSkill, first: ValidatedSkill) -> Problem:
    same = _are_copies(skill, first)
    code = "SE310" if same else "SE309"
    what = "is a copy of" if same else "has the same name as, but not the content of,"
    message = f"{what} the skill in `{first.folder.shown}`"
    return without_dot(finding(code, f"{skill.folder.shown}/SKILL.md", message))


def _are_copies(one: ValidatedSkill, other: ValidatedSkill) -> bool:
    """Compare every file, but of a skill that is a whole repository SKILL.md alone."""
    if _content(one) != _content(other):
        return False
    whole = not (one.folder.match_directory and other.folder.match_directory)
    return whole or same_files(one.folder.directory, other.folder.directory)


def _content(skill: ValidatedSkill) -> object:
    return skill.skill and (skill.skill.properties, skill.skill.body)
