"""Discovery: which folders of a repository are skills."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.problems import finding
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.skill_folders import (
    Found,
    Place,
    SkillFolder,
    Skipped,
    entries_of,
    holds_skill,
    is_link,
    is_within,
    why_unreadable,
)


class Discovery(NamedTuple):
    """The skill folders of the repository at `root`, sorted by `shown`, and the findings about folders."""

    root: Path
    folders: tuple[SkillFolder, ...]
    problems: tuple[Problem, ...]


def find_repository_root(start: Path, package_root: Path | None) -> Path:
    """Return the nearest directory at or above `start` that holds `skills/`, else `package_root`, else `start`."""
    start = start.absolute()
    holders = (directory for directory in (start, *start.parents) if (directory / "skills").is_dir())
    return next(holders, package_root or start)


def discover(root: Path, *, skills_dirs: tuple[Path, ...] = (), recursive: bool = False) -> Discovery:
    """Find the skills of the repository at `root`; links are never followed.

    They are the immediate child folders of `skills/`, or of each of `skills_dirs` (relative to
    `root` or else the current folder, from which `.` and `..` are meant inside of `root`; one that
    holds a SKILL.md is itself the skill). With
    `recursive` they are all folders with a SKILL.md at or below `skills_dirs`, or below `root`;
    what lies inside a skill is its own.
    Raises ConfigError when a folder named here cannot be listed, and when nothing was found at all.
    """
    real_root = _real_directory(root)
    places = [Place(_named_directory(root, folder), real_root) for folder in skills_dirs]
    look: Callable[[Place], Iterator[Found]] = _named
    if recursive:
        places, look = places or [Place(real_root, real_root)], _everything
    elif not places:
        places, look = [Place(_default_skills(real_root), real_root)], _children
    return _discovery(real_root, places, [item for place in places for item in look(place)])


def _real_directory(path: Path) -> str:
    real = os.path.realpath(path)
    if not os.path.isdir(real):
        raise ConfigError(f"{_path(path)}: no such folder")
    return real


def _path(path: Path | str) -> str:
    return quoted(str(path), limit=4096)


def _named_directory(root: Path, folder: Path) -> str:
    in_root = root / folder
    from_here = folder.parts[:1] in ((), ("..",)) and is_within(os.path.realpath(folder), os.path.realpath(root))
    return _real_directory(folder if from_here or not in_root.is_dir() else in_root)


def _default_skills(root: str) -> str:
    skills = os.path.join(root, "skills")
    if not os.path.isdir(skills):
        hint = "name the folder with `--skills-dir`, or look everywhere with `--recursive`"
        raise ConfigError(f"{_path(root)} holds no folder `skills`", hint)
    real = os.path.realpath(skills)
    if not is_within(real, root):
        raise ConfigError(f"{_path(skills)} is a link out of the repository", "name its target with `--skills-dir`")
    return real


def _discovery(root: str, places: list[Place], found: list[Found]) -> Discovery:
    by_shown = {item.shown: item for item in found if isinstance(item, SkillFolder)}
    folders = tuple(by_shown[shown] for shown in sorted(by_shown))
    problems = {item for item in found if isinstance(item, Problem)}
    problems.update(_case_twins(folders))
    problems.update(_skip_findings({item for item in found if isinstance(item, Skipped)}))
    in_order = tuple(sorted(problems, key=Problem.order))
    if not folders and all(one.severity is not Severity.ERROR for one in in_order):
        raise _nothing_found(places, in_order)
    return Discovery(Path(root), folders, in_order)


def _nothing_found(places: list[Place], problems: tuple[Problem, ...]) -> ConfigError:
    where = ", ".join(_path(place.directory) for place in places)
    passed_over = "; ".join(f"{_path(one.path)}: {one.message}" for one in problems[:3])
    return ConfigError(f"no skill in {where}", passed_over or "a skill is a folder with a SKILL.md in it")


def _case_twins(folders: Iterable[SkillFolder]) -> Iterator[Problem]:
    first_of: dict[str, str] = {}
    for folder in folders:
        first = first_of.setdefault(_caseless(folder.shown), folder.shown)
        if first != folder.shown:
            yield finding("SE307", folder.shown, f"differs from `{first}` only in case")


def _caseless(name: str) -> str:
    """Return what Windows and macOS compare: they ignore case, and macOS the normal form as well."""
    if name.isascii():
        return name.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", name).casefold())


def _skip_findings(skipped: set[Skipped]) -> Iterator[Problem]:
    for reason in sorted({item.reason for item in skipped}):
        first, *more = sorted(item.shown for item in skipped if item.reason == reason)
        others = f", and {len(more)} more such folder{'s' * (len(more) > 1)}" if more else ""
        yield finding("SE311", first, f"skipped{others}: {reason}")


# The immediate children of a folder of skills


def _named(place: Place) -> Iterator[Found]:
    if holds_skill(_entries_of_place(place)):
        yield place.skill(place.directory)
    else:
        yield from _children(place)


def _children(place: Place) -> Iterator[Found]:
    for entry in _entries_of_place(place):
        is_folder = not is_link(entry) and entry.is_dir(follow_symlinks=False)
        if is_folder and not entry.name.startswith(".") and _is_skill(entry.path):
            yield place.skill(entry.path)
        elif is_folder or is_link(entry):
            from evals.skill_eval.reading.skill_search import no_skill

            yield from no_skill(place, entry)


def _is_skill(directory: str) -> bool:
    try:
        return holds_skill(entries_of(directory))
    except OSError:
        return False


def _everything(place: Place) -> Iterator[Found]:
    from evals.skill_eval.reading.skill_search import everything

    _entries_of_place(place)
    yield from everything(place)


def _entries_of_place(place: Place) -> list[os.DirEntry[str]]:
    try:
        return entries_of(place.directory)
    except OSError as error:
        raise ConfigError(f"{_path(place.directory)} cannot be read: {why_unreadable(error)}") from error
