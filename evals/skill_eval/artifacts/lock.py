"""One process at a time writes a run; the lock goes with its process, however that ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.skill_eval.errors import ConfigError

NAME = "run.lock"


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Hold the lock of the run folder `run`; raises ConfigError when another process does."""
    descriptor = os.open(run / NAME, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
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
    except OSError as error:
        raise ConfigError(f"run `{run.name}` is being written by another process") from error
