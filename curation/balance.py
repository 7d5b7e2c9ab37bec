"""How the rows of a data set spread over groups: counted, drawn, and written as a data card."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..files.charts import Bar, Point, bars, to_svg
from .data_card import data_card, group_counts
from .write import write_text

CARD, BALANCE = "card.md", "balance.svg"
_MOST = 30  # bars of one column; of more values, the others are one bar


def write_card(
    folder: Path, title: str, rows: Sequence[Mapping[str, Any]], header: str = "", name: str = CARD
) -> list[Path]:
    """Write the data card and, if the rows have groups, their drawing; return the files.

    header: stands above the card, such as the YAML that `datasets` reads.
    """
    card, drawing = data_card(title, rows), draw_balance(rows)
    files = [folder / name]
    if drawing:
        card += f"\n![Rows by group]({BALANCE})\n"
        files.append(folder / BALANCE)
        write_text(files[1], drawing)
    write_text(files[0], header + card)
    return files


def draw_balance(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a drawing (SVG) with a bar for each value of each column of groups; "" without any."""
    names: list[str] = []
    line: list[Bar] = []
    places: list[int] = []
    for place, (column, counts) in enumerate(group_counts(rows).items()):
        for value, count in _largest(counts):
            names.append(f"{column}: {value}")
            line.append(Bar(Point(count), f"{count / len(rows):.0%}"))
            places.append(place)
    if not names:
        return ""
    chart = bars("Rows by group", [""], names, [line], places=places, digits=0)
    return to_svg(chart.spec) + "\n"


def _largest(counts: Counter[str]) -> list[tuple[str, int]]:
    shown = counts.most_common(_MOST)
    rest = counts.total() - sum(count for _, count in shown)
    return [*shown, (f"{len(counts) - len(shown)} others", rest)] if rest else shown
