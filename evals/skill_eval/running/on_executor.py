"""Schedule trials on an executor of the user's own: Dask, MPI, Parsl, or a pool of the standard library."""

import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Any, Self

from evals.skill_eval.errors import AdapterError, ConfigError
from evals.skill_eval.model.trial import Failure, Trial
from evals.skill_eval.running.conditions import Conditions
from evals.skill_eval.running.engine import Plan, Unit
from evals.skill_eval.running.gate import Gate
from evals.skill_eval.running.remote_stop import at_work, pause, stop, stop_file
from evals.skill_eval.running.worker import Worker

_TURN_SECONDS = 1.0  # a signal that falls between two instructions is heard after it, too
_HINT = "what was finished is kept; go on with `run --resume`"


class OnExecutor:
    """A crew behind any `concurrent.futures.Executor`; at most `window` units are submitted at a time.

    A unit whose worker dies is for the executor to run again; whatever comes back counts once.
    """

    def __init__(self, plan: Plan, conditions: Conditions, gate: Gate, executor: Executor, window: int) -> None:
        self._units = iter(plan.units)
        self._conditions, self._gate, self._executor, self._window = conditions, gate, executor, window
        self._pending: dict[Future[tuple[Trial, ...]], Unit] = {}
        self._fault: AdapterError | None = None

    def __enter__(self) -> Self:
        if path := stop_file(self._conditions):
            with suppress(OSError):
                os.unlink(path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            stop(self._conditions)
        for future in self._pending:
            future.cancel()
        try:
            self._executor.shutdown(wait=kind is None)
        except Exception as fault:  # the user's code may raise anything
            if kind is None:
                raise AdapterError(f"the executor cannot be shut down: {_said(fault)}", _HINT) from fault
        finally:
            _close_idle()

    def results(self) -> Iterator[Trial]:
        """Yield trials as their units finish; a unit that failed becomes errored trials.

        Raises AdapterError when the executor takes or finishes no more units, after what still came.
        """
        self._fill()
        while self._pending:
            done, _ = wait(self._pending, _TURN_SECONDS, FIRST_COMPLETED)
            for future in done:
                for trial in self._trials(future, self._pending.pop(future)):
                    self._gate.repeated(trial)
                    self._gate.ended(trial)
                    yield trial
            self._fill()
        if self._fault:
            raise self._fault

    def _fill(self) -> None:
        if self._fault:
            return
        for unit in islice(self._units, self._window - len(self._pending)):
            allowed = tuple(job for job in unit if self._gate.may_start())
            if allowed and not self._submit(allowed):
                return

    def _submit(self, unit: Unit) -> bool:
        """Submit a unit; tell whether others may follow."""
        try:
            future: Any = self._executor.submit(run_unit, unit, self._conditions)
        except Exception as error:  # noqa: BLE001 - the user's code may raise anything
            self._fault = AdapterError(f"the executor takes no more units: {_said(error)}", _HINT)
            return False
        if not isinstance(future, Future):
            kind = type(future).__name__
            self._fault = AdapterError(f"the executor submits as a {kind}, expected a concurrent.futures.Future", _HINT)
            return False
        self._pending[future] = unit
        return True

    def _trials(self, future: Future[tuple[Trial, ...]], unit: Unit) -> tuple[Trial, ...]:
        """Return what came of a unit: its trials, errored ones, or none because the executor is broken."""
        if future.cancelled():
            return _errored(unit, "the executor cancelled the unit")
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            self._fault = self._fault or AdapterError(f"the executor is broken: {_said(error)}", _HINT)
            return ()
        if error is not None:
            return _errored(unit, f"the unit failed: {_said(error)}")
        trials: Any = future.result()
        if not isinstance(trials, tuple) or not all(isinstance(trial, Trial) for trial in trials):
            return _errored(unit, f"the executor returned a {type(trials).__name__}, expected trials")
        if [trial.key for trial in trials] != [job.key for job in unit]:
            return _errored(unit, "the executor returned trials of another unit")
        return trials


def _errored(unit: Unit, message: str) -> tuple[Trial, ...]:
    return tuple(Trial(job.key, 0.0, failure=Failure("executor", message)) for job in unit)


def _said(error: BaseException) -> str:
    """Return the kind of an error and the first line of what it says."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


_idle: list[tuple[int, Conditions, Worker]] = []  # with the process that they belong to: a fork copies the list
_closing = 0  # the process whose end closes them


def run_unit(unit: Unit, conditions: Conditions) -> tuple[Trial, ...]:
    """Run one unit wherever this is called: the task of `OnExecutor`, picklable with all it needs.

    A worker process keeps its tools for the next unit and puts them away when it ends. Raises
    CallCancelled when the run was stopped.
    """
    with at_work(conditions, _close_idle):
        worker = _take(conditions)
        try:
            trials = tuple(worker.run(job) for job in unit)
        except BaseException:
            worker.__exit__(None, None, None)
            raise
        _idle.append((os.getpid(), conditions, worker))
        return trials


def _take(conditions: Conditions) -> Worker:
    """Return an idle worker, or a new one; those of an earlier run make room."""
    while _idle:
        process, kept, worker = _idle.pop()
        if process == os.getpid():
            if kept == conditions:
                return worker
            worker.__exit__(None, None, None)
    _close_at_exit()
    return Worker(conditions, partial(pause, conditions)).__enter__()


def _close_at_exit() -> None:
    """Close idle workers when this process ends, even as a child of `multiprocessing`, which skips `atexit`."""
    global _closing
    from multiprocessing.util import Finalize

    if _closing != os.getpid():
        _closing = os.getpid()
        Finalize(None, _close_idle, exitpriority=0)


def _close_idle() -> None:
    while _idle:
        process, _, worker = _idle.pop()
        if process == os.getpid():
            worker.__exit__(None, None, None)


def make_executor(name: str) -> Executor:
    """Call `MODULE:CALLABLE` and return its executor; raises ConfigError."""
    from importlib import import_module

    module, _, path = name.partition(":")
    try:
        made = getattr(import_module(module), path)()
    except (Exception, SystemExit) as error:  # the user's code may raise anything
        raise ConfigError(f"executor `{name}` cannot be made: {_said(error)}", "expected MODULE:CALLABLE") from error
    if not hasattr(made, "submit") or not hasattr(made, "shutdown"):
        raise ConfigError(f"executor `{name}` made a {type(made).__name__}, expected a concurrent.futures.Executor")
    return made  # type: ignore[no-any-return]
