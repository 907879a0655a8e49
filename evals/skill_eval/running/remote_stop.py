"""How the processes of an executor learn that the run they work for was stopped, or that its process is gone.

A signal to the runner does not reach them, and an executor lets its processes finish what they have,
and what they have queued. A file in the run's folder says that the run was stopped, where that folder
can be seen; processes started by `multiprocessing` see the end of their parent as well.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from evals.skill_eval.running.conditions import Conditions
from evals.skill_eval.running.supervisor import CallCancelled, cancel_all

_LOOK_SECONDS, _GRACE_SECONDS = 0.2, 5.0

_working: list[Conditions] = []
_orphaned = threading.Event()
_guarded = 0  # the process that has a guard: a fork copies the number and not the thread


def stop_file(conditions: Conditions) -> str | None:
    """Return the file that says that the run was stopped, None for a run without a folder."""
    return None if conditions.evaluator is None else os.path.join(conditions.evaluator, "stopped")


def stop(conditions: Conditions) -> None:
    """Tell all who work for the run, and can see its folder, to stop."""
    with suppress(OSError, TypeError):
        os.close(os.open(stop_file(conditions) or "", os.O_WRONLY | os.O_CREAT, 0o644))


def pause(conditions: Conditions, seconds: float) -> bool:
    """Wait; return at once, and tell so, when the run is stopped."""
    end = time.monotonic() + seconds
    while (rest := end - time.monotonic()) > 0:
        if _is_stopped(conditions):
            return True
        time.sleep(min(rest, _LOOK_SECONDS))
    return False


@contextmanager
def at_work(conditions: Conditions, put_away: Callable[[], None]) -> Iterator[None]:
    """Hold while a unit runs; raises CallCancelled when the run was stopped before.

    In a process of `multiprocessing` a thread looks after it meanwhile: calls end when the run is
    stopped, and the process, after `put_away`, when its parent has ended.
    """
    if _orphaned.is_set() or _is_stopped(conditions):
        raise CallCancelled
    _stand_guard(put_away)
    _working.append(conditions)
    try:
        yield
    finally:
        _working.remove(conditions)


def _is_stopped(conditions: Conditions) -> bool:
    path = stop_file(conditions)
    return path is not None and os.path.exists(path)


def _stand_guard(put_away: Callable[[], None]) -> None:
    global _guarded
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None and _guarded != os.getpid():
        _guarded = os.getpid()
        _working.clear()
        threading.Thread(target=_guard, args=(parent.sentinel, put_away), daemon=True).start()


def _guard(parent: int, put_away: Callable[[], None]) -> None:
    from multiprocessing.connection import wait

    while not wait([parent], _LOOK_SECONDS):
        if any(map(_is_stopped, tuple(_working))):
            cancel_all()
    _orphaned.set()
    cancel_all()
    end = time.monotonic() + _GRACE_SECONDS
    while _working and time.monotonic() < end:
        time.sleep(0.05)
    put_away()
    os._exit(1)
