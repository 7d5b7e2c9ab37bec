"""How many cases the difference of two models needs, from the scores of a pilot."""

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from ...errors import UsageError
from ...files.counted import counted, too_few
from ...scoring.bootstrap import FEWEST_CASES, Plan
from ...scoring.comparisons.power import (
    Pilot,
    detectable_difference,
    pilot_of,
    power_of,
    units_needed,
)
from .read_run import FinishedRun, value_of

ASSUMES = (
    "two-sided test of the mean paired difference on the same cases, by the noncentral t "
    "distribution",
    "new cases are like those of the pilot: the same variance, the same sizes of clusters, the "
    "same share of unresolved cases; a pilot of few cases knows its variance badly (cases low, "
    "high)",
)


@dataclass(frozen=True)
class Wish:
    """What is asked: differences, power, alpha, and the number of tests that share alpha."""

    differences: tuple[float, ...] = (0.02, 0.05, 0.1)
    power: float = 0.8
    alpha: float = 0.05
    tests: int = 1

    @property
    def alpha_each(self) -> float:
        """Alpha over the number of tests (Bonferroni, the first step of Holm's correction)."""
        return self.alpha / self.tests


@dataclass(frozen=True)
class PowerRow:
    """One wished difference between two models.

    cases: how many cases resolved for both models show the difference with the wished power.
    cases_low, cases_high: the same with the pilot's variance at the ends of its interval; None
    where the pilot has too few clusters for one, and `warning` says so.
    collect: how many cases to collect, as some will be unresolved as in the pilot. power_now: the
    power of the pilot's own number of cases. pilot_*: the pilot. detectable: the difference that
    the pilot's number of cases shows with the wished power.
    """

    metric: str
    judge: str
    first: str
    second: str
    difference: float
    cases: int
    cases_low: int | None
    cases_high: int | None
    collect: int
    power_now: float
    power: float
    alpha: float
    tests: int
    pilot_cases: int
    pilot_unresolved: int
    pilot_clusters: int
    pilot_difference: float
    pilot_deviation: float
    design_effect: float
    detectable: float
    warning: str = ""


def power_rows(
    about: tuple[str, str, str, str],
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[Hashable] | None,
    wish: Wish,
) -> Iterator[PowerRow]:
    """Yield a row for each wished difference; `about` is metric, judge, first and second."""
    pilot = pilot_of(first, second, clusters=clusters, plan=Plan(resamples=1000))
    if pilot.deviation == 0:
        raise UsageError(
            f"{about[2]} and {about[3]} differ by the same amount on each of "
            f"{counted(pilot.cases, 'case')}: "
            "there is no variance to plan with"
        )
    share = pilot.cases / (pilot.cases + pilot.unresolved)
    least = detectable_difference(
        pilot.deviation, pilot.clusters, power=wish.power, alpha=wish.alpha_each
    )
    warning = ""
    if pilot.clusters < FEWEST_CASES:
        warning = too_few(pilot.clusters, "cluster", FEWEST_CASES, " for a range")
    for difference in wish.differences:
        cases = _cases(difference, pilot.deviation, pilot, wish)
        low = None if warning else _cases(difference, pilot.low, pilot, wish)
        high = None if warning else _cases(difference, pilot.high, pilot, wish)
        now = power_of(difference, pilot.deviation, pilot.clusters, alpha=wish.alpha_each)
        yield PowerRow(
            *about, difference, cases, low, high, math.ceil(cases / share), now, wish.power,
            wish.alpha, wish.tests, pilot.cases, pilot.unresolved, pilot.clusters,
            pilot.difference, pilot.deviation, pilot.design_effect, least, warning,
        )  # fmt: skip


def _cases(difference: float, deviation: float, pilot: Pilot, wish: Wish) -> int:
    units = units_needed(difference, deviation, power=wish.power, alpha=wish.alpha_each)
    return math.ceil(units * pilot.size)


def rows_of_run(
    run: FinishedRun, metric: str, pairs: Sequence[tuple[str, str]], judge: str | None, wish: Wish
) -> Iterator[PowerRow]:
    """Yield the rows of pairs of models of a run, under one judge or under each.

    Raises UsageError for a metric, a model or a judge without scores; the message lists those
    that have scores.
    """
    metrics = list(dict.fromkeys(key[0] for key in run.scores))
    if metric not in metrics:
        raise UsageError(f"no metric {metric!r} in {run.name}; there are {', '.join(metrics)}")
    judges = list(dict.fromkeys(key[1] for key in run.scores if key[0] == metric))
    if judge is not None and judge not in judges:
        raise UsageError(
            f"no judge {judge!r} gave scores of {metric}; there are {', '.join(judges)}"
        )
    for name in judges if judge is None else [judge]:
        for first, second in pairs:
            for model in (first, second):
                if (metric, name, model) not in run.scores:
                    raise UsageError(f"no scores of {metric} for the model {model!r}")
            own, other = (run.scores[metric, name, model] for model in (first, second))
            units = [unit for unit in own if unit in other]
            yield from power_rows(
                (metric, name, first, second),
                [value_of(own[unit]) for unit in units],
                [value_of(other[unit]) for unit in units],
                [run.pair_of.get(unit, unit) for unit in units],
                wish,
            )
