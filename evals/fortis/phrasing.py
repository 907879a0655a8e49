"""From typed phrases to a sentence: references, lists, agreement, capitals."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from evals.fortis.grammar import Reference, Value

_HOLE = re.compile(r"\{([a-z_]+(?:\.[a-z_]+)*)\}")
_SENTENCE_START = re.compile(r"(^|[.!?]\s+)([\"(]?)([a-z])")


@lru_cache(maxsize=4096)
def holes(text: str) -> tuple[str, ...]:
    """Return the names of the holes of a phrase, in order."""
    return tuple(_HOLE.findall(text))


def fill(text: str, filler: Callable[[str], str]) -> str:
    """Return the phrase with each hole replaced by what `filler` says for its name."""
    return _HOLE.sub(lambda match: filler(match[1]), text)


def joined(items: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`; a comma comes before the `and` when an item is a clause of its own."""
    if len(items) == 1:
        return items[0]
    comma = "," if any(", " in item or " that " in item for item in items) else ""
    return f"{', '.join(items[:-1])}{comma} and {items[-1]}"


def noun(phrase: str, values: Sequence[Value], reference: Reference) -> str:
    """Return a reference phrase with the fields of its value, or with the list of names."""
    items = [fill(reference.item, value.fields.__getitem__) for value in values]
    names = items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
    return fill(phrase, lambda hole: names if hole == "names" else values[0].fields[hole])


def agreement(count: int, reference: Reference | None) -> Mapping[str, str]:
    """Return the words that agree with the target: `it`, `its`, `that`, `is`, `has`, `does`."""
    if count > 1:
        return {"it": "them", "its": "their", "that": "those", "is": "are", "has": "have", "does": "do", "they": "they"}
    it, its = ("them", "their") if reference and reference.personal else ("it", "its")
    they = "they" if it == "them" else "it"
    verbs = {"is": "are", "has": "have", "does": "do"} if it == "them" else {"is": "is", "has": "has", "does": "does"}
    return {"it": it, "its": its, "that": "that", "they": they, **verbs}


def sentences(text: str) -> str:
    """Return the text with single blanks and a capital at the start of every sentence."""
    plain = re.sub(r"\s+([,.;:!?])(?=\s|$)", r"\1", " ".join(text.split()))
    plain = re.sub(r"(?<=[^s]s)'s\b", "'", plain)
    plain = re.sub(r"([!?])[.,]", r"\1", plain)
    return _SENTENCE_START.sub(lambda match: match[1] + match[2] + match[3].upper(), plain)
