"""Interruption: SIGINT, SIGTERM and SIGHUP end all calls and become an exception of the main thread."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from evals.skill_eval.running.supervisor import cancel_all

_HANGUP = getattr(signal, "SIGHUP", None)  # Windows has none
_SIGNALS = [number for number in (signal.SIGINT, signal.SIGTERM, _HANGUP) if number]


class Interrupted(BaseException):
    """The harness was asked to stop; `exit_code` is what a shell would report (130, 143, 129)."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal.Signals(signal_number).name)
        self.signal_number = signal_number
        self.exit_code = 128 + signal_number


@contextmanager
def signals_end_calls() -> Iterator[None]:
    """Cancel every call at the first such signal, then raise Interrupted in the main thread.

    After that only SIGINT counts, to the end of the process: it leaves at once with 130, and the
    supervisors end their calls when they see it. Without an interruption the old handlers come
    back. A SIGHUP that was ignored stays ignored, for `nohup`; the other two are heard even in a
    script's background. For the main thread alone.
    """
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    handled = [number for number in _SIGNALS if (number, before[number]) != (_HANGUP, signal.SIG_IGN)]
    handler = _FirstSignal()
    try:
        for number in handled:
            signal.signal(number, handler)
        yield
    finally:
        for number in handled:
            signal.signal(number, handler.successor(number, before[number] or signal.SIG_DFL))


class _FirstSignal:
    """A signal handler that interrupts once."""

    def __init__(self) -> None:
        self._came = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if not self._came:
            self._came = True
            cancel_all()
            raise Interrupted(number)
        if number == signal.SIGINT:
            os._exit(128 + number)

    def successor(self, number: int, before: Any) -> Any:
        """Return the handler that follows this one: `before`, unless an interruption has come.

        Then SIG_IGN, because the interpreter takes back handlers written in Python before it ends.
        """
        if not self._came:
            return before
        return self if number == signal.SIGINT else signal.SIG_IGN
