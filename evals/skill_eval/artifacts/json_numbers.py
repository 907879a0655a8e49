"""Numbers of JSON that must not be kept: the mark that takes their place needs quotes."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from evals.skill_eval.artifacts.spans import MARK, Span


def quoted_numbers(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield `spans` in their order in `text`, those in a number of JSON grown to all of it and in quotes.

    Linear: the quotes before an element of a list are counted once, and numbers are read in a bounded window.
    """
    seen, inside = 0, False
    for span in sorted(spans):
        number = _number_around(text, span)
        before = text[max(0, number.start - _WINDOW) : number.start].rstrip() if number else ""
        if number and (named := before.endswith(":") and _NAME.search(before)):
            yield _in_quotes(number, named["quote"])
        elif number and before.endswith(("[", ",")):
            inside = _is_inside(text, seen, number.start, inside)
            seen = number.start
            yield span if inside else _in_quotes(number, '"')
        else:
            yield span


_WINDOW: Final = 80
_LONGEST_NUMBER: Final = 100
_NUMBER_CHARACTERS: Final = "0123456789.eE+-"
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_END_AFTER: Final = re.compile(r"\s{0,64}[,\]}]")
_NAME: Final = re.compile(r"(?P<quote>\\{0,7}\")\s{0,32}:\Z")
_QUOTE: Final = re.compile(r"(?<!\\)(?:\\\\){0,32}\"")


def _number_around(text: str, span: Span) -> Span | None:
    """Return the number that `span` is a part of when what follows could be JSON."""
    if span.substitute != MARK or text[span.start : span.start + 1] not in _NUMBER_CHARACTERS:
        return None
    start, end = span.start, span.end
    if text[start - 1 : start] in _NUMBER_CHARACTERS:
        before = text[max(0, start - _LONGEST_NUMBER) : start]
        start -= len(before) - len(before.rstrip(_NUMBER_CHARACTERS))
    if text[end : end + 1] in _NUMBER_CHARACTERS:
        after = text[end : end + _LONGEST_NUMBER]
        end += len(after) - len(after.lstrip(_NUMBER_CHARACTERS))
    is_number = _NUMBER.fullmatch(text, start, end) and _END_AFTER.match(text, end)
    return Span(start, end) if is_number else None


def _is_inside(text: str, seen: int, position: int, inside: bool) -> bool:
    """Tell whether `position` is in a string, known for `seen`; no string of JSON goes on in the next line."""
    line = text.rfind("\n", seen, position) + 1
    quotes = len(_QUOTE.findall(text, line or seen, position))
    return (inside and not line) != (quotes % 2 == 1)


def _in_quotes(number: Span, quote: str) -> Span:
    return Span(number.start, number.end, f"{quote}{MARK}{quote}")
