"""Start-up: a command that finds nothing odd loads nothing that only the odd needs."""

import subprocess
import sys
import unittest

from evals.tests.support import REPOSITORY, RepositoryTest

# Each of these costs more than a tenth of what `validate` may take, or belongs to what a clean skill has not.
SLOW = {"dataclasses", "inspect", "subprocess", "tempfile", "shutil", "hashlib", "unicodedata", "difflib", "fractions"}
ODD = {
    "dialects",
    "json_faults",
    "json_index",
    "missing_header",
    "near_miss",
    "odd_characters",
    "pattern_tokens",
    "rules",
    "skill_search",
    "yaml_subset",
}
PROGRAM = """
import argparse, sys
argparse.ArgumentParser(formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80)).format_help()
own = set(sys.modules)  # what the standard library's parser needs is not ours to save
sys.path.insert(0, {root!r})
from evals.skill_eval.cli import main
try:
    code = main({argv!r})
except SystemExit as stop:
    code = stop.code
print("\\n", code, *set(sys.modules) - own)
"""


class Modules(RepositoryTest):
    def loaded(self, *argv: str) -> tuple[str, set[str]]:
        """Return the exit code of a command line in a fresh interpreter, and the modules it has loaded."""
        program = PROGRAM.format(root=str(REPOSITORY), argv=list(argv))
        command = [sys.executable, "-I", "-S", "-B", "-c", program]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        code, *names = printed.splitlines()[-1].split()
        return code, set(names)

    def test_help_loads_no_command(self) -> None:
        code, names = self.loaded("--help")
        self.assertEqual(code, "0")
        self.assertFalse({name for name in names if name.startswith("evals.skill_eval.commands.")})
        self.assertFalse(names & SLOW)

    def test_a_clean_skill_loads_nothing_for_the_odd(self) -> None:
        self.add_skill("sample")
        code, names = self.loaded("validate", "--repo-root", str(self.root))
        self.assertEqual(code, "0")
        self.assertFalse(names & (SLOW | {f"evals.skill_eval.reading.{name}" for name in ODD}))
        self.assertIn("evals.skill_eval.reading.checks", names)


if __name__ == "__main__":
    unittest.main()
