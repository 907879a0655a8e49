"""Folders in which skills are looked for, and how a skill is known there."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from evals.skill_eval.model.problem import Problem


class SkillFolder(NamedTuple):
    """A folder that is meant to be a skill: SKILL.md, in whatever case, is in it.

    `directory` is real: no part of it is a link. `shown` is its path relative to the repository
    root with `/`, unescaped ("." for the root itself; a folder outside keeps its absolute path).
    `match_directory` tells whether the skill has to be named like the folder.
    """

    directory: Path
    shown: str
    match_directory: bool


class Place(NamedTuple):
    """A directory in which skills are looked for, and the repository that it is shown relative to."""

    directory: str
    root: str

    @property
    def boundary(self) -> str:
        """Return the directory that a link must not leave."""
        return self.root if is_within(self.directory, self.root) else self.directory

    def shown(self, path: str) -> str:
        """Return how findings name `path`."""
        relative = path[len(self.root) :].lstrip(os.sep) if is_within(path, self.root) else path
        return relative.replace(os.sep, "/") or "."

    def skill(self, directory: str) -> SkillFolder:
        """Return `directory` as a skill."""
        return SkillFolder(Path(directory), self.shown(directory), match_directory=directory != self.root)


class Skipped(NamedTuple):
    """A folder that was not looked into; all with one reason become one finding."""

    shown: str
    reason: str


Found = SkillFolder | Problem | Skipped


def is_within(path: str, directory: str) -> bool:
    """Tell whether `path` is `directory` or lies below it."""
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def entries_of(directory: str) -> list[os.DirEntry[str]]:
    """Return what is in a folder, sorted by name."""
    with os.scandir(directory) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def holds_skill(entries: list[os.DirEntry[str]]) -> bool:
    """Tell whether a SKILL.md is among `entries`."""
    return any(entry.name.lower() == "skill.md" for entry in entries)


def holds_run(names: Collection[str]) -> bool:
    """Tell whether the folder that holds `names` is a run that is kept: what looks like a skill there is an output."""
    return "run.json" in names and ("journal.jsonl" in names or "evaluator-canary.txt" in names)


def is_link(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a link or, on Windows, a junction."""
    is_junction = getattr(entry, "is_junction", None)  # from Python 3.12
    return entry.is_symlink() or (is_junction is not None and bool(is_junction()))


def why_unreadable(error: OSError) -> str:
    """Return in lower case why a folder cannot be read."""
    return (error.strerror or str(error)).lower()
