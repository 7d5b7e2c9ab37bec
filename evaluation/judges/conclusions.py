"""Conclude for every two models, in a sentence, whether one is better and under which judges.

A judge is clear if the interval of the difference excludes 0, and would still do so with the
missing verdicts at their worst. Judges that gave no verdict count too, and the sentence names them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...scoring import SAME
from ...scoring.bootstrap import Difference, Plan
from ..measures.standings import Gap
from .conclusion_text import sentence
from .mean_difference import joint_differences, limits_if_missing
from .names import renamed, short_names
from .side import Side
from .swap_rows import Conclusion, Holds, SharedErrorRow
from .swap_table import SwapTable


def conclusions_of(
    gaps: Sequence[Gap],
    judges: Sequence[str],
    tables: Mapping[str, SwapTable],
    titles: Mapping[str, str],
    plan: Plan,
    shared: Sequence[SharedErrorRow] = (),
) -> Iterator[Conclusion]:
    """Yield a conclusion for every metric and every two models.

    gaps: the differences under each judge. judges: all judges, also those without a verdict.
    tables: the metrics that depend on a judge. titles: the names of the metrics in sentences.
    shared: the judges that make the same errors.
    """
    for metric, table in tables.items():
        gaps_of_pair: dict[tuple[str, str], list[Gap]] = {}
        for gap in gaps:
            if gap.metric == metric and gap.judge in judges and not (gap.slice or gap.group_by):
                gaps_of_pair.setdefault((gap.first, gap.second), []).append(gap)
        sign = 1.0 if table.higher_is_better else -1.0
        joint = joint_differences(table, plan)
        for pair, mine in gaps_of_pair.items():
            sides = [
                side_of(gap, sign, _extremes(table, gap, plan))
                for gap in mine
                if gap.value == gap.value
            ]
            if sides and pair in joint:
                yield conclude(
                    metric, titles[metric], pair, sides, judges, joint[pair], sign,
                    [row for row in shared if row.metric == metric and row.shared],
                )  # fmt: skip


def _extremes(table: SwapTable, gap: Gap, plan: Plan) -> tuple[float, float]:
    """Return the limits with the missing verdicts at their worst; only a clear one needs them."""
    clear = gap.low > SAME or gap.high < -SAME
    return limits_if_missing(table, gap, plan) if clear else (gap.low, gap.high)


def side_of(gap: Gap, sign: float, extremes: tuple[float, float]) -> Side:
    """Return a difference as a side; `sign` is -1 if lower is better.

    extremes: the limits if the missing verdicts spoke against the first model, and for it.
    """
    value, low, high, lowest, highest = map(_whole, (gap.value, gap.low, gap.high, *extremes))
    side = Side(gap.judge, value, low, high, lowest, highest, gap.unresolved)
    return side if sign > 0 else side.turned()


def _whole(value: float) -> float:
    """Return the value, or 0 where only a rounding error is left."""
    return 0.0 if abs(value) <= SAME else value


def conclude(
    metric: str,
    title: str,
    pair: tuple[str, str],
    sides: Sequence[Side],
    judges: Sequence[str],
    joint: Difference,
    sign: float = 1.0,
    shared: Sequence[SharedErrorRow] = (),
) -> Conclusion:
    """Conclude on two models. The better one leads under more judges; the mean breaks a tie."""
    better, worse = pair
    interval = joint.interval
    mean, low, high = (sign * end for end in (interval.estimate, interval.low, interval.high))
    low, high = (low, high) if sign > 0 else (high, low)
    lead = sum((s.value > 0) - (s.value < 0) for s in sides)
    if lead < 0 or (lead == 0 and mean < 0):
        better, worse = worse, better
        sides = [side.turned() for side in sides]
        mean, low, high = -mean, -high, -low
    silent = [judge for judge in judges if judge not in {side.judge for side in sides}]
    clear = [s.judge for s in sides if s.clear]
    against = [s.judge for s in sides if s.turned().clear]
    agreeing = [row for row in shared if _agree(row, sides)]
    holds: Holds = "no judge"
    if clear:
        holds = "every judge" if len(clear) == len(judges) else "some judges"
    conclusion = Conclusion(
        metric,
        better,
        worse,
        holds,
        "; ".join(s.judge for s in sides if s.value > 0),
        "; ".join(clear),
        "; ".join(s.judge for s in sides if s.value < 0),
        "; ".join(against),
        "; ".join(s.judge for s in sides if s.low != s.low),
        "; ".join(silent),
        "; ".join(f"{row.first} + {row.second}" for row in agreeing),
        _whole(mean),
        low,
        high,
        joint.cases,
        max(side.unresolved for side in sides),
        "",
    )
    names = short_names(judges)
    named = [replace(side, judge=names[side.judge]) for side in sides]
    words = sentence(
        title, conclusion, named, [names[judge] for judge in silent], renamed(agreeing, names),
        joint.interval.warning or "",
    )  # fmt: skip
    return replace(conclusion, sentence=words)


def _agree(row: SharedErrorRow, sides: Sequence[Side]) -> bool:
    """Return whether two judges put the same model first."""
    values = [side.value for side in sides if side.judge in (row.first, row.second)]
    return len(values) == 2 and values[0] * values[1] > 0
