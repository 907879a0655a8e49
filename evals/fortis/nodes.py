"""Values of a JSON file that know where they stand, so that every error can say it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from evals.skill_eval.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and its place, such as `tools.json[3].provides`."""

    value: object
    where: str

    def __getitem__(self, key: str) -> "Node":
        found = self.get(key)
        return found if found is not None else self.refuse(f"`{key}` is missing")

    def get(self, key: str) -> "Node | None":
        """Return the member, or None when the object does not have it."""
        members = self._object()
        return Node(members[key], f"{self.where}.{key}") if key in members else None

    def only(self, *keys: str) -> "Node":
        """Refuse members other than these and return the node itself."""
        for key in self._object():
            if key not in keys:
                self.refuse(f"unknown member `{key}`; known: {', '.join(f'`{known}`' for known in keys)}")
        return self

    def members(self) -> Iterator[tuple[str, "Node"]]:
        """Yield the members of an object in file order."""
        for key, value in self._object().items():
            yield key, Node(value, f"{self.where}.{key}")

    def items(self) -> "Iterator[Node]":
        """Yield the items of a list."""
        if not isinstance(self.value, list):
            self.refuse(f"expected a list, found {_kind(self.value)}")
        for index, value in enumerate(self.value):
            yield Node(value, f"{self.where}[{index}]")

    def text(self) -> str:
        """Return the value of a non-empty string."""
        if not isinstance(self.value, str) or not self.value.strip():
            self.refuse(f"expected a text, found {_kind(self.value)}")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Return the values of a list of strings."""
        return tuple(item.text() for item in self.items())

    def flag(self) -> bool:
        """Return the value of a boolean."""
        return (
            self.value
            if isinstance(self.value, bool)
            else self.refuse(f"expected true or false, found {_kind(self.value)}")
        )

    def number(self) -> int:
        """Return the value of an integer."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse(f"expected an integer, found {_kind(self.value)}")
        return self.value

    def refuse(self, message: str) -> NoReturn:
        """Raise a ConfigError that names the place."""
        raise ConfigError(f"{self.where}: {message}")

    def _object(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            self.refuse(f"expected an object, found {_kind(self.value)}")
        return self.value


def load(path: Path) -> Node:
    """Return the value of a JSON file. Raises ConfigError when it cannot be read or repeats a key."""
    return parse(read_text(path), path.name)


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text. Raises ConfigError naming the file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"`{path}` cannot be read: {error}") from error


def parse(text: str, where: str) -> Node:
    """Return the value of a JSON text; `where` begins the place of every error."""
    try:
        return Node(json.loads(text, object_pairs_hook=_unique), where)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: not JSON: {error}") from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        repeated = next(key for key, _ in pairs if sum(other == key for other, _ in pairs) > 1)
        raise ValueError(f"the key `{repeated}` occurs twice")
    return found


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    names = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return "an empty text" if isinstance(value, str) and not value.strip() else names.get(type(value), "something else")
