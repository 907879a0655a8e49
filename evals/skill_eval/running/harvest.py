"""What an agent left in its workspace: regular files that it made or changed, and nothing else is opened."""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.model.skill import FileCopy

LIMIT_FILES, LIMIT_FILE_BYTES, LIMIT_BYTES = 200, 1 << 20, 8 << 20
_MOST_ENTRIES, _DEEPEST = 20_000, 32
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Created:
    """The files kept, sorted by path, and why others were not, one line for each reason."""

    files: tuple[FileCopy, ...]
    omitted: tuple[str, ...]


def made_files(workspace: Path, laid: Mapping[str, FileCopy], wanted: Iterable[str]) -> frozenset[str]:
    """Return those of the `wanted` workspace paths at which the agent made or changed a regular file.

    The real path has to lie inside the workspace; a file that was laid counts when its bytes differ.
    """
    inside = os.path.realpath(workspace)
    return frozenset(path for path in wanted if _is_made(inside, path, laid.get(path)))


def created(workspace: Path, laid: Mapping[str, FileCopy]) -> Created:
    """Return the regular files that the agent made or changed, within bounds on count, bytes and depth."""
    files: list[FileCopy] = []
    omitted: Counter[str] = Counter()
    room = LIMIT_BYTES
    for path, reason in _found(str(workspace)):
        if reason is None and len(files) == LIMIT_FILES:
            reason = f"beyond {LIMIT_FILES} files"
        content = None if reason else _changed_content(f"{workspace}/{path}", laid.get(path))
        if content is not None and len(content) > min(room, LIMIT_FILE_BYTES):
            reason, content = "beyond the bound in bytes", None
        if content is not None:
            room -= len(content)
            files.append(FileCopy(path, content, os.access(f"{workspace}/{path}", os.X_OK)))
        elif reason:
            omitted[reason] += 1
    return Created(tuple(files), tuple(f"{count} omitted: {reason}" for reason, count in sorted(omitted.items())))


def tampered(workspace: Path, laid: Mapping[str, FileCopy]) -> tuple[str, ...]:
    """Return the laid files that the agent changed, removed or replaced."""
    return tuple(path for path, file in laid.items() if _content(f"{workspace}/{path}", len(file.content)) != file.content)


def _is_made(inside: str, path: str, given: FileCopy | None) -> bool:
    real = os.path.realpath(os.path.join(inside, path))
    if not real.startswith(inside + os.sep):
        return False
    if given is None:
        return _is_regular(real)
    content = _content(real, len(given.content))
    return content is not None and content != given.content


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _found(workspace: str) -> Iterator[tuple[str, str | None]]:
    """Yield every entry but folders as (path, why it is not kept), in sorted order, without recursion."""
    waiting, entries = [("", 0)], 0
    while waiting:
        folder, depth = waiting.pop()
        folders = []
        for entry in _entries(f"{workspace}/{folder}"):
            path = f"{folder}{entry.name}"
            entries += 1
            if entries > _MOST_ENTRIES:
                yield path, f"beyond {_MOST_ENTRIES} entries"
                return
            if entry.is_dir(follow_symlinks=False):
                folders += [(f"{path}/", depth + 1)] if path != ".git" else []
            else:
                yield path, _why_not(entry, path)
        deep = [one for one in folders if one[1] > _DEEPEST]
        yield from ((path, f"deeper than {_DEEPEST} folders") for path, _ in deep)
        waiting += [one for one in reversed(folders) if one not in deep]


def _entries(folder: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _why_not(entry: "os.DirEntry[str]", path: str) -> str | None:
    try:
        path.encode()
    except UnicodeEncodeError:
        return "a name that is not UTF-8"
    if any(not character.isprintable() or character == "\\" for character in path):
        return "a name with characters that cannot be shown"
    if entry.is_symlink():
        return "a link"
    return None if entry.is_file(follow_symlinks=False) else "no regular file"


def _changed_content(path: str, given: FileCopy | None) -> bytes | None:
    """Return the content of a made or changed file, one byte beyond the bound at most; None when unchanged."""
    content = _content(path, LIMIT_FILE_BYTES)
    return None if given is not None and content == given.content else content


def _content(path: str, limit: int) -> bytes | None:
    """Read at most `limit` + 1 bytes of a regular file; None for anything else."""
    try:
        descriptor = os.open(path, _READ)
    except (OSError, ValueError):
        return None
    with open(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return file.read(limit + 1)
