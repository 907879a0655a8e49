"""A table of plain text."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

_GAP = "  "
_SHORT = 8
"""So long a heading is not broken for the sake of a narrow column, and so wide is any column at least."""

Rows = Sequence[Sequence[str]]


def table(rows: Rows) -> list[str]:
    """Return the rows as lines with aligned columns; all rows have the same number of cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths) for row in rows]


def fitted_table(rows: Rows, width: int) -> list[str]:
    """Return the rows, headings first, as lines of at most `width` characters (40 or more).

    Of a table that is too wide, columns with the same cell in every row are told in a sentence below.
    If that is not enough, it is turned on its side or split, whichever is shorter: the parts stand one
    below the other, an empty line between, and each begins with the columns that name the rows.
    """
    names = _naming(rows)
    if len(split := _split(rows, names, width)) == 1:
        return split[0]
    rows, same = _varied(rows, names)
    said = [line for text in same for line in wrap(text, width, break_on_hyphens=False)]
    split = _split(rows, names, width)
    turned = _split(_turned(rows, names), 1, width)
    upright = _joined(split)
    return [*(turned[0] if len(turned) == 1 and len(turned[0]) < len(upright) else upright), *said]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _naming(rows: Rows) -> int:
    """Return how many of the first columns it takes to tell the rows apart; 1 when all together do not."""
    for count in range(1, len(rows[0])):
        if len({tuple(row[:count]) for row in rows[1:]}) == len(rows) - 1:
            return count
    return 1


def _varied(rows: Rows, names: int) -> tuple[Rows, list[str]]:
    """Return the rows without the columns that are the same in each of several, and what those say."""
    columns = range(names, len(rows[0]))
    same = [at for at in columns if len(rows) > 2 and len({row[at] for row in rows[1:]}) == 1]
    by_cell: dict[str, list[str]] = {}
    for at in same:
        by_cell.setdefault(rows[1][at], []).append(rows[0][at])
    kept = [[cell for at, cell in enumerate(row) if at not in same] for row in rows]
    return kept, [f"In every row: {'; '.join(headings)}: {cell}." for cell, headings in by_cell.items()]


def _turned(rows: Rows, names: int) -> Rows:
    """Return the table with a column for each row, headed by what names that row."""
    titles = [", ".join(row[:names]) for row in rows]
    return [titles, *zip(*(row[names:] for row in rows), strict=True)]


def _split(rows: Rows, names: int, width: int) -> list[list[str]]:
    """Return the table in as many parts as the width asks for, each as lines; headings and long cells are broken."""
    caps = _caps(rows, names, width)
    body = [[_broken(cell, cap) for cell, cap in zip(row, caps, strict=True)] for row in rows[1:]]
    pieces = [_pieces(heading) for heading in rows[0]]
    widths = [
        min(cap, max(min(len(heading), _SHORT), *map(len, parts), *(len(line) for row in body for line in row[at])))
        for at, (cap, heading, parts) in enumerate(zip(caps, rows[0], pieces, strict=True))
    ]
    headings = [_filled(parts, most) for parts, most in zip(pieces, widths, strict=True)]
    return [_part([headings, *body], widths, chosen) for chosen in _groups(widths, names, width)]


def _caps(rows: Rows, names: int, width: int) -> list[int]:
    """Return the most that each column may take, so that those that name a row leave room for one more."""
    natural = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = width - sum(most + len(_GAP) for most in natural[:names])
    if room >= width // 3:
        return [*natural[:names], *([room] * (len(natural) - names))]
    return [max(_SHORT, (width - len(_GAP) * names) // (names + 1))] * len(natural)


def _broken(cell: str, width: int) -> list[str]:
    return wrap(cell, width, break_on_hyphens=False) or [""]


def _pieces(heading: str) -> list[str]:
    """Return what a heading may be broken into: after a space or an underscore."""
    return re.findall(r"[^ _]*_|[^ _]+ ?| ", heading) or [""]


def _filled(pieces: Sequence[str], width: int) -> list[str]:
    lines = [""]
    for piece in (short for one in pieces for short in (wrap(one, width, drop_whitespace=False) or [""])):
        if len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _groups(widths: Sequence[int], names: int, width: int) -> Iterator[list[int]]:
    """Yield the columns of each part: those that name a row, and as many of the others as fit."""
    chosen = list(range(names))
    for at in range(names, len(widths)):
        if len(chosen) > names and sum(widths[one] + len(_GAP) for one in chosen) + widths[at] > width:
            yield chosen
            chosen = list(range(names))
        chosen.append(at)
    yield chosen


def _part(rows: Sequence[Sequence[Sequence[str]]], widths: Sequence[int], chosen: Sequence[int]) -> list[str]:
    return [
        _line(line, [widths[at] for at in chosen])
        for row in rows
        for line in zip_longest(*(row[at] for at in chosen), fillvalue="")
    ]


def _joined(parts: Sequence[Sequence[str]]) -> list[str]:
    return [line for at, part in enumerate(parts) for line in ([""] if at else []) + list(part)]
