"""README and manual say what is true: commands parse, JSON is valid, options and codes are all there."""

import json
import os
import re
import shlex
import sys
import unittest
from argparse import ArgumentParser
from importlib import import_module
from unittest import mock

from evals.skill_eval.cli import COMMANDS
from evals.skill_eval.reading.rules import RULES
from evals.skill_eval.running.conformance.check import PROBES
from evals.tests.support import REPOSITORY, RepositoryTest, run_cli

MANUAL = REPOSITORY / "evals/README.md"
DOCUMENTS = (REPOSITORY / "README.md", MANUAL, REPOSITORY / ".github/CONTRIBUTING.md")
_START = re.compile(r"python3? (?:-m evals\.skill_eval|skill-eval\.pyz) (?P<arguments>.*)")


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def options_of(command: str) -> set[str]:
    """Return the long options that a subcommand declares."""
    parser = ArgumentParser(add_help=False)
    import_module(f"evals.skill_eval.commands.{command}").add_arguments(parser)
    return {option for action in parser._actions for option in action.option_strings}


class Commands(unittest.TestCase):
    def test_every_command_line_shown_parses(self) -> None:
        shown = [match for path in DOCUMENTS for match in _START.finditer(path.read_text("utf-8"))]
        self.assertGreater(len(shown), 5)
        for match in shown:
            with self.subTest(match["arguments"]):
                words = shlex.split(match["arguments"].split("`")[0], comments=True)
                command, rest = words[0], [word for word in words[1:] if word not in ("…", "...")]
                self.assertIn(command, COMMANDS)
                module = import_module(f"evals.skill_eval.commands.{command}")
                parser = ArgumentParser(allow_abbrev=False)
                module.add_arguments(parser)
                parser.parse_args(module.normalise(rest) if hasattr(module, "normalise") else rest)

    def test_every_option_of_every_command_stands_in_the_manual(self) -> None:
        manual = MANUAL.read_text("utf-8")
        shown = set(re.findall(r"`(--[a-z-]+)", manual))
        commands = set(re.findall(r"evals\.skill_eval ([a-z]+)", manual))
        self.assertLessEqual(set(COMMANDS), commands)
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertLessEqual(options_of(command), shown)

    def test_the_help_of_every_command_ends_with_0_and_tells_exit_codes(self) -> None:
        for command in COMMANDS:
            with self.subTest(command):
                ran = run_cli(command, "--help")
                self.assertEqual(ran.code, 0)
                self.assertIn("exit codes", ran.out)

    def test_every_probe_of_adapter_check_has_its_row(self) -> None:
        manual = MANUAL.read_text("utf-8")
        for probe in PROBES:
            with self.subTest(probe.name):
                self.assertIn(f"| `{probe.name}` | {probe.does} | {probe.mend} |", manual)


class Blocks(unittest.TestCase):
    def test_every_json_block_is_json(self) -> None:
        found = [block for path in DOCUMENTS for block in blocks(path.read_text("utf-8"), "json")]
        self.assertGreaterEqual(len(found), 3)
        for block in found:
            with self.subTest(block[:60]):
                json.loads(block)


class Findings(unittest.TestCase):
    def test_every_code_has_its_row_and_no_row_is_left_over(self) -> None:
        rows = dict(re.findall(r"^\| `(SE\d+)` \| (.*) \|$", MANUAL.read_text("utf-8"), re.MULTILINE))
        self.assertEqual(list(rows), list(RULES))
        for code, rule in RULES.items():
            with self.subTest(code):
                self.assertEqual(rows[code], f"{rule.severity} | {_cell(rule.title)} | {_cell(rule.remedy)}")

    def test_every_code_is_explained(self) -> None:
        self.assertTrue(RULES)
        for code, rule in RULES.items():
            with self.subTest(code):
                ran = run_cli("validate", "--explain", code)
                self.assertEqual(ran.code, 0)
                self.assertIn(rule.remedy, ran.out)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


class Example(RepositoryTest):
    @unittest.skipIf(os.name == "nt", "the agent is a shell script")
    def test_the_adapter_in_the_manual_passes_the_check(self) -> None:
        [program] = [text for text in blocks(MANUAL.read_text("utf-8"), "python") if "my-agent" in text]
        agent = self.write("bin/my-agent", "#!/bin/sh\ncat\n")
        adapter = self.write("adapter", program.replace("/usr/bin/env python3", sys.executable))
        for path in (agent, adapter):
            path.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f"{agent.parent}{os.pathsep}{os.environ['PATH']}"):
            ran = run_cli("adapter", "check", "--repo-root", self.root, adapter)
        self.assertEqual(ran.code, 0, ran.out + ran.err)


if __name__ == "__main__":
    unittest.main()
