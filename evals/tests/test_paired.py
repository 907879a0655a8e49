"""Pairs: McNemar's exact test and the interval of a paired difference."""

import unittest
from fractions import Fraction

from evals.skill_eval.evidence.paired import PairCounts, count_pairs, difference_interval, mcnemar_exact


class McNemar(unittest.TestCase):
    def test_it_is_the_two_sided_sign_test_of_the_discordant_pairs(self) -> None:
        for first, second, expected in (
            (0, 0, 1.0),
            (1, 0, 1.0),
            (5, 0, 2 / 32),
            (6, 0, 2 / 64),
            (0, 6, 2 / 64),
            (5, 5, 1.0),
            (1, 9, 2 * 11 / 1024),
            (2, 8, 2 * 56 / 1024),
        ):
            with self.subTest(first=first, second=second):
                self.assertAlmostEqual(mcnemar_exact(first, second), expected, places=12)

    def test_many_pairs_neither_overflow_nor_vanish(self) -> None:
        self.assertAlmostEqual(mcnemar_exact(5000, 5000), 1.0)
        self.assertEqual(mcnemar_exact(0, 1000), 2 / 2**1000)

    def test_a_negative_count_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            mcnemar_exact(-1, 3)


class Counts(unittest.TestCase):
    def test_pairs_are_counted_by_what_both_sides_say(self) -> None:
        pairs = [(True, True)] * 3 + [(True, False)] * 4 + [(False, True)] + [(False, False)] * 2
        self.assertEqual(count_pairs(pairs), PairCounts(3, 4, 1, 2))
        self.assertEqual(count_pairs(pairs).difference, Fraction(3, 10))

    def test_without_pairs_there_is_no_difference(self) -> None:
        self.assertIsNone(PairCounts().difference)
        with self.assertRaises(ValueError):
            difference_interval(PairCounts())

    def test_the_interval_is_that_of_agresti_and_min(self) -> None:
        # 10 pairs, 4 and 1 discordant: centre 3/12, half 1.96 * sqrt(4.5 + 1.5 - 9/12) / 12.
        low, high = difference_interval(PairCounts(3, 4, 1, 2), z=1.96)
        self.assertAlmostEqual(low, 0.25 - 1.96 * 5.25**0.5 / 12)
        self.assertAlmostEqual(high, 0.25 + 1.96 * 5.25**0.5 / 12)

    def test_the_interval_stays_within_minus_one_and_one(self) -> None:
        low, high = difference_interval(PairCounts(0, 3, 0, 0))
        self.assertLessEqual(high, 1.0)
        self.assertGreaterEqual(difference_interval(PairCounts(0, 0, 3, 0))[0], -1.0)
        self.assertLess(low, high)


if __name__ == "__main__":
    unittest.main()
