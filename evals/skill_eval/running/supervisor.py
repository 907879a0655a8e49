"""The supervisor: run a worker's adapter calls, one at a time, and leave none of their processes behind."""

import sys
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.running.process import Call, Completed


class CallCancelled(Exception):
    """A call that was cancelled while it ran or before; this says nothing about the adapter."""


class Supervisor:
    """Runs the calls of one thread; the process that owns their processes starts with the first call.

    `SupervisorProcess` does the work; on other systems than Linux and macOS `PortableProcess` does what it can.
    Output is caught in anonymous files in `folder`. By default that is the system's temporary folder, where
    Python, when it first looks for it, leaves a small file if it is killed in that moment.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._owner: _Owner | None = None
        self._cancelled = False
        _live.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def call(self, call: Call) -> Completed:
        """Run one call; when it returns or raises, none of its processes is left.

        Raises AdapterError when the adapter ended its supervisor or its output could not be stored
        (the next call gets a new supervisor), and CallCancelled after `cancel` or `close`.
        """
        owner = self._owner or self._begin()
        try:
            completed = owner.run(call)
        except BaseException:
            self._drop()
            raise
        if completed is None:
            raise self._loss(call, self._drop())
        return completed

    def cancel(self) -> None:
        """End the current call without waiting for that, and refuse others; from any thread or signal handler."""
        self._cancelled = True
        if owner := self._owner:
            owner.cancel()

    def close(self) -> None:
        """End everything, waiting some seconds at most; a second time this does nothing."""
        self._cancelled = True
        self._drop()
        _live.discard(self)

    def _begin(self) -> "_Owner":
        if self._cancelled:
            raise CallCancelled
        owner = self._owner = _new_owner(self._folder)
        if self._cancelled:  # meanwhile, by a thread that saw no owner yet
            self._drop()
            raise CallCancelled
        return owner

    def _drop(self) -> int | None:
        owner, self._owner = self._owner, None
        return owner.close() if owner else None

    def _loss(self, call: Call, exit_code: int | None) -> Exception:
        if self._cancelled:
            return CallCancelled()
        if exit_code is not None and exit_code > 0:
            return RuntimeError(f"a supervisor process failed with exit code {exit_code}; stderr has its message")
        return AdapterError(f"`{call.argv[0]}` ended or stopped the process that supervises it")


def cancel_all() -> None:
    """Cancel every supervisor that is not closed; from any thread or signal handler."""
    for supervisor in tuple(_live):
        supervisor.cancel()


class _Owner(Protocol):
    """What owns the processes of a call."""

    def run(self, call: Call) -> Completed | None: ...

    def cancel(self) -> None: ...

    def close(self) -> int | None: ...


def _new_owner(folder: Path | None) -> _Owner:
    if sys.platform in ("linux", "darwin"):
        from evals.skill_eval.running.supervisor_process import SupervisorProcess

        return SupervisorProcess(folder)
    from evals.skill_eval.running.portable_process import PortableProcess

    return PortableProcess(folder)


_live: set[Supervisor] = set()
