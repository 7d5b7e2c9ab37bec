"""Draw how much longer or shorter the rejected texts of preference pairs are than the chosen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..files.charts import Bar, Point, bars, to_svg

_STEP = 2  # per cent
_MOST = 10  # per cent, the bound of `flaws_dermcase.yaml`


def draw_lengths(pairs: Sequence[Mapping[str, Any]]) -> str:
    """Return a drawing (SVG): for each kind of pair, its share in each range of the difference.

    The difference is the length of the rejected text minus that of the chosen one, in per cent of
    the chosen one. The ranges have a width of 2 per cent; the first and the last have no end.
    """
    kinds = sorted({str(pair["kind"]) for pair in pairs})
    counts = Counter((str(pair["kind"]), _range(pair)) for pair in pairs)
    totals = Counter(str(pair["kind"]) for pair in pairs)
    starts = range(-_MOST, _MOST, _STEP)
    rows = [f"{start:+d} to {start + _STEP:+d} %" for start in starts]
    table = [
        [
            Bar(
                Point(counts[kind, start] / totals[kind]),
                f"{counts[kind, start]:,} of {totals[kind]:,}",
            )
            for kind in kinds
        ]
        for start in starts
    ]
    title = "Length of rejected texts against chosen texts, share of pairs"
    return to_svg(bars(title, rows, kinds, table).spec) + "\n"


def _range(pair: Mapping[str, Any]) -> int:
    """Return the start of the range of a pair's difference, in per cent."""
    chosen, rejected = len(pair["chosen"]), len(pair["rejected"])
    steps = 100 * (rejected - chosen) // (_STEP * chosen)
    return min(max(_STEP * steps, -_MOST), _MOST - _STEP)
