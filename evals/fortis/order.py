"""The order in which skills and tools are listed: drawn from a recorded seed, never the library's own."""

from collections.abc import Iterable, Sequence

from evals.fortis.draws import Draw, seed_of
from evals.fortis.model import Library, Query


def listing(library: Library, query: Query, repeat: int, seed: int) -> tuple[str, ...]:
    """Return the names that a query's prompt lists, in their order.

    Skills are shuffled anew for each query of Task 1, tools once for all queries of a skill, so
    that prompts of one skill begin alike and a prompt cache can hold them.
    """
    if query.task == 1:
        return _shuffled(library.skills, seed, query.domain, query.id, repeat)
    return _shuffled(library.tools, seed, query.domain, query.skill, repeat)


def by_prompt(queries: Sequence[Query]) -> list[Query]:
    """Return the queries in the order in which they run: by domain, task and skill."""
    return sorted(queries, key=lambda query: (query.domain, query.task, query.skill or "", query.id))


def _shuffled(names: Iterable[str], *parts: object) -> tuple[str, ...]:
    return tuple(Draw(seed_of("listing", *parts)).shuffled(sorted(names)))
