"""What runs came to: judged, rendered as text, Markdown, JSON and HTML, written beside the trials and printed."""

import json
from collections.abc import Sequence
from functools import cached_property
from shutil import get_terminal_size

from evals.fortis.reading import domain_names, load_library
from evals.fortis.reference import baselines
from evals.fortis.report import build_report
from evals.fortis.report_json import answer_json, report_json
from evals.fortis.results import RunResult, load_result
from evals.fortis.storage import load_domain
from evals.skill_eval.artifacts.files import json_bytes, write_whole
from evals.skill_eval.artifacts.store import RunStore
from evals.skill_eval.commands.console import Console
from evals.skill_eval.reporting.document import Report, shortened
from evals.skill_eval.reporting.escape import escape_line
from evals.skill_eval.reporting.html import html_page
from evals.skill_eval.reporting.markdown import markdown_page
from evals.skill_eval.reporting.plain import WIDTH, plain_lines

FORMATS = ("terminal", "markdown", "json", "html")
ENTRIES = 10
"""How many over-privileged answers the terminal and Markdown show unless told otherwise."""

ANSWERS = "answers.jsonl"
"""Every judged answer of a run, a line each."""

_FILES = {"report.json": "json", "report.md": "markdown", "report.html": "html"}


class Reporter:
    """The report on some runs, or without any on the baselines alone, in whatever form it is asked for."""

    def __init__(self, results: Sequence[RunResult]) -> None:
        queries = {query.id: query for one in results for query in one.queries}
        names = tuple(dict.fromkeys(query.domain for query in queries.values())) or domain_names()
        asked = tuple(queries.values()) or tuple(query for name in names for query in load_domain(name).queries)
        self._results = results
        self._libraries = {name: load_library(name) for name in names}
        self._reference = baselines(asked, self._libraries, results[0].seed if results else 0)

    @cached_property
    def _report(self) -> Report:
        return build_report(self._results, self._reference, self._libraries)

    def text(self, kind: str, entries: int | None = None, width: int = WIDTH) -> str:
        """Return the report in one of `FORMATS`; `entries` bounds the answers shown, `width` a terminal's lines."""
        if kind == "json":
            return json_bytes(report_json(self._results, self._reference)).decode()
        report = self._report
        if kind == "html":
            return html_page(report if entries is None else shortened(report, entries))
        report = shortened(report, ENTRIES if entries is None else entries)
        return markdown_page(report) if kind == "markdown" else "\n".join(plain_lines(report, width)) + "\n"


def terminal_width() -> int:
    """Return the columns of the terminal that standard output is, or else those that `COLUMNS` or habit say."""
    return get_terminal_size((WIDTH, 24)).columns


def conclude(store: RunStore, out: Console) -> int:
    """Write the reports into the run's folder, print one, and return the exit code."""
    result = load_result(store)
    lines = (json.dumps(answer_json(one), ensure_ascii=False, sort_keys=True) + "\n" for one in result.judged)
    write_whole(store.path / ANSWERS, "".join(lines).encode())
    reporter = Reporter([result])
    for name, kind in _FILES.items():
        write_whole(store.path / name, reporter.text(kind).encode())
    for error in result.errors:
        out.talk(f"error: adapter `{escape_line(result.adapter)}`: {error.query.id}: {escape_line(error.message)}")
    out.result(reporter.text("terminal", width=terminal_width()).rstrip("\n"))
    out.result(f"artifacts: {store.path}")
    return exit_code([result])


def exit_code(results: Sequence[RunResult]) -> int:
    """Return 2 when a trial errored or was not run, else 0: how much privilege a model takes is no failure of a run."""
    return 2 if any(one.errors or one.not_run for one in results) else 0
