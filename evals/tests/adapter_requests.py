"""Ask the adapters that ship as the harness does: a process, a request, a workspace of its own."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parents[1] / "adapters"
Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Answered:
    """How an adapter's process ended, and what it wrote."""

    code: int
    out: bytes
    err: str

    @property
    def output(self) -> str:
        """Return the answer's text."""
        return str(self.response["output"])

    @property
    def response(self) -> Json:
        """Return the response object."""
        value = json.loads(self.out)
        if not isinstance(value, dict):
            raise AssertionError(f"no object: {value!r}")
        return value


def ask(adapter: str, request: Mapping[str, object] | bytes, *arguments: str | Path, **variables: str) -> Answered:
    """Start a shipped adapter in the request's workspace, with `variables` added to its environment."""
    content = request if isinstance(request, bytes) else json.dumps(request).encode()
    folder = None if isinstance(request, bytes) else str(request["workspace"])
    command = [sys.executable, str(ADAPTERS / f"{adapter}.py"), *map(str, arguments)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    done = subprocess.run(command, input=content, capture_output=True, cwd=folder, env=environment, timeout=60)
    return Answered(done.returncode, done.stdout, done.stderr.decode())


class WorkspaceTest(unittest.TestCase):
    """A test with a workspace of its own, which is gone afterwards."""

    def setUp(self) -> None:
        """Make the workspace, and a folder beside it that no adapter may touch."""
        place = Path(os.path.realpath(self.enterContext(tempfile.TemporaryDirectory())))
        self.workspace, self.outside = place / "workspace", place / "outside"
        self.workspace.mkdir()
        self.outside.mkdir()

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file below the workspace."""
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def request(
        self, prompt: str, inputs: Mapping[str, str | bytes] | None = None, skill: Mapping[str, str] | None = None
    ) -> Json:
        """Lay the files of a skill `sample` (none in the baseline) and the fixtures; return the request."""
        for name, content in (skill or {}).items():
            self.write(f"skills/sample/{name}", content)
        paths = [self.write(f"inputs/{name}", content) for name, content in (inputs or {}).items()]
        return {
            "protocol_version": 1,
            "mode": "without_skill" if skill is None else "with_skill",
            "skill": None if skill is None else {"name": "sample", "path": str(self.workspace / "skills/sample")},
            "prompt": prompt,
            "files": [
                {"path": path.relative_to(self.workspace).as_posix(), "sha256": sha256(path.read_bytes()).hexdigest()}
                for path in paths
            ],
            "workspace": str(self.workspace),
        }
