"""Queries -> trials of the harness: each is one request without a skill, all of it in the prompt."""

from collections.abc import Mapping, Sequence

from evals.fortis.model import Library, Query
from evals.fortis.order import by_prompt, listing
from evals.fortis.prompts import prompt
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.suite import Case
from evals.skill_eval.model.trial import AdapterCommand, TrialJob, TrialKey
from evals.skill_eval.running.engine import Plan
from evals.skill_eval.running.material import Bounds


def suite_name(domain: str, task: int) -> str:
    """Return the name under which the trials of a domain and task stand in a run's folder."""
    return f"fortis-{domain}-task{task}"


def trial_key(query: Query, repeat: int) -> TrialKey:
    """Return the key of a query's trial; `repeat` counts from 1."""
    return TrialKey(suite_name(query.domain, query.task), query.id, repeat, Mode.WITHOUT_SKILL)


def plan_queries(
    queries: Sequence[Query],
    libraries: Mapping[str, Library],
    adapter: AdapterCommand,
    bounds: Bounds,
    *,
    seed: int,
    hint: bool,
) -> Plan:
    """Return every query in each of its repeats (`bounds.iterations`), those with a common prompt head together."""
    return Plan(
        tuple(
            (_job(query, libraries[query.domain], repeat, adapter, bounds, seed, hint),)
            for repeat in range(1, bounds.iterations + 1)
            for query in by_prompt(queries)
        )
    )


def _job(
    query: Query, library: Library, repeat: int, adapter: AdapterCommand, bounds: Bounds, seed: int, hint: bool
) -> TrialJob:
    text = prompt(library, query, listing(library, query, repeat, seed), hint=hint)
    return TrialJob(
        key=trial_key(query, repeat),
        case=Case(id=query.id, prompt=text),
        adapter=adapter,
        inputs=(),
        skill=None,
        timeout_seconds=bounds.timeout_seconds,
        limit_bytes=bounds.limit_bytes,
    )
