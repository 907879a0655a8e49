"""Secrets that are known by the name before them: `api_key=...`, `"password": "..."`, `--token ...`."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from evals.skill_eval.artifacts.secret_names import Sensitivity, sensitivity
from evals.skill_eval.artifacts.secret_values import (
    KEY_RUN,
    is_code,
    is_everyday_value,
    is_mixed_word,
    is_type_or_variable,
    is_wordy,
    looks_like_key,
)
from evals.skill_eval.artifacts.spans import MARK, Span


def assignment_spans(text: str, low: str) -> Iterator[Span]:
    """Yield the values that are given to sensitive names, in any of the usual dresses.

    `low` is the text in lower case with all offsets kept. Linear: a name is found by its sensitive
    word, what may stand between name and value is bounded, and no value is read whole twice.
    """
    done = 0
    for match in _ASSIGNMENT.finditer(low):
        if match.start() >= done:
            for span in _spans(text, match):
                yield span
                done = span.end
    if "--" in text:
        yield from _judged(_OPTION, text)
    if "set" in low or "env " in low:
        yield from _judged(_SETTING, text)
    if "('" in text or '("' in text:
        yield from _judged(_CALL, text)
    if "%3" in text:
        yield from _judged(_ENCODED, text)


# A sensitive word is found by the part of it that begins with a rare letter (token, cookie, secret,
# auth), which halves the time for a harmless text; the whole name is looked at afterwards.
_ASSIGNMENT: Final = re.compile(
    r"(?P<name>(?:pass|pwd|psk|pat|ken|key|kie|cret|credential|uth|jwt)[a-z0-9_-]{0,24}+)"
    r"(?P<dress>(?P<quote>\\{0,7}[\"'])?[\\\"'`*\])]{0,6})"
    r"(?:[ \t]{0,32}(?P<sign>:=|=>|->|[?+]=|=(?![=~>])|:(?![:=]|//)|\uff1a|\uff1d)[*`]{0,3}[ \t]{0,32}"
    r"(?P<below>(?:[|>][+-]?[ \t]{0,8})?\r?\n[ \t]{0,32})?"
    r"|[ \t]{0,8},?\s{0,40}[\"'\\]{0,4}value[\"'\\]{0,4}[ \t]{0,8}[:=][ \t]{0,8}"
    r"|(?P<loose>[ \t]{0,40}\|[ \t]{1,40}|[ \t]{1,4}(?:is|was|set to)[: \t]{1,4})"
    r"|(?P<tag>>))"
    r"(?P<list>[\[(]\s{0,40}(?=[\\\"']))?"
)
_NAME_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_RESOURCE: Final = re.compile(r"\barn:[\w.*${}:-]{3,100}:\Z")  # what follows `secret:` there is a name
_ENOUGH: Final = 80  # characters of a bare value to judge by; it is read whole only when it is hidden


class _Place(NamedTuple):
    """A sensitive name in a text: where it starts, what it announces, and the match around it."""

    text: str
    start: int
    level: Sensitivity
    match: re.Match[str]

    @property
    def before(self) -> str:
        """Return the character before the name."""
        return self.text[self.start - 1 : self.start]

    @property
    def is_loose(self) -> bool:
        """Tell whether name and value stand so far apart that a mere word is no secret."""
        return bool(self.match["loose"] or self.match["below"])


def _spans(text: str, match: re.Match[str]) -> Iterator[Span]:
    head = text[max(0, match.start() - 64) : match.start()]
    start = match.start() - len(head) + len(head.rstrip(_NAME_CHARACTERS))
    if text[start - 1 : start] == "\\" and text[start] in "nrt":
        start += 1  # an escaped line break or tab before the name
    if text[start - 1 : start] == ":" and _RESOURCE.search(text, max(0, start - 128), start):
        return
    level = sensitivity(text[start : match.end("name")])
    if level is Sensitivity.WEAK and text[start - 1 : start] == " ":
        level = sensitivity(text[max(0, start - 16) : match.end("name")].split(" ", 1)[-1])  # such as `API key`
    if level is Sensitivity.WEAK and not KEY_RUN.search(text, match.end(), match.end() + _ENOUGH):
        return
    if level is not Sensitivity.NONE:
        yield from _value_spans(_Place(text, start, level, match))


def _value_spans(place: _Place) -> Iterator[Span]:
    position = place.match.end()
    if place.match["tag"]:
        yield from _element(place, position)
    elif opening := _OPENING.match(place.text, position):
        yield from _quoted(place, opening)
    else:
        yield from _bare(place, position)


_ELEMENT: Final = re.compile(r"(?P<value>[^<>\n]{1,1024})</")


def _element(place: _Place, position: int) -> Iterator[Span]:
    """Yield the text of `<password>...</password>`."""
    found = _ELEMENT.match(place.text, position)
    if found and place.before == "<" and _is_secret_text(place, found["value"]):
        yield Span(*found.span("value"))


_OPENING: Final = re.compile(r"[bfruBFRU$@]{0,2}(?P<quote>\"{3}|'{3}|\\{1,7}[\"']|[\"'`])")
_NEXT_ITEM: Final = re.compile(r"\s{0,40},\s{0,40}(?P<quote>\\{0,7}[\"'])")
_AFTER_TEXT: Final = re.compile(r"\s*(?:\)|,\s|[+%](?:\s|\Z))")
_BARE_QUOTE: Final = re.compile(r'(?<!\\)"')
_CUT_OFF: Final = re.compile(r"[^\n\"'`\\]*+")


def _quoted(place: _Place, opening: re.Match[str]) -> Iterator[Span]:
    """Yield a value in quotes, or each of a list of them."""
    quote: re.Match[str] | None = opening
    while quote:
        end = _quoted_end(place.text, quote.end(), quote["quote"])
        if _is_secret_text(place, place.text[quote.end() : end]):
            yield Span(quote.end(), end)
        quote = _NEXT_ITEM.match(place.text, end + len(quote["quote"])) if place.match["list"] else None


def _quoted_end(text: str, start: int, quote: str) -> int:
    """Return where a quoted value ends: at its closing quote or, when cut off, before the next quote."""
    closed = _until(quote).match(text, start)
    if closed and not (quote[0] == "\\" and _BARE_QUOTE.search(text, start, closed.end())):
        return closed.end() - len(quote)
    rest = _CUT_OFF.match(text, start)
    return rest.end() if rest else start


@lru_cache(maxsize=64)
def _until(quote: str) -> re.Pattern[str]:
    """Return what matches up to and including a closing `quote`."""
    if len(quote) == 3 and quote[0] != "\\":
        return re.compile(rf"[^\n]*?{quote}")
    if quote[0] == "\\":
        return re.compile(rf"[^\n]*?(?<!\\){re.escape(quote)}")
    if quote == '"':
        return re.compile(r'(?:[^"\\\n]++|\\.)*+"')
    # A double quote that ends a JSON string ends the single quotes inside that string, too.
    plain = rf'(?:[^{quote}\\\n"]++|\\.)*+'
    return re.compile(rf'{plain}(?:"(?!\s{{0,8}}(?:[,}}\]:]|\Z)){plain})*{quote}')


def _is_secret_text(place: _Place, value: str) -> bool:
    """Judge a value whose extent is certain, unless the quote was the end of a text such as "Password: "."""
    if is_everyday_value(value) or (not place.match["quote"] and _AFTER_TEXT.match(value)):
        return False
    if place.level is Sensitivity.WEAK:
        return looks_like_key(value)
    if place.is_loose:
        return is_mixed_word(value)
    return len(value) >= (3 if place.level is Sensitivity.PASSWORD else 6)


_BARE: Final = re.compile(
    r"(?!\\[\s\"'`\\/bfnrtu])(?=[^\s\"'`<>;|])[^\s\"'`<>\\;|]*+(?:\\(?![\s\"'`\\/bfnrtu])[^\s\"'`<>\\;|]*+)*"
)
_IN_QUERY: Final = re.compile(r"[^\s\"'`<>\\;|&#]+")
_IN_JSON: Final = re.compile(r"[^\s,}\]\"'`\\]+")
_CLOSING: Final = ",.)]}:!?*"
_LINE_END: Final = re.compile(
    r"(?:[,)}\]*]*[ \t]*(?:[\r\n#;\"'`<\\})\]]|//|\Z)|,[ \t]{0,4}[\"']?[\w-]{1,40}[\"']?[ \t]?[:=])", re.ASCII
)


def _bare(place: _Place, position: int) -> Iterator[Span]:
    """Yield a value without quotes; beside a quoted name it gets the name's quotes, to keep JSON valid."""
    quote = place.match["quote"]
    pattern = _IN_JSON if quote else _IN_QUERY if place.before in ("?", "&") else _BARE
    found = pattern.match(place.text, position, position + _ENOUGH)
    if found and _is_secret_word(place, found):
        whole = pattern.match(place.text, position) or found
        end = position + len(whole[0].rstrip(_CLOSING))
        yield Span(position, end, f"{quote}{MARK}{quote}" if quote else MARK)


def _is_secret_word(place: _Place, found: re.Match[str]) -> bool:
    """Judge a value without quotes, which may be code or the first word of a sentence."""
    value = found[0].rstrip(_CLOSING)
    if len(value) < 3 or is_everyday_value(value) or is_code(found[0]):
        return False
    if place.level is Sensitivity.WEAK:
        return looks_like_key(value)
    if place.is_loose:
        return is_mixed_word(value)
    if value.isdecimal():
        return place.level is Sensitivity.PASSWORD or len(value) >= 16
    return not is_wordy(value) or _is_wordy_secret(place, value, found)


def _is_wordy_secret(place: _Place, value: str, found: re.Match[str]) -> bool:
    """Judge a value of letters: `name=value` outside a call, or the last word of its line."""
    text, start = place.text, found.start()
    if text[start - 1] == "=":
        return not (found[0].endswith((",", ")")) and "(" in text[max(0, place.start - 80) : place.start])
    if found[0].endswith(".") or not _LINE_END.match(text, start + len(value)) or is_type_or_variable(value):
        return False
    return place.level is Sensitivity.PASSWORD or len(value) >= 16 or not value.isalpha()


_ARGUMENT: Final = (
    r"[ \t]{1,8}(?:(?P<quote>[\"'])(?P<phrase>[^\"'\s,:)}\]][^\"'\n]{0,1024})(?P=quote)"
    r"|(?P<word>[^\s\"'`<>\\;|=-][^\s\"'`<>\\;|]{5,1024}))"
)
_OPTION: Final = re.compile(rf"(?<![\w-])(?P<name>--?[A-Za-z][\w-]{{1,60}}+){_ARGUMENT}", re.ASCII)

# `setx NAME value`, `setenv NAME value`, `set -gx NAME value` and, in a Dockerfile, `ENV NAME value`.
_SETTING: Final = re.compile(
    r"(?<![\w-])(?:[Ss][Ee][Tt](?:[Xx]|env|(?: --?[A-Za-z]{1,12}){1,3})|ENV)"
    rf"[ \t]{{1,8}}(?P<name>[A-Za-z]\w{{1,60}}+){_ARGUMENT}",
    re.ASCII,
)

# `define('NAME', 'value')`, `setItem("name", "value")`
_CALL: Final = re.compile(
    r"(?:define|putenv|append|[Ss]et[A-Za-z]{0,24})\("
    r"(?P<quote>[\"'])(?P<name>[A-Za-z][\w.-]{1,60}+)(?P=quote),[ \t]{0,8}(?P=quote)"
    r"(?P<phrase>)(?P<word>[^\s\"'\\]{6,1024})(?P=quote)",
    re.ASCII,
)

# `name%3Dvalue` and `%22name%22%3A%22value%22`
_ENCODED: Final = re.compile(
    r"(?:(?<![A-Za-z0-9_%-])|%[0-9A-Fa-f]{2})(?P<name>[A-Za-z][A-Za-z0-9_-]{1,60}+)(?:%22)?%3[ADad](?:%20|%22|\+){0,3}"
    r"(?P<phrase>)(?P<word>(?:[\w.~+/-]|%(?!2[26Cc]|7[Dd]|0[AaDd])[0-9A-Fa-f]{2}){6,1024})",
    re.ASCII,
)


def _judged(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Yield what follows a name without a sign, such as `--token`; a bare word may be a sentence going on."""
    for match in pattern.finditer(text):
        kind = "phrase" if match["phrase"] else "word"
        if sensitivity(match["name"]) < Sensitivity.KEY or is_everyday_value(match[kind]):
            continue
        if kind == "phrase" or is_mixed_word(match[kind]):
            yield Span(*match.span(kind))
