"""The harness's hold on one supervisor process: start it, give it calls, end it."""

import contextlib
import marshal
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import cast

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.running import process_tree
from evals.skill_eval.running.process import Call, Completed, Stopped, why_not_started
from evals.skill_eval.running.supervised_call import CLEANUP_SECONDS, REQUESTS, Reply, Request
from evals.skill_eval.running.supervisor_program import frame_of

_ROOT = os.path.abspath(os.path.join(__file__, *[os.pardir] * 4))
_PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]); from evals.skill_eval.running.supervisor_program import serve; serve()"
)
_NUDGE_SECONDS = 0.2
_GRACE_SECONDS = 0.6  # time enough to be woken after a stop, by us and by the guard
_REPLY_BYTES = 4096


class SupervisorProcess:
    """A supervisor process; it and all below it end at `close`, at `cancel`, and when the harness dies.

    The files of the two output streams, in `folder`, are anonymous; the supervisor writes them anew for each call.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._stdout = tempfile.TemporaryFile(buffering=0, dir=folder)
        self._stderr = tempfile.TemporaryFile(buffering=0, dir=folder)
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        os.set_blocking(self._requests, False)
        self._lock = threading.RLock()  # a signal handler may need it in the midst of its holder
        self._ending = self._lost = self._closed = False
        self._mark = process_tree.new_mark()
        try:
            self._pid = _start(self._mark, requests, replies, self._stdout.fileno(), self._stderr.fileno())
        except BaseException:
            self._close_files()
            raise
        finally:
            os.close(requests)
            os.close(replies)

    def run(self, call: Call) -> Completed | None:
        """Run a call to its end; None when the supervisor ended before it or is held up. Raises AdapterError."""
        reply = self._ask(_request_of(call), call.timeout_seconds)
        return self._completed(call, reply) if reply else None

    def cancel(self) -> None:
        """End the current call and the supervisor, without waiting; any thread or signal handler may do so."""
        self._ending = True
        with self._lock:
            if not self._closed:  # replaced, not closed: its number must stay taken while `run` may write to it
                os.dup2(self._replies, self._requests, inheritable=False)

    def close(self) -> int | None:
        """End the supervisor and wait for that, a few seconds at most; return its exit code where known."""
        self.cancel()
        self._await_end()
        if self._lost:
            process_tree.end_marked(self._mark, self._pid, CLEANUP_SECONDS)
        with self._lock:
            self._close_files()
        exit_code = _exit_code(self._pid)
        if exit_code != 0:  # something has killed the guard, which could not clean up then
            process_tree.end_marked(self._mark, 0, CLEANUP_SECONDS)
        return exit_code

    def _ask(self, request: Request, timeout_seconds: float) -> Reply | None:
        """Send a request and return the reply; None when there is none."""
        rest = memoryview(frame_of(request))
        poll = select.poll()
        poll.register(self._replies, select.POLLIN)
        poll.register(self._requests, select.POLLOUT)
        for descriptor in self._ready(poll, timeout_seconds):
            if descriptor == self._replies:
                reply = os.read(self._replies, _REPLY_BYTES)
                return marshal.loads(reply) if reply else None
            rest = rest[self._send(rest) :]
            if not rest:
                poll.unregister(self._requests)
        return None

    def _ready(self, poll: select.poll, seconds: float) -> Iterator[int]:
        """Yield descriptors as they become ready, until the supervisor is late by its clean-up or held up."""
        due = time.monotonic() + seconds
        while not self._lost:
            ready = poll.poll(_NUDGE_SECONDS * 1000)
            for descriptor, _ in ready:
                yield descriptor
            if not ready:
                self._lost = self._is_lost(time.monotonic() - due)
                self._wake()

    def _is_lost(self, late_seconds: float) -> bool:
        """Tell whether to wait no longer: an adapter may have killed the guard, or stop it again and again."""
        overdue = self._ending or late_seconds > _GRACE_SECONDS
        return late_seconds > 2 * CLEANUP_SECONDS or (overdue and process_tree.is_held_up(self._pid))

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            os.kill(self._pid, signal.SIGCONT)

    def _send(self, rest: memoryview) -> int:
        try:
            return os.write(self._requests, rest)
        except BlockingIOError:
            return 0
        except OSError:  # the supervisor is gone or cancelled, and its replies will say so
            return len(rest)

    def _await_end(self) -> None:
        poll = select.poll()
        poll.register(self._replies, select.POLLIN)
        for descriptor in self._ready(poll, CLEANUP_SECONDS):
            if not os.read(descriptor, _REPLY_BYTES):
                return

    def _completed(self, call: Call, reply: Reply) -> Completed:
        """Turn a reply into the record. Raises AdapterError when the call could not be kept within its bounds."""
        stopped, exit_code, stdout_bytes, stderr_bytes, seconds, survivors, failure = reply
        if stopped == "not_captured":
            raise AdapterError(f"the output of `{call.argv[0]}` could not be stored: {os.strerror(failure).lower()}")
        if stopped == "not_ended":
            raise AdapterError(f"`{call.argv[0]}` has left a process that could not be ended")
        if stopped in ("no_directory", "not_started"):
            path = os.fspath(call.cwd) if stopped == "no_directory" else call.argv[0]
            return Completed("not_started", None, b"", b"", seconds, reason=why_not_started(path, failure))
        stdout = os.pread(self._stdout.fileno(), stdout_bytes, 0)
        stderr = os.pread(self._stderr.fileno(), stderr_bytes, 0)
        return Completed(cast(Stopped, stopped), exit_code, stdout, stderr, seconds, survivors)

    def _close_files(self) -> None:
        self._closed = True
        os.close(self._requests)
        os.close(self._replies)
        self._stdout.close()
        self._stderr.close()


def _request_of(call: Call) -> Request:
    argv = [os.fsencode(argument) for argument in call.argv]
    environment = None if call.environment is None else _encoded(tuple(call.environment.items()))
    return (argv, call.stdin, os.fsencode(call.cwd), environment, call.timeout_seconds, call.limit_bytes)


@lru_cache(maxsize=16)
def _encoded(environment: tuple[tuple[str, str], ...]) -> dict[bytes, bytes]:
    """Return an environment in bytes; most calls of a run have the same."""
    return {os.fsencode(name): os.fsencode(value) for name, value in environment}


def _start(mark: int, *descriptors: int) -> int:
    """Start a supervisor that bears the mark and has these as its descriptors 3, 4, ...; return its process id."""
    import fcntl

    argv = [sys.executable, "-I", "-S", "-B", "-c", _PROGRAM, _ROOT, str(mark)]
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, REQUESTS + len(descriptors)) for descriptor in descriptors]
    copies = [(os.POSIX_SPAWN_DUP2, descriptor, REQUESTS + place) for place, descriptor in enumerate(high)]
    actions = _standard_streams() + copies
    try:
        return os.posix_spawn(argv[0], argv, os.environ, file_actions=actions, setsid=True, setsigmask=())
    finally:
        for descriptor in high:
            os.close(descriptor)


def _standard_streams() -> list[tuple[int, int, str, int, int]]:
    """Keep stderr, for a fault of the supervisor itself; the other two, and a closed stderr, are empty."""
    null = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    try:
        os.fstat(2)
    except OSError:
        null.append((os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0))
    return null


def _exit_code(pid: int) -> int | None:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # where SIGCHLD is ignored
        return None
