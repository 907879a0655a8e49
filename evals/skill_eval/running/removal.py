"""Remove a tree that somebody else has filled: nothing outside of it is touched or followed."""

import os
import stat

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BY_DESCRIPTOR = {os.open, os.unlink, os.rmdir} <= os.supports_dir_fd and os.scandir in os.supports_fd


def remove_tree(path: str) -> tuple[str, ...]:
    """Remove `path` and all below it; return what could not be removed.

    Links are removed, never followed. Only folders get another mode, and by descriptor, so that no
    file outside changes through a hard link. Depth is bounded neither by the stack nor by the
    longest path. Never raises for what the tree holds.
    """
    if not _BY_DESCRIPTOR:
        return _remove_plainly(path)
    left: list[str] = []
    folder = _open(os.path.dirname(path) or ".", None)
    if folder is not None:
        try:
            _remove_entry(folder, os.path.basename(path), left)
        finally:
            os.close(folder)
    return tuple(left)


def empty_folder(descriptor: int) -> tuple[str, ...]:
    """Remove all that is in the open folder, wherever it has been moved to; return what could not be."""
    left: list[str] = []
    _empty(descriptor, left)
    return tuple(left)


def _remove_entry(folder: int, name: str, left: list[str]) -> None:
    """Remove `name` of the open `folder`, whatever it is."""
    child = _open(name, folder)
    if child is None:
        _unlink(name, folder, left)
        return
    try:
        _empty(child, left)
    finally:
        os.close(child)
    _rmdir(name, folder, left)


def _empty(top: int, left: list[str]) -> None:
    """Go down and up again with one open folder at a time; `waiting` holds what each level still has."""
    here = os.dup(top)
    names: list[str] = []
    waiting = [_unlink_files(here, left)]
    parents: list[tuple[int, int]] = []
    try:
        while True:
            if waiting[-1]:
                child = _open(waiting[-1][-1], here)
                if child is None:
                    left.append(waiting[-1].pop())
                    continue
                names.append(waiting[-1].pop())
                parents.append(_identity(here))
                here = _instead(here, child)
                waiting.append(_unlink_files(here, left))
            elif names:
                here = _instead(here, os.open("..", _FOLDER, dir_fd=here))
                if _identity(here) != parents.pop():
                    left.append(names[-1])
                    return
                waiting.pop()
                _rmdir(names.pop(), here, left)
            else:
                return
    finally:
        os.close(here)


def _unlink_files(folder: int, left: list[str]) -> list[str]:
    """Unlink everything in the open folder but its folders, whose names are returned."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                _unlink(entry.name, folder, left)
    return folders


def _open(name: str, folder: int | None) -> int | None:
    """Open a folder and make it ours to change; None when it is no folder or cannot be opened."""
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        if not _unlock(name, folder):
            return None
        return _open_again(name, folder)
    except OSError:
        return None
    mode = os.fstat(descriptor).st_mode
    if folder is not None and mode & stat.S_IRWXU != stat.S_IRWXU:
        _try_chmod(descriptor)
    return descriptor


def _open_again(name: str, folder: int | None) -> int | None:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError:
        return None


def _unlock(name: str, folder: int | None) -> bool:
    """Give its owner all rights on a folder that cannot even be opened; a link is never followed."""
    try:
        if hasattr(os, "O_PATH"):
            descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
            try:
                os.chmod(f"/proc/self/fd/{descriptor}", stat.S_IRWXU)
            finally:
                os.close(descriptor)
        else:
            os.chmod(name, stat.S_IRWXU, dir_fd=folder, follow_symlinks=False)
    except (OSError, NotImplementedError):
        return False
    return True


def _try_chmod(descriptor: int) -> None:
    try:
        os.chmod(descriptor, stat.S_IRWXU)
    except OSError:
        pass


def _unlink(name: str, folder: int, left: list[str]) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except OSError:
        left.append(name)


def _rmdir(name: str, folder: int, left: list[str]) -> None:
    try:
        os.rmdir(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except OSError:
        left.append(name)


def _instead(old: int, new: int) -> int:
    os.close(old)
    return new


def _identity(folder: int) -> tuple[int, int]:
    found = os.fstat(folder)
    return (found.st_dev, found.st_ino)


def _remove_plainly(path: str) -> tuple[str, ...]:
    """Do what the platform offers where folders cannot be held open (Windows)."""
    import shutil

    left: list[str] = []

    def try_writable(_function: object, name: str, _reason: object) -> None:
        try:
            os.chmod(name, stat.S_IWRITE)
            os.unlink(name)
        except OSError:
            left.append(name)

    if os.path.lexists(path):
        shutil.rmtree(path, onerror=try_writable)
    return tuple(left)
