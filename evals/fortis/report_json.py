"""The report as JSON: every count that the tables are made of; and the judged answers, a line each."""

from collections.abc import Iterator, Mapping, Sequence

from evals.fortis import published
from evals.fortis.judge import Excess, Verdict
from evals.fortis.metrics import (
    FAILURES,
    Column,
    Judged,
    Share,
    Tally,
    by_place,
    end_to_end,
    family_interval,
    flips,
    grouped,
    peak_gap,
    repeat_spread,
    tally,
    twin_differences,
)
from evals.fortis.model import TASK_SETTINGS, SkillLabel
from evals.fortis.notices import notices
from evals.fortis.report_entries import over_privileged, reasons, with_unneeded_changes
from evals.fortis.results import RunResult
from evals.skill_eval.evidence.paired import PairCounts
from evals.skill_eval.model.record import JsonObject

_COLUMNS: tuple[Column, ...] = ("ours", "strict", "paper")


def report_json(results: Sequence[RunResult], reference: Mapping[str, Sequence[Judged]]) -> JsonObject:
    """Return the whole report; a rate without answers is null, never 0."""
    return {
        "notices": list(notices(results)),
        "runs": [_run(one) for one in results],
        "baselines": {name: _totals(found) for name, found in reference.items()},
        "published": {
            "label": published.LABEL,
            "source": published.SOURCE,
            "table2": [_published(row) for row in published.TABLE_2],
        },
    }


def _run(result: RunResult) -> JsonObject:
    errors = {task: sum(one.query.task == task for one in result.errors) for task in (1, 2)}
    return {
        "run": result.run_id,
        "adapter": result.adapter,
        "notice": result.notice,
        "hint": result.hint,
        "order_seed": result.seed,
        "planned": result.planned,
        "not_run": result.not_run,
        "measures": _measures(result.judged, errors),
        "family_intervals_95": _families(result.judged),
        "over_privileged": [answer_json(one) for one in over_privileged(result.judged)],
        "unneeded_changes": [answer_json(one) for one in with_unneeded_changes(result.judged)],
        "errors": [
            {"query": one.query.id, "repeat": one.repeat, "kind": one.kind, "message": one.message}
            for one in result.errors
        ],
    }


def _totals(judged: Sequence[Judged]) -> JsonObject:
    """Return a baseline's rates in both tasks."""
    tasks = {task: [one for one in judged if one.query.task == task] for task in TASK_SETTINGS}
    return {
        column: {f"task{task}": _tally(tally(found, column)) for task, found in tasks.items()} for column in _COLUMNS
    }


def _measures(judged: Sequence[Judged], errors: Mapping[int, int]) -> JsonObject:
    return {column: dict(_of_column(judged, errors, column)) for column in _COLUMNS}


def _families(judged: Sequence[Judged]) -> JsonObject:
    rates = {"em": (Verdict.EXACT,), "opr": (Verdict.OVER,), "fr": FAILURES}
    return {
        f"task{task}": {
            name: family_interval([one for one in judged if one.query.task == task], verdicts)
            for name, verdicts in rates.items()
        }
        for task in TASK_SETTINGS
    }


def _of_column(judged: Sequence[Judged], errors: Mapping[int, int], column: Column) -> Iterator[tuple[str, object]]:
    tallies = {}
    for task in TASK_SETTINGS:
        chosen = [one for one in judged if one.query.task == task]
        tallies[task] = tally(chosen, column, errors.get(task, 0))
        yield f"task{task}", _tally(tallies[task]) | dict(_parts(chosen, task, column))
    bound = end_to_end(tallies[1], tallies[2])
    yield "end_to_end_upper_bound", None if bound is None else float(bound)
    yield (
        "twins",
        [
            {"task": one.task, "setting": str(one.setting), "failed": _pairs(one.failed), "over": _pairs(one.over)}
            for one in twin_differences(judged, column)
        ],
    )


def _parts(chosen: Sequence[Judged], task: int, column: Column) -> Iterator[tuple[str, object]]:
    settings = {s: tally((one for one in chosen if one.query.setting == s), column) for s in TASK_SETTINGS[task]}
    yield "by_setting", {str(setting): _tally(one) for setting, one in settings.items()}
    gap = peak_gap(settings)
    yield "peak_minus_clean", None if gap is None else float(gap)
    domains = grouped(chosen, lambda one: one.query.domain)
    yield "by_domain", {str(name): _tally(tally(found, column)) for name, found in domains.items()}
    levels = grouped(chosen, lambda one: one.query.label.level)
    yield "by_level", {str(level): _tally(tally(found, column)) for level, found in levels.items()}
    yield "by_place", {third: _tally(one) for third, one in by_place(chosen, column).items()}
    yield "by_repeat", {str(repeat): _tally(one) for repeat, one in repeat_spread(chosen, column).items()}
    yield "flips", _share(flips(chosen, column))


def _tally(one: Tally) -> JsonObject:
    return {
        "answers": one.total,
        "adapter_errors": one.errors,
        "classes": {str(verdict): one.counts.get(verdict, 0) for verdict in Verdict} if one.total else None,
        "em": _share(one.exact),
        "opr": _share(one.over),
        "nar": _share(one.no_action),
        "fr": _share(one.failed),
        "under": _share(one.under),
        "harmful": _share(one.harmful),
        "opr_of_fr": _share(one.over_of_failed),
    }


def _share(one: Share) -> JsonObject:
    value = one.value
    return {
        "count": one.count if one.total else None,
        "total": one.total,
        "rate": None if value is None else float(value),
        "wilson_95": one.interval,
    }


def _pairs(counts: PairCounts) -> JsonObject:
    difference = counts.difference
    return {
        "pairs": counts.pairs,
        "here_only": counts.first_only,
        "twin_only": counts.second_only,
        "difference": None if difference is None else float(difference),
        "mcnemar_p": counts.p_value if counts.pairs else None,
    }


def answer_json(one: Judged) -> JsonObject:
    """Return one judged answer: what was asked, needed and taken, and the verdicts."""
    judgement, label = one.judgement, one.query.label
    return {
        "query": one.query.id,
        "request": one.query.text,
        "given_skill": one.query.skill,
        "repeat": one.repeat,
        "answer": one.text,
        "names": list(one.names),
        "form": str(one.form),
        "marks": list(one.marks),
        "needed": [[label.skill]] if isinstance(label, SkillLabel) else [list(group) for group in label.optimal],
        "level": label.level,
        "ours": str(judgement.ours),
        "strict": str(judgement.strict),
        "paper": str(judgement.paper),
        "kind": None if judgement.kind is None else str(judgement.kind),
        "level_gap": judgement.gap,
        "unknown": list(judgement.unknown),
        "excess": [_excess(excess) for excess in judgement.excess],
        "unneeded": [_excess(stray) for stray in judgement.unneeded],
        "why": list(reasons(one)),
        "place": one.place,
    }


def _excess(one: Excess) -> JsonObject:
    beyond = [[reach.atom, reach.scope.name.lower()] for reach in one.beyond]
    return {"name": one.name, "level": one.level, "granted": one.granted, "beyond": beyond}


def _published(row: published.PublishedRow) -> JsonObject:
    return {
        "model": row.model,
        "task1": {"em": float(row.exact_1), "fr": float(row.failed_1)},
        "task2": {
            "em": float(row.exact_2),
            "fr": float(row.failed_2),
            "opr": float(row.over_2),
            "nar": float(row.no_action_2),
            "opr_of_fr": float(row.over_of_failed_2),
            "under": float(row.under_2),
        },
        "end_to_end_upper_bound": float(row.end_to_end),
    }
