"""The search for skills beyond the children of a folder, and the children that are none."""

import os
from collections.abc import Iterator
from enum import Enum, auto

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.problems import finding
from evals.skill_eval.reading.skill_folders import (
    Found,
    Place,
    SkillFolder,
    Skipped,
    entries_of,
    holds_run,
    holds_skill,
    is_link,
    is_within,
    why_unreadable,
)


class _Region(Enum):
    """In which kind of folder the walk is: what is skipped depends on it."""

    OPEN = auto()
    HIDDEN = auto()
    SKILLS = auto()


_RUN = "run artifacts"
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


def everything(place: Place) -> Iterator[Found]:
    """Yield every skill at or below a place, and what was not looked into."""
    yield from _walk(place, place.directory, _Region.OPEN if place.directory == place.root else _Region.SKILLS)


def no_skill(place: Place, entry: os.DirEntry[str]) -> Iterator[Found]:
    """Yield what is to be said of a link or a folder that stands among skills and is none."""
    found = _link(place, entry) if is_link(entry) else _folder(place, entry)
    if found is not None:
        yield found


def _folder(place: Place, entry: os.DirEntry[str]) -> Found | None:
    shown = place.shown(entry.path)
    if entry.name.startswith("."):
        return Skipped(shown, "hidden, with skills in it") if _skills_below(place, entry.path) else None
    try:
        entries = entries_of(entry.path)
    except OSError as error:
        return _unreadable(place, entry.path, error)
    if not entries:
        return finding("SE302", shown, "expected a SKILL.md, found an empty folder", "add a SKILL.md or delete it")
    return _without_skill(shown, _skills_below(place, entry.path))


def _without_skill(shown: str, inner: list[str]) -> Problem:
    if not inner:
        return finding("SE301", shown, "expected a SKILL.md, found none in this folder")
    more = f" and {len(inner) - 1} more" if len(inner) > 1 else ""
    hint = f"validate what is in it with `--recursive` or `--skills-dir {shown}`"
    return finding("SE303", shown, f"expected a SKILL.md, found a category folder with `{inner[0]}`{more}", hint)


def _skills_below(place: Place, directory: str) -> list[str]:
    return sorted(item.shown for item in _walk(place, directory, _Region.SKILLS) if isinstance(item, SkillFolder))


def _link(place: Place, entry: os.DirEntry[str]) -> Problem | None:
    """Judge a link by where it leads; None for one to a file, which can be no skill."""
    shown, written = place.shown(entry.path), f"link to `{os.readlink(entry.path)}`"
    if os.path.isfile(entry.path):
        return None
    target = os.path.realpath(entry.path)
    if not os.path.isdir(entry.path):
        return finding("SE305", shown, f"{written} leads nowhere")
    if is_within(entry.path, target):
        return finding("SE305", shown, f"{written} leads back to a folder around it")
    if not is_within(target, place.boundary):
        return finding("SE304", shown, f"{written} leads out of the repository")
    return finding("SE306", shown, f"{written} is not followed", "name the folder itself with `--skills-dir`")


def _walk(place: Place, top: str, region: _Region) -> Iterator[Found]:
    pending = [(top, region)]
    while pending:
        directory, region = pending.pop()
        try:
            entries = entries_of(directory)
        except OSError as error:
            yield _unreadable(place, directory, error)
            continue
        if holds_run([entry.name for entry in entries]):
            yield Skipped(place.shown(directory), _RUN)
            continue
        if holds_skill(entries):
            yield place.skill(directory)
            if directory != place.root:
                continue
        for entry in entries:
            if is_link(entry):
                yield from _link_on_the_way(place, entry, region)
            elif not entry.is_dir(follow_symlinks=False):
                continue
            elif reason := _reason_to_skip(entry.name, region, directory == place.root):
                yield Skipped(place.shown(entry.path), reason)
            else:
                pending.append((entry.path, _region_below(entry.name, region)))


def _link_on_the_way(place: Place, entry: os.DirEntry[str], region: _Region) -> Iterator[Found]:
    """Let a link be a fault only where it stands for a skill."""
    found = _link(place, entry)
    if found is not None and region is _Region.SKILLS and found.severity is Severity.ERROR:
        yield found
    elif found is not None:
        yield Skipped(found.path, "links are never followed")


def _reason_to_skip(name: str, region: _Region, at_root: bool) -> str | None:
    if name in _NEVER_SKILLS:
        return _NEVER_SKILLS[name]
    if region is _Region.SKILLS or name in _FOLDERS_OF_SKILLS:
        return None
    if name in _SKILLS_ONLY_BY_ACCIDENT:
        return _SKILLS_ONLY_BY_ACCIDENT[name]
    if region is _Region.HIDDEN:
        return "of a hidden folder only `skills` is looked at"
    return _RUN if at_root and name == "tmp" else None


def _region_below(name: str, region: _Region) -> _Region:
    if region is _Region.SKILLS or name in _FOLDERS_OF_SKILLS:
        return _Region.SKILLS
    return _Region.HIDDEN if name.startswith(".") else _Region.OPEN


def _unreadable(place: Place, directory: str, error: OSError) -> Problem:
    return finding("SE308", place.shown(directory), f"folder cannot be read: {why_unreadable(error)}")
