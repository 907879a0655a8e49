"""A worker: one thread's tools for one trial after the other, and its patience with transient faults."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.model.trial import Failure, Trial, TrialJob
from evals.skill_eval.running.abandoned import sweep
from evals.skill_eval.running.conditions import Conditions
from evals.skill_eval.running.matcher import Matcher
from evals.skill_eval.running.neighbour import Neighbour
from evals.skill_eval.running.supervisor import Supervisor
from evals.skill_eval.running.trial import Tools, run_trial
from evals.skill_eval.running.watch import Watch
from evals.skill_eval.running.workspace import choose_temporary_root

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0
SIGHTINGS = 3
_WATCHED = Failure(
    "contaminated", f"the skill's own folder was read while the baseline ran, {SIGHTINGS} times out of {SIGHTINGS}"
)


class Worker:
    """Runs trials under `conditions`; a context manager for one thread.

    `pause` waits that many seconds and tells whether to give up; by default it only waits.
    """

    def __init__(self, conditions: Conditions, pause: Callable[[float], bool] | None = None) -> None:
        self._conditions = conditions
        self._pause = pause or threading.Event().wait
        self._held = ExitStack()
        self._watches: dict[str, Watch] = {}

    def __enter__(self) -> Self:
        conditions = self._conditions
        root = choose_temporary_root(map(Path, conditions.avoid))
        sweep(str(root.path))
        self._neighbour = self._held.enter_context(Neighbour(root.path))
        supervisor, matcher = self._held.enter_context(Supervisor()), self._held.enter_context(Matcher())
        self._tools = Tools(supervisor.call, matcher, root.path, conditions, Redactor(conditions.secret_values))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for watch in self._watches.values():
            watch.close()
        self._held.close()

    def run(self, job: TrialJob) -> Trial:
        """Run a trial, again after a transient fault; every repetition is counted on the trial."""
        pauses = Random(repr(job.key))
        trial = self._once(job)
        for attempt in range(self._conditions.retries):
            if trial.failure is None or trial.failure.kind != "transient":
                break
            longest = min(FIRST_PAUSE_SECONDS * 2**attempt, LONGEST_PAUSE_SECONDS)
            if self._pause(longest * pauses.uniform(0.5, 1.0)):
                break
            trial = replace(self._once(job), retries=attempt + 1)
        return trial

    def _once(self, job: TrialJob) -> Trial:
        """Run a trial; a baseline during which the skill itself was read is run again before it is blamed.

        The system does not tell who read it: another program does so once, an agent that has found
        the skill does so each time.
        """
        watch = self._watch(job)
        for _ in range(SIGHTINGS):
            trial = self._in_sight(job, watch)
            if trial is not None:
                return trial
        return Trial(job.key, 0.0, failure=_WATCHED)

    def _in_sight(self, job: TrialJob, watch: Watch | None) -> Trial | None:
        """Run a trial once; None when the skill itself was read meanwhile."""
        if watch is not None:
            watch.seen()
        trial = run_trial(job, self._tools)
        if watch is not None and watch.seen() and trial.failure is None:
            return None
        if self._neighbour.was_touched():
            return replace(trial, notes=(*trial.notes, "the agent touched a neighbouring workspace"))
        return trial

    def _watch(self, job: TrialJob) -> Watch | None:
        """Return what tells whether a baseline reads the skill itself."""
        if job.watched is None or job.key.mode.has_skill:
            return None
        if job.watched not in self._watches:
            self._watches[job.watched] = Watch(job.watched)
        return self._watches[job.watched]
