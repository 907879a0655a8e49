"""Adapter responses: protocol 1 taken by the letter, so that nothing undocumented is ever kept."""

from collections.abc import Mapping

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.model.protocol import Event, Response
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.strict_json import JsonFault, kind_of, parse

USAGE_LIMIT = 10**15
"""No count and no cost is larger; so totals stay finite and whole numbers exact."""

_FIELDS = ("output", "events", "usage")
_EVENT_FIELDS = ("type", "name")
_HINT = "write one JSON object to standard output and diagnostics to standard error"


def read_response(data: bytes) -> Response:
    """Read the one response object that an adapter wrote to standard output.

    Raises AdapterError that names the field, what was expected and what kind of value was found;
    no value is quoted, since an undocumented one may be what must not be kept.
    """
    value = _parsed(data)
    if not isinstance(value, dict):
        raise AdapterError(f"the response: expected an object, found {kind_of(value)}", _HINT)
    _refuse_unknown(value, _FIELDS, "the response")
    if "output" not in value:
        raise AdapterError("the response: `output` is missing")
    output = value["output"]
    if not isinstance(output, str):
        raise _wrong("output", "a string", output)
    return Response(output, _events(value.get("events", [])), _usage(value.get("usage", {})))


def _parsed(data: bytes) -> object:
    try:
        return parse(data).value
    except JsonFault as fault:
        message = f"the response is no JSON: line {fault.line}, column {fault.column}: {fault.message}"
        first = _first_line(data)
        if first.startswith("{"):
            raise AdapterError(message, fault.hint or _HINT) from fault
        raise AdapterError(f"{message}; it begins {quoted(first, 80)}" if first else message, _HINT) from fault


def _first_line(data: bytes) -> str:
    lines = data[:4000].decode("utf-8", "backslashreplace").strip().splitlines()
    return lines[0] if lines else ""


def _events(value: object) -> tuple[Event, ...]:
    if not isinstance(value, list):
        raise _wrong("events", "a list", value)
    return tuple(_event(item, f"events[{number}]") for number, item in enumerate(value))


def _event(value: object, where: str) -> Event:
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    _refuse_unknown(value, _EVENT_FIELDS, f"`{where}`")
    if "type" not in value:
        raise AdapterError(f"`{where}`: `type` is missing")
    type_, name = value["type"], value.get("name")
    if not isinstance(type_, str):
        raise _wrong(f"{where}.type", "a string", type_)
    if not type_.strip():
        raise AdapterError(f"`{where}.type`: expected the name of an event, found a blank string")
    if name is None and "name" not in value:
        return Event(type_)
    if not isinstance(name, str):
        raise _wrong(f"{where}.name", "a string", name)
    return Event(type_, name)


def _usage(value: object) -> dict[str, int | float]:
    if not isinstance(value, dict):
        raise _wrong("usage", "an object", value)
    return {key: _amount(amount, f"usage[{quoted(key, 40)}]") for key, amount in value.items()}


def _amount(value: object, where: str) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AdapterError(f"{where}: expected a number, found {kind_of(value)}")
    if not 0 <= value <= USAGE_LIMIT:
        found = "a negative number" if value < 0 else "a larger one"
        raise AdapterError(f"{where}: expected a number from 0 to {USAGE_LIMIT:.0e}, found {found}")
    return value


def _refuse_unknown(value: Mapping[str, object], known: tuple[str, ...], where: str) -> None:
    unknown = next((key for key in value if key not in known), None)
    if unknown is not None:
        listed = ", ".join(f"`{key}`" for key in known)
        raise AdapterError(f"{where}: unknown field {quoted(unknown)}; allowed: {listed}")


def _wrong(where: str, expected: str, found: object) -> AdapterError:
    return AdapterError(f"`{where}`: expected {expected}, found {kind_of(found)}")
