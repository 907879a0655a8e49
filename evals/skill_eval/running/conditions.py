"""The conditions under which every trial of a run takes place."""

from dataclasses import dataclass
from enum import StrEnum


class Sandbox(StrEnum):
    """What keeps an adapter in its workspace besides good manners."""

    NONE = "none"
    BWRAP = "bwrap"


@dataclass(frozen=True, slots=True)
class Canaries:
    """Random tokens that no baseline may show: one lies in the skilled copy, one with the evaluator."""

    skill: str
    evaluator: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """Everything but the trial itself; picklable, so that it travels to other machines.

    Workspaces are never made below `avoid`. `secret_values` are redacted from messages. With
    `clean_environment` the adapter sees an empty home, `PATH`, the locale, `TMPDIR` and
    `passed_variables`. `retries` bounds the repetitions after a transient fault (exit status 75).
    `evaluator` is the run's folder, which no agent has to read.
    """

    avoid: tuple[str, ...] = ()
    secret_values: tuple[str, ...] = ()
    clean_environment: bool = False
    passed_variables: tuple[str, ...] = ()
    sandbox: Sandbox = Sandbox.NONE
    retries: int = 0
    canaries: Canaries | None = None
    evaluator: str | None = None
