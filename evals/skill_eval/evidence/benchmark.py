"""The benchmark of one skill: a pure function of its trial records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.model.sentinel import EXPECTED
from evals.skill_eval.model.trial import CONTAMINATED

_MODES = tuple(Mode)


@dataclass(frozen=True, slots=True)
class Arm:
    """The trials of one mode. A rate without graded trials is None, never 0."""

    records: tuple[TrialRecord, ...]

    @property
    def graded(self) -> tuple[TrialRecord, ...]:
        """Return the trials that were graded."""
        return tuple(record for record in self.records if record.grading is not None)

    @property
    def decided(self) -> int:
        """Count the graded trials to which a required check applies."""
        return sum(record.grading is not None and record.grading.decides for record in self.records)

    @property
    def passed(self) -> int:
        """Count those of them in which no required check failed."""
        gradings = (record.grading for record in self.records if record.grading)
        return sum(grading.decides and grading.passed for grading in gradings)

    @property
    def pass_rate(self) -> Fraction | None:
        """Return passed of decided trials, exactly."""
        return Fraction(self.passed, self.decided) if self.decided else None


@dataclass(frozen=True, slots=True)
class Pair:
    """All modes of one case and iteration."""

    case_id: int | str
    iteration: int
    records: Mapping[Mode, TrialRecord]

    def verdicts(self, one: Mode, other: Mode) -> tuple[bool, bool] | None:
        """Return both verdicts by the checks that every mode can meet, or None when a trial is missing or errored."""
        first, second = _comparable(self.records.get(one)), _comparable(self.records.get(other))
        return None if first is None or second is None else (first, second)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What the trials of one skill say together; `sentinels` are the trials with known answers."""

    skill: str
    arms: Mapping[Mode, Arm]
    pairs: tuple[Pair, ...]
    sentinels: tuple[TrialRecord, ...] = ()
    minimum_lift: Fraction | None = None

    @property
    def baseline_mode(self) -> Mode:
        """Return what the skill is compared with: nothing, or its older version."""
        return Mode.OLD_SKILL if Mode.OLD_SKILL in self.arms else Mode.WITHOUT_SKILL

    @property
    def with_skill(self) -> Arm:
        """Return the trials with the skill."""
        return self.arms.get(Mode.WITH_SKILL, Arm(()))

    @property
    def baseline(self) -> Arm:
        """Return the trials of the baseline."""
        return self.arms.get(self.baseline_mode, Arm(()))

    @property
    def verdicts(self) -> tuple[tuple[bool, bool], ...]:
        """Return the (with skill, baseline) verdicts of all complete pairs."""
        return self._verdicts(Mode.WITH_SKILL)

    @property
    def lift(self) -> Fraction | None:
        """Return the with-skill pass rate minus the baseline's over the complete pairs, exactly.

        None where nothing was measured: without a complete pair, when a sentinel came out wrong, and when
        any trial was contaminated, because the pairs that are left are those in which nobody saw it.
        """
        return None if self.wrong_sentinels or self.contaminated else _difference(self.verdicts)

    @property
    def controls(self) -> dict[Mode, Fraction | None]:
        """Return for each control arm its pass rate minus the baseline's: what no skill can explain."""
        return {mode: _difference(self._verdicts(mode)) for mode in self.arms if mode.is_control}

    @property
    def spread(self) -> Fraction | None:
        """Return the largest difference that a control arm shows; None without controls."""
        return max((abs(lift) for lift in self.controls.values() if lift is not None), default=None)

    @property
    def withheld(self) -> bool:
        """Tell whether lift lies inside the spread of the controls, so that it says nothing."""
        if not self.controls:
            return False
        return self.lift is None or self.spread is None or abs(self.lift) <= self.spread

    @property
    def errored(self) -> tuple[TrialRecord, ...]:
        """Return the trials that were never scored."""
        records = (record for pair in self.pairs for record in pair.records.values())
        return tuple(record for record in (*self.sentinels, *records) if record.failure)

    @property
    def contaminated(self) -> tuple[TrialRecord, ...]:
        """Return the trials whose agent has seen what it must not."""
        return tuple(r for r in self.errored if r.failure is not None and r.failure.kind == CONTAMINATED)

    @property
    def wrong_sentinels(self) -> tuple[TrialRecord, ...]:
        """Return the sentinels whose known answer did not come."""
        graded = (record for record in self.sentinels if record.grading is not None)
        return tuple(
            r for r in graded if r.grading is not None and r.grading.passed is not EXPECTED[str(r.key.case_id)]
        )

    @property
    def effectiveness_passed(self) -> bool | None:
        """Tell whether the minimum lift was met; None without a minimum, without a lift, or when it is withheld."""
        if self.minimum_lift is None or self.lift is None or self.withheld:
            return None
        return self.lift >= self.minimum_lift

    @property
    def exit_code(self) -> int:
        """Return 2 when something was not measured, else 1 when a gate failed, else 0."""
        if self.errored or self.wrong_sentinels or not self.with_skill.graded or not self.baseline.graded:
            return 2
        if self.minimum_lift is not None and self.effectiveness_passed is None:
            return 2
        failed = self.with_skill.passed < self.with_skill.decided
        return 1 if failed or self.effectiveness_passed is False else 0

    def _verdicts(self, mode: Mode) -> tuple[tuple[bool, bool], ...]:
        found = (pair.verdicts(mode, self.baseline_mode) for pair in self.pairs)
        return tuple(verdicts for verdicts in found if verdicts is not None)


def benchmark(skill: str, records: Iterable[TrialRecord], minimum_lift: Fraction | None = None) -> Benchmark:
    """Build the benchmark of `skill` from its records, in whatever order they come."""
    ordered = sorted(records, key=_order)
    sentinels = tuple(record for record in ordered if record.key.case_id in EXPECTED)
    measured = [record for record in ordered if record.key.case_id not in EXPECTED]
    arms = {mode: Arm(tuple(record for record in measured if record.key.mode is mode)) for mode in Mode}
    return Benchmark(
        skill, {m: arm for m, arm in arms.items() if arm.records}, _pairs(measured), sentinels, minimum_lift
    )


def _difference(verdicts: Sequence[tuple[bool, bool]]) -> Fraction | None:
    return Fraction(sum(one - other for one, other in verdicts), len(verdicts)) if verdicts else None


def _comparable(record: TrialRecord | None) -> bool | None:
    return None if record is None or record.grading is None else record.grading.comparable


def _order(record: TrialRecord) -> tuple[int, bool, int, str, int]:
    """Sort by iteration, then number ids before text ids, then mode."""
    case_id, mode = record.key.case_id, _MODES.index(record.key.mode)
    number, text = (0, case_id) if isinstance(case_id, str) else (case_id, "")
    return (record.key.iteration, isinstance(case_id, str), number, text, mode)


def _pairs(records: Sequence[TrialRecord]) -> tuple[Pair, ...]:
    found: dict[tuple[int, int | str], dict[Mode, TrialRecord]] = {}
    for record in records:
        found.setdefault((record.key.iteration, record.key.case_id), {})[record.key.mode] = record
    return tuple(Pair(case_id, iteration, modes) for (iteration, case_id), modes in found.items())
