"""Clouds of points in the unit square, and radars."""

import math
from collections.abc import Sequence
from typing import Any

from .chart import INK, RULE, Chart, colours, dashes, finished, names_of, shapes

_SIDE = 220
_RADIUS = 150
_RINGS = (0.2, 0.4, 0.6, 0.8, 1.0)


def clouds(
    title: str,
    axes: tuple[str, str],
    table: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    *,
    places: Sequence[int] | None = None,
) -> Chart:
    """Draw a square with its diagonal and its points for each name; values are 0 to 1."""
    names = names_of([f"{name} (n {len(points):,})" for name, points in table])
    values = [
        {"name": name, "x": round(x, 4), "y": round(y, 4)}
        for name, (_, points) in zip(names, table, strict=True)
        for x, y in points
    ]
    scale = {"domain": [0, 1]}
    x = {"field": "x", "type": "quantitative", "title": axes[0], "scale": scale,
         "axis": {"tickCount": 5}}  # fmt: skip
    y = {"field": "y", "type": "quantitative", "title": axes[1], "scale": scale,
         "axis": {"tickCount": 5}}  # fmt: skip
    diagonal = {"data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
                "mark": {"type": "line", "color": "#777777", "strokeWidth": 1},
                "encoding": {"x": x, "y": y}}  # fmt: skip
    points = {"mark": {"type": "circle", "size": 24, "opacity": 0.55, "aria": False},
              "encoding": {"x": x, "y": y, "color": {
                  "field": "name", "type": "nominal", "legend": None,
                  "scale": colours(names, places)}}}  # fmt: skip
    spec = {
        "data": {"values": values},
        "facet": {"field": "name", "type": "nominal", "sort": names, "title": None},
        "columns": 3,
        "spec": {"width": _SIDE, "height": _SIDE, "layer": [diagonal, points]},
    }
    rows = [[name, str(len(points)), _mean([x for x, _ in points]), _mean([y for _, y in points])]
            for name, points in table]  # fmt: skip
    header = ("name", "points drawn", f"mean {axes[0]}", f"mean {axes[1]}")
    return finished(title, spec, header, rows)


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.3f}" if values else "-"


def radar(
    title: str,
    axes: Sequence[str],
    names: Sequence[str],
    table: Sequence[Sequence[float]],
    *,
    places: Sequence[int] | None = None,
) -> Chart:
    """Draw one outline for each name; the first axis points up, and the others follow clockwise.

    table: a row for each name with a value from 0 (the centre) to 1 for each axis. An outline
    leaves out an axis whose value is NaN.
    """
    heads, series = names_of(axes), names_of(names)
    spots = [
        spot
        for name, values in zip(series, table, strict=True)
        for spot in _outline(name, heads, values)
    ]
    plane = {"x": _plane("x"), "y": _plane("y")}
    colour = {"field": "name", "type": "nominal", "scale": colours(series, places)}
    order = {"order": {"field": "turn", "type": "quantitative"}}
    spec = {
        "width": 2 * _RADIUS * 1.25,
        "height": 2 * _RADIUS * 1.25,
        "layer": [
            *_web(heads, plane),
            {"data": {"values": spots}, "mark": {"type": "line", "strokeWidth": 2},
             "encoding": {**plane, **order, "color": colour,
                          "strokeDash": {"field": "name", "type": "nominal",
                                         "scale": dashes(series, places)}}},
            {"data": {"values": [spot for spot in spots if not spot["closes"]]},
             "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
             "encoding": {**plane, "color": colour, "description": {"field": "said"},
                          "shape": {"field": "name", "type": "nominal",
                                    "scale": shapes(series, places)}}},
        ],
    }  # fmt: skip
    rows = [[name, *("-" if value != value else f"{value:.3f}" for value in values)]
            for name, values in zip(names, table, strict=True)]  # fmt: skip
    return finished(title, spec, ("", *axes), rows)


def _plane(name: str) -> dict[str, Any]:
    return {"field": name, "type": "quantitative", "axis": None,
            "scale": {"domain": [-1.25, 1.25], "nice": False}}  # fmt: skip


def _outline(name: str, axes: Sequence[str], values: Sequence[float]) -> list[dict[str, Any]]:
    spots: list[dict[str, Any]] = []
    for at, value in enumerate(values):
        if value == value:
            x, y = _spot(at, len(values), value)
            said = f"{name}, {axes[at]}: {value:.3f}"
            spots.append({"name": name, "turn": at, "x": x, "y": y, "said": said, "closes": False})
    return [*spots, {**spots[0], "turn": len(values), "closes": True}] if spots else []


def _web(axes: Sequence[str], plane: dict[str, Any]) -> list[dict[str, Any]]:
    """The rings with their values, and the axes with their names."""
    rings, rays, ends = [], [], []
    for ring in _RINGS:
        corners = [_spot(at % len(axes), len(axes), ring) for at in range(len(axes) + 1)]
        rings += [{"ring": ring, "turn": turn, "x": x, "y": y}
                  for turn, (x, y) in enumerate(corners)]  # fmt: skip
    for at, name in enumerate(axes):
        x, y = _spot(at, len(axes), 1.0)
        rays += [{"ray": at, "x": 0, "y": 0}, {"ray": at, "x": x, "y": y}]
        x, y = _spot(at, len(axes), 1.1)
        align = "center" if abs(x) < 0.01 else "left" if x > 0 else "right"
        ends.append({"name": name, "x": x, "y": y, "align": align})
    line = {"type": "line", "color": RULE, "strokeWidth": 1}
    scale = [{"x": 0.02, "y": ring, "name": f"{ring:.1f}"} for ring in _RINGS]
    webs = [
        {"data": {"values": rings}, "mark": line,
         "encoding": {**plane, "detail": {"field": "ring"}, "order": {"field": "turn"}}},
        {"data": {"values": rays}, "mark": line,
         "encoding": {**plane, "detail": {"field": "ray"}}},
    ]  # fmt: skip
    texts = {"data": {"values": ends},
             "mark": {"type": "text", "align": {"expr": "datum.align"}, "color": INK},
             "encoding": {**plane, "text": {"field": "name", "type": "nominal"}}}  # fmt: skip
    digits = {"data": {"values": scale},
              "mark": {"type": "text", "align": "left", "dy": -5, "fontSize": 10, "color": INK},
              "encoding": {**plane, "text": {"field": "name", "type": "nominal"}}}  # fmt: skip
    return [*webs, texts, digits]


def _spot(at: int, count: int, value: float) -> tuple[float, float]:
    angle = 2 * math.pi * at / count
    return round(value * math.sin(angle), 6), round(value * math.cos(angle), 6)
