"""The benchmark of one skill: a pure function of its trial records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evals.skill_eval.evidence.statistics import Interval, Spread, quantile, spread, wilson_interval
from evals.skill_eval.model.protocol import PROTOCOL_VERSION, Mode
from evals.skill_eval.model.record import JsonObject, TrialRecord

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
    """Both modes of one case and iteration; only complete, comparable pairs make lift."""

    case_id: int | str
    iteration: int
    with_skill: TrialRecord | None
    without_skill: TrialRecord | None

    @property
    def verdicts(self) -> tuple[bool, bool] | None:
        """Return (with, without) by the checks that both modes can meet, or None when not comparable."""
        with_skill, without_skill = _comparable(self.with_skill), _comparable(self.without_skill)
        return None if with_skill is None or without_skill is None else (with_skill, without_skill)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What the trials of one skill say together."""

    skill: str
    with_skill: Arm
    without_skill: Arm
    pairs: tuple[Pair, ...]
    minimum_lift: Fraction | None = None

    @property
    def verdicts(self) -> tuple[tuple[bool, bool], ...]:
        """Return the (with, without) verdicts of all comparable pairs."""
        return tuple(pair.verdicts for pair in self.pairs if pair.verdicts is not None)

    @property
    def lift(self) -> Fraction | None:
        """Return the with-skill pass rate minus the baseline's over the comparable pairs, exactly."""
        verdicts = self.verdicts
        return Fraction(sum(w - b for w, b in verdicts), len(verdicts)) if verdicts else None

    @property
    def errored(self) -> tuple[TrialRecord, ...]:
        """Return the trials that were never scored."""
        return tuple(record for record in (*self.without_skill.records, *self.with_skill.records) if record.failure)

    @property
    def effectiveness_passed(self) -> bool | None:
        """Tell whether the minimum lift was met; None without a minimum or without a lift."""
        return None if self.minimum_lift is None or self.lift is None else self.lift >= self.minimum_lift

    @property
    def exit_code(self) -> int:
        """Return 2 when something was not measured, else 1 when a gate failed, else 0."""
        if self.errored or not self.with_skill.graded or not self.without_skill.graded:
            return 2
        if self.minimum_lift is not None and self.lift is None:
            return 2
        failed = self.with_skill.passed < len(self.with_skill.graded)
        return 1 if failed or self.effectiveness_passed is False else 0


def benchmark(skill: str, records: Iterable[TrialRecord], minimum_lift: Fraction | None = None) -> Benchmark:
    """Build the benchmark of `skill` from its records, in whatever order they come."""
    ordered = sorted(records, key=lambda record: (record.key.iteration, _case_order(record.key.case_id)))
    arms = {mode: Arm(tuple(record for record in ordered if record.key.mode is mode)) for mode in Mode}
    return Benchmark(skill, arms[Mode.WITH_SKILL], arms[Mode.WITHOUT_SKILL], _pairs(ordered), minimum_lift)


def benchmark_to_json(result: Benchmark, run_id: str, adapter: str, notice: str | None) -> JsonObject:
    """Return `benchmark.json` (see `evals/schemas/benchmark.schema.json`)."""
    return {
        "protocol_version": PROTOCOL_VERSION,
        "run_id": run_id,
        "skill_name": result.skill,
        "adapter": adapter,
        "adapter_notice": notice,
        "with_skill": _arm_to_json(result.with_skill),
        "without_skill": _arm_to_json(result.without_skill),
        "pass_rate_lift": _decimal(result.lift),
        "comparison": _comparison(result),
        **_activation(result),
        "cases": [_pair_to_json(pair) for pair in result.pairs],
        "errors": [_error_to_json(record) for record in result.errored],
        "minimum_lift": _decimal(result.minimum_lift),
        "effectiveness_passed": result.effectiveness_passed,
        "run_summary": _run_summary(result),
    }


def _comparable(record: TrialRecord | None) -> bool | None:
    return None if record is None or record.grading is None else record.grading.comparable


def _case_order(case_id: int | str) -> tuple[bool, int, str]:
    return (True, 0, case_id) if isinstance(case_id, str) else (False, case_id, "")


def _pairs(records: Sequence[TrialRecord]) -> tuple[Pair, ...]:
    found: dict[tuple[int, int | str], dict[Mode, TrialRecord]] = {}
    for record in records:
        found.setdefault((record.key.iteration, record.key.case_id), {})[record.key.mode] = record
    return tuple(
        Pair(case_id, iteration, modes.get(Mode.WITH_SKILL), modes.get(Mode.WITHOUT_SKILL))
        for (iteration, case_id), modes in found.items()
    )


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
        "without_skill_passed": sum(b for _, b in verdicts),
        "wins": sum(w and not b for w, b in verdicts),
        "losses": sum(b and not w for w, b in verdicts),
        "ties": sum(w == b for w, b in verdicts),
        "paired_win_rate": _decimal(Fraction(sum(w and not b for w, b in verdicts), len(verdicts))) if verdicts else None,
    }


def _activation(result: Benchmark) -> JsonObject:
    supported = _telemetry_supported((*result.with_skill.records, *result.without_skill.records))
    graded = result.with_skill.graded
    loaded = sum(record.loaded for record in graded)
    return {
        "activation_telemetry_supported": supported,
        "activation_rate": loaded / len(graded) if supported and graded else None,
        "activation_telemetry_note": None if supported else _UNKNOWN_TELEMETRY,
    }


def _telemetry_supported(records: Iterable[TrialRecord]) -> bool | None:
    """Tell whether the adapter reports loads: only a real event proves it, silence proves nothing."""
    said = {record.telemetry for record in records} | {True for record in records if record.loaded}
    return True if True in said else False if False in said else None


def _pair_to_json(pair: Pair) -> JsonObject:
    return {
        "id": pair.case_id,
        "iteration": pair.iteration,
        "with_skill_passed": _passed(pair.with_skill),
        "without_skill_passed": _passed(pair.without_skill),
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
    arms = {"with_skill": _metrics(result.with_skill), "without_skill": _metrics(result.without_skill)}
    shared = [name for name in arms["with_skill"] if name in arms["without_skill"]]
    delta = {name: arms["with_skill"][name].mean - arms["without_skill"][name].mean for name in shared}
    summary: JsonObject = {arm: {name: _spread(one) for name, one in found.items()} for arm, found in arms.items() if found}
    return summary | ({"delta": delta} if delta else {})


def _metrics(arm: Arm) -> dict[str, Spread]:
    if not arm.graded:
        return {}
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
