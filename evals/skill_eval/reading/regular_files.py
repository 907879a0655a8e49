"""Files read with care: no link followed, nothing but regular files opened, never more than a bound."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from evals.skill_eval.reading.quoting import visible

# A pipe or device that took the file's place after it was looked at must not block; a link must not be followed.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class UnusableFile(Exception):
    """Why a file was not read; `str()` says it without naming the file. `code` groups the reasons."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


LINK, KIND, SIZE, ACCESS = "link", "kind", "size", "access"


class FileBytes(NamedTuple):
    """What a regular file holds; `executable` is the owner's x bit."""

    content: bytes
    executable: bool


def read_regular(path: Path, limit_bytes: int) -> FileBytes:
    """Return the content of the regular file at `path`, itself no link.

    Raises UnusableFile when it is a link, no regular file, larger than `limit_bytes`, or cannot be read.
    """
    try:
        _accepted(os.lstat(path), limit_bytes)
        descriptor = os.open(path, _FLAGS)
        with open(descriptor, "rb") as file:
            status = _accepted(os.fstat(descriptor), limit_bytes)
            content = file.read(status.st_size + 1)  # not the bound, which may be more than memory has
            if len(content) > status.st_size:  # it grew, or is of a kind without a size
                content += file.read(limit_bytes + 1 - len(content))
    except (OSError, ValueError) as error:
        raise UnusableFile(ACCESS, f"cannot be read: {_reason(error)}") from error
    if len(content) > limit_bytes:
        raise UnusableFile(SIZE, _too_large(len(content), limit_bytes))
    return FileBytes(content, bool(status.st_mode & stat.S_IXUSR))


def _accepted(status: os.stat_result, limit_bytes: int) -> os.stat_result:
    if stat.S_ISLNK(status.st_mode):
        raise UnusableFile(LINK, "is a link, and links are not followed")
    if not stat.S_ISREG(status.st_mode):
        raise UnusableFile(KIND, f"is {_kind(status.st_mode)}, not a regular file")
    if status.st_size > limit_bytes:
        raise UnusableFile(SIZE, _too_large(status.st_size, limit_bytes))
    return status


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _too_large(size: int, limit_bytes: int) -> str:
    return f"has {size} bytes; at most {limit_bytes} are read"


def _reason(error: Exception) -> str:
    return visible((error.strerror if isinstance(error, OSError) else None) or str(error)).lower()
