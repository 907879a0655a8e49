"""`validate` and `schema` as a user starts them: what is printed where, and the exit code."""

import json
import os
import shlex
import subprocess
import sys
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

from evals.skill_eval.commands.schema import NAMES
from evals.skill_eval.reading.rules import RULES
from evals.tests.support import Ran, RepositoryTest, case, run_cli

CLEAN = "1 skill, 1 suite, 2 of 3 cases runnable, 0 errors, 0 warnings\n"


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set variables, and unset what a CI server may have set around these tests."""
    with mock.patch.dict(os.environ, variables):
        for name in {"GITHUB_ACTIONS", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"} - variables.keys():
            os.environ.pop(name, None)
        yield


class ValidateTest(RepositoryTest):
    """A repository with one good skill."""

    def setUp(self) -> None:
        """Add the skill."""
        super().setUp()
        self.enterContext(environment())
        self.add_skill("sample", [case(1), case(2), case(3, checks=[])])

    def validate(self, *options: str | Path) -> Ran:
        """Run `validate` on the repository."""
        return run_cli("validate", "--repo-root", self.root, *options)

    def add_warning(self) -> None:
        """Add something that is a warning and nothing else."""
        (self.root / "skills/alias").symlink_to("sample")


class ExitCodes(ValidateTest):
    def test_a_clean_repository_is_one_line_and_0(self) -> None:
        self.assertEqual(self.validate(), Ran(0, CLEAN, ""))

    def test_an_error_is_1_and_its_line_comes_before_the_summary(self) -> None:
        self.write("skills/notes/readme.txt", "x")
        ran = self.validate()
        self.assertEqual((ran.code, ran.err), (1, ""))
        first, last = ran.out.splitlines()
        self.assertTrue(first.startswith("skills/notes: error SE301 "), first)
        self.assertTrue(last.endswith("1 error, 0 warnings"), last)

    @unittest.skipIf(os.name == "nt", "links need a privilege there")
    def test_a_warning_is_1_only_when_strict_and_then_shown_as_an_error(self) -> None:
        self.add_warning()
        lax, strict = self.validate(), self.validate("--strict")
        self.assertEqual((lax.code, strict.code), (0, 1))
        self.assertIn("skills/alias: warning SE306 ", lax.out)
        self.assertTrue(lax.out.endswith("0 errors, 1 warning\n"))
        self.assertIn("skills/alias: error SE306 ", strict.out)
        self.assertTrue(strict.out.endswith("1 error, 0 warnings\n"))

    def test_what_cannot_be_validated_is_2_and_says_so_on_standard_error_alone(self) -> None:
        table: list[tuple[tuple[str | Path, ...], str]] = [
            (("--repo-root", self.root / "gone"), "gone`: no such folder"),
            (("--skills-dir", "gone"), "`gone`: no such folder"),
            (("--skill", "sampel"), "hint: did you mean `sample`?"),
            (("--format", "yaml"), "invalid choice"),
            (("--output", self.root / "gone/report.json"), "report.json` cannot be written"),
            (("--output", self.root), "cannot be written"),
        ]
        for options, message in table:
            with self.subTest(options=options):
                ran = self.validate(*options)
                self.assertEqual((ran.code, ran.out), (2, ""))
                self.assertIn(message, ran.err)
                self.assertNotIn("Traceback", ran.err)


class Selection(ValidateTest):
    def test_one_skill_of_several(self) -> None:
        self.write("skills/broken/SKILL.md", "# nothing\n")
        self.assertEqual(self.validate("--skill", "sample"), Ran(0, CLEAN, ""))
        self.assertEqual(self.validate("--skill", "broken").code, 1)

    def test_other_folders_of_skills_and_the_whole_tree(self) -> None:
        self.write("more/one/SKILL.md", "---\nname: one\ndescription: Says so whenever asked.\n---\n\nBody.\n")
        self.assertTrue(self.validate("--skills-dir", "more").out.startswith("1 skill, 0 suites, 0 of 0 cases"))
        self.assertTrue(self.validate("--recursive").out.startswith("2 skills, 1 suite, "))


class Formats(ValidateTest):
    def setUp(self) -> None:
        """Add an error."""
        super().setUp()
        (self.root / "skills/empty").mkdir()

    def test_every_format_names_the_finding_and_exits_1(self) -> None:
        readers: dict[str, Callable[[str], object]] = {
            "json": lambda out: json.loads(out)["findings"][0]["code"],
            "sarif": lambda out: json.loads(out)["runs"][0]["results"][0]["ruleId"],
            "gitlab": lambda out: json.loads(out)[0]["check_name"],
            "junit": lambda out: next(ElementTree.fromstring(out.encode()).iter("failure")).get("type"),
            "github": lambda out: out.split("title=")[1].split(" ")[0],
            "text": lambda out: out.split(" ")[2],
        }
        for name, read in readers.items():
            with self.subTest(format=name):
                ran = self.validate("--format", name)
                self.assertEqual((ran.code, ran.err), (1, ""))
                self.assertEqual(read(ran.out), "SE302")

    def test_github_ends_with_the_summary(self) -> None:
        lines = self.validate("--format", "github").out.splitlines()
        self.assertEqual([line.startswith("::error ") for line in lines], [True, False])
        self.assertTrue(lines[-1].endswith("1 error, 0 warnings"))

    def test_under_github_actions_annotations_are_added_without_changing_standard_output(self) -> None:
        for name in ("text", "json", "sarif"):
            with self.subTest(format=name):
                plain = self.validate("--format", name)
                with environment(GITHUB_ACTIONS="true"):
                    annotated = self.validate("--format", name)
                self.assertEqual((annotated.code, annotated.out), (plain.code, plain.out))
                self.assertRegex(annotated.err, r"\A::error file=skills/empty,title=SE302 [^\n]*\n\Z")
        with environment(GITHUB_ACTIONS="true"):
            self.assertEqual(self.validate("--format", "github").err, "")

    def test_paths_for_a_ci_server_are_relative_to_its_checkout(self) -> None:
        part = self.root.name
        for variable in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
            with environment(**{variable: str(self.root.parent)}):
                self.assertIn(f"file={part}/skills/empty,", self.validate("--format", "github").out)
                self.assertIn(f'"uri": "{part}/skills/empty"', self.validate("--format", "sarif").out)
                self.assertIn(f'"path": "{part}/skills/empty"', self.validate("--format", "gitlab").out)
                self.assertTrue(self.validate().out.startswith("skills/empty: "))
        with environment(GITHUB_WORKSPACE=str(self.root / "skills")):
            self.assertIn("file=skills/empty,", self.validate("--format", "github").out)


class Output(ValidateTest):
    def test_the_report_is_written_whole_and_the_summary_is_talk(self) -> None:
        report = self.write("report.json", "old")
        self.assertEqual(self.validate("--output", "-").out, self.validate().out)
        ran = self.validate("--format", "json", "--output", report)
        self.assertEqual((ran.code, ran.out), (0, ""))
        self.assertEqual(ran.err, f"{CLEAN.rstrip()}; written to `{report}`\n")
        self.assertEqual(json.loads(report.read_text())["summary"]["skills"], 1)
        self.assertTrue(report.read_text().endswith("}\n"))
        self.assertEqual(sorted(os.listdir(self.root)), ["report.json", "skills"])

    @unittest.skipUnless(os.path.exists("/dev/null"), "needs a device")
    def test_a_device_is_written_to_and_not_replaced(self) -> None:
        self.assertEqual(self.validate("--output", "/dev/null").code, 0)
        self.assertFalse(os.path.isfile("/dev/null"))


class Names(ValidateTest):
    @unittest.skipIf(os.name == "nt", "needs POSIX file names")
    def test_a_hostile_folder_name_reaches_no_terminal_and_no_runner(self) -> None:
        for name in ("a\n::error::x", "b\x1b[31m", "##[group]c"):
            (self.root / "skills" / name).mkdir()
        for form in ("text", "json", "sarif", "junit", "gitlab", "github"):
            with self.subTest(format=form), environment(GITHUB_ACTIONS="true"):
                ran = self.validate("--format", form)
                self.assertEqual(ran.code, 1)
                self.assertNotIn("\x1b", ran.out + ran.err)
                for line in (ran.out + ran.err).splitlines():
                    self.assertNotRegex(line, r"^\s*::error::|##\[")

    def test_a_hostile_option_is_quoted_in_one_line(self) -> None:
        hostile = "x\n::error::y\x1b[31m"
        for options in (["--skill", hostile], ["--skills-dir", hostile], ["--explain", hostile]):
            with self.subTest(options=options):
                ran = self.validate(*options)
                self.assertEqual((ran.code, ran.out), (2, ""))
                self.assertNotRegex(ran.err, r"(?m)^::|\x1b")


class Explain(unittest.TestCase):
    def test_every_code_is_explained(self) -> None:
        for code, rule in RULES.items():
            ran = run_cli("validate", "--explain", code.lower())
            self.assertEqual((ran.code, ran.err), (0, ""))
            self.assertEqual(ran.out, f"{code} ({rule.severity}): {rule.title}\n{rule.remedy}\n")

    def test_an_unknown_code_is_2_with_the_ones_near_it(self) -> None:
        ran = run_cli("validate", "--explain", "SE3O1")
        self.assertEqual((ran.code, ran.out), (2, ""))
        self.assertRegex(ran.err, r"\Aerror: no finding has the code `SE3O1`\nhint: close to it: .*`SE301`")


class Schema(unittest.TestCase):
    def test_each_schema_is_printed_as_json(self) -> None:
        for name in NAMES:
            with self.subTest(name=name):
                ran = run_cli("schema", name)
                self.assertEqual((ran.code, ran.err), (0, ""))
                self.assertEqual(json.loads(ran.out)["$schema"], "https://json-schema.org/draft/2020-12/schema")

    def test_an_unknown_name_is_2_with_the_known_ones(self) -> None:
        ran = run_cli("schema", "suite")
        self.assertEqual((ran.code, ran.out), (2, ""))
        self.assertIn("'evals'", ran.err)


class Package(ValidateTest):
    def test_the_printed_command_validates_a_repository_without_the_harness(self) -> None:
        ran = run_cli("package", "--output", self.root / "my tools.pyz")
        self.assertEqual((ran.code, ran.err), (0, ""))
        command = shlex.split(ran.out.split("`")[1].replace("DIR", str(self.root)))
        done = subprocess.run([sys.executable, *command[1:]], capture_output=True, timeout=60, cwd=self.root)
        self.assertEqual((done.returncode, done.stdout.decode(), done.stderr), (0, CLEAN, b""))
