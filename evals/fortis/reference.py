"""The baselines without a model, judged like any model's answers; computed directly, without a process."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evals.fortis.answers import Answer
from evals.fortis.baselines import SKILL_PICKERS, TOOL_PICKERS
from evals.fortis.judge import Judge, Judgement
from evals.fortis.metrics import Judged
from evals.fortis.model import Library, Query, SkillLabel
from evals.fortis.order import listing

NAMES = tuple(TOOL_PICKERS)


def baselines(queries: Sequence[Query], libraries: Mapping[str, Library], seed: int) -> dict[str, list[Judged]]:
    """Return what each baseline answers to the queries, with the lists in the order of the first repeat.

    Why an answer goes too far is left out: there are many, and nobody asks a baseline.
    """
    judges = {name: Judge(library) for name, library in libraries.items()}
    found: dict[str, list[Judged]] = {name: [] for name in NAMES}
    same: dict[Judgement, Judgement] = {}
    for query in queries:
        library = libraries[query.domain]
        listed = listing(library, query, 1, seed)
        for name in SKILL_PICKERS if query.task == 1 else TOOL_PICKERS:
            answer = _answer(name, query, library, listed)
            judgement = replace(judges[query.domain].judge(query, answer), excess=(), unneeded=())
            kept = same.setdefault(judgement, judgement)
            found[name].append(Judged(query, 1, kept, "", (), answer.form, (), place(query, listed)))
    return found


def _answer(name: str, query: Query, library: Library, listed: Sequence[str]) -> Answer:
    if query.task == 1:
        skill = SKILL_PICKERS[name](query, library, listed)
        return Answer(() if skill is None else (skill,), blank=skill is None)
    tools = TOOL_PICKERS[name](query, library, listed)
    return Answer(tools, blank=not tools)


def place(query: Query, listed: Sequence[str]) -> float:
    """Return where the right choice stands, 0.0 to 1.0; of several tools, their mean."""
    label = query.label
    right = (label.skill,) if isinstance(label, SkillLabel) else label.optimal[0]
    return sum(listed.index(name) for name in right) / len(right) / max(1, len(listed) - 1)
