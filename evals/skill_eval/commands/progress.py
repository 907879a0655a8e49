"""How far a run is: one line that redraws itself on a terminal, plain lines elsewhere."""

import os
import sys
import time

from evals.skill_eval.commands.console import Console
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.reporting.escape import escape_line
from evals.skill_eval.reporting.summary import trial_line

_CLEAR = "\r\x1b[2K"


class Progress:
    """Tell of each finished trial on standard error."""

    def __init__(self, total: int, done: int, out: Console) -> None:
        self._total, self._out = total, out
        self._done, self._errors = done, 0
        self._start = time.monotonic()
        self._redraw = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def show(self, record: TrialRecord) -> None:
        """Count one finished trial and say so."""
        self._done += 1
        self._errors += record.failure is not None
        place = f"[{self._done}/{self._total}] {escape_line(str(record.key))}"
        if self._redraw:
            seconds = time.monotonic() - self._start
            self._out.talk(f"{_CLEAR}{place}, {seconds:.0f} s, {self._errors} errors", end="")
        else:
            self._out.talk(f"{place}: {trial_line(record)}")

    def end(self) -> None:
        """Leave the terminal on a clean line."""
        if self._redraw and self._done:
            self._out.talk(_CLEAR, end="")
