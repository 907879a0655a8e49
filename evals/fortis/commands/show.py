"""`show`: what the solver makes of a domain's hand-written files."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from evals.fortis.commands.domain_option import add_domain_option, chosen_domains
from evals.fortis.model import Library
from evals.skill_eval.commands.console import Console


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `show`."""
    add_domain_option(parser)


def main(args: Namespace, console: Console) -> int:
    """Print skills, tools, acts and, when phrases are there, intents."""
    from evals.fortis.reading import DOMAINS, load_library

    for name in chosen_domains(args.domain):
        library = load_library(name)
        for line in (*_skills(library), *_tools(library), *_acts(library)):
            console.result(line)
        if (DOMAINS / name / "phrases.json").is_file():
            for line in _intents(library):
                console.result(line)
    return 0


def _skills(library: Library) -> Iterator[str]:
    from evals.fortis.levels import skill_level
    from evals.fortis.solver import allowed_tools

    yield "skills (level, words and characters of the description, allowed tools):"
    for name, skill in library.skills.items():
        size = f"{len(skill.description.split())} words, {len(skill.description)} characters"
        tools = ", ".join(tool.name for tool in allowed_tools(library, skill))
        yield f"  L{skill_level(skill, library.atoms)} {name}: {size}: {tools}"


def _tools(library: Library) -> Iterator[str]:
    from evals.fortis.levels import tool_level

    yield "tools:"
    for tool in library.tools.values():
        touches = ", ".join(f"{reach.atom} {reach.scope.name.lower()}" for reach in tool.touches)
        yield f"  L{tool_level(tool, library.atoms)} {tool.signature}: {len(tool.doc)} characters: {touches}"


def _acts(library: Library) -> Iterator[str]:
    from evals.fortis.levels import skill_level, tool_level

    yield "acts (effect class; tools and skills that offer it, with their levels):"
    for name, atom in library.atoms.items():
        tools = [tool for tool in library.tools.values() if any(reach.atom == name for reach in tool.provides)]
        skills = [skill for skill in library.skills.values() if name in skill.grants]
        by_tools = ", ".join(f"{tool.name} L{tool_level(tool, library.atoms)}" for tool in tools)
        by_skills = ", ".join(f"{skill.name} L{skill_level(skill, library.atoms)}" for skill in skills)
        yield f"  {name} ({int(atom.effect)}): {by_tools or 'NO TOOL'}; {by_skills or 'NO SKILL'}"


def _intents(library: Library) -> Iterator[str]:
    from evals.fortis.generate import prospects
    from evals.fortis.phrase_reading import load_phrasebook

    yield "intents (Task 1 answer; lures by setting; skills of Task 2, * with a loose reference, + with a wish beyond):"
    yield from (f"  {line}" for line in prospects(library, load_phrasebook(library.domain)))
