"""Lines: values over categories with whiskers, and ranks side by side."""

import json
from collections.abc import Sequence
from typing import Any

from .chart import INK, Chart, Point, colours, dashes, finished, names_of, shapes

_HEIGHT = 270
_GAP = 0.055  # between the points of two names at one tick
_CHARACTER = 6.7


def lines(
    title: str,
    names: Sequence[str],
    ticks: Sequence[str],
    table: Sequence[Sequence[Point]],
    *,
    places: Sequence[int] | None = None,
) -> Chart:
    """Draw a line with whiskers for each name over categories; values are 0 to 1.

    Names differ in colour, dash and shape. places: the number of each name's colour.
    """
    series, heads = names_of(names), names_of(ticks)
    values = [
        _spot(name, at, shift, head, point)
        for place, (name, points) in enumerate(zip(series, table, strict=True))
        for shift in [(place - (len(series) - 1) / 2) * _GAP]
        for at, (head, point) in enumerate(zip(heads, points, strict=True))
        if point.known
    ]
    x = {"field": "x", "type": "quantitative", "title": None,
         "scale": {"domain": [-0.4, len(heads) - 0.6]},
         "axis": {"values": list(range(len(heads))), "labelOverlap": False,
                  "labelExpr": f"{json.dumps(heads)}[datum.value]"}}  # fmt: skip
    y = {"type": "quantitative", "title": None, "scale": {"domain": [0, 1]}}
    colour = {"field": "name", "type": "nominal", "scale": colours(series, places),
              "legend": {"orient": "right"}}  # fmt: skip
    kinds = {
        "strokeDash": {"field": "name", "type": "nominal", "scale": dashes(series, places)},
    }
    points = {"shape": {"field": "name", "type": "nominal", "scale": shapes(series, places)}}
    grid = {**y, "field": "value", "axis": {"grid": True}}
    spec = {
        "data": {"values": values},
        "width": max(240, len(heads) * max(90, round(max(map(len, heads)) * _CHARACTER) + 12)),
        "height": _HEIGHT,
        "encoding": {"x": x, "color": colour},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {"y": grid, **kinds}},
            {"transform": [{"filter": "isValid(datum.low)"}], "mark": {"type": "rule"},
             "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}}},
            {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
             "encoding": {"y": {**y, "field": "value"}, **points,
                          "description": {"field": "said"}}},
        ],
    }  # fmt: skip
    rows = [[name, *(point.words() for point in points_)]
            for name, points_ in zip(names, table, strict=True)]  # fmt: skip
    return finished(title, spec, ("", *ticks), rows)


def _spot(name: str, at: int, shift: float, head: str, point: Point) -> dict[str, Any]:
    low, high = (point.low, point.high) if point.has_limits else (None, None)
    return {"name": name, "x": at + shift, "value": point.value, "low": low, "high": high,
            "said": f"{name}, {head}: {point.words()}"}  # fmt: skip


def ranks(
    title: str,
    ends: Sequence[str],
    table: Sequence[tuple[str, Sequence[int | None]]],
    *,
    places: Sequence[int] | None = None,
) -> Chart:
    """Draw the ranks in every column, with a line for each name; rank 1 is at the top.

    table: a name with its rank in each column. Names of one rank stand below each other, and "="
    stands after their number.
    """
    series, heads = names_of([name for name, _ in table]), names_of(ends)
    columns = list(zip(*(given for _, given in table), strict=True))
    stands = [_stands(column) for column in columns]
    values = []
    for place, name in enumerate(series):
        for at, column in enumerate(columns):
            rank, line = column[place], stands[at][place]
            if rank is not None and line is not None:
                shown = f"{rank}{'=' if column.count(rank) > 1 else ''}"
                values.append({"name": name, "x": at, "y": line, "rank": shown,
                               "said": f"{name}, {heads[at]}: rank {shown}"})  # fmt: skip
    spec = {
        "data": {"values": values},
        "width": max(180, (len(heads) - 1) * max(120, max(map(len, heads)) * _CHARACTER + 16)),
        "height": len(series) * 30,
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": None,
                  "scale": {"domain": [0, max(1, len(heads) - 1)]},
                  "axis": {"orient": "top", "values": list(range(len(heads))), "domain": False,
                           "ticks": False, "labelOverlap": False, "labelPadding": 12,
                           "labelExpr": f"{json.dumps(heads)}[datum.value]"}},
            "y": {"field": "y", "type": "quantitative", "axis": None,
                  "scale": {"domain": [-0.5, len(series) - 0.5], "reverse": True, "nice": False}},
            "color": {"field": "name", "type": "nominal", "legend": None,
                      "scale": colours(series, places)},
        },
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2.5},
             "encoding": {"strokeDash": {"field": "name", "type": "nominal", "legend": None,
                                         "scale": dashes(series, places)}}},
            {"mark": {"type": "point", "filled": True, "size": 420, "opacity": 1},
             "encoding": {"description": {"field": "said"}}},
            {"mark": {"type": "text", "color": "#fefefe", "fontWeight": "bold", "fontSize": 11},
             "encoding": {"color": {"value": "#fefefe"},
                          "text": {"field": "rank", "type": "nominal"}}},
            _end_label("right", -16, 0),
            _end_label("left", 16, len(heads) - 1),
        ],
    }  # fmt: skip
    rows = [[name, *("-" if rank is None else str(rank) for rank in given)]
            for name, given in table]  # fmt: skip
    return finished(title, spec, ("", *ends), rows)


def _end_label(align: str, dx: int, at: int) -> dict[str, Any]:
    mark = {"type": "text", "align": align, "dx": dx}
    encoding = {"text": {"field": "name", "type": "nominal"}, "color": {"value": INK}}
    return {"transform": [{"filter": f"datum.x === {at}"}], "mark": mark, "encoding": encoding}


def _stands(column: Sequence[int | None]) -> list[int | None]:
    """The line on which each name is drawn, in the order of the ranks; None without a rank."""
    order = sorted((rank, at) for at, rank in enumerate(column) if rank is not None)
    lines_ = {at: line for line, (_, at) in enumerate(order)}
    return [lines_.get(at) for at in range(len(column))]
