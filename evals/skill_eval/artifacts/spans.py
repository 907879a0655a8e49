"""Spans: stretches of a text that must not be kept, and the text without them."""

from collections.abc import Iterable
from typing import NamedTuple

MARK = "[REDACTED]"


class Span(NamedTuple):
    """A stretch `start` to `end` (exclusive) and what stands in its place."""

    start: int
    end: int
    substitute: str = MARK


def replaced(text: str, spans: Iterable[Span]) -> str:
    """Return `text` with every span replaced; overlapping spans become one, escaped characters stay whole."""
    pieces: list[str] = []
    done = 0
    for span in _merged(spans):
        start = max(done, span.start - _backslashes(text, span.start) % 2)
        pieces += (text[done:start], span.substitute)
        done = span.end - _backslashes(text, span.end) % 2
    return "".join(pieces) + text[done:]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.substitute)
        else:
            merged.append(span)
    return merged


def _backslashes(text: str, end: int) -> int:
    """Return how many backslashes stand before `end`, at most 64."""
    before = text[max(0, end - 64) : end]
    return len(before) - len(before.rstrip("\\"))
