"""Rates, intervals and spreads: each function cites its source."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval, lower end first."""

    low: float
    high: float


class Spread(NamedTuple):
    """Mean and spread of a sample, in the sample's own unit."""

    mean: float
    stddev: float
    minimum: float
    maximum: float


def wilson_interval(passes: int, trials: int, z: float = 1.959963984540054) -> Interval:
    """Return the Wilson score interval of a pass rate, each end in 0.0 to 1.0.

    `z` is the normal quantile (1.96 for 95 %). Raises ValueError when `trials` is 0 or `passes`
    lies outside 0..trials. Source: Wilson 1927, Journal of the American Statistical Association 22.
    """
    if not 0 <= passes <= trials or trials == 0:
        raise ValueError(f"expected 0 <= passes <= trials and trials > 0, found {passes} of {trials}")
    rate, square = passes / trials, z * z
    centre = (rate + square / (2 * trials)) / (1 + square / trials)
    half = z / (1 + square / trials) * sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    return Interval(0.0 if passes == 0 else centre - half, 1.0 if passes == trials else centre + half)


def spread(values: Sequence[float]) -> Spread:
    """Return mean, sample standard deviation (n - 1; 0.0 for one value), minimum and maximum.

    Raises ValueError when `values` is empty: there is no mean of nothing.
    """
    if not values:
        raise ValueError("expected at least one value")
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1) if len(values) > 1 else 0.0
    return Spread(mean, sqrt(variance), min(values), max(values))


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` (0 to 1) of the values do not exceed.

    The nearest-rank definition: always one of the values. Raises ValueError when `values` is empty.
    """
    if not values:
        raise ValueError("expected at least one value")
    rank = max(1, -(-round(share * 1_000_000) * len(values) // 1_000_000))
    return sorted(values)[min(rank, len(values)) - 1]
