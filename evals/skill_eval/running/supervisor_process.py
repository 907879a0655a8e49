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
from typing import cast

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.running.process import Call, Completed, Stopped, why_not_started
from evals.skill_eval.running.supervised_call import CLEANUP_SECONDS, REQUESTS, Reply, Request
from evals.skill_eval.running.supervisor_program import frame_of

_ROOT = os.path.abspath(os.path.join(__file__, *[os.pardir] * 4))
_PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]); from evals.skill_eval.running.supervisor_program import serve; serve()"
)
_LONGEST_POLL_SECONDS = 3600.0
_REPLY_BYTES = 4096


class SupervisorProcess:
    """A supervisor process; it and all below it end at `close`, at `cancel`, and when the harness dies.

    The files of the two output streams are anonymous; the supervisor writes them anew for each call.
    """

    def __init__(self) -> None:
        self._stdout = tempfile.TemporaryFile(buffering=0)
        self._stderr = tempfile.TemporaryFile(buffering=0)
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        os.set_blocking(self._requests, False)
        self._lock = threading.RLock()  # a signal handler may need it in the midst of its holder
        self._closed = False
        try:
            self._pid = _start(requests, replies, self._stdout.fileno(), self._stderr.fileno())
        except BaseException:
            self._close_files()
            raise
        finally:
            os.close(requests)
            os.close(replies)

    def run(self, call: Call) -> Completed | None:
        """Run a call to its end; None when the supervisor ended before it. Raises AdapterError."""
        reply = self._ask(_request_of(call), call.timeout_seconds + 2 * CLEANUP_SECONDS)
        return self._completed(call, reply) if reply else None

    def cancel(self) -> None:
        """End the current call and the supervisor, without waiting; any thread or signal handler may do so."""
        with self._lock:
            if not self._closed:  # replaced, not closed: its number must stay taken while `run` may write to it
                os.dup2(self._replies, self._requests, inheritable=False)

    def close(self) -> int | None:
        """End the supervisor and wait for that, a few seconds at most; return its exit code where known."""
        self.cancel()
        self._await_end(3 * CLEANUP_SECONDS)
        with self._lock:
            self._close_files()
        return _exit_code(self._pid)

    def _ask(self, request: Request, seconds: float) -> Reply | None:
        """Send a request and return the reply; None when there is none within the time."""
        rest = memoryview(frame_of(request))
        poll = select.poll()
        poll.register(self._replies, select.POLLIN)
        poll.register(self._requests, select.POLLOUT)
        for descriptor in self._ready(poll, seconds):
            if descriptor == self._replies:
                reply = os.read(self._replies, _REPLY_BYTES)
                return marshal.loads(reply) if reply else None
            rest = rest[self._send(rest) :]
            if not rest:
                poll.unregister(self._requests)
        return None

    def _ready(self, poll: select.poll, seconds: float) -> Iterator[int]:
        """Yield descriptors as they become ready, for a time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            for descriptor, _ in poll.poll(min(left, _LONGEST_POLL_SECONDS) * 1000):
                yield descriptor

    def _send(self, rest: memoryview) -> int:
        try:
            return os.write(self._requests, rest)
        except BlockingIOError:
            return 0
        except OSError:  # the supervisor is gone or cancelled, and its replies will say so
            return len(rest)

    def _await_end(self, seconds: float) -> None:
        poll = select.poll()
        poll.register(self._replies, select.POLLIN)
        for descriptor in self._ready(poll, seconds):
            if not os.read(descriptor, _REPLY_BYTES):
                return
        with contextlib.suppress(OSError):
            os.kill(self._pid, signal.SIGKILL)

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
    environment = None
    if call.environment is not None:
        environment = {os.fsencode(name): os.fsencode(value) for name, value in call.environment.items()}
    return (argv, call.stdin, os.fsencode(call.cwd), environment, call.timeout_seconds, call.limit_bytes)


def _start(*descriptors: int) -> int:
    """Start a supervisor that has these as its descriptors 3, 4, ...; return its process id."""
    import fcntl

    argv = [sys.executable, "-I", "-S", "-B", "-c", _PROGRAM, _ROOT]
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
