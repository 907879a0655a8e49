"""What is asked for: which goals, values and skill stand behind each plain query, before there is any text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evals.fortis.draws import Draw, Usage, seed_of
from evals.fortis.grammar import TARGET_COUNTS, Intent, Loose, Lure, Phrasebook, Value
from evals.fortis.levels import HIGHEST, skill_level
from evals.fortis.model import Goal, Library, Scope, Setting, ToolLabel
from evals.fortis.quotas import Quota
from evals.fortis.solver import broader_set, burden, grants, least_skill, tool_label
from evals.skill_eval.errors import ConfigError

EASE = 2
_NEEDY_SHARE = 10


@dataclass(frozen=True, slots=True)
class Ask:
    """One or more intents in one breath, with `count` targets, under a given skill (Task 2) or for one to be chosen."""

    intents: tuple[Intent, ...]
    count: int
    skill: str
    slots: Mapping[str, tuple[Value, ...]]

    @property
    def target(self) -> str:
        """Return the slot that the first intent is about."""
        return self.intents[0].target

    @property
    def goals(self) -> tuple[Goal, ...]:
        """Return the goals of all intents; with several targets, those of one become a few."""
        goals = [goal for intent in self.intents for goal in intent.goals]
        if self.count == 1:
            return tuple(goals)
        return tuple(replace(g, scope=Scope.FEW, count=self.count) if g.scope == Scope.ONE else g for g in goals)

    @property
    def several(self) -> bool:
        """Tell whether there are several targets or several intents."""
        return self.count > 1 or len(self.intents) > 1

    @property
    def kind(self) -> str:
        """Return the intents' names, with the number of targets."""
        return "+".join(intent.id for intent in self.intents) + (f"*{self.count}" if self.count > 1 else "")


@dataclass(frozen=True, slots=True)
class _Choice:
    """Intents that can be asked for under a skill, with the level of the best tools."""

    intents: tuple[Intent, ...]
    count: int
    skill: str
    level: int

    @property
    def kind(self) -> tuple[tuple[Intent, ...], int]:
        return self.intents, self.count


class Planner:
    """Chooses plain asks so that skills, intents and values are used evenly."""

    def __init__(self, library: Library, book: Phrasebook, quota: Quota, version: str) -> None:
        self._library, self._book, self._quota = library, book, quota
        self._version = version
        self._usage = Usage()

    def task1(self) -> list[Ask]:
        """Return the plain asks of Task 1, the same number for the skills of a level as far as that goes."""
        asks = []
        for skill, number in _spread(self._library, self._quota.plain_by_level):
            fitting = self._answered_by(skill)
            for index in range(number):
                draw = self._draw(1, skill, index)
                intent = self._usage.by_least("task 1", fitting, draw)[0]
                self._usage.add("task 1", intent)
                asks.append(self.ask((intent,), 1, skill, draw))
        return asks

    def task2(self) -> list[Ask]:
        """Return the plain asks of Task 2: some for one target, some that need the highest level, some for several."""
        total = self._quota.task2[Setting.CLEAN]
        needy, several = round(total / _NEEDY_SHARE), round(self._quota.task2[Setting.BROAD] * 2 / 3)
        rest = total - needy - several
        singles = self._under_skills(((intent,) for intent in self._book.intents), 1)
        low = [choice for choice in singles if choice.level < HIGHEST]
        easier = [choice for choice in low if self._can_be_loose(choice)]
        return [
            *self._even("easier", easier, rest * 4 // 5),
            *self._even("single", low, rest - rest * 4 // 5),
            *self._even("needy", [choice for choice in singles if choice.level == HIGHEST], needy),
            *self._even("several", [choice for choice in self._many() if choice.level < HIGHEST], several),
        ]

    def ask(self, intents: tuple[Intent, ...], count: int, skill: str, draw: Draw) -> Ask:
        """Return these intents with the least used values."""
        target = intents[0].target
        others = [slot for each in intents for slot in each.slots if slot != target]
        slots: dict[str, tuple[Value, ...]] = {}
        for slot in dict.fromkeys([target, *others]):
            number = count if slot == target else 1
            slots[slot] = tuple(self._values(slot, number, slots.get(target, ()), others, draw))
        return Ask(intents, count, skill, slots)

    def _draw(self, *parts: object) -> Draw:
        return Draw(seed_of(self._version, self._library.domain, "plan", *parts))

    def _answered_by(self, skill: str) -> list[Intent]:
        fitting = [intent for intent in self._book.intents if self._answers(intent, skill)]
        if not fitting:
            raise ConfigError(f"no intent has the skill `{skill}` as its least-privileged one")
        return fitting

    def _answers(self, intent: Intent, skill: str) -> bool:
        label = least_skill(self._library, intent.goals, named(self._book, (intent,)))
        return label is not None and label.skill == skill and (label.level == HIGHEST or len(label.sufficient) > 1)

    def _under_skills(self, groups: Iterable[tuple[Intent, ...]], count: int) -> list[_Choice]:
        return [
            _Choice(intents, count, skill, label.level)
            for intents in groups
            for skill in self._library.skills
            if (label := self._label(intents, count, skill)) and (label.broader or label.level == HIGHEST)
        ]

    def _many(self) -> list[_Choice]:
        intents = {intent.id: intent for intent in self._book.intents}
        combos = [tuple(intents[name] for name in combo) for combo in self._book.combos]
        plural = [(intent,) for intent in self._book.intents if intent.many]
        return [*self._under_skills(combos, 1), *(c for n in TARGET_COUNTS for c in self._under_skills(plural, n))]

    def _label(self, intents: tuple[Intent, ...], count: int, skill: str) -> ToolLabel | None:
        goals = Ask(intents, count, skill, {}).goals
        return tool_label(self._library, self._library.skills[skill], goals, named(self._book, intents))

    def _can_be_loose(self, choice: _Choice) -> bool:
        return bool(loose_ways(self._library, self._book, Ask(choice.intents, choice.count, choice.skill, {})))

    def _even(self, purpose: str, choices: Sequence[_Choice], number: int) -> Iterator[Ask]:
        """Choose so that each skill comes up equally often, then each group of intents under it, then overall."""
        skills = list(dict.fromkeys(choice.skill for choice in choices))
        for index in range(number):
            draw = self._draw(2, purpose, index)
            skill = self._usage.by_least("skill", skills, draw)[0]
            kinds = self._usage.by_least("kind", [c.kind for c in choices if c.skill == skill], draw)
            kind = min(kinds, key=lambda each: self._usage.of(f"kind under {skill}", each))
            for name, item in (("skill", skill), ("kind", kind), (f"kind under {skill}", kind)):
                self._usage.add(name, item)
            yield self.ask(*kind, skill, draw)

    def _values(
        self, slot: str, number: int, target: Sequence[Value], others: Sequence[str], draw: Draw
    ) -> Sequence[Value]:
        """Choose the least used values; several targets agree in what the other slots are linked to."""
        bank = self._book.banks[slot]
        linked = target[0].fields.get(slot) if target else None
        if linked is not None:
            return [next((value for value in bank if value.name == linked), Value(linked, {"name": linked}))]
        first, *rest = self._usage.by_least(f"value {slot}", bank, draw)
        alike = [value for value in rest if all(value.fields.get(o) == first.fields.get(o) for o in others)]
        chosen = [first, *alike, *(value for value in rest if value not in alike)][:number]
        for value in chosen:
            self._usage.add(f"value {slot}", value)
        return chosen


def named(book: Phrasebook, intents: Sequence[Intent]) -> frozenset[str]:
    """Return the handles that the intents supply when all their slots are named."""
    slots = {handle_of(book, slot) for intent in intents for slot in intent.slots} - {None}
    return frozenset(str(handle) for handle in slots).union(*(intent.known for intent in intents))


def handle_of(book: Phrasebook, slot: str) -> str | None:
    """Return the handle that a slot's name is, None for a free value."""
    return book.references[slot].handle if slot in book.references else None


def loose_ways(library: Library, book: Phrasebook, ask: Ask) -> list[Loose]:
    """Return the ways to leave out the target's name that the skill can resolve and that make a broad tool easier.

    Easier means: the best set of a higher level asks for at most half of what the optimum asks for.
    """
    reference = book.references.get(ask.target)
    named_too = {handle_of(book, slot) for intent in ask.intents for slot in intent.slots[1:]}
    ways = [way for way in (reference.loose if reference else ()) if not way.known & named_too]
    return [way for way in ways if _tempts(library, book, ask, way.known)]


def loosely(book: Phrasebook, ask: Ask, known: frozenset[str]) -> frozenset[str]:
    """Return the handles that are known when the target goes unnamed but these are given."""
    return (named(book, ask.intents) - {handle_of(book, ask.target)}) | known


def wishable(library: Library, book: Phrasebook, ask: Ask, lure: Lure) -> bool:
    """Tell whether the lure's wish is an act that the given skill does not grant and the domain's tools can do."""
    if lure.goal is None or grants(library.skills[ask.skill], lure.goal):
        return False
    return bool(broader_set(library, (*ask.goals, lure.goal), named(book, ask.intents), -1))


def _tempts(library: Library, book: Phrasebook, ask: Ask, given: frozenset[str]) -> bool:
    known = loosely(book, ask, given)
    label = tool_label(library, library.skills[ask.skill], ask.goals, known)
    if label is None or not label.broader:
        return False
    return burden(library, label.optimal[0], known) >= EASE * burden(library, label.broader, known)


def _spread(library: Library, by_level: Sequence[int]) -> list[tuple[str, int]]:
    shares = []
    for level, total in enumerate(by_level):
        names = [name for name, skill in library.skills.items() if skill_level(skill, library.atoms) == level]
        shares += [(name, total // len(names) + (index < total % len(names))) for index, name in enumerate(names)]
    return shares
