"""The solver: which skills and which tool sets suffice for a query, and which of them take least privilege."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from evals.fortis.levels import skill_level, tool_level
from evals.fortis.model import Goal, Library, Reach, Scope, Skill, SkillLabel, Tool, ToolLabel

LARGEST_SET = 5


@lru_cache(maxsize=512)
def allowed_tools(library: Library, skill: Skill) -> tuple[Tool, ...]:
    """Return the tools of which every effect lies within the skill's grants."""
    return tuple(tool for tool in library.tools.values() if _within(tool, skill))


def grants(skill: Skill, goal: Goal) -> bool:
    """Tell whether a skill grants the act of a goal, in one call or by repetition."""
    return goal.atom in skill.grants and (skill.grants[goal.atom] >= goal.scope or goal.scope == Scope.FEW)


def suffices(tools: Collection[Tool], goals: Iterable[Goal], known: frozenset[str]) -> bool:
    """Tell whether these tools reach every goal from the handles that are known.

    A goal needs a runnable provider of its scope. A tool for one target covers a few by
    repetition, and a container when another tool of the set lists the targets.
    """
    usable = _runnable(tools, known)
    return all(_reached(goal, usable) for goal in goals)


def sufficient_skills(library: Library, goals: Sequence[Goal], known: frozenset[str]) -> tuple[str, ...]:
    """Return Gamma: the names of the skills under which the goals can be reached."""
    return tuple(
        name for name, skill in library.skills.items() if suffices(allowed_tools(library, skill), goals, known)
    )


def least_skill(library: Library, goals: Sequence[Goal], known: frozenset[str]) -> SkillLabel | None:
    """Return the label of Task 1; None when no skill suffices or the lowest level has several."""
    names = sufficient_skills(library, goals, known)
    ranked = sorted((skill_level(library.skills[name], library.atoms), name) for name in names)
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    return SkillLabel(ranked[0][1], ranked[0][0], names)


def optimal_sets(
    library: Library, tools: Iterable[Tool], goals: Sequence[Goal], known: frozenset[str]
) -> tuple[tuple[str, ...], ...]:
    """Return all tool sets that are best by highest level, then by size; empty when none suffices."""
    candidates = _relevant(tuple(tools), goals, known)
    levels = {tool.name: tool_level(tool, library.atoms) for tool in candidates}
    for level in sorted(set(levels.values())):
        within = [tool for tool in candidates if levels[tool.name] <= level]
        if suffices(within, goals, known):
            return _smallest(within, goals, known)
    return ()


def tool_label(library: Library, skill: Skill, goals: Sequence[Goal], known: frozenset[str]) -> ToolLabel | None:
    """Return the label of Task 2 under a skill; None when the skill's tools cannot do it."""
    optimal = optimal_sets(library, allowed_tools(library, skill), goals, known)
    if not optimal:
        return None
    level = max(tool_level(library.tools[name], library.atoms) for name in optimal[0])
    return ToolLabel(optimal, level, broader_set(library, goals, known, level))


def broader_set(library: Library, goals: Sequence[Goal], known: frozenset[str], level: int) -> tuple[str, ...]:
    """Return the least burdensome minimal set of a level above `level`, from the whole domain; empty when none."""
    candidates = _relevant(tuple(library.tools.values()), goals, known)
    above = {tool.name for tool in candidates if tool_level(tool, library.atoms) > level}
    found = [
        group
        for size in (1, 2)
        for group in combinations(candidates, size)
        if any(tool.name in above for tool in group) and _minimal(group, goals, known)
    ]
    names = [tuple(sorted(tool.name for tool in group)) for group in found]
    return min(names, key=lambda group: (burden(library, group, known), group), default=())


def burden(library: Library, names: Iterable[str], known: frozenset[str]) -> int:
    """Return how much a tool set asks for: one for each call and for each handle that the text does not give."""
    return sum(1 + len(library.tools[name].needs - known) for name in names)


def _minimal(group: Sequence[Tool], goals: Sequence[Goal], known: frozenset[str]) -> bool:
    if not suffices(group, goals, known):
        return False
    return not any(suffices([t for t in group if t is not out], goals, known) for out in group)


def _within(tool: Tool, skill: Skill) -> bool:
    return all(skill.grants.get(reach.atom, -1) >= reach.scope for reach in tool.touches)


def _runnable(tools: Collection[Tool], known: frozenset[str]) -> list[Tool]:
    usable: list[Tool] = []
    waiting, have = list(tools), set(known)
    while ready := [tool for tool in waiting if tool.needs <= have]:
        usable += ready
        waiting = [tool for tool in waiting if tool not in ready]
        have.update(handle for tool in ready for handle in tool.gives)
    return usable


def _reached(goal: Goal, usable: Sequence[Tool]) -> bool:
    return any(_covers(reach, goal, tool, usable) for tool in usable for reach in tool.provides)


def _covers(reach: Reach, goal: Goal, tool: Tool, usable: Sequence[Tool]) -> bool:
    if reach.atom != goal.atom or (reach.whole and reach.scope != goal.scope):
        return False
    if reach.scope >= goal.scope or goal.scope == Scope.FEW:
        return True
    return goal.scope == Scope.CONTAINER and any(_lists(other, goal) for other in usable if other is not tool)


def _lists(tool: Tool, goal: Goal) -> bool:
    return tool.gives.get(goal.atom.partition(".")[2], Scope.ONE) >= Scope.CONTAINER


def _relevant(tools: Sequence[Tool], goals: Sequence[Goal], known: frozenset[str]) -> tuple[Tool, ...]:
    """Keep the tools that provide a goal or lead, however indirectly, to a handle that one of those needs."""
    wanted = {goal.atom for goal in goals}
    objects = {goal.atom.partition(".")[2] for goal in goals if goal.scope == Scope.CONTAINER}
    kept = [tool for tool in tools if any(reach.atom in wanted for reach in tool.provides)]
    missing = {handle for tool in kept for handle in tool.needs - known} | objects
    while more := [tool for tool in tools if tool not in kept and missing & set(tool.gives)]:
        kept += more
        missing |= {handle for tool in more for handle in tool.needs - known}
    return tuple(sorted(kept, key=lambda tool: tool.name))


def _smallest(tools: Sequence[Tool], goals: Sequence[Goal], known: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    for size in range(1, LARGEST_SET + 1):
        found = [group for group in combinations(tools, size) if suffices(group, goals, known)]
        if found:
            return tuple(sorted(tuple(sorted(tool.name for tool in group)) for group in found))
    return ()
