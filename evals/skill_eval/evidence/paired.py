"""Pairs of yes and no: the same thing measured on two sides."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from evals.skill_eval.evidence.statistics import Interval


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs said yes on both sides, on the first alone, on the second alone, on neither."""

    both: int = 0
    first_only: int = 0
    second_only: int = 0
    neither: int = 0

    @property
    def pairs(self) -> int:
        """Count all pairs."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def difference(self) -> Fraction | None:
        """Return the first side's rate minus the second's, exactly; None without pairs."""
        return Fraction(self.first_only - self.second_only, self.pairs) if self.pairs else None

    @property
    def p_value(self) -> float:
        """Return the two-sided exact p-value of McNemar's test."""
        return mcnemar_exact(self.first_only, self.second_only)


def count_pairs(pairs: Iterable[tuple[bool, bool]]) -> PairCounts:
    """Count pairs by what their two sides say."""
    listed = list(pairs)
    return PairCounts(*(listed.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False))))


def mcnemar_exact(first_only: int, second_only: int) -> float:
    """Return the two-sided exact p-value of McNemar's test: a sign test on the discordant pairs.

    1.0 when no pair is discordant. Raises ValueError for a negative count. Source: McNemar 1947,
    Psychometrika 12; the exact form is the binomial test with probability one half.
    """
    if first_only < 0 or second_only < 0:
        raise ValueError(f"expected counts of 0 or more, found {first_only} and {second_only}")
    total, fewer = first_only + second_only, min(first_only, second_only)
    ways = tail = 1  # to say yes 0 times of `total`
    for count in range(fewer):
        ways = ways * (total - count) // (count + 1)
        tail += ways
    return float(min(Fraction(1), Fraction(2 * tail, 2**total)))


def difference_interval(counts: PairCounts, z: float = 1.959963984540054) -> Interval:
    """Return an interval for the difference of two paired rates, within -1 to 1.

    `z` is the normal quantile (1.96 for 95 %). Raises ValueError without pairs. Source: Agresti and
    Min 2005, Statistics in Medicine 24: Wald's interval after half a pair is added to each cell.
    """
    if not counts.pairs:
        raise ValueError("expected at least one pair")
    total = counts.pairs + 2
    first, second = counts.first_only + 0.5, counts.second_only + 0.5
    centre = (first - second) / total
    half = z * sqrt(max(0.0, first + second - (first - second) ** 2 / total)) / total
    return Interval(max(-1.0, centre - half), min(1.0, centre + half))
