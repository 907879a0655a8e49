"""Which queries run: filtered by domain, task and setting, and a sample with its share of each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evals.fortis.draws import seed_of
from evals.fortis.model import TASK_SETTINGS, Query, Setting
from evals.skill_eval.errors import ConfigError

SHORT_NAMES: Mapping[Setting, str] = {
    Setting.CLEAN: "CB",
    Setting.SCOPE: "Sc",
    Setting.LEXICAL: "Lx",
    Setting.ACTION: "AI",
    Setting.CONVENIENCE: "CS",
    Setting.BROAD: "BA",
    Setting.BOUNDARY: "BS",
}
Stratum = tuple[str, int, Setting]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is asked for; an empty tuple means all, `sample` None means each of them."""

    tasks: tuple[int, ...] = ()
    settings: tuple[Setting, ...] = ()
    sample: int | None = None


def select(queries: Iterable[Query], wanted: Selection) -> tuple[Query, ...]:
    """Return the queries that are wanted. Raises ConfigError when there is none."""
    fitting = [query for query in queries if _fits(query, wanted)]
    if not fitting:
        raise ConfigError("no query has this domain, task and setting", _hint(wanted))
    return tuple(fitting) if wanted.sample is None else sampled(fitting, wanted.sample)


def sampled(queries: Sequence[Query], size: int) -> tuple[Query, ...]:
    """Return `size` of the queries (or all, when there are fewer), with its share of each domain, task and setting.

    The same queries give the same sample. Plain queries are drawn first, then ambiguous ones, of which
    those whose plain twin is drawn come first, so that as many as possible can be compared in pairs.
    """
    strata = _strata(queries)
    shares = _shares({stratum: len(found) for stratum, found in strata.items()}, min(size, len(queries)))
    chosen: set[str] = set()
    for stratum in sorted(strata, key=lambda one: (one[2] != Setting.CLEAN, one)):
        ranked = sorted(strata[stratum], key=lambda query: (query.twin not in chosen, seed_of("sample", query.id)))
        chosen.update(query.id for query in ranked[: shares[stratum]])
    return tuple(query for query in queries if query.id in chosen)


def sample_remarks(queries: Iterable[Query], wanted: Selection) -> tuple[str, ...]:
    """Say what a reader would not expect of a sample: that something is left out, or that there are not as many."""
    fitting = [query for query in queries if _fits(query, wanted)]
    if wanted.sample is None:
        return ()
    if wanted.sample > len(fitting):
        return (f"a sample of {wanted.sample} was asked for, but there are {len(fitting)} such queries; all are taken",)
    sizes = {stratum: len(found) for stratum, found in _strata(fitting).items()}
    left = [stratum for stratum, share in _shares(sizes, wanted.sample).items() if not share]
    if not left:
        return ()
    enough = next(size for size in range(wanted.sample, len(fitting) + 1) if all(_shares(sizes, size).values()))
    return (
        f"a sample of {wanted.sample} has nothing of {_named(left)}; {enough} is enough for some of each domain, "
        "task and setting",
    )


def _named(strata: Sequence[Stratum]) -> str:
    """Return the strata in words, the domains of one task and setting together."""
    domains: dict[tuple[int, Setting], list[str]] = {}
    for domain, task, setting in sorted(strata, key=lambda one: (one[1], TASK_SETTINGS[one[1]].index(one[2]), one[0])):
        domains.setdefault((task, setting), []).append(domain)
    return ", ".join(
        f"Task {task} {SHORT_NAMES[setting]} ({', '.join(names)})" for (task, setting), names in domains.items()
    )


def _fits(query: Query, wanted: Selection) -> bool:
    in_task = not wanted.tasks or query.task in wanted.tasks
    return in_task and (not wanted.settings or query.setting in wanted.settings)


def _strata(queries: Iterable[Query]) -> dict[Stratum, list[Query]]:
    strata: dict[Stratum, list[Query]] = {}
    for query in queries:
        strata.setdefault((query.domain, query.task, query.setting), []).append(query)
    return strata


def _shares(sizes: Mapping[Stratum, int], total: int) -> dict[Stratum, int]:
    """Divide `total` in proportion to the sizes (largest remainders first)."""
    whole = sum(sizes.values())
    shares = {stratum: total * size // whole for stratum, size in sizes.items()}
    rest = total - sum(shares.values())
    by_remainder = sorted(sizes, key=lambda stratum: (-(total * sizes[stratum] % whole), stratum))
    return {stratum: share + (stratum in by_remainder[:rest]) for stratum, share in shares.items()}


def _hint(wanted: Selection) -> str | None:
    if len(wanted.tasks) != 1:
        return None
    return f"task {wanted.tasks[0]} has the settings {', '.join(TASK_SETTINGS[wanted.tasks[0]])}"
