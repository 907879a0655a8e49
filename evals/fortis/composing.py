"""The text of a query: a template, filled with a core phrase and, when the setting has one, a lure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evals.fortis.draws import Draw, Usage
from evals.fortis.grammar import CORE_TYPES, Intent, Loose, Lure, Phrasebook, Reason, Template
from evals.fortis.model import Setting
from evals.fortis.phrasing import agreement, fill, holes, joined, noun, sentences
from evals.fortis.planning import Ask

_TRIES = 3
_PARTICLE = re.compile(r"\b(?:up|off|me|out|(?<!rid )of) \{\w+\}(?!')")
_WHOLE_SENTENCE = ("wh", "ask", "state")


@dataclass(frozen=True, slots=True)
class Draft:
    """A finished text and what it was made from; `given` are handles of the target that it mentions on the way."""

    text: str
    template: Template
    core: str
    lure: Lure | None
    loose: Loose | None
    given: frozenset[str]
    uses: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Frame:
    """A template taken apart: its core hole, whether the target is a pronoun in it, its lure hole and what is first."""

    template: Template
    kind: str
    pronoun: bool
    lure_form: str | None
    lure_first: bool
    reason_form: str | None
    reason_first: bool


class Composer:
    """Writes texts so that templates, phrases and lures are used evenly and no template too often."""

    def __init__(self, book: Phrasebook, cap: int) -> None:
        self._book, self._cap = book, cap
        self._usage = Usage()
        self._frames = [_frame(template) for template in book.templates]

    def drafts(
        self, ask: Ask, setting: Setting, lures: Sequence[Lure], ways: Sequence[Loose], draw: Draw
    ) -> Iterator[Draft]:
        """Yield drafts, the one that evens out usage most first.

        `lures` are those that suit the ask, `ways` leave the target's name out.
        """
        frames = [f for f in self._frames if setting in f.template.settings and self._free(f) and _fits(f, ask)]
        for frame in self._usage.by_least("frame", frames, draw):
            for core in self._cores(frame, ask, draw)[:_TRIES]:
                for lure in self._lures(frame, lures, draw)[:_TRIES]:
                    loose = self._usage.by_least("loose", ways, draw)[0] if ways else None
                    yield _Writer(self._book, self._usage, draw, ask, loose).write(frame, core, lure)

    def keep(self, draft: Draft) -> None:
        """Count what a draft used."""
        self._usage.add("frame", _frame(draft.template))
        self._usage.add("lure", draft.lure)
        self._usage.add("loose", draft.loose)
        for kind, phrase in draft.uses:
            self._usage.add(kind, phrase)

    def _free(self, frame: _Frame) -> bool:
        return self._usage.of("frame", frame) < self._cap

    def _cores(self, frame: _Frame, ask: Ask, draw: Draw) -> list[tuple[str, ...]]:
        """Return core phrases, one for each intent, the least used first."""
        banks = [_bank(intent, ask.count)[frame.kind] for intent in ask.intents]
        usable = [
            [text for text in bank if not _is_pronoun(index, frame, ask) or _takes_pronoun(text, frame, ask)]
            for index, bank in enumerate(banks)
        ]
        if not all(usable):
            return []
        first, *rest = [self._usage.by_least("core", bank, draw) for bank in usable]
        return [(text, *(bank[0] for bank in rest)) for text in first]

    def _lures(self, frame: _Frame, lures: Sequence[Lure], draw: Draw) -> list[Lure | None]:
        if frame.lure_form is None:
            return [None]
        fitting = [lure for lure in lures if _belongs(lure, frame)]
        return list(self._usage.by_least("lure", fitting, draw))


class _Writer:
    """Fills one template once."""

    def __init__(self, book: Phrasebook, usage: Usage, draw: Draw, ask: Ask, loose: Loose | None) -> None:
        self._book, self._usage, self._draw, self._ask, self._loose = book, usage, draw, ask, loose
        self._reference = book.references.get(ask.target)
        self._uses: list[tuple[str, str]] = []
        self._given: set[str] = set(loose.known if loose else ())

    def write(self, frame: _Frame, core: tuple[str, ...], lure: Lure | None) -> Draft:
        parts = {
            frame.kind: lambda: self._core(frame, core),
            "lure": lambda: self._clause(lure.text if lure else ""),
            "reason": lambda: self._reason(frame),
            "opener": lambda: self._least("opener", self._book.openers[frame.template.register]),
            "closer": lambda: self._least("closer", self._book.closers[frame.template.register]),
        }
        text = sentences(fill(frame.template.text, lambda hole: parts[hole.partition(".")[0]]()))
        for phrase in core:
            self._uses.append(("core", phrase))
        name = "+".join(
            _core_id(i, self._ask.count, frame.kind, p) for i, p in zip(self._ask.intents, core, strict=True)
        )
        return Draft(text, frame.template, name, lure, self._loose, frozenset(self._given), tuple(self._uses))

    def _core(self, frame: _Frame, core: tuple[str, ...]) -> str:
        said = [self._clause(phrase, pronoun=_is_pronoun(index, frame, self._ask)) for index, phrase in enumerate(core)]
        return joined(said)

    def _clause(self, phrase: str, *, pronoun: bool = False) -> str:
        words = agreement(self._ask.count, self._reference)
        target = self._ask.target
        if pronoun:
            phrase = phrase.replace(f"{{{target}}}'s", words["its"]).replace(f"{{{target}}}", words["it"])
        return fill(phrase, lambda hole: self._hole(hole, words))

    def _hole(self, hole: str, words: Mapping[str, str]) -> str:
        slot, _, name = hole.partition(".")
        if hole in words:
            return words[hole]
        if slot == "any":
            return self._incidental(name)
        if slot == "target":
            return self._noun(self._ask.target)
        if not name:
            return self._noun(slot)
        if name in self._book.handles:
            self._given.add(name)
        return self._ask.slots[slot][0].fields[name]

    def _noun(self, slot: str) -> str:
        values, reference = self._ask.slots[slot], self._book.references.get(slot)
        if reference is None:
            return joined([value.name for value in values])
        if slot == self._ask.target and self._loose:
            return noun(self._loose.text, values, reference)
        phrases = reference.one if len(values) == 1 else reference.many
        usable = [phrase for phrase in phrases if len(values) > 1 or set(holes(phrase)) <= values[0].fields.keys()]
        phrase = self._least("reference", usable)
        self._given.update(hole for hole in holes(phrase) if hole in self._book.handles)
        return noun(phrase, values, reference)

    def _incidental(self, bank: str) -> str:
        """Choose a value that has nothing to do with those that are asked about."""
        values = [value for values in self._ask.slots.values() for value in values]
        spoken = "|".join(text for value in values for text in value.fields.values())
        return self._least(f"any {bank}", [v.name for v in self._book.banks[bank] if v.name not in spoken])

    def _reason(self, frame: _Frame) -> str:
        fitting = [
            reason.text
            for reason in self._book.reasons
            if reason.form == frame.reason_form
            and reason_suits(reason, self._ask)
            and not (frame.reason_first and _refers_back(reason.text))
        ]
        return self._clause(self._least("reason", fitting))

    def _least(self, kind: str, phrases: Sequence[str]) -> str:
        chosen = self._usage.by_least(kind, phrases, self._draw)[0]
        self._uses.append((kind, chosen))
        return chosen


def reason_suits(reason: Reason, ask: Ask) -> bool:
    """Tell whether a reason can be given for this ask."""
    return (reason.fits == ("*",) or ask.target in reason.fits) and _speakable(reason.text, ask)


def lure_suits(lure: Lure, ask: Ask) -> bool:
    """Tell whether a lure can stand beside this ask: it speaks of such targets, and of no act that is asked for."""
    clashing = lure.unless | ({lure.goal.atom} if lure.goal else set())
    asked = {goal.atom for goal in ask.goals}
    return lure.suits(ask.target, ask.count) and _speakable(lure.text, ask) and not clashing & asked


def _speakable(text: str, ask: Ask) -> bool:
    fields = [hole.partition(".") for hole in holes(text) if "." in hole and not hole.startswith("any.")]
    if fields and ask.count > 1:
        return False
    return all(slot in ask.slots and name in ask.slots[slot][0].fields for slot, _, name in fields)


def _frame(template: Template) -> _Frame:
    found = holes(template.text)
    core = next(hole for hole in found if hole.partition(".")[0] in CORE_TYPES)
    lure = next((hole for hole in found if hole.startswith("lure.")), None)
    reason = next((hole for hole in found if hole.startswith("reason.")), None)
    kind, _, suffix = core.partition(".")
    return _Frame(
        template,
        kind,
        suffix == "it",
        lure.partition(".")[2] if lure else None,
        lure is not None and found.index(lure) < found.index(core),
        reason.partition(".")[2] if reason else None,
        reason is not None and found.index(reason) < found.index(core),
    )


def _bank(intent: Intent, count: int) -> Mapping[str, tuple[str, ...]]:
    return intent.many if count > 1 else intent.cores


def _fits(frame: _Frame, ask: Ask) -> bool:
    shared = len({intent.target for intent in ask.intents}) < len(ask.intents)
    return all(frame.kind in _bank(intent, ask.count) for intent in ask.intents) and not (
        shared and frame.kind == "done"
    )


def _is_pronoun(index: int, frame: _Frame, ask: Ask) -> bool:
    """Tell whether the target is a pronoun in this core: always after a lure that named it, else from the second on."""
    return frame.pronoun or (index > 0 and ask.intents[index].target == ask.target)


def _takes_pronoun(phrase: str, frame: _Frame, ask: Ask) -> bool:
    hole = f"{{{ask.target}}}"
    if (
        hole not in phrase
        or _PARTICLE.search(phrase)
        or re.search(rf"{hole}(?: from|, (?:which|the|attached)) ", phrase)
    ):
        return False
    return phrase.count(hole) == 1 and (frame.kind not in _WHOLE_SENTENCE or ask.count == 1)


def _belongs(lure: Lure, frame: _Frame) -> bool:
    if lure.form != frame.lure_form:
        return False
    if frame.pronoun != ("target" in holes(lure.text)):
        return False
    return not (frame.lure_first and _refers_back(lure.text))


def _refers_back(phrase: str) -> bool:
    """Tell whether a phrase speaks of the target as of something that was named before."""
    return bool({"it", "its", "that", "they"} & set(holes(phrase)))


def _core_id(intent: Intent, count: int, kind: str, phrase: str) -> str:
    number = _bank(intent, count)[kind].index(phrase) + 1
    return f"{intent.id}/{'many.' if count > 1 else ''}{kind}.{number}"
