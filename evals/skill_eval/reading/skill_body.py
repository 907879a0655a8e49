"""The rules on the body of a SKILL.md: its length and its links."""

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.text_findings import MOST_ALIKE, TextFindings, place_of

MOST_BODY_LINES = 500

_DESTINATION = r"(?:<([^<>\n]*)>|((?!<)(?:[^\s()\\]|\\.|\([^\s()]*\)){1,2000}))"
_TITLE = r"""(?:[ \t\n]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?"""
_INLINE_LINK = rf"\]\([ \t\n]*{_DESTINATION}{_TITLE}[ \t\n]*\)"
_REFERENCE = rf"(?m)^ {{0,3}}\[(?!\^)[^\[\]\n]+\]:[ \t]*{_DESTINATION}{_TITLE}[ \t]*$"
_FENCE = r"(?m)^[ \t>]*(`{3,}|~{3,})([^\n]*)$"
_ESCAPED = r"\\([!-/:-@\[-`{-~])"
# A URL, an anchor or query of the file itself, or a placeholder: nothing that could be looked up in the folder.
_NO_PATH = r"[A-Za-z][A-Za-z0-9+.-]*:|//|[#?]|.*[{}$*]|\.\.\.$"


def check_body(body: str, body_line: int, directory: Path, findings: TextFindings) -> None:
    """Report a body that is too long, and links to files that are not in the skill folder."""
    lines = body.count("\n") + (not body.endswith("\n"))
    if lines > MOST_BODY_LINES:
        message = f"the body has {lines} lines, more than the {MOST_BODY_LINES} that are advised"
        findings.add("SE185", (body_line + MOST_BODY_LINES, 1), message, "move details to other files")
    if "](" in body or "]:" in body:
        _check_links(body, body_line, directory, findings)


def _check_links(body: str, body_line: int, directory: Path, findings: TextFindings) -> None:
    known: dict[str, tuple[str, str, str] | None] = {}
    count = 0
    for offset, destination in _links(body):
        if destination not in known:
            known[destination] = _verdict(destination, directory)
        if verdict := known[destination]:
            line, column = place_of(body, offset)
            findings.add(verdict[0], (line + body_line - 1, column), *verdict[1:])
            count += 1
        if count > MOST_ALIKE:
            return


def _links(body: str) -> Iterator[tuple[int, str]]:
    prose = _without_code(body)
    patterns = [pattern for mark, pattern in (("](", _INLINE_LINK), ("]:", _REFERENCE)) if mark in prose]
    for pattern in patterns:
        for found in re.finditer(pattern, prose):
            group = 1 if found[1] is not None else 2
            yield found.start(group), re.sub(_ESCAPED, r"\1", found[group])


def _verdict(destination: str, directory: Path) -> tuple[str, str, str] | None:
    """Return code, message and hint for a link that leads to no file of the skill."""
    if not destination or re.match(_NO_PATH, destination):
        return None
    shown = quoted(destination)
    if destination.startswith("/"):
        return "SE188", f"the link {shown} is the path of a web site", "write a relative path or a URL"
    path = posixpath.normpath(_unquoted(re.split("[#?]", destination, maxsplit=1)[0]))
    if path.split("/")[0] == "..":
        hint = "copy the file into the skill: an agent gets this folder alone"
        return "SE187", f"the link {shown} leaves the skill folder", hint
    if not os.path.lexists(directory / path):
        return "SE186", f"the link {shown} leads to no file", "paths are relative to the skill folder"
    return None


def _unquoted(path: str) -> str:
    if "%" not in path:
        return path
    from urllib.parse import unquote  # slow to load, and hardly ever needed

    return unquote(path)


def _without_code(body: str) -> str:
    """Return the text with code and comments turned to blanks, every other character in its place."""
    text = _blanked(body, _fences(body)) if "```" in body or "~~~" in body else body
    if "`" in text:
        text = "\n\n".join(_without_code_spans(paragraph) for paragraph in text.split("\n\n"))
    return _blanked(text, _comments(text)) if "<!--" in text else text


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
            opening = fence if fence[1][0] == "~" or "`" not in fence[2] else None
        elif fence[1].startswith(opening[1]) and not fence[2].strip():
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
        partner = closing[index]
        if partner is not None:
            yield runs[index].start(), runs[partner].end()
        index = (index if partner is None else partner) + 1


def _comments(text: str) -> Iterator[tuple[int, int]]:
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start)
        if end < 0:
            return
        yield start, end + 3
        start = text.find("<!--", end)
