"""Remove a tree that somebody else has filled: nothing outside of it is touched or followed."""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable
from typing import NamedTuple

MOST_NAMED = 20
"""How many of the things that could not be removed are named."""

_MNT_DETACH, _UMOUNT_NOFOLLOW, _MOST_MOUNTS = 2, 8, 16
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_BY_DESCRIPTOR = {os.open, os.unlink, os.rmdir} <= os.supports_dir_fd and os.scandir in os.supports_fd


def remove_tree(path: str) -> tuple[str, ...]:
    """Remove `path` and all below it, whatever it is; return what could not be removed, and why.

    Links are removed, never followed; other file systems are not entered, and what is mounted is taken off
    first, or else left. Only folders get another
    mode, so that no file outside changes through a hard link. Neither the stack nor the longest
    path bounds the depth. Never raises for what the tree holds or for what vanishes meanwhile.
    """
    if not _BY_DESCRIPTOR:
        return _remove_plainly(path)
    if _is_busy(_fault(os.rmdir, path, None)):
        return ("something is mounted on it",)
    folder = _open_folder(path, None)
    if folder is None:
        return _removed(os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink, path, None)
    return tuple(_Descent(folder).left) or _removed(os.rmdir, path, None)


def empty_folder(folder: int) -> tuple[str, ...]:
    """Remove all that is in the open folder, wherever it is; return what could not be removed, and why."""
    try:
        return tuple(_Descent(os.dup(folder)).left)
    except OSError as error:
        return (f"{error.strerror}",)


def remove_moved(folder: int) -> tuple[str, ...]:
    """Remove an open folder from wherever it has been moved to; return what could not be removed, and why."""
    try:
        if os.fstat(folder).st_nlink == 0:
            return ()
        left = empty_folder(folder)
        return left or _remove_by_number(folder)
    except OSError as error:
        return (f"the folder at its new place: {error.strerror}",)


def _remove_by_number(folder: int) -> tuple[str, ...]:
    number, parent = os.fstat(folder).st_ino, os.open("..", _FOLDER, dir_fd=folder)
    try:
        with os.scandir(parent) as entries:
            name = next((entry.name for entry in entries if entry.inode() == number), None)
        return () if name is None else _removed(os.rmdir, name, parent)
    finally:
        os.close(parent)


class _Level(NamedTuple):
    """A folder on the way down: its name, what it is, and the folders in it that still wait."""

    name: str
    identity: tuple[int, int]
    waiting: list[str]


class _Descent:
    """One walk through a tree that removes all but its top, with one folder open at a time; it closes `top`."""

    def __init__(self, top: int) -> None:
        self.left: list[str] = []
        self._here = top
        self._levels: list[_Level] = []
        try:
            self._arrive("", os.fstat(top))
            while self._levels[-1].waiting or len(self._levels) > 1:
                self._down() if self._levels[-1].waiting else self._up()
        except OSError as error:
            self._note(f"{error.strerror}")
        finally:
            os.close(self._here)

    def _down(self) -> None:
        name = self._levels[-1].waiting.pop()
        fault = _fault(os.rmdir, name, self._here)
        if fault is None:  # it was empty, as many are
            return
        if _is_busy(fault):
            self._note(f"{name}: something is mounted on it")
            return
        child = _open_folder(name, self._here)
        if child is None:
            self._note(*_removed(os.rmdir, name, self._here))
            return
        status = os.fstat(child)
        if status.st_dev != self._levels[0].identity[0]:
            os.close(child)
            self._note(f"{name}: another file system")
        else:
            self._go(child)
            self._arrive(name, status)

    def _up(self) -> None:
        """Go back to where we came from, and remove the emptied folder from there."""
        emptied = self._levels.pop().name
        self._go(os.open("..", _FOLDER, dir_fd=self._here))
        if _identity(os.fstat(self._here)) != self._levels[-1].identity:
            raise OSError(0, "moved while it was being removed")
        self._note(*_removed(os.rmdir, emptied, self._here))

    def _arrive(self, name: str, status: os.stat_result) -> None:
        """Make the folder ours, unlink its files, and note its folders."""
        _make_changeable(self._here, status.st_mode)
        with os.scandir(self._here) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        waiting = [name for name, is_folder in found if is_folder]
        self._levels.append(_Level(name, _identity(status), waiting))
        for file, is_folder in found:
            if not is_folder:
                self._note(*_removed(os.unlink, file, self._here))

    def _go(self, folder: int) -> None:
        os.close(self._here)
        self._here = folder

    def _note(self, *reasons: str) -> None:
        if len(self.left) < MOST_NAMED:
            self.left += ("".join((*(f"{level.name}/" for level in self._levels[1:]), reason)) for reason in reasons)


def _unmounted(name: str, parent: int | None) -> bool:
    """Take off what is mounted there, as root may."""
    import ctypes

    place = name if parent is None else f"/proc/self/fd/{parent}/{name}"
    failed: int = ctypes.CDLL(None).umount2(os.fsencode(place), _MNT_DETACH | _UMOUNT_NOFOLLOW)
    return failed == 0


def _open_folder(name: str, parent: int | None) -> int | None:
    """Open a folder, by force if it is ours; None for whatever is no folder or stays shut."""
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        return _open_shut_folder(name, parent)
    except OSError:
        return None


def _open_shut_folder(name: str, parent: int | None) -> int | None:
    """Give its owner all rights on a folder that cannot be read, then open it; a link is never followed."""
    try:
        if hasattr(os, "O_PATH"):
            _unlock_by_handle(name, parent)
        else:
            os.chmod(name, stat.S_IRWXU, dir_fd=parent, follow_symlinks=False)
        return os.open(name, _FOLDER, dir_fd=parent)
    except (OSError, NotImplementedError, ValueError):
        return None


def _unlock_by_handle(name: str, parent: int | None) -> None:
    """Do it on Linux, where `chmod` follows links, through a handle that needs no right to read."""
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)
    finally:
        os.close(handle)


def _make_changeable(folder: int, mode: int) -> None:
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        with contextlib.suppress(OSError):  # not ours: what cannot be removed from it is reported
            os.chmod(folder, stat.S_IRWXU)


def _removed(remove: Callable[..., None], name: str, parent: int | None) -> tuple[str, ...]:
    """Remove a file or an empty folder; return its name and the reason when it stays."""
    fault = _fault(remove, name, parent)
    return () if fault is None else (f"{name}: {fault.strerror}",)


def _fault(remove: Callable[..., None], name: str, parent: int | None) -> OSError | None:
    """Remove a file or an empty folder, and first what is mounted on it; return why it stays."""
    for _ in range(_MOST_MOUNTS):
        try:
            remove(name, dir_fd=parent)
            return None
        except FileNotFoundError:
            return None
        except OSError as error:
            fault = error
        if not _is_busy(fault) or not _unmounted(name, parent):
            break
    return fault


def _is_busy(fault: OSError | None) -> bool:
    """Tell whether something is mounted there, be it of the same file system: Linux then refuses any removal."""
    return fault is not None and fault.errno == errno.EBUSY and sys.platform == "linux"


def _identity(status: os.stat_result) -> tuple[int, int]:
    return (status.st_dev, status.st_ino)


def _remove_plainly(path: str) -> tuple[str, ...]:
    """Do what the platform offers where folders cannot be held open (Windows)."""
    import shutil

    left: list[str] = []

    def again(function: Callable[..., object], name: str, _reason: object) -> None:
        try:
            os.chmod(name, stat.S_IWRITE)
            os.rmdir(name) if function is os.rmdir else os.unlink(name)
        except OSError as error:
            left.append(f"{name}: {error.strerror}")

    try:
        os.unlink(path)  # a file or a link, also one to a folder
    except FileNotFoundError:
        return ()
    except OSError:
        if sys.version_info >= (3, 12):
            shutil.rmtree(path, onexc=again)
        else:
            shutil.rmtree(path, onerror=again)
    return tuple(left[:MOST_NAMED])
