"""One process at a time writes a run; the lock goes with its process, however that ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.skill_eval.artifacts.plain_files import open_plain
from evals.skill_eval.errors import ConfigError

NAME = "run.lock"


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Hold the lock of the run folder `run`; raises ConfigError when another process does, or it cannot be had."""
    descriptor = open_plain(run / NAME, os.O_RDWR | os.O_CREAT)
    try:
        _lock(descriptor, run)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, run: Path) -> None:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ConfigError(f"run `{run.name}` is being written by another process") from error
    except OSError as error:
        busy = "is being written by another process" if os.name == "nt" else f"cannot be locked: {error.strerror}"
        raise ConfigError(f"run `{run.name}` {busy}") from error
