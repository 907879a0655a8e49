"""Published formulas with their worked examples."""

import unittest

from evals.skill_eval.evidence.statistics import quantile, spread, wilson_interval


class Wilson(unittest.TestCase):
    def test_it_gives_the_intervals_of_published_tables(self) -> None:
        # Newcombe 1998, Statistics in Medicine 17, table I, method 3 (score without continuity correction).
        for passes, trials, low, high in (
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ):
            with self.subTest(passes=passes, trials=trials):
                interval = wilson_interval(passes, trials)
                self.assertAlmostEqual(interval.low, low, places=4)
                self.assertAlmostEqual(interval.high, high, places=4)

    def test_a_perfect_record_is_not_certainty(self) -> None:
        self.assertAlmostEqual(wilson_interval(3, 3).low, 0.4385, places=4)
        self.assertEqual(wilson_interval(3, 3).high, 1.0)

    def test_there_is_no_interval_of_nothing(self) -> None:
        for passes, trials in ((0, 0), (2, 1), (-1, 3)):
            with self.subTest(passes=passes), self.assertRaises(ValueError):
                wilson_interval(passes, trials)


class Spreads(unittest.TestCase):
    def test_the_deviation_is_that_of_a_sample(self) -> None:
        self.assertAlmostEqual(spread([2, 4, 4, 4, 5, 5, 7, 9]).stddev, 2.1381, places=4)
        self.assertEqual(spread([3.0]).stddev, 0.0)

    def test_a_quantile_is_one_of_the_values(self) -> None:
        values = [15, 20, 35, 40, 50]
        self.assertEqual([quantile(values, share) for share in (0.05, 0.3, 0.4, 0.5, 1.0)], [15, 20, 20, 35, 50])

    def test_nothing_has_no_mean_and_no_quantile(self) -> None:
        with self.assertRaises(ValueError):
            spread([])
        with self.assertRaises(ValueError):
            quantile([], 0.5)


if __name__ == "__main__":
    unittest.main()
