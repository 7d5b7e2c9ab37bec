"""Draws a radar chart as SVG text: an axis for each ability, an outline for each model."""

import math
from collections.abc import Iterator, Sequence

from ...files.svg import frame, label, rule, series, short, wide

_RADIUS = 150.0
_RINGS = (0.2, 0.4, 0.6, 0.8, 1.0)


def radar(
    title: str, axes: Sequence[str], names: Sequence[str], table: Sequence[Sequence[float]]
) -> str:
    """Draw one outline for each name; the first axis points up, and the others follow clockwise.

    table: a row for each name with a value from 0 (the centre) to 1 for each axis. An outline
    leaves out an axis whose value is NaN.
    """
    side = wide(axes, most=200) + 24
    x, y = side + _RADIUS, _RADIUS + 40
    parts = [*_web(axes, x, y)]
    for n, (name, values) in enumerate(zip(names, table, strict=True)):
        colour, dash = series(n)
        spots = [
            (_spot(x, y, at, len(axes), value), value)
            for at, value in enumerate(values)
            if value == value
        ]
        path = " ".join(f"{left:.1f},{top:.1f}" for (left, top), _ in spots)
        parts.append(f'<polygon points="{path}" class="line s{colour}" stroke-dasharray="{dash}"/>')
        parts += [
            f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3" class="f{colour}">'
            f"<title>{value:.3f}</title></circle>"
            for (left, top), value in spots
        ]
        row = 30 + n * 18
        legend = x + _RADIUS + side
        parts.append(
            f'<line x1="{legend:.1f}" y1="{row - 4}" x2="{legend + 20:.1f}" y2="{row - 4}" '
            f'class="line s{colour}" stroke-dasharray="{dash}"/>'
        )
        parts.append(label(legend + 26, row, short(name, 260)))
    width = x + _RADIUS + side + 30 + wide(names)
    return frame(width, max(y + _RADIUS + 40, 40 + len(names) * 18), title, parts)


def _web(axes: Sequence[str], x: float, y: float) -> Iterator[str]:
    """The rings with their values, and the axes with their names."""
    for ring in _RINGS:
        corners = (_spot(x, y, at, len(axes), ring) for at in range(len(axes)))
        path = " ".join(f"{left:.1f},{top:.1f}" for left, top in corners)
        yield f'<polygon points="{path}" fill="none" class="grid"/>'
        yield label(x + 4, y - _RADIUS * ring - 2, f"{ring:.1f}")
    for at, name in enumerate(axes):
        left, top = _spot(x, y, at, len(axes), 1.0)
        yield rule(x, y, left, top)
        left, top = _spot(x, y, at, len(axes), 1.1)
        anchor = "middle" if abs(left - x) < 1 else "start" if left > x else "end"
        yield label(left, top + 4, short(name, 200), anchor=anchor)


def _spot(x: float, y: float, at: int, count: int, value: float) -> tuple[float, float]:
    angle = 2 * math.pi * at / count
    return x + _RADIUS * value * math.sin(angle), y - _RADIUS * value * math.cos(angle)
