"""A bounded process owned by the harness itself, for Windows and other systems without a supervisor.

What is missing there: if the harness is killed, the adapter of the moment lives on; a process whose
parent has ended before it is not found by `taskkill /T` (elsewhere: one that left the process group);
survivors are not counted.
"""

import contextlib
import errno
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.running import process_tree
from evals.skill_eval.running.process import Call, Completed, Stopped, why_not_started

_CHUNK_BYTES = 1 << 16
_CLEANUP_SECONDS = 5.0
_DRAIN_SECONDS = 1.0
_Ends = queue.SimpleQueue[Stopped | None]  # None when cancelled


class PortableProcess:
    """Runs one call after the other, with a thread for each pipe; the counterpart of `SupervisorProcess`."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._ends: _Ends = queue.SimpleQueue()
        self._cancelled = False

    def run(self, call: Call) -> Completed | None:
        """Run a call to its end; None when it was cancelled. Raises AdapterError."""
        started = time.monotonic()
        ends = self._ends = queue.SimpleQueue()
        if self._cancelled:
            return None
        try:
            process = _start(call)
        except OSError as error:
            reason = why_not_started(os.fsdecode(error.filename or call.argv[0]), error.errno or errno.EINVAL)
            return Completed("not_started", None, b"", b"", time.monotonic() - started, reason=reason)
        return _Run(process, call, ends, self._folder).complete(started)

    def cancel(self) -> None:
        """End the current call without waiting for that, and refuse others."""
        self._cancelled = True
        self._ends.put(None)

    def close(self) -> int:
        """Do nothing: a call ends all that it began."""
        return 0


def _start(call: Call) -> subprocess.Popen[bytes]:
    """Start the adapter in a process group of its own. Raises OSError."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    try:
        return subprocess.Popen(
            call.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=call.cwd,
            env=call.environment,
            creationflags=flags,
            start_new_session=True,
        )
    except ValueError as error:  # an argument or a variable that no system takes
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), call.argv[0]) from error


def _end_tree(process: subprocess.Popen[bytes]) -> None:
    """End the adapter and, as far as the system can tell, everything below it. Never raises."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        if sys.platform == "win32":
            command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(command, capture_output=True, timeout=_CLEANUP_SECONDS, check=False)
        else:
            process_tree.end_group(process.pid)
        process.kill()
        process.wait(_CLEANUP_SECONDS)


class _Run:
    """One call under way: a thread for each pipe and one for the process; the first to report ends it."""

    def __init__(self, process: subprocess.Popen[bytes], call: Call, ends: _Ends, folder: Path | None) -> None:
        self._process = process
        self._call = call
        self._ends = ends
        self._stdout = self._capture(process.stdout, folder, "stdout_limit")
        self._stderr = self._capture(process.stderr, folder, "stderr_limit")
        _in_background(self._feed)
        _in_background(self._await)

    def complete(self, started: float) -> Completed | None:
        """Wait for the end, make it final and tell what came of it; None when cancelled."""
        stopped = self._first_end()
        seconds = time.monotonic() - started
        _end_tree(self._process)
        stdout, stderr = self._stdout.finish(), self._stderr.finish()
        if stopped == "exited" and self._stdout.overflowed:
            stopped = "stdout_limit"
        elif stopped == "exited" and self._stderr.overflowed:
            stopped = "stderr_limit"
        exit_code = self._process.returncode if stopped == "exited" else None
        return Completed(stopped, exit_code, stdout, stderr, seconds) if stopped else None

    def _capture(self, pipe: IO[bytes] | None, folder: Path | None, full: Stopped) -> "_Capture":
        file = tempfile.TemporaryFile(buffering=0, dir=folder)
        return _Capture(cast(BufferedReader, pipe), file, self._call.limit_bytes, lambda: self._ends.put(full))

    def _first_end(self) -> Stopped | None:
        try:
            return self._ends.get(timeout=min(self._call.timeout_seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            return "timeout"

    def _await(self) -> None:
        self._process.wait()
        self._ends.put("exited")

    def _feed(self) -> None:
        with contextlib.suppress(OSError), cast(IO[bytes], self._process.stdin) as stdin:
            stdin.write(self._call.stdin)


class _Capture:
    """What comes out of a pipe, in a file, up to the limit and no further."""

    def __init__(self, pipe: BufferedReader, file: IO[bytes], limit_bytes: int, report: Callable[[], None]) -> None:
        self._pipe = pipe
        self._file = file
        self._room = limit_bytes
        self._report = report
        self._lock = threading.Lock()
        self._failure: OSError | None = None
        self.overflowed = False
        self._thread = _in_background(self._take)

    def finish(self) -> bytes:
        """Return what has come, without waiting long: what got away may hold the pipe. Raises AdapterError."""
        self._thread.join(_DRAIN_SECONDS)
        with self._lock, self._file as file:
            file.seek(0)
            text = file.read()
        if self._failure:
            raise AdapterError(f"the adapter's output could not be stored: {self._failure.strerror}") from self._failure
        return text

    def _take(self) -> None:
        with self._pipe as pipe:
            while (piece := pipe.read1(_CHUNK_BYTES)) and self._keep(memoryview(piece)):
                pass

    def _keep(self, piece: memoryview) -> bool:
        """Store a piece; tell whether another may follow."""
        with self._lock:
            if self._file.closed:
                return False
            kept, self._room, self.overflowed = piece[: self._room], self._room - len(piece), len(piece) > self._room
            try:
                while kept:
                    kept = kept[self._file.write(kept) :]
            except OSError as error:
                self._failure = error
        if self.overflowed or self._failure:
            self._report()
        return not (self.overflowed or self._failure)


def _in_background(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
