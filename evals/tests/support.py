"""Small repositories, adapters and command lines for tests: the real thing made small."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.cli import main

Json = dict[str, object]
REPOSITORY = Path(__file__).parents[2]
PHRASE = {"id": "phrase", "type": "contains", "value": "PROBE-OK"}


@contextlib.contextmanager
def as_ordinary_user(folder: Path) -> Iterator[None]:
    """Let a root process act as a user who owns `folder` and all in it that has any mode; others act as they are."""
    if os.name != "posix" or os.geteuid() != 0:
        yield
        return
    for path in (folder, *folder.rglob("*")):
        if path.lstat().st_mode & 0o777:
            os.chown(path, 65534, 65534)
    os.seteuid(65534)
    try:
        if not os.path.isdir(folder):
            raise unittest.SkipTest(f"an ordinary user cannot enter {folder.parent}")
        yield
    finally:
        os.seteuid(0)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command line printed, and its exit code."""

    code: int
    out: str
    err: str


def run_cli(*argv: str | Path) -> Ran:
    """Run the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in argv])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 2
    return Ran(code, out.getvalue(), err.getvalue())


class RepositoryTest(unittest.TestCase):
    """A test with a repository of its own, which is gone afterwards."""

    def setUp(self) -> None:
        """Make the repository, and run from inside of it."""
        place = self.enterContext(tempfile.TemporaryDirectory())
        self.root = Path(os.path.realpath(place)) / "repository"
        (self.root / "skills").mkdir(parents=True)

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file below the repository."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def add_skill(self, name: str = "sample", cases: Iterable[Json] | None = None, body: str = "Say PROBE-OK.") -> Path:
        """Write a valid skill, with a suite unless `cases` is None, and return its folder."""
        text = f"---\nname: {name}\ndescription: Says the phrase when asked for it.\n---\n\n{body}\n"
        path = self.write(f"skills/{name}/SKILL.md", text)
        if cases is not None:
            suite = {"skill_name": name, "evals": list(cases)}
            self.write(f"skills/{name}/evals/evals.json", json.dumps(suite, indent=1))
        return path.parent

    def add_adapter(self, body: str, name: str = "adapter.py") -> Path:
        """Write an executable adapter: `body` sees `request` and answers through `reply(output, **fields)`."""
        program = f"#!{sys.executable}\n{_ADAPTER_HEAD}{body}\n"
        path = self.write(name, program)
        path.chmod(0o755)
        return path

    def run_skill(self, adapter: Path | str, *options: str | Path) -> Ran:
        """Run the suites of this repository under the run id `r`."""
        return run_cli("run", "--repo-root", self.root, "--adapter", adapter, "--run-id", "r", *options)

    def artifact(self, name: str) -> Json:
        """Read a JSON artifact of the run `r`."""
        value = json.loads((self.root / "tmp/skills-eval/r" / name).read_text(encoding="utf-8"))
        assert isinstance(value, dict)
        return value


_ADAPTER_HEAD = """import json, os, sys, time
request = json.load(sys.stdin)
with_skill = request["skill"] is not None
def reply(output, **fields):
    print(json.dumps({"output": output, **fields}))
"""


def case(case_id: int | str = 1, checks: Iterable[Mapping[str, object]] = (PHRASE,), **fields: object) -> Json:
    """Return one case in the harness shape."""
    return {
        "id": case_id,
        "prompt": "Please say it.",
        "expected_output": "RUBRIC-EXPECTED PROBE-OK",
        "assertions": ["RUBRIC-ASSERTION says it"],
        "checks": list(checks),
        **fields,
    }
