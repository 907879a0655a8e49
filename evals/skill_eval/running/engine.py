"""Schedule trials: units of modes on worker threads."""

import threading
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, Queue
from random import Random
from types import TracebackType
from typing import Protocol, Self

from evals.skill_eval.model.trial import Trial, TrialJob, TrialKey
from evals.skill_eval.running.conditions import Conditions
from evals.skill_eval.running.gate import Gate
from evals.skill_eval.running.supervisor import CallCancelled, cancel_all
from evals.skill_eval.running.worker import Worker

Unit = tuple[TrialJob, ...]
"""The modes of one case and iteration, run one after the other by one worker."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run."""

    units: tuple[Unit, ...]

    @property
    def trials(self) -> int:
        """Count the adapter calls."""
        return sum(map(len, self.units))


def in_drawn_order(unit: Sequence[TrialJob], seed: int) -> Unit:
    """Return the unit in an order drawn from `seed`, so that no mode always has the warm machine."""
    key = unit[0].key
    draw = Random(f"{seed}|{key.skill}|{key.case_id!r}|{key.iteration}")
    return tuple(draw.sample(unit, len(unit)))


def remaining(plan: Plan, done: Container[TrialKey]) -> Plan:
    """Return what of `plan` is not done."""
    units = (tuple(job for job in unit if job.key not in done) for unit in plan.units)
    return Plan(tuple(unit for unit in units if unit))


class Crew(Protocol):
    """Whoever runs a plan; a context manager that leaves nothing running."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def results(self) -> Iterator[Trial]:
        """Yield trials as they finish, in whatever order; an accident in a worker is raised here."""


class Threads:
    """A crew of worker threads in this process."""

    def __init__(self, plan: Plan, conditions: Conditions, gate: Gate, jobs: int) -> None:
        self._units = iter(plan.units)
        self._conditions, self._gate = conditions, gate
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._finished: Queue[Trial | BaseException | None] = Queue(maxsize=2 * jobs)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(min(jobs, len(plan.units)))]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stopping.set()
        if kind is not None:
            cancel_all()
        for thread in self._threads:
            while thread.is_alive():
                self._drain()
                thread.join(0.05)

    def results(self) -> Iterator[Trial]:
        """Yield trials as they finish; an accident in a worker is raised here."""
        working = len(self._threads)
        while working:
            finished = self._next_finished()
            if finished is None:
                working -= 1
            elif isinstance(finished, BaseException):
                raise finished
            else:
                yield finished

    def _next_finished(self) -> Trial | BaseException | None:
        """Wait in short turns, so that a signal that falls between two instructions is heard, too."""
        while True:
            with suppress(Empty):
                return self._finished.get(timeout=1.0)

    def _work(self) -> None:
        done: list[Trial] = []
        try:
            hand_over = partial(self._hand_over, done)
            with Worker(self._conditions, self._stopping.wait, hand_over, self._gate.may_repeat) as worker:
                while (unit := self._next_unit()) is not None:
                    for job in unit:
                        self._run(worker, job, done)
        except CallCancelled:
            pass
        except BaseException as accident:  # noqa: BLE001 - carried to the main thread, which raises it
            self._hand_over(done)
            self._finished.put(accident)
        self._hand_over(done)
        self._finished.put(None)

    def _run(self, worker: Worker, job: TrialJob, done: list[Trial]) -> None:
        if not self._stopping.is_set() and self._gate.may_start():
            trial = worker.run(job)
            self._gate.ended(trial)
            done.append(trial)

    def _hand_over(self, done: list[Trial]) -> None:
        """Give the main thread its work when this one has none: two at once only take turns at the interpreter."""
        while done:
            self._finished.put(done.pop(0))

    def _next_unit(self) -> Unit | None:
        with self._lock:
            return None if self._stopping.is_set() or self._gate.reason else next(self._units, None)

    def _drain(self) -> None:
        while not self._finished.empty():
            self._finished.get_nowait()
