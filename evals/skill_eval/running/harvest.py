"""What an agent left in its workspace: regular files that it made or changed; nothing else is opened."""

import os
import stat
from collections import deque
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.running.workspace import SKELETON

LIMIT_FILES, LIMIT_FILE_BYTES, LIMIT_BYTES = 200, 1 << 20, 8 << 20
LIMIT_UNREAD_BYTES = 16 << 20
MOST_ENTRIES, DEEPEST = 20_000, 32

# Folders that tools fill, not agents; `.git` is in every workspace and not even mentioned.
TOOL_FOLDERS = ("__pycache__", ".venv", "node_modules", ".pytest_cache", ".mypy_cache", ".ruff_cache")

_OPENED, _LINK = "a folder that is looked into", "a link"
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FORBIDDEN = frozenset('<>:"|?*\\')
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))))
_SKELETON = {file.path: file for file in SKELETON}


@dataclass(frozen=True, slots=True)
class Created:
    """The files kept, sorted by path, and why others were not: one line for each reason.

    `names` are the paths of all entries looked at, folders and laid files among them, and what links name;
    `unread` are those that were not kept, `intact` of laid files that were seen to be as they were laid.
    """

    files: tuple[FileCopy, ...]
    omitted: tuple[str, ...]
    names: tuple[str, ...] = field(default=(), compare=False)
    unread: tuple[str, ...] = field(default=(), compare=False)
    intact: frozenset[str] = field(default=frozenset(), compare=False)


def made_files(workspace: Path, laid: Mapping[str, FileCopy], wanted: Collection[str]) -> frozenset[str]:
    """Return those of the `wanted` workspace paths at which the agent made or changed a regular file.

    Links count when they end inside the workspace. What was laid counts when its bytes differ, under
    whatever name. Letter case has to be exact on every file system.
    """
    inside = _inside(workspace) if wanted else None
    if inside is None:
        return frozenset()
    given = {**_SKELETON, **laid}
    return frozenset(path for path in wanted if _is_made(inside, path, given))


def created(
    workspace: Path,
    laid: Mapping[str, FileCopy],
    *,
    limit_files: int = LIMIT_FILES,
    limit_file_bytes: int = LIMIT_FILE_BYTES,
    limit_bytes: int = LIMIT_BYTES,
) -> Created:
    """Return the regular files that the agent made or changed; those nearest to the top come first.

    Bounds: `limit_files` files, `limit_file_bytes` for each, `limit_bytes` for all, `MOST_ENTRIES`
    entries looked at, `DEEPEST` folders down.
    """
    inside = _inside(workspace)
    if inside is None:
        return Created((), ("the workspace is gone or has been replaced",))
    basket = _Basket(limit_files, min(limit_file_bytes, limit_bytes), limit_bytes)
    names: list[str] = []
    for path, reason in _found(inside):
        names += (path, *_named_by_link(f"{inside}/{path}", reason))
        if reason is None:
            basket.offer(inside, path, laid.get(path))
        elif reason is not _OPENED:
            basket.omit(reason, path)
    files = tuple(sorted(basket.files, key=lambda file: file.path))
    return Created(files, basket.lines(), tuple(names), tuple(basket.unread), frozenset(basket.intact))


def unread_pieces(workspace: Path, unread: Collection[str], overlap: int) -> Iterator[bytes]:
    """Yield what files hold that were not kept, piece by piece, `LIMIT_UNREAD_BYTES` of all of them.

    Each piece begins with the last `overlap` bytes of the one before it in its file; of a file that
    is larger than what is left of the bound, head and tail are taken.
    """
    inside, room = _inside(workspace) if unread else None, LIMIT_UNREAD_BYTES
    for path in unread if inside else ():
        descriptor = _open(f"{inside}/{path}")
        if descriptor is None:
            continue
        try:
            found = os.fstat(descriptor)
            for start, length in _parts(found.st_size, room) if _is_regular(found) else ():
                room -= length
                yield from _pieces(descriptor, start, length, overlap)
        finally:
            os.close(descriptor)
        if room <= 0:
            return


def _parts(size: int, room: int) -> tuple[tuple[int, int], ...]:
    """Return start and length of what is read of a file."""
    half = room // 2
    return ((0, size),) if size <= room else ((0, half), (size - half, half))


def _pieces(descriptor: int, start: int, length: int, overlap: int) -> Iterator[bytes]:
    os.lseek(descriptor, start, os.SEEK_SET)
    before = b""
    while length > 0 and (piece := os.read(descriptor, min(length, LIMIT_FILE_BYTES))):
        yield before + piece
        before = piece[-overlap:]
        length -= len(piece)


def tampered(workspace: Path, laid: Mapping[str, FileCopy], intact: Container[str] = ()) -> tuple[str, ...]:
    """Return the laid files that the agent changed, removed or replaced, in the order they were laid.

    Those that `created` has just seen to be `intact` are not looked at again.
    """
    doubtful = [path for path in laid if path not in intact]
    inside = _inside(workspace) if doubtful else None
    return tuple(path for path in doubtful if inside is None or not _is_same(inside, path, laid[path]))


def _inside(workspace: Path) -> str | None:
    """Return the path of a workspace, which was made below a real one; None when anything else stands in its place."""
    inside = str(workspace)
    around = os.path.dirname(inside)
    return inside if _is_folder(around) and _is_folder(inside) else None


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _is_made(inside: str, path: str, given: Mapping[str, FileCopy]) -> bool:
    try:
        real = os.path.realpath(os.path.join(inside, path))
        if not real.startswith(inside + os.sep) or not _is_regular(os.lstat(real)) or not _is_listed(inside, path):
            return False
    except (OSError, ValueError):
        return False
    original = given.get(os.path.relpath(real, inside).replace(os.sep, "/"))
    return original is None or _equals(real, original.content) is False


def _is_listed(inside: str, path: str) -> bool:
    """Tell whether every folder on the way lists the next name as it is written, composed or not."""
    folder = inside
    for name in path.split("/"):
        names = os.listdir(folder)
        if name not in names and _composed(name) not in map(_composed, names) and name not in ("", ".", ".."):
            return False
        folder = os.path.join(folder, name)
    return True


def _composed(name: str) -> str:
    if name.isascii():
        return name
    from unicodedata import normalize

    return normalize("NFC", name)


def _is_same(inside: str, path: str, given: FileCopy) -> bool:
    """Tell whether a laid file is what it was, and no link stands in its way."""
    full = os.path.normpath(os.path.join(inside, path))
    return os.path.realpath(full) == full and _equals(full, given.content) is True


def _equals(path: str, content: bytes) -> bool | None:
    """Tell whether a regular file holds exactly `content`; None when it cannot be read."""
    descriptor = _open(path)
    if descriptor is None:
        return None
    try:
        found = os.fstat(descriptor)
        return _is_regular(found) and found.st_size == len(content) and _bytes(descriptor, len(content)) == content
    finally:
        os.close(descriptor)


def _open(path: str) -> int | None:
    """Open a file without following a link and without waiting for the other end of a pipe."""
    try:
        return os.open(path, _READ)
    except OSError:
        return None


def _bytes(descriptor: int, limit: int) -> bytes:
    pieces = []
    while limit and (piece := os.read(descriptor, limit)):
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)


def _is_regular(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode)


@dataclass(slots=True)
class _Basket:
    """The files taken so far, and how many were not, by reason, each with an example."""

    limit_files: int
    limit_file_bytes: int
    room: int
    files: list[FileCopy] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    reasons: dict[str, tuple[int, str]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    intact: list[str] = field(default_factory=list)

    def offer(self, inside: str, path: str, given: FileCopy | None) -> None:
        """Take a file unless it is as it was laid, or does not fit."""
        full = f"{inside}/{path}"
        if given is not None and _equals(full, given.content):
            self.intact.append(path)
        elif reason := self._take(full, path):
            self.omit(reason, path)

    def omit(self, reason: str, path: str) -> None:
        """Count what is not taken."""
        self.unread.append(path)
        count, example = self.reasons.get(reason, (0, path))
        self.reasons[reason] = (count + 1, example)

    def lines(self) -> tuple[str, ...]:
        """Say what was not taken."""
        return tuple(
            f"{count} not kept: {reason}, such as `{_shown(example)}`"
            for reason, (count, example) in sorted(self.reasons.items())
        )

    def _take(self, full: str, path: str) -> str | None:
        """Take the file, or return the reason why not."""
        if len(self.files) >= self.limit_files:
            return f"beyond {self.limit_files} files"
        if path.casefold() in self.names:
            return "a name that differs from another in letter case only"
        descriptor = _open(full)
        if descriptor is None:
            return "a file that cannot be read"
        try:
            found = os.fstat(descriptor)
            reason = self._why_not(found)
            if reason is None:
                self._put(FileCopy(path, _bytes(descriptor, found.st_size), bool(found.st_mode & stat.S_IXUSR)))
            return reason
        finally:
            os.close(descriptor)

    def _why_not(self, found: os.stat_result) -> str | None:
        if not _is_regular(found):
            return "no regular file"
        if found.st_nlink > 1:
            return "a hard link"
        if found.st_size > self.limit_file_bytes:
            return f"a file of more than {self.limit_file_bytes} bytes"
        return "beyond the bound on all files together" if found.st_size > self.room else None

    def _put(self, file: FileCopy) -> None:
        self.files.append(file)
        self.names.add(file.path.casefold())
        self.room -= len(file.content)


def _found(inside: str) -> Iterator[tuple[str, str | None]]:
    """Yield every entry: its path, and why it is not kept, which of a folder may be `_OPENED`; top first."""
    waiting, room = deque([("", 0)]), MOST_ENTRIES
    while waiting:
        prefix, depth = waiting.popleft()
        entries = _entries(f"{inside}/{prefix}", room + 1)
        if entries is None:
            yield prefix or ".", "a folder that cannot be read"
            continue
        for entry in entries[:room]:
            path = prefix + entry.name
            reason = _odd_name(entry.name)
            if not entry.is_dir(follow_symlinks=False):
                yield path, reason or _odd_kind(entry)
            elif entry.name != ".git":
                reason = reason or _odd_folder(entry.name, depth) or _OPENED
                yield path, reason
                if reason is _OPENED:
                    waiting.append((f"{path}/", depth + 1))
        room -= len(entries)
        if room < 0:
            yield prefix or ".", f"beyond {MOST_ENTRIES} entries"
            return


def _entries(folder: str, most: int) -> "list[os.DirEntry[str]] | None":
    try:
        with os.scandir(folder) as entries:
            return sorted(islice(entries, most), key=lambda entry: entry.name)
    except OSError:
        return None


def _named_by_link(path: str, reason: str | None) -> tuple[str, ...]:
    """Return where a link leads: that is text of the agent's, too."""
    try:
        return (os.readlink(path),) if reason is _LINK else ()
    except OSError:
        return ()


def _odd_kind(entry: "os.DirEntry[str]") -> str | None:
    if entry.is_symlink():
        return _LINK
    return None if entry.is_file(follow_symlinks=False) else "no regular file"


def _odd_folder(name: str, depth: int) -> str | None:
    if name in TOOL_FOLDERS:
        return "a folder that tools fill"
    return f"deeper than {DEEPEST} folders" if depth >= DEEPEST else None


def _odd_name(name: str) -> str | None:
    """Return why a name cannot be taken over to every file system and screen."""
    if not name.isprintable():  # surrogates, which stand for bytes that are no UTF-8, are not printable
        return "a name that cannot be shown"
    stem = name.partition(".")[0].lower()
    if not _FORBIDDEN.isdisjoint(name) or name[-1] in " ." or stem in _DEVICES or len(name.encode()) > 200:
        return "a name that not every file system takes"
    return None


def _shown(path: str) -> str:
    return path[:100] if path.isprintable() else ascii(path[:100])[1:-1]
