"""Strict JSON: one reader for suites and for adapter responses, with the place of every value.

It takes what RFC 8259 allows and refuses the rest, and also what is legal but never meant:
a key twice, a lone surrogate, a number beyond a float, and nesting or digits beyond what every
supported Python can take. The standard library's reader is of no use here: what it takes, and
what it says, differs from one Python to the next.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from evals.skill_eval.reading.quoting import quoted

DEPTH_LIMIT = 64
NUMBER_LIMIT = 300

Where = tuple[str | int, ...]
"""The way from the root of a document to a value: keys and positions."""

_GAP = r"[ \t\n\r]*"
_VALUE = re.compile(
    _GAP + r'(?:"([^"\\\x00-\x1f]*+)"|([{\[])|(-?[0-9][0-9A-Za-z.+-]*)|(-?[A-Za-z_$][A-Za-z0-9_$]*)|("))'
)
_TEXT, _OPEN, _NUMBER, _WORD = 1, 2, 3, 4  # what a match of `_VALUE` ends with; 5 is a string with escapes
_KEY = re.compile(_GAP + r'"([^"\\\x00-\x1f]*+)"' + _GAP + ":")
_COLON = re.compile(_GAP + ":")
_AFTER_MEMBER = re.compile(_GAP + "([,}])")
_AFTER_ITEM = re.compile(_GAP + r"([,\]])")
_SPACE = re.compile(_GAP)
# Not a possessive group: those give back the wrong place on 3.11.2, which Debian 12 has.
_STRING_BODY = re.compile(r'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*')
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB]..)\\u([dD][c-fC-F]..)|u(....)|(.))")
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_INDEX_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s{}\[\],:"]+')
_SHOWN_TOKEN = re.compile(r'"[^"\x00-\x1f]{0,60}"?|[\w.+-]+')
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


class JsonFault(ValueError):
    """Why a text is no strict JSON. `line` and `column` count from 1, in characters; `str()` is the message."""

    def __init__(self, line: int, column: int, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.code = code
        self.message = message
        self.hint = hint


class Document:
    """A JSON text that was read: its `value` in plain Python, and where each part of it stands."""

    def __init__(self, value: object, text: str) -> None:
        self.value = value
        self._text = text
        self._index: _Node | int | None = None
        self._line_starts: list[int] = []

    def place(self, path: Where, *, key: bool = False) -> tuple[int, int]:
        """Return line and column of the value at `path`, or with `key` of its key, both from 1.

        A path that leads to nothing has the place of the last part of it that exists. The index is
        made at the first call, so a document in which nothing has to be found costs nothing.
        """
        if self._index is None:
            tokens = _INDEX_TOKEN.finditer(self._text)
            self._index = _node(tokens, next(tokens))
            self._line_starts = [0, *(match.end() for match in _LINE_BREAK.finditer(self._text))]
        offset = _offset(self._index, path, key)
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


def parse(data: bytes) -> Document:
    """Read one JSON value in UTF-8; white space around it is fine. Raises JsonFault for anything else.

    The caller bounds the size of `data`; time and memory are linear in it. Numbers without
    fraction and exponent become int, all others float.
    """
    text = _decoded(data)
    if _SPACE.fullmatch(text):
        _refuse(text, len(text), "SE205", "expected a JSON value, found nothing")
    value, end = _value(text, 0, 0)
    end = _skip(text, end)
    if end < len(text):
        rest = quoted(_LINE_BREAK.split(text[end : end + 200])[0], 40)
        message = f"expected nothing after the JSON value, found {rest}"
        _refuse(text, end, "SE210", message, "write one JSON value and nothing else")
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


def _decoded(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        raise JsonFault(1, 1, "SE204", "the text begins with a byte order mark", "save it as UTF-8 without BOM")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:2]:
        message = "expected UTF-8, found UTF-16, UTF-32 or NUL bytes"
        raise JsonFault(1, 1, "SE203", message, "save it as UTF-8 without BOM")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        message = f"expected UTF-8, found the byte 0x{data[error.start]:02x}"
        raise JsonFault(*_line_column(before, len(before)), "SE203", message, "save it as UTF-8") from error


def _value(text: str, at: int, depth: int) -> tuple[object, int]:
    match = _VALUE.match(text, at)
    if match is None:
        _refuse_token(text, _skip(text, at), "a value")
    kind = match.lastindex
    if kind == _TEXT:
        return match[1], match.end()
    if kind == _OPEN:
        if depth == DEPTH_LIMIT:
            _refuse(text, match.start(2), "SE214", f"nested deeper than {DEPTH_LIMIT} levels")
        return (_object if match[2] == "{" else _array)(text, match.end(), depth + 1)
    if kind == _NUMBER:
        return _number(text, match.start(3), match[3]), match.end()
    if kind == _WORD:
        return _word(text, match.start(4), match[4]), match.end()
    return _string(text, match.start(5))


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
            _refuse(text, _skip(text, at), "SE212", message, "readers keep one of the two in silence; delete one")
        found[key], at = _value(text, end, depth)
        match = _AFTER_MEMBER.match(text, at)
        if match is None:
            _refuse_token(text, _skip(text, at), "`,` or `}`")
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
            _refuse_token(text, _skip(text, at), "`,` or `]`")
        at = match.end()
        if match[1] == "]":
            return found, at


def _odd_key(text: str, at: int) -> tuple[str, int]:
    """Read a key with escapes and its colon, or say what stands there instead."""
    at = _skip(text, at)
    if not text.startswith('"', at):
        _refuse_token(text, at, "a key in double quotes")
    key, end = _string(text, at)
    colon = _COLON.match(text, end)
    if colon is None:
        _refuse_token(text, _skip(text, end), "`:` after the key")
    return key, colon.end()


def _string(text: str, start: int) -> tuple[str, int]:
    """Read the string whose opening quote is at `start`."""
    end = _end(_STRING_BODY, text, start + 1)
    if not text.startswith('"', end):
        _refuse_string(text, start, end)

    def character(match: re.Match[str]) -> str:
        high, low, unit, letter = match.groups()
        if letter:
            return _ESCAPED[letter]
        if high:
            return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
        if unit[0] in "dD" and unit[1] not in "01234567":
            message = f"`\\u{unit}` is half of a surrogate pair, which is no character"
            _refuse(text, start + 1 + match.start(), "SE215", message, "write the character itself, or both halves")
        return chr(int(unit, 16))

    return _ESCAPE.sub(character, text[start + 1 : end]), end + 1


def _number(text: str, at: int, token: str) -> int | float:
    match = _PLAIN_NUMBER.fullmatch(token)
    if match is None:
        _refuse(text, at, "SE213", f"expected a number, found {quoted(token)}", _number_hint(token))
    if len(token) > NUMBER_LIMIT:
        _refuse(text, at, "SE213", f"a number of {len(token)} characters; at most {NUMBER_LIMIT} are read")
    if match.lastindex is None:
        return int(token)
    number = float(token)
    if abs(number) == float("inf"):
        _refuse(text, at, "SE213", f"the number {quoted(token)} is too large to be held")
    return number


def _number_hint(token: str) -> str | None:
    if re.match(r"-?0[0-9]", token):
        return "a number has no leading zero; put it into double quotes if it is a name"
    return "put it into double quotes if it is text" if token[-1].isalnum() else None


def _word(text: str, at: int, token: str) -> bool | None:
    if token not in _WORDS:
        if token.lstrip("-").casefold() in ("nan", "infinity", "inf"):
            _refuse(text, at, "SE213", f"{quoted(token)} is no JSON number")
        meant = {"none": "null"}.get(token.casefold(), token.casefold())
        hint = f"write `{meant}`" if meant in _WORDS else "text stands in double quotes"
        _refuse(text, at, "SE206", f"expected a value, found {quoted(token)}", hint)
    return _WORDS[token]


def _skip(text: str, at: int) -> int:
    return _end(_SPACE, text, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _refuse_token(text: str, at: int, expected: str) -> NoReturn:
    """Say what stands at `at` instead of `expected`; the commonest mistakes by their name."""
    found = text[at : at + 1]
    before = text[:at].rstrip(" \t\n\r")
    if not found:
        message = f"expected {expected}, found the end: the text is cut off, or a bracket is not closed"
        _refuse(text, at, "SE211", message)
    if found in "}]" and before.endswith(","):
        line, _ = _line_column(text, at)
        message = f"trailing comma before the `{found}` on line {line}"
        _refuse(text, len(before) - 1, "SE207", message, "JSON has no comma after the last entry")
    if found == "#" or text.startswith(("//", "/*"), at):
        _refuse(text, at, "SE208", "JSON has no comments", "delete it, or keep it as the value of a key such as `note`")
    hint = "a comma is missing before it" if "`,`" in expected else None
    hint = "JSON uses double quotes" if found in "'`\u2018\u2019\u201c\u201d" else hint
    _refuse(text, at, "SE206", f"expected {expected}, found {_token(text, at)}", hint)


def _refuse_string(text: str, start: int, at: int) -> NoReturn:
    """Say why the string that opens at `start` cannot go on at `at`."""
    if at == len(text):
        _refuse(text, start, "SE211", "the string that begins here is not closed: the text is cut off")
    if text[at] == "\\":
        escape = quoted(text[at : at + 2])
        what = "needs four hexadecimal digits" if escape == "`\\u`" else "is no escape that JSON knows"
        _refuse(text, at, "SE209", f"{escape} {what}", "a backslash itself is written `\\\\`")
    if text[at] in "\r\n":
        _refuse(text, at, "SE209", "a line break inside a string", "write `\\n`, or close the string")
    _refuse(text, at, "SE209", f"the control character {quoted(text[at])} inside a string", "write it as an escape")


def _token(text: str, at: int) -> str:
    match = _SHOWN_TOKEN.match(text, at)
    return quoted(match[0] if match else text[at], 40)


def _refuse(text: str, at: int, code: str, message: str, hint: str | None = None) -> NoReturn:
    raise JsonFault(*_line_column(text, at), code, message, hint)


def _line_column(text: str, at: int) -> tuple[int, int]:
    line, start = 1, 0
    for match in _LINE_BREAK.finditer(text, 0, at):
        line, start = line + 1, match.end()
    return line, at - start + 1


@dataclass(slots=True)
class _Node:
    """A list or an object: where it begins, and where its parts do.

    A part is a node too, or for a scalar just its offset; behind a key stands the key's own offset.
    """

    offset: int
    items: "list[_Node | int]"
    members: "dict[str, tuple[int, _Node | int]]"


def _node(tokens: Iterator[re.Match[str]], token: re.Match[str]) -> _Node | int:
    """Index the value that begins with `token`; the text is known to be strict JSON."""
    node = _Node(token.start(), [], {})
    if token[0] == "[":
        while (item := next(tokens))[0] != "]":
            node.items.append(_node(tokens, item))
    elif token[0] == "{":
        while (key := next(tokens))[0] != "}":
            name, _ = _string(key.string, key.start())
            node.members[name] = key.start(), _node(tokens, next(tokens))
    else:
        return token.start()
    return node


def _offset(node: _Node | int, path: Where, key: bool) -> int:
    offset = _begin(node)
    for step in path:
        part = _part(node, step)
        if part is None:
            return _begin(node)
        offset, node = part
    return offset if key else _begin(node)


def _part(node: _Node | int, step: str | int) -> tuple[int, _Node | int] | None:
    if isinstance(node, int):
        return None
    if isinstance(step, str):
        return node.members.get(step)
    return (_begin(node.items[step]), node.items[step]) if step < len(node.items) else None


def _begin(node: _Node | int) -> int:
    return node if isinstance(node, int) else node.offset
