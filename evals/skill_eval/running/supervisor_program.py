"""The program of a supervisor process: answer requests with calls, and let nothing outlive it.

There are two processes, both of which adopt orphans: a worker, which adapters see as their parent,
and a guard above it. An adapter that kills or stops the worker has the guard for a parent then;
if it does that to both, the harness wakes the guard or finds what they left by the mark that they bear.
Both end when the requests do: the harness has closed the supervisor or died. Imports next to
nothing, in order to start quickly. The other side is `supervisor_process.py`.
"""

import marshal
import os
import select
import signal
import sys

from evals.skill_eval.running import process_tree
from evals.skill_eval.running.supervised_call import (
    CLEANUP_SECONDS,
    REPLIES,
    REQUESTS,
    SIGNALS,
    STDERR,
    STDOUT,
    HarnessGone,
    Request,
    run_call,
)

_LENGTH_BYTES = 8
_PIECE_BYTES = 1 << 20
_NUDGE_MILLISECONDS = 200


def serve() -> None:
    """Run the guard and the worker until the requests end; the last argument is their mark."""
    _settle()
    process_tree.bear(int(sys.argv[-1]))
    process_tree.adopt_orphans()
    life, workers_life = os.pipe()  # closed at the worker's end, whatever that is
    worker = os.fork()
    if worker:
        os.close(workers_life)
        exit_code = _guard(worker, life)
    else:
        exit_code = _answer()
    os._exit(exit_code)  # there is nothing to flush or to close


def frame_of(request: Request) -> bytes:
    """Return a request as it travels: its length, then its values."""
    content = marshal.dumps(request)
    return len(content).to_bytes(_LENGTH_BYTES, "big") + content


def _settle() -> None:
    """Let no signal and no inherited descriptor matter."""
    for descriptor in (REQUESTS, REPLIES, STDOUT, STDERR):
        os.set_inheritable(descriptor, False)
    os.closerange(STDERR + 1, 4096)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL if number == signal.SIGCHLD else signal.SIG_IGN)


def _guard(worker: int, life: int) -> int:
    """Wait for the worker's end, which should follow the harness's; then end what it has left."""
    poll = select.poll()
    poll.register(REQUESTS, 0)
    poll.register(life, 0)
    while not poll.poll(_NUDGE_MILLISECONDS):
        os.kill(worker, signal.SIGCONT)  # an adapter may have stopped it
    poll.unregister(REQUESTS)
    os.kill(worker, signal.SIGCONT)
    if not poll.poll((CLEANUP_SECONDS + 1) * 1000):
        os.kill(worker, signal.SIGKILL)
    exit_code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    process_tree.end_descendants(CLEANUP_SECONDS)
    return max(0, exit_code)


def _answer() -> int:
    """Run the calls that are asked for, in a session apart from the guard's."""
    os.setsid()
    adopts = process_tree.adopt_orphans()
    wakeups = _wakeups()
    try:
        while request := _read_request():
            os.write(REPLIES, marshal.dumps(run_call(request, wakeups, adopts)))
    except (HarnessGone, BrokenPipeError):
        pass
    return 0


def _wakeups() -> int:
    """Return a descriptor that becomes readable when a child ends."""
    wakeups, alarm = os.pipe()
    os.set_blocking(wakeups, False)
    os.set_blocking(alarm, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    return wakeups


def _read_request() -> Request | None:
    """Read the next request; None when there are no more."""
    head = _read(_LENGTH_BYTES)
    content = head and _read(int.from_bytes(head, "big"))
    return marshal.loads(content) if content else None


def _read(size: int) -> bytes | None:
    pieces = []
    while size:
        piece = os.read(REQUESTS, min(size, _PIECE_BYTES))
        if not piece:
            return None
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
