"""The baselines without a model, judged like a model on the shipped queries."""

import unittest

from evals.fortis.baselines import SKILL_PICKERS, TOOL_PICKERS
from evals.fortis.judge import Verdict
from evals.fortis.metrics import Judged, tally
from evals.fortis.model import Query
from evals.fortis.reading import domain_names
from evals.fortis.reference import baselines, place
from evals.fortis.storage import load_domain
from evals.tests.fortis_notes import QUERIES


class Shipped(unittest.TestCase):
    found: dict[str, list[Judged]]
    queries: tuple[Query, ...]

    @classmethod
    def setUpClass(cls) -> None:
        """Judge all baselines once."""
        domains = {name: load_domain(name) for name in domain_names()}
        cls.queries = tuple(query for domain in domains.values() for query in domain.queries)
        cls.found = baselines(cls.queries, {name: domain.library for name, domain in domains.items()}, 0)

    def of(self, name: str, task: int) -> list[Judged]:
        return [one for one in self.found[name] if one.query.task == task]

    def test_each_answers_every_query_of_the_tasks_that_it_knows(self) -> None:
        sizes = {task: sum(query.task == task for query in self.queries) for task in (1, 2)}
        for name in TOOL_PICKERS:
            with self.subTest(name):
                self.assertEqual(len(self.of(name, 2)), sizes[2])
                self.assertEqual(len(self.of(name, 1)), sizes[1] if name in SKILL_PICKERS else 0)

    def test_the_oracle_is_exact_everywhere_in_both_columns(self) -> None:
        for task in (1, 2):
            for column in ("ours", "strict", "paper"):
                found = tally(self.of("oracle", task), column)
                self.assertEqual(found.exact.value, 1)

    def test_nobody_who_does_not_know_the_levels_comes_near(self) -> None:
        for name in ("random", "first listed", "last listed", "BM25", "fewest parameters"):
            for task in (1, 2):
                rate = tally(self.of(name, task)).exact.value
                with self.subTest(name, task=task):
                    self.assertTrue(rate is None or rate < 0.6, f"{rate}")

    def test_declining_is_no_action_and_nothing_else(self) -> None:
        for task in (1, 2):
            found = tally(self.of("always decline", task))
            self.assertEqual(set(found.counts), {Verdict.NO_ACTION})

    def test_always_lowest_is_never_over_privileged_in_the_choice_of_skills(self) -> None:
        self.assertEqual(tally(self.of("always lowest", 1)).over.count, 0)
        highest = tally(self.of("always highest", 1))
        self.assertGreater(highest.over.value or 0, 0.5)


class Places(unittest.TestCase):
    def test_the_place_of_the_right_choice_runs_from_0_to_1(self) -> None:
        query = QUERIES["1-read"]
        self.assertEqual(place(query, ("note-reader", "x", "y")), 0.0)
        self.assertEqual(place(query, ("x", "note-reader", "y")), 0.5)
        self.assertEqual(place(QUERIES["2-pair"], ("list_notes", "x", "search_notes")), 0.5)


if __name__ == "__main__":
    unittest.main()
