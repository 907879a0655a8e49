"""A report as lines for a terminal."""

from collections.abc import Iterator

from evals.skill_eval.reporting.document import Block, Cell, Entries, Entry, Figure, Paragraph, Quoted, Report, Table
from evals.skill_eval.reporting.escape import escape_line
from evals.skill_eval.reporting.table import table

_LONGEST_QUOTE = 400


def plain_lines(report: Report) -> Iterator[str]:
    """Yield the report line by line; figures are left out, since a table has their numbers."""
    yield escape_line(report.title)
    yield from (f"note: {escape_line(notice)}" for notice in report.notices)
    for section in report.sections:
        yield from ("", escape_line(section.title), "=" * len(section.title))
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield escape_line(block.text)
        case Table():
            yield from ("", escape_line(block.caption))
            yield from table([_row(block.headings), *map(_row, block.rows)])
        case Entries():
            for entry in block.entries:
                yield from _entry(entry)
        case Figure():
            return


def _entry(entry: Entry) -> Iterator[str]:
    yield escape_line(entry.title)
    for name, value in entry.values:
        yield f"  {escape_line(name)}: {_cell(value)}"


def _row(cells: tuple[Cell, ...]) -> list[str]:
    return [_cell(cell) for cell in cells]


def _cell(cell: Cell) -> str:
    text = cell.text if isinstance(cell, Quoted) else cell
    line = escape_line(text)
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}… ({len(text)} characters)"
