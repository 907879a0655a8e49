"""What a grader may look at, and what it says."""

from dataclasses import dataclass

from evals.skill_eval.model.protocol import Event


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
    type: str
    required: bool
    passed: bool | None
    message: str


@dataclass(frozen=True, slots=True)
class Grading:
    """The verdict on one trial: `passed` when no applicable required check failed."""

    passed: bool
    results: tuple[CheckResult, ...]

    @property
    def failed_required(self) -> tuple[CheckResult, ...]:
        """Return the required checks that failed, in suite order."""
        return tuple(result for result in self.results if result.required and result.passed is False)
