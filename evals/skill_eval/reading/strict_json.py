"""Strict JSON: one reader for suites and for adapter responses, with the place of every value.

It takes what RFC 8259 allows and refuses the rest, and also what is legal but never meant:
a key twice, a lone surrogate, a number beyond a float, and nesting or digits beyond what every
supported Python can take. The standard library's reader is of no use here: what it takes, and
what it says, differs from one Python to the next.
"""

import re
from typing import TYPE_CHECKING

from evals.skill_eval.reading.quoting import quoted

if TYPE_CHECKING:
    from evals.skill_eval.reading.json_index import Index

DEPTH_LIMIT = 64
NUMBER_LIMIT = 300
LINE_BREAK = r"\r\n|\r|\n"

Where = tuple[str | int, ...]
"""The way from the root of a document to a value: keys and positions."""

_GAP = r"[ \t\n\r]*"
_VALUE = re.compile(
    _GAP + r'(?:"([^"\\\x00-\x1f]*+)"|([{\[])|(-?[0-9][0-9A-Za-z.+-]*)|(-?[A-Za-z_$][A-Za-z0-9_$]*)|("))'
)
_TEXT, _OPEN, _NUMBER, _WORD = 1, 2, 3, 4  # what a match of `_VALUE` ends with; 5 is a string with escapes
_KEY = re.compile(_GAP + r'"([^"\\\x00-\x1f]*+)"' + _GAP + ":")
_COLON = _GAP + ":"
_AFTER_MEMBER = re.compile(_GAP + "([,}])")
_AFTER_ITEM = re.compile(_GAP + r"([,\]])")
_SPACE = re.compile(_GAP)
# Not a possessive group: those give back the wrong place on 3.11.2, which Debian 12 has.
# Bounded, since the engine keeps some hundred bytes for each turn of the loop.
_STRING_PART = re.compile(r'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*){0,1000}')
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB]..)\\u([dD][c-fC-F]..)|u(....)|(.))")
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}


class JsonFault(ValueError):
    """Why a text is no strict JSON. `line` and `column` count from 1, in characters; `str()` is the message.

    `mended` is the text as it was meant, everything in its place, where that is plain: who looks for
    mistakes can read on.
    """

    def __init__(
        self, line: int, column: int, code: str, message: str, hint: str | None = None, mended: str | None = None
    ) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.code = code
        self.message = message
        self.hint = hint
        self.mended = mended


class Document:
    """A JSON text that was read: its `value` in plain Python, and where each part of it stands."""

    def __init__(self, value: object, text: str) -> None:
        self.value = value
        self._text = text
        self._index: Index | None = None

    def place(self, path: Where, *, key: bool = False) -> tuple[int, int]:
        """Return line and column of the value at `path`, or with `key` of its key, both from 1.

        A path that leads to nothing has the place of the last part of it that exists. The index is
        made at the first call, so a document in which nothing has to be found costs nothing.
        """
        if self._index is None:
            from evals.skill_eval.reading.json_index import Index

            self._index = Index(self._text)
        return self._index.place(path, key)


def parse(data: bytes) -> Document:
    """Read one JSON value in UTF-8; white space around it is fine. Raises JsonFault for anything else.

    The caller bounds the size of `data`; time and memory are linear in it. Numbers without
    fraction and exponent become int, all others float.
    """
    text = _decoded(data)
    if _SPACE.fullmatch(text):
        raise fault_at(text, len(text), "SE205", "expected a JSON value, found nothing")
    value, end = _value(text, 0, 0)
    end = _skip(text, end)
    if end < len(text):
        rest = quoted(re.split(LINE_BREAK, text[end : end + 200])[0], 40)
        message = f"expected nothing after the JSON value, found {rest}"
        raise fault_at(text, end, "SE210", message, "write one JSON value and nothing else")
    return Document(value, text)


def kind_of(value: object) -> str:
    """Return in words what kind of JSON value `value` is, without what it says."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "an object"


def string_at(text: str, start: int) -> tuple[str, int]:
    """Read the string whose opening quote is at `start`; return it and where it ends."""
    end, begun = _end(_STRING_PART, text, start + 1), start + 1
    while end > begun:
        end, begun = _end(_STRING_PART, text, end), end
    if not text.startswith('"', end):
        from evals.skill_eval.reading.json_faults import broken_string

        raise broken_string(text, start, end)

    def character(match: re.Match[str]) -> str:
        high, low, unit, letter = match.groups()
        if letter:
            return _ESCAPED[letter]
        if high:
            return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
        if unit[0] in "dD" and unit[1] not in "01234567":
            message = f"`\\u{unit}` is half of a surrogate pair, which is no character"
            raise fault_at(
                text, start + 1 + match.start(), "SE215", message, "write the character itself, or both halves"
            )
        return chr(int(unit, 16))

    return _ESCAPE.sub(character, text[start + 1 : end]), end + 1


def fault_at(
    text: str, at: int, code: str, message: str, hint: str | None = None, mended: str | None = None
) -> JsonFault:
    """Return a fault at an offset of `text`."""
    return JsonFault(*place_at(text, at), code, message, hint, mended)


def place_at(text: str, at: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    line, start = 1, 0
    for match in re.compile(LINE_BREAK).finditer(text, 0, at):
        line, start = line + 1, match.end()
    return line, at - start + 1


def _decoded(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        hint, mended = "save it as UTF-8 without BOM", data[3:].decode("utf-8", "replace")
        raise JsonFault(1, 1, "SE204", "the text begins with a byte order mark", hint, mended)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:2]:
        message = "expected UTF-8, found UTF-16, UTF-32 or NUL bytes"
        raise JsonFault(1, 1, "SE203", message, "save it as UTF-8 without BOM")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        message = f"expected UTF-8, found the byte 0x{data[error.start]:02x}"
        raise fault_at(before, len(before), "SE203", message, "save it as UTF-8") from error


def _value(text: str, at: int, depth: int) -> tuple[object, int]:
    match = _VALUE.match(text, at)
    if match is None:
        raise _unexpected(text, _skip(text, at), "a value")
    kind = match.lastindex
    if kind == _TEXT:
        return match[1], match.end()
    if kind == _OPEN:
        if depth == DEPTH_LIMIT:
            raise fault_at(text, match.start(2), "SE214", f"nested deeper than {DEPTH_LIMIT} levels")
        return (_object if match[2] == "{" else _array)(text, match.end(), depth + 1)
    if kind == _NUMBER:
        return _number(text, match.start(3), match[3]), match.end()
    if kind == _WORD:
        return _word(text, match.start(4), match[4]), match.end()
    return string_at(text, match.start(5))


def _object(text: str, at: int, depth: int) -> tuple[dict[str, object], int]:
    found: dict[str, object] = {}
    first = _skip(text, at)
    if text.startswith("}", first):
        return found, first + 1
    while True:
        match = _KEY.match(text, at)
        key, end = (match[1], match.end()) if match else _odd_key(text, at)
        if key in found:
            message = f"key {quoted(key)} stands twice in one object"
            raise fault_at(
                text, _skip(text, at), "SE212", message, "readers keep one of the two in silence; delete one"
            )
        found[key], at = _value(text, end, depth)
        match = _AFTER_MEMBER.match(text, at)
        if match is None:
            raise _unexpected(text, _skip(text, at), "`,` or `}`")
        at = match.end()
        if match[1] == "}":
            return found, at


def _array(text: str, at: int, depth: int) -> tuple[list[object], int]:
    found: list[object] = []
    first = _skip(text, at)
    if text.startswith("]", first):
        return found, first + 1
    while True:
        item, at = _value(text, at, depth)
        found.append(item)
        match = _AFTER_ITEM.match(text, at)
        if match is None:
            raise _unexpected(text, _skip(text, at), "`,` or `]`")
        at = match.end()
        if match[1] == "]":
            return found, at


def _odd_key(text: str, at: int) -> tuple[str, int]:
    """Read a key with escapes and its colon, or say what stands there instead."""
    at = _skip(text, at)
    if not text.startswith('"', at):
        raise _unexpected(text, at, "a key in double quotes")
    key, end = string_at(text, at)
    colon = re.compile(_COLON).match(text, end)
    if colon is None:
        raise _unexpected(text, _skip(text, end), "`:` after the key")
    return key, colon.end()


def _number(text: str, at: int, token: str) -> int | float:
    match = _PLAIN_NUMBER.fullmatch(token)
    if match is None:
        from evals.skill_eval.reading.json_faults import odd_number

        raise odd_number(text, at, token)
    if len(token) > NUMBER_LIMIT:
        raise fault_at(text, at, "SE213", f"a number of {len(token)} characters; at most {NUMBER_LIMIT} are read")
    if match.lastindex is None:
        return int(token)
    number = float(token)
    if abs(number) == float("inf"):
        raise fault_at(text, at, "SE213", f"the number {quoted(token)} is too large to be held")
    return number


def _word(text: str, at: int, token: str) -> bool | None:
    if token not in _WORDS:
        from evals.skill_eval.reading.json_faults import unknown_word

        raise unknown_word(text, at, token)
    return _WORDS[token]


def _skip(text: str, at: int) -> int:
    return _end(_SPACE, text, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _unexpected(text: str, at: int, expected: str) -> JsonFault:
    from evals.skill_eval.reading.json_faults import unexpected

    return unexpected(text, at, expected)
