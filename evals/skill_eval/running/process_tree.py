"""The process tree below this process: adopt its orphans, mark it, end all of it.

Imports next to nothing, because every supervisor loads it when it starts.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

_PR_SET_CHILD_SUBREAPER = 36
_PATIENCE_SECONDS = 0.001
_HOPE_SECONDS = 1.0
_HIGHEST_MARK = 1 << 62
_MARK_BYTES = 5


class Process:
    """A line of the process table; a zombie is dead and waits for its parent to take note of that."""

    __slots__ = ("group", "parent", "pid", "stopped", "zombie")

    def __init__(self, pid: int, parent: int, group: int, zombie: bool, stopped: bool) -> None:
        self.pid = pid
        self.parent = parent
        self.group = group
        self.zombie = zombie
        self.stopped = stopped


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


def new_mark() -> int:
    """Draw a mark for `bear`; 0 where processes cannot be marked.

    A mark is a hard limit that only falls, that all offspring inherits whatever it executes, and that
    has no effect: some hundred thousand years of time for real-time processes. Linux only.
    """
    highest = _limit_of(0)
    if highest < 0:
        highest = _HIGHEST_MARK
    return highest - 1 - int.from_bytes(os.urandom(_MARK_BYTES), "big") if highest > _HIGHEST_MARK // 2 else 0


def bear(mark: int) -> None:
    """Let this process and all that it starts bear a mark."""
    if sys.platform == "linux" and mark:
        import resource

        resource.setrlimit(resource.RLIMIT_RTTIME, (mark, mark))


def is_held_up(pid: int) -> bool:
    """Tell whether a process has ended, or it or a child of its own has been stopped."""
    family = [process for process in _processes() if pid in (process.pid, process.parent)]
    lives = any(process.pid == pid and not process.zombie for process in family)
    return not lives or any(process.stopped for process in family)


def end_marked(mark: int, root: int, seconds: float) -> None:
    """End `root` (0: none), all processes that bear the mark (0: none) and all below them. Never raises."""
    struck: set[int] = set()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        now = _strike(lambda process: process.pid == root or (mark > 0 and _limit_of(process.pid) == mark))
        if not now:
            break
        struck |= now
        time.sleep(_PATIENCE_SECONDS)
    for pid in struck - {root}:
        _reap(pid)


def end_descendants(seconds: float) -> set[int]:
    """End every process below this one; return their ids. Reaps all children, and never raises.

    Repeats until there is no child left, for at most `seconds`: what forks away is adopted and found
    in a later round. Gives up early on processes that may not be killed (another user's).
    """
    me = os.getpid()
    ended: set[int] = set()
    deadline = time.monotonic() + seconds
    hope = time.monotonic() + _HOPE_SECONDS
    while _reap_children() and time.monotonic() < min(deadline, hope):
        struck = _strike(lambda process: process.parent == me)
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


def _reap(pid: int) -> bool:
    """Take note of the end of a process where it has become a child of this one, as orphans do below process 1."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return False


def _limit_of(pid: int) -> int:
    """Return what may be a mark of a process (0: this one; -1: no limit); 0 where that cannot be told."""
    if sys.platform == "linux":
        try:
            import resource

            return resource.prlimit(pid, resource.RLIMIT_RTTIME)[1]
        except (ImportError, OSError):
            pass
    return 0


def _strike(is_root: Callable[[Process], bool]) -> set[int]:
    """Kill every living process that is a root or below one, once; return those that were struck."""
    members: list[Process] = []
    struck: set[int] = set()
    below: dict[int, list[Process]] = {}
    for process in _processes():
        below.setdefault(process.parent, []).append(process)
        if is_root(process):
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
    return Process(pid, int(fields[1]), int(fields[2]), zombie, fields[0] in b"Tt")


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
        yield Process(int(pid), int(parent), int(group), state.startswith(b"Z"), state.startswith(b"T"))
