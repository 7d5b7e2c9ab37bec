"""Measure how often every interval covers the truth, on a grid that includes the extremes.

    python benchmarks/intervals.py [--runs 250] [--resamples 200] [--write docs/intervals.md]

Each cell draws data sets with a known true number. The table has the share of intervals that cover
this number, and the share of runs without an interval ("none": too few cases, or the same value in
every resample). Over 250 runs the standard error of 95 % is 1.4 points.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from interval_cells import MANY, Cell, Rng, alignments, combined, ladders, weighted

from dxjudge.scoring import (
    Columns,
    Interval,
    Plan,
    jury_agreement,
    mean_interval,
    nmse_intervals,
    pair_agreement,
    paired_differences,
    prediction_powered,
    share_interval,
)


def shares() -> Iterator[Cell]:
    """Yield shares of independent cases, and of dependent pairs of items."""
    for n in (20, 50, 176):
        for p in (0.005, 0.05, 0.5, 0.95, 0.99):
            yield Cell("share, Wilson", f"n = {n}, p = {p}", p,
                       lambda rng, _, n=n, p=p: share_interval(rng.random(n) < p))  # fmt: skip

    def pairs(rng: Rng, n: int, p: float) -> Interval:
        luck = np.repeat(rng.random(n), 2)
        alone = rng.random(2 * n) < 0.5
        marks = np.where(alone, rng.random(2 * n), luck) < p
        return share_interval(marks.tolist(), np.repeat(np.arange(n), 2).tolist())

    for n in (20, 50, 176):
        for p in (0.005, 0.05, 0.5, 0.95):
            yield Cell("share, pairs of items", f"{n} pairs, p = {p}", p,
                       lambda rng, _, n=n, p=p: pairs(rng, n, p))  # fmt: skip


def means() -> Iterator[Cell]:
    """Yield means of grades from 0 to 5, most of them 5."""
    for n in (20, 50, 176):
        for end in (0.5, 0.9):
            weights = np.array([(1 - end) / 4] * 4 + [end])
            truth = float(weights @ (0, 2, 3, 4, 5))
            yield Cell(
                "mean grade, bootstrap", f"n = {n}, {end:.0%} at 5", truth,
                lambda rng, plan, n=n, w=weights: mean_interval(
                    rng.choice((0, 2, 3, 4, 5), size=n, p=w).tolist(), plan=plan
                ),
            )  # fmt: skip


def differences() -> Iterator[Cell]:
    """Yield differences of two models on the same cases: right and wrong verdicts, and scores."""

    def of_shares(rng: Rng, plan: Plan, n: int, one: float, two: float) -> Interval:
        drawn = rng.random(n)
        first, second = drawn < one, (drawn >= one) & (drawn < one + two)
        columns = [Columns.of_scores(marks.astype(float)) for marks in (first, second)]
        return paired_differences(columns, plan=plan)[0, 1].interval

    for n in (20, 50, 176):
        for one, two in ((0.005, 0.005), (0.05, 0.0), (0.05, 0.05), (0.2, 0.1)):
            yield Cell(
                "difference of shares, Bonett and Price",
                f"n = {n}, only the first {one}, only the second {two}", one - two,
                lambda rng, plan, n=n, a=one, b=two: of_shares(rng, plan, n, a, b),
            )  # fmt: skip

    def of_grades(rng: Rng, plan: Plan, n: int) -> Interval:
        case = rng.random(n)
        first = np.clip(case + rng.normal(0, 0.2, n) + 0.1, 0, None)
        columns = [Columns.of_scores(first), Columns.of_scores(case)]
        return paired_differences(columns, plan=plan)[0, 1].interval

    big = np.random.default_rng(1)
    case = big.random(MANY)
    truth = float((np.clip(case + big.normal(0, 0.2, MANY) + 0.1, 0, None) - case).mean())
    for n in (20, 50, 176):
        yield Cell("difference of scores, bootstrap", f"n = {n}", truth,
                   lambda rng, plan, n=n: of_grades(rng, plan, n))  # fmt: skip


_COEFFICIENTS = ("share_identical", "cohen_kappa", "gwet_ac1", "krippendorff_alpha_nominal")


def agreement() -> Iterator[Cell]:
    """Yield coefficients of two judges with the same accuracy, on cases with a share of "yes"."""

    def verdicts(rng: Rng, n: int, p: float, accuracy: float) -> tuple[np.ndarray, np.ndarray]:
        truth = rng.random(n) < p
        one, two = (np.where(rng.random(n) < accuracy, truth, ~truth) * 1 for _ in "ab")
        return one, two

    def coefficient(rng: Rng, plan: Plan, name: str, n: int, p: float, a: float) -> Interval | None:
        one, two = verdicts(rng, n, p, a)
        coefficients = pair_agreement(one.tolist(), two.tolist(), categories=(0, 1), plan=plan)
        return next(row.interval for row in coefficients if row.name == name)

    for n in (20, 50, 176):
        for p, a in ((0.03, 0.98), (0.03, 0.9), (0.1, 0.9), (0.5, 0.9)):
            for name in _COEFFICIENTS:
                truth = _true_agreement(name, p, a)
                yield Cell(
                    name, f"n = {n}, {p:.0%} yes, judges right in {a:.0%}", truth,
                    lambda rng, plan, x=name, n=n, p=p, a=a: coefficient(rng, plan, x, n, p, a),
                )  # fmt: skip


def _true_agreement(name: str, p: float, a: float) -> float:
    """Return the coefficient for infinitely many cases, from the rates of yes and of agreement."""
    yes, same = p * a + (1 - p) * (1 - a), a * a + (1 - a) ** 2
    chance = {"gwet_ac1": 2 * yes * (1 - yes)}.get(name, yes**2 + (1 - yes) ** 2)
    return same if name == "share_identical" else (same - chance) / (1 - chance)


def juries() -> Iterator[Cell]:
    """Yield Fleiss' kappa of three judges; with equal accuracy its truth is that of two."""

    def fleiss(rng: Rng, plan: Plan, n: int, p: float) -> Interval | None:
        truth = (rng.random(n) < p)[:, None]
        verdicts = np.where(rng.random((n, 3)) < 0.9, truth, ~truth) * 1
        coefficients = jury_agreement(verdicts.tolist(), categories=(0, 1), plan=plan)
        return next(row.interval for row in coefficients if row.name == "fleiss_kappa")

    for n in (20, 50, 176):
        for p in (0.03, 0.1, 0.5):
            yield Cell("fleiss_kappa, three judges", f"n = {n}, {p:.0%} yes",
                       _true_agreement("fleiss_kappa", p, 0.9),
                       lambda rng, plan, n=n, p=p: fleiss(rng, plan, n, p))  # fmt: skip


def gaps() -> Iterator[Cell]:
    """Yield MEDSYN's cross-modal gap: sensitivities to text from few or many cases, skewed."""

    def drawn(rng: Rng, n: int, b: float) -> tuple[np.ndarray, np.ndarray]:
        text = rng.beta(0.5, b, n)
        return np.clip(text * rng.uniform(0.2, 1.0, n) + rng.normal(0, 0.03, n), 0, 1), text

    def gap(rng: Rng, plan: Plan, n: int, b: float) -> Interval:
        image, text = drawn(rng, n, b)
        return nmse_intervals(image[:, None], text[:, None], plan=plan)[0]

    for n in (20, 50, 176):
        for b in (0.5, 2.0):
            image, text = drawn(np.random.default_rng(1), MANY, b)
            truth = float(((image - text) ** 2).sum() / (text**2).sum())
            yield Cell("NMSE of image and text, bootstrap-t", f"n = {n}, texts Beta(0.5, {b:g})",
                       truth, lambda rng, plan, n=n, b=b: gap(rng, plan, n, b))  # fmt: skip


def corrected() -> Iterator[Cell]:
    """Yield a share that a judge's verdicts and some checked cases give together."""

    def share(rng: Rng, p: float, right: float, checked: int) -> Interval | None:
        truth = rng.random(1200) < p
        judged = np.where(rng.random(1200) < right, truth, ~truth)
        first = list(zip(judged[:checked].tolist(), truth[:checked].tolist(), strict=True))
        return prediction_powered(judged[checked:].tolist(), first).interval

    for checked in (30, 60, 120):
        for p, right in ((0.6, 0.8), (0.6, 0.95), (0.85, 0.95), (0.85, 0.9)):
            yield Cell(
                "corrected share, prediction-powered",
                f"1,200 cases, {checked} checked, p = {p}, judge right in {right:.0%}", p,
                lambda rng, _, p=p, a=right, m=checked: share(rng, p, a, m),
            )  # fmt: skip


_KINDS: Sequence[Callable[[], Iterator[Cell]]] = (
    shares, means, differences, agreement, juries, gaps, corrected, combined, ladders, alignments,
    weighted,
)  # fmt: skip


def measure(cell: Cell, runs: int, resamples: int) -> tuple[float, float]:
    """Return the share of intervals that cover the truth, and the share of runs without one."""
    rng = np.random.default_rng(7)
    hits = intervals = 0
    for run in range(runs):
        interval = cell.draw(rng, Plan(resamples=resamples, seed=run))
        if interval is not None and not math.isnan(interval.low):
            intervals += 1
            hits += interval.low - 1e-12 <= cell.truth <= interval.high + 1e-12
    return (hits / intervals if intervals else math.nan), 1 - intervals / runs


def main() -> None:
    """Print the table, or write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=250)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    lines = [_HEAD.format(runs=options.runs, resamples=options.resamples)]
    for make in _KINDS:
        for cell in make():
            covered, none = measure(cell, options.runs, options.resamples)
            shown = "-" if math.isnan(covered) else f"{covered:.1%}"
            lines.append(f"| {cell.kind.replace('_', ' ')} | {cell.about} | {shown} | {none:.1%} |")
    text = "\n".join(lines) + "\n"
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)


_HEAD = """# How often the intervals cover the truth

This page is a simulation: 95 % intervals from data sets with a known true number, {runs} per line,
with {resamples} resamples. "cover" is the share of intervals that contain the true number.
"none" is the share of runs without an interval; there a warning gives the reason. The standard
error of 95 % is about 1.4 points. `python benchmarks/intervals.py --write docs/intervals.md` writes
this page again in minutes.

Shares of right and wrong have Wilson's interval. If a case has several items, n is the effective
number of items (by the design effect). A share of 0 or 1 does not determine this number, so that n
is then the number of cases, and the interval is rather too wide than too narrow. A bootstrap of
clusters does not work there, because every resample has the same share. For a very rare "yes" no
interval of a share has even coverage: with n = 20 and p = .005, data with one "yes" are rare, and
Wilson's interval is then above .005.

If one verdict is more than half of all, kappa, alpha and rank correlations have an interval only if
at least seven cases have another verdict and two judges share it on at least three cases. AC1 and
the share of identical verdicts do not need this. A rank correlation with ratings has an interval
only if at least seven cases have a score, and a rating, other than the commonest. The limits of a
clipped mean are those of the mean, clipped.

Means over few groups are the weak point: with 20 questions of four abilities, one of which has two
questions, the interval of the mean over abilities is too narrow. So are the intervals of means if
most cases are at the end of the scale and there are 50 or fewer.

[Several judges](agreement.md#do-the-intervals-cover-the-truth) has the coverage of the weighted
kappas, AC2, ordinal alpha, the correlations of judges, Rogan and Gladen's share, tau and preference
agreement; [its last part](agreement.md#are-the-sentences-true) that of scores, differences, mean
differences, leave-one-out and self-preference of whole evaluations with planted judges, and of the
weighted corrected share; [comparisons](comparisons.md#gaps-between-groups) that of gaps between
groups.

| interval of | data | cover | none |
|---|---|---|---|"""


if __name__ == "__main__":
    main()
