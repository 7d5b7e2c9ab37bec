"""What all charts share: the type, colours, and text that cannot turn other text around."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

INK, GROUND, RULE, HEAT = "#1b1f27", "#ffffff", "#d5d9e0", "#1f6fb4"
"""The colours of text, ground, grid lines and heat. The pages replace them in the dark."""
SERIES = ("#0b4a8f", "#d9661f", "#14532d", "#9a6fd0", "#7a2e0e", "#2a8fc1", "#4a1d7a", "#5f8f2f")
"""Dark and light colours by turns, so that neighbours differ in greyscale too."""
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
FEW = 8
"""A reader can tell so many lines or bars apart."""
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
_LONGEST = 60
_UNSEEN = ("Cc", "Cf", "Cs")  # control characters, signs of direction, halves of characters
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_CONFIG: Mapping[str, Any] = {
    "background": GROUND,
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {"labelColor": INK, "titleColor": INK, "gridColor": RULE, "domainColor": "#777777",
             "tickColor": "#777777", "labelFontSize": 12, "titleFontSize": 12, "labelLimit": 0,
             "titleFontWeight": "normal", "grid": False},
    "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "labelLimit": 0,
               "symbolSize": 120, "title": None},
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "labelLimit": 0,
               "labelFontWeight": "bold", "title": None},
    "text": {"color": INK, "fontSize": 12},
}  # fmt: skip


@dataclass(frozen=True)
class Point:
    """A value with its limits; NaN for a missing one."""

    value: float
    low: float = float("nan")
    high: float = float("nan")

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return self.value == self.value

    @property
    def has_limits(self) -> bool:
        """Whether there is an interval."""
        return self.known and self.low == self.low

    def words(self, digits: int = 3) -> str:
        """Write the value, and its limits in brackets; "-" for a missing one.

        >>> Point(0.5, 0.4, 0.61).words(2)
        '0.50 [0.40, 0.61]'
        """
        if not self.known:
            return "-"
        limits = f" [{_number(self.low, digits)}, {_number(self.high, digits)}]"
        return _number(self.value, digits) + (limits if self.has_limits else "")


def _number(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"  # no minus before zero


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite specification, and the same numbers as a table of texts."""

    spec: Mapping[str, Any]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def finished(
    title: str, spec: Mapping[str, Any], header: Sequence[str], rows: Sequence[Sequence[str]]
) -> Chart:
    """Return the chart with what all charts share; `title` is what a screen reader says."""
    whole = {"$schema": _SCHEMA, "description": clean(title), **_drawable(spec), "config": _CONFIG}
    return Chart(whole, tuple(header), tuple(map(tuple, rows)))


def _drawable(part: Any) -> Any:
    """The specification without control characters, of which the drawing program would die."""
    if isinstance(part, str):
        return "".join(char for char in part if unicodedata.category(char) not in _UNSEEN)
    if isinstance(part, Mapping):
        return {name: _drawable(value) for name, value in part.items()}
    if isinstance(part, Sequence):
        return [_drawable(one) for one in part]
    return part


def clean(text: str) -> str:
    """Return a text for one line of a chart: without control characters, and not too long.

    Signs that turn the direction of writing around are left out, because a drawing has no
    element that isolates them.

    >>> clean("a \\u202eb\\n c")
    'a b c'
    """
    kept = "".join(
        " " if char.isspace() else char
        for char in text
        if char.isspace() or unicodedata.category(char) not in _UNSEEN
    )
    line = " ".join(kept.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def names_of(texts: Sequence[str]) -> list[str]:
    """Return cleaned names that stay distinct: a number stands after a name that is there twice.

    >>> names_of(["a", "a ", "b"])
    ['a', 'a (2)', 'b']
    """
    names: list[str] = []
    for text in texts:
        name = bare = clean(text) or "(no name)"
        count = 1
        while name in names:
            count += 1
            name = f"{bare} ({count})"
        names.append(name)
    return names


def colours(names: Sequence[str], places: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the colour scale of names; `places`: the number of each name's colour."""
    at = places if places is not None else range(len(names))
    return {"domain": list(names), "range": [SERIES[place % len(SERIES)] for place in at]}


def dashes(names: Sequence[str], places: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the scale of dashes, which tells lines apart without colours."""
    at = places if places is not None else range(len(names))
    return {"domain": list(names), "range": [list(DASHES[place % len(DASHES)]) for place in at]}


def shapes(names: Sequence[str], places: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the scale of the shapes of points."""
    at = places if places is not None else range(len(names))
    return {"domain": list(names), "range": [SHAPES[place % len(SHAPES)] for place in at]}
