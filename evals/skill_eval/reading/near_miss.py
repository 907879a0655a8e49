"""Keys that are almost one that is known: what the author meant."""

from collections.abc import Iterable
from functools import cache


def near_miss(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that `key` was meant to be, or None when it is no slip of the pen.

    Letter case, `-` and `_` count for nothing; beyond that one slip is forgiven in up to six
    letters and two in more, a slip being a letter more, less, other or swapped with the next one.
    """
    plain = _plain(key)
    return next((candidate for candidate in known if _is_near(plain, _known(candidate))), None)


def _is_near(key: str, target: str) -> bool:
    slips = 0 if len(target) < 4 else 1 if len(target) <= 6 else 2
    # What differs in more letters than the slips can touch needs no alignment, which is slow.
    if abs(len(key) - len(target)) > slips or len(set(key) ^ set(target)) > 2 * slips:
        return False
    return _distance(key, target) <= slips


@cache
def _known(key: str) -> str:
    """Return `_plain(key)` for a key of our own, of which there are few."""
    return _plain(key)


def _plain(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "")


def _distance(left: str, right: str) -> int:
    """Return the optimal string alignment distance."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        above, row_before = row, before
        row = [i]
        for j, b in enumerate(right, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, row_before[j - 2] + 1)
            row.append(cost)
        before = above
    return row[-1]
