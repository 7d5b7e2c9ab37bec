"""Cells of intervals.py for numbers that are not plain means: ratios, ranks, strengths, weights."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.stats

from dxjudge.scoring import (
    Contest,
    Interval,
    Plan,
    bootstrap_interval,
    clip_interval,
    rank_alignment,
    ratio_of_sums,
    strengths,
    weighted_share_interval,
)
from dxjudge.scoring.bootstrap import Floats
from dxjudge.scoring.ratios import Combine

Rng = np.random.Generator
Parts = tuple[Floats, Floats]
"""Numerators and denominators, cases x ratios."""
SIZES = (20, 50, 176)
MANY = 400_000
_UNCLIPPED: dict[Combine, Combine] = {"clipped": "ratio"}


@dataclass(frozen=True)
class Cell:
    """One cell: its interval, its data, the true number, and a function that draws an interval."""

    kind: str
    about: str
    truth: float
    draw: Callable[[Rng, Plan], Interval | None]


def combined() -> Iterator[Cell]:
    """Yield numbers made of ratios of sums over cases, as an evaluation makes them."""
    for kind, about, how, draw in _COMBINED:
        truth = _value(draw(np.random.default_rng(1), MANY), how)
        for n in SIZES:
            yield Cell(
                f"{kind}, bootstrap", f"n = {n}, {about}", truth,
                lambda rng, plan, n=n, draw=draw, how=how: _interval(draw(rng, n), how, plan),
            )  # fmt: skip


def _value(parts: Parts, how: Combine) -> float:
    return float(ratio_of_sums(parts[0].sum(axis=0), parts[1].sum(axis=0), how))


def _interval(parts: Parts, how: Combine, plan: Plan) -> Interval:
    above, below = parts
    made = bootstrap_interval(
        lambda drawn: ratio_of_sums(drawn @ above, drawn @ below, _UNCLIPPED.get(how, how)),
        len(above),
        plan=plan,
    )
    return clip_interval(made) if how == "clipped" else made


def _precision_and_recall(whole: float) -> Callable[[Rng, int], Parts]:
    """Precision and recall of cases; a share `whole` of them has all right."""

    def draw(rng: Rng, n: int) -> Parts:
        ease = rng.beta(1.5, 2, (n, 1))
        parts = np.clip(ease + rng.normal(0, 0.15, (n, 2)), 0, 1)
        return np.where(rng.random((n, 1)) < whole, 1.0, parts), np.ones((n, 2))

    return draw


def _found(share: float) -> Callable[[Rng, int], Parts]:
    """How many of the 1 and more names of a case are right; the cases differ."""

    def draw(rng: Rng, n: int) -> Parts:
        names = 1 + rng.poisson(3, n)
        right = rng.binomial(names, rng.beta(4 * share, 4 * (1 - share), n))
        return right[:, None].astype(float), names[:, None].astype(float)

    return draw


def _covered_and_chosen(covered: float, chosen: float) -> Callable[[Rng, int], Parts]:
    """Whether the differential has the disease, and whether it is chosen, which needs the first."""

    def draw(rng: Rng, n: int) -> Parts:
        has = rng.random(n) < covered
        picks = has & (rng.random(n) < chosen)
        return np.column_stack([has, picks]).astype(float), np.ones((n, 2))

    return draw


def _abilities(rng: Rng, n: int) -> Parts:
    """Right answers to questions of four abilities, half of them of the first."""
    ability = rng.choice(4, n, p=(0.5, 0.2, 0.2, 0.1))
    right = rng.random(n) < np.array((0.9, 0.7, 0.5, 0.95))[ability]
    below = np.eye(4)[ability]
    return below * right[:, None], below


def _criteria(mean: float) -> Callable[[Rng, int], Parts]:
    """Scores of cases by criteria with positive and negative points, -1 to 1."""

    def draw(rng: Rng, n: int) -> Parts:
        return np.clip(rng.normal(mean, 0.4, (n, 1)), -1, 1), np.ones((n, 1))

    return draw


_COMBINED: tuple[tuple[str, str, Combine, Callable[[Rng, int], Parts]], ...] = (
    ("HDF1", "all right in 0%", "harmonic", _precision_and_recall(0.0)),
    ("HDF1", "all right in 90%", "harmonic", _precision_and_recall(0.9)),
    ("micro share of names", "50% right", "ratio", _found(0.5)),
    ("micro share of names", "95% right", "ratio", _found(0.95)),
    ("gap of coverage and choice", "80% covered, 70% of them chosen", "difference",
     _covered_and_chosen(0.8, 0.7)),
    ("gap of coverage and choice", "98% covered, 95% of them chosen", "difference",
     _covered_and_chosen(0.98, 0.95)),
    ("mean over abilities", "four, half of the questions of one", "mean", _abilities),
    ("clipped mean", "mean 0.4", "clipped", _criteria(0.4)),
    ("clipped mean", "mean 0.02", "clipped", _criteria(0.02)),
)  # fmt: skip


def ladders() -> Iterator[Cell]:
    """Yield the strength of the best of three models that meet in every case."""

    def best(rng: Rng, plan: Plan, n: int, apart: float) -> Interval:
        contests = []
        for case in range(n):
            for first, second, steps in (("a", "b", 1), ("b", "c", 1), ("a", "c", 2)):
                wins = rng.random() < 1 / (1 + math.exp(-steps * apart))
                contests.append(Contest(f"c{case}", first, second, 1.0 if wins else 0.0))
        return strengths(contests, plan=plan).strengths[0].interval

    for apart in (0.5, 2.0):
        for n in SIZES:
            yield Cell("strength, Bradley and Terry", f"n = {n} cases, three models {apart} apart",
                       apart, lambda rng, plan, n=n, d=apart: best(rng, plan, n, d))  # fmt: skip


def alignments() -> Iterator[Cell]:
    """Yield the rank correlation of a score with ratings from 1 to 7."""

    def rated(rng: Rng, n: int, right: float | None) -> tuple[np.ndarray, np.ndarray]:
        quality = rng.normal(size=n)
        ratings = np.clip(np.round(4 + 1.5 * quality + rng.normal(size=n)), 1, 7)
        score = quality + rng.normal(size=n)
        if right is not None:
            score = (score > math.sqrt(2) * scipy.stats.norm.ppf(1 - right)).astype(float)
        return score, ratings

    def rho(rng: Rng, plan: Plan, n: int, right: float | None) -> Interval:
        score, ratings = rated(rng, n, right)
        return rank_alignment(score.tolist(), ratings.tolist(), plan=plan).spearman

    for right, about in ((None, "a score"), (0.5, "right in 50%"), (0.95, "right in 95%")):
        truth = float(scipy.stats.spearmanr(*rated(np.random.default_rng(1), MANY, right))[0])
        for n in SIZES:
            yield Cell("Spearman with ratings, bootstrap", f"n = {n}, {about}", truth,
                       lambda rng, plan, n=n, r=right: rho(rng, plan, n, r))  # fmt: skip


def weighted() -> Iterator[Cell]:
    """Yield the share of rows that is right, from some of 2,000 texts that occur 1 to 40 times."""
    rows = np.ceil(40 / np.arange(1, 2001) ** 0.7)

    def share(rng: Rng, right: np.ndarray, n: int) -> Interval:
        drawn = rng.choice(len(rows), n, replace=False)
        return weighted_share_interval(right[drawn].tolist(), rows[drawn].tolist())

    for p in (0.5, 0.9, 0.99):
        right = np.random.default_rng(1).random(len(rows)) < p
        truth = float(rows @ right / rows.sum())
        for n in SIZES:
            yield Cell("share of rows, Wilson with weights", f"{n} texts checked, p = {p}", truth,
                       lambda rng, _, n=n, right=right: share(rng, right, n))  # fmt: skip
