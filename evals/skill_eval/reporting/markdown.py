"""A report as Markdown in which nothing of a model can act: no link, picture, mention, heading or HTML."""

import re
from collections.abc import Iterator, Sequence

from evals.skill_eval.reading.quoting import visible
from evals.skill_eval.reporting.document import Block, Cell, Entries, Entry, Figure, Paragraph, Quoted, Report, Table

_LONGEST_QUOTE = 1000
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>()#+!|~@&:$^=-]|(?<=\d)\.")
_BACKTICKS = re.compile(r"`+")


def markdown_page(report: Report) -> str:
    """Return the report as one Markdown text; figures are left out, since a table has their numbers."""
    return "\n\n".join(_parts(report)) + "\n"


def markdown_text(text: str) -> str:
    """Return text of our own as one line in which Markdown sees nothing but words."""
    return _SPECIAL.sub(r"\\\g<0>", visible(text))


def code_span(text: str) -> str:
    """Return foreign text as one code span, in which links, mentions and HTML are mere characters."""
    line = visible(text) or " "
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(line)), default=0))
    gap = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{gap}{line}{gap}{fence}"


def markdown_table(headings: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table; every row has as many cells as there are headings."""
    lines = [headings, ["---"] * len(headings), *rows]
    shown = (cells if at == 1 else map(_table_cell, cells) for at, cells in enumerate(lines))
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in shown)


def _parts(report: Report) -> Iterator[str]:
    yield f"# {markdown_text(report.title)}"
    yield from (f"> {markdown_text(notice)}" for notice in report.notices)
    for section in report.sections:
        yield f"## {markdown_text(section.title)}"
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield markdown_text(block.text)
        case Table():
            yield f"**{markdown_text(block.caption)}**"
            yield markdown_table(block.headings, block.rows)
        case Entries():
            yield from map(_entry, block.entries)
        case Figure():
            return


def _entry(entry: Entry) -> str:
    values = (f"  - {markdown_text(name)}: {_cell(value)}" for name, value in entry.values)
    return "\n".join((f"- **{markdown_text(entry.title)}**", *values))


def _table_cell(cell: Cell) -> str:
    shown = _cell(cell)
    return re.sub(r"(?<!\\)\|", r"\\|", shown) if isinstance(cell, Quoted) else shown


def _cell(cell: Cell) -> str:
    if not isinstance(cell, Quoted):
        return markdown_text(cell)
    cut = f" and {len(cell.text) - _LONGEST_QUOTE} characters more" if len(cell.text) > _LONGEST_QUOTE else ""
    return code_span(cell.text[:_LONGEST_QUOTE]) + cut
