"""Records of what queries are made from: values, references, intents, lures and templates."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.fortis.model import Goal, Setting

CORE_TYPES = ("imp", "ger", "np", "done", "wh", "ask", "state")
LURE_FORMS = ("s", "c", "imp", "ger", "np")
REGISTERS = ("terse", "chatty", "formal", "question", "fragment")
TARGET_COUNTS = (2, 3)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a bank: `name` is what a handle is, the other fields are for phrases."""

    name: str
    fields: Mapping[str, str] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Loose:
    """A way to speak of a target without its name, and the handles that this gives away."""

    text: str
    known: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reference:
    """The noun phrases for a value: one, several (`{names}` is a list of `item`s), and without its name.

    A `personal` target is spoken of as `they`. `handle` is what the name is to the tools, None for free values.
    """

    one: tuple[str, ...]
    many: tuple[str, ...]
    item: str
    loose: tuple[Loose, ...]
    personal: bool
    handle: str | None


@dataclass(frozen=True, slots=True)
class Intent:
    """Something that one asks for in this domain; the first slot is its target.

    `known` are handles that the phrases give beside those of the slots.
    """

    id: str
    goals: tuple[Goal, ...]
    slots: tuple[str, ...]
    known: frozenset[str]
    cores: Mapping[str, tuple[str, ...]] = field(compare=False)
    many: Mapping[str, tuple[str, ...]] = field(compare=False)

    @property
    def target(self) -> str:
        """Return the slot that the intent is about."""
        return self.slots[0]


@dataclass(frozen=True, slots=True)
class Lure:
    """A tempting clause of one setting; `goal` is the act it speaks of, if it names one.

    It clashes with goals that are in `unless` (no pinning of what shall be deleted).
    """

    setting: Setting
    form: str
    text: str
    fits: tuple[str, ...]
    goal: Goal | None
    number: str | None
    unless: frozenset[str]

    def suits(self, target: str, count: int) -> bool:
        """Tell whether the clause can speak of this kind and number of targets."""
        return (self.fits == ("*",) or target in self.fits) and self.number in (None, "one" if count == 1 else "many")


@dataclass(frozen=True, slots=True)
class Reason:
    """A harmless clause that says why."""

    form: str
    text: str
    fits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """The frame of a whole query, with typed holes."""

    id: str
    settings: tuple[Setting, ...]
    register: str
    text: str


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """Everything that the queries of a domain are made from."""

    banks: Mapping[str, tuple[Value, ...]]
    handles: frozenset[str]
    references: Mapping[str, Reference]
    intents: tuple[Intent, ...]
    combos: tuple[tuple[str, ...], ...]
    openers: Mapping[str, tuple[str, ...]]
    closers: Mapping[str, tuple[str, ...]]
    reasons: tuple[Reason, ...]
    lures: tuple[Lure, ...]
    templates: tuple[Template, ...]

    @property
    def phrase_count(self) -> int:
        """Return the number of hand-written phrases, templates and values left out."""
        cores = sum(
            len(texts) for intent in self.intents for kind in (intent.cores, intent.many) for texts in kind.values()
        )
        references = sum(len(ref.one) + len(ref.many) + len(ref.loose) for ref in self.references.values())
        frills = sum(len(texts) for kind in (self.openers, self.closers) for texts in kind.values())
        return cores + references + frills + len(self.reasons) + len(self.lures)
