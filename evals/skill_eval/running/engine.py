"""Schedule trials: pairs of modes on worker threads, each with a supervisor of its own."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from queue import Queue
from random import Random

from evals.skill_eval.model.trial import Trial, TrialJob
from evals.skill_eval.running.trial import Tools, run_trial

ERRORS_IN_A_ROW = 3
_DONE = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: each inner tuple is one pair of modes, run one after the other by one worker."""

    pairs: tuple[tuple[TrialJob, ...], ...]

    @property
    def trials(self) -> int:
        """Count the adapter calls."""
        return sum(map(len, self.pairs))


def in_drawn_order(pair: Sequence[TrialJob], seed: int) -> tuple[TrialJob, ...]:
    """Return the pair in an order drawn from `seed`, so that no mode always has the warm machine."""
    key = pair[0].key
    draw = Random(f"{seed}|{key.skill}|{key.case_id!r}|{key.iteration}")
    return tuple(draw.sample(pair, len(pair)))


class Workers:
    """Worker threads over a plan; iterate over `results()` inside the `with` block.

    `tools` makes one worker's tools and takes them down. Leaving the block, however that
    happens, starts no further trial, ends the calls in flight (`cancel`) and joins the threads.
    """

    def __init__(self, plan: Plan, jobs: int, tools: Callable[[], AbstractContextManager[Tools]], cancel: Callable[[], None]) -> None:
        self._pairs = iter(plan.pairs)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._finished: Queue[Trial | BaseException | None] = Queue(maxsize=2 * jobs)
        self._tools, self._cancel = tools, cancel
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(min(jobs, len(plan.pairs)))]

    def __enter__(self) -> "Workers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._cancel()
        for thread in self._threads:
            while thread.is_alive():
                self._drain()
                thread.join(0.05)

    def stop(self) -> None:
        """Start no further trial; those in flight are still delivered by `results`."""
        self._stopping.set()

    def results(self) -> Iterator[Trial]:
        """Yield trials as they finish; an accident in a worker is raised here."""
        working = len(self._threads)
        while working:
            finished = self._finished.get()
            if finished is _DONE:
                working -= 1
            elif isinstance(finished, BaseException):
                raise finished
            else:
                yield finished

    def _work(self) -> None:
        try:
            with self._tools() as tools:
                while (pair := self._next_pair()) is not None:
                    for job in pair:
                        if not self._stopping.is_set():
                            self._finished.put(run_trial(job, tools))
        except BaseException as accident:  # noqa: BLE001 - carried to the main thread, which raises it
            self._finished.put(accident)
        self._finished.put(_DONE)

    def _next_pair(self) -> tuple[TrialJob, ...] | None:
        with self._lock:
            return None if self._stopping.is_set() else next(self._pairs, None)

    def _drain(self) -> None:
        while not self._finished.empty():
            self._finished.get_nowait()


class ErrorStreak:
    """Tell when to give up: at the first error (`fail_fast`) or after three in a row."""

    def __init__(self, fail_fast: bool) -> None:
        self._limit = 1 if fail_fast else ERRORS_IN_A_ROW
        self._errors = 0

    def add(self, trial: Trial) -> bool:
        """Count `trial` and tell whether the run should stop."""
        self._errors = self._errors + 1 if trial.failure else 0
        return self._errors >= self._limit
