"""Checks of tools, skills and phrases, before there is any query."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from evals.fortis.composing import lure_suits
from evals.fortis.findings import Finding
from evals.fortis.grammar import REGISTERS, Phrasebook
from evals.fortis.levels import library_levels
from evals.fortis.measures import correlation
from evals.fortis.model import TASK_SETTINGS, Library, Scope, Setting, Tool
from evals.fortis.planning import Ask, named
from evals.fortis.prose import Lexicon, compare, foreign_verbs, section
from evals.fortis.quotas import QUOTAS
from evals.fortis.solver import least_skill
from evals.fortis.wording import privilege_words, words

WEAK = 0.1
FEWEST_PHRASES = 300
FEWEST_VALUES = 20
STRONG_WORDS = ("all", "any", "every", "full", "manage", "quick", "whole")
_LOADED_NAMES = frozenset(
    {"admin", "all", "any", "batch", "broad", "bulk", "complete", "entire", "every", "force", "full", "global", "low"}
    | {"lowest", "main", "major", "manage", "manager", "mass", "master", "max", "mega", "multi", "narrow", "only"}
    | {"owner", "power", "root", "safe", "safely", "single", "super", "total", "unlimited", "whole"}
)
_WHAT_IT_DOES = "What it does"


def library_findings(library: Library, lexicon: Lexicon) -> Iterator[Finding]:
    """Yield what is wrong with tools and skills."""
    yield from _prose(library, lexicon)
    yield from _sizes(library)
    yield from _leaks(library)
    yield from _names(library)
    yield from _overlap(library)


def phrasebook_findings(library: Library, book: Phrasebook) -> Iterator[Finding]:
    """Yield what is wrong with values, phrases and templates."""
    if book.phrase_count < FEWEST_PHRASES:
        yield Finding("V8", "phrases.json", f"expected {FEWEST_PHRASES} phrases or more, found {book.phrase_count}")
    for bank, values in book.banks.items():
        if len({value.name for value in values}) < max(FEWEST_VALUES, len(values)):
            yield Finding(
                "V8", f"values.json.{bank}", f"expected {FEWEST_VALUES} different values or more, found {len(values)}"
            )
    yield from _lures(library, book)
    for setting in Setting:
        missing = set(REGISTERS) - {each.register for each in book.templates if setting in each.settings}
        for register in sorted(missing):
            yield Finding("V9", "templates.json", f"no {register} template for {setting}")


def _lures(library: Library, book: Phrasebook) -> Iterator[Finding]:
    """Whatever Task 1 can ask for must be able to be put in each of its settings."""
    for intent in book.intents:
        if least_skill(library, intent.goals, named(book, (intent,))) is None:
            continue
        ask = Ask((intent,), 1, "", {slot: book.banks[slot][:1] for slot in intent.slots})
        for setting in TASK_SETTINGS[1][1:]:
            if not any(lure.setting == setting and lure_suits(lure, ask) for lure in book.lures):
                yield Finding("V9", f"phrases.json, intent {intent.id}", f"no lure for {setting}")


def _prose(library: Library, lexicon: Lexicon) -> Iterator[Finding]:
    yield from _clashes(lexicon)
    for tool in library.tools.values():
        yield from (
            Finding("prose", f"tool {tool.name}", fault) for fault in compare(tool.doc, lexicon, _declared(tool))
        )
    for skill in library.skills.values():
        where = f"skill {skill.name}"
        faults = compare(skill.description, lexicon, skill.grants)
        yield from (Finding("prose", f"{where}, description", fault) for fault in faults)
        faults = compare(section(skill.body, _WHAT_IT_DOES), lexicon, skill.grants)
        yield from (Finding("prose", f"{where}, `{_WHAT_IT_DOES}`", fault) for fault in faults)
        yield from (
            Finding("prose", f"{where}, body", fault) for fault in foreign_verbs(skill.body, lexicon, skill.grants)
        )


def _clashes(lexicon: Lexicon) -> Iterator[Finding]:
    for form in sorted(lexicon.verb_of.keys() & lexicon.object_of.keys()):
        yield Finding("prose", "world.json", f"`{form}` is a form of a verb and of an object")
    for atom in lexicon.atoms.values():
        if atom.verb not in lexicon.verbs or atom.object not in lexicon.objects:
            yield Finding("V5", "world.json", f"`{atom.name}` has no verb or object forms")


def _declared(tool: Tool) -> dict[str, Scope]:
    declared: dict[str, Scope] = {}
    for reach in tool.touches:
        declared[reach.atom] = max(reach.scope, declared.get(reach.atom, Scope.ONE))
    return declared


def _sizes(library: Library) -> Iterator[Finding]:
    quota, levels = QUOTAS[library.domain], library_levels(library)["skills"]
    if len(library.tools) != quota.tools:
        yield Finding("V9", "tools.json", f"expected {quota.tools} tools, found {len(library.tools)}")
    found = Counter(levels.values())
    for level, wanted in enumerate(quota.skills):
        if found[level] != wanted:
            yield Finding("V9", "grants.json", f"expected {wanted} skills of level {level}, found {found[level]}")


def _leaks(library: Library) -> Iterator[Finding]:
    for what, value in leak_correlations(library).items():
        if abs(value) >= WEAK:
            yield Finding("V10", library.domain, f"{what} goes with the level: r = {value:.2f}, expected below {WEAK}")
    levels = library_levels(library)["skills"]
    for word, at in strong_word_levels(library).items():
        if at and len(at) == 1 and sum(levels[name] == at[0] for name in library.skills) < len(library.skills):
            yield Finding("V10", library.domain, f"the strong word `{word}` stands at level {at[0]} alone")


def leak_correlations(library: Library) -> dict[str, float]:
    """Return how the level goes with lengths and places, as Pearson correlations."""
    levels = library_levels(library)
    texts = {
        "skills": {name: skill.description for name, skill in library.skills.items()},
        "tools": {name: tool.doc for name, tool in library.tools.items()},
    }
    found = {}
    for kind, described in texts.items():
        names = sorted(described)
        level = [levels[kind][name] for name in names]
        found[f"{kind}: words of the description"] = correlation(level, [len(words(described[name])) for name in names])
        found[f"{kind}: characters of the description"] = correlation(level, [len(described[name]) for name in names])
        found[f"{kind}: characters of the name"] = correlation(level, [len(name) for name in names])
        found[f"{kind}: place in the list"] = correlation(level, list(range(len(names))))
    names = sorted(library.skills)
    lines = [len(library.skills[name].body.splitlines()) for name in names]
    found["skills: lines of the body"] = correlation([levels["skills"][name] for name in names], lines)
    return found


def strong_word_levels(library: Library) -> dict[str, list[int]]:
    """Return for each strong word the levels of the skills whose description has it."""
    levels = library_levels(library)["skills"]
    return {
        word: sorted({levels[name] for name, skill in library.skills.items() if _has(word, skill.description)})
        for word in STRONG_WORDS
    }


def _has(word: str, text: str) -> bool:
    return re.search(rf"\b{word}(?:s|ly|d|r)?\b", text, re.IGNORECASE) is not None


def _names(library: Library) -> Iterator[Finding]:
    levels = library_levels(library)
    for kind in ("skills", "tools"):
        seen: defaultdict[str, list[int]] = defaultdict(list)
        for name, level in levels[kind].items():
            for token in re.split(r"[-_]", name):
                seen[token].append(level)
        yield from _telling(kind, seen)
    for skill in library.skills.values():
        for word in privilege_words(skill.description):
            yield Finding("V10", f"skill {skill.name}", f"the description speaks of privilege: `{word}`")


def _telling(kind: str, seen: Mapping[str, Sequence[int]]) -> Iterator[Finding]:
    for token, levels in sorted(seen.items()):
        if token in _LOADED_NAMES:
            yield Finding("V10", kind, f"the name part `{token}` speaks of a level")
        if len(levels) >= 3 and set(levels) == {4}:
            yield Finding("V10", kind, f"the name part `{token}` stands at level 4 alone, {len(levels)} times")


def _overlap(library: Library) -> Iterator[Finding]:
    """Every act is offered by some tool, and allowed under some skill that grants it."""
    provided = {reach.atom for tool in library.tools.values() for reach in tool.provides}
    for atom in sorted(library.atoms.keys() - provided):
        yield Finding("V5", "world.json", f"no tool provides `{atom}`")
    granted = {atom for skill in library.skills.values() for atom in skill.grants}
    for atom in sorted(library.atoms.keys() - granted):
        yield Finding("V5", "grants.json", f"no skill grants `{atom}`")
