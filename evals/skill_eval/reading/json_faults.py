"""What stands in a text where strict JSON has something else; the commonest mistakes by their name."""

import re

from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.strict_json import JsonFault, fault_at, place_at


def unexpected(text: str, at: int, expected: str) -> JsonFault:
    """Say what stands at `at` instead of `expected`."""
    found = text[at : at + 1]
    before = text[:at].rstrip(" \t\n\r")
    if not found:
        message = f"expected {expected}, found the end: the text is cut off, or a bracket is not closed"
        return fault_at(text, at, "SE211", message)
    if found in "}]" and before.endswith(","):
        line, _ = place_at(text, at)
        message = f"trailing comma before the `{found}` on line {line}"
        mended = f"{before[:-1]} {text[len(before) :]}"
        return fault_at(text, len(before) - 1, "SE207", message, "JSON has no comma after the last entry", mended)
    if found == "#" or text.startswith(("//", "/*"), at):
        hint = "delete it, or keep it as the value of a key such as `note`"
        return fault_at(text, at, "SE208", "JSON has no comments", hint, _without_comment(text, at))
    message = f"expected {expected}, found {_token(text, at)}"
    return fault_at(text, at, "SE206", message, _hint(found, expected), _with_comma(text, at, expected))


def broken_string(text: str, start: int, at: int) -> JsonFault:
    """Say why the string that opens at `start` cannot go on at `at`."""
    if at == len(text):
        return fault_at(text, start, "SE211", "the string that begins here is not closed: the text is cut off")
    if text[at] == "\\":
        escape = quoted(text[at : at + 2])
        what = "needs four hexadecimal digits" if escape == "`\\u`" else "is no escape that JSON knows"
        return fault_at(text, at, "SE209", f"{escape} {what}", "a backslash itself is written `\\\\`")
    if text[at] in "\r\n":
        return fault_at(text, at, "SE209", "a line break inside a string", "write `\\n`, or close the string")
    message = f"the control character {quoted(text[at])} inside a string"
    return fault_at(text, at, "SE209", message, "write it as an escape")


def odd_number(text: str, at: int, token: str) -> JsonFault:
    """Say what is wrong with a `token` that begins like a number."""
    hint = "put it into double quotes if it is text" if token[-1].isalnum() else None
    if re.match(r"-?0[0-9]", token):
        hint = "a number has no leading zero; put it into double quotes if it is a name"
    return fault_at(text, at, "SE213", f"expected a number, found {quoted(token)}", hint)


def unknown_word(text: str, at: int, token: str) -> JsonFault:
    """Say what is wrong with a `token` that begins like a word."""
    if token.lstrip("-").casefold() in ("nan", "infinity", "inf"):
        return fault_at(text, at, "SE213", f"{quoted(token)} is no JSON number")
    meant = {"none": "null"}.get(token.casefold(), token.casefold())
    hint = f"write `{meant}`" if meant in ("true", "false", "null") else "text stands in double quotes"
    return fault_at(text, at, "SE206", f"expected a value, found {quoted(token)}", hint)


def _without_comment(text: str, at: int) -> str:
    """Return the text with blanks in place of a comment; line breaks stay."""
    comment = re.compile(r"/\*.*?(?:\*/|\Z)|[^\r\n]*", re.DOTALL).match(text, at)
    end = comment.end() if comment else at
    return text[:at] + re.sub(r"[^\r\n]", " ", text[at:end]) + text[end:]


def _with_comma(text: str, at: int, expected: str) -> str | None:
    """Return the text with a comma for the white space before the next entry, if that is all that is missing."""
    if "`,`" not in expected or text[at] not in '"{[' or text[at - 1] not in " \t\r\n":
        return None
    return f"{text[: at - 1]},{text[at:]}"


def _hint(found: str, expected: str) -> str | None:
    if found in "'`\u2018\u2019\u201c\u201d":
        return "JSON uses double quotes"
    return "a comma is missing before it" if "`,`" in expected else None


def _token(text: str, at: int) -> str:
    match = re.compile(r'"[^"\x00-\x1f]{0,60}"?|[\w.+-]+').match(text, at)
    return quoted(match[0] if match else text[at], 40)
