"""What a reader of YAML hands out: nodes that keep their text and place, and its one error."""

import re
from typing import NamedTuple


class YamlError(ValueError):
    """A fault at one place of a YAML text; `line` and `column` count from 1 in characters.

    Raised where reading cannot go on, else collected. `code` is a key of `reading.rules.RULES`.
    """

    def __init__(self, code: str, line: int, column: int, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint


class Scalar(NamedTuple):
    """A single value. `text` is what it says, whatever a reader makes of it.

    `kind` is `str`, or what YAML 1.2 (for `date`: 1.1) reads an unquoted value as: `null`, `bool`, `int`,
    `float`, `date`. `style` is `plain`, `single`, `double`, `literal` or `folded`.
    """

    text: str
    kind: str
    style: str
    line: int
    column: int

    @property
    def place(self) -> tuple[int, int]:
        """Return line and column."""
        return self.line, self.column


class YamlList(NamedTuple):
    """A list and where it begins."""

    items: tuple["Node", ...]
    line: int
    column: int

    @property
    def place(self) -> tuple[int, int]:
        """Return line and column."""
        return self.line, self.column


class Entry(NamedTuple):
    """One key of a map and its value."""

    key: Scalar
    value: "Node"


class YamlMap(NamedTuple):
    """A map in the order of the text, duplicate keys included, and where it begins."""

    entries: tuple[Entry, ...]
    line: int
    column: int

    @property
    def place(self) -> tuple[int, int]:
        """Return line and column."""
        return self.line, self.column

    def get(self, key: str) -> "Node | None":
        """Return the value of the first entry with that key."""
        return next((entry.value for entry in self.entries if entry.key.text == key), None)


Node = Scalar | YamlList | YamlMap


class Document(NamedTuple):
    """A parsed text.

    `root` holds the entries that could be read, `unread` the top-level keys whose value could not;
    `root` is None where nothing can be said about what the text holds. `faults` are in the order
    in which they were met; some are only warnings.
    """

    root: YamlMap | None
    unread: frozenset[str]
    faults: tuple[YamlError, ...]


def plain_value(node: Node) -> object:
    """Return the node as text, lists and dictionaries; of duplicate keys the last one counts."""
    match node:
        case Scalar():
            return node.text
        case YamlList():
            return [plain_value(item) for item in node.items]
        case YamlMap():
            return {entry.key.text: plain_value(entry.value) for entry in node.entries}


def kind_of_plain(text: str) -> str:
    """Return the kind of an unquoted scalar.

    Source: YAML 1.2.2, 10.3.2 (core schema); the date is YAML 1.1's timestamp, which many readers still know.
    """
    if text[:1] in _NUMBER_STARTS:
        found = re.fullmatch(_NUMBERS, text, re.VERBOSE)
        return found.lastgroup or "str" if found else "str"
    return _WORDS.get(text, "str")


_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), "null"),
    **dict.fromkeys(("true", "True", "TRUE", "false", "False", "FALSE"), "bool"),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_NUMBERS = r"""
    (?P<int>[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)
    |(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))
    |(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}
        |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
        (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)
    """
