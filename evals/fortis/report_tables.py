"""The paper's tables and figures in the same shape, for what was run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evals.fortis import published
from evals.fortis.answers import Form
from evals.fortis.judge import Verdict
from evals.fortis.metrics import (
    Column,
    Judged,
    Share,
    Tally,
    by_place,
    end_to_end,
    family_interval,
    flips,
    peak_gap,
    repeat_spread,
    tally,
    twin_differences,
)
from evals.fortis.model import TASK_SETTINGS, Library, Query, Setting
from evals.fortis.report_cells import MISSING, interval_cell, percent, points, rate_cell, ratio_cell, share_cell
from evals.fortis.report_entries import level_words
from evals.fortis.selection import SHORT_NAMES
from evals.skill_eval.evidence.paired import PairCounts, difference_interval
from evals.skill_eval.reporting.document import Figure, Table
from evals.skill_eval.reporting.svg import Series, bar_chart, radar_chart

RUNS, BASELINES = "what was run", "baselines without a model"
COLUMN_NAMES: Mapping[Column, str] = {
    "ours": "our rules",
    "strict": "our rules, strict reading",
    "paper": "paper-compatible rules",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One model, or one baseline, with its answers; errored trials are counted by task."""

    name: str
    judged: Sequence[Judged]
    errors: Mapping[int, int]

    def tally(self, task: int, column: Column = "ours", wanted: Callable[[Query], bool] = lambda query: True) -> Tally:
        """Count the verdicts on the wanted queries of a task; errors are those of the whole task."""
        chosen = (one for one in self.judged if one.query.task == task and wanted(one.query))
        return tally(chosen, column, self.errors.get(task, 0))

    def by_setting(self, task: int, column: Column = "ours") -> dict[Setting, Tally]:
        """Return the tally of each setting of a task."""
        return {one: self.tally(task, column, _in_setting(one)) for one in TASK_SETTINGS[task]}


def sizes(libraries: Mapping[str, Library], queries: Iterable[Query]) -> Table:
    """Return Table 1: skills, tools and the queries that were asked."""
    listed = list(queries)
    rows = [
        (name, str(len(one.skills)), str(len(one.tools)), *(str(_count(listed, name, task)) for task in (1, 2)))
        for name, one in libraries.items()
    ]
    total = ("total", *(str(sum(int(row[at]) for row in rows)) for at in range(1, 5)))
    return Table("Table 1. What was asked", ("domain", "skills", "tools", "Task 1", "Task 2"), (*rows, total))


def main_table(rows: Sequence[Row], column: Column, of: str) -> Table:
    """Return Table 2: the rates of both tasks with counts and 95 % Wilson intervals."""
    caption = f"Table 2. Both tasks, {COLUMN_NAMES[column]}, {of}: rate (count/answers; 95 % Wilson interval)"
    if column != "ours":
        return Table(caption, _MAIN, tuple(_main_row(row, column) for row in rows))
    harmful = (share_cell(row.tally(2, column).harmful) for row in rows)
    body = tuple((*_main_row(row, column), cell) for row, cell in zip(rows, harmful, strict=True))
    return Table(caption, (*_MAIN, "T2 harmful"), body)


def published_main_table() -> Table:
    """Return the published Table 2."""
    return Table(f"Table 2, {published.LABEL}", _MAIN, tuple(map(_published_row, published.TABLE_2)))


_MAIN = (
    "model",
    "T1 EM",
    "T1 FR",
    "T2 EM",
    "T2 FR",
    "T2 OPR",
    "T2 NAR",
    "T2 OPR/FR",
    "T2 under",
    "EM1 x EM2",
    "T1 unread",
    "T2 unread",
)


def _main_row(row: Row, column: Column) -> tuple[str, ...]:
    first, second = row.tally(1, column), row.tally(2, column)
    cells = (first.exact, first.failed, second.exact, second.failed, second.over, second.no_action)
    return (
        row.name,
        *map(share_cell, cells),
        ratio_cell(second.over_of_failed),
        share_cell(second.under),
        percent(end_to_end(first, second)),
        *map(share_cell, (first.unread, second.unread)),
    )


def _published_row(row: published.PublishedRow) -> tuple[str, ...]:
    rates = (row.exact_1, row.failed_1, row.exact_2, row.failed_2, row.over_2, row.no_action_2)
    return (
        row.model,
        *(f"{float(rate):.1f} %" for rate in rates),
        f"{float(row.over_of_failed_2):.2f}",
        f"{float(row.under_2):.1f} %",
        f"{float(row.end_to_end):.1f} %",
        MISSING,
        MISSING,
    )


def class_table(rows: Sequence[Row], column: Column) -> Table:
    """Return how often each class fell; adapter errors stand beside them and are in no rate."""
    body = [
        (
            row.name,
            str(task),
            str(one.total),
            *(str(one.counts.get(verdict, 0)) for verdict in Verdict),
            str(one.errors),
        )
        for row in rows
        for task in (1, 2)
        for one in [row.tally(task, column)]
        if one.total or one.errors
    ]
    headings = ("model", "task", "answers", *(str(verdict) for verdict in Verdict), "adapter errors")
    return Table(f"Classes, {COLUMN_NAMES[column]}: counts", headings, tuple(body))


def unneeded_table(rows: Sequence[Row]) -> Table:
    """Return how many answers to Task 2 change what nobody asked for without going too far, by their class."""
    body = [
        (row.name, str(len(chosen)), *(str(classes.count(verdict)) for verdict in _CHANGING), share_cell(together))
        for row in rows
        for chosen in [[one for one in row.judged if one.query.task == 2]]
        for classes in [[one.judgement.ours for one in chosen if one.judgement.unneeded]]
        for together in [Share(len(classes), len(chosen))]
        if chosen
    ]
    headings = ("model", "Task 2 answers", *(str(verdict) for verdict in _CHANGING), "together")
    return Table(f"Answers with such a change, by class, {COLUMN_NAMES['ours']}: counts", headings, tuple(body))


_CHANGING = (Verdict.HARMFUL, Verdict.LATERAL, Verdict.UNDER, Verdict.UNKNOWN)


def setting_table(rows: Sequence[Row], column: Column, of: str) -> Table:
    """Return Table 3: failure rates by setting, and the peak's distance from the Clean Baseline."""
    body = tuple((row.name, *_setting_cells(row, column)) for row in rows)
    return Table(f"Table 3. FR by setting, {COLUMN_NAMES[column]}, {of}", _SETTINGS, body)


def published_setting_table() -> Table:
    """Return what is known of the published Table 3."""
    return Table(f"Table 3, {published.LABEL}", _SETTINGS, tuple(_published_settings()))


_SETTINGS = (
    "model",
    *(
        heading
        for task, settings in TASK_SETTINGS.items()
        for heading in (*(f"T{task} {SHORT_NAMES[setting]}" for setting in settings), f"T{task} peak - CB")
    ),
)


def _setting_cells(row: Row, column: Column) -> Iterable[str]:
    for task in TASK_SETTINGS:
        found = row.by_setting(task, column)
        yield from (share_cell(one.failed) for one in found.values())
        yield points(peak_gap(found))


def _published_settings() -> Iterable[tuple[str, ...]]:
    for model, tasks in published.TABLE_3.items():
        cells = [
            cell
            for task, settings in TASK_SETTINGS.items()
            for cell in (*(_known(tasks[f"task{task}"].get(SHORT_NAMES[one])) for one in settings), _known(None))
        ]
        yield (model, *cells)


def _known(rate: str | None) -> str:
    return "not known" if rate is None else f"{rate} %"


def twin_table(rows: Sequence[Row], column: Column) -> Table:
    """Return each ambiguous setting against its plain twins."""
    body = [
        (row.name, f"T{one.task} {SHORT_NAMES[one.setting]}", what, *_pair_cells(counts))
        for row in rows
        for one in twin_differences(row.judged, column)
        for what, counts in (("FR", one.failed), ("OPR", one.over))
        if counts.pairs
    ]
    headings = ("model", "setting", "rate", "pairs", "only here", "only in the twin", "difference (95 %)", "McNemar p")
    return Table(f"Each setting against its Clean Baseline twins, {COLUMN_NAMES[column]}", headings, tuple(body))


def _pair_cells(counts: PairCounts) -> tuple[str, ...]:
    shown = f"{points(counts.difference)} ({interval_cell(difference_interval(counts))})"
    return (
        str(counts.pairs),
        str(counts.first_only),
        str(counts.second_only),
        shown,
        f"{counts.p_value:.4f}" if counts.p_value >= 0.0001 else "below 0.0001",
    )


def domain_table(rows: Sequence[Row], task: int, domains: Sequence[str], column: Column) -> Table:
    """Return Table 5 (Task 1) or 6 (Task 2): the rates by domain."""
    body = [
        (row.name, domain, *map(share_cell, _rates(one)), ratio_cell(one.over_of_failed))
        for row in rows
        for domain in domains
        for one in [row.tally(task, column, _in_domain(domain))]
    ]
    return Table(f"Table {4 + task}. Task {task} by domain, {COLUMN_NAMES[column]}", _DOMAINS, tuple(body))


def published_domain_table(domains: Sequence[str]) -> Table:
    """Return what is known of the published Table 6."""
    rows = (
        ("range over models", one, _known(published.TABLE_6_EXACT.get(one)), _known(published.TABLE_6_FAILED.get(one)))
        for one in domains
    )
    return Table(f"Table 6, {published.LABEL}", _DOMAINS[:4], tuple(rows))


_DOMAINS = ("model", "domain", "EM", "FR", "OPR", "NAR", "under", "OPR/FR")


def _rates(one: Tally) -> tuple[Share, ...]:
    return (one.exact, one.failed, one.over, one.no_action, one.under)


def _in_domain(domain: str) -> Callable[[Query], bool]:
    return lambda query: query.domain == domain


def _of_level(level: int) -> Callable[[Query], bool]:
    return lambda query: query.label.level == level


def _in_setting(setting: Setting) -> Callable[[Query], bool]:
    return lambda query: query.setting == setting


def level_table(rows: Sequence[Row], column: Column) -> Table:
    """Return the rates by the level that a query needs."""
    body = [
        (row.name, str(task), level_words(level), *map(share_cell, (one.exact, one.over, one.no_action, one.under)))
        for row in rows
        for task in (1, 2)
        for level in range(5)
        for one in [row.tally(task, column, _of_level(level))]
        if one.total
    ]
    headings = ("model", "task", "level needed", "EM", "OPR", "NAR", "under")
    return Table(f"By the level that is needed, {COLUMN_NAMES[column]}", headings, tuple(body))


def end_to_end_figure(rows: Sequence[Row], column: Column) -> Figure:
    """Return Figure 3: EM of both tasks and their product."""
    bars = [Series(name, tuple(_number(pick(row, column)) for row in rows)) for name, pick in _STAGES]
    caption = f"Figure 3. EM1, EM2 and EM1 x EM2, {COLUMN_NAMES[column]} (numbers in Table 2)"
    return Figure(caption, bar_chart(caption, [row.name for row in rows], bars))


_STAGES: tuple[tuple[str, Callable[[Row, Column], Fraction | None]], ...] = (
    ("EM1: skill", lambda row, column: row.tally(1, column).exact.value),
    ("EM2: tools", lambda row, column: row.tally(2, column).exact.value),
    ("EM1 x EM2", lambda row, column: end_to_end(row.tally(1, column), row.tally(2, column))),
)


def setting_figure(rows: Sequence[Row], column: Column) -> Figure:
    """Return Figure 4: the failure rates of all settings on one radar."""
    axes = [f"T{task} {SHORT_NAMES[setting]}" for task, settings in TASK_SETTINGS.items() for setting in settings]
    series = [
        Series(
            row.name,
            tuple(_number(one.failed.value) for task in TASK_SETTINGS for one in row.by_setting(task, column).values()),
        )
        for row in rows
    ]
    caption = f"Figure 4. FR by setting, {COLUMN_NAMES[column]} (numbers in Table 3)"
    return Figure(caption, radar_chart(caption, axes, series))


def repeat_table(rows: Sequence[Row], column: Column) -> Table:
    """Return how far the verdicts depend on chance and on the listing's order."""
    body = [
        (row.name, str(task), share_cell(flips(chosen, column)), _spread(chosen, column), *_places(chosen, column))
        for row in rows
        for task in (1, 2)
        for chosen in [[one for one in row.judged if one.query.task == task]]
        if chosen
    ]
    headings = ("model", "task", "flip rate", "OPR, lowest to highest repeat", "OPR, right choice in first third")
    return Table(
        f"Repeats and order, {COLUMN_NAMES[column]}", (*headings, "in middle third", "in last third"), tuple(body)
    )


def _spread(chosen: Sequence[Judged], column: Column) -> str:
    rates = [one.over.value for one in repeat_spread(chosen, column).values() if one.over.value is not None]
    return f"{percent(min(rates))} to {percent(max(rates))}" if len(rates) > 1 else MISSING


def _places(chosen: Sequence[Judged], column: Column) -> Iterable[str]:
    return (rate_cell(one.over) for one in by_place(chosen, column).values())


def family_table(rows: Sequence[Row], column: Column) -> Table:
    """Return intervals that know that queries with one intent resemble each other."""
    body = [
        (row.name, str(task), *(_family_cell(chosen, verdicts, column) for verdicts in _RATES.values()))
        for row in rows
        for task in (1, 2)
        for chosen in [[one for one in row.judged if one.query.task == task]]
        if chosen
    ]
    return Table(
        f"95 % cluster-bootstrap intervals over goal families, {COLUMN_NAMES[column]}",
        ("model", "task", *_RATES),
        tuple(body),
    )


_RATES: Mapping[str, tuple[Verdict, ...]] = {
    "EM": (Verdict.EXACT,),
    "OPR": (Verdict.OVER,),
    "NAR": (Verdict.NO_ACTION,),
    "FR": (Verdict.OVER, Verdict.NO_ACTION),
}


def _family_cell(chosen: Sequence[Judged], verdicts: tuple[Verdict, ...], column: Column) -> str:
    interval = family_interval(chosen, verdicts, column)
    return MISSING if interval is None else interval_cell(interval)


def reading_table(rows: Sequence[Row]) -> Table:
    """Return how the answers could be read, and EM on the strict and on the tolerant reading."""
    body = [
        (
            row.name,
            str(task),
            *(rate_cell(Share(sum(one.form == form for one in chosen), len(chosen))) for form in _FORMS),
            share_cell(row.tally(task, "strict").exact),
            share_cell(row.tally(task).exact),
        )
        for row in rows
        for task in (1, 2)
        for chosen in [[one for one in row.judged if one.query.task == task]]
        if chosen
    ]
    headings = (
        "model",
        "task",
        "as asked",
        "normalised",
        "found in other text",
        "unreadable",
        "EM, strict",
        "EM, tolerant",
    )
    return Table("How the answers could be read", headings, tuple(body))


_FORMS = tuple(Form)


def _count(queries: Sequence[Query], domain: str, task: int) -> int:
    return sum((query.domain, query.task) == (domain, task) for query in queries)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
