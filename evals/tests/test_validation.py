"""Validation: one pass over all skills and suites, and the selection by name."""

import os
import time
import unittest
from unittest import skipUnless

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Severity
from evals.skill_eval.reading.discovery import discover
from evals.skill_eval.reading.rules import RULES
from evals.skill_eval.reading.validation import Validation, validate
from evals.tests.support import RepositoryTest, as_ordinary_user, case


class ValidationTest(RepositoryTest):
    """A repository without a skill yet."""

    def validation(self, *names: str, recursive: bool = False) -> Validation:
        """Validate what is there."""
        return validate(discover(self.root, recursive=recursive), names=names)

    def codes(self, *names: str, recursive: bool = False) -> list[tuple[str, str]]:
        """Return path and code of every finding."""
        return [(problem.path, problem.code) for problem in self.validation(*names, recursive=recursive).problems]


class OnePass(ValidationTest):
    def test_skills_suites_and_cases_are_counted(self) -> None:
        self.add_skill("one", [case(1), case(2, checks=[])])
        self.add_skill("two", [case(1)])
        self.add_skill("three")
        found = self.validation()
        self.assertEqual(found.problems, ())
        self.assertEqual([skill.folder.shown for skill in found.skills], ["skills/one", "skills/three", "skills/two"])
        self.assertEqual((found.suite_count, found.case_count, found.runnable_count), (2, 3, 2))
        self.assertEqual([suite.skill_name for suite in found.suites], ["one", "two"])
        self.assertEqual([skill.has_suite for skill in found.skills], [True, False, True])

    def test_the_faults_of_all_files_are_collected_and_sorted(self) -> None:
        self.add_skill("good", [case()])
        self.write("skills/headless/SKILL.md", "# no header\n")
        self.write("skills/headless/evals/evals.json", "[")
        self.write("skills/notes/readme.txt", "x")
        self.add_skill("broken-suite")
        self.write("skills/broken-suite/evals/evals.json", "{")
        found = self.validation()
        places = list(dict.fromkeys(problem.path for problem in found.problems))
        self.assertEqual(
            places,
            [
                "skills/broken-suite/evals/evals.json",
                "skills/headless/SKILL.md",
                "skills/headless/evals/evals.json",
                "skills/notes",
            ],
        )
        self.assertEqual(list(found.problems), sorted(found.problems, key=lambda problem: problem.order()))
        broken, good, headless = found.skills
        self.assertIsNone(headless.skill)
        self.assertEqual((broken.suite, broken.has_suite), (None, True))
        self.assertEqual(good.problems, ())
        self.assertGreaterEqual(found.count(Severity.ERROR), 4)

    def test_strict_makes_warnings_errors_and_leaves_infos(self) -> None:
        self.add_skill("sample")
        for mirror, body in ((".claude", "Say PROBE-OK."), (".agents", "Other.")):
            text = f"---\nname: sample\ndescription: Says the phrase when asked for it.\n---\n\n{body}\n"
            self.write(f"{mirror}/skills/sample/SKILL.md", text)
        found = self.validation(recursive=True)
        self.assertEqual((found.count(Severity.ERROR), found.count(Severity.WARNING)), (0, 1))
        strict = found.strict()
        self.assertEqual((strict.count(Severity.ERROR), strict.count(Severity.WARNING)), (1, 0))
        self.assertEqual(found.count(Severity.INFO), strict.count(Severity.INFO))
        self.assertEqual(sum(len(skill.problems) for skill in strict.skills), len(strict.problems))

    def test_a_suite_that_is_not_where_suites_are_is_a_finding(self) -> None:
        skill = self.add_skill("sample", [case()])
        for name in ("evals.json", "evals/eval.json", "eval/evals.json", "evals/evals.yaml"):
            self.write(f"skills/sample/{name}", "{}")
        self.assertEqual(self.codes(), [], "it has a suite where it should be")
        (skill / "evals/evals.json").unlink()
        self.assertEqual({code for _, code in self.codes()}, {"SE239"})
        self.assertEqual((len(self.codes()), self.validation().suite_count), (4, 0))

    def test_a_skill_that_no_run_could_copy_is_a_finding(self) -> None:
        self.add_skill("sample", [case()])
        large = self.root / "skills/sample/large"
        large.touch()
        os.truncate(large, (64 << 20) + 1)
        (problem,) = self.validation().problems
        self.assertEqual((problem.path, problem.code), ("skills/sample", "SE313"))
        self.assertRegex(problem.message, "^skill `skills/sample` has 671\\d+ bytes; at most 67108864 are copied")
        (self.root / "skills/sample/evals/evals.json").unlink()  # without a suite nothing is run
        self.assertEqual(self.validation().problems, ())

    @skipUnless(os.name == "posix", "modes are POSIX")
    def test_a_file_that_no_run_could_read_is_a_finding(self) -> None:
        self.add_skill("sample", [case()])
        self.write("skills/sample/references/a.md", "x").chmod(0)
        with as_ordinary_user(self.root.parent):
            (problem,) = self.validation().problems
        self.assertEqual(problem.code, "SE313")
        self.assertIn("`references/a.md` of skill `skills/sample` cannot be read", problem.message)

    def test_two_hundred_skills_take_little_time(self) -> None:
        for number in range(200):
            self.add_skill(f"skill-{number}", [case()])
        start = time.process_time()
        self.assertEqual(len(self.validation().skills), 200)
        self.assertLess(time.process_time() - start, 2.0)


@unittest.skipIf(os.name == "nt", "links need a privilege there")
class InnerLinks(ValidationTest):
    def test_links_inside_a_skill_are_one_warning_that_says_they_are_not_copied(self) -> None:
        skill = self.add_skill("sample", [case()])
        (skill / "references").mkdir()
        (skill / "references/inner").symlink_to("../SKILL.md")
        (skill / "again").symlink_to("..")
        (problem,) = self.validation().problems
        self.assertEqual((problem.path, problem.code), ("skills/sample/again", "SE312"))
        self.assertIs(problem.severity, Severity.WARNING)
        self.assertEqual(problem.message, "link to `..` and 1 more: left out of the copy that agents get")

    def test_what_has_a_finding_of_its_own_or_is_not_copied_is_left_to_others(self) -> None:
        skill = self.add_skill("sample", [case()])
        (skill / "node_modules").mkdir()
        (skill / "node_modules/link").symlink_to("x")
        (skill / "evals/link").symlink_to("evals.json")
        linked = self.add_skill("linked")
        (linked / "SKILL.md").rename(self.root / "elsewhere.md")
        (linked / "SKILL.md").symlink_to("../../elsewhere.md")
        found = self.validation()
        self.assertEqual({problem.path for problem in found.problems}, {"skills/linked/SKILL.md"})
        self.assertNotIn("SE312", [problem.code for problem in found.problems])


class Namesakes(ValidationTest):
    def mirror(self, folder: str, body: str) -> None:
        """Write a skill named `sample` somewhere."""
        text = f"---\nname: sample\ndescription: Says the phrase when asked for it.\n---\n\n{body}\n"
        self.write(f"{folder}/SKILL.md", text)

    def test_copies_are_mentioned_and_other_content_is_warned_of(self) -> None:
        self.add_skill("sample")
        self.mirror(".agents/skills/sample", "Say PROBE-OK.")
        self.mirror("plugins/p/skills/sample", "Say something else.")
        found = self.validation(recursive=True)
        self.assertEqual(
            [(problem.path, problem.code, problem.severity) for problem in found.problems],
            [
                (".agents/skills/sample/SKILL.md", "SE310", Severity.INFO),
                ("plugins/p/skills/sample/SKILL.md", "SE309", Severity.WARNING),
            ],
        )
        for problem in found.problems:
            self.assertIn("the skill in `skills/sample`", problem.message)

    def test_a_copy_has_every_file_of_the_other(self) -> None:
        self.add_skill("sample")
        self.mirror(".agents/skills/sample", "Say PROBE-OK.")
        path = self.write("skills/sample/references/a.md", "x")
        self.assertEqual(self.codes(recursive=True), [(".agents/skills/sample/SKILL.md", "SE309")])
        path.rename(self.root / "SKILL.md")  # a skill that is a whole repository has other files, of course
        self.mirror(".", "Say PROBE-OK.")
        self.assertEqual({code for _, code in self.codes(recursive=True)}, {"SE310"})

    def test_different_names_are_no_namesakes(self) -> None:
        self.add_skill("sample")
        self.add_skill("sample-2")
        self.assertEqual(self.codes(), [])


class Selection(ValidationTest):
    def setUp(self) -> None:
        """Add two good skills, a broken one and a folder that is none."""
        super().setUp()
        self.add_skill("one", [case()])
        self.add_skill("two")
        self.write("skills/broken/SKILL.md", "# no header\n")
        self.write("skills/notes/readme.txt", "x")

    def test_a_broken_skill_that_was_not_selected_is_not_mentioned(self) -> None:
        found = self.validation("two", "one")
        self.assertEqual([skill.folder.shown for skill in found.skills], ["skills/one", "skills/two"])
        self.assertEqual(found.problems, ())

    def test_a_broken_skill_can_be_selected_by_its_folder(self) -> None:
        self.assertEqual({path for path, _ in self.codes("broken")}, {"skills/broken/SKILL.md"})

    def test_a_folder_that_is_no_skill_can_be_selected_to_learn_why(self) -> None:
        self.assertEqual(self.codes("notes"), [("skills/notes", "SE301")])

    def test_a_skill_at_the_root_is_selected_by_its_own_name(self) -> None:
        self.write("SKILL.md", "---\nname: whole\ndescription: Says so whenever it is asked.\n---\n\nBody.\n")
        found = self.validation("whole", recursive=True)
        self.assertEqual([skill.folder.shown for skill in found.skills], ["."])
        with self.assertRaises(ConfigError):
            self.validation(self.root.name, recursive=True)

    def test_paths_in_a_skill_at_the_root_begin_like_all_others(self) -> None:
        self.write("SKILL.md", "# no header\n")
        self.write("evals/evals.json", "[")
        paths = {path for path, _ in self.codes(recursive=True)}
        self.assertEqual(paths - {"skills/broken/SKILL.md"}, {"SKILL.md", "evals/evals.json"})

    def test_an_unknown_name_is_refused_with_what_is_near_it(self) -> None:
        table = [
            (("tow",), "no skill is called `tow`", "did you mean `two`?"),
            (("one", "Two"), "no skill is called `Two`", "did you mean `two`?"),
            (("zzz", "aaa"), "no skill is called `aaa`, `zzz`", "known: `broken`, `one`, `two`"),
            (("",), "no skill is called ``", "known: `broken`, `one`, `two`"),
        ]
        for names, message, hint in table:
            with self.subTest(names=names), self.assertRaises(ConfigError) as caught:
                self.validation(*names)
            self.assertEqual((str(caught.exception), caught.exception.hint), (message, hint))


class Rules(unittest.TestCase):
    def test_every_rule_is_complete_and_stands_under_its_own_code(self) -> None:
        self.assertGreaterEqual(len(RULES), 11)
        for code, rule in RULES.items():
            with self.subTest(code=code):
                self.assertRegex(code, r"\ASE\d{3}\Z")
                self.assertEqual(rule.code, code)
                self.assertFalse(rule.title.endswith("."))
                self.assertTrue(rule.title and rule.remedy)
