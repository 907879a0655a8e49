"""Workspaces of a harness that was killed: their lock has gone with its process, and so may they."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from evals.skill_eval.running.removal import remove_tree

PREFIX = "skill-eval-"
_YOUNGEST_SECONDS = 5.0
_DOUBT_SECONDS, _LOOKS = 0.2, 10
_ATTEMPTS = 20

_in_use: set[str] = set()  # by this process: no thread has to wonder about another's workspace


def own(folder: int) -> None:
    """Lock an open folder for as long as this process lives and keeps it open (POSIX).

    Somebody who looks whether it is owned holds the lock for a moment.
    """
    for attempt in range(_ATTEMPTS if fcntl is not None else 0):
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if attempt == _ATTEMPTS - 1:
                raise
            time.sleep(0.005)


@contextmanager
def fresh_name() -> Iterator[str]:
    """Give a workspace that is about to be made its name; until the end it is in use by this process."""
    name = f"{PREFIX}{os.urandom(6).hex()}"
    _in_use.add(name)
    try:
        yield name
    finally:
        _in_use.discard(name)


def sweep(root: str) -> int:
    """Remove the workspaces below `root` that are ours and whose owner is dead; return how many.

    A folder younger than five seconds may be about to be locked and is left alone.
    """
    if fcntl is None:
        return 0
    return sum(_remove_if_abandoned(os.path.join(root, name), _YOUNGEST_SECONDS) for name in workspaces(root))


def workspaces(root: str) -> frozenset[str]:
    """Return the names below `root` that are like those of our workspaces."""
    try:
        return frozenset(name for name in os.listdir(root) if name.startswith(PREFIX))
    except OSError:
        return frozenset()


def sweep_new(root: str, names: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Remove those of the folders `names` that nobody owns, however young; yield each, and whether it is gone.

    A workspace that another harness just makes is owned in the next moment, so one look is not enough.
    """
    others = [name for name in names if name not in _in_use] if fcntl is not None else []
    suspects = [name for name in others if _is_unowned(os.path.join(root, name))]
    for _ in range(_LOOKS):
        if suspects:
            time.sleep(_DOUBT_SECONDS / _LOOKS)
            suspects = [name for name in suspects if _is_unowned(os.path.join(root, name))]
    for name in suspects:
        path = os.path.join(root, name)
        gone = _remove_if_abandoned(path, float("-inf"))
        if gone or _is_unowned(path):
            yield name, gone


def _is_unowned(path: str) -> bool:
    return _with_lock(path, lambda _: True)


def _remove_if_abandoned(path: str, youngest_seconds: float) -> bool:
    def remove(age_seconds: float) -> bool:
        return age_seconds >= youngest_seconds and not remove_tree(path)

    return _with_lock(path, remove)


def _with_lock(path: str, then: Callable[[float], bool]) -> bool:
    """Call `then` with the age of a folder of ours that nobody owns; False when it is none."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        found = os.fstat(folder)
        if found.st_uid != os.geteuid():
            return False
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return then(time.time() - found.st_mtime)
    except OSError:
        return False
    finally:
        os.close(folder)
