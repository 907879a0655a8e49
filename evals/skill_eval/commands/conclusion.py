"""What a run came to: benchmarks written, the summary printed, the exit code chosen; from the run's folder alone."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from evals.skill_eval.artifacts.store import RunStore
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.selection import current_folder
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.evidence.benchmark import Benchmark, benchmark
from evals.skill_eval.evidence.benchmark_document import benchmark_to_json
from evals.skill_eval.model.certificate import Certificate
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.reporting.certificate import summary
from evals.skill_eval.reporting.summary import (
    at_most,
    comparison_lines,
    control_lines,
    error_lines,
    failed_checks,
    notes,
    summary_table,
    warnings,
)

_MOST_FAILED = 40


def conclude(store: RunStore, out: Console) -> int:
    """Write each skill's benchmark, print the summary and return the run's exit code."""
    facts: dict[str, Any] = store.facts()
    if "benchmark" in facts:
        raise ConfigError(f"`{store.path.name}` is a run of {facts['benchmark']}", hint="use that program's commands")
    records = store.records()
    results = _benchmarks(records, facts)
    adapter = facts["adapter"]
    for result in results:
        store.write_benchmark(
            result.skill, benchmark_to_json(result, store.path.name, adapter["name"], adapter["notice"])
        )
    _print(results, facts, len(records), store, out)
    return _exit_code(results, len(records) < facts["planned_trials"])


def _benchmarks(records: Sequence[TrialRecord], facts: dict[str, Any]) -> list[Benchmark]:
    minimum = facts["options"]["minimum_lift"]
    lift = None if minimum is None else Fraction(minimum)
    skills = sorted({record.key.skill for record in records})
    return [benchmark(skill, (r for r in records if r.key.skill == skill), lift) for skill in skills]


def _print(results: Sequence[Benchmark], facts: dict[str, Any], done: int, store: RunStore, out: Console) -> None:
    for line in error_lines(facts["adapter"]["name"], results):
        out.talk(line)
    failed = at_most(_MOST_FAILED, failed_checks(results), "see the `grading.json` of each trial")
    for line in (*summary_table(results), *comparison_lines(results), *control_lines(results), *failed):
        out.result(line)
    if facts["adapter"]["notice"]:
        out.result(f"note: {facts['adapter']['notice']}")
    for line in (*_isolation_lines(facts), *notes(results)):
        out.result(line)
    for line in warnings(results, facts["planned_trials"] - done):
        out.talk(line)
    out.result(f"artifacts: {_from_here(store.path)}")


def _from_here(path: Path) -> Path:
    """Return `path` as one would type it in the current folder, where it lies below that."""
    path, here = path.resolve(), current_folder()
    is_below = path.is_relative_to(here) and here != Path(here.root)
    return path.relative_to(here) if is_below else path


def _isolation_lines(facts: dict[str, Any]) -> list[str]:
    """Return which level of isolation was in force."""
    chosen = facts["options"]
    environment = "clean environment" if chosen["clean_env"] else "inherited environment"
    sandbox = "no sandbox" if chosen["sandbox"] == "none" else f"sandbox {chosen['sandbox']}"
    return [f"isolation: {environment}, {sandbox}, canaries planted", _certificate_line(facts)]


def _certificate_line(facts: dict[str, Any]) -> str:
    """Return what is certified of the adapter: an isolation that nobody has checked is a promise."""
    if facts.get("adapter_certificate") is None:
        return "adapter certificate: none; `adapter check` makes one"
    return f"adapter certificate: {summary(Certificate.from_json(facts['adapter_certificate']))}"


def _exit_code(results: Sequence[Benchmark], incomplete: bool) -> int:
    """Return 2 when anything that was asked for was not measured, whatever else failed."""
    return 2 if incomplete or not results else max(result.exit_code for result in results)
