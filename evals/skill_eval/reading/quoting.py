"""Text of files quoted in a message: one line, in backticks, short, and nothing invisible in it."""

import re

_UNSAFE = (
    "[\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_HALF_A_WORD = r"(?<![\w+/=.-])([\w+/=.-]{8})[\w+/=.-]*\Z"


def quoted(text: str, limit: int = 60) -> str:
    """Return `text` in backticks, with escapes for what cannot be seen, cut after `limit` characters."""
    return f"`{visible(text if len(text) <= limit else _cut(text, limit))}`"


def visible(text: str) -> str:
    """Return `text` with control, invisible and direction-changing characters and lone surrogates as Python escapes."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNSAFE, lambda match: ascii(match[0])[1:-1], text)


def _cut(text: str, limit: int) -> str:
    # Of a word that does not fit only the beginning is shown: half a secret passes every redactor.
    return re.sub(_HALF_A_WORD, r"\1", text[: limit - 3]) + "..."
