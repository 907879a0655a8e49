"""What the text of a YAML scalar says: folding, escapes, block chomping."""

import re

from evals.skill_eval.reading.quoting import quoted


class EscapeError(ValueError):
    """A backslash sequence that YAML does not know; `offset` is its place between the quotes."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


def single_quoted(raw: str) -> str:
    """Return what stands between single quotes, decoded."""
    return _fold(raw).replace("''", "'")


def double_quoted(raw: str) -> str:
    """Return what stands between double quotes, decoded; raises EscapeError."""
    if "\\" not in raw:
        return _fold(raw)
    return re.sub(_DOUBLE_TOKEN, _decode, raw, flags=re.VERBOSE)


def block_text(lines: list[str], *, folded: bool, chomping: str) -> str:
    """Return the text of a block scalar; `lines` are without indentation, `chomping` is ``, `-` or `+`."""
    size = len(lines)
    while size and not lines[size - 1]:
        size -= 1
    tail = "\n" * (len(lines) - size) if chomping == "+" else ""
    if not size:
        return tail
    text = _fold_block(lines[:size]) if folded else "\n".join(lines[:size])
    return text if chomping == "-" else f"{text}\n{tail}"


def glue(breaks: int) -> str:
    """Return what so many line breaks between two pieces of text fold into."""
    return "\n" * (breaks - 1) or " "


def _fold(raw: str) -> str:
    if "\n" not in raw:
        return raw
    return re.sub(_BREAKS, lambda found: glue(found[0].count("\n")), raw)


# A run of blanks is looked at once, from its start: a search from each of its blanks would take quadratic time.
_BREAKS = r"(?<![ \t])[ \t]*\n[ \t\n]*"
_DOUBLE_TOKEN = r"""
    \\(?: \n[ \t\n]*
       | u(?P<pair>[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2})
       | x(?P<x>[0-9a-fA-F]{2}) | u(?P<u>[0-9a-fA-F]{4}) | U(?P<U>[0-9a-fA-F]{8})
       | [^\n] )
    | (?: (?<![ \t]) | (?<=\\[ \t]) ) [ \t]*\n[ \t\n]*
    """
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


def _decode(found: re.Match[str]) -> str:
    token = found[0]
    if token[0] != "\\":
        return glue(token.count("\n"))
    if token[1] == "\n":
        return "\n" * (token.count("\n") - 1)
    if found.lastgroup:
        return _character(found, found[found.lastgroup])
    if token[1] not in _ESCAPES:
        raise EscapeError(found.start(), f"{quoted(token)} is no escape of a double-quoted text")
    return _ESCAPES[token[1]]


def _character(found: re.Match[str], digits: str) -> str:
    if found["pair"]:  # JSON writes a character beyond U+FFFF as two escapes
        return chr(0x10000 + (int(digits[:4], 16) - 0xD800) * 0x400 + int(digits[-4:], 16) - 0xDC00)
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise EscapeError(found.start(), f"`{found[0]}` is no character")
    return chr(code)


def _fold_block(lines: list[str]) -> str:
    pieces: list[str] = []
    previous, breaks = "", 0
    for line in lines:
        if not line:
            breaks += 1
            continue
        if not previous:
            pieces.append("\n" * breaks)
        elif previous[0] in " \t" or line[0] in " \t":
            pieces.append("\n" * (breaks + 1))
        else:
            pieces.append(glue(breaks + 1))
        pieces.append(line)
        previous, breaks = line, 0
    return "".join(pieces)
