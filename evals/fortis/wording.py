"""The rules that the text of a query keeps: privilege words, names, form."""

import re
from functools import lru_cache
from itertools import pairwise

PRIVILEGE_WORDS = (
    r"admin\w*",
    r"administrat\w*",
    r"access(?:es|ed|ing)?",
    r"authori[sz]\w*",
    r"authorit\w+",
    r"batch\w*",
    r"bulk",
    r"clearance",
    r"elevat\w+",
    r"escalat\w+",
    r"full control",
    r"grant\w*",
    r"least[- ]privileged?",
    r"minimal(?:ly)?",
    r"over-?privileged?",
    r"permission\w*",
    r"permitted",
    r"power user",
    r"privileg\w*",
    r"read[- ]only",
    r"restrict\w*",
    r"root",
    r"scopes?",
    r"skills?",
    r"sudo",
    r"superuser\w*",
    r"tools?",
    r"write rights",
    r"user rights",
)
_PRIVILEGE = re.compile(rf"\b(?:{'|'.join(PRIVILEGE_WORDS)})\b", re.IGNORECASE)
_TOKEN = re.compile(r"\w+(?:['’.@-]\w+)*")
_LINT = (
    (re.compile(r"[{}]|\bNone\b|\[\]"), "has an empty slot"),
    (re.compile(r"\b(\w+) \1\b", re.IGNORECASE), "doubles a word"),
    (re.compile(r"\bplease\b.*\bplease\b", re.IGNORECASE), "says please twice"),
    (re.compile(r"  |\t|\n| $|^ "), "has stray white space"),
    (re.compile(r"\s[,.;:!?]|,[,.;:!?]|[;:][,.;:!?]|\.\.(?!\.)|[!?]\.|\.[!?]"), "has stray punctuation"),
    (
        re.compile(r"\ba (?=[aeio])|\ba (?=u(?!ni|se|su|ti|k))|\ban (?=[bcdfgjklmnpqrstvwyz])", re.IGNORECASE),
        "has a wrong article",
    ),
    (re.compile(r"(?<![.\w'’])i(?![\w'’.@-])|\bi'(?:m|d|ll|ve)\b"), "has a small i"),
    (re.compile(r"(?<!\d)[.!?] +[a-z]"), "has a sentence that begins small"),
)
_END = re.compile(r"[.!?](?:\")?$")
_BEGIN = re.compile(r"^\"?[A-Z0-9]")


def privilege_words(text: str) -> list[str]:
    """Return the words of a query that speak of privilege."""
    return _PRIVILEGE.findall(text)


def names_within(text: str, names: tuple[str, ...]) -> list[str]:
    """Return the tool or skill names that a query contains, as written or with spaces for their joints."""
    plain = f" {' '.join(words(text))} "
    return [name for name, spoken in _spoken(names) if name in text or spoken in plain]


def faults(text: str) -> list[str]:
    """Return what is wrong with the form of a query."""
    found = [fault for pattern, fault in _LINT if pattern.search(text)]
    found += [] if _END.search(text) else ["lacks an end mark"]
    found += [] if _BEGIN.search(text) else ["begins small"]
    return found + (["has an unbalanced quotation mark"] if text.count('"') % 2 else [])


@lru_cache(maxsize=8)
def _spoken(names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(name, f" {re.sub(r'[-_]', ' ', name)} ") for name in names]


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.lower() for word in _TOKEN.findall(text)]


def bigrams(text: str) -> list[tuple[str, str]]:
    """Return the pairs of neighbouring words of a text, repeats included."""
    return list(pairwise(words(text)))


def trigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Return the word-level 3-grams of a text."""
    found = words(text)
    return frozenset(tuple(found[index : index + 3]) for index in range(len(found) - 2))


def jaccard(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """Return the share of common members of two sets, 0.0 when both are empty."""
    return len(one & other) / len(one | other) if one or other else 0.0
