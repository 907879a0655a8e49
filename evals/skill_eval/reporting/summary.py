"""The summary of a run as lines for a terminal: counts beside rates, reasons beside failures."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from evals.skill_eval.evidence.benchmark import Arm, Benchmark
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.reporting.escape import escape_line

_SHOWN_CHARACTERS = 160
_HEADINGS = ("skill", "with skill", "without skill", "lift", "pairs", "errors")


def trial_line(record: TrialRecord) -> str:
    """Return what one trial came to."""
    if record.failure is not None:
        return f"errored: {_short(record.failure.message)}"
    verdict = "passed" if record.grading is not None and record.grading.passed else "failed"
    return f"{verdict} ({record.duration_seconds:.2f} s)"


def error_lines(adapter: str, results: Iterable[Benchmark]) -> list[str]:
    """Return one line for each trial that was never scored: skill, case, mode, iteration and reason."""
    return [
        f"error: adapter `{escape_line(adapter)}`: {escape_line(str(record.key))}: {_short(record.failure.message)}"
        for result in results
        for record in result.errored
        if record.failure is not None
    ]


def summary_table(results: Sequence[Benchmark]) -> list[str]:
    """Return the table of all skills: passed of graded trials, lift over the complete pairs."""
    rows = [_HEADINGS, *(_row(result) for result in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def failed_checks(results: Iterable[Benchmark]) -> list[str]:
    """Return the required checks that failed with the skill, each with its reason."""
    return [
        f"failed: {escape_line(str(record.key))}: check `{escape_line(check.id)}`: {_short(check.message)}"
        for result in results
        for record in result.with_skill.graded
        if record.grading is not None
        for check in record.grading.failed_required
    ]


def warnings(results: Sequence[Benchmark], not_run: int) -> list[str]:
    """Return what a reader must not overlook: missing trials, no lift, a missed minimum."""
    lines = [f"warning: {not_run} trials were not run; the run is incomplete"] if not_run > 0 else []
    return lines + [line for result in results for line in _lift_warnings(result)]


def _lift_warnings(result: Benchmark) -> list[str]:
    if result.lift is None:
        return [f"warning: {result.skill}: no complete pair, so there is no lift"]
    if result.effectiveness_passed is False and result.minimum_lift is not None:
        return [f"warning: {result.skill}: lift {_signed(result.lift)} is below the minimum {_signed(result.minimum_lift)}"]
    if result.minimum_lift is None and result.lift <= 0:
        return [f"warning: {result.skill}: lift is {_signed(result.lift)}: the skill did not help on these cases"]
    return []


def _row(result: Benchmark) -> tuple[str, ...]:
    lift = "none" if result.lift is None else _signed(result.lift)
    counts = (str(len(result.verdicts)), str(len(result.errored)))
    return (result.skill, _rate(result.with_skill), _rate(result.without_skill), lift, *counts)


def _rate(arm: Arm) -> str:
    if arm.pass_rate is None:
        return "not measured"
    return f"{arm.passed}/{len(arm.graded)} ({float(arm.pass_rate):.0%})"


def _signed(value: Fraction) -> str:
    return f"{float(value):+.2f}"


def _short(text: str) -> str:
    line = escape_line(text)
    return line if len(line) <= _SHOWN_CHARACTERS else line[: _SHOWN_CHARACTERS - 1] + "…"
