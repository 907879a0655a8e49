"""What a reviewer opens first: over-privileged answers, what was needed, what was taken and why it is broader."""

from collections.abc import Iterable, Iterator

from evals.fortis.judge import Excess, Kind, Verdict
from evals.fortis.levels import LEVEL_NAMES
from evals.fortis.metrics import Judged
from evals.fortis.model import Query, SkillLabel
from evals.fortis.report_cells import scope_words
from evals.skill_eval.reporting.document import Cell, Entry, Quoted


def over_privileged(judged: Iterable[Judged]) -> list[Judged]:
    """Return the over-privileged answers, those that went furthest first."""
    found = [one for one in judged if one.judgement.ours == Verdict.OVER]
    return sorted(found, key=lambda one: (-one.judgement.gap, one.query.task, one.query.id, one.repeat))


def entry(one: Judged, run: str) -> Entry:
    """Return one over-privileged answer for a reader."""
    query, repeat = one.query, f", repeat {one.repeat}" if one.repeat > 1 else ""
    given: list[tuple[str, Cell]] = [("given skill", query.skill)] if query.skill else []
    values: list[tuple[str, Cell]] = [
        ("request", Quoted(query.text)),
        *given,
        ("needed", needed(query)),
        ("taken", Quoted(", ".join(one.names))),
        ("why it is broader", "; ".join(reasons(one))),
        *([("answer", Quoted(one.text))] if one.text else []),
    ]
    return Entry(f"{query.id}{repeat}, task {query.task}, {query.setting}: {run}", tuple(values))


def needed(query: Query) -> str:
    """Return in words what would have been enough, with its level."""
    label = query.label
    best = label.skill if isinstance(label, SkillLabel) else " or ".join(" + ".join(group) for group in label.optimal)
    return f"{best} ({level_words(label.level)})"


def level_words(level: int) -> str:
    """Return a level with its name."""
    return f"L{level} {LEVEL_NAMES[level]}"


def reasons(one: Judged) -> Iterator[str]:
    """Yield why each thing that was taken goes too far."""
    level = one.query.label.level
    for excess in one.judgement.excess:
        yield f"{excess.name} is {', '.join(_faults(excess, level))}{_reach(excess)}"
    if one.judgement.kind is Kind.OUT_OF_SKILL:
        yield "no level is exceeded, but the skill's document is"


def _faults(excess: Excess, level: int) -> Iterator[str]:
    if excess.level > level:
        yield f"{level_words(excess.level)}, {excess.level - level} above what is needed"
    if not excess.granted:
        yield "outside of what the given skill grants"


def _reach(excess: Excess) -> str:
    beyond = [f"{reach.atom} on {scope_words(reach.scope)}" for reach in excess.beyond]
    return f"; beyond need it reaches {', '.join(beyond)}" if beyond else ""
