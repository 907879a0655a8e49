"""From the hand-written files of a domain to its queries: the same bytes everywhere."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from evals.fortis.composing import Composer, Draft, lure_suits
from evals.fortis.draws import Draw, seed_of
from evals.fortis.grammar import Loose, Lure, Phrasebook
from evals.fortis.levels import HIGHEST
from evals.fortis.model import TASK_SETTINGS, Library, Query, Setting, SkillLabel, ToolLabel
from evals.fortis.planning import Ask, Planner, loose_ways, loosely, named, wishable
from evals.fortis.quotas import QUOTAS, Quota
from evals.fortis.solver import broader_set, least_skill, tool_label
from evals.fortis.wording import bigrams, faults, jaccard, names_within, privilege_words, trigrams
from evals.skill_eval.errors import ConfigError

VERSION = "1"
TEMPLATE_SHARE = 0.02
LIKENESS = 0.7
_CANDIDATES = 40
_SHORT = {
    Setting.CLEAN: "cb",
    Setting.SCOPE: "sc",
    Setting.LEXICAL: "lx",
    Setting.ACTION: "ai",
    Setting.CONVENIENCE: "cs",
    Setting.BROAD: "ba",
    Setting.BOUNDARY: "bs",
}


def generate(library: Library, book: Phrasebook) -> tuple[tuple[Query, ...], tuple[Query, ...]]:
    """Return the queries of Task 1 and Task 2 of a domain."""
    quota = QUOTAS[library.domain]
    planner = Planner(library, book, quota, VERSION)
    maker = _Maker(library, book, quota)
    return tuple(maker.task(1, planner.task1())), tuple(maker.task(2, planner.task2()))


def prospects(library: Library, book: Phrasebook) -> Iterator[str]:
    """Yield for each intent and combination what queries it can give: a help for the writers of phrases."""
    planner, maker = (
        Planner(library, book, QUOTAS[library.domain], VERSION),
        _Maker(library, book, QUOTAS[library.domain]),
    )
    intents = {intent.id: intent for intent in book.intents}
    groups = [
        *((intent,) for intent in book.intents),
        *(tuple(intents[name] for name in combo) for combo in book.combos),
    ]
    for group in groups:
        goals = [goal for intent in group for goal in intent.goals]
        label = least_skill(library, goals, named(book, group))
        ask = planner.ask(group, 1, "", Draw(seed_of("prospects", *(intent.id for intent in group))))
        lures = {s: sum(lure.setting == s and lure_suits(lure, ask) for lure in book.lures) for s in Setting}
        counts = " ".join(
            f"{_SHORT[setting]}:{number}" for setting, number in lures.items() if setting != Setting.CLEAN
        )
        yield f"{ask.kind}: {label.skill if label else 'no single skill'}; {counts}; {', '.join(maker.under(ask))}"


@dataclass(frozen=True, slots=True)
class _Item:
    """A place to be filled: the ask, its setting and number, and for an ambiguous one its plain twin."""

    ask: Ask
    task: int
    setting: Setting
    number: int
    twin: str | None

    def id(self, domain: str) -> str:
        return f"{domain}-t{self.task}-{_SHORT[self.setting]}-{self.number:03d}"


class _Maker:
    def __init__(self, library: Library, book: Phrasebook, quota: Quota) -> None:
        self._library, self._book, self._quota = library, book, quota
        total = sum(number for task in (1, 2) for number in quota.queries(task).values())
        self._composer = Composer(book, int(total * TEMPLATE_SHARE))
        self._names = (*library.tools, *library.skills)
        self._cores: set[tuple[str, str]] = set()
        self._grams: list[frozenset[tuple[str, ...]]] = []
        self._pairs: set[tuple[str, str]] = set()

    def task(self, task: int, asks: Sequence[Ask]) -> Iterator[Query]:
        plain = [_Item(ask, task, Setting.CLEAN, number, None) for number, ask in enumerate(asks, 1)]
        yield from (self._query(item) for item in plain)
        for setting in TASK_SETTINGS[task][1:]:
            yield from (self._query(item) for item in self._twins(plain, task, setting))

    def under(self, ask: Ask) -> Iterator[str]:
        """Yield the skills under which the ask can be met, `*` when the target may go unnamed, `+` for wishes."""
        for name, skill in self._library.skills.items():
            label = tool_label(self._library, skill, ask.goals, named(self._book, ask.intents))
            if label is not None:
                given = replace(ask, skill=name)
                loose, wish = (self._can(given, setting) for setting in (Setting.CONVENIENCE, Setting.BOUNDARY))
                yield f"{name} L{label.level}{'*' if loose else ''}{'+' if wish else ''}"

    def _twins(self, plain: Sequence[_Item], task: int, setting: Setting) -> Iterator[_Item]:
        """Take the plain items that can be put this way, as evenly as the quota allows."""
        fitting = [item for item in plain if self._can(item.ask, setting)]
        if not fitting:
            raise ConfigError(f"no plain query can be put as {setting}")
        rounds, rest = divmod(self._quota.queries(task)[setting], len(fitting))
        for index, twin in enumerate([*fitting * rounds, *_spread(fitting, rest)]):
            yield _Item(twin.ask, task, setting, index + 1, twin.id(self._library.domain))

    def _can(self, ask: Ask, setting: Setting) -> bool:
        match setting:
            case Setting.CONVENIENCE:
                return not ask.several and bool(self._ways(ask, setting))
            case Setting.BROAD:
                return ask.several
            case Setting.BOUNDARY:
                return not ask.several and bool(self._lures(ask, setting))
            case _:
                return True

    def _ways(self, ask: Ask, setting: Setting) -> list[Loose]:
        return loose_ways(self._library, self._book, ask) if setting == Setting.CONVENIENCE else []

    def _lures(self, ask: Ask, setting: Setting) -> list[Lure]:
        lures = [lure for lure in self._book.lures if lure.setting == setting and lure_suits(lure, ask)]
        if setting != Setting.BOUNDARY:
            return lures
        return [lure for lure in lures if wishable(self._library, self._book, ask, lure)]

    def _query(self, item: _Item) -> Query:
        seed = seed_of(VERSION, self._library.domain, item.task, item.setting, item.number)
        lures, ways = self._lures(item.ask, item.setting), self._ways(item.ask, item.setting)
        drafts = self._composer.drafts(item.ask, item.setting, lures, ways, Draw(seed))
        while few := list(islice(drafts, _CANDIDATES)):
            for draft in sorted(few, key=self._staleness):
                query = self._made(item, draft, seed)
                if query is not None:
                    self._composer.keep(draft)
                    self._pairs.update(bigrams(draft.text))
                    return query
        raise ConfigError(
            f"{item.id(self._library.domain)}: no template and phrases left for `{item.ask.kind}`, {item.setting}"
        )

    def _made(self, item: _Item, draft: Draft, seed: str) -> Query | None:
        identity = (f"{item.task} {item.ask.skill} {_values(item.ask)}", draft.core)
        grams = trigrams(draft.text)
        if identity in self._cores or not self._clean(draft) or any(jaccard(grams, g) >= LIKENESS for g in self._grams):
            return None
        query = self._labelled(item, draft, seed)
        if query is not None:
            self._cores.add(identity)
            self._grams.append(grams)
        return query

    def _staleness(self, draft: Draft) -> float:
        """Return the share of a draft's word pairs that earlier queries have, so that the freshest comes first."""
        pairs = bigrams(draft.text)
        return sum(pair in self._pairs for pair in pairs) / len(pairs)

    def _clean(self, draft: Draft) -> bool:
        return not (faults(draft.text) or privilege_words(draft.text) or names_within(draft.text, self._names))

    def _labelled(self, item: _Item, draft: Draft, seed: str) -> Query | None:
        ask, book = item.ask, self._book
        known = loosely(book, ask, draft.given) if draft.loose else named(book, ask.intents)
        label = self._label(item, draft, known)
        if label is None:
            return None
        wish = draft.lure.goal if draft.lure and item.setting == Setting.BOUNDARY else None
        return Query(
            id=item.id(self._library.domain),
            domain=self._library.domain,
            task=item.task,
            setting=item.setting,
            text=draft.text,
            goals=ask.goals,
            known=known,
            label=label,
            skill=ask.skill if item.task == 2 else None,
            twin=item.twin,
            wish=wish,
            intent=ask.kind,
            core=draft.core,
            template=draft.template.id,
            register=draft.template.register,
            slots={slot: tuple(value.name for value in values) for slot, values in ask.slots.items()},
            omitted=(ask.target,) if draft.loose else (),
            tempting=draft.lure.goal.atom if draft.lure and draft.lure.goal else None,
            seed=seed,
        )

    def _label(self, item: _Item, draft: Draft, known: frozenset[str]) -> SkillLabel | ToolLabel | None:
        ask, library = item.ask, self._library
        if item.task == 1:
            chosen = least_skill(library, ask.goals, known)
            return chosen if chosen and chosen.skill == ask.skill else None
        label = tool_label(library, library.skills[ask.skill], ask.goals, known)
        if label is None or (label.level < HIGHEST and not label.broader):
            return None
        if item.setting == Setting.BOUNDARY and draft.lure and draft.lure.goal:
            broader = broader_set(library, (*ask.goals, draft.lure.goal), known, -1)
            return ToolLabel(label.optimal, label.level, broader)
        return label


def _spread(items: Sequence[_Item], number: int) -> list[_Item]:
    """Return some of the items: first those of skills that have but one, then the others at even distances."""
    having = Counter(item.ask.skill for item in items)
    alone = [item for item in items if having[item.ask.skill] == 1][:number]
    others = [item for item in items if having[item.ask.skill] > 1]
    rest = number - len(alone)
    return alone + [others[index * len(others) // rest] for index in range(rest)]


def _values(ask: Ask) -> str:
    return ";".join(f"{slot}={','.join(v.name for v in values)}" for slot, values in sorted(ask.slots.items())) + str(
        ask.goals
    )
