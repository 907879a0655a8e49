"""Domain files -> records, with errors that name file and place."""

from collections.abc import Mapping
from pathlib import Path

from evals.fortis.grammar import (
    CORE_TYPES,
    LURE_FORMS,
    REGISTERS,
    Intent,
    Loose,
    Lure,
    Phrasebook,
    Reason,
    Reference,
    Template,
    Value,
)
from evals.fortis.model import Atom, Effect, Goal, Library, Parameter, Reach, Scope, Setting, Skill, Tool
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
    folder = _folder(name)
    world = load(folder / "world.json")
    atoms = _atoms(world)
    handles = frozenset(dict(world["handles"].members()))
    facts = frozenset(dict(world["facts"].members()))
    tools = [_tool(node, atoms, handles, facts) for node in load(folder / "tools.json").items()]
    grants = {skill: _grants(node, atoms) for skill, node in load(folder / "grants.json").members()}
    skills = [_skill(folder / "skills" / skill / "SKILL.md", skill, given) for skill, given in sorted(grants.items())]
    _refuse_strays(folder / "skills", grants)
    return Library(name, atoms, _by_name(tools, "tools.json"), {skill.name: skill for skill in skills})


def load_lexicon(name: str) -> Lexicon:
    """Return the words by which a domain's prose speaks of its atoms and scopes."""
    world = load(_folder(name) / "world.json")
    return Lexicon(
        {verb: node.texts() for verb, node in world["verbs"].members()},
        {thing: node.texts() for thing, node in world["objects"].members()},
        {scope: world["scopes"][scope.name.lower()].texts() for scope in Scope},
        _atoms(world),
    )


def load_phrasebook(name: str) -> Phrasebook:
    """Return everything that the queries of a domain are made from."""
    folder = _folder(name)
    book, world = load(folder / "phrases.json"), load(folder / "world.json")
    book.only("references", "intents", "combos", "openers", "closers", "reasons", "lures")
    atoms, handles = _atoms(world), frozenset(dict(world["handles"].members()))
    return Phrasebook(
        banks={
            bank: tuple(_value(item) for item in node.items()) for bank, node in load(folder / "values.json").members()
        },
        handles=handles,
        references={slot: _reference(node, slot, handles) for slot, node in book["references"].members()},
        intents=tuple(_intent(node, atoms) for node in book["intents"].items()),
        combos=tuple(node.texts() for node in book["combos"].items()),
        openers=_by_register(book["openers"]),
        closers=_by_register(book["closers"]),
        reasons=tuple(_reason(node) for node in book["reasons"].items()),
        lures=tuple(_lure(node, atoms) for node in book["lures"].items()),
        templates=tuple(_template(node) for node in load(folder / "templates.json").items()),
    )


def load_recovery(name: str) -> tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]:
    """Return the patterns of asides and, by atom, of requests that the independent reader of V7 uses."""
    node = load(_folder(name) / "recover.json").only("asides", "goals")
    return node["asides"].texts(), {atom: patterns.texts() for atom, patterns in node["goals"].members()}


def source_files(name: str) -> tuple[Path, ...]:
    """Return the hand-written files of a domain, sorted."""
    folder = _folder(name)
    return tuple(sorted([*folder.glob("*.json"), *folder.glob("skills/*/SKILL.md")]))


def goal_from(node: Node, atoms: Mapping[str, Atom]) -> Goal:
    """Return the goal written as `[atom, scope]` or `[atom, scope, count]`."""
    parts = list(node.items())
    if len(parts) not in (2, 3):
        node.refuse("expected `[atom, scope]` or `[atom, scope, count]`")
    return Goal(_known(parts[0], atoms), scope_from(parts[1]), parts[2].number() if len(parts) == 3 else 1)


def scope_from(node: Node) -> Scope:
    """Return the scope that is written as its name in lower case."""
    return Scope[_one_of(node, tuple(scope.name.lower() for scope in Scope)).upper()]


def _folder(name: str) -> Path:
    folder = DOMAINS / name
    if "/" in name or not (folder / "world.json").is_file():
        raise ConfigError(f"unknown domain `{name}`; known: {', '.join(f'`{known}`' for known in domain_names())}")
    return folder


def _atoms(world: Node) -> dict[str, Atom]:
    world.only("about", "verbs", "objects", "atoms", "scopes", "handles", "facts")
    return {name: _atom(name, node) for name, node in world["atoms"].members()}


def _atom(name: str, node: Node) -> Atom:
    parts = list(node.items())
    if len(parts) != 2 or name.count(".") != 1:
        node.refuse("expected `verb.object` with `[effect class, note]`")
    if parts[0].number() not in tuple(Effect):
        parts[0].refuse("expected an effect class of 0 to 3")
    return Atom(name, Effect(parts[0].number()), parts[1].text())


def _known(node: Node, names: Mapping[str, object]) -> str:
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
        {_member(item, handle, handles): scope_from(item) for handle, item in gives.members()} if gives else {},
        tuple(_member(item, item.text(), facts) for item in conditions.items()) if conditions else (),
    )


def _parameter(node: Node, handles: frozenset[str]) -> Parameter:
    node.only("name", "handle", "required")
    handle, required = node.get("handle"), node.get("required")
    return Parameter(
        node["name"].text(),
        _member(handle, handle.text(), handles) if handle else None,
        required.flag() if required else True,
    )


def _member(node: Node, name: str, names: frozenset[str]) -> str:
    return name if name in names else node.refuse(f"unknown name `{name}`; known: {', '.join(sorted(names))}")


def _reach(node: Node, atoms: Mapping[str, Atom]) -> Reach:
    parts = list(node.items())
    if len(parts) not in (2, 3) or (len(parts) == 3 and parts[2].value != "whole"):
        node.refuse('expected `[atom, scope]` or `[atom, scope, "whole"]`')
    return Reach(_known(parts[0], atoms), scope_from(parts[1]), len(parts) == 3)


def _grants(node: Node, atoms: Mapping[str, Atom]) -> dict[str, Scope]:
    return {_known(Node(atom, item.where), atoms): scope_from(item) for atom, item in node.members()}


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


def _value(node: Node) -> Value:
    if isinstance(node.value, str):
        return Value(node.text(), {"name": node.text()})
    fields = {key: item.text() for key, item in node.members()}
    return Value(node["name"].text(), fields)


def _reference(node: Node, slot: str, handles: frozenset[str]) -> Reference:
    node.only("handle", "one", "many", "item", "loose", "personal")
    many, item, loose, personal = node.get("many"), node.get("item"), node.get("loose"), node.get("personal")
    handle = node.get("handle")
    return Reference(
        node["one"].texts(),
        many.texts() if many else (),
        item.text() if item else "{name}",
        tuple(Loose(way["text"].text(), frozenset(way["known"].texts())) for way in loose.items()) if loose else (),
        personal.flag() if personal else False,
        _member(handle, handle.text(), handles) if handle else (slot if slot in handles else None),
    )


def _intent(node: Node, atoms: Mapping[str, Atom]) -> Intent:
    node.only("id", "goals", "slots", "known", "cores", "many")
    many, known = node.get("many"), node.get("known")
    return Intent(
        node["id"].text(),
        tuple(goal_from(item, atoms) for item in node["goals"].items()),
        node["slots"].texts(),
        frozenset(known.texts() if known else ()),
        _typed(node["cores"]),
        _typed(many) if many else {},
    )


def _typed(node: Node) -> dict[str, tuple[str, ...]]:
    return {kind: item.texts() for kind, item in node.only(*CORE_TYPES).members() if item.value}


def _by_register(node: Node) -> dict[str, tuple[str, ...]]:
    return {register: item.texts() for register, item in node.only(*REGISTERS).members()}


def _reason(node: Node) -> Reason:
    node.only("form", "text", "fits")
    return Reason(_one_of(node["form"], ("s", "c")), node["text"].text(), node["fits"].texts())


def _lure(node: Node, atoms: Mapping[str, Atom]) -> Lure:
    node.only("setting", "form", "text", "fits", "atom", "scope", "number", "unless")
    atom, scope, number, unless = node.get("atom"), node.get("scope"), node.get("number"), node.get("unless")
    return Lure(
        _setting(node["setting"]),
        _one_of(node["form"], LURE_FORMS),
        node["text"].text(),
        node["fits"].texts(),
        Goal(_known(atom, atoms), scope_from(scope) if scope else Scope.ONE) if atom else None,
        _one_of(number, ("one", "many")) if number else None,
        frozenset(_known(item, atoms) for item in unless.items()) if unless else frozenset(),
    )


def _template(node: Node) -> Template:
    node.only("id", "settings", "register", "text")
    settings = tuple(_setting(item) for item in node["settings"].items())
    return Template(node["id"].text(), settings, _one_of(node["register"], REGISTERS), node["text"].text())


def _setting(node: Node) -> Setting:
    return Setting(_one_of(node, tuple(str(setting) for setting in Setting)))


def _one_of(node: Node, choices: tuple[str, ...]) -> str:
    if node.text() not in choices:
        node.refuse(f"unknown `{node.value}`; known: {', '.join(f'`{choice}`' for choice in choices)}")
    return node.text()
