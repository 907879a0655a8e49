"""Plain files and folders of a run: whatever stands in their place, no link is followed and no pipe waited for."""

import os
import stat
from pathlib import Path

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.reading.regular_files import UnusableFile, read_regular

_CAREFUL = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_LARGEST_BYTES = 1 << 30
_CHUNK_BYTES = 1 << 20


def read_plain(path: Path | str) -> bytes:
    """Return the content of a regular file; raises ConfigError when anything else stands there or it cannot be read."""
    try:
        return read_regular(Path(path), _LARGEST_BYTES).content
    except UnusableFile as fault:
        raise ConfigError(f"`{path}` {fault}") from fault


def open_plain(path: Path | str, flags: int, mode: int = 0o644) -> int:
    """Return a descriptor of a regular file; raises ConfigError when anything else stands there or it cannot be had."""
    status = _status(path)
    if status is not None:
        _refuse_unless_regular(status, path)
    try:
        descriptor = os.open(path, flags | _CAREFUL, mode)
    except OSError as error:
        raise cannot("opened", path, error) from error
    try:
        _refuse_unless_regular(os.fstat(descriptor), path)
    except ConfigError:
        os.close(descriptor)
        raise
    return descriptor


def exists(path: Path | str) -> bool:
    """Tell whether anything stands at `path`, a broken link included; raises ConfigError when nobody can tell."""
    return _status(path) is not None


def is_plain_folder(path: Path | str) -> bool:
    """Tell whether a folder stands at `path`; raises ConfigError when a link or anything else does."""
    status = _status(path)
    if status is not None and not stat.S_ISDIR(status.st_mode):
        raise ConfigError(f"`{path}` is {_kind(status.st_mode)}, not a folder of the run's own")
    return status is not None


def make_folders(root: Path | str, *names: str) -> None:
    """Make the folders `names` below `root`, each in the one before; raises ConfigError when that would use a link."""
    path = str(root)
    for name in names:
        path = f"{path}/{name}"
        if not is_plain_folder(path):
            try:
                os.mkdir(path)
            except OSError as error:
                raise cannot("made", path, error) from error


def copy_folder(source: str, target: str) -> None:
    """Copy a folder of regular files and folders to a new place; raises ConfigError when it holds anything else."""
    waiting = [(source, target)]
    while waiting:
        folder, copy = waiting.pop()
        try:
            os.makedirs(copy)
            names = sorted(os.listdir(folder)) if is_plain_folder(folder) else []
        except OSError as error:
            raise cannot("copied", folder, error) from error
        for name in names:
            path, place = f"{folder}/{name}", f"{copy}/{name}"
            status = _status(path)
            if status is not None and stat.S_ISDIR(status.st_mode):
                waiting.append((path, place))
            else:
                copy_file(path, place)


def copy_file(source: str, target: str) -> None:
    """Copy a regular file to a new place; raises ConfigError when it is anything else."""
    descriptor = open_plain(source, os.O_RDONLY)
    try:
        with open(descriptor, "rb") as file, open(target, "xb") as copy:
            while chunk := file.read(_CHUNK_BYTES):
                copy.write(chunk)
    except OSError as error:
        raise cannot("copied", source, error) from error


def cannot(what: str, path: Path | str, error: OSError) -> ConfigError:
    """Return the error that says what could not be done to `path`, and why."""
    return ConfigError(f"`{path}` cannot be {what}: {error.strerror or error}")


def _status(path: Path | str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot("looked at", path, error) from error


def _refuse_unless_regular(status: os.stat_result, path: Path | str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(f"`{path}` is {_kind(status.st_mode)}, not a regular file")


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a link"
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a file" if stat.S_ISREG(mode) else "a pipe, socket or device"
