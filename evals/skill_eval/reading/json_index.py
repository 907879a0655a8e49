"""Where each part of a strict JSON text stands; made only for a document in which something has to be found."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from evals.skill_eval.reading.strict_json import LINE_BREAK, Where, string_at

_TOKEN = r'"(?:[^"\\]++|\\.)*+"|[{}\[\]]|[^\s{}\[\],:"]+'


class Index:
    """The places of a text that is known to be strict JSON."""

    def __init__(self, text: str) -> None:
        tokens = re.finditer(_TOKEN, text)
        self._root = _node(tokens, next(tokens))
        self._line_starts = [0, *(match.end() for match in re.finditer(LINE_BREAK, text))]

    def place(self, path: Where, key: bool) -> tuple[int, int]:
        """Return line and column of the value at `path`, or with `key` of its key, both from 1.

        A path that leads to nothing has the place of the last part of it that exists.
        """
        offset = _offset(self._root, path, key)
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


class _Node(NamedTuple):
    """A list or an object: where it begins, and where its parts do.

    A part is a node too, or for a scalar just its offset; behind a key stands the key's own offset.
    """

    offset: int
    items: "list[_Node | int]"
    members: "dict[str, tuple[int, _Node | int]]"


def _node(tokens: Iterator[re.Match[str]], token: re.Match[str]) -> _Node | int:
    """Index the value that begins with `token`."""
    node = _Node(token.start(), [], {})
    if token[0] == "[":
        while (item := next(tokens))[0] != "]":
            node.items.append(_node(tokens, item))
    elif token[0] == "{":
        while (key := next(tokens))[0] != "}":
            name, _ = string_at(key.string, key.start())
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
