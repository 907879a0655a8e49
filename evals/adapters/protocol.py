"""What the adapters that ship share: protocol 1 on the standard streams and safe paths in the workspace.

Adapters run as scripts and import this file as their sibling (`from protocol import ...`). It imports
little, because an adapter is started for every trial.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False  # the name that type checkers know; importing `typing` would cost more than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PROTOCOL_VERSION = 1
MODES = ("with_skill", "without_skill")
EXIT_USAGE = 2
EXIT_FAILED = 3
LONGEST_SHOWN = 80


class AdapterExit(Exception):
    """An end without an answer: `str()` is the message for standard error, `code` the exit status."""

    def __init__(self, message: str, code: int = EXIT_USAGE) -> None:
        super().__init__(message)
        self.code = code


class Request:
    """A request of protocol 1. `skill_name` and `skill_path` are None in the baseline."""

    __slots__ = ("files", "mode", "prompt", "skill_name", "skill_path", "workspace")

    def __init__(
        self,
        mode: str,
        skill_name: str | None,
        skill_path: str | None,
        prompt: str,
        files: tuple[str, ...],
        workspace: str,
    ) -> None:
        self.mode = mode
        self.skill_name = skill_name
        self.skill_path = skill_path
        self.prompt = prompt
        self.files = files
        self.workspace = workspace

    @classmethod
    def from_json(cls, value: object) -> Request:
        """Check the decoded request; raises AdapterExit naming the field."""
        fields = _object(value, "request")
        version = fields.get("protocol_version")
        if version != PROTOCOL_VERSION or isinstance(version, bool):
            raise AdapterExit(f"protocol_version: expected {PROTOCOL_VERSION}, found {shown(version)}")
        mode = _text(fields, "mode", "mode")
        if mode not in MODES:
            raise AdapterExit(f"mode: expected `with_skill` or `without_skill`, found {shown(mode)}")
        name, path = _skill(fields.get("skill"), mode)
        workspace = _text(fields, "workspace", "workspace")
        if not os.path.isdir(workspace):
            raise AdapterExit(f"workspace: {shown(workspace)} is no folder")
        return cls(mode, name, path, _text(fields, "prompt", "prompt"), _files(fields.get("files")), workspace)


class Response:
    """A response of protocol 1; `usage` holds only what was measured.

    `exit_code` and `raw`, bytes printed as they are instead of the response, let a script misbehave.
    """

    __slots__ = ("events", "exit_code", "output", "raw", "usage")

    def __init__(
        self,
        output: str,
        events: Sequence[Mapping[str, str]] = (),
        usage: Mapping[str, int | float] | None = None,
        exit_code: int = 0,
        raw: bytes | None = None,
    ) -> None:
        self.output = output
        self.events = events
        self.usage = usage
        self.exit_code = exit_code
        self.raw = raw

    def to_bytes(self) -> bytes:
        """Return what goes to standard output."""
        if self.raw is not None:
            return self.raw
        events = [dict(event) for event in self.events]
        response = {"output": self.output, "events": events, "usage": dict(self.usage or {})}
        return f"{json.dumps(response)}\n".encode()


def loaded(skill: str) -> dict[str, str]:
    """Return the event that proves that an agent has read the skill."""
    return {"type": "skill_loaded", "name": skill}


def serve(answer: Callable[[Request, list[str]], Response], usage: str) -> int:
    """Read one request, let `answer` answer it with the command line's arguments, write the response.

    Returns the exit status. `--help` prints `usage`. A message of AdapterExit goes to standard error.
    """
    arguments = sys.argv[1:]
    if "--help" in arguments or "-h" in arguments:
        sys.stdout.write(usage)
        return 0
    try:
        response = answer(read_request(), arguments)
    except AdapterExit as end:
        write_error(str(end))
        return end.code
    sys.stdout.buffer.write(response.to_bytes())
    sys.stdout.buffer.flush()
    return response.exit_code


def read_request() -> Request:
    """Read the request from standard input; raises AdapterExit when it is not one of protocol 1."""
    return Request.from_json(parse_json(sys.stdin.buffer.read(), "request"))


def parse_json(content: bytes, what: str, code: int = EXIT_USAGE) -> object:
    """Return the JSON value of UTF-8 text; raises AdapterExit with `code` that names `what`."""
    try:
        text = content.decode("utf-8")
        value: object = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise AdapterExit(f"{what}: not JSON in UTF-8: {error}", code) from error
    return value


def write_error(message: str) -> None:
    """Write a message to standard error whatever the locale."""
    sys.stderr.buffer.write(f"{message}\n".encode("utf-8", "backslashreplace"))
    sys.stderr.buffer.flush()


def is_safe_path(path: str) -> bool:
    """Tell whether `path` is relative and names something below its root, links aside."""
    return "\0" not in path and all(part not in ("", ".", "..") for part in path.split("/"))


def read_below(root: str, path: str, limit_bytes: int) -> bytes | None:
    """Return a regular file's first `limit_bytes`, or None when it is missing, no file, or leads out of `root`."""
    place = os.path.join(root, *path.split("/"))
    if not is_safe_path(path) or not os.path.isfile(place) or not _inside(root, place):
        return None
    with open(place, "rb") as stream:
        return stream.read(limit_bytes)


def write_below(root: str, path: str, content: bytes) -> None:
    """Write a file below `root`, making folders; raises AdapterExit when the path leads out of it."""
    place = os.path.join(root, *path.split("/"))
    if not is_safe_path(path) or not _inside(root, place):
        raise AdapterExit(f"file {shown(path)} is not below the workspace", EXIT_FAILED)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as stream:
            stream.write(content)
    except OSError as error:
        raise AdapterExit(f"file {shown(path)} cannot be written: {error.strerror}", EXIT_FAILED) from error


def shown(value: object) -> str:
    """Return a JSON value as text that fits into a message."""
    text = json.dumps(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def _inside(root: str, place: str) -> bool:
    real_root = os.path.realpath(root)
    return os.path.realpath(place).startswith(real_root.rstrip(os.sep) + os.sep)


def _skill(value: object, mode: str) -> tuple[str | None, str | None]:
    if (value is None) is (mode == "with_skill"):
        raise AdapterExit(f"skill: expected {'null' if value is not None else 'an object'} in mode `{mode}`")
    if value is None:
        return None, None
    fields = _object(value, "skill")
    path = _text(fields, "path", "skill.path")
    if "\0" in path:
        raise AdapterExit("skill.path: holds a NUL character")
    return _text(fields, "name", "skill.name"), path


def _files(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise AdapterExit(f"files: expected a list, found {shown(value)}")
    paths = [_text(_object(item, f"files[{at}]"), "path", f"files[{at}].path") for at, item in enumerate(value)]
    for at, path in enumerate(paths):
        if not is_safe_path(path):
            raise AdapterExit(f"files[{at}].path: {shown(path)} is not below the workspace")
    return tuple(paths)


def _object(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise AdapterExit(f"{where}: expected an object, found {shown(value)}")
    return value


def _text(fields: Mapping[str, object], key: str, where: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str):
        raise AdapterExit(f"{where}: expected text, found {shown(value)}")
    return value
