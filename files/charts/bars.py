"""Bars: with whiskers and a note beside each, and divided into parts."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .chart import GROUND, INK, Chart, Point, colours, finished, names_of

_WIDTH = 340
_STACK = 480


@dataclass(frozen=True)
class Bar:
    """The value of a bar with its limits; `note` stands beside it, and says how many count."""

    point: Point
    note: str = ""


def bars(
    title: str,
    groups: Sequence[str],
    names: Sequence[str],
    table: Sequence[Sequence[Bar]],
    *,
    places: Sequence[int] | None = None,
    digits: int = 2,
) -> Chart:
    """Draw horizontal bars: a block for each group, in it a bar with its name for each name.

    table: a row for each group. A bar without a value shows its note alone. places: the number of
    each name's colour.
    """
    blocks, series = names_of(groups), names_of(names)
    values = [
        _bar(f"{at}.{place}", (block, name), bar, digits)
        for at, (block, line) in enumerate(zip(blocks, table, strict=True))
        for place, (name, bar) in enumerate(zip(series, line, strict=True))
    ]
    lowest = min((one["low"] for one in values if one["low"] is not None), default=0.0)
    y = _rows(blocks if len(blocks) > 1 or groups[0] else [], series)
    x = {
        "type": "quantitative",
        "title": None,
        "scale": {"zero": True, "domainMin": min(0, lowest)},
    }
    spec = {
        "data": {"values": values},
        "width": _WIDTH,
        "height": {"step": 17},
        "layer": [
            {"mark": {"type": "bar", "height": {"band": 0.72}},
             "encoding": {"x": {**x, "field": "value"}, "y": y, "description": {"field": "said"},
                          "color": {"field": "name", "type": "nominal", "legend": None,
                                    "scale": colours(series, places)}}},
            *_whisker(y, x),
            {"mark": {"type": "text", "align": "left", "dx": 6},
             "encoding": {"x": {**x, "field": "end"}, "y": y,
                          "text": {"field": "note", "type": "nominal"}}},
        ],
    }  # fmt: skip
    rows = [
        (block, name, bar.point.words(), bar.note)
        for block, line in zip(groups, table, strict=True)
        for name, bar in zip(names, line, strict=True)
    ]
    return finished(title, spec, ("of", "name", "value", "counted"), rows)


def _rows(blocks: Sequence[str], series: Sequence[str]) -> dict[str, Any]:
    """The vertical scale: above the bars of each block a row with its name, in bold.

    One scale of rows is drawn ten times as fast as a facet for each block.
    """
    labels = {}
    for at in range(max(1, len(blocks))):
        if blocks:
            labels[str(at)] = blocks[at]
        labels |= {f"{at}.{place}": name for place, name in enumerate(series)}
    axis = {"ticks": False, "domain": False, "labelOverlap": False,
            "labelExpr": f"{json.dumps(labels)}[datum.value]",
            "labelFontWeight": {"condition": {"test": "indexof(datum.value, '.') < 0",
                                              "value": "bold"}, "value": "normal"}}  # fmt: skip
    return {"field": "row", "type": "nominal", "title": None, "sort": None, "axis": axis,
            "scale": {"domain": list(labels)}}  # fmt: skip


def _bar(row: str, names: tuple[str, str], bar: Bar, digits: int) -> dict[str, Any]:
    point = bar.point
    low, high = (point.low, point.high) if point.has_limits else (None, None)
    value = point.value if point.known else None
    shown = f"{point.value:.{digits}f}" if point.known else "–"
    note = f"{shown}  ({bar.note})" if bar.note else shown
    ends = [one for one in (value, high) if one is not None]
    said = f"{names[0]}, {names[1]}: {point.words()} {bar.note}".strip()
    return {"row": row, "name": names[1], "value": value, "low": low, "high": high, "note": note,
            "end": max(ends, default=0), "said": said}  # fmt: skip


def _whisker(y: dict[str, Any], x: dict[str, Any]) -> Iterator[dict[str, Any]]:
    known = [{"filter": "isValid(datum.low)"}]
    for colour, thick in ((GROUND, 4), (INK, 1.5)):  # the ground shows it on a dark bar too
        yield {"transform": known, "mark": {"type": "rule", "color": colour, "strokeWidth": thick},
               "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"},
                            "y": y}}  # fmt: skip
    for end in ("low", "high"):
        yield {"transform": known,
               "mark": {"type": "tick", "color": INK, "thickness": 1.5, "size": 8},
               "encoding": {"x": {**x, "field": end}, "y": y}}  # fmt: skip


def stacks(
    title: str,
    rows: Sequence[str],
    parts: Sequence[tuple[str, str]],
    table: Sequence[Sequence[int]],
) -> Chart:
    """Draw a bar for each row, divided into parts by share, each part with its count.

    parts: the name and the colour of each part. The total stands at the end of a bar.
    """
    names, labels = names_of(rows), [name for name, _ in parts]
    values = [
        part for name, counts in zip(names, table, strict=True) for part in _parts(
            name, labels, counts)
    ]  # fmt: skip
    totals = [{"row": name, "total": f"n {sum(counts):,}", "end": 1}
              for name, counts in zip(names, table, strict=True)]  # fmt: skip
    y = {"field": "row", "type": "nominal", "sort": names, "title": None,
         "axis": {"ticks": False, "domain": False}}  # fmt: skip
    x = {"type": "quantitative", "title": "share of the cases", "axis": {"format": "%"},
         "scale": {"domain": [0, 1]}}  # fmt: skip
    scale = {"domain": labels, "range": [colour for _, colour in parts]}
    spec = {
        "width": _STACK,
        "height": {"step": 28},
        "layer": [
            {"data": {"values": values}, "mark": {"type": "bar", "stroke": "#ffffff"},
             "encoding": {"x": {**x, "field": "start"}, "x2": {"field": "end"}, "y": y,
                          "description": {"field": "said"},
                          "color": {"field": "part", "type": "nominal", "scale": scale,
                                    "legend": {"orient": "bottom", "columns": 4}}}},
            {"data": {"values": [one for one in values if one["share"] > 0.04]},
             "mark": {"type": "text"},
             "encoding": {"x": {**x, "field": "middle"}, "y": y,
                          "text": {"field": "count", "type": "quantitative"},
                          "color": {"field": "ink", "type": "nominal", "scale": None}}},
            {"data": {"values": totals}, "mark": {"type": "text", "align": "left", "dx": 6},
             "encoding": {"x": {**x, "field": "end"}, "y": y,
                          "text": {"field": "total", "type": "nominal"}}},
        ],
    }  # fmt: skip
    inks = dict(parts)
    for one in values:
        one["ink"] = "#fffffd" if _is_dark(inks[one["part"]]) else "#1b1f28"
    lines = [(row, *map(str, counts)) for row, counts in zip(rows, table, strict=True)]
    return finished(title, spec, ("name", *labels), lines)


def _parts(name: str, labels: Sequence[str], counts: Sequence[int]) -> Iterator[dict[str, Any]]:
    total, start = sum(counts) or 1, 0.0
    for label, count in zip(labels, counts, strict=True):
        share = count / total
        if count:
            yield {"row": name, "part": label, "count": count, "share": share, "start": start,
                   "end": start + share, "middle": start + share / 2,
                   "said": f"{name}, {label}: {count:,} of {total:,}"}  # fmt: skip
        start += share


def _is_dark(colour: str) -> bool:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140
