"""Discovery: which folders of a repository are skills."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.rules import RULES


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """A folder that is meant to be a skill: SKILL.md, in whatever case, is in it.

    `directory` is real: no part of it is a link. `shown` is its path relative to the repository
    root with `/`, unescaped ("." for the root itself; a folder outside keeps its absolute path).
    `match_directory` tells whether the skill has to be named like the folder.
    """

    directory: Path
    shown: str
    match_directory: bool


@dataclass(frozen=True, slots=True)
class Discovery:
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
    `root` or else the current folder; one that holds a SKILL.md is itself the skill). With
    `recursive` they are all folders with a SKILL.md at or below `skills_dirs`, or below `root`;
    what lies inside a skill is its own.
    Raises ConfigError when a folder named here cannot be listed, and when nothing was found at all.
    """
    real_root = _real_directory(root)
    places = [_Place(_named_directory(root, folder), real_root) for folder in skills_dirs]
    look: Callable[[_Place], Iterator[_Found]] = _named
    if recursive:
        places, look = places or [_Place(real_root, real_root)], _everything
    elif not places:
        places, look = [_Place(_default_skills(real_root), real_root)], _children
    return _discovery(real_root, places, [item for place in places for item in look(place)])


class _Place(NamedTuple):
    """A directory in which skills are looked for, and the repository that it is shown relative to."""

    directory: str
    root: str

    @property
    def boundary(self) -> str:
        """Return the directory that a link must not leave."""
        return self.root if _is_within(self.directory, self.root) else self.directory

    def shown(self, path: str) -> str:
        relative = path[len(self.root) :].lstrip(os.sep) if _is_within(path, self.root) else path
        return relative.replace(os.sep, "/") or "."


class _Skipped(NamedTuple):
    """A folder that was not looked into; all with one reason become one finding."""

    shown: str
    reason: str


_Found = SkillFolder | Problem | _Skipped


def _real_directory(path: Path) -> str:
    real = os.path.realpath(path)
    if not os.path.isdir(real):
        raise ConfigError(f"{_path(path)}: no such folder")
    return real


def _path(path: Path | str) -> str:
    return quoted(str(path), limit=4096)


def _named_directory(root: Path, folder: Path) -> str:
    in_root = root / folder
    return _real_directory(in_root if in_root.is_dir() else folder)


def _default_skills(root: str) -> str:
    skills = os.path.join(root, "skills")
    if not os.path.isdir(skills):
        hint = "name the folder with `--skills-dir`, or look everywhere with `--recursive`"
        raise ConfigError(f"{_path(root)} holds no folder `skills`", hint)
    real = os.path.realpath(skills)
    if not _is_within(real, root):
        raise ConfigError(f"{_path(skills)} is a link out of the repository", "name its target with `--skills-dir`")
    return real


def _is_within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _discovery(root: str, places: list[_Place], found: list[_Found]) -> Discovery:
    by_shown = {item.shown: item for item in found if isinstance(item, SkillFolder)}
    folders = tuple(by_shown[shown] for shown in sorted(by_shown))
    problems = {item for item in found if isinstance(item, Problem)}
    problems.update(_case_twins(folders))
    problems.update(_skip_findings({item for item in found if isinstance(item, _Skipped)}))
    in_order = tuple(sorted(problems, key=Problem.order))
    if not folders and all(problem.severity is not Severity.ERROR for problem in in_order):
        raise _nothing_found(places, in_order)
    return Discovery(Path(root), folders, in_order)


def _nothing_found(places: list[_Place], problems: tuple[Problem, ...]) -> ConfigError:
    where = ", ".join(_path(place.directory) for place in places)
    passed_over = "; ".join(f"{_path(problem.path)}: {problem.message}" for problem in problems[:3])
    return ConfigError(f"no skill in {where}", passed_over or "a skill is a folder with a SKILL.md in it")


def _case_twins(folders: Iterable[SkillFolder]) -> Iterator[Problem]:
    first_of: dict[str, str] = {}
    for folder in folders:
        first = first_of.setdefault(_caseless(folder.shown), folder.shown)
        if first != folder.shown:
            yield _problem("SE307", folder.shown, f"differs from `{first}` only in case")


def _caseless(name: str) -> str:
    """Return what Windows and macOS compare: they ignore case, and macOS the normal form as well."""
    if name.isascii():
        return name.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", name).casefold())


def _skip_findings(skipped: set[_Skipped]) -> Iterator[Problem]:
    for reason in sorted({item.reason for item in skipped}):
        first, *more = sorted(item.shown for item in skipped if item.reason == reason)
        others = f", and {len(more)} more such folder{'s' * (len(more) > 1)}" if more else ""
        yield _problem("SE311", first, f"skipped{others}: {reason}")


def _problem(code: str, path: str, message: str, hint: str | None = None) -> Problem:
    return Problem(path, None, None, RULES[code].severity, code, message, hint)


# The immediate children of a folder of skills


def _named(place: _Place) -> Iterator[_Found]:
    if _holds_skill(_entries_of_place(place)):
        yield _skill(place, place.directory)
    else:
        yield from _children(place)


def _children(place: _Place) -> Iterator[_Found]:
    for entry in _entries_of_place(place):
        found: _Found | None = None
        if _is_link(entry):
            found = _link(place, entry)
        elif entry.is_dir(follow_symlinks=False):
            found = _child(place, entry)
        if found is not None:
            yield found


def _child(place: _Place, entry: os.DirEntry[str]) -> _Found | None:
    shown = place.shown(entry.path)
    if entry.name.startswith("."):
        return _Skipped(shown, "hidden, with skills in it") if _skills_below(place, entry.path) else None
    try:
        entries = _entries(entry.path)
    except OSError as error:
        return _unreadable(shown, error)
    if _holds_skill(entries):
        return _skill(place, entry.path)
    if not entries:
        return _problem("SE302", shown, "expected a SKILL.md, found an empty folder", "add a SKILL.md or delete it")
    return _no_skill(shown, _skills_below(place, entry.path))


def _no_skill(shown: str, inner: list[str]) -> Problem:
    if not inner:
        return _problem("SE301", shown, "expected a SKILL.md, found none in this folder")
    more = f" and {len(inner) - 1} more" if len(inner) > 1 else ""
    hint = f"validate what is in it with `--recursive` or `--skills-dir {shown}`"
    return _problem("SE303", shown, f"expected a SKILL.md, found a category folder with `{inner[0]}`{more}", hint)


def _skills_below(place: _Place, directory: str) -> list[str]:
    return sorted(item.shown for item in _walk(place, directory, _Region.SKILLS) if isinstance(item, SkillFolder))


def _link(place: _Place, entry: os.DirEntry[str]) -> Problem | None:
    """Judge a link by where it leads; None for one to a file, which can be no skill."""
    shown, written = place.shown(entry.path), f"link to `{os.readlink(entry.path)}`"
    if os.path.isfile(entry.path):
        return None
    target = os.path.realpath(entry.path)
    if not os.path.isdir(entry.path):
        return _problem("SE305", shown, f"{written} leads nowhere")
    if _is_within(entry.path, target):
        return _problem("SE305", shown, f"{written} leads back to a folder around it")
    if not _is_within(target, place.boundary):
        return _problem("SE304", shown, f"{written} leads out of the repository")
    return _problem("SE306", shown, f"{written} is not followed", "name the folder itself with `--skills-dir`")


# Everything below a folder


class _Region(Enum):
    """In which kind of folder the walk is: what is skipped depends on it."""

    OPEN = auto()
    HIDDEN = auto()
    SKILLS = auto()


_FOLDERS_OF_SKILLS = ("skills", "skill")
_NEVER_SKILLS = {
    ".git": "repository data",
    "node_modules": "installed packages",
    "site-packages": "installed packages",
    "__pycache__": "compiled Python",
}
_SKILLS_ONLY_BY_ACCIDENT = {
    ".venv": "a Python environment",
    "venv": "a Python environment",
    **dict.fromkeys(("fixtures", "__fixtures__", "testdata", "tests", "__tests__", "test"), "test material"),
}


def _everything(place: _Place) -> Iterator[_Found]:
    _entries_of_place(place)
    yield from _walk(place, place.directory, _Region.OPEN if place.directory == place.root else _Region.SKILLS)


def _walk(place: _Place, top: str, region: _Region) -> Iterator[_Found]:
    pending = [(top, region)]
    while pending:
        directory, region = pending.pop()
        try:
            entries = _entries(directory)
        except OSError as error:
            yield _unreadable(place.shown(directory), error)
            continue
        if _holds_skill(entries):
            yield _skill(place, directory)
            if directory != place.root:
                continue
        for entry in entries:
            if _is_link(entry):
                yield from _link_on_the_way(place, entry, region)
            elif not entry.is_dir(follow_symlinks=False):
                continue
            elif reason := _reason_to_skip(entry.name, region, directory == place.root):
                yield _Skipped(place.shown(entry.path), reason)
            else:
                pending.append((entry.path, _region_below(entry.name, region)))


def _link_on_the_way(place: _Place, entry: os.DirEntry[str], region: _Region) -> Iterator[_Found]:
    """Let a link be a fault only where it stands for a skill."""
    problem = _link(place, entry)
    if problem is not None and region is _Region.SKILLS and problem.severity is Severity.ERROR:
        yield problem
    elif problem is not None:
        yield _Skipped(problem.path, "links are never followed")


def _reason_to_skip(name: str, region: _Region, at_root: bool) -> str | None:
    if name in _NEVER_SKILLS:
        return _NEVER_SKILLS[name]
    if region is _Region.SKILLS or name in _FOLDERS_OF_SKILLS:
        return None
    if name in _SKILLS_ONLY_BY_ACCIDENT:
        return _SKILLS_ONLY_BY_ACCIDENT[name]
    if region is _Region.HIDDEN:
        return "of a hidden folder only `skills` is looked at"
    return "run artifacts" if at_root and name == "tmp" else None


def _region_below(name: str, region: _Region) -> _Region:
    if region is _Region.SKILLS or name in _FOLDERS_OF_SKILLS:
        return _Region.SKILLS
    return _Region.HIDDEN if name.startswith(".") else _Region.OPEN


# One folder


def _entries(directory: str) -> list[os.DirEntry[str]]:
    with os.scandir(directory) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _entries_of_place(place: _Place) -> list[os.DirEntry[str]]:
    try:
        return _entries(place.directory)
    except OSError as error:
        raise ConfigError(f"{_path(place.directory)} cannot be read: {_reason(error)}") from error


def _holds_skill(entries: list[os.DirEntry[str]]) -> bool:
    return any(entry.name.lower() == "skill.md" for entry in entries)


def _is_link(entry: os.DirEntry[str]) -> bool:
    is_junction = getattr(entry, "is_junction", None)  # Windows, from Python 3.12
    return entry.is_symlink() or (is_junction is not None and bool(is_junction()))


def _skill(place: _Place, directory: str) -> SkillFolder:
    return SkillFolder(Path(directory), place.shown(directory), match_directory=directory != place.root)


def _unreadable(shown: str, error: OSError) -> Problem:
    return _problem("SE308", shown, f"folder cannot be read: {_reason(error)}")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
