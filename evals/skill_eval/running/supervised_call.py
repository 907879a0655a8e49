"""One adapter call inside a supervisor: start it, move its bytes, stop it at its bounds, end its whole tree.

The supervisor owns one call at a time and adopts every orphan, so all that lives below it belongs
to the call. Imports next to nothing, in order to start quickly.
"""

import errno
import os
import select
import signal
import time
from collections.abc import Mapping

from evals.skill_eval.running import process_tree

# The descriptors that the harness gives to a supervisor: two pipes, and the files for what adapters print.
REQUESTS, REPLIES, STDOUT, STDERR = 3, 4, 5, 6
CLEANUP_SECONDS = 10.0
SIGNALS = tuple(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})

# argv, text for stdin, working directory, environment, time limit in seconds, limit of a stream in bytes
Request = tuple[list[bytes], bytes, bytes, dict[bytes, bytes] | None, float, int]
# how it stopped, exit code, bytes in the files of stdout and stderr, seconds, survivors, error number; beyond
# `Completed.stopped` there are no_directory, not_captured (no room for the output) and not_ended (a process is left)
Reply = tuple[str, int | None, int, int, float, int, int]

_CHUNK_BYTES = 1 << 16
_LARGEST_PIPE_BYTES = 1 << 20
_LONGEST_POLL_SECONDS = 3600.0


class HarnessGone(Exception):
    """The harness has closed this supervisor or died."""


def run_call(request: Request, wakeups: int, adopts: bool) -> Reply:
    """Run one call to its end. Raises HarnessGone, after the clean-up."""
    argv, text, directory, environment, timeout_seconds, limit_bytes = request
    started = time.monotonic()
    call = _Call(text, limit_bytes, wakeups, adopts)
    stopped, failure = "no_directory", 0
    try:
        os.chdir(directory)
        stopped = "not_started"
        call.start(argv, os.environb if environment is None else environment)
        stopped = "not_captured"
        stopped = call.watch(started + timeout_seconds)
    except (OSError, ValueError) as error:
        failure = getattr(error, "errno", None) or errno.EINVAL
    finally:
        seconds, exit_code = time.monotonic() - started, call.exit_code
        survivors = call.end()
        os.chdir("/")
    if not call.childless:
        stopped = "not_ended"
    return (stopped, exit_code, call.stdout.size, call.stderr.size, seconds, survivors, failure)


class _Call:
    """One adapter call: the adapter's own process (the leader), its pipes, and what came of it.

    Both ends of every pipe stay open until the end: we wait for the leader, never for a pipe.
    """

    def __init__(self, text: bytes, limit_bytes: int, wakeups: int, adopts: bool) -> None:
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        self._open = {*stdin, *stdout, *stderr}
        self._leaders_ends = (stdin[0], stdout[1], stderr[1])
        self._stdin = stdin[1]
        self._text = memoryview(text)
        self._wakeups = wakeups
        self._adopts = adopts
        self._leader = 0
        self.childless = True
        self._poll = select.poll()
        self.stdout = _Stream(stdout[0], STDOUT, limit_bytes)
        self.stderr = _Stream(stderr[0], STDERR, limit_bytes)
        self.exit_code: int | None = None

    def start(self, argv: list[bytes], environment: Mapping[bytes, bytes]) -> None:
        """Start the leader in a session of its own. Raises OSError or ValueError."""
        actions = [(os.POSIX_SPAWN_DUP2, end, target) for target, end in enumerate(self._leaders_ends)]
        self._leader = os.posix_spawn(
            argv[0], argv, environment, file_actions=actions, setsid=True, setsigmask=(), setsigdef=SIGNALS
        )
        self.childless = False

    def watch(self, deadline: float) -> str:
        """Move bytes until the leader ends or goes too far; return how it stopped. Raises HarnessGone, OSError."""
        self._listen()
        while True:
            left = min(deadline - time.monotonic(), _LONGEST_POLL_SECONDS)
            for descriptor, _ in self._poll.poll(max(0.0, left) * 1000):
                self._react(descriptor)
            if stopped := self._verdict(deadline):
                return stopped

    def end(self) -> int:
        """End what is left and close the pipes; return how many processes had to be ended besides the leader."""
        ended: set[int] = set()
        if not self.childless:
            if self._adopts and self.exit_code is None:
                os.kill(self._leader, signal.SIGKILL)  # found even where /proc is missing
            ended = process_tree.end_descendants(CLEANUP_SECONDS)
            self._reap()
        group_was_left = self._leader and not self._adopts and process_tree.end_group(self._leader)
        for descriptor in self._open:
            os.close(descriptor)
        return len(ended - {self._leader}) + bool(group_was_left)

    def _listen(self) -> None:
        self._poll.register(REQUESTS, 0)  # nothing but its end is of interest
        self._poll.register(self._wakeups, select.POLLIN)
        for stream in (self.stdout, self.stderr):
            os.set_blocking(stream.pipe, False)
            self._poll.register(stream.pipe, select.POLLIN)
        os.set_blocking(self._stdin, False)
        self._poll.register(self._stdin, select.POLLOUT)
        self._feed()

    def _react(self, descriptor: int) -> None:
        if descriptor == REQUESTS:
            raise HarnessGone
        if descriptor == self._wakeups:
            os.read(self._wakeups, _CHUNK_BYTES)
            self._reap()
        elif descriptor == self._stdin:
            self._feed()
        else:
            (self.stdout if descriptor == self.stdout.pipe else self.stderr).take(_CHUNK_BYTES)

    def _feed(self) -> None:
        try:
            self._text = self._text[os.write(self._stdin, self._text) :]
        except BlockingIOError:
            return
        if not self._text:
            self._poll.unregister(self._stdin)
            os.close(self._stdin)
            self._open.remove(self._stdin)

    def _reap(self) -> None:
        """Take note of ended children; who has no child has no process below it at all."""
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._leader:
                    self.exit_code = os.waitstatus_to_exitcode(ended[1])
        except ChildProcessError:
            self.childless = True

    def _verdict(self, deadline: float) -> str | None:
        if self.exit_code is not None:
            for stream in (self.stdout, self.stderr):
                stream.take(_LARGEST_PIPE_BYTES)  # what the pipe held when the leader ended, in one piece
        for stopped, stream in (("stdout_limit", self.stdout), ("stderr_limit", self.stderr)):
            if stream.overflowed:
                return stopped
        if self.exit_code is not None:
            return "exited"
        return "timeout" if time.monotonic() >= deadline else None


class _Stream:
    """An output stream: what comes out of `pipe` goes to a file of the harness, up to the limit and no further."""

    def __init__(self, pipe: int, file: int, limit_bytes: int) -> None:
        os.ftruncate(file, 0)
        self.pipe = pipe
        self._file = file
        self._limit = limit_bytes
        self.size = 0
        self.overflowed = False

    def take(self, most: int) -> None:
        """Move what is in the pipe, at most `most` bytes. Raises OSError when the file cannot be written."""
        if self.overflowed:
            return
        try:
            piece = os.read(self.pipe, most)
        except BlockingIOError:
            return
        room = self._limit - self.size
        self.overflowed = len(piece) > room
        self._store(memoryview(piece)[:room])

    def _store(self, piece: memoryview) -> None:
        while piece:
            written = os.pwrite(self._file, piece, self.size)
            self.size += written
            piece = piece[written:]
