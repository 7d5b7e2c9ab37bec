"""One plain sentence for every conclusion: does "A beats B" hold under every judge?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...scoring.flat import SAME
from ..measures.numbers import Gap
from ..result import Evaluation
from .names import short_names
from .swap_rows import Conclusion, Holds


@dataclass(frozen=True)
class _Side:
    """The difference under one judge: better minus worse, so that above 0 speaks for it."""

    judge: str
    value: float
    low: float
    high: float


def conclusions_of(made: Evaluation, titles: Mapping[str, str]) -> Iterator[Conclusion]:
    """A conclusion for every metric and every two models."""
    judges = made.judged.single_judges
    held: dict[tuple[str, str, str], list[Gap]] = {}
    for gap in made.gaps:
        if gap.metric in titles and gap.judge in judges and not (gap.slice or gap.group_by):
            held.setdefault((gap.metric, gap.first, gap.second), []).append(gap)
    better_is_higher = {one.metric: one.higher_is_better for one in made.numbers}
    for (metric, first, second), gaps in held.items():
        sign = 1.0 if better_is_higher.get(metric, True) else -1.0
        sides = [_side(gap, sign) for gap in gaps if gap.value == gap.value]
        if not sides:
            continue
        if sum(side.value for side in sides) < 0:
            first, second = second, first
            sides = [_Side(s.judge, -s.value, -s.high, -s.low) for s in sides]
        yield _conclude(metric, titles[metric], first, second, sides)


def _side(gap: Gap, sign: float) -> _Side:
    ends = sorted((sign * gap.low, sign * gap.high)) if gap.low == gap.low else [gap.low] * 2
    value = 0.0 if abs(gap.value) <= SAME else sign * gap.value
    return _Side(gap.judge, value, *(0.0 if abs(end) <= SAME else end for end in ends))


def _conclude(metric: str, title: str, better: str, worse: str, sides: list[_Side]) -> Conclusion:
    ahead = [s.judge for s in sides if s.value > 0]
    behind = [s.judge for s in sides if s.value < 0]
    clear = [s.judge for s in sides if s.low > 0]
    clear_against = [s.judge for s in sides if s.high < 0]
    unknown = [s.judge for s in sides if s.low != s.low]
    holds: Holds = "no judge"
    if ahead:
        holds = "every judge" if len(ahead) == len(sides) else "some judges"
    sentence = _sentence(title, better, worse, sides)
    return Conclusion(
        metric, better, worse, holds, "; ".join(ahead), "; ".join(clear), "; ".join(behind),
        "; ".join(clear_against), "; ".join(unknown), sentence,
    )  # fmt: skip


def _sentence(title: str, better: str, worse: str, sides: Sequence[_Side]) -> str:
    names = short_names([side.judge for side in sides])
    sides = [_Side(names[s.judge], s.value, s.low, s.high) for s in sides]
    return f"{title}: {_claim(better, worse, sides)}; {_certainty(sides)}."


def _claim(better: str, worse: str, sides: Sequence[_Side]) -> str:
    ahead = [s.judge for s in sides if s.value > 0]
    behind = [s.judge for s in sides if s.value < 0]
    tied = [s.judge for s in sides if s.value == 0]
    if not ahead:
        return f"{better} and {worse} tie under every judge"
    if len(ahead) == len(sides):
        return f"{better} beats {worse} under every judge ({len(sides)} of {len(sides)})"
    turned = f"; {worse} beats {better} under {_and(behind)}" if behind else ""
    level = f"; they tie under {_and(tied)}" if tied else ""
    return (
        f"{better} beats {worse} under some judges only ({len(ahead)} of {len(sides)}: "
        f"{_and(ahead)}){turned}{level}"
    )


def _certainty(sides: Sequence[_Side]) -> str:
    clear = [s.judge for s in sides if s.low > 0]
    against = [s.judge for s in sides if s.high < 0]
    if all(s.low != s.low for s in sides):
        return "there are too few cases for an interval of the difference"
    if not clear and not against:
        return "the interval of the difference excludes 0 under none of them"
    if len(clear) == len(sides):
        return "the interval of the difference excludes 0 under each of them"
    rest = [s.judge for s in sides if s.judge not in (*clear, *against)]
    tail = f", not under {_and(rest)}" if rest else ""
    if not against:
        said = f"under {_and(clear)}"
    elif not clear:
        said = f"against it under {_and(against)}"
    else:
        said = f"for it under {_and(clear)} and against it under {_and(against)}"
    return f"the interval of the difference excludes 0 {said}{tail}"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
