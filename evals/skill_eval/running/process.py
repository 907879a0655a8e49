"""A bounded process: what is to be run, and how it ended."""

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Stopped = Literal["exited", "timeout", "stdout_limit", "stderr_limit", "not_started"]


@dataclass(frozen=True, slots=True)
class Call:
    """One adapter call, started without a shell.

    `argv[0]` is an absolute path: nothing is searched. `environment` is the whole environment
    (None: the harness's own). `timeout_seconds` bounds the call, `limit_bytes` each output stream.
    """

    argv: tuple[str, ...]
    stdin: bytes
    cwd: str | os.PathLike[str]
    environment: Mapping[str, str] | None
    timeout_seconds: float
    limit_bytes: int


@dataclass(frozen=True, slots=True)
class Completed:
    """How a call ended; whatever the end, none of its processes is left.

    `exit_code` is the adapter's own (negative: the signal that ended it), None when it was ended
    by us or never ran. `stdout` and `stderr` hold what was read until the end, at most the limit.
    `duration_seconds` reaches from start to end, without our clean-up. `survivors` counts the
    processes that had to be ended besides the adapter itself. `reason` says why it was not started.
    """

    stopped: Stopped
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    duration_seconds: float
    survivors: int = 0
    reason: str | None = None


def why_not_started(path: str, number: int) -> str:
    """Say why `path` could not be started or entered: the system's reason for error `number`, and more where known."""
    reason = f"`{path}`: {os.strerror(number).lower()}"
    detail = _detail(path, number)
    return f"{reason} ({detail})" if detail else reason


def _detail(path: str, number: int) -> str | None:
    match number:
        case errno.ENOENT if os.path.exists(path):
            return _missing_interpreter(path)
        case errno.EACCES if os.path.isdir(path):
            return "it is a directory"
        case errno.EACCES if os.path.isfile(path) and not os.access(path, os.X_OK):
            return "it has no execute permission"
        case errno.ENOEXEC:
            return "it is neither a program for this machine nor a script that begins with `#!`"
    return None


def _missing_interpreter(path: str) -> str:
    with open(path, "rb") as file:
        line = file.readline(256)
    if line.startswith(b"#!") and line.endswith(b"\r\n"):
        return "its first line names an interpreter and ends in a carriage return: save it with Unix line endings"
    return "the interpreter that it needs does not exist"
