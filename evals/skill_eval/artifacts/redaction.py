"""Redaction: no secret is written, printed or quoted; defence in depth, not permission to use one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from evals.skill_eval.artifacts.json_numbers import quoted_numbers
from evals.skill_eval.artifacts.secret_assignments import assignment_spans
from evals.skill_eval.artifacts.secret_names import Sensitivity, holds_secret_variable, sensitivity
from evals.skill_eval.artifacts.secret_shapes import shape_spans, url_password
from evals.skill_eval.artifacts.secret_values import is_everyday_value, is_mixed, looks_like_key
from evals.skill_eval.artifacts.spans import MARK, Span, replaced

DEEPEST: Final = 100
SHORTEST_VALUE: Final = 8
MOST_PASSES: Final = 4  # what stood glued to a secret may only be seen when that is gone
LONGEST_KNOWN: Final = 200  # keys, ids and messages come again with every trial
MOST_KNOWN: Final = 5_000


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces secrets by `[REDACTED]`: those known by name or form, and `secret_values` wherever they turn up."""

    secret_values: tuple[str, ...] = field(default=(), repr=False)
    _needles: tuple[str, ...] = field(default=(), init=False, repr=False, compare=False)
    _known: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        needles = {needle for value in self.secret_values for needle in _disguises(value) if needle not in MARK}
        object.__setattr__(self, "_needles", tuple(sorted(needles, key=len, reverse=True)))

    def text(self, text: str) -> str:
        """Return `text` without secrets; JSON stays JSON, and a second pass changes nothing. Takes linear time."""
        if len(text) > LONGEST_KNOWN:
            return self._cleaned(text)
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[text] = self._cleaned(text)
        return known

    def value(self, value: object) -> object:
        """Return a copy of a JSON-like value without secrets in texts, keys and below sensitive keys.

        Numbers stay, unless their key is one such as `password`. What lies deeper than `DEEPEST`
        levels is replaced as a whole; what JSON does not know becomes text.
        """
        return self._copy(value, Sensitivity.NONE, DEEPEST)

    def _cleaned(self, text: str) -> str:
        for _ in range(MOST_PASSES):
            before, text = text, self._pass(text)
            if text == before:
                break
        return text

    def _pass(self, text: str) -> str:
        low = _lowered(text)
        spans = [*self._value_spans(text), *shape_spans(text, low), *assignment_spans(text, low)]
        return replaced(text, quoted_numbers(text, spans)) if spans else text

    def _value_spans(self, text: str) -> Iterator[Span]:
        for needle in self._needles:
            start = text.find(needle)
            while start >= 0:
                yield Span(start, start + len(needle))
                start = text.find(needle, start + len(needle))

    def _copy(self, value: object, level: Sensitivity, room: int) -> object:
        match value:
            case str():
                return self._copy_text(value, level)
            case None | bool():
                return value
            case int() | float():
                return MARK if level is Sensitivity.PASSWORD else value
            case list() | tuple() | dict() | Mapping() if not room:
                return MARK
            case list() | tuple():
                return list(self._copy_items(value, level, room - 1))
            case dict() | Mapping():
                return self._copy_fields(value, level, room - 1)
            case _:
                return self._copy_text(str(value), level)

    def _copy_fields(self, fields: Mapping[object, object], level: Sensitivity, room: int) -> dict[str, object]:
        copied: dict[str, object] = {}
        numbers: dict[str, int] = {}
        announced = "value" in fields and any(_is_secret_name(fields.get(key)) for key in ("name", "key", "header"))
        for key, value in fields.items():
            below = Sensitivity.PASSWORD if announced and key == "value" else sensitivity(str(key))
            name = self.text(str(key))
            if name in copied:
                name = _unused(name, copied, numbers)
            copied[name] = self._copy(value, max(level, below), room)
        return copied

    def _copy_items(self, items: Sequence[object], level: Sensitivity, room: int) -> Iterator[object]:
        before: object = None
        for item in items:
            yield self._copy(item, max(level, _level_after(before, item)), room)
            before = item

    def _copy_text(self, text: str, level: Sensitivity) -> str:
        if text and (level >= Sensitivity.KEY or (level is Sensitivity.WEAK and looks_like_key(text))):
            return MARK
        return self.text(text)


def sensitive_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of secret-looking variables that are worth hiding wherever they turn up, sorted.

    Those have 8 characters or more and are no everyday word, number, path or plain address. The
    password inside an address counts, whatever its variable is called.
    """
    values = {value.strip() for name, value in environment.items() if _is_secret_variable(name, value.strip())}
    passwords = {url_password(value) for value in environment.values()}
    return tuple(sorted(value for value in values | passwords if len(value) >= SHORTEST_VALUE))


def _is_secret_variable(name: str, value: str) -> bool:
    if not holds_secret_variable(name) or is_everyday_value(value):
        return False
    level = sensitivity(name)
    if level >= Sensitivity.KEY:
        return level is Sensitivity.PASSWORD or not value.isdecimal()
    return is_mixed(value)


def _level_after(before: object, item: object) -> Sensitivity:
    """Return what an argument after an option such as `--api-key` needs."""
    is_option = isinstance(before, str) and before.startswith("-") and " " not in before and _is_secret_name(before)
    return Sensitivity.KEY if is_option and not str(item).startswith("-") else Sensitivity.NONE


def _is_secret_name(name: object) -> bool:
    return isinstance(name, str) and sensitivity(name) >= Sensitivity.KEY


def _unused(key: str, taken: Mapping[str, object], numbers: dict[str, int]) -> str:
    """Return `key`, numbered when redaction has made keys alike; `numbers` are the last ones given."""
    free = key
    while free in taken:
        numbers[key] = numbers.get(key, 1) + 1
        free = f"{key} ({numbers[key]})"
    return free


def _lowered(text: str) -> str:
    """Return `text` in lower case, character by character: only U+0130 would become two."""
    return text.replace("\u0130", "I").lower() if "\u0130" in text else text.lower()


def _disguises(value: str) -> Iterator[str]:
    """Yield `value` as it stands, inside JSON, in an address and inside base64."""
    import json
    from urllib.parse import quote

    yield from (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    if value.isascii():
        yield from (quote(value, safe=""), quote(value), *_base64_cores(value.encode()))


def _base64_cores(raw: bytes) -> Iterator[str]:
    """Yield the characters of base64 that do not depend on what stands around `raw`, for each alignment."""
    from base64 import b64encode

    for offset, first in ((0, 0), (1, 2), (2, 3)):
        core = b64encode(bytes(offset) + raw).decode()[first : (offset + len(raw)) * 8 // 6]
        if len(core) >= 12:
            yield core
