"""Small charts as inline SVG: bars in groups, and a radar; presentation attributes alone, no style, no script."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import cos, pi, sin

from evals.skill_eval.reading.quoting import visible

# Eight colours that differ in lightness too (Okabe and Ito 2008), so that a grey print is readable.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#f0e442")
_LEFT, _BAR, _GAP, _WIDTH = 220, 14, 10, 720
_SIZE, _RADIUS = 440, 150


@dataclass(frozen=True, slots=True)
class Series:
    """One model's values, from 0.0 to 1.0, in the order of the chart's labels; None was not measured."""

    name: str
    values: tuple[float | None, ...]


def bar_chart(title: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    """Return horizontal bars from 0 to 100 %, a group for each label, a bar for each series."""
    group = len(series) * _BAR + _GAP
    height = len(labels) * group + 30
    parts = [_axis(height), *_legend(series, height + 6)]
    for row, label in enumerate(labels):
        top = 10 + row * group
        parts.append(_text(_LEFT - 8, top + (group - _GAP) / 2 + 4, label, "end", 34))
        parts += [_bar(top + at * _BAR, at, one.values[row]) for at, one in enumerate(series)]
    return _svg(title, _WIDTH, height + 20 * (1 + len(series)), parts)


def radar_chart(title: str, axes: Sequence[str], series: Sequence[Series]) -> str:
    """Return a radar with its rim at 100 %; a series of which some axis was not measured is drawn as dots alone."""
    parts = [*_web(axes)]
    for at, one in enumerate(series):
        parts += _ring(one, at)
    parts += _legend(series, _SIZE)
    return _svg(title, _WIDTH, _SIZE + 20 * (1 + len(series)), parts)


def _svg(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    named = escape(visible(title), quote=True)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" role="img"'
    return "\n".join((f'{head} aria-label="{named}" font-size="12">', f"<title>{named}</title>", *parts, "</svg>"))


def _text(x: float, y: float, text: str, anchor: str = "start", most: int = 60) -> str:
    shown = escape(visible(text if len(text) <= most else f"{text[: most - 1]}…"), quote=True)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{shown}</text>'


def _axis(height: float) -> str:
    lines = []
    for percent in (0, 25, 50, 75, 100):
        x = _across(percent / 100)
        lines.append(f'<line x1="{x:.1f}" y1="5" x2="{x:.1f}" y2="{height - 20:.1f}" stroke="#8888" />')
        lines.append(_text(x, height - 6, f"{percent} %", "middle"))
    return "\n".join(lines)


def _across(value: float) -> float:
    return _LEFT + value * (_WIDTH - _LEFT - 70)


def _bar(top: float, at: int, value: float | None) -> str:
    if value is None:
        return _text(_LEFT + 4, top + _BAR - 3, "not measured")
    width, colour = max(0.0, _across(value) - _LEFT), COLOURS[at % len(COLOURS)]
    bar = f'<rect x="{_LEFT}" y="{top:.1f}" width="{width:.1f}" height="{_BAR - 2}" fill="{colour}" />'
    return f"{bar}\n{_text(_LEFT + width + 4, top + _BAR - 3, f'{100 * value:.1f} %')}"


def _legend(series: Sequence[Series], top: float) -> Iterator[str]:
    for at, one in enumerate(series):
        y = top + 20 * at + 12
        yield f'<rect x="{_LEFT}" y="{y - 10:.1f}" width="12" height="12" fill="{COLOURS[at % len(COLOURS)]}" />'
        yield _text(_LEFT + 18, y, one.name)


def _point(at: int, of: int, value: float) -> tuple[float, float]:
    angle = 2 * pi * at / of - pi / 2
    return _WIDTH / 2 + _RADIUS * value * cos(angle), _SIZE / 2 + _RADIUS * value * sin(angle)


def _polygon(points: Sequence[tuple[float, float]], stroke: str, fill: str = "none") -> str:
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{listed}" fill="{fill}" fill-opacity="0.12" stroke="{stroke}" stroke-width="1.5" />'


def _web(axes: Sequence[str]) -> Iterator[str]:
    for share in (0.25, 0.5, 0.75, 1.0):
        yield _polygon([_point(at, len(axes), share) for at in range(len(axes))], "#8888")
    yield _text(_WIDTH / 2 + 4, _SIZE / 2 - _RADIUS + 12, "100 %")
    for at, axis in enumerate(axes):
        x, y = _point(at, len(axes), 1.13)
        anchor = "middle" if abs(x - _WIDTH / 2) < 5 else "start" if x > _WIDTH / 2 else "end"
        yield _text(x, y + 4, axis, anchor)


def _ring(one: Series, at: int) -> Iterator[str]:
    colour, of = COLOURS[at % len(COLOURS)], len(one.values)
    points = [_point(axis, of, value) for axis, value in enumerate(one.values) if value is not None]
    if len(points) == of:
        yield _polygon(points, colour, colour)
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}" />' for x, y in points)
