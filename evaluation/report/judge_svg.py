"""Draws the charts about judges as SVG: a grid of values with limits, ranks, and bars."""

from collections.abc import Sequence
from html import escape

from ...files.svg import LIGHT, Point, frame, label, legend_line, rule, series, short, wide

_SMALL = ' font-size="10"'


def small(x: float, y: float, text: str, *, anchor: str = "middle") -> str:
    """Draw a small text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="ink"{_SMALL}>'
        f"{escape(text)}</text>"
    )


def limits(point: Point) -> str:
    """The limits of a value in brackets; "" without limits."""
    return "" if point.low != point.low else f"[{_two(point.low)}, {_two(point.high)}]"


def _two(value: float) -> str:
    """Format with two digits, and without a minus before zero."""
    return f"{round(value, 2) + 0.0:.2f}"


def grid(
    title: str,
    rows: Sequence[str],
    columns: Sequence[tuple[str, str]],
    table: Sequence[Sequence[Point]],
) -> str:
    """Draw a grid of values from 0 to 1, each above its limits; a column's name has two lines."""
    names = [name for pair in columns for name in pair]
    left, cell, head, high = 1.1 * wide(rows), max(96.0, wide(names, most=150)), 40.0, 40.0
    parts = []
    for at, lines in enumerate(columns):
        for line, name in enumerate(filter(None, lines)):
            x = left + (at + 0.5) * cell
            parts.append(label(x, 16 + line * 15, short(name, cell), anchor="middle"))
    for line, (name, points) in enumerate(zip(rows, table, strict=True)):
        y = head + line * high
        parts.append(label(left - 6, y + 24, short(name, left), anchor="end"))
        for at, point in enumerate(points):
            parts += _cell(left + at * cell, y, cell, high, point)
    return frame(left + len(columns) * cell + 8, head + len(rows) * high + 8, title, parts)


def _cell(x: float, y: float, wide_: float, high: float, point: Point) -> list[str]:
    middle = x + wide_ / 2
    if point.value != point.value:
        return [label(middle, y + 24, "–", anchor="middle")]
    share = min(1.0, max(0.0, point.value))
    return [
        f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{wide_ - 2:.1f}" height="{high - 2:.1f}" '
        f'class="heat" fill-opacity="{0.05 + 0.5 * share:.3f}"/>',
        label(middle, y + 18, _two(point.value), anchor="middle"),
        small(middle, y + 32, limits(point)),
    ]


def bump(
    title: str,
    judges: Sequence[str],
    ranks: Sequence[tuple[str, Sequence[int | None]]],
    names_in_order: Sequence[str],
) -> str:
    """Draw the ranks under every judge, with a line for each model; rank 1 is at the top.

    ranks: a model with its rank under each judge. Tied models are drawn one below the other, with
    the same number.
    """
    names = [name for name, _ in ranks]
    side, gap, head = 1.1 * wide(names, least=20) + 24, 30.0, 34.0
    step = max(110.0, wide(judges, most=170) + 10)
    places = [_lines([by_judge[at] for _, by_judge in ranks]) for at in range(len(judges))]
    parts = []
    for at, judge in enumerate(judges):
        x = side + at * step
        parts.append(label(x, 16, short(judge, step), anchor="middle"))
        parts.append(rule(x, head - 8, x, head + (len(ranks) - 1) * gap + 10))
    for n, (name, by_judge) in enumerate(ranks):
        spots = [
            (side + at * step, head + line * gap + 4, rank)
            for at, rank in enumerate(by_judge)
            if rank is not None and (line := places[at][n]) is not None
        ]
        parts += _path(name, spots, list(names_in_order).index(name), side)
    width = 2 * side + (len(judges) - 1) * step
    return frame(width, head + len(ranks) * gap + 6, title, parts)


def _path(
    name: str, spots: Sequence[tuple[float, float, int]], place: int, side: float
) -> list[str]:
    if not spots:
        return []
    colour, dash = series(place)
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in spots)
    parts = [f'<polyline points="{joined}" class="line s{colour}" stroke-dasharray="{dash}"/>']
    for x, y, rank in spots:
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="10" class="f{colour}"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" class="on">{rank}</text>'
        )
    shown = short(name, side - 18)
    parts.append(label(spots[0][0] - 15, spots[0][1] + 4, shown, anchor="end"))
    parts.append(label(spots[-1][0] + 15, spots[-1][1] + 4, shown))
    return parts


def _lines(ranks: Sequence[int | None]) -> list[int | None]:
    """The line on which each model is drawn, in the order of the ranks; None without a rank."""
    order = sorted((rank, at) for at, rank in enumerate(ranks) if rank is not None)
    lines = {at: line for line, (_, at) in enumerate(order)}
    return [lines.get(at) for at in range(len(ranks))]


def bars_with_limits(
    title: str,
    rows: Sequence[str],
    names: Sequence[str],
    table: Sequence[Sequence[Point]],
    notes: Sequence[Sequence[str]],
) -> str:
    """Draw groups of horizontal bars: a group for each row, a bar with limits for each name.

    notes: the text beside each bar.
    """
    left, width, thick = 1.1 * wide(rows), 320.0, 15.0
    values = [v for line in table for p in line for v in (p.value, p.high) if v == v]
    largest = max(values, default=0.0) or 1.0
    group = thick * len(names) + 12
    parts = []
    for line, (row, points) in enumerate(zip(rows, table, strict=True)):
        y = 8 + line * group
        parts.append(label(left - 6, y + (group - 12) / 2 + 4, short(row, left), anchor="end"))
        for n, point in enumerate(points):
            parts += _bar(left, y + n * thick, thick, width / largest, point, n, notes[line][n])
    bottom = 8 + len(rows) * group
    parts += [rule(left, 6, left, bottom, "axis"), *legend_line(left, bottom + 14, names)]
    legend = left + sum(26 + 6.6 * len(short(name, 150)) for name in names)
    note = max((len(text) for line in notes for text in line), default=0) * 5.8
    return frame(max(left + width + 12 + note, legend) + 10, bottom + 26, title, parts)


def _bar(
    left: float, y: float, thick: float, scale: float, point: Point, n: int, note: str
) -> list[str]:
    if point.value != point.value:
        return [small(left + 5, y + 10, note, anchor="start")] if note else []
    colour = n % len(LIGHT)
    reach = left + point.value * scale
    parts = [
        f'<rect x="{left:.1f}" y="{y:.1f}" width="{max(reach - left, 1):.1f}" '
        f'height="{thick - 3:.1f}" class="f{colour} soft"/>'
    ]
    end = reach
    if point.low == point.low:
        middle = y + (thick - 3) / 2
        start, end = left + point.low * scale, left + point.high * scale
        parts += [rule(start, middle, end, middle, "axis")]
        parts += [rule(x, middle - 3, x, middle + 3, "axis") for x in (start, end)]
    parts.append(small(max(end, reach) + 6, y + 10, note, anchor="start"))
    return parts
