"""What a run came to: benchmarks written, the summary printed, the exit code chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from evals.skill_eval.artifacts.store import RunStore
from evals.skill_eval.commands.console import Console
from evals.skill_eval.evidence.benchmark import Benchmark, benchmark, benchmark_to_json
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.reporting.summary import error_lines, failed_checks, summary_table, warnings


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended, whole or not: `planned` trials were asked for, `records` came back."""

    store: RunStore
    adapter: AdapterCommand
    minimum_lift: Fraction | None
    planned: int
    records: Sequence[TrialRecord]


def conclude(ended: Ended, out: Console) -> int:
    """Write each skill's benchmark, print the summary and return the run's exit code."""
    results = _benchmarks(ended)
    for result in results:
        facts = benchmark_to_json(result, ended.store.path.name, ended.adapter.name, ended.adapter.notice)
        ended.store.write_benchmark(result.skill, facts)
    for line in error_lines(ended.adapter.name, results):
        out.talk(line)
    for line in (*summary_table(results), *failed_checks(results)):
        out.result(line)
    if ended.adapter.notice:
        out.result(f"note: {ended.adapter.notice}")
    for line in warnings(results, ended.planned - len(ended.records)):
        out.talk(line)
    out.result(f"artifacts: {ended.store.path}")
    return _exit_code(ended, results)


def _benchmarks(ended: Ended) -> list[Benchmark]:
    skills = dict.fromkeys(record.key.skill for record in ended.records)
    return [
        benchmark(skill, (r for r in ended.records if r.key.skill == skill), ended.minimum_lift) for skill in skills
    ]


def _exit_code(ended: Ended, results: Sequence[Benchmark]) -> int:
    """Return 2 when anything that was asked for was not measured, whatever else failed."""
    missing = len(ended.records) < ended.planned or not results
    return 2 if missing else max(result.exit_code for result in results)
