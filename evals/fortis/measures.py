"""Numbers about texts and lists: correlation, variety, likeness."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from evals.fortis.wording import bigrams, jaccard, trigrams, words


@dataclass(frozen=True, slots=True)
class Variety:
    """How varied the language of some texts is; the likest pair is given by its places in the list."""

    texts: int
    vocabulary: int
    distinct_2: float
    mean_words: float
    mean_likeness: float
    most_likeness: float
    likest: tuple[int, int]


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Pearson's r, 0.0 when one of the lists is constant."""
    mean_one, mean_other = sum(one) / len(one), sum(other) / len(other)
    covariance = sum((x - mean_one) * (y - mean_other) for x, y in zip(one, other, strict=True))
    spread = math.sqrt(sum((x - mean_one) ** 2 for x in one) * sum((y - mean_other) ** 2 for y in other))
    return covariance / spread if spread else 0.0


def variety(texts: Sequence[str]) -> Variety:
    """Return the variety of one text or more."""
    tokens = [words(text) for text in texts]
    pairs = [pair for text in texts for pair in bigrams(text)]
    mean, most, likest = _likeness(texts)
    return Variety(
        texts=len(texts),
        vocabulary=len({word for found in tokens for word in found}),
        distinct_2=len(set(pairs)) / len(pairs),
        mean_words=sum(map(len, tokens)) / len(texts),
        mean_likeness=mean,
        most_likeness=most,
        likest=likest,
    )


def _likeness(texts: Sequence[str]) -> tuple[float, float, tuple[int, int]]:
    """Compare only pairs that share a 3-gram; all others are 0."""
    grams = [trigrams(text) for text in texts]
    likeness = {pair: jaccard(grams[pair[0]], grams[pair[1]]) for pair in _sharing(grams)}
    most = max(likeness, key=lambda pair: (likeness[pair], pair), default=(0, 1))
    return sum(likeness.values()) / max(1, math.comb(len(texts), 2)), likeness.get(most, 0.0), most


def _sharing(grams: Iterable[frozenset[tuple[str, ...]]]) -> set[tuple[int, int]]:
    places: dict[tuple[str, ...], list[int]] = {}
    for place, found in enumerate(grams):
        for gram in found:
            places.setdefault(gram, []).append(place)
    return {pair for shared in places.values() for pair in combinations(shared, 2)}
