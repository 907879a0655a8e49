"""The benchmark of one skill: a pure function of its trial records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evals.skill_eval.evidence.statistics import Interval, Spread, quantile, spread, wilson_interval
from evals.skill_eval.model.protocol import PROTOCOL_VERSION, Mode
from evals.skill_eval.model.record import JsonObject, TrialRecord
from evals.skill_eval.model.sentinel import EXPECTED

_MODES = tuple(Mode)
_UNKNOWN_TELEMETRY = "no event told of a loaded skill, so activation was not measured"


@dataclass(frozen=True, slots=True)
class Arm:
    """The trials of one mode. A rate without graded trials is None, never 0."""

    records: tuple[TrialRecord, ...]

    @property
    def graded(self) -> tuple[TrialRecord, ...]:
        """Return the trials that were graded."""
        return tuple(record for record in self.records if record.grading is not None)

    @property
    def passed(self) -> int:
        """Count the graded trials in which no required check failed."""
        return sum(record.grading is not None and record.grading.passed for record in self.records)

    @property
    def pass_rate(self) -> Fraction | None:
        """Return passed of graded trials, exactly."""
        return Fraction(self.passed, len(self.graded)) if self.graded else None


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
        """Return the with-skill pass rate minus the baseline's over the complete pairs, exactly."""
        return _difference(self.verdicts)

    @property
    def controls(self) -> dict[Mode, Fraction | None]:
        """Return for each control arm its pass rate minus the baseline's: what no skill can explain."""
        return {mode: _difference(self._verdicts(mode)) for mode in (Mode.CONTROL, Mode.PLACEBO) if mode in self.arms}

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
    def wrong_sentinels(self) -> tuple[TrialRecord, ...]:
        """Return the sentinels whose known answer did not come."""
        graded = (record for record in self.sentinels if record.grading is not None)
        return tuple(
            r for r in graded if r.grading is not None and r.grading.passed is not EXPECTED[str(r.key.case_id)]
        )

    @property
    def effectiveness_passed(self) -> bool | None:
        """Tell whether the minimum lift was met; None without a minimum, without a lift, or when it is withheld."""
        if self.minimum_lift is None or self.lift is None or self.withheld or self.wrong_sentinels:
            return None
        return self.lift >= self.minimum_lift

    @property
    def exit_code(self) -> int:
        """Return 2 when something was not measured, else 1 when a gate failed, else 0."""
        if self.errored or self.wrong_sentinels or not self.with_skill.graded or not self.baseline.graded:
            return 2
        if self.minimum_lift is not None and self.effectiveness_passed is None:
            return 2
        failed = self.with_skill.passed < len(self.with_skill.graded)
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


def benchmark_to_json(result: Benchmark, run_id: str, adapter: str, notice: str | None) -> JsonObject:
    """Return `benchmark.json` (see `evals/schemas/benchmark.schema.json`)."""
    return {
        "protocol_version": PROTOCOL_VERSION,
        "run_id": run_id,
        "skill_name": result.skill,
        "adapter": adapter,
        "adapter_notice": notice,
        "baseline": str(result.baseline_mode),
        **{str(mode): _arm_to_json(arm) for mode, arm in _shown_arms(result).items()},
        "pass_rate_lift": _decimal(result.lift),
        "comparison": _comparison(result),
        "controls": {str(mode): _decimal(lift) for mode, lift in result.controls.items()},
        "spread": _decimal(result.spread),
        "verdict_withheld": result.withheld,
        "sentinels": [_sentinel_to_json(record) for record in result.sentinels],
        **_activation(result),
        "cases": [_pair_to_json(pair, result.baseline_mode) for pair in result.pairs],
        "errors": [_error_to_json(record) for record in result.errored],
        "transient_retries": sum(record.retries for arm in result.arms.values() for record in arm.records),
        "minimum_lift": _decimal(result.minimum_lift),
        "effectiveness_passed": result.effectiveness_passed,
        "run_summary": _run_summary(result),
    }


def _shown_arms(result: Benchmark) -> dict[Mode, Arm]:
    """Return all arms; the two of the comparison are there even when they are empty."""
    return {Mode.WITH_SKILL: result.with_skill, result.baseline_mode: result.baseline} | dict(result.arms)


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


def _arm_to_json(arm: Arm) -> JsonObject:
    durations = [record.duration_seconds for record in arm.graded]
    graded = len(arm.graded)
    return {
        "passed": arm.passed,
        "total": graded,
        "errored": len(arm.records) - graded,
        "pass_rate": _decimal(arm.pass_rate),
        "pass_rate_interval": _interval(arm.passed, graded),
        "duration_seconds": sum(durations),
        "median_duration_seconds": quantile(durations, 0.5) if durations else None,
        "p95_duration_seconds": quantile(durations, 0.95) if durations else None,
        "usage_totals": _usage_totals(arm),
    }


def _interval(passed: int, total: int) -> Interval | None:
    return wilson_interval(passed, total) if total else None


def _usage_totals(arm: Arm) -> JsonObject:
    """Sum what was reported; a key that some graded trial did not report has no honest total."""
    names = {name for record in arm.graded for name in record.usage}
    reported = {name: [record.usage[name] for record in arm.graded if name in record.usage] for name in sorted(names)}
    return {name: sum(amounts) if len(amounts) == len(arm.graded) else None for name, amounts in reported.items()}


def _comparison(result: Benchmark) -> JsonObject:
    verdicts = result.verdicts
    return {
        "pairs": len(verdicts),
        "with_skill_passed": sum(w for w, _ in verdicts),
        "baseline_passed": sum(b for _, b in verdicts),
        "wins": sum(w and not b for w, b in verdicts),
        "losses": sum(b and not w for w, b in verdicts),
        "ties": sum(w == b for w, b in verdicts),
        "paired_win_rate": _decimal(Fraction(sum(w and not b for w, b in verdicts), len(verdicts)))
        if verdicts
        else None,
    }


def _activation(result: Benchmark) -> JsonObject:
    supported = _telemetry_supported(record for arm in result.arms.values() for record in arm.records)
    graded = result.with_skill.graded
    loaded = sum(record.loaded for record in graded)
    return {
        "activation_telemetry_supported": supported,
        "activation_rate": loaded / len(graded) if supported and graded else None,
        "activation_telemetry_note": None if supported else _UNKNOWN_TELEMETRY,
    }


def _telemetry_supported(records: Iterable[TrialRecord]) -> bool | None:
    """Tell whether the adapter reports loads: only a real event proves it, silence proves nothing."""
    records = tuple(records)
    said = {record.telemetry for record in records} | {True for record in records if record.loaded}
    return True if True in said else False if False in said else None


def _pair_to_json(pair: Pair, baseline: Mode) -> JsonObject:
    return {
        "id": pair.case_id,
        "iteration": pair.iteration,
        "with_skill_passed": _passed(pair.records.get(Mode.WITH_SKILL)),
        f"{baseline}_passed": _passed(pair.records.get(baseline)),
    }


def _sentinel_to_json(record: TrialRecord) -> JsonObject:
    return {
        "id": record.key.case_id,
        "iteration": record.key.iteration,
        "mode": str(record.key.mode),
        "expected": EXPECTED[str(record.key.case_id)],
        "passed": _passed(record),
    }


def _passed(record: TrialRecord | None) -> bool | None:
    return None if record is None or record.grading is None else record.grading.passed


def _error_to_json(record: TrialRecord) -> JsonObject:
    kind, message = (record.failure.kind, record.failure.message) if record.failure else ("", "")
    return {
        "id": record.key.case_id,
        "iteration": record.key.iteration,
        "mode": str(record.key.mode),
        "kind": kind,
        "message": message,
    }


def _run_summary(result: Benchmark) -> JsonObject:
    """Return the published shape; a metric that was not measured is absent (viewers break on null)."""
    metrics = {str(mode): _metrics(arm) for mode, arm in result.arms.items() if arm.graded}
    summary: JsonObject = {arm: {name: _spread(one) for name, one in found.items()} for arm, found in metrics.items()}
    skilled, baseline = metrics.get("with_skill", {}), metrics.get(str(result.baseline_mode), {})
    delta = {name: skilled[name].mean - baseline[name].mean for name in skilled if name in baseline}
    return summary | ({"delta": delta} if delta else {})


def _metrics(arm: Arm) -> dict[str, Spread]:
    samples = {"pass_rate": [_share(record) for record in arm.graded]}
    samples["time_seconds"] = [record.duration_seconds for record in arm.graded]
    tokens = [_tokens(record) for record in arm.graded]
    known = [amount for amount in tokens if amount is not None]
    if len(known) == len(tokens):
        samples["tokens"] = known
    return {name: spread(values) for name, values in samples.items()}


def _spread(one: Spread) -> JsonObject:
    return {"mean": one.mean, "stddev": one.stddev, "min": one.minimum, "max": one.maximum}


def _share(record: TrialRecord) -> float:
    """Return the share of applicable checks that passed, the published meaning of a run's pass rate."""
    verdicts = [check.passed for check in record.grading.results if check.passed is not None] if record.grading else []
    return sum(verdicts) / len(verdicts) if verdicts else 0.0


def _tokens(record: TrialRecord) -> float | None:
    if "input_tokens" not in record.usage or "output_tokens" not in record.usage:
        return None
    return record.usage["input_tokens"] + record.usage["output_tokens"]


def _decimal(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
