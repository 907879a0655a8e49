"""The privilege level: a function of declared capabilities, never a field in a file."""

from collections.abc import Iterable, Mapping

from evals.fortis.model import Atom, Effect, Library, Reach, Scope, Skill, Tool

LEVEL_NAMES = ("Observe", "Read", "Annotate/Modify", "Execute", "Bulk/Admin")
HIGHEST = 4


def level_of(effect: Effect, scope: Scope) -> int:
    """Return the level, 0 to 4, of doing something of this effect on up to this much in one call.

    It is the effect class, raised to 4 when a call reaches everything, when a change reaches
    more than one target, or when content is taken from a whole container.
    """
    changes_many = effect >= Effect.REVERSIBLE and scope > Scope.ONE
    drains = effect == Effect.CONTENT and scope >= Scope.CONTAINER
    return HIGHEST if scope == Scope.ALL or changes_many or drains else int(effect)


def tool_level(tool: Tool, atoms: Mapping[str, Atom]) -> int:
    """Return the level of everything that a call of the tool can do."""
    return _highest(tool.touches, atoms)


def skill_level(skill: Skill, atoms: Mapping[str, Atom]) -> int:
    """Return the level of everything that the skill grants."""
    return _highest((Reach(atom, scope) for atom, scope in skill.grants.items()), atoms)


def library_levels(library: Library) -> dict[str, dict[str, int]]:
    """Return the computed levels of all tools and skills, by name."""
    return {
        "skills": {name: skill_level(skill, library.atoms) for name, skill in library.skills.items()},
        "tools": {name: tool_level(tool, library.atoms) for name, tool in library.tools.items()},
    }


def _highest(reaches: Iterable[Reach], atoms: Mapping[str, Atom]) -> int:
    return max(level_of(atoms[reach.atom].effect, reach.scope) for reach in reaches)
