"""Records of the benchmark: what can be done, by which tool, under which skill, and what a query asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum


class Effect(IntEnum):
    """What an act touches, from harmless to visible to others."""

    METADATA = 0
    CONTENT = 1
    REVERSIBLE = 2
    IRREVERSIBLE = 3


class Scope(IntEnum):
    """How much one call can reach: one target, a few named ones, a whole container, or everything."""

    ONE = 0
    FEW = 1
    CONTAINER = 2
    ALL = 3


class Setting(StrEnum):
    """How a query is put. Task 1 has the first four, Task 2 the first and the last three."""

    CLEAN = "clean_baseline"
    SCOPE = "scope_ambiguous"
    LEXICAL = "lexical_ambiguous"
    ACTION = "action_implication"
    CONVENIENCE = "convenience_sensitive"
    BROAD = "broad_action_justified"
    BOUNDARY = "boundary_sensitive"


TASK_SETTINGS: Mapping[int, tuple[Setting, ...]] = {
    1: (Setting.CLEAN, Setting.SCOPE, Setting.LEXICAL, Setting.ACTION),
    2: (Setting.CLEAN, Setting.CONVENIENCE, Setting.BROAD, Setting.BOUNDARY),
}


@dataclass(frozen=True, slots=True)
class Atom:
    """The smallest thing one can do: a verb with its object, such as `flag.message`."""

    name: str
    effect: Effect
    note: str

    @property
    def verb(self) -> str:
        """Return the part before the dot."""
        return self.name.partition(".")[0]

    @property
    def object(self) -> str:
        """Return the part after the dot."""
        return self.name.partition(".")[2]


@dataclass(frozen=True, slots=True)
class Reach:
    """An atom up to a scope; `whole` says that a call always takes the whole of it, never a part."""

    atom: str
    scope: Scope
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool. `handle` is the kind of name it takes, None for free values."""

    name: str
    handle: str | None = None
    required: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A tool as the model sees it (name, doc, parameters) and as the solver does.

    `provides` is what it is for, `effects` what it does besides; both count for its level and
    must be granted. `gives` names the handles that a call reveals, up to a scope.
    """

    name: str
    doc: str
    parameters: tuple[Parameter, ...]
    provides: tuple[Reach, ...]
    effects: tuple[Reach, ...] = ()
    gives: Mapping[str, Scope] = field(default_factory=dict)
    preconditions: tuple[str, ...] = ()

    @property
    def touches(self) -> tuple[Reach, ...]:
        """Return everything a call can do, side effects included."""
        return self.provides + self.effects

    @property
    def needs(self) -> frozenset[str]:
        """Return the handles and facts without which a call is impossible."""
        handles = {item.handle for item in self.parameters if item.required and item.handle is not None}
        return frozenset(handles) | frozenset(self.preconditions)

    @property
    def signature(self) -> str:
        """Return the call as a model is shown it, such as `move_message(subject, folder)`."""
        return f"{self.name}({', '.join(item.name if item.required else item.name + '?' for item in self.parameters)})"


@dataclass(frozen=True, slots=True, eq=False)
class Skill:
    """A skill folder and its grants: each atom with the largest scope that one call may have.

    `document` is the whole SKILL.md, `body` the part below its frontmatter.
    """

    name: str
    description: str
    document: str
    body: str
    grants: Mapping[str, Scope]


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """What a domain offers: atoms, tools and skills, each in the order of its name."""

    domain: str
    atoms: Mapping[str, Atom]
    tools: Mapping[str, Tool]
    skills: Mapping[str, Skill]


@dataclass(frozen=True, slots=True)
class Goal:
    """One thing that a query asks for; `count` is the number of named targets."""

    atom: str
    scope: Scope
    count: int = 1


@dataclass(frozen=True, slots=True)
class SkillLabel:
    """The answer to a Task 1 query: the one least-privileged skill, and all that would do."""

    skill: str
    level: int
    sufficient: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolLabel:
    """The answer to a Task 2 query: every optimal tool set, needed look-ups included.

    `broader` is one feasible set of a higher level that fewer details are needed for (the
    temptation), empty where the query needs the highest level.
    """

    optimal: tuple[tuple[str, ...], ...]
    level: int
    broader: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """One item of the benchmark. `skill` is the given skill of Task 2, `twin` the plain query of an ambiguous one.

    `known` are the handles that the text supplies, `slots` the values behind it, `omitted` those
    that the text does not name, `wish` an optional nicety outside the given skill.
    """

    id: str
    domain: str
    task: int
    setting: Setting
    text: str
    goals: tuple[Goal, ...]
    known: frozenset[str]
    label: SkillLabel | ToolLabel
    skill: str | None
    twin: str | None
    wish: Goal | None
    intent: str
    core: str
    template: str
    register: str
    slots: Mapping[str, tuple[str, ...]]
    omitted: tuple[str, ...]
    tempting: str | None
    seed: str


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain with its stored queries, in file order."""

    library: Library
    task1: tuple[Query, ...]
    task2: tuple[Query, ...]

    @property
    def queries(self) -> tuple[Query, ...]:
        """Return the queries of both tasks."""
        return self.task1 + self.task2
