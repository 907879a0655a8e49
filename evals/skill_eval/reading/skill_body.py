"""The rules on the body of a SKILL.md: its length and its links."""

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from evals.skill_eval.reading.markdown_prose import prose_of
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.text_findings import MOST_ALIKE, TextFindings, place_of

MOST_BODY_LINES = 500

_DESTINATION = r"(?:<([^<>\n]*)>|((?!<)(?:[^\s()\\]|\\.|\([^\s()]*\)){1,2000}))"
_TITLE = r"""(?:[ \t\n]+(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\((?:[^()\\\n]|\\.)*\)))?"""
_INLINE_LINK = rf"\]\([ \t\n]*{_DESTINATION}{_TITLE}[ \t\n]*\)"
_REFERENCE = rf"(?m)^ {{0,3}}\[(?!\^)[^\[\]\n]+\]:[ \t]*(?:\n[ \t]*)?{_DESTINATION}{_TITLE}[ \t]*$"
_BRACKET = r"\\.|[\[\]]|\n[ \t]*\n"
_ENTITY = r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"
_ESCAPED = r"\\([!-/:-@\[-`{-~])"
# A URL, an anchor or query of the file itself, or a placeholder: nothing that could be looked up in the folder.
_NO_PATH = r"[A-Za-z][A-Za-z0-9+.-]*:|//|[#?]|.*[{}$*<>]|\.\.\.$"


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
    prose = prose_of(body)
    inline = re.finditer(_INLINE_LINK, prose) if "](" in prose else ()
    ends = _ends_of_brackets(prose) if inline else set()
    references = re.finditer(_REFERENCE, prose) if "]:" in prose else ()
    for found in (*(found for found in inline if found.start() in ends), *references):
        group = 1 if found[1] is not None else 2
        yield found.start(group), _destination(found[group])


def _destination(written: str) -> str:
    """Return where a link leads, without what Markdown lets one write instead of a character."""
    if "&" in written:
        from html import unescape  # slow to load, and hardly ever needed

        written = re.sub(_ENTITY, lambda entity: unescape(entity[0]), written)
    return re.sub(_ESCAPED, r"\1", written)


def _ends_of_brackets(prose: str) -> set[int]:
    """Return the places of closing brackets whose partner stands before them in the same paragraph."""
    ends: set[int] = set()
    depth = 0
    for found in re.finditer(_BRACKET, prose):
        if found[0] == "]" and depth:
            ends.add(found.start())
        if found[0] in "[]":
            depth = depth + 1 if found[0] == "[" else max(0, depth - 1)
        elif found[0][0] == "\n":
            depth = 0
    return ends


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
