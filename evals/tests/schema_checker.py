"""The part of JSON Schema (draft 2020-12) that `evals/schemas/` uses, for tests.

A keyword that is not known here is an error of the test, never skipped: a schema that says more
than is checked would look stricter than it is.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parents[1] / "schemas"

Schema = Mapping[str, Any]

_NOTES = frozenset(("$schema", "$id", "$defs", "title", "description", "default", "then", "else"))
_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and value == int(value),
    "number": lambda value: _is_number(value),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def load_schema(name: str) -> dict[str, Any]:
    """Return the schema of `evals`, `request`, `response` or `benchmark`."""
    schema: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return schema


def violations(schema: Schema, value: object) -> list[str]:
    """Return what of `value` breaks `schema`, each with its place; empty when nothing does.

    Raises ValueError at a keyword that is not supported.
    """
    return list(_violations(schema, value, schema, "$"))


def _violations(schema: Any, value: Any, root: Schema, where: str) -> Iterator[str]:
    if isinstance(schema, bool):
        if not schema:
            yield f"{where}: nothing is allowed here"
        return
    for keyword, wanted in schema.items():
        if keyword in _APPLICATORS:
            yield from _APPLICATORS[keyword](schema, value, root, where)
        elif keyword in _ASSERTIONS:
            if not _ASSERTIONS[keyword](wanted, value):
                yield f"{where}: breaks {keyword} {wanted!r}"
        elif keyword not in _NOTES:
            raise ValueError(f"{where}: the checker does not know the keyword `{keyword}`")


def _ref(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    target: Any = root
    for step in schema["$ref"].removeprefix("#/").split("/"):
        target = target[step]
    yield from _violations(target, value, root, where)


def _properties(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name in schema["properties"].keys() & value.keys():
            yield from _violations(schema["properties"][name], value[name], root, f"{where}.{name}")


def _additional(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name in value.keys() - schema.get("properties", {}).keys():
            yield from _violations(schema["additionalProperties"], value[name], root, f"{where}.{name}")


def _items(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _violations(schema["items"], item, root, f"{where}[{number}]")


def _contains(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    if isinstance(value, list) and not any(_holds(schema["contains"], item, root) for item in value):
        yield f"{where}: has no item of the kind that is wanted"


def _all_of(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    for part in schema["allOf"]:
        yield from _violations(part, value, root, where)


def _any_of(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    if not any(_holds(part, value, root) for part in schema["anyOf"]):
        yield f"{where}: fits none of the alternatives"


def _not(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    if _holds(schema["not"], value, root):
        yield f"{where}: is what it must not be"


def _if(schema: Schema, value: Any, root: Schema, where: str) -> Iterator[str]:
    branch = "then" if _holds(schema["if"], value, root) else "else"
    yield from _violations(schema.get(branch, True), value, root, where)


_APPLICATORS: Mapping[str, Callable[[Schema, Any, Schema, str], Iterator[str]]] = {
    "$ref": _ref,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "contains": _contains,
    "allOf": _all_of,
    "anyOf": _any_of,
    "not": _not,
    "if": _if,
}
_ASSERTIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": lambda wanted, value: any(
        _TYPES[name](value) for name in ([wanted] if isinstance(wanted, str) else wanted)
    ),
    "const": lambda wanted, value: _same(wanted, value),
    "enum": lambda wanted, value: any(_same(choice, value) for choice in wanted),
    "required": lambda wanted, value: not isinstance(value, dict) or value.keys() >= set(wanted),
    "minimum": lambda wanted, value: not _is_number(value) or value >= wanted,
    "maximum": lambda wanted, value: not _is_number(value) or value <= wanted,
    "minLength": lambda wanted, value: not isinstance(value, str) or len(value) >= wanted,
    "maxLength": lambda wanted, value: not isinstance(value, str) or len(value) <= wanted,
    "pattern": lambda wanted, value: not isinstance(value, str) or re.search(wanted, value) is not None,
    "minItems": lambda wanted, value: not isinstance(value, list) or len(value) >= wanted,
    "maxItems": lambda wanted, value: not isinstance(value, list) or len(value) <= wanted,
    "uniqueItems": lambda wanted, value: not (wanted and isinstance(value, list)) or _are_unique(value),
}


def _holds(schema: Any, value: Any, root: Schema) -> bool:
    return next(_violations(schema, value, root, ""), None) is None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(left: Any, right: Any) -> bool:
    """Compare as JSON does: true is not 1."""
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def _are_unique(items: list[Any]) -> bool:
    return len({json.dumps(item, sort_keys=True) for item in items}) == len(items)
