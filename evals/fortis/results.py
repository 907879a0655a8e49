"""A run on disk -> judged answers, by the labels of the queries that it asked."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from evals.fortis.answers import TRUNCATED_EVENT, read_skill, read_tools
from evals.fortis.judge import Judge
from evals.fortis.metrics import Judged
from evals.fortis.model import Domain, Library, Query, Setting
from evals.fortis.order import listing
from evals.fortis.reading import DATA
from evals.fortis.reference import place
from evals.fortis.selection import Selection, sample_remarks, select
from evals.fortis.storage import load_domain
from evals.fortis.trials import suite_name, trial_key
from evals.skill_eval.artifacts.layout import trial_folder
from evals.skill_eval.artifacts.store import RunStore
from evals.skill_eval.errors import ConfigError, SkillEvalError
from evals.skill_eval.model.record import JsonObject, TrialRecord

PROGRAM = "fortis"


@dataclass(frozen=True, slots=True)
class Errored:
    """A trial without an answer: it is in no rate."""

    query: Query
    repeat: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one run came to; `planned` counts the trials that it was to have, `remarks` tell of an odd sample."""

    run_id: str
    adapter: str
    notice: str | None
    hint: bool
    seed: int
    queries: tuple[Query, ...]
    judged: tuple[Judged, ...]
    errors: tuple[Errored, ...]
    planned: int
    remarks: tuple[str, ...] = ()

    @property
    def not_run(self) -> int:
        """Count the planned trials that have neither answer nor error."""
        return self.planned - len(self.judged) - len(self.errors)

    @property
    def label(self) -> str:
        """Return what a table calls this run."""
        return f"{self.adapter} ({self.run_id}{', with hint' if self.hint else ''})"


def domains_of(options: Mapping[str, Any]) -> dict[str, Domain]:
    """Return the domains that a run's options name, loaded."""
    return {name: load_domain(name) for name in options["domain"]}


def queries_of(options: Mapping[str, Any], domains: Mapping[str, Domain]) -> tuple[Query, ...]:
    """Return the queries that a run's options select."""
    return select(_stored(domains), _wanted(options))


def remarks_of(options: Mapping[str, Any], domains: Mapping[str, Domain]) -> tuple[str, ...]:
    """Return what is odd about the sample that a run's options ask for."""
    return sample_remarks(_stored(domains), _wanted(options))


def _stored(domains: Mapping[str, Domain]) -> list[Query]:
    return [query for domain in domains.values() for query in domain.queries]


def _wanted(options: Mapping[str, Any]) -> Selection:
    settings = tuple(Setting(setting) for setting in options["setting"])
    return Selection(tuple(options["task"]), settings, options["sample"])


def data_digests(queries: Iterable[Query], domains: Mapping[str, Domain]) -> JsonObject:
    """Return for each domain and task of the queries what identifies its library and its stored queries."""
    suites = sorted({(query.domain, query.task) for query in queries})
    return {
        suite_name(name, task): {
            "skill": _library_digest(domains[name].library),
            "suite": sha256(Path(DATA, f"{name}-task{task}.jsonl").read_bytes()).hexdigest(),
        }
        for name, task in suites
    }


def load_result(store: RunStore) -> RunResult:
    """Judge the answers of a run. Raises ConfigError when it is none of ours, or its queries are not today's."""
    facts: dict[str, Any] = store.facts()
    if facts.get("benchmark") != PROGRAM:
        raise ConfigError(f"`{store.path.name}` is no run of {PROGRAM}")
    options = facts["options"]
    domains = domains_of(options)
    queries = queries_of(options, domains)
    if facts["skills"] != data_digests(queries, domains):
        raise ConfigError(
            f"run `{store.path.name}` was made with other queries, skills or tools than these",
            hint="labels could be wrong; report it with the version that made it, or run again",
        )
    answered, errors = _answers(store, queries, domains, options)
    adapter = facts["adapter"]
    return RunResult(
        store.path.name,
        adapter["name"],
        adapter["notice"],
        options["hint"],
        options["order_seed"],
        queries,
        answered,
        errors,
        facts["planned_trials"],
        remarks_of(options, domains),
    )


def _answers(
    store: RunStore, queries: Iterable[Query], domains: Mapping[str, Domain], options: Mapping[str, Any]
) -> tuple[tuple[Judged, ...], tuple[Errored, ...]]:
    records = {record.key: record for record in store.journal.records()}
    judges = {name: Judge(domain.library) for name, domain in domains.items()}
    answered: list[Judged] = []
    errors: list[Errored] = []
    for query in queries:
        for repeat in range(1, options["repeats"] + 1):
            record = records.get(trial_key(query, repeat))
            if record is not None and record.failure is not None:
                errors.append(Errored(query, repeat, record.failure.kind, record.failure.message))
            elif record is not None:
                library, judge = domains[query.domain].library, judges[query.domain]
                answered.append(_judged(store, record, query, library, judge, options["order_seed"]))
    return tuple(answered), tuple(errors)


def _judged(store: RunStore, record: TrialRecord, query: Query, library: Library, judge: Judge, seed: int) -> Judged:
    path = Path(trial_folder(store.path, record.key), "response.json")
    try:
        response = json.loads(path.read_text(encoding="utf-8"))
        text = str(response["output"])
        cut = any(event["type"] == TRUNCATED_EVENT for event in response["events"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SkillEvalError(f"`{path}` cannot be read: {error}") from error
    repeat = record.key.iteration
    answer = read_skill(text, library.skills, cut=cut) if query.task == 1 else read_tools(text, library.tools, cut=cut)
    where = place(query, listing(library, query, repeat, seed))
    return Judged(query, repeat, judge.judge(query, answer), text, answer.names, answer.form, answer.marks, where)


def _library_digest(library: Library) -> str:
    return sha256(repr((library.atoms, library.tools, library.skills)).encode()).hexdigest()
