"""The prose of a Markdown text: what is left of it without code, raw HTML and comments."""

import re
from collections.abc import Iterator

_FENCE = r"(?m)^[ \t>]*(?P<item>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)$"
_LINE = r"([ \t]*)(\S[^\n]*)?(?:\n|\Z)"
_ITEM = r"(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)|(?=\s|\Z))"
_RAW = re.compile(r"<(?:!--|(pre|script|style|textarea)\b)", re.IGNORECASE)
_CODE_INDENT = 4


def prose_of(text: str) -> str:
    """Return the text with code, raw HTML and comments turned to blanks, every other character in its place."""
    if "```" in text or "~~~" in text:
        text = _blanked(text, _fences(text))
    if "\n    " in f"\n{text}" or "\t" in text:
        text = _blanked(text, _indented(text))
    if "`" in text:
        text = "\n\n".join(_without_code_spans(paragraph) for paragraph in text.split("\n\n"))
    return _blanked(text, _raw(text)) if "<" in text else text


def _blanked(text: str, ranges: Iterator[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in ranges:
        pieces += (text[done:start], " " * (end - start))
        done = end
    return "".join(pieces) + text[done:]


def _fences(text: str) -> Iterator[tuple[int, int]]:
    opening: re.Match[str] | None = None
    for fence in re.finditer(_FENCE, text):
        if opening is None:
            opening = fence if fence["mark"][0] == "~" or "`" not in fence["info"] else None
        elif fence["mark"].startswith(opening["mark"]) and not (fence["info"].strip() or fence["item"]):
            yield opening.start(), fence.end()
            opening = None
    if opening:
        yield opening.start(), len(text)


def _without_code_spans(paragraph: str) -> str:
    if "`" not in paragraph or "]" not in paragraph:
        return paragraph
    return _blanked(paragraph, _code_spans(paragraph))


def _code_spans(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield where text stands between two runs of equally many backticks."""
    runs = list(re.finditer("`+", paragraph))
    next_alike: dict[int, int] = {}
    closing: list[int | None] = []
    for index in reversed(range(len(runs))):
        closing.append(next_alike.get(len(runs[index][0])))
        next_alike[len(runs[index][0])] = index
    closing.reverse()
    index = 0
    while index < len(runs):
        start = runs[index].start()
        partner = None if _is_escaped(paragraph, start) else closing[index]
        if partner is not None:
            yield start, runs[partner].end()
        index = (index if partner is None else partner) + 1


def _is_escaped(text: str, position: int) -> bool:
    before = text[max(0, position - 16) : position]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _indented(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of code that is made by indentation: behind a blank line, and deeper than the list around it."""
    edge, after_blank, in_code = 0, True, False
    for line in re.finditer(_LINE, text):
        content = line[2]
        if not content:
            after_blank = True
            continue
        indent = len(line[1].expandtabs(_CODE_INDENT))
        in_code = (in_code or after_blank) and indent >= edge + _CODE_INDENT
        if in_code:
            yield line.span()
        elif item := re.match(_ITEM, content):
            edge = indent + len(item[0])
        elif indent == 0 and (after_blank or content[0] == "#"):
            edge = 0
        after_blank = False


def _raw(text: str) -> Iterator[tuple[int, int]]:
    """Yield where comments stand, and the elements of HTML in which nothing is Markdown."""
    opening = _RAW.search(text)
    while opening:
        closing = rf"</{opening[1]}\s*>" if opening[1] else "-->"
        end = re.compile(closing, re.IGNORECASE).search(text, opening.start() + 2)
        if end is None:
            return
        yield opening.start(), end.end()
        opening = _RAW.search(text, end.end())
