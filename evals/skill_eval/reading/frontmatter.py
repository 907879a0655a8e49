"""The frontmatter: the bytes of a SKILL.md become fields and a body."""

import re
from typing import NamedTuple

from evals.skill_eval.reading.plain_fields import parse_plain
from evals.skill_eval.reading.text_findings import TextFindings, place_of
from evals.skill_eval.reading.yaml_nodes import Document, YamlMap

LONGEST_HEADER = 262_144

_OPENING = re.compile(r"---([ \t]*)(?:\n|\Z)")
_CLOSING = re.compile(r"^---([ \t]*)$", re.MULTILINE)


class Frontmatter(NamedTuple):
    """A SKILL.md taken apart.

    `fields` is None where there is no header that could be read, and `unread` are fields whose
    value is no YAML. `body_line` is the line on which the body begins, from 1.
    """

    fields: YamlMap | None
    unread: frozenset[str]
    body: str
    body_line: int


def read_frontmatter(content: bytes, findings: TextFindings) -> Frontmatter:
    """Take the content of a SKILL.md apart; what is wrong with its text goes to `findings`."""
    if encoding := _foreign_encoding(content):
        findings.add("SE107", None, f"the file is {encoding}, expected UTF-8", "save it as UTF-8")
        return Frontmatter(None, frozenset(), "", 1)
    text = _plain_line_ends(_decoded(content, findings), findings)
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if not _is_plain(text):
        from evals.skill_eval.reading.odd_characters import look_for_odd_characters

        look_for_odd_characters(text, closing.end() if closing else len(text), findings)
    if not opening or not closing:
        from evals.skill_eval.reading.missing_header import explain_missing_header

        explain_missing_header(text, opening is not None, findings)
        return Frontmatter(None, frozenset(), "" if opening else text, 1)
    _note_blanks_after_dashes(text, opening, closing, findings)
    body, body_line = text[closing.end() + 1 :], text.count("\n", 0, closing.end()) + 2
    return _with_fields(text[opening.end() : closing.start()], body, body_line, findings)


def _foreign_encoding(content: bytes) -> str | None:
    if content.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "UTF-32"
    if content.startswith((b"\xff\xfe", b"\xfe\xff", b"-\0-\0", b"\0-\0-")):
        return "UTF-16"
    return None


def _decoded(content: bytes, findings: TextFindings) -> str:
    """Return the text; bytes that are no UTF-8 are reported and replaced, so that reading can go on."""
    if content.startswith(b"\xef\xbb\xbf"):
        message = "the file begins with a byte order mark (BOM)"
        findings.add("SE108", (1, 1), message, "save it as UTF-8 without BOM: many readers see no frontmatter")
        content = content[3:]
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        message = f"byte 0x{content[error.start]:02x} at offset {error.start} is no UTF-8"
        findings.add("SE106", place_of(before, len(before)), message, "save the file as UTF-8")
        return content.decode(errors="replace")


def _plain_line_ends(text: str, findings: TextFindings) -> str:
    if "\r" not in text:
        return text
    if "\r\n" in text:
        findings.add("SE110", (1, 1), "the lines end in CRLF", "save the file with LF: some readers drop such skills")
        text = text.replace("\r\n", "\n")
    if "\r" in text.partition("\n")[0]:
        findings.add("SE111", (1, 1), "the lines end in a carriage return alone", "save the file with LF line ends")
        text = text.replace("\r", "\n")
    return text


def _is_plain(text: str) -> bool:
    """Tell whether a text is lines of printable ASCII, as most are."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _note_blanks_after_dashes(
    text: str, opening: re.Match[str], closing: re.Match[str], findings: TextFindings
) -> None:
    for found in (opening, closing):
        if found[1]:
            place = place_of(text, found.start(1))
            findings.add("SE116", place, "blanks after `---`", "take them out: some readers miss the line then")


def _with_fields(header: str, body: str, body_line: int, findings: TextFindings) -> Frontmatter:
    if len(header) > LONGEST_HEADER:
        message = f"the frontmatter has {len(header)} characters, at most {LONGEST_HEADER} are read"
        findings.add("SE118", (1, 1), message, "keep fields short; the text of the skill belongs below the frontmatter")
        return Frontmatter(None, frozenset(), body, body_line)
    _note_inner_dashes(header, findings)
    document = _parsed(header, first_line=2)
    for fault in document.faults:
        findings.add(fault.code, (fault.line, fault.column), fault.message, fault.hint)
    return Frontmatter(document.root, document.unread, body, body_line)


def _parsed(header: str, first_line: int) -> Document:
    document = parse_plain(header, first_line)
    if document is not None:
        return document
    from evals.skill_eval.reading.yaml_subset import parse

    return parse(header, first_line)


def _note_inner_dashes(header: str, findings: TextFindings) -> None:
    offset = header.find("---")
    if offset >= 0:
        line, column = place_of(header, offset)
        hint = "write fewer dashes or a long dash: some readers end the frontmatter at any `---`"
        findings.add("SE117", (line + 1, column), "`---` inside the frontmatter", hint)
