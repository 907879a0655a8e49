"""What a grader may look at, and what it says."""

from dataclasses import dataclass

from evals.skill_eval.model.protocol import Event
from evals.skill_eval.model.suite import CheckType


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that grading sees of a trial.

    `output` is the raw answer. `files` are those `file_exists` paths of the case at which the
    agent left a regular file of its own (made or changed) inside its workspace.
    """

    output: str
    files: frozenset[str] = frozenset()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdict on one check; `passed` is None where the check does not apply to the mode."""

    id: str
    type: CheckType
    required: bool
    passed: bool | None
    message: str


@dataclass(frozen=True, slots=True)
class Grading:
    """The verdicts on one trial, in suite order."""

    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Tell whether no required check failed: what gates a with-skill run."""
        return not self.failed_required

    @property
    def failed_required(self) -> tuple[CheckResult, ...]:
        """Return the required checks that failed."""
        return tuple(result for result in self.results if result.required and result.passed is False)

    @property
    def decides(self) -> bool:
        """Tell whether any required check could be met here: without one, `passed` says nothing."""
        return any(result.required and result.passed is not None for result in self.results)

    @property
    def comparable(self) -> bool | None:
        """Tell whether the checks that both modes can meet are met; None when there are none.

        `loaded_skill` is left out on both sides: the baseline cannot meet it.
        """
        verdicts = [r.passed for r in self.results if r.required and r.type is not CheckType.LOADED_SKILL]
        return all(verdicts) if verdicts else None
