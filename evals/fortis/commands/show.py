"""`show`: what the solver makes of a domain's hand-written files, or one query as a model is asked it."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from evals.fortis.commands.domain_option import add_domain_option, chosen_domains
from evals.fortis.model import Library
from evals.skill_eval.commands.console import Console
from evals.skill_eval.errors import ConfigError


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `show`."""
    add_domain_option(parser)
    parser.add_argument(
        "--query",
        metavar="ID",
        help="one query instead: the whole prompt (order seed 0, first repeat) and a right answer",
    )


def main(args: Namespace, console: Console) -> int:
    """Print skills, tools, acts and, when phrases are there, intents; or one query."""
    from evals.fortis.reading import DOMAINS, load_library

    if args.query is not None:
        console.result(_asked(args.query, chosen_domains(args.domain)))
        return 0
    for name in chosen_domains(args.domain):
        library = load_library(name)
        for line in (*_skills(library), *_tools(library), *_acts(library)):
            console.result(line)
        if (DOMAINS / name / "phrases.json").is_file():
            for line in _intents(library):
                console.result(line)
    return 0


def _asked(id_: str, domains: Sequence[str]) -> str:
    """Return the prompt of a query and a right answer. Raises ConfigError when there is none of this name."""
    from evals.fortis.order import listing
    from evals.fortis.prompts import prompt, right_answer
    from evals.fortis.storage import load_domain

    for domain in map(load_domain, domains):
        for query in domain.queries:
            if query.id == id_:
                text = prompt(domain.library, query, listing(domain.library, query, 1, 0))
                return f"{text}\n--- a right answer:\n\n{right_answer(domain.library, query)}"
    raise ConfigError(f"`--query`: no query `{id_}` in {', '.join(domains)}")


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
