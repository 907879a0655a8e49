"""The summary of a run as lines for a terminal: counts beside rates, reasons beside failures."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from evals.skill_eval.evidence.benchmark import Arm, Benchmark
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.reporting.escape import escape_line
from evals.skill_eval.reporting.table import table

_SHOWN_CHARACTERS = 320


def trial_line(record: TrialRecord) -> str:
    """Return what one trial came to."""
    if record.failure is not None:
        return f"errored: {_short(record.failure.message)}"
    if record.grading is not None and not record.grading.results:
        return f"answered ({record.duration_seconds:.2f} s)"
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
    return table([_headings(results), *(_row(result) for result in results)])


def notes(results: Iterable[Benchmark]) -> list[str]:
    """Return what agents did beside their work: changed inputs, touched neighbours, left processes."""
    return [
        f"note: {escape_line(str(record.key))}: {_short(note)}"
        for result in results
        for pair in result.pairs
        for record in pair.records.values()
        for note in record.notes
    ]


def failed_checks(results: Iterable[Benchmark]) -> list[str]:
    """Return the required checks that failed with the skill, each once with its iterations and first reason."""
    return [line for result in results for line in _failed_checks(result)]


def _failed_checks(result: Benchmark) -> Iterator[str]:
    found: dict[tuple[int | str, str], list[tuple[int, str]]] = {}
    for record in result.with_skill.graded:
        for check in record.grading.failed_required if record.grading else ():
            found.setdefault((record.key.case_id, check.id), []).append((record.key.iteration, check.message))
    for (case_id, check_id), times in found.items():
        iterations = ", ".join(str(iteration) for iteration, _ in times)
        place = f"{result.skill}, case {case_id}, with_skill, iteration{'s' if len(times) > 1 else ''} {iterations}"
        yield f"failed: {escape_line(place)}: check `{escape_line(check_id)}`: {_short(times[0][1])}"


def at_most(most: int, lines: Sequence[str], where: str) -> list[str]:
    """Return the lines, or the first of them with a count of the others and `where` those are."""
    rest = len(lines) - most
    return [*lines] if rest <= 0 else [*lines[:most], f"and {rest} more: {where}"]


def control_lines(results: Iterable[Benchmark]) -> list[str]:
    """Return what the control arms show beside each lift, and what they say of it."""
    return [line for result in results for line in _control_lines(result)]


def warnings(results: Sequence[Benchmark], not_run: int) -> list[str]:
    """Return what a reader must not overlook: missing trials, wrong sentinels, no lift, a missed minimum."""
    lines = (
        [f"warning: {not_run} {'trial was' if not_run == 1 else 'trials were'} not run; the run is incomplete"]
        if not_run > 0
        else []
    )
    return lines + [line for result in results for line in (*_sentinel_warnings(result), *_lift_warnings(result))]


def comparison_lines(results: Iterable[Benchmark]) -> list[str]:
    """Return where lift is not the difference of the two rates shown, and what it is made of."""
    return [_comparison_line(result) for result in results if result.lift not in (None, _difference_shown(result))]


def _comparison_line(result: Benchmark) -> str:
    skilled, baseline = sum(w for w, _ in result.verdicts), sum(b for _, b in result.verdicts)
    counts = f"{skilled} with {baseline} of {len(result.verdicts)} pairs"
    return f"note: {result.skill}: lift compares {counts}, by the checks that both modes can meet"


def _difference_shown(result: Benchmark) -> Fraction | None:
    skilled, baseline = result.with_skill.pass_rate, result.baseline.pass_rate
    return None if skilled is None or baseline is None else skilled - baseline


def _control_lines(result: Benchmark) -> Iterator[str]:
    for mode, lift in result.controls.items():
        shown = "not measured" if lift is None else _signed(lift)
        yield f"control: {result.skill}: {mode} against the baseline: {shown}"
    if result.withheld and result.spread is None:
        yield f"verdict withheld: {result.skill}: the controls were not measured"
    elif result.withheld:
        yield f"verdict withheld: {result.skill}: lift lies inside what the controls show without the skill"


def _sentinel_warnings(result: Benchmark) -> Iterator[str]:
    wrong = dict.fromkeys(f"`{record.key.case_id}` in {record.key.mode}" for record in result.wrong_sentinels)
    if wrong:
        names = escape_line(", ".join(wrong))
        yield f"warning: {result.skill}: nothing was measured: wrong answer of the sentinel {names}"


def _lift_warnings(result: Benchmark) -> Iterator[str]:
    lift, minimum = result.lift, result.minimum_lift
    if not result.verdicts:
        reason = "no check that both modes can meet" if _is_complete(result) else "no complete pair"
        yield f"warning: {result.skill}: {reason}, so there is no lift"
    elif result.contaminated:
        count = len(result.contaminated)
        trials = "1 trial was" if count == 1 else f"{count} trials were"
        yield f"warning: {result.skill}: {trials} contaminated, so the other pairs are in doubt and there is no lift"
    elif lift is None:  # the sentinels have their own warning
        return
    elif result.effectiveness_passed is False and minimum is not None:
        yield f"warning: {result.skill}: lift {_signed(lift)} is below the minimum {_signed(minimum)}"
    elif minimum is None and lift <= 0:
        verdict = "is no better than its older version" if result.baseline_mode.has_old_skill else "did not help"
        yield f"warning: {result.skill}: lift is {_signed(lift)}: the skill {verdict} on these cases"


def _is_complete(result: Benchmark) -> bool:
    wanted = {Mode.WITH_SKILL, result.baseline_mode}
    return any(wanted <= {mode for mode, record in pair.records.items() if record.grading} for pair in result.pairs)


def _headings(results: Iterable[Benchmark]) -> tuple[str, ...]:
    baseline = "older skill" if any(result.baseline_mode.has_old_skill for result in results) else "baseline"
    return ("skill", "with skill", baseline, "lift", "pairs", "errors")


def _row(result: Benchmark) -> tuple[str, ...]:
    lift = "none" if result.lift is None else _signed(result.lift)
    counts = (str(len(result.verdicts)), str(len(result.errored)))
    return (result.skill, _rate(result.with_skill), _rate(result.baseline), lift, *counts)


def _rate(arm: Arm) -> str:
    if arm.pass_rate is None:
        return "not applicable" if arm.graded else "not measured"
    return f"{arm.passed}/{arm.decided} ({float(arm.pass_rate):.0%})"


def _signed(value: Fraction) -> str:
    return f"{float(value):+.2f}"


def _short(text: str) -> str:
    line = escape_line(text)
    return line if len(line) <= _SHOWN_CHARACTERS else line[: _SHOWN_CHARACTERS - 1] + "…"
