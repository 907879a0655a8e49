"""Schedule trials on an executor of the user's own: Dask, MPI, Parsl, or a pool of the standard library."""

import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice
from types import TracebackType
from typing import Self

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.trial import Trial
from evals.skill_eval.running.conditions import Conditions
from evals.skill_eval.running.engine import Plan, Unit
from evals.skill_eval.running.gate import Gate
from evals.skill_eval.running.worker import Worker


class OnExecutor:
    """A crew behind any `concurrent.futures.Executor`; at most `window` units are submitted at a time.

    A unit whose worker dies is for the executor to run again; whatever comes back counts once.
    """

    def __init__(self, plan: Plan, conditions: Conditions, gate: Gate, executor: Executor, window: int) -> None:
        self._units = iter(plan.units)
        self._conditions, self._gate, self._executor, self._window = conditions, gate, executor, window
        self._pending: set[Future[tuple[Trial, ...]]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for future in self._pending:
            future.cancel()
        self._executor.shutdown(wait=kind is None)

    def results(self) -> Iterator[Trial]:
        """Yield trials as their units finish; an accident in a worker is raised here."""
        self._fill()
        while self._pending:
            done, self._pending = wait(self._pending, return_when=FIRST_COMPLETED)
            for future in done:
                for trial in future.result():
                    self._gate.ended(trial)
                    yield trial
            self._fill()

    def _fill(self) -> None:
        for unit in islice(self._units, self._window - len(self._pending)):
            allowed = tuple(job for job in unit if self._gate.may_start())
            if allowed:
                self._pending.add(self._executor.submit(run_unit, allowed, self._conditions))


_own = threading.local()


def run_unit(unit: Unit, conditions: Conditions) -> tuple[Trial, ...]:
    """Run one unit wherever this is called: the task of `OnExecutor`, picklable with all it needs.

    Each thread of a worker process keeps its tools for the next unit.
    """
    if getattr(_own, "conditions", None) != conditions:
        _own.worker, _own.conditions = Worker(conditions).__enter__(), conditions
    return tuple(_own.worker.run(job) for job in unit)


def make_executor(name: str) -> Executor:
    """Call `MODULE:CALLABLE` and return its executor; raises ConfigError."""
    from importlib import import_module

    module, _, path = name.partition(":")
    try:
        made = getattr(import_module(module), path)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ConfigError(f"executor `{name}` cannot be made: {error}", hint="expected MODULE:CALLABLE") from error
    if not hasattr(made, "submit") or not hasattr(made, "shutdown"):
        raise ConfigError(f"executor `{name}` made a {type(made).__name__}, expected a concurrent.futures.Executor")
    return made  # type: ignore[no-any-return]
