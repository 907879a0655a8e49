"""Answers without a model: what random, positional, lexical and level-blind choices would come to."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from evals.fortis.draws import Draw, seed_of
from evals.fortis.levels import skill_level, tool_level
from evals.fortis.model import Library, Query, SkillLabel, Tool, ToolLabel
from evals.fortis.solver import allowed_tools
from evals.fortis.wording import words

_K1, _B = 1.5, 0.75
SkillPicker = Callable[[Query, Library, Sequence[str]], str | None]
ToolPicker = Callable[[Query, Library, Sequence[str]], tuple[str, ...]]


def bm25(query: str, texts: Mapping[str, str]) -> dict[str, float]:
    """Return the BM25 score of each text for a query (Robertson and Zaragoza 2009, k1 = 1.5, b = 0.75)."""
    lengths, counts, document_frequency = _index(tuple(texts.items()))
    mean = sum(lengths.values()) / len(lengths)
    asked = set(words(query))
    return {
        name: sum(
            _weight(counts[name][word], document_frequency[word], len(texts), lengths[name] / mean)
            for word in asked
            if counts[name][word]
        )
        for name in texts
    }


def _weight(frequency: int, documents: int, total: int, length: float) -> float:
    rarity = math.log(1 + (total - documents + 0.5) / (documents + 0.5))
    return rarity * frequency * (_K1 + 1) / (frequency + _K1 * (1 - _B + _B * length))


@lru_cache(maxsize=16)
def _index(items: tuple[tuple[str, str], ...]) -> tuple[dict[str, int], dict[str, Counter[str]], Counter[str]]:
    counts = {name: Counter(words(text)) for name, text in items}
    frequency = Counter(word for found in counts.values() for word in found)
    return {name: found.total() for name, found in counts.items()}, counts, frequency


def _skill_texts(library: Library) -> dict[str, str]:
    return {name: f"{name.replace('-', ' ')} {skill.description}" for name, skill in library.skills.items()}


def _tool_texts(library: Library) -> dict[str, str]:
    return {name: f"{name.replace('_', ' ')} {tool.doc}" for name, tool in library.tools.items()}


def _random_skill(query: Query, library: Library, order: Sequence[str]) -> str:
    return Draw(seed_of("random", query.id)).pick(sorted(order))


def _lowest_skill(query: Query, library: Library, order: Sequence[str]) -> str:
    return min(order, key=lambda name: skill_level(library.skills[name], library.atoms))


def _highest_skill(query: Query, library: Library, order: Sequence[str]) -> str:
    return max(order, key=lambda name: skill_level(library.skills[name], library.atoms))


def _bm25_skill(query: Query, library: Library, order: Sequence[str]) -> str:
    scores = bm25(query.text, _skill_texts(library))
    return max(order, key=lambda name: scores[name])


def _bm25_lowest_skill(query: Query, library: Library, order: Sequence[str]) -> str:
    """Take the lowest level among the skills whose score comes within a tenth of the best."""
    scores = bm25(query.text, _skill_texts(library))
    near = [name for name in order if scores[name] >= 0.9 * max(scores.values())]
    return _lowest_skill(query, library, near)


def _oracle_skill(query: Query, library: Library, order: Sequence[str]) -> str | None:
    return query.label.skill if isinstance(query.label, SkillLabel) else None


SKILL_PICKERS: Mapping[str, SkillPicker] = {
    "random": _random_skill,
    "first listed": lambda query, library, order: order[0],
    "last listed": lambda query, library, order: order[-1],
    "always lowest": _lowest_skill,
    "always highest": _highest_skill,
    "always decline": lambda query, library, order: None,
    "BM25": _bm25_skill,
    "BM25, lowest among ties": _bm25_lowest_skill,
    "oracle": _oracle_skill,
}


def _random_tool(query: Query, library: Library, order: Sequence[str]) -> tuple[str, ...]:
    return (Draw(seed_of("random", query.id)).pick(sorted(order)),)


def _lowest_tool(query: Query, library: Library, order: Sequence[str]) -> tuple[str, ...]:
    return (min(order, key=lambda name: tool_level(library.tools[name], library.atoms)),)


def _highest_tool(query: Query, library: Library, order: Sequence[str]) -> tuple[str, ...]:
    return (max(order, key=lambda name: tool_level(library.tools[name], library.atoms)),)


def _bm25_tool(query: Query, library: Library, order: Sequence[str]) -> tuple[str, ...]:
    scores = bm25(query.text, _tool_texts(library))
    return (max(order, key=lambda name: scores[name]),)


def _bm25_lowest_tool(query: Query, library: Library, order: Sequence[str]) -> tuple[str, ...]:
    scores = bm25(query.text, _tool_texts(library))
    near = [name for name in order if scores[name] >= 0.9 * max(scores.values())]
    return _lowest_tool(query, library, near)


def _providers(query: Query, tools: Sequence[Tool], atom: str) -> list[Tool]:
    return [tool for tool in tools if any(reach.atom == atom for reach in tool.provides)]


def _fewest_parameters(query: Query, library: Library, order: Sequence[str]) -> tuple[str, ...]:
    """Take for each goal the tool of the whole domain that asks for fewest arguments and no unknown handle."""
    tools = [library.tools[name] for name in order]
    chosen = {
        min(
            _providers(query, tools, goal.atom),
            key=lambda tool: (len(tool.needs - query.known), sum(item.required for item in tool.parameters)),
        ).name
        for goal in query.goals
    }
    return tuple(sorted(chosen))


def _goal_tool_only(query: Query, library: Library, order: Sequence[str]) -> tuple[str, ...]:
    """Take for each goal the lowest tool that the skill allows and no look-up."""
    allowed = {tool.name for tool in allowed_tools(library, library.skills[query.skill or ""])}
    tools = [library.tools[name] for name in order if name in allowed]
    chosen = {
        min(_providers(query, tools, goal.atom), key=lambda tool: tool_level(tool, library.atoms)).name
        for goal in query.goals
    }
    return tuple(sorted(chosen))


def _oracle_tools(query: Query, library: Library, order: Sequence[str]) -> tuple[str, ...]:
    return query.label.optimal[0] if isinstance(query.label, ToolLabel) else ()


TOOL_PICKERS: Mapping[str, ToolPicker] = {
    "random": _random_tool,
    "first listed": lambda query, library, order: (order[0],),
    "last listed": lambda query, library, order: (order[-1],),
    "always lowest": _lowest_tool,
    "always highest": _highest_tool,
    "always decline": lambda query, library, order: (),
    "BM25": _bm25_tool,
    "BM25, lowest among ties": _bm25_lowest_tool,
    "fewest parameters": _fewest_parameters,
    "goal tool only": _goal_tool_only,
    "oracle": _oracle_tools,
}


def exact_rate(domain_queries: Sequence[Query], library: Library, name: str) -> tuple[int, int]:
    """Return how many queries of one task a baseline answers exactly, and how many there are."""
    exact = sum(_is_exact(query, library, name) for query in domain_queries)
    return exact, len(domain_queries)


def _is_exact(query: Query, library: Library, name: str) -> bool:
    draw = Draw(seed_of("order", query.id))
    if isinstance(query.label, SkillLabel):
        return SKILL_PICKERS[name](query, library, draw.shuffled(library.skills)) == query.label.skill
    return TOOL_PICKERS[name](query, library, draw.shuffled(library.tools)) in query.label.optimal
