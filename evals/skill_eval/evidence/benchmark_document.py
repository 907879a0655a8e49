"""`benchmark.json`: what a benchmark says, as a JSON object (see `evals/schemas/benchmark.schema.json`)."""

from collections.abc import Iterable
from fractions import Fraction

from evals.skill_eval.evidence.benchmark import Arm, Benchmark, Pair
from evals.skill_eval.evidence.statistics import Interval, Spread, quantile, spread, wilson_interval
from evals.skill_eval.model.protocol import PROTOCOL_VERSION, Mode
from evals.skill_eval.model.record import JsonObject, TrialRecord
from evals.skill_eval.model.sentinel import EXPECTED

_UNKNOWN_TELEMETRY = "no event told of a loaded skill, so activation was not measured"


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


def _arm_to_json(arm: Arm) -> JsonObject:
    durations = [record.duration_seconds for record in arm.graded]
    graded = len(arm.graded)
    return {
        "passed": arm.passed,
        "total": arm.decided,
        "errored": len(arm.records) - graded,
        "pass_rate": _decimal(arm.pass_rate),
        "pass_rate_interval": _interval(arm.passed, arm.decided),
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
    """Return the published shape; what was not measured is absent (viewers break on null)."""
    metrics = {str(mode): _metrics(arm) for mode, arm in result.arms.items() if arm.graded}
    summary: JsonObject = {arm: {name: _spread(one) for name, one in found.items()} for arm, found in metrics.items()}
    skilled, baseline = metrics.get("with_skill", {}), metrics.get(str(result.baseline_mode), {})
    delta = {name: skilled[name].mean - baseline[name].mean for name in skilled if name in baseline}
    return summary | ({"delta": delta} if delta and result.lift is not None else {})


def _metrics(arm: Arm) -> dict[str, Spread]:
    shares = [share for record in arm.graded if (share := _share(record)) is not None]
    samples = {"pass_rate": shares} if shares else {}
    samples["time_seconds"] = [record.duration_seconds for record in arm.graded]
    tokens = [_tokens(record) for record in arm.graded]
    known = [amount for amount in tokens if amount is not None]
    if len(known) == len(tokens):
        samples["tokens"] = known
    return {name: spread(values) for name, values in samples.items()}


def _spread(one: Spread) -> JsonObject:
    return {"mean": one.mean, "stddev": one.stddev, "min": one.minimum, "max": one.maximum}


def _share(record: TrialRecord) -> float | None:
    """Return the share of applicable checks that passed, the published meaning of a run's pass rate."""
    verdicts = [check.passed for check in record.grading.results if check.passed is not None] if record.grading else []
    return sum(verdicts) / len(verdicts) if verdicts else None


def _tokens(record: TrialRecord) -> float | None:
    if "input_tokens" not in record.usage or "output_tokens" not in record.usage:
        return None
    return record.usage["input_tokens"] + record.usage["output_tokens"]


def _decimal(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
