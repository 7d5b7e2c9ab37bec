"""Tables of models compared two at a time: strengths, who beats whom, position bias."""

import math
from collections.abc import Sequence
from typing import Any

from ...scoring.comparisons.multiple import benjamini_hochberg, holm
from ...scoring.pairwise import Ladder
from ..measures.pairwise import Compared, Pairwise, PositionBias
from ..result import Evaluation
from .table import Table, table_of

STRENGTHS = (
    "judge", "model", "rank", "strength", "low", "high", "worst", "best", "win_rate", "points",
    "comparisons", "unresolved", "warning",
)  # fmt: skip
WINS = ("judge", "first", "second", "win_rate", "wins", "losses", "ties", "flips", "unresolved")
DIFFERENCES = (
    "judge", "first", "second", "difference", "low", "high", "p_value", "p_holm", "p_bh", "tests",
    "n", "warning",
)  # fmt: skip
BIAS = ("judge", "flipped", "low", "high", "comparisons", "flips", "to_first", "to_second")
SAYS = (
    "A strength is in natural log-odds and the strengths sum to 0: a model that is stronger by s "
    "wins exp(s) points for each point that it loses. A tie is half a win for each. The braces "
    "say what the strength would be if the model lost, and if it won, all its comparisons "
    "without a verdict."
)
APART_SAYS = (
    "p holm, p bh: the p-value corrected for the tests of all pairs of models under the judge "
    "(Holm; Benjamini and Hochberg)."
)
BIAS_SAYS = (
    "A comparison flips if the verdict is not the same with the other response first; it counts "
    "as a tie. To first, to second: the flips in which the judge chose what stood first, or "
    "second, both times."
)


def pairwise_tables(evaluation: Evaluation) -> list[Table]:
    """Return the tables; without comparisons they have no rows."""
    found = evaluation.pairwise
    return [
        Table(
            "strengths",
            STRENGTHS,
            [row for one in found for row in strength_rows(one.judge, one.ladder)],
        ),
        Table(
            "strength_differences",
            DIFFERENCES,
            [row for one in found for row in difference_rows(one.judge, one.ladder)],
        ),
        Table("wins", WINS, [row for one in found for row in _wins(one)]),
        Table("position_bias", BIAS, [_bias(one.bias) for one in found]),
        table_of("comparisons", Compared, [each for one in found for each in one.compared]),
    ]


def pairwise_view(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the first four tables as the report shows them: title, header, rows, caption."""
    titles = {
        "strengths": ("Strengths", SAYS),
        "strength_differences": ("Differences of strengths, first minus second", APART_SAYS),
        "wins": ("Who beats whom", "The win rate is that of the first model."),
        "position_bias": ("Position bias", BIAS_SAYS),
    }
    return [
        {
            "title": titles[table.name][0],
            "header": [name.replace("_", " ") for name in table.columns],
            "rows": [list(map(_cell, row)) for row in table.rows],
            "caption": titles[table.name][1],
        }
        for table in pairwise_tables(evaluation)
        if table.name in titles and table.rows
    ]


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def strength_rows(judge: str, ladder: Ladder) -> list[list[Any]]:
    """Return a row for each model, with the columns `STRENGTHS`."""
    return [
        [
            judge, each.model, each.rank, each.interval.estimate, each.interval.low,
            each.interval.high, each.worst, each.best, each.win_rate, each.points, each.contests,
            each.unresolved, each.interval.warning or "",
        ]
        for each in ladder.strengths
    ]  # fmt: skip


def difference_rows(judge: str, ladder: Ladder) -> list[list[Any]]:
    """Return a row for every two models, with the columns `DIFFERENCES`.

    The p-values of all pairs of models under one judge are corrected together.
    """
    p_values = [one.p_value for one in ladder.differences.values()]
    tests = sum(p == p for p in p_values)
    corrected = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)
    return [
        [
            judge, first, second, one.interval.estimate, one.interval.low, one.interval.high,
            one.p_value, p_holm, p_bh, tests, one.cases, one.interval.warning or "",
        ]
        for ((first, second), one), (p_holm, p_bh) in zip(
            ladder.differences.items(), corrected, strict=True
        )
    ]  # fmt: skip


def _wins(one: Pairwise) -> list[list[Any]]:
    by_pair: dict[tuple[str, str], list[Compared]] = {}
    for each in one.compared:
        by_pair.setdefault((each.first, each.second), []).append(each)
    return [[one.judge, *pair, *_counts(found)] for pair, found in by_pair.items()]


def _counts(found: Sequence[Compared]) -> list[Any]:
    points = [each.points for each in found if each.points is not None]
    rate = sum(points) / len(points) if points else math.nan
    counted = [points.count(1.0), points.count(0.0), points.count(0.5)]
    return [rate, *counted, sum(each.flipped is True for each in found), len(found) - len(points)]


def _bias(bias: PositionBias) -> list[Any]:
    share = bias.flipped
    return [bias.judge, share.estimate, share.low, share.high, bias.compared, bias.flips,
            bias.to_first, bias.to_second]  # fmt: skip
