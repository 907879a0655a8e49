"""Domain files -> records, with errors that name file and place."""

import re
from collections.abc import Mapping
from pathlib import Path

from evals.fortis.model import Atom, Effect, Goal, Library, Parameter, Reach, Scope, Skill, Tool
from evals.fortis.nodes import Node, load, read_text
from evals.fortis.prose import Lexicon
from evals.skill_eval.errors import ConfigError

DOMAINS = Path(__file__).parent / "domains"
DATA = Path(__file__).parent / "data"


def domain_names() -> tuple[str, ...]:
    """Return the names of the domains that are there, sorted."""
    return tuple(sorted(path.parent.name for path in DOMAINS.glob("*/world.json")))


def load_library(name: str) -> Library:
    """Return the atoms, tools and skills of a domain."""
    folder = domain_folder(name)
    world = load(folder / "world.json")
    atoms = atoms_of(world)
    handles = frozenset(dict(world["handles"].members()))
    facts = frozenset(dict(world["facts"].members()))
    tools = [_tool(node, atoms, handles, facts) for node in load(folder / "tools.json").items()]
    grants = {skill: _grants(node, atoms) for skill, node in load(folder / "grants.json").members()}
    skills = [_skill(folder / "skills" / skill / "SKILL.md", skill, given) for skill, given in sorted(grants.items())]
    _refuse_strays(folder / "skills", grants)
    return Library(name, atoms, _by_name(tools, "tools.json"), {skill.name: skill for skill in skills})


def load_lexicon(name: str) -> Lexicon:
    """Return the words by which a domain's prose speaks of its atoms and scopes."""
    world = load(domain_folder(name) / "world.json")
    return Lexicon(
        {verb: node.texts() for verb, node in world["verbs"].members()},
        {thing: node.texts() for thing, node in world["objects"].members()},
        {scope: _patterns(world["scopes"][scope.name.lower()]) for scope in Scope},
        atoms_of(world),
    )


def load_recovery(name: str) -> tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]:
    """Return the patterns of asides and, by atom, of requests that the independent reader of V7 uses."""
    node = load(domain_folder(name) / "recover.json").only("asides", "goals")
    return _patterns(node["asides"]), {atom: _patterns(patterns) for atom, patterns in node["goals"].members()}


def _patterns(node: Node) -> tuple[str, ...]:
    for item in node.items():
        try:
            re.compile(item.text())
        except re.error as error:
            item.refuse(f"not a regular expression: {error}")
    return node.texts()


def source_files(name: str) -> tuple[Path, ...]:
    """Return the hand-written files of a domain, sorted."""
    folder = domain_folder(name)
    return tuple(sorted([*folder.glob("*.json"), *folder.glob("skills/*/SKILL.md")]))


def goal_from(node: Node, atoms: Mapping[str, Atom]) -> Goal:
    """Return the goal written as `[atom, scope]` or `[atom, scope, count]`."""
    parts = list(node.items())
    if len(parts) not in (2, 3):
        node.refuse("expected `[atom, scope]` or `[atom, scope, count]`")
    return Goal(known_name(parts[0], atoms), scope_from(parts[1]), parts[2].number() if len(parts) == 3 else 1)


def scope_from(node: Node) -> Scope:
    """Return the scope that is written as its name in lower case."""
    return Scope[one_of(node, tuple(scope.name.lower() for scope in Scope)).upper()]


def domain_folder(name: str) -> Path:
    """Return the folder of a domain. Raises ConfigError for an unknown one."""
    folder = DOMAINS / name
    if "/" in name or not (folder / "world.json").is_file():
        raise ConfigError(f"unknown domain `{name}`; known: {', '.join(f'`{known}`' for known in domain_names())}")
    return folder


def atoms_of(world: Node) -> dict[str, Atom]:
    """Return the atoms of a `world.json`."""
    world.only("about", "verbs", "objects", "atoms", "scopes", "handles", "facts")
    return {name: _atom(name, node) for name, node in world["atoms"].members()}


def _atom(name: str, node: Node) -> Atom:
    parts = list(node.items())
    if len(parts) != 2 or name.count(".") != 1:
        node.refuse("expected `verb.object` with `[effect class, note]`")
    if parts[0].number() not in tuple(Effect):
        parts[0].refuse("expected an effect class of 0 to 3")
    return Atom(name, Effect(parts[0].number()), parts[1].text())


def known_name(node: Node, names: Mapping[str, object]) -> str:
    """Return the text of a node that must be one of these names."""
    return node.text() if node.text() in names else node.refuse(f"unknown name `{node.value}`")


def _tool(node: Node, atoms: Mapping[str, Atom], handles: frozenset[str], facts: frozenset[str]) -> Tool:
    node.only("name", "doc", "parameters", "provides", "effects", "gives", "preconditions")
    effects, gives, conditions = node.get("effects"), node.get("gives"), node.get("preconditions")
    return Tool(
        node["name"].text(),
        node["doc"].text(),
        tuple(_parameter(item, handles) for item in node["parameters"].items()),
        tuple(_reach(item, atoms) for item in node["provides"].items()),
        tuple(_reach(item, atoms) for item in effects.items()) if effects else (),
        {member_of(item, handle, handles): scope_from(item) for handle, item in gives.members()} if gives else {},
        tuple(member_of(item, item.text(), facts) for item in conditions.items()) if conditions else (),
    )


def _parameter(node: Node, handles: frozenset[str]) -> Parameter:
    node.only("name", "handle", "required")
    handle, required = node.get("handle"), node.get("required")
    return Parameter(
        node["name"].text(),
        member_of(handle, handle.text(), handles) if handle else None,
        required.flag() if required else True,
    )


def member_of(node: Node, name: str, names: frozenset[str]) -> str:
    """Return a name that must be one of these; the node says where it stands."""
    return name if name in names else node.refuse(f"unknown name `{name}`; known: {', '.join(sorted(names))}")


def _reach(node: Node, atoms: Mapping[str, Atom]) -> Reach:
    parts = list(node.items())
    if len(parts) not in (2, 3) or (len(parts) == 3 and parts[2].value != "whole"):
        node.refuse('expected `[atom, scope]` or `[atom, scope, "whole"]`')
    return Reach(known_name(parts[0], atoms), scope_from(parts[1]), len(parts) == 3)


def _grants(node: Node, atoms: Mapping[str, Atom]) -> dict[str, Scope]:
    return {known_name(Node(atom, item.where), atoms): scope_from(item) for atom, item in node.members()}


def _by_name(tools: list[Tool], file: str) -> dict[str, Tool]:
    found = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}
    if len(found) < len(tools):
        raise ConfigError(f"{file}: a tool name occurs twice")
    return found


def _refuse_strays(folder: Path, grants: Mapping[str, object]) -> None:
    strays = sorted(path.name for path in folder.iterdir() if path.name not in grants)
    if strays:
        raise ConfigError(f"grants.json: no grants for the skill `{strays[0]}`")


def _skill(path: Path, name: str, grants: Mapping[str, Scope]) -> Skill:
    document = read_text(path)
    fields, body = _frontmatter(document, f"skills/{name}/SKILL.md")
    if fields.get("name") != name:
        raise ConfigError(f"skills/{name}/SKILL.md: expected the name `{name}`, found `{fields.get('name')}`")
    return Skill(name, fields.get("description", ""), document, body, grants)


def _frontmatter(document: str, where: str) -> tuple[dict[str, str], str]:
    """Read the two plain one-line fields that a benchmark skill has."""
    opening, _, rest = document.partition("---\n")
    header, fence, body = rest.partition("\n---\n")
    if opening or not fence:
        raise ConfigError(f"{where}: expected a frontmatter between two lines `---`")
    pairs = [line.partition(": ") for line in header.split("\n")]
    return {key: value.strip() for key, _, value in pairs}, body.strip() + "\n"


def one_of(node: Node, choices: tuple[str, ...]) -> str:
    """Return the text of a node that must be one of a few choices."""
    if node.text() not in choices:
        node.refuse(f"unknown `{node.value}`; known: {', '.join(f'`{choice}`' for choice in choices)}")
    return node.text()
