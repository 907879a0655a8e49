"""The phrases of a domain -> records, checked so that writing queries can trust them."""

from collections.abc import Iterator, Mapping

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
from evals.fortis.model import Atom, Goal, Scope, Setting
from evals.fortis.nodes import Node, load
from evals.fortis.phrasing import holes
from evals.fortis.reading import atoms_of, domain_folder, goal_from, known_name, member_of, one_of, scope_from
from evals.skill_eval.errors import ConfigError

_AGREEING = frozenset({"it", "its", "that", "they", "is", "has", "does"})
_TEMPLATE_HOLES = frozenset(
    {"opener", "closer", "reason.s", "reason.c"}
    | {f"lure.{form}" for form in LURE_FORMS}
    | {kind + suffix for kind in CORE_TYPES for suffix in ("", ".it")}
)


def load_phrasebook(name: str) -> Phrasebook:
    """Return everything that the queries of a domain are made from."""
    folder = domain_folder(name)
    book, world = load(folder / "phrases.json"), load(folder / "world.json")
    book.only("references", "intents", "combos", "openers", "closers", "reasons", "lures")
    atoms, handles = atoms_of(world), frozenset(dict(world["handles"].members()))
    read = Phrasebook(
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
    faults = sorted({*_slot_faults(read), *_phrase_faults(read), *_template_faults(read)})
    if faults:
        raise ConfigError("\n".join(faults))
    return read


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
        member_of(handle, handle.text(), handles) if handle else (slot if slot in handles else None),
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
    return Reason(one_of(node["form"], ("s", "c")), node["text"].text(), node["fits"].texts())


def _lure(node: Node, atoms: Mapping[str, Atom]) -> Lure:
    node.only("setting", "form", "text", "fits", "atom", "scope", "number", "unless")
    atom, scope, number, unless = node.get("atom"), node.get("scope"), node.get("number"), node.get("unless")
    return Lure(
        _setting(node["setting"]),
        one_of(node["form"], LURE_FORMS),
        node["text"].text(),
        node["fits"].texts(),
        Goal(known_name(atom, atoms), scope_from(scope) if scope else Scope.ONE) if atom else None,
        one_of(number, ("one", "many")) if number else None,
        frozenset(known_name(item, atoms) for item in unless.items()) if unless else frozenset(),
    )


def _template(node: Node) -> Template:
    node.only("id", "settings", "register", "text")
    settings = tuple(_setting(item) for item in node["settings"].items())
    return Template(node["id"].text(), settings, one_of(node["register"], REGISTERS), node["text"].text())


def _setting(node: Node) -> Setting:
    return Setting(one_of(node, tuple(str(setting) for setting in Setting)))


def _slot_faults(book: Phrasebook) -> Iterator[str]:
    known = {intent.id for intent in book.intents}
    for combo in book.combos:
        yield from (f"phrases.json.combos: there is no intent `{name}`" for name in combo if name not in known)
    for intent in book.intents:
        where = f"phrases.json, intent {intent.id}"
        yield from (f"{where}: values.json has no bank `{slot}`" for slot in intent.slots if slot not in book.banks)
        bare = [slot for slot in intent.slots if slot in book.handles and slot not in book.references]
        yield from (f"{where}: the handle `{slot}` has no reference" for slot in bare)
        yield from (f"{where}: unknown handle `{name}`" for name in sorted(intent.known - book.handles))
        if intent.many and not (book.references.get(intent.target) and book.references[intent.target].many):
            yield f"{where}: `many` needs a reference for several of `{intent.target}`"
    for slot, reference in book.references.items():
        yield from _reference_faults(slot, reference, book)


def _reference_faults(slot: str, reference: Reference, book: Phrasebook) -> Iterator[str]:
    where = f"phrases.json.references.{slot}"
    values = book.banks.get(slot, ())
    fields = frozenset.intersection(*(frozenset(value.fields) for value in values)) if values else frozenset()
    for phrase in (reference.item, *(way.text for way in reference.loose)):
        lost = sorted(set(holes(phrase)) - fields)
        yield from (f"{where}: not every value has the field `{name}` of `{phrase}`" for name in lost)
    if not any(set(holes(phrase)) <= fields for phrase in reference.one):
        yield f"{where}.one: no phrase that every value has the fields for"
    unknown = sorted({name for way in reference.loose for name in way.known - book.handles})
    yield from (f"{where}.loose: unknown handle `{name}`" for name in unknown)


def _phrase_faults(book: Phrasebook) -> Iterator[str]:
    phrases = [
        *(
            (f"intent {intent.id}", text)
            for intent in book.intents
            for bank in (intent.cores, intent.many)
            for texts in bank.values()
            for text in texts
        ),
        *(("lures", lure.text) for lure in book.lures),
        *(("reasons", reason.text) for reason in book.reasons),
    ]
    for where, text in phrases:
        for hole in holes(text):
            slot, _, name = hole.partition(".")
            known = name in book.banks if slot == "any" else slot in {*book.banks, *_AGREEING, "target"}
            if not known:
                yield f"phrases.json, {where}: unknown hole `{{{hole}}}` in `{text}`"


def _template_faults(book: Phrasebook) -> Iterator[str]:
    for template in book.templates:
        where, found = f"templates.json, {template.id}", holes(template.text)
        yield from (f"{where}: unknown hole `{{{hole}}}`" for hole in found if hole not in _TEMPLATE_HOLES)
        if sum(hole.partition(".")[0] in CORE_TYPES for hole in found) != 1:
            yield f"{where}: expected one core hole"
        if sum(hole.startswith("lure.") for hole in found) != (template.settings != (Setting.CLEAN,)):
            yield f"{where}: expected one lure hole, and none in {Setting.CLEAN}"
        for hole, bank in (("opener", book.openers), ("closer", book.closers)):
            if hole in found and not bank.get(template.register):
                yield f"{where}: there is no {hole} for the register {template.register}"
