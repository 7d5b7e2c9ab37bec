"""A grid of values, each with its limits or its count below it."""

from collections.abc import Sequence
from typing import Any

from .chart import HEAT, Chart, Point, finished, names_of

_DEEPEST = 0.45  # dark text on it can still be read
_CHARACTER = 6.7  # the width of a character in pixels


def heat(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    table: Sequence[Sequence[Point]],
    *,
    top: float = 1.0,
    digits: int = 2,
    notes: Sequence[Sequence[str]] = (),
    axes: tuple[str, str] | None = None,
) -> Chart:
    """Draw a grid of values; a deeper colour is a value nearer to `top`, and "–" has no value.

    Below a value stand its limits, or its note. axes: the titles of the rows and of the columns.
    """
    lines, heads = names_of(rows), names_of(columns)
    values = [
        _cell(line, head, point, top, digits, notes[at][place] if notes else "")
        for at, (line, points) in enumerate(zip(lines, table, strict=True))
        for place, (head, point) in enumerate(zip(heads, points, strict=True))
    ]
    second = any(one["below"] for one in values)
    widest = max(len(str(one[name])) for one in values for name in ("shown", "below"))
    width = max(58.0, widest * _CHARACTER + 8)
    turned = max(map(len, heads)) * _CHARACTER > width
    y = {"field": "row", "type": "nominal", "sort": lines, "title": axes[0] if axes else None,
         "axis": {"ticks": False, "domain": False}}  # fmt: skip
    x = {"field": "column", "type": "nominal", "sort": heads, "title": axes[1] if axes else None,
         "axis": {"orient": "top", "ticks": False, "domain": False,
                  "labelAngle": -35 if turned else 0}}  # fmt: skip
    spec = {
        "data": {"values": values},
        "width": {"step": width},
        "height": {"step": 40 if second else 26},
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": {"type": "rect", "color": HEAT, "stroke": "#ffffff"},
             "encoding": {"fillOpacity": {"field": "depth", "type": "quantitative", "scale": None},
                          "description": {"field": "said"}}},
            _text("shown", -7 if second else 0, 12),
            *([_text("below", 9, 10)] if second else []),
        ],
    }  # fmt: skip
    filled = [
        [row, *(point.words(max(digits, 3) if digits else 0) for point in points)]
        for row, points in zip(rows, table, strict=True)
    ]
    return finished(title, spec, ("", *columns), filled)


def _text(field: str, down: int, size: int) -> dict[str, Any]:
    mark = {"type": "text", "dy": down, "fontSize": size}
    return {"mark": mark, "encoding": {"text": {"field": field, "type": "nominal"}}}


def _cell(
    row: str, column: str, point: Point, top: float, digits: int, note: str
) -> dict[str, Any]:
    share = min(1.0, max(0.0, point.value / top)) if top and point.known else 0.0
    shown, _, limits = point.words(digits).partition(" ")
    depth = round(0.04 + (_DEEPEST - 0.04) * share, 3) if point.known else 0.0
    said = f"{row}, {column}: {point.words(digits)} {note}".strip()
    return {"row": row, "column": column, "depth": depth, "shown": "–" if shown == "-" else shown,
            "below": limits or note, "said": said}  # fmt: skip
