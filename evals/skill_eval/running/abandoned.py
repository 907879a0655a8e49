"""Workspaces of a harness that was killed: their lock has gone with its process, and so may they."""

import os
import time

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from evals.skill_eval.running.removal import remove_tree

PREFIX = "skill-eval-"
_YOUNGEST_SECONDS = 5.0


def own(folder: int) -> None:
    """Lock an open folder for as long as this process lives and keeps it open (POSIX)."""
    if fcntl is not None:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sweep(root: str) -> int:
    """Remove the workspaces below `root` that are ours and whose owner is dead; return how many.

    A folder younger than five seconds may be about to be locked and is left alone.
    """
    if fcntl is None:
        return 0
    try:
        names = [name for name in os.listdir(root) if name.startswith(PREFIX)]
    except OSError:
        return 0
    return sum(_remove_if_abandoned(os.path.join(root, name)) for name in names)


def _remove_if_abandoned(path: str) -> bool:
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        found = os.fstat(folder)
        if found.st_uid != os.geteuid() or time.time() - found.st_mtime < _YOUNGEST_SECONDS:
            return False
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return not remove_tree(path)
    except OSError:
        return False
    finally:
        os.close(folder)
