"""What happens to files, as Linux tells it through inotify(7); elsewhere nothing ever happens."""

import os
import sys
from collections.abc import Iterator
from struct import Struct

from evals.skill_eval.running.harvest import TOOL_FOLDERS

IN_ACCESS, IN_CLOSE_WRITE, IN_CLOSE_NOWRITE, IN_OPEN = 0x1, 0x8, 0x10, 0x20
IN_MOVED_TO, IN_CREATE, IN_IGNORED = 0x80, 0x100, 0x8000
IN_DONT_FOLLOW, IN_ISDIR = 0x2000000, 0x40000000
READ = IN_ACCESS | IN_CLOSE_NOWRITE
ARRIVED = IN_MOVED_TO | IN_CREATE
_IN_NONBLOCK, _IN_CLOEXEC = getattr(os, "O_NONBLOCK", 0), getattr(os, "O_CLOEXEC", 0)
_HEADER = Struct("iIII")


class Events:
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
            number = self._library.inotify_add_watch(self._descriptor, os.fsencode(path), mask | IN_DONT_FOLLOW)
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
                if mask & IN_IGNORED:
                    self.places.discard(self._paths.pop(number, ""))
                elif place is not None and not (mask & IN_ISDIR and not mask & ARRIVED):
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


def folders_below(top: str, beside: str | None) -> Iterator[str]:
    """Yield a folder and what is below it, never through a link; what tools keep in folders is left out."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        if folder != beside:
            yield folder
            names = (one for one in entries(folder) if one.is_dir(follow_symlinks=False))
            waiting += (one.path for one in names if one.name not in (".git", *TOOL_FOLDERS))


def entries(folder: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []
