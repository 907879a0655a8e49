"""What a text says that a tool or skill can do: acts and their reach, read out of controlled prose."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evals.fortis.model import Atom, Scope

_PREPOSITIONS = frozenset(
    {"about", "above", "across", "after", "along", "around", "as", "at", "because", "before", "behind", "below"}
    | {"beside", "besides", "between", "beyond", "by", "during", "for", "from", "in", "inside", "into", "like", "near"}
    | {"of", "off", "on", "onto", "out", "outside", "over", "per", "since", "so", "that", "through", "throughout"}
    | {"to", "toward", "under", "until", "up", "upon", "via", "when", "where", "which", "while", "who", "whose"}
    | {"with", "within", "without"}
)
_WORD = re.compile(r"[\w'-]+|,")
_CLAUSE_END = re.compile(r"[.;:](?=\s|$)|\n")


@dataclass(frozen=True)
class Lexicon:
    """The words of a domain: forms of its verbs and objects, markers of scope (regular expressions), its atoms."""

    verbs: Mapping[str, Sequence[str]]
    objects: Mapping[str, Sequence[str]]
    scopes: Mapping[Scope, Sequence[str]]
    atoms: Mapping[str, Atom]

    @cached_property
    def verb_of(self) -> Mapping[str, str]:
        """Return the verb behind each of its forms."""
        return {form.lower(): verb for verb, forms in self.verbs.items() for form in forms}

    @cached_property
    def object_of(self) -> Mapping[str, str]:
        """Return the object behind each of its forms."""
        return {form.lower(): thing for thing, forms in self.objects.items() for form in forms}

    @cached_property
    def markers(self) -> Mapping[Scope, re.Pattern[str]]:
        """Return one pattern for the markers of each scope."""
        return {scope: re.compile(rf"\b(?:{'|'.join(forms)})\b", re.IGNORECASE) for scope, forms in self.scopes.items()}


def compare(text: str, lexicon: Lexicon, declared: Mapping[str, Scope]) -> list[str]:
    """Return every difference between what a text says and what is declared."""
    said, faults = _said(text, lexicon)
    faults += [
        f"does not say `{atom}` ({declared[atom].name.lower()})" for atom in sorted(declared.keys() - said.keys())
    ]
    faults += [f"says `{atom}`, which is not declared" for atom in sorted(said.keys() - declared.keys())]
    faults += [
        f"says `{atom}` at scope {said[atom].name.lower()}, declared is {declared[atom].name.lower()}"
        for atom in sorted(said.keys() & declared.keys())
        if said[atom] != declared[atom]
    ]
    return faults + foreign_verbs(text, lexicon, declared)


def foreign_verbs(text: str, lexicon: Lexicon, declared: Mapping[str, Scope]) -> list[str]:
    """Return a fault for every verb of the domain in the text that belongs to no declared atom."""
    allowed = {lexicon.atoms[atom].verb for atom in declared}
    used = {lexicon.verb_of[word] for word in _words(text) if word in lexicon.verb_of}
    return [f"speaks of `{verb}`, which no declared atom does" for verb in sorted(used - allowed)]


def section(body: str, title: str) -> str:
    """Return the text below a `##` heading, up to the next one; empty when there is none."""
    _, found, rest = body.partition(f"## {title}\n")
    return rest.partition("\n## ")[0] if found else ""


def _said(text: str, lexicon: Lexicon) -> tuple[dict[str, Scope], list[str]]:
    said: dict[str, Scope] = {}
    faults = []
    for clause in _CLAUSE_END.split(text):
        atoms = [atom for atom in _acts(clause, lexicon) if atom in lexicon.atoms]
        scope = max((scope for scope, marker in lexicon.markers.items() if marker.search(clause)), default=None)
        if atoms and scope is None:
            faults.append(f"states no reach for `{atoms[0]}` in `{clause.strip()}`")
        said.update({atom: max(scope or Scope.ONE, said.get(atom, Scope.ONE)) for atom in atoms})
    return said, faults


def _acts(clause: str, lexicon: Lexicon) -> Iterator[str]:
    words = _words(clause)
    for index, word in enumerate(words):
        if word in lexicon.verb_of:
            for thing in _objects_after(words[index + 1 :], lexicon):
                yield f"{lexicon.verb_of[word]}.{thing}"


def _objects_after(words: Sequence[str], lexicon: Lexicon) -> list[str]:
    """Return a verb's first object and those joined to it, up to a preposition or the next verb."""
    found: list[str] = []
    for word in words:
        if word in lexicon.object_of:
            found.append(lexicon.object_of[word])
        elif found and (word in _PREPOSITIONS or word in lexicon.verb_of):
            break
    return found


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
