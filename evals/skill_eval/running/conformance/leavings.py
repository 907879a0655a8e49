"""What an adapter leaves outside of its workspace, in the places that can be watched."""

import os
import stat
from collections.abc import Collection, Iterator

Snapshot = dict[str, tuple[int, int] | None]

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LIMIT_BYTES = 1 << 20


def snapshot(folder: str) -> Snapshot:
    """Return everything below `folder` by relative path: size and time of a file, None for anything else."""
    found: Snapshot = {}
    for place, folders, files in os.walk(folder):
        inside = os.path.relpath(place, folder)
        for name in folders:
            found[os.path.normpath(f"{inside}/{name}")] = None
        for name in files:
            found[os.path.normpath(f"{inside}/{name}")] = _state(os.path.join(place, name))
    return found


def changes(before: Snapshot, after: Snapshot) -> list[str]:
    """Return what was added, changed or removed, sorted; of an added folder not also what is in it."""
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path, 0) != after.get(path, 0))
    tops = set(changed)
    return [path for path in changed if os.path.dirname(path) not in tops]


def files_with(words: Collection[str], root: str, since: float) -> list[str]:
    """Return the files in `root` and in its folders, one level down, that changed since then and hold a word.

    Other programs write there, too; only what holds one of our random words is known to be the adapter's.
    """
    needles = [word.encode() for word in words]
    return sorted(path for path in _recent(root, since) if any(needle in _content(path) for needle in needles))


def _state(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def _recent(root: str, since: float) -> Iterator[str]:
    for entry in _entries(root, since):
        if entry.is_dir(follow_symlinks=False):
            yield from (inner.path for inner in _entries(entry.path, since) if inner.is_file(follow_symlinks=False))
        elif entry.is_file(follow_symlinks=False):
            yield entry.path


def _entries(folder: str, since: float) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if _changed_at(entry) >= since]
    except OSError:  # somebody else's
        return []


def _changed_at(entry: "os.DirEntry[str]") -> float:
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except OSError:  # gone in the meantime
        return 0.0


def _content(path: str) -> bytes:
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return b""
    with open(descriptor, "rb", buffering=0) as file:
        return file.read(_LIMIT_BYTES) or b"" if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
