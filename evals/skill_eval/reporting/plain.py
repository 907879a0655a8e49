"""A report as lines for a terminal."""

from collections.abc import Iterator
from textwrap import wrap

from evals.skill_eval.reporting.document import Block, Cell, Entries, Entry, Figure, Paragraph, Quoted, Report, Table
from evals.skill_eval.reporting.escape import escape_line
from evals.skill_eval.reporting.table import fitted_table

WIDTH = 100
"""Columns of a terminal of which nothing is known."""

_LONGEST_QUOTE = 400
_NARROWEST = 40


def plain_lines(report: Report, width: int = WIDTH) -> Iterator[str]:
    """Yield the report line by line, none wider than `width` columns (40 at least); figures are left out.

    A table has the numbers of each figure. What is wide is broken or split, so a line is escaped again: its
    beginning may have stood in the midst of another, where it was no command.
    """
    yield from map(escape_line, _lines(report, max(width, _NARROWEST)))


def _lines(report: Report, width: int) -> Iterator[str]:
    yield from _wrapped(escape_line(report.title), width)
    for notice in report.notices:
        yield from _wrapped(f"note: {escape_line(notice)}", width, "  ")
    for section in report.sections:
        title = escape_line(section.title)
        yield from ("", title, "=" * len(title))
        for block in section.blocks:
            yield from _block(block, width)


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _block(block: Block, width: int) -> Iterator[str]:
    match block:
        case Paragraph():
            yield from _wrapped(escape_line(block.text), width)
        case Table():
            yield from ("", *_wrapped(escape_line(block.caption), width))
            yield from fitted_table([_row(block.headings), *map(_row, block.rows)], width)
        case Entries():
            for entry in block.entries:
                yield from _entry(entry, width)
        case Figure():
            return


def _entry(entry: Entry, width: int) -> Iterator[str]:
    yield from _wrapped(escape_line(entry.title), width)
    for name, value in entry.values:
        yield from _wrapped(f"  {escape_line(name)}: {_cell(value)}", width, "    ")


def _row(cells: tuple[Cell, ...]) -> list[str]:
    return [_cell(cell) for cell in cells]


def _cell(cell: Cell) -> str:
    text = cell.text if isinstance(cell, Quoted) else cell
    line = escape_line(text)
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}… ({len(text)} characters)"
