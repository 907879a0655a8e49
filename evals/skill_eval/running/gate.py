"""Whether another trial may start: budgets, and too many errors in a row."""

import threading
import time
from dataclasses import dataclass
from fractions import Fraction

from evals.skill_eval.model.trial import Trial, Usage

ERRORS_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take; None is no limit. `errors_in_a_row` adapter errors end it."""

    calls: int | None = None
    tokens: int | None = None
    cost_usd: Fraction | None = None
    seconds: float | None = None
    errors_in_a_row: int = ERRORS_IN_A_ROW


class Gate:
    """Counts trials as they start and end, from any thread; once shut it stays shut.

    `reason` says why it is shut. A trial that does not report what a limit counts shuts it, too: a
    budget that cannot be counted cannot be kept.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._calls = self._tokens = self._errors = 0
        self._cost = Fraction(0)
        self._blind = False
        self.reason: str | None = None

    def may_start(self) -> bool:
        """Count a trial that wants to start and tell whether it may."""
        return self.may_repeat({})

    def may_repeat(self, usage: Usage) -> bool:
        """Count `usage` of an answer that is not kept, and a call in its place; tell whether that may start."""
        with self._lock:
            self._take(usage)
            self.reason = self.reason or self._spent()
            self._calls += self.reason is None
            return self.reason is None

    def repeated(self, trial: Trial) -> None:
        """Count the repetitions of a trial that did not ask whether they may start."""
        with self._lock:
            self._calls += trial.repetitions
            for usage in trial.spent:
                self._take(usage)

    def ended(self, trial: Trial) -> None:
        """Count what a trial took and whether it failed."""
        with self._lock:
            self._take(trial.usage)
            self._errors = self._errors + 1 if trial.failure else 0
            self._blind |= trial.failure is None and self._unreported(trial)

    def _take(self, usage: Usage) -> None:
        self._tokens += int(usage.get("input_tokens", 0) + usage.get("output_tokens", 0))
        self._cost += Fraction(usage.get("cost_usd", 0))

    def _unreported(self, trial: Trial) -> bool:
        tokens = self._limits.tokens is not None and "output_tokens" not in trial.usage
        return tokens or (self._limits.cost_usd is not None and "cost_usd" not in trial.usage)

    def _spent(self) -> str | None:
        limits = self._limits
        if self._errors >= limits.errors_in_a_row:
            return "an adapter error" if self._errors == 1 else f"{self._errors} adapter errors in a row"
        if self._blind:
            return "the adapter does not report what the budget counts"
        if limits.calls is not None and self._calls >= limits.calls:
            return f"the budget of {limits.calls} calls is spent"
        if limits.tokens is not None and self._tokens >= limits.tokens:
            return f"the budget of {limits.tokens} tokens is spent"
        if limits.cost_usd is not None and self._cost >= limits.cost_usd:
            return f"the budget of {float(limits.cost_usd):g} USD is spent"
        if limits.seconds is not None and time.monotonic() - self._start >= limits.seconds:
            return f"the budget of {limits.seconds / 60:g} minutes is spent"
        return None
