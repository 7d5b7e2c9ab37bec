"""How often does every interval hold the truth? A grid that includes the edges.

    python benchmarks/intervals.py [--runs 250] [--resamples 200] [--write docs/intervals.md]

Each cell draws data sets whose true number is known. Shown are the share of intervals given that
hold it, and how often none was given ("none": too few cases, or every resample gave the same
value). Over 250 runs the standard error of 95 % is 1.4 points.
"""

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dxjudge.scoring import (
    Columns,
    Interval,
    Plan,
    jury_agreement,
    mean_interval,
    pair_agreement,
    paired_differences,
    share_interval,
)

Rng = np.random.Generator
_MANY = 400_000


@dataclass(frozen=True)
class Cell:
    """One cell: what it is, the true number, and an interval from one drawn data set."""

    kind: str
    about: str
    truth: float
    draw: Callable[[Rng, Plan], Interval | None]


def shares() -> Iterator[Cell]:
    """Shares of independent cases, and of pairs of items that go together."""
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
    """Means of grades from 0 to 5, most of them at one end."""
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
    """Two models on the same cases: right and wrong verdicts, and grades."""

    def of_shares(rng: Rng, plan: Plan, n: int, one: float, two: float) -> Interval:
        drawn = rng.random(n)
        first, second = drawn < one, (drawn >= one) & (drawn < one + two)
        columns = [Columns.of_scores(each.astype(float)) for each in (first, second)]
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
    case = big.random(_MANY)
    truth = float((np.clip(case + big.normal(0, 0.2, _MANY) + 0.1, 0, None) - case).mean())
    for n in (20, 50, 176):
        yield Cell("difference of scores, bootstrap", f"n = {n}", truth,
                   lambda rng, plan, n=n: of_grades(rng, plan, n))  # fmt: skip


_COEFFICIENTS = ("share_identical", "cohen_kappa", "gwet_ac1", "krippendorff_alpha_nominal")


def agreement() -> Iterator[Cell]:
    """Two judges of one accuracy, on cases of which a share is truly "yes"."""

    def verdicts(rng: Rng, n: int, p: float, accuracy: float) -> tuple[np.ndarray, np.ndarray]:
        truth = rng.random(n) < p
        one, two = (np.where(rng.random(n) < accuracy, truth, ~truth) * 1 for _ in "ab")
        return one, two

    def coefficient(rng: Rng, plan: Plan, name: str, n: int, p: float, a: float) -> Interval | None:
        one, two = verdicts(rng, n, p, a)
        made = pair_agreement(one.tolist(), two.tolist(), categories=(0, 1), plan=plan)
        return next(each.interval for each in made if each.name == name)

    for n in (20, 50, 176):
        for p, a in ((0.03, 0.98), (0.03, 0.9), (0.1, 0.9), (0.5, 0.9)):
            for name in _COEFFICIENTS:
                truth = _true_agreement(name, p, a)
                yield Cell(
                    name, f"n = {n}, {p:.0%} yes, judges right in {a:.0%}", truth,
                    lambda rng, plan, x=name, n=n, p=p, a=a: coefficient(rng, plan, x, n, p, a),
                )  # fmt: skip


def _true_agreement(name: str, p: float, a: float) -> float:
    """The coefficient of endless cases: both say yes with y, and agree with `same`."""
    yes, same = p * a + (1 - p) * (1 - a), a * a + (1 - a) ** 2
    chance = {"gwet_ac1": 2 * yes * (1 - yes)}.get(name, yes**2 + (1 - yes) ** 2)
    return same if name == "share_identical" else (same - chance) / (1 - chance)


def juries() -> Iterator[Cell]:
    """Three judges: Fleiss' kappa, which is that of two for judges of one accuracy."""

    def fleiss(rng: Rng, plan: Plan, n: int, p: float) -> Interval | None:
        truth = (rng.random(n) < p)[:, None]
        said = np.where(rng.random((n, 3)) < 0.9, truth, ~truth) * 1
        made = jury_agreement(said.tolist(), categories=(0, 1), plan=plan)
        return next(one.interval for one in made if one.name == "fleiss_kappa")

    for n in (20, 50, 176):
        for p in (0.03, 0.1, 0.5):
            yield Cell("fleiss_kappa, three judges", f"n = {n}, {p:.0%} yes",
                       _true_agreement("fleiss_kappa", p, 0.9),
                       lambda rng, plan, n=n, p=p: fleiss(rng, plan, n, p))  # fmt: skip


def measure(cell: Cell, runs: int, resamples: int) -> tuple[float, float]:
    """The share of the intervals given that hold the truth, and the share of runs without one."""
    rng = np.random.default_rng(7)
    hits = given = 0
    for run in range(runs):
        made = cell.draw(rng, Plan(resamples=resamples, seed=run))
        if made is not None and not math.isnan(made.low):
            given += 1
            hits += made.low - 1e-12 <= cell.truth <= made.high + 1e-12
    return (hits / given if given else math.nan), 1 - given / runs


def main() -> None:
    """Print the table, or write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=250)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    lines = [_HEAD.format(runs=options.runs, resamples=options.resamples)]
    for make in (shares, means, differences, agreement, juries):
        for cell in make():
            held, none = measure(cell, options.runs, options.resamples)
            shown = "-" if math.isnan(held) else f"{held:.1%}"
            lines.append(f"| {cell.kind.replace('_', ' ')} | {cell.about} | {shown} | {none:.1%} |")
    text = "\n".join(lines) + "\n"
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)


_HEAD = """# How often the intervals hold the truth

Simulated: intervals at 95 % from data sets whose true number is known, {runs} a line, {resamples}
resamples. "hold": of the intervals that were given; "none": runs in which none was given, with the
reason beside the number. The standard error of 95 % is about 1.4 points.
`python benchmarks/intervals.py --write docs/intervals.md` makes this page again in minutes.

Shares of right and wrong have Wilson's interval. With several items a case, n is the effective
number of items (by the design effect), and at 0 and 1, which say nothing about it, the number of
cases: too wide rather than too narrow. A bootstrap of clusters cannot hold there, since it draws
the same share every time. For one very rare "yes" no interval of a share holds evenly: with n = 20
and p = .005 one "yes" is an exception, and Wilson's then lies above .005.

Where one verdict is more than half of all, kappa, alpha and rank correlations have an interval
only if seven cases or more have another one, and two judges share it on three or more; AC1 and the
share of identical verdicts hold without that.

| interval of | data | hold | none |
|---|---|---|---|"""


if __name__ == "__main__":
    main()
