"""Rates, pairs, gaps and repeats; and the published figures, reproduced from the published counts."""

import unittest
from dataclasses import replace
from fractions import Fraction

from evals.fortis import published
from evals.fortis.answers import Form
from evals.fortis.judge import Judgement, Verdict
from evals.fortis.metrics import (
    Judged,
    Share,
    Tally,
    by_place,
    end_to_end,
    family_interval,
    flips,
    peak_gap,
    repeat_spread,
    tally,
    twin_differences,
)
from evals.fortis.model import Setting
from evals.skill_eval.evidence.paired import PairCounts
from evals.tests.fortis_notes import QUERIES

E, X, H, O, L, U, N, K, P, T = Verdict  # noqa: E741 - the letters of the table below


def one(
    verdict: Verdict,
    *,
    id_: str = "q",
    setting: Setting = Setting.CLEAN,
    twin: str | None = None,
    repeat: int = 1,
    paper: Verdict = Verdict.EXACT,
    place: float = 0.0,
    intent: str = "read",
) -> Judged:
    """Return a judged answer to a Task 1 query."""
    query = replace(QUERIES["1-read"], id=id_, setting=setting, twin=twin, intent=intent)
    return Judged(query, repeat, Judgement(verdict, verdict, paper), "", (), Form.ASKED, (), place)


class Rates(unittest.TestCase):
    def test_failures_are_over_privilege_and_no_action_and_nothing_else(self) -> None:
        found = tally([one(verdict) for verdict in (E, E, X, H, O, O, O, L, U, N, K, P, T)], errors=4)
        self.assertEqual((found.total, found.errors), (13, 4))
        self.assertEqual(
            [
                (share.count, share.total)
                for share in (found.exact, found.over, found.no_action, found.failed, found.under, found.harmful)
            ],
            [(2, 13), (3, 13), (1, 13), (4, 13), (1, 13), (1, 13)],
        )
        self.assertEqual(found.over_of_failed, Share(3, 4))
        self.assertEqual(found.failed.count, found.over.count + found.no_action.count)

    def test_each_column_counts_its_own_verdicts(self) -> None:
        judged = [one(X, paper=O), one(E, paper=E)]
        self.assertEqual(tally(judged, "ours").over.count, 0)
        self.assertEqual(tally(judged, "paper").over.count, 1)

    def test_nothing_measured_is_no_rate(self) -> None:
        empty = tally([])
        for share in (empty.exact, empty.failed, empty.over_of_failed):
            self.assertIsNone(share.value)
            self.assertIsNone(share.interval)
        self.assertIsNone(tally([one(E)]).over_of_failed.value)
        self.assertIsNone(end_to_end(empty, tally([one(E)])))

    def test_a_rate_has_its_wilson_interval(self) -> None:
        low, high = Share(247, 600).interval or (0.0, 0.0)
        self.assertAlmostEqual(low, 0.373, places=3)
        self.assertAlmostEqual(high, 0.4515, places=3)


class Gaps(unittest.TestCase):
    def test_the_peak_is_measured_from_the_clean_baseline(self) -> None:
        tallies = {
            Setting.CLEAN: Tally({E: 9, O: 1}),
            Setting.SCOPE: Tally({E: 2, O: 7, N: 1}),
            Setting.LEXICAL: Tally({E: 5, O: 5}),
            Setting.ACTION: Tally(),
        }
        self.assertEqual(peak_gap(tallies), Fraction(7, 10))

    def test_without_a_clean_baseline_or_another_setting_there_is_no_gap(self) -> None:
        self.assertIsNone(peak_gap({Setting.CLEAN: Tally({E: 1})}))
        self.assertIsNone(peak_gap({Setting.SCOPE: Tally({E: 1})}))

    def test_settings_are_compared_in_pairs_with_their_twins(self) -> None:
        judged = [
            one(E, id_="c1"),
            one(O, id_="c2"),
            one(O, id_="s1", setting=Setting.SCOPE, twin="c1"),
            one(N, id_="s2", setting=Setting.SCOPE, twin="c1"),
            one(E, id_="s3", setting=Setting.SCOPE, twin="c2"),
            one(O, id_="s4", setting=Setting.SCOPE, twin="not asked"),
            one(E, id_="s1", setting=Setting.SCOPE, twin="c1", repeat=2),
        ]
        (found,) = [twins for twins in twin_differences(judged) if twins.failed.pairs]
        self.assertEqual(found.setting, Setting.SCOPE)
        self.assertEqual(found.failed, PairCounts(first_only=2, second_only=1))
        self.assertEqual(found.over, PairCounts(first_only=1, second_only=1, neither=1))


class Repeats(unittest.TestCase):
    def test_a_flip_is_a_query_with_different_verdicts(self) -> None:
        judged = [
            one(E, id_="a"),
            one(E, id_="a", repeat=2),
            one(E, id_="b"),
            one(O, id_="b", repeat=2),
            one(O, id_="c"),
        ]
        self.assertEqual(flips(judged), Share(1, 2))
        self.assertEqual(flips([one(E)]).value, None)

    def test_each_repeat_has_its_tally(self) -> None:
        found = repeat_spread([one(O, repeat=10), one(E, repeat=2), one(E, repeat=1)])
        self.assertEqual(list(found), [1, 2, 10])
        self.assertEqual(found[10].over.value, 1)

    def test_answers_are_counted_by_the_place_of_the_right_choice(self) -> None:
        found = by_place([one(O, place=0.0), one(E, place=0.5), one(E, place=1.0), one(E, place=0.9)])
        self.assertEqual([share.total for share in found.values()], [1, 1, 2])
        self.assertEqual(found["first third"].over.value, 1)

    def test_families_that_fail_together_widen_the_interval(self) -> None:
        same = [one(O if n % 2 else E, intent=f"i{n}") for n in range(10) for _ in range(10)]
        mixed = [one(O if n % 2 else E, intent=f"i{m}") for m in range(10) for n in range(10)]
        wide, narrow = family_interval(same, (O,)), family_interval(mixed, (O,))
        if wide is None or narrow is None:
            raise AssertionError("no interval")
        self.assertGreater(wide.high - wide.low, narrow.high - narrow.low)
        self.assertIsNone(family_interval([], (O,)))


class Published(unittest.TestCase):
    """The paper gives rates; the counts are the whole numbers of 600 and 1,543 queries that round to them."""

    def counts(self, row: published.PublishedRow) -> tuple[Tally, Tally]:
        def of(task: int, rate: Fraction) -> int:
            return round(rate * published.QUERIES[task] / 100)

        exact, failed = of(1, row.exact_1), of(1, row.failed_1)
        first = Tally({E: exact, O: failed, U: published.QUERIES[1] - exact - failed})
        second = {E: of(2, row.exact_2), O: of(2, row.over_2), N: of(2, row.no_action_2)}
        return first, Tally({**second, U: published.QUERIES[2] - sum(second.values())})

    def test_failures_are_the_sum_and_the_ratio_is_over_privilege_in_them(self) -> None:
        derived = (0.766, 0.658, 0.992, 0.986, 0.996, 0.972, 1.0, 0.996, 0.858, 0.917)
        self.assertEqual(len(published.TABLE_2), 10)
        for row, ratio in zip(published.TABLE_2, derived, strict=True):
            with self.subTest(row.model):
                _, second = self.counts(row)
                self.assertAlmostEqual(100 * float(second.failed.value or 0), float(row.failed_2), delta=0.15)
                self.assertAlmostEqual(float(second.over_of_failed.value or 0), ratio, delta=0.002)
                self.assertAlmostEqual(100 * float(second.under.value or 0), float(row.under_2), delta=0.15)

    def test_end_to_end_runs_from_6_4_to_14_3_percent(self) -> None:
        products = {row.model: float(end_to_end(*self.counts(row)) or 0) for row in published.TABLE_2}
        self.assertEqual(min(products, key=products.__getitem__), "GPT-5.4")
        self.assertEqual(max(products, key=products.__getitem__), "Claude Opus 4.7")
        self.assertEqual(f"{min(products.values()):.1%}", "6.4%")
        self.assertEqual(f"{max(products.values()):.1%}", "14.3%")
        for row in published.TABLE_2:
            self.assertAlmostEqual(100 * products[row.model], float(row.end_to_end), delta=0.05)


if __name__ == "__main__":
    unittest.main()
