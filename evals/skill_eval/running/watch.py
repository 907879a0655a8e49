"""See whether the skill's own folder is read while a baseline runs (Linux, through inotify).

No agent has a reason to open the repository's copy: it is given one. Who reads it in a baseline
has the skill, however little of it shows in the answer.
"""

import os
import sys
from collections.abc import Iterator

_IN_ACCESS, _IN_OPEN, _IN_ISDIR = 0x1, 0x20, 0x40000000
_IN_NONBLOCK, _IN_CLOEXEC = os.O_NONBLOCK, getattr(os, "O_CLOEXEC", 0)
_HEADER = 16
_MOST_FOLDERS = 64


class Watch:
    """Watches a folder and those below it; where the system cannot, it never sees anything."""

    def __init__(self, folder: str) -> None:
        self._descriptor = _watching(folder)

    @property
    def able(self) -> bool:
        """Tell whether reading would be seen."""
        return self._descriptor is not None

    def seen(self) -> bool:
        """Tell whether a file was opened since the last time this was asked."""
        found = False
        while self._descriptor is not None:
            try:
                events = os.read(self._descriptor, 1 << 16)
            except BlockingIOError:
                break
            found = found or any(not mask & _IN_ISDIR for mask in _masks(events))
        return found

    def close(self) -> None:
        """Stop watching."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _watching(folder: str) -> int | None:
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    descriptor = int(library.inotify_init1(_IN_NONBLOCK | _IN_CLOEXEC))
    if descriptor < 0:
        return None
    for path in _folders(folder):
        library.inotify_add_watch(descriptor, os.fsencode(path), _IN_ACCESS | _IN_OPEN)
    return descriptor


def _folders(folder: str) -> Iterator[str]:
    """Yield `folder` and what is below it, its suite too, never through a link."""
    for number, (path, _, _) in enumerate(os.walk(folder)):
        if number == _MOST_FOLDERS:
            return
        yield path


def _masks(events: bytes) -> Iterator[int]:
    """Yield the mask of each `struct inotify_event` (see inotify(7)): wd, mask, cookie, len, name."""
    at = 0
    while at + _HEADER <= len(events):
        yield int.from_bytes(events[at + 4 : at + 8], sys.byteorder)
        at += _HEADER + int.from_bytes(events[at + 12 : at + 16], sys.byteorder)
