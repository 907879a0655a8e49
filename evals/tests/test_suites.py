"""Suites in the harness's own shape: every file of `data/suites` with the findings that it deserves."""

import json
import os
import time
import unittest
from pathlib import Path

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.model.suite import Check, CheckType, Dialect
from evals.skill_eval.reading.checks import CHECK_LIMIT
from evals.skill_eval.reading.findings import LIMIT
from evals.skill_eval.reading.near_miss import near_miss
from evals.skill_eval.reading.patterns import may_explode
from evals.skill_eval.reading.rules import RULES
from evals.skill_eval.reading.suites import CASE_LIMIT, SUITE_LIMIT_BYTES, read_suite
from evals.tests.suite_folders import SuiteFolderTest, documents, finding_text

CASE = {"id": 1, "prompt": "Summarise the log.", "expected_output": "Three lines."}
CHECK = {"id": "unit", "type": "contains", "value": "failing unit"}


def suite_text(*cases: object, **top: object) -> str:
    """Return a suite as JSON."""
    return json.dumps({"skill_name": "sample", "evals": list(cases), **top})


class DocumentTest(SuiteFolderTest):
    def test_a_valid_suite_is_read_with_the_warnings_beside_it(self) -> None:
        for path in documents("suites/valid"):
            with self.subTest(path.name):
                reading = self.read(path.read_bytes())
                self.assertEqual(finding_text(reading.problems), _expected(path))
                self.assertIsNotNone(reading.suite)

    def test_an_invalid_suite_is_refused_with_all_the_findings_beside_it(self) -> None:
        for path in documents("suites/invalid"):
            with self.subTest(path.name):
                reading = self.read(path.read_bytes())
                self.assertEqual(finding_text(reading.problems), _expected(path))
                self.assertIsNone(reading.suite)

    def test_every_finding_names_the_file_and_a_place_in_it(self) -> None:
        for path in (*documents("suites/invalid"), *documents("suites/valid"), *documents("dialects")):
            for problem in self.read(path.read_bytes()).problems:
                with self.subTest(path.name, code=problem.code):
                    self.assertEqual(problem.path, "skills/sample/evals/evals.json")
                    self.assertIn(problem.code, RULES)
                    self.assertGreaterEqual(min(problem.line or 0, problem.column or 0), 1)


class RecordTest(SuiteFolderTest):
    def test_the_record_holds_what_the_file_says(self) -> None:
        case = {**CASE, "name": "first", "assertions": ["Short."], "files": ["evals/fixtures/input.txt"]}
        checks = [CHECK, {"id": "p", "type": "regex", "pattern": "x+", "required": False, "case_sensitive": True}]
        suite = self.read(suite_text({**case, "checks": checks}, {**CASE, "id": "b"})).suite
        assert suite is not None
        self.assertEqual((suite.skill_name, suite.dialect), ("sample", Dialect.HARNESS))
        self.assertEqual(suite.path, self.folder / "evals/evals.json")
        first, second = suite.cases
        self.assertEqual((first.id, first.name, first.assertions), (1, "first", ("Short.",)))
        self.assertEqual(first.files, ("evals/fixtures/input.txt",))
        expected = (
            Check("unit", CheckType.CONTAINS, ("failing unit",)),
            Check("p", CheckType.REGEX, ("x+",), required=False, case_sensitive=True),
        )
        self.assertEqual(first.checks, expected)
        self.assertEqual(suite.runnable_cases, (first,))
        self.assertEqual((second.id, second.expected_output, second.checks), ("b", "Three lines.", ()))

    def test_loaded_skill_is_about_the_skill_under_test_unless_it_says_so_itself(self) -> None:
        checks = [{"id": "a", "type": "loaded_skill"}, {"id": "b", "type": "loaded_skill", "skill": "sample"}]
        suite = self.read(suite_text({**CASE, "checks": checks})).suite
        assert suite is not None
        self.assertEqual([check.operands for check in suite.cases[0].checks], [("sample",), ("sample",)])

    def test_the_name_of_a_skill_that_cannot_be_read_is_taken_from_its_suite(self) -> None:
        reading = self.read(suite_text(CASE, skill_name="other"), skill_name=None)
        assert reading.suite is not None
        self.assertEqual((reading.suite.skill_name, reading.problems), ("other", ()))


class FileTest(SuiteFolderTest):
    def test_a_skill_without_a_suite_has_none(self) -> None:
        self.assertIsNone(read_suite(self.folder, "skills/sample", "sample"))
        self.assertIsNone(read_suite(self.folder / "assets", "skills/assets", "assets"))

    def test_a_file_where_the_folder_of_the_suite_should_be_is_a_finding(self) -> None:
        self.write("other/evals", b"no folder")
        reading = read_suite(self.folder / "other", "skills/other", "other")
        self.assertEqual([problem.code for problem in reading.problems] if reading else [], ["SE201"])

    def test_only_a_regular_file_of_bounded_size_is_read(self) -> None:
        path = self.folder / "evals" / "evals.json"
        target = self.write("assets/suite.json", suite_text(CASE).encode())
        for name, make, code in (
            ("link", lambda: path.symlink_to(target), "SE201"),
            ("loop", lambda: path.symlink_to(path), "SE201"),
            ("folder", lambda: path.mkdir(), "SE201"),
            ("pipe", lambda: os.mkfifo(path), "SE201"),
            ("sparse", lambda: _sparse(path, 1 << 40), "SE202"),
            ("large", lambda: path.write_bytes(b" " * (SUITE_LIMIT_BYTES + 1)), "SE202"),
        ):
            with self.subTest(name):
                try:
                    make()
                except (OSError, AttributeError, NotImplementedError) as error:
                    self.skipTest(f"not possible here: {error}")
                reading = read_suite(self.folder, "skills/sample", "sample")
                assert reading is not None
                self.assertIsNone(reading.suite)
                self.assertEqual([problem.code for problem in reading.problems], [code])
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()

    def test_a_folder_of_evals_that_is_a_link_is_not_followed(self) -> None:
        other = self.folder.parent / "linked"
        other.mkdir()
        (other / "evals").symlink_to(self.folder / "evals")
        reading = read_suite(other, "skills/linked", "linked")
        assert reading is not None
        found = [(problem.path, problem.code) for problem in reading.problems]
        self.assertEqual(found, [("skills/linked/evals", "SE201")])

    def test_a_suite_under_another_spelling_is_named(self) -> None:
        self.write("evals/Evals.json", suite_text(CASE).encode())
        reading = read_suite(self.folder, "skills/sample", "sample")
        assert reading is not None
        self.assertEqual([problem.code for problem in reading.problems], ["SE237"])
        self.assertIsNone(reading.suite)

    def test_a_suite_in_a_folder_of_another_spelling_is_named(self) -> None:
        (self.folder / "evals").rename(self.folder / "Evals")
        (self.folder / "Evals/evals.json").write_text(suite_text(CASE))
        reading = read_suite(self.folder, "skills/sample", "sample")
        assert reading is not None
        self.assertEqual([(one.code, one.path) for one in reading.problems], [("SE237", "skills/sample/Evals")])

    def test_text_that_is_no_json_is_one_finding(self) -> None:
        reading = self.read(b'{"evals": [')
        self.assertEqual([(problem.code, problem.line) for problem in reading.problems], [("SE211", 1)])
        self.assertIsNone(reading.suite)

    def test_faults_of_json_that_are_plainly_meant_hide_no_others(self) -> None:
        reading = self.read(b"""\xef\xbb\xbf{
  // a comment
  "skill_name": "other",
  "evals": [
    {"id": 1, "prompt": "x" "checks": [{"id": "a", "type": "contians", "value": "z"},]}
    {"id": 2, /* two
    lines */ "prompt": "", "expected_output": "y"},
  ], # the end
}""")
        problems = sorted(reading.problems, key=Problem.order)
        found = [(problem.code, problem.line, problem.column) for problem in problems]
        self.assertIsNone(reading.suite)
        self.assertEqual(
            [one for one in found if one[0] != "SE232"],
            [
                ("SE204", 1, 1),
                ("SE208", 2, 3),
                ("SE223", 3, 17),
                ("SE206", 5, 29),
                ("SE242", 5, 60),
                ("SE207", 5, 85),
                ("SE206", 6, 5),
                ("SE208", 6, 15),
                ("SE228", 7, 24),
                ("SE207", 7, 51),
                ("SE207", 8, 4),
                ("SE208", 8, 6),
            ],
        )


class HostileSuiteTest(SuiteFolderTest):
    def test_sizes_are_bounded_and_no_suite_takes_long(self) -> None:
        many_keys = {f"check{number}": 1 for number in range(100_000)}
        checks = [{**CHECK, "id": f"c{number}"} for number in range(CHECK_LIMIT)]
        cases = (
            ("too many cases", suite_text(*[CASE] * (CASE_LIMIT + 1)), "SE202"),
            ("too many checks", suite_text({**CASE, "checks": [*checks, CHECK]}), "SE202"),
            ("too many fixtures", suite_text({**CASE, "files": ["x"] * 1_001}), "SE277"),
            ("many keys", suite_text({**CASE, **many_keys}), "SE233"),
            ("many keys in a check", suite_text({**CASE, "checks": [{**CHECK, **many_keys}]}), "SE247"),
            ("a long prompt and many checks", suite_text({**CASE, "prompt": "a" * 4_000_000, "checks": checks}), None),
            ("many lists", suite_text({**CASE, "must_not_include": ["a"] * 20_000}), "SE254"),
        )
        for name, text, code in cases:
            with self.subTest(name):
                start = time.process_time()
                codes = {problem.code for problem in self.read(text).problems}
                self.assertLess(time.process_time() - start, 4)
                self.assertEqual(codes & {code}, {code} - {None})

    def test_of_too_many_findings_the_first_are_shown_and_the_others_counted(self) -> None:
        problems = self.read(suite_text(*["no case"] * (LIMIT + 5))).problems
        self.assertEqual(len(problems), LIMIT + 1)
        counted = [problem for problem in problems if problem.code == "SE238"]
        self.assertEqual([problem.message for problem in counted], ["5 more findings of this severity are not shown"])
        self.assertEqual(counted[0].severity, Severity.ERROR)


class NearMissTest(unittest.TestCase):
    KNOWN = ("id", "prompt", "expected_output", "assertions", "files", "checks", "case_sensitive")

    def test_a_slip_of_the_pen_finds_what_was_meant(self) -> None:
        for key, meant in (
            ("check", "checks"), ("Checks", "checks"), ("chekcs", "checks"), ("cheks", "checks"), ("checkss", "checks"),
            ("expected_ouput", "expected_output"), ("expectedOutput", "expected_output"), ("assertion", "assertions"),
            ("case_senstive", "case_sensitive"), ("case-sensitive", "case_sensitive"), ("file", "files"), ("ID", "id"),
        ):  # fmt: skip
            with self.subTest(key):
                self.assertEqual(near_miss(key, self.KNOWN), meant)

    def test_another_word_is_another_word(self) -> None:
        for key in ("checklist", "checked_by", "expected", "expected_outcome", "is", "ids", "context", "tags", "c", ""):
            with self.subTest(key):
                self.assertIsNone(near_miss(key, self.KNOWN))


class PatternTest(unittest.TestCase):
    def test_a_repeated_group_of_repeated_things_is_suspicious(self) -> None:
        for pattern in (
            "(a+)+", "(.*)*", r"(\w+\s?)*x", "((a+))+", "(a*b?)*", "(a+)+?", "(?:^a+)+", "(?:a|b+)*", "(a+){2,}",
            "(?P<x>a+)*", "([a-z]+)*", "(?i:a+)*",
        ):  # fmt: skip
            with self.subTest(pattern):
                self.assertTrue(may_explode(pattern))

    def test_a_group_with_something_fixed_in_it_is_not(self) -> None:
        for pattern in (
            r"(?:\n.*)*", "(?:a+,)+", "(?>a+)+", "(a++)+", "(a+)++", "(a+){2,5}", "a+b+", "[(+]+(a)+", "(?=a+)+",
            r"\(a+\)+", r"\d+(,\d+)*", "(a?b?)*", "x{2,}(y{0,3})+", "(?:a+b|c)*", "", "(a|b)+", "[^()]*+",
        ):  # fmt: skip
            with self.subTest(pattern):
                self.assertFalse(may_explode(pattern))


def _expected(path: Path) -> str:
    beside = path.with_suffix(".txt")
    return beside.read_text(encoding="utf-8") if beside.exists() else ""


def _sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


if __name__ == "__main__":
    unittest.main()
