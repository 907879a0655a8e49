"""Choices that are the same on every machine and Python: drawn from sha256, not from `random`."""

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)


def seed_of(*parts: object) -> str:
    """Return the hexadecimal seed of an item: the sha256 of its parts joined by `|`."""
    return hashlib.sha256("|".join(str(part) for part in parts).encode()).hexdigest()


class Draw:
    """A stream of choices from one seed, eight from each hash."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0
        self._numbers: list[int] = []

    def below(self, limit: int) -> int:
        """Return a whole number from 0 up to `limit`, without it."""
        if not self._numbers:
            self._count += 1
            digest = hashlib.sha256(f"{self._seed}|{self._count}".encode()).digest()
            self._numbers = [int.from_bytes(digest[start : start + 4], "big") for start in range(0, 32, 4)]
        return self._numbers.pop() % limit

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items, each as likely as the others."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return the items in a drawn order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]


class Usage:
    """How often each thing was used, so that the least used comes next."""

    def __init__(self) -> None:
        self._count: Counter[Hashable] = Counter()

    def of(self, kind: str, item: Hashable) -> int:
        """Return how often the item was used as this kind."""
        return self._count[kind, item]

    def add(self, kind: str, item: Hashable) -> None:
        """Note a use."""
        self._count[kind, item] += 1

    def by_least(self, kind: str, items: Iterable[H], draw: Draw) -> list[H]:
        """Return the items from the least used to the most used, equals in a drawn order."""
        return sorted(draw.shuffled(items), key=lambda item: self._count[kind, item])
