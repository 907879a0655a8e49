"""What a model is told: the order of the parts, nothing of levels, and lists in a drawn order."""

import contextlib
import io
import re
import unittest
from collections import Counter
from dataclasses import replace
from pathlib import Path

from evals.fortis.answers import Form, read_skill, read_tools
from evals.fortis.cli import main
from evals.fortis.judge import Judge, Verdict
from evals.fortis.levels import skill_level, tool_level
from evals.fortis.model import Library, Query, Setting, SkillLabel
from evals.fortis.order import by_prompt, listing
from evals.fortis.prompts import HINT, prompt
from evals.fortis.reading import domain_names
from evals.fortis.selection import Selection, sample_remarks, sampled, select
from evals.fortis.storage import load_domain
from evals.skill_eval.errors import ConfigError
from evals.tests.fortis_notes import NOTES, QUERIES

_TELLING = re.compile(r"\bL[0-4]\b|privilege|least[- ]|permission|\blevel\b|minimal", re.IGNORECASE)


class Parts(unittest.TestCase):
    def test_task_1_shows_each_skill_on_a_line_and_asks_for_one_name(self) -> None:
        text = prompt(NOTES, QUERIES["1-read"], ("note-reader", "notes-admin"))
        self.assertIn("- note-reader: About note-reader.\n- notes-admin: About notes-admin.\n", text)
        self.assertIn("the name of the skill to load, and with nothing else", text)
        self.assertTrue(text.endswith("Request:\nPlease do 1-read.\n"))

    def test_task_2_shows_all_tools_then_the_skill_then_the_request(self) -> None:
        text = prompt(NOTES, QUERIES["2-read"], tuple(NOTES.tools))
        places = [text.index(part) for part in ("- read_note(title): Reads", "# note-reader", "Request:\nPlease do")]
        self.assertEqual(places, sorted(places))
        for name in NOTES.tools:
            self.assertIn(f"- {name}(", text)

    def test_nothing_tells_a_level_or_asks_for_restraint(self) -> None:
        for query in QUERIES.values():
            with self.subTest(query.id):
                text = prompt(NOTES, query, listing(NOTES, query, 1, 0))
                self.assertNotRegex(text, _TELLING)
                self.assertNotIn(HINT, text)

    def test_the_hint_is_one_sentence_more(self) -> None:
        query = QUERIES["2-read"]
        plain, hinted = (prompt(NOTES, query, tuple(NOTES.tools), hint=hint) for hint in (False, True))
        self.assertEqual(hinted.replace(f"{HINT}\n\n", ""), plain)
        self.assertNotEqual(hinted, plain)

    def test_the_shipped_skills_and_tools_tell_no_level_either(self) -> None:
        for name in domain_names():
            domain = load_domain(name)
            for query in (domain.task1[0], *{query.skill: query for query in domain.task2}.values()):
                with self.subTest(query.id):
                    text = prompt(domain.library, query, listing(domain.library, query, 1, 0))
                    self.assertNotRegex(text.partition("Request:\n")[0], _TELLING)


class Order(unittest.TestCase):
    def test_the_list_is_a_permutation_that_the_seed_decides(self) -> None:
        query = QUERIES["1-read"]
        self.assertEqual(sorted(listing(NOTES, query, 1, 0)), sorted(NOTES.skills))
        self.assertEqual(listing(NOTES, query, 1, 0), listing(NOTES, query, 1, 0))
        self.assertGreater(len({listing(NOTES, query, 1, seed) for seed in range(10)}), 5)

    def test_skills_are_shuffled_by_query_and_tools_by_skill_and_repeat(self) -> None:
        ids = [replace(QUERIES["1-read"], id=f"q{number}") for number in range(10)]
        self.assertGreater(len({listing(NOTES, query, 1, 0) for query in ids}), 5)
        same = [replace(QUERIES["2-read"], id=f"q{number}") for number in range(10)]
        self.assertEqual(len({listing(NOTES, query, 1, 0) for query in same}), 1)
        self.assertGreater(len({listing(NOTES, same[0], repeat, 0) for repeat in range(1, 11)}), 5)

    def test_neither_the_right_name_nor_a_level_has_a_place_of_its_own(self) -> None:
        for name in domain_names():
            domain = load_domain(name)
            places: Counter[int] = Counter()
            for query in domain.task1:
                if isinstance(query.label, SkillLabel):
                    places[listing(domain.library, query, 1, 0).index(query.label.skill) // 5] += 1
            with self.subTest(name):
                self.assertEqual(len(places), 4)
                self.assertLess(max(places.values()), 0.4 * len(domain.task1))
                self.assertLess(abs(_skill_slope(domain.library, domain.task1)), 0.1)
                self.assertLess(abs(_tool_slope(domain.library, domain.task2)), 0.1)

    def test_queries_with_the_same_beginning_run_together(self) -> None:
        names = [(query.task, query.skill) for query in by_prompt(list(QUERIES.values()))]
        self.assertEqual(names, sorted(names, key=lambda one: (one[0], one[1] or "")))


def _skill_slope(library: Library, queries: tuple[Query, ...]) -> float:
    """Return the correlation of level and place over all lists of Task 1."""
    levels = {name: skill_level(skill, library.atoms) for name, skill in library.skills.items()}
    return _correlation([(levels[n], at) for q in queries for at, n in enumerate(listing(library, q, 1, 0))])


def _tool_slope(library: Library, queries: tuple[Query, ...]) -> float:
    levels = {name: tool_level(tool, library.atoms) for name, tool in library.tools.items()}
    by_skill = {query.skill: query for query in queries}.values()
    return _correlation([(levels[n], at) for q in by_skill for at, n in enumerate(listing(library, q, 1, 0))])


def _correlation(pairs: list[tuple[int, int]]) -> float:
    from statistics import correlation

    return correlation([float(one) for one, _ in pairs], [float(other) for _, other in pairs])


class Manual(unittest.TestCase):
    def test_the_queries_in_the_manual_are_what_show_prints(self) -> None:
        manual = (Path(__file__).parents[1] / "fortis/README.md").read_text("utf-8")
        found = re.findall(r"`show --query ([\w-]+)`:\n\n````text\n(.*?)\n````\n", manual, re.DOTALL)
        self.assertEqual([id_.split("-")[1] for id_, _ in found], ["t1", "t2"])
        for id_, text in found:
            with self.subTest(id_, hint=f"paste the output of `python3 -m evals.fortis show --query {id_}`"):
                self.assertEqual(_shown(id_).rstrip("\n"), text)

    def test_the_answer_that_show_prints_is_exact(self) -> None:
        for name in domain_names():
            domain = load_domain(name)
            for query in (domain.task1[0], domain.task2[0], domain.task2[-1]):
                text = _shown(query.id).partition("--- a right answer:\n\n")[2]
                library = domain.library
                first = query.task == 1
                answer = read_skill(text, library.skills) if first else read_tools(text, library.tools)
                self.assertEqual((answer.form, Judge(library).judge(query, answer).ours), (Form.ASKED, Verdict.EXACT))

    def test_a_query_that_is_not_there_is_named(self) -> None:
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(main(["show", "--query", "email-t9-xx-001"]), 2)
        self.assertIn("no query `email-t9-xx-001`", err.getvalue())


def _shown(id_: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(["show", "--query", id_])
    return out.getvalue()


class Samples(unittest.TestCase):
    def setUp(self) -> None:
        """Load all queries."""
        self.queries = tuple(query for name in domain_names() for query in load_domain(name).queries)

    def test_a_sample_has_each_domain_task_and_setting_by_its_share(self) -> None:
        chosen = sampled(self.queries, 200)
        self.assertEqual(len(chosen), 200)
        self.assertEqual(chosen, sampled(self.queries, 200))
        whole, part = (Counter((q.domain, q.task, q.setting) for q in found) for found in (self.queries, chosen))
        for stratum, size in whole.items():
            with self.subTest(stratum):
                self.assertLess(abs(part[stratum] - 200 * size / len(self.queries)), 1)

    def test_a_sample_keeps_twins_together(self) -> None:
        for size in (60, 150, 600):
            chosen = {query.id: query for query in sampled(self.queries, size)}
            for task, least in ((1, 0.9), (2, 0.8)):
                ambiguous = [q for q in chosen.values() if q.task == task and q.setting != Setting.CLEAN]
                paired = sum(query.twin in chosen for query in ambiguous)
                with self.subTest(size=size, task=task):
                    self.assertGreaterEqual(paired, least * len(ambiguous))

    def test_a_sample_that_leaves_something_out_says_so_and_how_many_are_enough(self) -> None:
        (remark,) = sample_remarks(self.queries, Selection(sample=8))
        self.assertIn("a sample of 8 has nothing of Task 1 CB (ecommerce, email, filesystem), ", remark)
        enough = int(re.findall(r"; (\d+) is enough", remark)[0])
        self.assertEqual(sample_remarks(self.queries, Selection(sample=enough)), ())
        strata = {(query.domain, query.task, query.setting) for query in self.queries}
        self.assertEqual({(q.domain, q.task, q.setting) for q in sampled(self.queries, enough)}, strata)
        self.assertTrue(sample_remarks(self.queries, Selection(sample=enough - 1)))

    def test_a_sample_larger_than_what_there_is_says_so(self) -> None:
        (remark,) = sample_remarks(self.queries, Selection((1,), (Setting.ACTION,), 500))
        self.assertEqual(remark, "a sample of 500 was asked for, but there are 120 such queries; all are taken")
        self.assertEqual(sample_remarks(self.queries, Selection()), ())

    def test_more_than_there_are_is_all(self) -> None:
        self.assertEqual(sampled(self.queries, 10**6), self.queries)

    def test_filters_narrow_and_nothing_left_is_refused(self) -> None:
        found = select(self.queries, Selection((2,), (Setting.BOUNDARY,)))
        self.assertEqual({(query.task, query.setting) for query in found}, {(2, Setting.BOUNDARY)})
        with self.assertRaisesRegex(ConfigError, "no query has this domain, task and setting"):
            select(self.queries, Selection((1,), (Setting.BOUNDARY,)))


if __name__ == "__main__":
    unittest.main()
