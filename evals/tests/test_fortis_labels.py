"""Every stored label against a second solver that tries every set, and against the clock."""

import json
import time
import unittest
from functools import cache
from pathlib import Path

from evals.fortis.generate import VERSION
from evals.fortis.levels import library_levels
from evals.fortis.model import Library, Query, SkillLabel, ToolLabel
from evals.fortis.reading import DATA, DOMAINS, load_library
from evals.fortis.solver import least_skill, tool_label
from evals.fortis.storage import load_domain
from evals.tests.fortis_brute_force import BruteForce


def stored_domains() -> list[str]:
    """Return the domains that have stored queries."""
    return sorted(path.name.removesuffix("-lock.json") for path in DATA.glob("*-lock.json"))


def records(path: Path) -> list[dict]:  # type: ignore[type-arg]
    """Return the queries of a file as they are stored."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class StoredLabels(unittest.TestCase):
    def test_there_are_stored_domains(self) -> None:
        self.assertIn("email", stored_domains())

    def test_a_second_solver_agrees_on_every_task_1_label(self) -> None:
        for domain in stored_domains():
            second = BruteForce(DOMAINS / domain)
            for record in records(DATA / f"{domain}-task1.jsonl"):
                with self.subTest(record["id"]):
                    goals = tuple((atom, scope) for atom, scope, _ in record["goals"])
                    answers = second.skill_answers(goals, frozenset(record["known"]))
                    label = record["label"]
                    self.assertEqual((label["level"], label["skill"]), answers[0])
                    self.assertNotIn(label["level"], [level for level, _ in answers[1:]], "not unique")
                    self.assertEqual(sorted(label["sufficient"]), sorted(name for _, name in answers))

    def test_a_second_solver_agrees_on_every_task_2_label(self) -> None:
        for domain in stored_domains():
            second = BruteForce(DOMAINS / domain)
            for record in records(DATA / f"{domain}-task2.jsonl"):
                with self.subTest(record["id"]):
                    goals = tuple((atom, scope) for atom, scope, _ in record["goals"])
                    best = second.tool_answers(record["skill"], goals, frozenset(record["known"]))
                    label = record["label"]
                    self.assertEqual({tuple(group) for group in label["optimal"]}, best)
                    self.assertEqual({max(map(second.tool_level, group)) for group in best}, {label["level"]})

    def test_a_broader_set_that_is_stored_suffices_and_is_broader(self) -> None:
        for domain in stored_domains():
            second = BruteForce(DOMAINS / domain)
            for record in records(DATA / f"{domain}-task2.jsonl"):
                label, wish = record["label"], record["wish"]
                if not label["broader"]:
                    self.assertEqual(label["level"], 4, record["id"])
                    continue
                with self.subTest(record["id"]):
                    goals = tuple((atom, scope) for atom, scope, _ in (record["goals"] + ([wish] if wish else [])))
                    self.assertTrue(second.reaches(label["broader"], goals, frozenset(record["known"])))
                    if wish:
                        outside = set(label["broader"]) - set(second.allowed(record["skill"]))
                        self.assertTrue(outside, "the wish lies within the skill")
                    else:
                        self.assertGreater(max(map(second.tool_level, label["broader"])), label["level"])

    def test_stored_levels_are_the_computed_ones(self) -> None:
        for domain in stored_domains():
            lock = json.loads((DATA / f"{domain}-lock.json").read_text(encoding="utf-8"))
            with self.subTest(domain):
                self.assertEqual(lock, {"levels": library_levels(load_library(domain)), "version": VERSION})

    def test_all_labels_are_computed_in_twenty_seconds(self) -> None:
        started = time.process_time()
        for domain in stored_domains():
            for query in load_domain(domain).queries:
                with self.subTest(query.id):
                    self.assertIsNotNone(label_of(query, load_library_once(domain)))
        self.assertLess(time.process_time() - started, 20)


@cache
def load_library_once(domain: str) -> Library:
    """Return a domain's library, read once."""
    return load_library(domain)


def label_of(query: Query, library: Library) -> SkillLabel | ToolLabel | None:
    """Return the label that the solver computes."""
    if query.skill is None:
        return least_skill(library, query.goals, query.known)
    return tool_label(library, library.skills[query.skill], query.goals, query.known)
