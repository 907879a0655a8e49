"""See whether files are read that nobody has to read while a trial runs (Linux, through inotify).

No agent has a reason to open the repository's copy of a skill, for it is given one, nor what the run
has already written. Who reads either has answers, however little of them shows. What is watched are
the files themselves: another name for the same file does not help.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from struct import Struct

from evals.skill_eval.artifacts.layout import eval_folder
from evals.skill_eval.model.trial import TrialKey
from evals.skill_eval.running.harvest import TOOL_FOLDERS

_IN_ACCESS, _IN_CLOSE_NOWRITE, _IN_OPEN = 0x1, 0x10, 0x20
_IN_MOVED_TO, _IN_CREATE, _IN_IGNORED = 0x80, 0x100, 0x8000
_IN_DONT_FOLLOW, _IN_ISDIR = 0x2000000, 0x40000000
_READ = _IN_ACCESS | _IN_CLOSE_NOWRITE
_ARRIVED = _IN_MOVED_TO | _IN_CREATE
_IN_NONBLOCK, _IN_CLOEXEC = getattr(os, "O_NONBLOCK", 0), getattr(os, "O_CLOEXEC", 0)
_HEADER = Struct("iIII")
_MOST_FOLDERS, _MOST_FILES, _MOST_WATCHES = 64, 200, 1_000
_NEVER_EXEMPT = ("SKILL.md", os.path.join("evals", "evals.json"))


class SkillWatch:
    """Watches a skill's folder; files that the `words` of a command name are the adapter's own.

    Nothing below `beside`, where runs are written, belongs to the skill.
    """

    def __init__(self, folder: str, words: Iterable[str] = (), beside: str | None = None) -> None:
        self._folder = os.path.realpath(folder)
        named = {os.path.relpath(os.path.realpath(word), self._folder) for word in words if os.path.isfile(word)}
        self._exempt = named.difference(_NEVER_EXEMPT)
        self._events = _Events()
        for path, mask in _watchable(self._folder, beside):
            if os.path.relpath(path, self._folder) not in self._exempt:
                self._events.add(path, mask)

    @property
    def able(self) -> bool:
        """Tell whether reading would be seen."""
        return self._events.able

    def opened(self) -> frozenset[str]:
        """Return the files (relative to the skill) that were opened since the last time this was asked."""
        found = {path for path, mask in self._events.drained() if mask & (_IN_OPEN | _READ)}
        return frozenset(os.path.relpath(path, self._folder) for path in found) - self._exempt

    def close(self) -> None:
        """Stop watching."""
        self._events.close()


class FinishedWatch:
    """Watches what a run has written of the cases that it comes to, which grows meanwhile.

    The run itself writes there and does not read. Its journal is for everybody to follow.
    """

    def __init__(self, run: str) -> None:
        self._run = Path(os.path.realpath(run))
        self._events = _Events()

    def begin(self, key: TrialKey) -> None:
        """Watch what there is of the trial's case, and forget what was seen before."""
        if self._events.count > _MOST_WATCHES:
            self._events.close()
            self._events = _Events()
        self._caught_up(key)
        self._caught_up(key)

    def was_read(self, key: TrialKey) -> bool:
        """Tell whether a file was read since `begin`, be it one that came only then."""
        read, fresh = self._caught_up(key)
        return read or any(map(_has_been_read, fresh))

    def close(self) -> None:
        """Stop watching."""
        self._events.close()

    def _caught_up(self, key: TrialKey) -> tuple[bool, list[str]]:
        """Watch what is new; tell whether a file was read, and which folders are new."""
        if not self._events.able:
            return False, []
        events = list(self._events.drained())
        arrived = [path for path, mask in events if mask & _IN_ISDIR and mask & _ARRIVED]
        arrived += [path for path in self._cases(key) if path not in self._events.places]
        fresh = [path for top in arrived for path in _folders(top, None)]
        for path in fresh:
            self._events.add(path, _READ | _ARRIVED)
        return any(mask & _READ and not mask & _IN_ISDIR for _, mask in events), fresh

    def _cases(self, key: TrialKey) -> Iterator[str]:
        """Yield where the iterations of a case stand, if they do."""
        name = os.path.basename(own := eval_folder(self._run, key))
        skill = os.path.dirname(os.path.dirname(own))
        iterations = os.listdir(skill) if os.path.isdir(skill) else []
        return (path for one in iterations if os.path.isdir(path := f"{skill}/{one}/{name}"))


class _Events:
    """One inotify descriptor and what it watches; without inotify, nothing ever happens."""

    def __init__(self) -> None:
        self._paths: dict[int, str] = {}
        self.places: set[str] = set()
        self._descriptor: int | None = None
        if sys.platform == "linux":
            import ctypes

            self._library = ctypes.CDLL(None)
            descriptor = int(self._library.inotify_init1(_IN_NONBLOCK | _IN_CLOEXEC))
            self._descriptor = None if descriptor < 0 else descriptor

    @property
    def able(self) -> bool:
        return self._descriptor is not None

    @property
    def count(self) -> int:
        return len(self._paths)

    def add(self, path: str, mask: int) -> None:
        """Watch a file, or a folder and the files in it; what has gone or cannot be watched is not."""
        if self._descriptor is not None:
            number = self._library.inotify_add_watch(self._descriptor, os.fsencode(path), mask | _IN_DONT_FOLLOW)
            if number >= 0:
                self._paths[number] = path
                self.places.add(path)

    def drained(self) -> Iterator[tuple[str, int]]:
        """Yield path and mask of what has happened to files, and of the arrival of folders."""
        while self._descriptor is not None:
            try:
                events = os.read(self._descriptor, 1 << 16)
            except BlockingIOError:
                return
            for number, mask, name in _unpacked(events):
                place = self._paths.get(number)
                if mask & _IN_IGNORED:
                    self.places.discard(self._paths.pop(number, ""))
                elif place is not None and not (mask & _IN_ISDIR and not mask & _ARRIVED):
                    yield os.path.join(place, os.fsdecode(name)) if name else place, mask

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _unpacked(events: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, mask and name of each `struct inotify_event` (see inotify(7)): wd, mask, cookie, len, name."""
    at = 0
    while at + _HEADER.size <= len(events):
        number, mask, _, length = _HEADER.unpack_from(events, at)
        at += _HEADER.size + length
        yield number, mask, events[at - length : at].rstrip(b"\0")


def _watchable(folder: str, beside: str | None) -> Iterator[tuple[str, int]]:
    """Yield the folders of a skill, then its files, each with what to watch for."""
    folders = list(islice(_folders(folder, beside and os.path.realpath(beside)), _MOST_FOLDERS))
    yield from ((path, _IN_ACCESS | _IN_OPEN) for path in folders)
    files = (entry.path for path in folders for entry in _entries(path) if entry.is_file(follow_symlinks=False))
    yield from ((path, _IN_ACCESS | _IN_OPEN) for path in islice(files, _MOST_FILES))


def _folders(top: str, beside: str | None) -> Iterator[str]:
    """Yield a folder and what is below it, never through a link; what tools keep in folders is left out."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        if folder != beside:
            yield folder
            names = (one for one in _entries(folder) if one.is_dir(follow_symlinks=False))
            waiting += (one.path for one in names if one.name not in (".git", *TOOL_FOLDERS))


def _entries(folder: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _has_been_read(folder: str) -> bool:
    """Tell whether a file has been read since it was written, which a file system notes the first time."""
    try:
        files = (entry.stat() for entry in _entries(folder) if entry.is_file(follow_symlinks=False))
        return any(file.st_atime_ns > file.st_mtime_ns for file in files)
    except OSError:
        return False
