"""Search with regular expressions that may never end: in a process of their own, bounded in time.

Python's `re` cannot be interrupted within a process: it holds the interpreter while it
backtracks. So whatever could backtrack runs in one small helper process that is ended when a
search takes too long and started again when it is next needed.
"""

import re
import sys
import threading
import warnings
from contextlib import suppress
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Self

if TYPE_CHECKING:
    from subprocess import Popen

BOUND_SECONDS = 2.0

# A pattern that neither repeats nor chooses looks at each place of the text once.
_MAY_BACKTRACK = re.compile(r"[*+?{|(]")

# The alarm ends the helper even when whoever started it has gone.
_HELPER = """
import re, sys
try:
    from signal import ITIMER_REAL, setitimer
except ImportError:
    def setitimer(*_): pass
    ITIMER_REAL = 0
read, write = sys.stdin.buffer, sys.stdout.buffer
while line := read.readline():
    flags, bound, pattern, text = line.split()
    pattern, text = (read.read(int(size)).decode("utf-8", "surrogatepass") for size in (pattern, text))
    setitimer(ITIMER_REAL, float(bound))
    found = re.search(pattern, text, int(flags)) is not None
    setitimer(ITIMER_REAL, 0)
    write.write(b"1" if found else b"0")
    write.flush()
"""


class Matcher:
    """A callable `search(pattern, text, ignore_case)` for one thread; a context manager."""

    def __init__(self, bound_seconds: float = BOUND_SECONDS) -> None:
        self._bound_seconds = bound_seconds
        self._helper: Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_helper()

    def __call__(self, pattern: str, text: str, ignore_case: bool) -> bool | None:
        """Tell whether `pattern` is found in `text`; None when the search took longer than the bound."""
        flags = re.IGNORECASE if ignore_case else re.NOFLAG
        if not _MAY_BACKTRACK.search(pattern):
            return _compiled(pattern, flags).search(text) is not None
        answer = self._ask(pattern.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass"), int(flags))
        if not answer:
            self._end_helper()
            return None
        return answer == b"1"

    def _ask(self, pattern: bytes, text: bytes, flags: int) -> bytes:
        helper = self._helper = self._helper or _start_helper()
        timer = threading.Timer(self._bound_seconds * 1.5, helper.kill)
        timer.start()
        try:
            head = b"%d %f %d %d\n" % (flags, self._bound_seconds, len(pattern), len(text))
            _pipe(helper.stdin).write(head + pattern + text)
            _pipe(helper.stdin).flush()
            return _pipe(helper.stdout).read(1)
        except OSError:
            return b""
        finally:
            timer.cancel()

    def _end_helper(self) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.kill()
            helper.wait()
            for pipe in (helper.stdin, helper.stdout):
                _close(_pipe(pipe))


_compiling = threading.Lock()  # what warnings are ignored is decided for all threads at once


@lru_cache(maxsize=1024)
def _compiled(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    with _compiling, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern, flags)


def _start_helper() -> "Popen[bytes]":
    from subprocess import DEVNULL, PIPE, Popen

    argv = [sys.executable, "-I", "-S", "-c", _HELPER]
    return Popen(argv, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True)


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise OSError("the helper has no pipe")
    return stream


def _close(pipe: IO[bytes]) -> None:
    with suppress(OSError):
        pipe.close()
