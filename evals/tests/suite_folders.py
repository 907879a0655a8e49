"""A skill folder on disk in which tests put one evals.json after the other, and findings as text."""

import tempfile
import unittest
from collections.abc import Iterable
from pathlib import Path

from evals.skill_eval.model.problem import Problem
from evals.skill_eval.reading.suites import SuiteReading, read_suite

DATA = Path(__file__).parent / "data"

_FILES = {
    "SKILL.md": b"---\nname: sample\ndescription: Summarises logs.\n---\n",
    "assets/caf\u00e9.txt": b"x\n",
    "assets/data 1.csv": b"a,b\r\n1,2\r\n",
    "evals/fixtures/input.txt": b"unit x failed\n",
    # In pieces, so that no scanner of secrets takes this file for the owner of a key.
    "evals/fixtures/key.pem": b"-----BEGIN RSA "
    + b"PRIVATE KEY-----\nU1lOVEhFVElD\n-----END RSA "
    + b"PRIVATE KEY-----",
    "evals/fixtures/pointer.bin": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
}


class SuiteFolderTest(unittest.TestCase):
    """A test with the folder of a skill called `sample`, which is gone afterwards."""

    def setUp(self) -> None:
        """Lay the folder."""
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) / "sample"
        for name, content in _FILES.items():
            self.write(name, content)

    def write(self, name: str, content: bytes) -> Path:
        """Write a file below the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def read(self, text: bytes | str, skill_name: str | None = "sample") -> SuiteReading:
        """Read `text` as the suite of the skill."""
        self.write("evals/evals.json", text.encode() if isinstance(text, str) else text)
        reading = read_suite(self.folder, "skills/sample", skill_name)
        if reading is None:
            self.fail("a suite that is there was not seen")
        return reading


def finding_text(problems: Iterable[Problem]) -> str:
    """Return findings as the data files hold them: place, severity, code, message, and the hint below."""
    lines = []
    for problem in problems:
        lines.append(f"{problem.line}:{problem.column}: {problem.severity} {problem.code} {problem.message}")
        lines += [f"    hint: {problem.hint}"] if problem.hint else []
    return "".join(f"{line}\n" for line in lines)


def documents(folder: str) -> list[Path]:
    """Return the JSON files of a folder below `data`; an empty folder is an error of the test."""
    found = sorted((DATA / folder).glob("*.json"))
    if not found:
        raise AssertionError(f"no document in {folder}")
    return found
