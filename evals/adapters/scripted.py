"""Answer from a script: a JSON file of rules that say which request gets which answer.

For tests and for authors of adapters. The first rule that matches answers; a request that no rule
matches ends with exit status 2.

    {
      "rules": [
        {
          "match": {"mode": "with_skill", "skill": "sample-skill", "prompt_contains": "report"},
          "response": {
            "output": "asked: {prompt}",
            "events": "loaded",
            "usage": {"input_tokens": 12},
            "files": {"report.md": "made for {skill}"}
          }
        },
        {"response": {"raw": "not JSON", "stderr": "broken on purpose", "sleep_seconds": 0.1, "exit_code": 3}}
      ]
    }
"""

from __future__ import annotations

import math
import os
import sys
import time

from protocol import (
    MODES,
    AdapterExit,
    Request,
    Response,
    is_safe_path,
    loaded,
    parse_json,
    serve,
    shown,
    write_below,
    write_error,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Field = tuple[bool, Callable[[Any], bool], str]

USAGE = """usage: scripted SCRIPT < request.json

Answers a request of adapter protocol 1 by the first matching rule of SCRIPT, a JSON object
{"rules": [{"match": {...}, "response": {...}}, ...]}.

match, all optional, all must hold:
  mode             with_skill | without_skill
  skill            name of the skill, null for the baseline
  prompt_contains  text in the prompt, case counts
response, all optional; {prompt}, {skill} and {mode} are filled into output, files and stderr:
  output           the answer, text (default: empty)
  events           list of {"type", "name"}, or "loaded": skill_loaded when there is a skill
  usage            object of numbers
  files            object of workspace path to text
  stderr           text for standard error
  sleep_seconds    seconds to wait before anything is written (default: 0)
  exit_code        0 to 255 (default: 0)
  raw              printed as it is instead of a response: text, or a list of bytes (0 to 255)

exit: the rule's exit_code; 2 bad request, bad script or no matching rule; 3 a file cannot be written
"""


def answer(request: Request, arguments: list[str]) -> Response:
    """Act out the first rule that matches."""
    if len(arguments) != 1:
        raise AdapterExit(f"expected one argument, the script, found {len(arguments)}")
    script = read_script(os.path.abspath(arguments[0]))
    response = next((rule["response"] for rule in script if matches(rule.get("match", {}), request)), None)
    if response is None:
        skill = f"skill `{request.skill_name}`" if request.skill_name else "no skill"
        raise AdapterExit(f"no rule matches mode `{request.mode}`, {skill}, prompt {shown(request.prompt)}")
    return act(response, request)


def act(response: Mapping[str, Any], request: Request) -> Response:
    """Wait, write and speak as the rule says."""
    time.sleep(response.get("sleep_seconds", 0))
    for path, text in response.get("files", {}).items():
        write_below(request.workspace, path, filled(text, request).encode())
    if "stderr" in response:
        write_error(filled(response["stderr"], request))
    return Response(
        filled(response.get("output", ""), request),
        events_of(response.get("events", []), request),
        response.get("usage"),
        response.get("exit_code", 0),
        raw_bytes(response["raw"]) if "raw" in response else None,
    )


def matches(match: Mapping[str, Any], request: Request) -> bool:
    """Tell whether every condition of a rule holds."""
    return (
        match.get("mode", request.mode) == request.mode
        and match.get("skill", request.skill_name) == request.skill_name
        and match.get("prompt_contains", "") in request.prompt
    )


def events_of(events: Any, request: Request) -> list[dict[str, str]]:
    """Return the events; `loaded` is the event of a loaded skill, where there is one."""
    if events != "loaded":
        return list(events)
    return [loaded(request.skill_name)] if request.skill_name else []


def raw_bytes(raw: str | list[int]) -> bytes:
    """Return the bytes to print."""
    return raw.encode() if isinstance(raw, str) else bytes(raw)


def filled(text: str, request: Request) -> str:
    """Replace the placeholders, the prompt last so that nothing inside it is replaced."""
    known = text.replace("{skill}", request.skill_name or "").replace("{mode}", request.mode)
    return known.replace("{prompt}", request.prompt)


def read_script(path: str) -> list[dict[str, Any]]:
    """Return the rules of a script; raises AdapterExit with every fault and its place as a JSON pointer."""
    try:
        with open(path, "rb") as stream:
            script: Any = parse_json(stream.read(), f"script `{path}`")
    except OSError as error:
        raise AdapterExit(f"script `{path}` cannot be read: {error.strerror}") from error
    found = list(faults(script))
    if found:
        raise AdapterExit("\n".join(f"script `{path}`, {fault}" for fault in found))
    rules: list[dict[str, Any]] = script["rules"]
    return rules


def faults(script: Any) -> Iterator[str]:
    """Yield what is wrong with a script."""
    yield from object_faults(script, SCRIPT_FIELDS, "")
    rules = script.get("rules") if isinstance(script, dict) else None
    for at, rule in enumerate(rules if isinstance(rules, list) else []):
        where = f"/rules/{at}"
        yield from object_faults(rule, RULE_FIELDS, where)
        for part, fields in (("match", MATCH_FIELDS), ("response", RESPONSE_FIELDS)):
            if isinstance(rule, dict) and isinstance(rule.get(part), dict):
                yield from object_faults(rule[part], fields, f"{where}/{part}")


def object_faults(value: Any, fields: Mapping[str, Field], where: str) -> Iterator[str]:
    """Yield what is wrong with one object and its fields."""
    if not isinstance(value, dict):
        yield f"{where or '/'}: expected an object, found {shown(value)}"
        return
    for key, (required, allowed, expected) in fields.items():
        if key in value and not allowed(value[key]):
            yield f"{where}/{key}: expected {expected}, found {shown(value[key])}"
        elif required and key not in value:
            yield f"{where}/{key}: missing, expected {expected}"
    for key in sorted(value.keys() - fields.keys()):
        yield f"{where}/{key}: unknown field; known: {', '.join(f'`{name}`' for name in fields)}"


def is_text(value: Any) -> bool:
    """Tell whether a value is text."""
    return isinstance(value, str)


def is_object(value: Any) -> bool:
    """Tell whether a value is an object; its fields are checked apart."""
    return isinstance(value, dict)


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number of at least 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def is_whole(value: Any) -> bool:
    """Tell whether a value fits into a byte, which is also the range of exit codes."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255


def is_event(value: Any) -> bool:
    """Tell whether a value is an event of protocol 1."""
    return isinstance(value, dict) and "type" in value and value.keys() <= {"type", "name"} and all_of(value, is_text)


def all_of(values: Any, allowed: Callable[[Any], bool]) -> bool:
    """Tell whether every value of an object or list is allowed."""
    return all(map(allowed, values.values() if isinstance(values, dict) else values))


SCRIPT_FIELDS: dict[str, Field] = {
    "rules": (True, lambda value: isinstance(value, list) and len(value) > 0, "a list of at least one rule"),
}
RULE_FIELDS: dict[str, Field] = {
    "match": (False, is_object, "an object"),
    "response": (True, is_object, "an object"),
}
MATCH_FIELDS: dict[str, Field] = {
    "mode": (False, lambda value: value in MODES, "`with_skill` or `without_skill`"),
    "skill": (False, lambda value: value is None or is_text(value), "text or null"),
    "prompt_contains": (False, is_text, "text"),
}
RESPONSE_FIELDS: dict[str, Field] = {
    "output": (False, is_text, "text"),
    "events": (
        False,
        lambda value: value == "loaded" or (isinstance(value, list) and all_of(value, is_event)),
        'a list of {"type", "name"} objects or "loaded"',
    ),
    "usage": (False, lambda value: is_object(value) and all_of(value, is_number), "an object of finite numbers"),
    "files": (
        False,
        lambda value: is_object(value) and all_of(value, is_text) and all(map(is_safe_path, value)),
        "an object of paths below the workspace to text",
    ),
    "stderr": (False, is_text, "text"),
    "sleep_seconds": (False, is_number, "a finite number of at least 0"),
    "exit_code": (False, is_whole, "a whole number from 0 to 255"),
    "raw": (
        False,
        lambda value: is_text(value) or (isinstance(value, list) and all_of(value, is_whole)),
        "text or a list of whole numbers from 0 to 255",
    ),
}

if __name__ == "__main__":
    sys.exit(serve(answer, USAGE))
