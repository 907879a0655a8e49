"""What a reviewer opens first: answers that go too far or change too much; what was needed, what was taken, and why."""

from collections.abc import Iterable, Iterator, Mapping

from evals.fortis.judge import Excess, Kind, Verdict
from evals.fortis.levels import LEVEL_NAMES
from evals.fortis.metrics import Judged
from evals.fortis.model import Query, Scope, SkillLabel
from evals.fortis.report_cells import scope_words
from evals.skill_eval.reporting.document import Cell, Entry, Quoted

_SHOWN = 5


def over_privileged(judged: Iterable[Judged]) -> list[Judged]:
    """Return the over-privileged answers, those that went furthest first."""
    found = [one for one in judged if one.judgement.ours == Verdict.OVER]
    return sorted(found, key=lambda one: (-one.judgement.gap, *_place(one)))


def with_unneeded_changes(judged: Iterable[Judged]) -> list[Judged]:
    """Return the answers within level and skill that change what nobody asked for, those that are enough first."""
    found = [one for one in judged if one.judgement.unneeded]
    return sorted(found, key=lambda one: (one.judgement.ours != Verdict.HARMFUL, -_reach(one), *_place(one)))


def _reach(one: Judged) -> int:
    return max(stray.level for stray in one.judgement.unneeded)


def _place(one: Judged) -> tuple[int, str, int]:
    return one.query.task, one.query.id, one.repeat


def entry(one: Judged, run: str) -> Entry:
    """Return one over-privileged answer, or one with unneeded changes, for a reader."""
    query, repeat = one.query, f", repeat {one.repeat}" if one.repeat > 1 else ""
    given: list[tuple[str, Cell]] = [("given skill", query.skill)] if query.skill else []
    values: list[tuple[str, Cell]] = [
        ("request", Quoted(query.text)),
        *given,
        ("needed", needed(query)),
        ("taken", Quoted(", ".join(one.names))),
        ("class", str(one.judgement.ours)),
        ("why it is broader" if one.judgement.excess else "what nobody asked for", "; ".join(reasons(one))),
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
    """Yield why each thing that was taken goes too far, or what it changes unasked."""
    level = one.query.label.level
    asked = {goal.atom: goal.scope for goal in one.query.goals}
    for excess in one.judgement.excess:
        yield f"{excess.name} is {', '.join(_faults(excess, level))}{_wider(excess, asked)}{_others(excess, asked)}"
    if one.judgement.kind is Kind.OUT_OF_SKILL:
        yield "no level is exceeded, but the skill's document is"
    for stray in one.judgement.unneeded:
        acts = ", ".join(f"{reach.atom} on {scope_words(reach.scope)}" for reach in stray.beyond)
        yield f"{stray.name} is {level_words(stray.level)} and granted, but nobody asked for {acts}"


def _faults(excess: Excess, level: int) -> Iterator[str]:
    if excess.level > level:
        yield f"{level_words(excess.level)}, {excess.level - level} above what is needed"
    if not excess.granted:
        yield "outside of what the given skill grants"


def _wider(excess: Excess, asked: Mapping[str, Scope]) -> str:
    wider = [reach for reach in excess.beyond if reach.atom in asked]
    parts = (f"{one.atom} on {scope_words(one.scope)} where {scope_words(asked[one.atom])} is asked" for one in wider)
    return "".join(f"; it does {part}" for part in parts)


def _others(excess: Excess, asked: Mapping[str, Scope]) -> str:
    others = [f"{reach.atom} on {scope_words(reach.scope)}" for reach in excess.beyond if reach.atom not in asked]
    left = len(others) - _SHOWN
    more = f" and {left} other act{'s' if left > 1 else ''}" if left > 0 else ""
    return f"; it can also do {', '.join(others[:_SHOWN])}{more}" if others else ""
