"""A report as one HTML page: self-contained, without scripts, and with everything foreign escaped.

The Content-Security-Policy allows the one style sheet, by its hash, and nothing else: no script, no
picture, no connection, no form. Pictures are inline SVG, of which a policy asks nothing.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape

from evals.skill_eval.reporting.document import Block, Cell, Entries, Entry, Figure, Paragraph, Quoted, Report, Table
from evals.skill_eval.reporting.escape import escape_block

STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; --warn: #b45309; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { border-bottom: 1px solid var(--line); font-size: 1.25rem; margin-top: 2.5rem; }
.notice { border-left: 4px solid var(--warn); padding: .3rem .8rem; background: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; }
caption { font-weight: 600; text-align: left; padding: .3rem 0; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; }
thead th { background: var(--soft); }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; }
details { border: 1px solid var(--line); margin: .5rem 0; padding: .3rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
dl { display: grid; gap: .2rem 1rem; grid-template-columns: max-content 1fr; }
dt { font-weight: 600; } dd { margin: 0; min-width: 0; }
.foreign { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; white-space: pre-wrap; }
figure { margin: 1rem 0; } svg { height: auto; max-width: 100%; } svg text { fill: currentColor; }
figcaption { font-weight: 600; }
"""

_OPEN = 10
"""How many entries of a page stand open; of each list so many are told apart, the others wait behind one line."""


def html_page(report: Report) -> str:
    """Return the report as a complete page."""
    policy = f"default-src 'none'; style-src '{_digest(STYLE)}'; base-uri 'none'; form-action 'none'"
    return "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{html_text(report.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>",
            *_body(report),
            "</body>\n</html>\n",
        )
    )


def html_text(text: str) -> str:
    """Return text that means itself between tags and in quoted attributes; invisible characters are shown."""
    return escape(escape_block(text), quote=True)


def _digest(style: str) -> str:
    return f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}"


def _body(report: Report) -> Iterator[str]:
    yield f"<h1>{html_text(report.title)}</h1>"
    yield from (f'<p class="notice">{html_text(notice)}</p>' for notice in report.notices)
    yield from _links(report)
    left = _OPEN
    for number, section in enumerate(report.sections, 1):
        yield f'<section aria-labelledby="s{number}">\n<h2 id="s{number}">{html_text(section.title)}</h2>'
        for block in section.blocks:
            yield from _block(block, left)
            left -= min(left, len(block.entries)) if isinstance(block, Entries) else 0
        yield "</section>"


def _links(report: Report) -> Iterator[str]:
    links = (f'<li><a href="#s{at}">{html_text(one.title)}</a></li>' for at, one in enumerate(report.sections, 1))
    yield f'<nav aria-label="Sections"><ul>{"".join(links)}</ul></nav>'


def _block(block: Block, left: int) -> Iterator[str]:
    match block:
        case Paragraph():
            yield f"<p>{html_text(block.text)}</p>"
        case Table():
            yield from _table(block)
        case Figure():
            yield f"<figure>\n<figcaption>{html_text(block.caption)}</figcaption>\n{block.svg}\n</figure>"
        case Entries():
            yield from _entries(block.entries, left)


def _entries(entries: Sequence[Entry], left: int) -> Iterator[str]:
    """Yield the first entries, `left` of them open, and all others closed behind one line."""
    yield from (_entry(entry, opened=at < left) for at, entry in enumerate(entries[:_OPEN]))
    if more := entries[_OPEN:]:
        yield f"<details><summary>{len(more)} more</summary>"
        yield from (_entry(entry, opened=False) for entry in more)
        yield "</details>"


def _table(table: Table) -> Iterator[str]:
    yield f'<div class="scroll"><table>\n<caption>{html_text(table.caption)}</caption>'
    headings = "".join(f'<th scope="col">{html_text(heading)}</th>' for heading in table.headings)
    yield f"<thead><tr>{headings}</tr></thead>\n<tbody>"
    for name, *cells in table.rows:
        rest = "".join(f"<td>{_cell(cell)}</td>" for cell in cells)
        yield f'<tr><th scope="row">{_cell(name)}</th>{rest}</tr>'
    yield "</tbody></table></div>"


def _entry(entry: Entry, *, opened: bool) -> str:
    values = "".join(f"<dt>{html_text(name)}</dt><dd>{_cell(value)}</dd>" for name, value in entry.values)
    return f"<details{' open' if opened else ''}><summary>{html_text(entry.title)}</summary><dl>{values}</dl></details>"


def _cell(cell: Cell) -> str:
    return f'<span class="foreign">{html_text(cell.text)}</span>' if isinstance(cell, Quoted) else html_text(cell)
