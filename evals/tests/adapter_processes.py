"""Tiny adapters, and a search for what they leave behind: each of their processes carries a mark."""

import os
import sys
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from evals.skill_eval.running.process import Call

LIMIT_BYTES = 1 << 20
ROOT = str(Path(__file__).resolve().parents[2])


def require_proc() -> None:
    """Skip the tests of a module where processes cannot be searched for, which is anywhere but on Linux."""
    if not os.path.isdir("/proc/self"):
        raise unittest.SkipTest("processes are searched for in /proc")


def new_mark() -> str:
    """Return a text that no other process on this machine has among its arguments."""
    return f"skill-eval-process-{uuid4().hex}"


def call(
    argv: tuple[str, ...],
    stdin: bytes = b"",
    cwd: str = "/",
    environment: dict[str, str] | None = None,
    timeout_seconds: float = 10.0,
    limit_bytes: int = LIMIT_BYTES,
) -> Call:
    """Return a call with generous bounds."""
    return Call(argv, stdin, cwd, environment, timeout_seconds, limit_bytes)


def shell(script: str, mark: str = "mark") -> tuple[str, ...]:
    """Return the argv that runs a script in a shell that carries the mark."""
    return ("/bin/sh", "-c", script, mark)


def python(code: str, mark: str = "mark") -> tuple[str, ...]:
    """Return the argv that runs code in a Python that carries the mark as `sys.argv[1]`."""
    return (sys.executable, "-I", "-S", "-c", code, mark)


def is_living(pid: int) -> bool:
    """Tell whether a process exists and is not dead."""
    return bool(_read(pid, "cmdline"))


def living(mark: str) -> list[int]:
    """Return the processes that carry the mark and are not dead."""
    return [pid for pid in _pids() if mark.encode() in _read(pid, "cmdline")]


def children(parent: int) -> list[int]:
    """Return the children of a process, dead ones included."""
    return [pid for pid in _pids() if _read(pid, "stat").rpartition(b")")[2].split()[1:2] == [b"%d" % parent]]


def soon(happens: Callable[[], bool], seconds: float = 3.0) -> bool:
    """Wait until something happens, for a time; tell whether it did."""
    deadline = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path("/proc", str(pid), name).read_bytes()
    except OSError:
        return b""
