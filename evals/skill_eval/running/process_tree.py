"""The process tree below this process: adopt its orphans, end all of it.

Imports next to nothing, because every supervisor loads it when it starts.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator

_PR_SET_CHILD_SUBREAPER = 36
_PATIENCE_SECONDS = 0.001
_HOPE_SECONDS = 1.0


class Process:
    """A line of the process table; a zombie is dead and waits for its parent to take note of that."""

    __slots__ = ("group", "parent", "pid", "zombie")

    def __init__(self, pid: int, parent: int, group: int, zombie: bool) -> None:
        self.pid = pid
        self.parent = parent
        self.group = group
        self.zombie = zombie


def adopt_orphans() -> bool:
    """Become the parent of every orphan below this process; tell whether that is possible.

    Linux only; elsewhere orphans go to process 1, out of reach. Source: prctl(2), PR_SET_CHILD_SUBREAPER.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        zero = ctypes.c_ulong(0)
        status = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), zero, zero, zero)
    except (ImportError, OSError, AttributeError):
        return False
    return bool(status == 0)


def end_descendants(seconds: float) -> set[int]:
    """End every process below this one; return their ids. Reaps all children, and never raises.

    Repeats until there is no child left, for at most `seconds`: what forks away is adopted and found
    in a later round. Gives up early on processes that may not be killed (another user's).
    """
    ended: set[int] = set()
    deadline = time.monotonic() + seconds
    hope = time.monotonic() + _HOPE_SECONDS
    while _reap_children() and time.monotonic() < min(deadline, hope):
        struck = _strike()
        if struck:
            hope = time.monotonic() + _HOPE_SECONDS
        if struck <= ended:
            time.sleep(_PATIENCE_SECONDS)
        ended |= struck
    return ended


def end_group(group: int) -> bool:
    """Kill a process group at once, forks under way included; tell whether it had a member that we may kill."""
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        return False
    return True


def _reap_children() -> bool:
    """Take note of all children that have ended; tell whether there are others."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _strike() -> set[int]:
    """Kill every living descendant once; return those that were struck."""
    me = os.getpid()
    members: list[Process] = []
    struck: set[int] = set()
    below: dict[int, list[Process]] = {}
    for process in _processes():
        below.setdefault(process.parent, []).append(process)
        if process.parent == me:
            members.append(process)
            if _kill(process):  # now, not after the walk: one that forks and exits all the time would be gone
                struck.add(process.pid)
    for member in members:
        offspring = below.get(member.pid, ())
        members.extend(offspring)
        struck.update(process.pid for process in offspring if _kill(process))
    for group in {member.group for member in members} - {0, os.getpgrp()}:
        end_group(group)
    return struck


def _kill(process: Process) -> bool:
    if process.zombie:
        return False
    try:
        os.kill(process.pid, signal.SIGKILL)
    except OSError:
        return False
    return True


def _processes() -> Iterator[Process]:
    """Yield all processes, the newest ids first."""
    try:
        pids = sorted((int(name) for name in os.listdir("/proc") if name.isdigit()), reverse=True)
    except OSError:
        pids = []
    if not pids:
        yield from _from_ps()
    for pid in pids:
        if process := _from_proc(pid):
            yield process


def _from_proc(pid: int) -> Process | None:
    """Read one process. Source: proc(5), /proc/pid/stat; the name in brackets may itself hold brackets."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    zombie = fields[0] in b"ZX" and int(fields[17]) < 2  # the first thread may end before the others do
    return Process(pid, int(fields[1]), int(fields[2]), zombie)


def _from_ps() -> Iterator[Process]:
    """Read all processes where there is no /proc."""
    import subprocess

    command = ("ps", "-A", "-o", "pid=,ppid=,pgid=,stat=")
    try:
        listing = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return
    for line in reversed(listing.splitlines()):
        pid, parent, group, state = line.split()[:4]
        yield Process(int(pid), int(parent), int(group), state.startswith(b"Z"))
