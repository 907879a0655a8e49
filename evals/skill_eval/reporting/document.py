"""A report before it is Markdown, HTML or terminal text: sections of text, tables, figures and entries."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quoted:
    """Text of a model or file; every renderer shows it as a quotation and lets nothing of it act."""

    text: str


Cell = str | Quoted


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences of our own."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells below headings; the first cell of a row is its name."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture that `reporting.svg` drew; its numbers stand in a table as well, which `caption` names."""

    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of a list that is read item by item: a title and named values."""

    title: str
    values: tuple[tuple[str, Cell], ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """Items to be read one by one, the most telling first."""

    entries: tuple[Entry, ...]


Block = Paragraph | Table | Figure | Entries


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a report."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report; `notices` stand above everything, such as that an adapter is no language model."""

    title: str
    notices: tuple[str, ...]
    sections: tuple[Section, ...]


def shortened(report: Report, entries: int) -> Report:
    """Return the report with at most so many entries in each list, and a sentence on what was left out."""
    sections = tuple(
        Section(section.title, tuple(part for block in section.blocks for part in _short(block, entries)))
        for section in report.sections
    )
    return Report(report.title, report.notices, sections)


def _short(block: Block, most: int) -> Sequence[Block]:
    if not isinstance(block, Entries) or len(block.entries) <= most:
        return (block,)
    left = len(block.entries) - most
    return (Entries(block.entries[:most]), Paragraph(f"{left} more are in the HTML and JSON reports."))
