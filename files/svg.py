"""Draws the charts of the report as SVG text.

Colours are classes (`ink`, `grid`, `s0` to `s7`, `heat`): the page defines them for a light and a
dark theme, and `standalone` defines them for a file. All text is escaped.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

LIGHT = ("#1f6fb4", "#c4531b", "#2b8a57", "#8247b5", "#a87900", "#bd3568", "#2c8895", "#666666")
DARK = ("#6db3f2", "#f2995f", "#6fd19b", "#c39bf0", "#e0bb4d", "#f288b0", "#6fd0dc", "#b0b0b0")
_DASHES = ("", "6 3", "2 3")
_CHAR = 6.6  # the width of a character of a label, rounded up


@dataclass(frozen=True)
class Point:
    """A value with its limits; NaN for a missing one."""

    value: float
    low: float = float("nan")
    high: float = float("nan")


def wide(texts: Iterable[str], *, least: float = 40, most: float = 260) -> float:
    """The width of the longest text, between `least` and `most`."""
    longest = max((len(text) for text in texts), default=0)
    return min(most, max(least, longest * _CHAR + 8))


def short(text: str, width: float) -> str:
    """Cut a text to a width."""
    room = max(3, int((width - 6) / _CHAR))
    return text if len(text) <= room else text[: room - 1] + "…"


def label(x: float, y: float, text: str, *, anchor: str = "start", extra: str = "") -> str:
    """Draw a text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="ink{extra}">'
        f"{escape(text)}</text>"
    )


def rule(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> str:
    """Draw a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def frame(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Join the parts into a drawing; a screen reader reads the `title`."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{escape(title)}" '
        f'font-family="system-ui, sans-serif" font-size="12">{"".join(parts)}</svg>'
    )


def standalone(svg: str) -> str:
    """Add the light colours and a white background to a drawing, for a file."""
    style = [".ink{fill:#1a1a1a}.grid{stroke:#d5d5d5}.axis{stroke:#777}.heat{fill:#1f6fb4}"]
    style += [f".s{n}{{stroke:{c}}}.f{n}{{fill:{c}}}" for n, c in enumerate(LIGHT)]
    style.append(".line{fill:none;stroke-width:2}.soft{fill-opacity:.55}.on{fill:#fff}")
    head, rest = svg.split(">", 1)
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return f"{head}><style>{''.join(style)}</style>{ground}{rest}"


def series(number: int) -> tuple[str, str]:
    """The colour number and the dash of the n-th line."""
    return str(number % len(LIGHT)), _DASHES[(number // len(LIGHT)) % len(_DASHES)]


def lines(
    title: str, names: Sequence[str], ticks: Sequence[str], table: Sequence[Sequence[Point]]
) -> str:
    """Draw a line for each name over categories, with limits and a legend; values are 0 to 1."""
    left, top, step, high = 44.0, 14.0, max(90.0, wide(ticks) + 10), 250.0
    legend = wide(names) + 34
    inner = step * (len(ticks) - 1) if len(ticks) > 1 else step
    parts = []
    for tenth in range(0, 11, 2):
        y = top + high * (1 - tenth / 10)
        parts += [rule(left, y, left + inner + 20, y), label(left - 6, y + 4, f"{tenth / 10:.1f}",
                                                            anchor="end")]  # fmt: skip
    for at, tick in enumerate(ticks):
        parts.append(label(left + 10 + at * step, top + high + 20, tick, anchor="middle"))
    for n, (name, points) in enumerate(zip(names, table, strict=True)):
        parts += _line(n, points, left + 10, top, step, high)
        y = top + 12 + n * 18
        colour, dash = series(n)
        parts.append(
            f'<line x1="{left + inner + 34:.1f}" y1="{y - 4}" x2="{left + inner + 54:.1f}" '
            f'y2="{y - 4}" class="line s{colour}" stroke-dasharray="{dash}"/>'
        )
        parts.append(label(left + inner + 60, y, short(name, 260)))
    height = max(top + high + 34, top + 20 + len(names) * 18)
    return frame(left + inner + 34 + legend + 30, height, title, parts)


def _line(
    n: int, points: Sequence[Point], left: float, top: float, step: float, high: float
) -> list[str]:
    colour, dash = series(n)
    shift = (n % 8 - 3.5) * 1.5  # so that the limits of several lines do not overlap
    spots = [
        (left + at * step + shift, top + high * (1 - point.value), point)
        for at, point in enumerate(points)
        if point.value == point.value
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in spots)
    parts = [f'<polyline points="{path}" class="line s{colour}" stroke-dasharray="{dash}"/>']
    for x, y, point in spots:
        if point.low == point.low:
            ends = (top + high * (1 - point.high), top + high * (1 - point.low))
            parts.append(rule(x, ends[0], x, ends[1], f"s{colour}"))
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" class="f{colour}">'
            f"<title>{point.value:.3f}</title></circle>"
        )
    return parts


def heat(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    table: Sequence[Sequence[float]],
    *,
    top: float = 1.0,
    digits: int = 2,
) -> str:
    """Draw a grid of values; a deeper colour is a value nearer to `top`."""
    left, cell, head = wide(rows), max(66.0, wide(columns, most=120)), 28.0
    parts = []
    for at, name in enumerate(columns):
        parts.append(label(left + (at + 0.5) * cell, 18, short(name, cell), anchor="middle"))
    for line, (name, values) in enumerate(zip(rows, table, strict=True)):
        y = head + line * 24
        parts.append(label(left - 6, y + 16, short(name, left), anchor="end"))
        for at, value in enumerate(values):
            if value != value:
                continue
            share = min(1.0, max(0.0, value / top)) if top else 0.0
            parts.append(
                f'<rect x="{left + at * cell + 1:.1f}" y="{y + 1:.1f}" width="{cell - 2:.1f}" '
                f'height="22" class="heat" fill-opacity="{0.05 + 0.5 * share:.3f}"/>'
            )
            parts.append(
                label(left + (at + 0.5) * cell, y + 16, f"{value:.{digits}f}", anchor="middle")
            )
    return frame(left + len(columns) * cell + 8, head + len(rows) * 24 + 8, title, parts)


def slopes(
    title: str,
    ends: tuple[str, str],
    ranks: Sequence[tuple[str, int, int]],
    names_in_order: Sequence[str],
) -> str:
    """Draw the ranks under two metrics, with a line for each model; rank 1 is at the top.

    A model has the colour of its place in `names_in_order`; "=" stands after a shared rank.
    """
    names = [name for name, _, _ in ranks]
    side, middle, gap, head = wide(names) + 30, 200.0, 24.0, 40.0
    firsts, seconds = [b for _, b, _ in ranks], [a for _, _, a in ranks]
    places = _spread(firsts), _spread(seconds)
    parts = [label(side, 20, ends[0], anchor="middle"), label(side + middle, 20, ends[1],
                                                              anchor="middle")]  # fmt: skip
    for n, (name, before, after) in enumerate(ranks):
        y1, y2 = head + places[0][n] * gap, head + places[1][n] * gap
        colour, dash = series(list(names_in_order).index(name))
        parts.append(
            f'<line x1="{side:.1f}" y1="{y1:.1f}" x2="{side + middle:.1f}" y2="{y2:.1f}" '
            f'class="line s{colour}" stroke-dasharray="{dash}"/>'
        )
        for x, y in ((side, y1), (side + middle, y2)):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="f{colour}"/>')
        shown = short(name, side - 20)
        parts.append(label(side - 10, y1 + 4, f"{shown} {_tie(before, firsts)}", anchor="end"))
        parts.append(label(side + middle + 10, y2 + 4, f"{_tie(after, seconds)} {shown}"))
    return frame(2 * side + middle, head + len(ranks) * gap, title, parts)


def _tie(rank: int, ranks: Sequence[int]) -> str:
    return f"{rank}{'=' if ranks.count(rank) > 1 else ''}"


def _spread(ranks: Sequence[int]) -> list[int]:
    """The line on which each model is drawn, in the order of the ranks."""
    order = sorted(range(len(ranks)), key=lambda at: (ranks[at], at))
    return [order.index(at) for at in range(len(ranks))]


def bars(
    title: str, rows: Sequence[str], names: Sequence[str], table: Sequence[Sequence[float]]
) -> str:
    """Draw groups of horizontal bars: a group for each row, a bar for each name."""
    left, width, thick = wide(rows), 340.0, 13.0
    largest = max((v for line in table for v in line if v == v), default=0.0) or 1.0
    group = thick * len(names) + 12
    parts = []
    for line, (row, values) in enumerate(zip(rows, table, strict=True)):
        y = 8 + line * group
        parts.append(label(left - 6, y + group / 2, short(row, left), anchor="end"))
        for n, value in enumerate(values):
            if value != value:
                continue
            reach = width * value / largest
            parts.append(
                f'<rect x="{left:.1f}" y="{y + n * thick:.1f}" width="{reach:.1f}" '
                f'height="{thick - 2:.1f}" class="f{n % len(LIGHT)}"/>'
            )
            parts.append(label(left + reach + 5, y + n * thick + 10, f"{value:.2f}"))
    bottom = 8 + len(rows) * group
    parts += legend_line(left, bottom + 14, names)
    span = max(left + width, _legend_end(left, names)) + 60
    return frame(span, bottom + 26, title, [rule(left, 6, left, bottom, "axis"),
                                                         *parts])  # fmt: skip


def stacks(
    title: str, rows: Sequence[str], names: Sequence[str], table: Sequence[Sequence[int]]
) -> str:
    """Draw a bar for each row, divided into the named parts by share, each with its count."""
    left, width = wide(rows), 480.0
    parts = []
    for line, (row, counts) in enumerate(zip(rows, table, strict=True)):
        y, x, total = 8 + line * 28.0, left, sum(counts) or 1
        parts.append(label(left - 6, y + 15, short(row, left), anchor="end"))
        for n, count in enumerate(counts):
            span = width * count / total
            if count:
                parts.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(span - 1, 0.5):.1f}" height="22" '
                    f'class="f{n % len(LIGHT)} soft"><title>{escape(names[n])}: {count}</title>'
                    "</rect>"
                )
            if span > 18:
                parts.append(label(x + span / 2, y + 15, str(count), anchor="middle"))
            x += span
    bottom = 8 + len(rows) * 28
    parts += legend_line(left, bottom + 14, names)
    return frame(max(left + width, _legend_end(left, names)) + 20, bottom + 26, title, parts)


def _legend_end(x: float, names: Sequence[str]) -> float:
    return x + sum(26 + len(short(name, 150)) * _CHAR for name in names)


def legend_line(x: float, y: float, names: Sequence[str]) -> list[str]:
    """Draw a legend: coloured squares with names, side by side."""
    parts = []
    for n, name in enumerate(names):
        shown = short(name, 150)
        parts.append(
            f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="10" height="10" class="f{n % len(LIGHT)}"/>'
        )
        parts.append(label(x + 14, y, shown))
        x += 26 + len(shown) * _CHAR
    return parts


def scatter(
    title: str,
    axes: tuple[str, str],
    clouds: Sequence[tuple[str, Sequence[tuple[float, float]]]],
) -> str:
    """Draw points in the unit square, with the diagonal and a colour for each cloud."""
    left, top, side = 60.0, 12.0, 320.0
    parts = [rule(left, top + side, left + side, top, "axis")]
    for tenth in range(0, 11, 2):
        at = side * tenth / 10
        parts += [rule(left + at, top, left + at, top + side), rule(left, top + at, left + side,
                                                                    top + at)]  # fmt: skip
        parts.append(label(left - 6, top + side - at + 4, f"{tenth / 10:.1f}", anchor="end"))
        parts.append(label(left + at, top + side + 16, f"{tenth / 10:.1f}", anchor="middle"))
    for n, (name, points) in enumerate(clouds):
        for x, y in points:
            parts.append(
                f'<circle cx="{left + side * x:.1f}" cy="{top + side * (1 - y):.1f}" r="3" '
                f'class="f{n % len(LIGHT)} soft"/>'
            )
        spot = top + 14 + n * 18
        parts.append(f'<circle cx="{left + side + 20:.1f}" cy="{spot - 4:.1f}" r="5" '
                     f'class="f{n % len(LIGHT)}"/>')  # fmt: skip
        parts.append(label(left + side + 30, spot, short(name, 220)))
    parts.append(label(left + side / 2, top + side + 36, axes[0], anchor="middle"))
    middle = top + side / 2
    parts.append(
        f'<text x="16" y="{middle:.1f}" text-anchor="middle" class="ink" '
        f'transform="rotate(-90 16 {middle:.1f})">{escape(axes[1])}</text>'
    )
    height = max(top + side + 46, top + 24 + len(clouds) * 18)
    return frame(left + side + 30 + wide(name for name, _ in clouds) + 10, height, title, parts)
