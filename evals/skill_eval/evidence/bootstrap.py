"""The cluster bootstrap: an interval for a rate whose observations come in families."""

from collections.abc import Sequence
from random import Random

from evals.skill_eval.evidence.statistics import Interval, quantile

RESAMPLES = 2000


def cluster_bootstrap(
    clusters: Sequence[tuple[int, int]], *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = 0.95
) -> Interval:
    """Return the percentile interval of a rate from the (hits, observations) of each cluster.

    Whole clusters are drawn with replacement, so that what the members of one share widens the
    interval. The same seed gives the same interval on every machine. Raises ValueError without
    observations. Source: Davison and Hinkley 1997, Bootstrap Methods and their Application, 3.8.
    """
    filled = [cluster for cluster in clusters if cluster[1]]
    if not filled:
        raise ValueError("expected at least one cluster with observations")
    draw = Random(seed)
    rates = [_rate(draw.choices(filled, k=len(filled))) for _ in range(resamples)]
    tail = (1 - confidence) / 2
    return Interval(quantile(rates, tail), quantile(rates, 1 - tail))


def _rate(clusters: Sequence[tuple[int, int]]) -> float:
    return sum(hits for hits, _ in clusters) / sum(observations for _, observations in clusters)
