"""Conclude for every two models, in a sentence, whether one is better and under which judges.

A judge is clear if the interval of the difference excludes 0 and the missing verdicts could not
reverse the order. Judges that gave no verdict count too, and the sentence names them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...scoring import SAME
from ...scoring.bootstrap import Difference, Plan
from ...scoring.differences import Columns, paired_differences
from ..measures.standings import Gap
from .agreement_text import number
from .names import short_names
from .swap_rows import Conclusion, Holds
from .swap_table import SwapTable


@dataclass(frozen=True)
class Side:
    """The difference under one judge: the better model minus the worse one.

    lowest, highest: the ends of what it could be with the missing verdicts. unresolved: the number
    of units that lack a verdict.
    """

    judge: str
    value: float
    low: float
    high: float
    lowest: float
    highest: float
    unresolved: int

    @property
    def clear(self) -> bool:
        """Whether the interval is above 0 and the missing verdicts could not reverse the order."""
        return self.low > 0 and self.lowest >= 0

    @property
    def loose(self) -> bool:
        """Whether the side would be clear, for or against, without its missing verdicts."""
        return (self.low > 0 and self.lowest < 0) or (self.high < 0 and self.highest > 0)

    def turned(self) -> "Side":
        """Return the same difference with the two models exchanged."""
        return Side(self.judge, -self.value, -self.high, -self.low, -self.highest, -self.lowest,
                    self.unresolved)  # fmt: skip


def conclusions_of(
    gaps: Sequence[Gap],
    judges: Sequence[str],
    tables: Mapping[str, SwapTable],
    titles: Mapping[str, str],
    plan: Plan,
) -> Iterator[Conclusion]:
    """Yield a conclusion for every metric and every two models.

    gaps: the differences under each judge. judges: all judges, also those without a verdict.
    tables: the metrics that depend on a judge. titles: the names of the metrics in sentences.
    """
    for metric, table in tables.items():
        gaps_of_pair: dict[tuple[str, str], list[Gap]] = {}
        for gap in gaps:
            if gap.metric == metric and gap.judge in judges and not (gap.slice or gap.group_by):
                gaps_of_pair.setdefault((gap.first, gap.second), []).append(gap)
        sign = 1.0 if table.higher_is_better else -1.0
        joint = joint_differences(table, plan)
        for pair, mine in gaps_of_pair.items():
            sides = [side_of(gap, sign) for gap in mine if gap.value == gap.value]
            if sides and pair in joint:
                yield conclude(metric, titles[metric], pair, sides, judges, joint[pair], sign)


def joint_differences(table: SwapTable, plan: Plan) -> dict[tuple[str, str], Difference]:
    """Return the mean difference over the judges of a table, by pair, over the common units."""
    if len(table.models) < 2:
        return {}
    everything = np.ones(len(table.units.ids), dtype=bool)
    order, width = table.units.order, len(table.models)
    mean_of = []
    for at in range(width):
        columns = [measure.columns(everything) for measure in table.measures[at::width]]
        resolved = np.logical_and.reduce([column.resolved for column in columns])
        above = np.mean([column.numerator for column in columns], axis=0)
        below = np.mean([column.denominator for column in columns], axis=0)
        mean_of.append(Columns(above[order], below[order], resolved[order]))
    drawn = None if table.units.clusters is None else table.drawn
    how = table.measures[0].combine
    differences = paired_differences(mean_of, how, clusters=drawn, plan=plan)
    names = table.models
    return {(names[i], names[j]): difference for (i, j), difference in differences.items()}


def side_of(gap: Gap, sign: float) -> Side:
    """Return a difference as a side; `sign` is -1 if lower is better."""
    ends = (_whole(end) for end in (gap.value, gap.low, gap.high, gap.lowest, gap.highest))
    value, low, high, lowest, highest = ends
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
        _whole(mean),
        low,
        high,
        joint.cases,
        max(side.unresolved for side in sides),
        "",
    )
    names = short_names(judges)
    named = [replace(side, judge=names[side.judge]) for side in sides]
    short = [names[judge] for judge in silent]
    return replace(
        conclusion, sentence=sentence(title, conclusion, named, short, joint.interval.warning or "")
    )


def sentence(
    title: str, conclusion: Conclusion, sides: Sequence[Side], silent: Sequence[str], warning: str
) -> str:
    """Return the conclusion in words: claim, size, missing verdicts, judges without a verdict."""
    parts = [_claim(conclusion.better, conclusion.worse, sides, len(sides) + len(silent))]
    cases = f"over {conclusion.n} case{'s' * (conclusion.n != 1)}"
    difference = number(conclusion.difference, conclusion.low, conclusion.high)
    size = f"the mean difference is {difference} {cases}"
    parts.append(
        size if conclusion.low == conclusion.low else f"{size}, without an interval ({warning})"
    )
    lost = [f"{s.unresolved} under {s.judge}" for s in sides if s.unresolved]
    if lost:
        parts.append(f"cases without both verdicts: {_and(lost)}")
    loose = [s.judge for s in sides if s.loose]
    if loose:
        parts.append(f"the missing verdicts could turn the order under {_and(loose)}")
    if silent:
        parts.append(f"{_and(silent)} gave no verdict")
    return f"{title}: {'; '.join(parts)}."


def _claim(better: str, worse: str, sides: Sequence[Side], judges: int) -> str:
    clear = [s.judge for s in sides if s.clear]
    against = [s.judge for s in sides if s.turned().clear]
    ahead = [s.judge for s in sides if s.value > 0]
    if against:
        mine = f"{better} is ahead of {worse} under {len(ahead)} of {judges}, clearly under none"
        if clear:
            mine = f"{better} beats {worse} clearly under {_and(clear)}"
        theirs = f"{worse} beats {better} clearly under {_and(against)}"
        return f"the judges contradict each other: {mine}; {theirs}"
    if clear and len(clear) == judges:
        return f"{better} beats {worse} clearly under every judge ({judges} of {judges})"
    if clear:
        rest = [s.judge for s in sides if s.judge not in clear]
        tail = f", not clearly under {_and(rest)}" if rest else ""
        return (
            f"{better} beats {worse} clearly under {len(clear)} of {judges} judges "
            f"({_and(clear)}){tail}"
        )
    if not ahead and not any(s.value for s in sides):
        return f"{better} and {worse} tie under every judge that gave verdicts"
    return (
        f"no judge tells {better} and {worse} apart clearly ({better} is ahead under {len(ahead)} "
        f"of {judges})"
    )


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
