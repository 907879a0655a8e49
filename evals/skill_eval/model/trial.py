"""A trial: one case in one mode and one iteration, the unit of everything that is measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.skill_eval.model.grading import Grading
from evals.skill_eval.model.protocol import Event, Mode
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.suite import Case


@dataclass(frozen=True, slots=True)
class TrialKey:
    """Which trial: unique within a run. `iteration` counts from 1."""

    skill: str
    case_id: int | str
    iteration: int
    mode: Mode

    def __str__(self) -> str:
        return f"{self.skill}, case {self.case_id}, {self.mode}, iteration {self.iteration}"


@dataclass(frozen=True, slots=True)
class AdapterCommand:
    """An adapter as it is started: `argv` without a shell; `name` is what the user called it.

    `notice` is the sentence that every output repeats about an adapter that is no language model.
    """

    name: str
    argv: tuple[str, ...]
    notice: str | None = None


@dataclass(frozen=True, slots=True)
class GivenSkill:
    """The skill that an agent is given: `files` are laid below `skills/<name>/`."""

    name: str
    files: tuple[FileCopy, ...]


@dataclass(frozen=True, slots=True)
class TrialJob:
    """All that is needed to run one trial anywhere: picklable, with the bytes of its files.

    `inputs` have their workspace path (`inputs/…`); `skill` is None where the mode has none.
    `skill_text` is the text of the skill under test, which a baseline must not quote, and `watched`
    its own folder, which no agent has to read. `timeout_seconds` bounds the adapter call,
    `limit_bytes` each of its streams.
    """

    key: TrialKey
    case: Case
    adapter: AdapterCommand
    inputs: tuple[FileCopy, ...]
    skill: GivenSkill | None
    timeout_seconds: float
    limit_bytes: int
    skill_text: str = ""
    watched: str | None = None


CONTAMINATED = "contaminated"
"""The kind of failure of a trial whose agent has seen what it must not."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a trial was errored and therefore never scored. `kind` is one word, `message` one line."""

    kind: str
    message: str


Usage = Mapping[str, int | float]


@dataclass(frozen=True, slots=True)
class Trial:
    """What one trial came to: graded (then `failure` is None) or errored (then `grading` is None).

    `duration_seconds` is the adapter call's, by a monotonic clock. `created` are files that the
    agent made or changed, within bounds; `omitted` says of others why they were not kept.
    `retries` counts the transient faults before this answer, `spent` holds the usage of answers that
    were given before it and not kept.
    """

    key: TrialKey
    duration_seconds: float
    output: str | None = None
    events: tuple[Event, ...] = ()
    usage: Usage = field(default_factory=dict)
    grading: Grading | None = None
    failure: Failure | None = None
    created: tuple[FileCopy, ...] = ()
    omitted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    retries: int = 0
    spent: tuple[Usage, ...] = ()

    @property
    def repetitions(self) -> int:
        """Count the calls that this trial took beyond one."""
        return self.retries + len(self.spent)
