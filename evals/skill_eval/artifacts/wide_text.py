"""Redaction of a file's bytes: text in UTF-8, UTF-16 or UTF-32, and texts inside of anything else."""

import re
from collections.abc import Callable
from functools import partial

Redact = Callable[[str], str]

# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_LETTER = rb"[\t\n\r -\xff]"
_RUNS = (
    ("utf-32-le", re.compile(rb"(?:" + _LETTER + rb"\0\0\0){8,}")),
    ("utf-32-be", re.compile(rb"(?:\0\0\0" + _LETTER + rb"){8,}")),
    ("utf-16-le", re.compile(rb"(?:" + _LETTER + rb"\0){8,}")),
    ("utf-16-be", re.compile(rb"(?:\0" + _LETTER + rb"){8,}")),
)


def redacted_bytes(content: bytes, redact: Redact) -> bytes:
    """Return `content` without secrets: text as text, anything else byte by byte, so that pictures stay pictures."""
    if b"\0" in content or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = _redacted_wide(content, redact)
    try:
        return redact(content.decode()).encode()
    except UnicodeDecodeError:
        return redact(content.decode("latin-1")).encode("latin-1")


def _redacted_wide(content: bytes, redact: Redact) -> bytes:
    """Redact what its mark says to be wide text, and runs of wide characters wherever they stand."""
    marked = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)
    if marked is not None:
        content = _recoded(content, marked, redact)
    for encoding, run in _RUNS:
        content = run.sub(partial(_redacted_run, encoding, redact), content)
    return content


def _redacted_run(encoding: str, redact: Redact, match: re.Match[bytes]) -> bytes:
    return _recoded(match[0], encoding, redact)


def _recoded(content: bytes, encoding: str, redact: Redact) -> bytes:
    """Redact in another encoding; what is broken in it stays as it is."""
    whole = content[: len(content) - len(content) % (4 if "32" in encoding else 2)]
    try:
        text = whole.decode(encoding, "surrogatepass")
    except UnicodeDecodeError:
        return content
    redacted = redact(text)
    return content if redacted == text else redacted.encode(encoding, "surrogatepass") + content[len(whole) :]
