"""Validation: every skill and suite read once, every finding collected."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.model.skill import Skill
from evals.skill_eval.model.suite import Suite
from evals.skill_eval.reading.discovery import Discovery
from evals.skill_eval.reading.file_copies import require_copyable
from evals.skill_eval.reading.inner_links import inner_links
from evals.skill_eval.reading.problems import finding
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.skill_folders import SkillFolder
from evals.skill_eval.reading.skill_md import read_skill
from evals.skill_eval.reading.stray_suites import stray_suites
from evals.skill_eval.reading.suites import read_suite


class ValidatedSkill(NamedTuple):
    """A skill folder as it was read; `skill` and `suite` are None where they could not be.

    `has_suite` tells whether there is a suite, readable or not, `cases` how many cases it has.
    `problems` are in the order of `Problem.order`.
    """

    folder: SkillFolder
    skill: Skill | None
    suite: Suite | None
    has_suite: bool
    cases: int
    problems: tuple[Problem, ...]

    @property
    def names(self) -> frozenset[str]:
        """Return what `--skill` may call it: the folder's name and the one that it gives itself."""
        own = {self.skill.name} if self.skill else set()
        return frozenset(own | _folder_names(self.folder))


class Validation(NamedTuple):
    """All that one pass found, in the order of the folders; `elsewhere` belongs to no skill that was read."""

    root: Path
    skills: tuple[ValidatedSkill, ...]
    elsewhere: tuple[Problem, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return every finding, sorted."""
        of_skills = (problem for skill in self.skills for problem in skill.problems)
        return tuple(sorted((*self.elsewhere, *of_skills), key=Problem.order))

    @property
    def suites(self) -> tuple[Suite, ...]:
        """Return the suites that could be read."""
        return tuple(skill.suite for skill in self.skills if skill.suite)

    @property
    def suite_count(self) -> int:
        """Return how many skills have a suite, readable or not."""
        return sum(skill.has_suite for skill in self.skills)

    @property
    def case_count(self) -> int:
        """Return how many cases there are, those of faulty suites too."""
        return sum(skill.cases for skill in self.skills)

    @property
    def runnable_count(self) -> int:
        """Return how many of the cases can be graded without a judge."""
        return sum(len(suite.runnable_cases) for suite in self.suites)

    def count(self, severity: Severity) -> int:
        """Return how many findings have `severity`."""
        return sum(problem.severity is severity for problem in self.problems)

    def strict(self) -> "Validation":
        """Return the same with every warning made an error."""
        skills = tuple(skill._replace(problems=_strict(skill.problems)) for skill in self.skills)
        return self._replace(skills=skills, elsewhere=_strict(self.elsewhere))


def validate(discovery: Discovery, *, names: tuple[str, ...] = ()) -> Validation:
    """Read the skills and suites of `discovery`, or those called one of `names`.

    With `names` the findings about other folders are left out. Raises ConfigError when a name
    belongs to no skill and to no folder with a finding.
    """
    skills = [_read(folder) for folder in _candidates(discovery.folders, names)]
    elsewhere = discovery.problems
    if names:
        skills = [skill for skill in skills if not skill.names.isdisjoint(names)]
        elsewhere = tuple(problem for problem in discovery.problems if _last_part(problem.path) in names)
        _refuse_unknown(discovery, names, skills, elsewhere)
    return Validation(discovery.root, _with_namesakes(skills), elsewhere)


def without_dot(found: Problem) -> Problem:
    """Let a path in a skill at the root begin like every other: annotations know no `./SKILL.md`."""
    return found._replace(path=found.path[2:]) if found.path.startswith("./") else found


def _candidates(folders: tuple[SkillFolder, ...], names: tuple[str, ...]) -> Iterable[SkillFolder]:
    """Return the folders that have to be read: all of them when a name is no folder's."""
    by_folder = [folder for folder in folders if not _folder_names(folder).isdisjoint(names)]
    found = {folder.directory.name for folder in by_folder}
    return by_folder if names and found.issuperset(names) else folders


def _folder_names(folder: SkillFolder) -> set[str]:
    return {folder.directory.name} if folder.match_directory else set()


def _read(folder: SkillFolder) -> ValidatedSkill:
    reading = read_skill(folder.directory, folder.shown, match_directory=folder.match_directory)
    suite = read_suite(folder.directory, folder.shown, reading.skill.name if reading.skill else _folder_name(folder))
    problems = reading.problems + (suite.problems if suite else ()) + inner_links(folder)
    if suite is None:
        problems += stray_suites(folder)
    elif suite.suite and suite.suite.runnable_cases:
        problems += _copy_fault(folder)
    return ValidatedSkill(
        folder,
        reading.skill,
        suite.suite if suite else None,
        suite is not None,
        suite.cases if suite else 0,
        tuple(sorted(map(without_dot, problems), key=Problem.order)),
    )


def _copy_fault(folder: SkillFolder) -> tuple[Problem, ...]:
    """Return why a run could not give the skill to an agent, as a finding."""
    try:
        require_copyable(folder.directory, folder.shown)
    except ConfigError as error:
        return (finding("SE313", folder.shown, str(error), error.hint),)
    return ()


def _folder_name(folder: SkillFolder) -> str | None:
    """Return what the skill should be called when its SKILL.md does not say it usably."""
    return folder.directory.name if folder.match_directory else None


def _last_part(path: str) -> str:
    return path.rpartition("/")[2]


def _refuse_unknown(
    discovery: Discovery, names: tuple[str, ...], skills: list[ValidatedSkill], elsewhere: tuple[Problem, ...]
) -> None:
    known = {name for skill in skills for name in skill.names} | {_last_part(problem.path) for problem in elsewhere}
    unknown = sorted(set(names) - known)
    if unknown:
        raise ConfigError(f"no skill is called {_listed(unknown)}", _near(unknown[0], discovery.folders))


def _near(name: str, folders: tuple[SkillFolder, ...]) -> str | None:
    from difflib import get_close_matches

    known = sorted({folder.directory.name for folder in folders})
    close = get_close_matches(name.lower(), known, 3)
    if close:
        return f"did you mean {_listed(close)}?"
    return f"known: {_listed(known[:10])}{', ...' if len(known) > 10 else ''}" if known else None


def _listed(names: list[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def _with_namesakes(skills: list[ValidatedSkill]) -> tuple[ValidatedSkill, ...]:
    names = [skill.skill.name for skill in skills if skill.skill]
    if len(set(names)) == len(names):
        return tuple(skills)
    from evals.skill_eval.reading.namesakes import with_namesakes

    return tuple(with_namesakes(skills))


def _strict(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    return tuple(one._replace(severity=Severity.ERROR) if one.severity is Severity.WARNING else one for one in problems)
