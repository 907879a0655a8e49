"""What a reader of a report must not overlook: no model, missing trials, unread answers, runs that differ."""

from collections.abc import Iterator, Sequence

from evals.fortis.metrics import tally
from evals.fortis.results import RunResult

_MUCH = 10  # one answer in ten


def notices(results: Sequence[RunResult]) -> Iterator[str]:
    """Yield them in the order of the runs, each once."""
    yield from dict.fromkeys(one.notice for one in results if one.notice)
    for one in results:
        yield from (f"{one.label}: {remark}" for remark in one.remarks)
        if one.not_run:
            yield f"{one.label} is incomplete: {one.not_run} of {one.planned} trials were not run"
        unread = tally(one.judged).unread
        if unread.count * _MUCH > unread.total:
            yield (
                f"{one.label}: {unread.count} of {unread.total} answers name nothing that could be judged (truncated, "
                "unparsable, or an unknown name); they are in no failure rate, so low rates say little"
            )
        if one.hint:
            yield f"{one.label} was given a sentence that asks for restraint; do not compare it with runs without"
    if len({tuple(query.id for query in one.queries) for one in results}) > 1:
        yield "these runs did not ask the same queries, so their rows differ in more than the model"
