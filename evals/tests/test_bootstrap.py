"""The cluster bootstrap: seeded, and wider where clusters differ."""

import unittest

from evals.skill_eval.evidence.bootstrap import cluster_bootstrap
from evals.skill_eval.evidence.statistics import wilson_interval


class Bootstrap(unittest.TestCase):
    def test_the_same_seed_gives_the_same_interval_on_every_python(self) -> None:
        clusters = [(1, 4), (3, 4), (0, 4), (4, 4), (2, 4)]
        self.assertEqual(cluster_bootstrap(clusters, seed=1), cluster_bootstrap(clusters, seed=1))
        self.assertEqual(cluster_bootstrap(clusters, seed=7, resamples=200), (0.2, 0.75))

    def test_clusters_that_agree_in_themselves_widen_the_interval(self) -> None:
        apart = cluster_bootstrap([(10, 10)] * 5 + [(0, 10)] * 5)
        mixed = cluster_bootstrap([(5, 10)] * 10)
        wilson = wilson_interval(50, 100)
        self.assertEqual(mixed, (0.5, 0.5))
        self.assertGreater(apart.high - apart.low, 2 * (wilson.high - wilson.low))

    def test_single_observations_come_near_the_binomial_interval(self) -> None:
        low, high = cluster_bootstrap([(1, 1)] * 40 + [(0, 1)] * 60)
        self.assertAlmostEqual(low, 0.305, delta=0.02)
        self.assertAlmostEqual(high, 0.495, delta=0.02)

    def test_large_clusters_weigh_more(self) -> None:
        low, high = cluster_bootstrap([(90, 100), (0, 1)] * 10)
        self.assertGreater(low, 0.8)
        self.assertLess(high, 0.91)

    def test_empty_clusters_do_not_count_and_nothing_is_refused(self) -> None:
        self.assertEqual(cluster_bootstrap([(0, 0), (2, 4)]), (0.5, 0.5))
        for nothing in ([], [(0, 0)]):
            with self.assertRaises(ValueError):
                cluster_bootstrap(nothing)


if __name__ == "__main__":
    unittest.main()
