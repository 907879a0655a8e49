"""A worker: one thread's tools for one trial after the other, and its patience with transient faults."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.errors import ConfigError, SkillEvalError
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.trial import CONTAMINATED, Failure, Trial, TrialJob, Usage
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.running.abandoned import sweep_new, workspaces
from evals.skill_eval.running.conditions import Conditions, Sandbox
from evals.skill_eval.running.environment import HOMES
from evals.skill_eval.running.kept import KeptWatch, places_of
from evals.skill_eval.running.matcher import Matcher
from evals.skill_eval.running.neighbour import Neighbour
from evals.skill_eval.running.process import Call, Completed
from evals.skill_eval.running.supervisor import Supervisor
from evals.skill_eval.running.trial import Tools, errored, run_trial
from evals.skill_eval.running.watch import FinishedWatch, SkillWatch, installed_copies
from evals.skill_eval.running.workspace import choose_temporary_root, reason_of, temporary_folders

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0
SIGHTINGS = 3


class Worker:
    """Runs trials under `conditions`; a context manager for one thread.

    `pause` waits that many seconds and tells whether to give up; by default it only waits.
    `before_call` is called when an adapter is about to be: from then on this thread does nothing for a while.
    `may_repeat` is told the usage of an answer that is not kept, and asked, before each call beyond a trial's
    first; by default it may.
    """

    def __init__(
        self,
        conditions: Conditions,
        pause: Callable[[float], bool] | None = None,
        before_call: Callable[[], None] | None = None,
        may_repeat: Callable[[Usage], bool] | None = None,
    ) -> None:
        self._conditions = conditions
        self._pause = pause or threading.Event().wait
        self._before_call = before_call or (lambda: None)
        self._may_repeat = may_repeat or (lambda usage: True)
        self._held = ExitStack()

    def __enter__(self) -> Self:
        """Raises ConfigError when there is no place for workspaces, or too little of something else."""
        try:
            self._open()
        except BaseException as error:
            self._held.close()
            if isinstance(error, OSError):
                raise ConfigError(f"no trial can be run: {reason_of(error)}") from error
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._held.close()

    def run(self, job: TrialJob) -> Trial:
        """Run a trial, again after a transient fault; every repetition is counted on the trial."""
        pauses = Random(repr(job.key))
        trial = self._once(job)
        for attempt in range(self._conditions.retries):
            if trial.failure is None or trial.failure.kind != "transient":
                break
            longest = min(FIRST_PAUSE_SECONDS * 2**attempt, LONGEST_PAUSE_SECONDS)
            if not self._may_repeat({}) or self._pause(longest * pauses.uniform(0.5, 1.0)):
                break
            again = self._once(job)
            trial = replace(again, retries=attempt + 1, spent=(*trial.spent, *again.spent))
        return trial

    def _open(self) -> None:
        conditions = self._conditions
        root = self._root()
        for _ in sweep_new(str(root), workspaces(str(root))):  # what a harness that was killed has left
            pass
        self._known = workspaces(str(root))
        self._neighbour = self._held.enter_context(Neighbour())
        self._supervisor, matcher = self._held.enter_context(Supervisor(root)), self._held.enter_context(Matcher())
        redactor, environment = Redactor(conditions.secret_values), dict(os.environ)
        self._tools = Tools(self._call, matcher, root, conditions, redactor, environment)
        self._sight = self._held.enter_context(Sight(conditions))

    def _call(self, call: Call) -> Completed:
        self._before_call()
        return self._supervisor.call(call)

    def _root(self) -> Path:
        return choose_temporary_root(map(Path, self._conditions.avoid)).path

    def _once(self, job: TrialJob) -> Trial:
        """Run a trial; one during which answers were read is run again before it is blamed.

        The system does not tell who read them: another program does so once, an agent that has found
        them does so each time.
        """
        spent: tuple[Usage, ...] = ()
        while True:
            self._sight.begin(job)
            trial, looked_around = self._beside_neighbour(job)
            seen = self._sight.seen(job, trial)
            if looked_around and job.key.mode is not Mode.WITH_SKILL:
                seen = seen or "a neighbouring workspace was read while the baseline ran"
            if seen is None or trial.failure is not None:
                return replace(trial, spent=spent) if spent else trial
            if len(spent) + 1 == SIGHTINGS or not self._may_repeat(trial.usage):
                break
            spent = (*spent, trial.usage)
        times = f"{len(spent) + 1} times out of {len(spent) + 1}, by the adapter or by another program"
        return replace(trial, grading=None, failure=Failure(CONTAMINATED, f"{seen}, {times}"), spent=spent)

    def _beside_neighbour(self, job: TrialJob) -> tuple[Trial, bool]:
        """Run a trial once, note what it did to the folders around its own, and tell whether they were read."""
        try:
            self._settle(job.key.skill)
        except (SkillEvalError, OSError) as error:
            return errored(job, 0.0, Failure("workspace", reason_of(error))), False
        trial = run_trial(job, self._tools)
        looked_around = self._neighbour.was_read()
        traces = tuple(self._traces())
        return replace(trial, notes=(*trial.notes, *traces)) if traces else trial, looked_around

    def _settle(self, skill: str) -> None:
        """See to it that the temporary root is there, or another one, and the neighbour in it."""
        root = self._tools.root
        if not root.is_dir():
            try:
                root.mkdir(0o700, parents=True)
            except OSError:
                self._tools = replace(self._tools, root=self._root())
        self._neighbour.lay(self._tools.root, skill)

    def _traces(self) -> Iterator[str]:
        if self._neighbour.was_touched():
            yield "the agent touched a neighbouring workspace"
        root = str(self._tools.root)
        now = workspaces(root)
        strays = dict(sweep_new(root, now - self._known))
        self._known = now.difference(name for name, gone in strays.items() if gone)
        for name, gone in strays.items():
            end = "was" if gone else "could not be"
            yield f"`{name}` was left among the workspaces, owned by nobody, and {end} removed"


class Sight:
    """What tells whether answers are read that no agent has to read; a context manager for one thread."""

    def __init__(self, conditions: Conditions) -> None:
        run = conditions.evaluator
        self._sandboxed = conditions.sandbox is Sandbox.BWRAP  # then repository and runs are not there to be read
        self._finished = None if run is None or self._sandboxed else FinishedWatch(run)
        self._skill: SkillWatch | None = None
        self._installed: list[SkillWatch] = []
        self._kept: KeptWatch | None = None
        self._watched: tuple[str, tuple[str, ...]] | None = None
        self._beside = None if run is None else os.path.dirname(run)
        self._places = conditions.avoid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for watch in (self._finished, self._skill, self._kept, *self._installed):
            if watch is not None:
                watch.close()

    def begin(self, job: TrialJob) -> None:
        """Look from now on."""
        if self._finished is not None:
            self._finished.begin(job.key)
        if job.watched is not None and self._watched != (job.watched, job.adapter.argv):
            self._watch(job.watched, job.adapter.argv)
        if self._skill is not None:
            self._skill.opened()
        if job.key.mode is not Mode.WITH_SKILL:
            for watch in self._installed:
                watch.opened()
            if self._kept is not None:
                self._kept.begin()

    def seen(self, job: TrialJob, trial: Trial) -> str | None:
        """Return what was read since `begin`; an answer given with the skill is remembered."""
        if self._kept is not None:
            self._kept.answered(trial)
        opened = self._skill.opened() if self._skill and job.watched else frozenset()
        if self._finished is not None and self._finished.was_read(job.key):
            return "what the run has written of this case was read while the trial ran"
        if any(path.split(os.sep)[0] == "evals" for path in opened):
            return "the skill's `evals` folder, which holds the answers, was read while the trial ran"
        return None if job.key.mode is Mode.WITH_SKILL else self._seen_by_baseline(job, opened)

    def _seen_by_baseline(self, job: TrialJob, opened: frozenset[str]) -> str | None:
        if opened:
            return f"the skill's own folder was read while the baseline ran: {quoted(min(opened - {'.'}, default='.'))}"
        if any(watch.opened() for watch in self._installed):
            return "a copy of the skill in the home folder was read while the baseline ran"
        kept = self._kept.read(job) if self._kept else None
        return kept and f"the baseline read what was written during the run and tells of the skill: `{kept}`"

    def _watch(self, folder: str, argv: tuple[str, ...]) -> None:
        """Watch this skill in place of the one before it."""
        for watch in filter(None, (self._skill, *self._installed)):
            watch.close()
        home, name = os.path.expanduser("~"), os.path.basename(folder)
        self._skill = None if self._sandboxed else SkillWatch(folder, argv, self._beside)
        self._watched = (folder, argv)
        self._installed = [SkillWatch(copy) for copy in installed_copies(home, name) if copy != folder]
        if self._kept is None and not self._sandboxed:
            runs = () if self._beside is None else (self._beside,)
            places = places_of(argv, (home, *self._places, *runs, *map(os.environ.get, HOMES)), temporary_folders())
            self._kept = KeptWatch(places, self._beside)
