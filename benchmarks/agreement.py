"""Measure how often the agreement intervals cover the truth, with simulated juries.

    python benchmarks/agreement.py [--runs 1000] [--cases 120] [--resamples 500] [--level 0.95]

Each jury has a prevalence, the judges' accuracy and bias (towards "yes"), and a correlation of
their errors. The true value of a measure is its value on 200,000 cases. Each run draws new
verdicts. The share of runs whose interval covers the true value should be near the level, within
two standard errors of the simulation, which are printed. "none" is the number of runs without an
interval.

A contest has models under test of known quality. Two judges score them yes or no, each with its
own bias. The measures are Kendall's tau between the judges' rankings, and the share of comparisons
on which they prefer the same model. Corrected accuracy is measured for one good and one biased
judge with a set of checked cases.
"""

import argparse
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dxjudge.scoring.bootstrap import Interval, Method, Plan
from dxjudge.scoring.calibration import prediction_powered, rogan_gladen
from dxjudge.scoring.raters.agreement import jury_agreement, pair_agreement
from dxjudge.scoring.raters.preference import preference_agreement
from dxjudge.scoring.stability import ranking_stability

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Jury:
    """A simulated jury. Verdicts are yes/no for 2 `levels`, else grades; errors are one level."""

    name: str
    accuracy: float
    bias: float = 0.0
    correlation: float = 0.0
    prevalence: float = 0.5
    levels: int = 2
    judges: int = 3
    missing: float = 0.0
    repeats: int = 1

    def draw(self, cases: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Draw truth (rows) and verdicts (rows x judges; -1 is missing); see `repeats` for rows."""
        weights = np.full(self.levels, (1 - self.prevalence) / (self.levels - 1))
        weights[-1] = self.prevalence
        truth = np.repeat(rng.choice(self.levels, size=cases, p=weights), self.repeats)
        rows = (cases * self.repeats, self.judges)
        # Shared random numbers put errors on the same cases; the repeats of a case share them too.
        common = rng.random((cases, 1)).repeat(self.repeats, axis=0)
        shared = rng.random(rows) < self.correlation
        luck = np.where(shared, common, rng.random(rows))
        right = np.where(truth > 0, self.accuracy + self.bias, self.accuracy - self.bias)
        step = rng.choice([-1, 1], size=rows)
        step = np.where(
            truth[:, None] == 0, 1, np.where(truth[:, None] == self.levels - 1, -1, step)
        )
        verdicts = truth[:, None] + np.where(luck < right[:, None], 0, step)
        verdicts[rng.random(rows) < self.missing] = -1
        return truth, verdicts


JURIES = (
    Jury("fair", accuracy=0.8),
    Jury("biased, correlated", accuracy=0.8, bias=0.1, correlation=0.5),
    Jury("rare positives", accuracy=0.9, prevalence=0.1),
    Jury("grades, gaps", accuracy=0.7, prevalence=0.3, levels=5, missing=0.1),
    Jury("two rows a case", accuracy=0.8, correlation=0.5, repeats=2),
)


@dataclass(frozen=True)
class Contest:
    """Models under test, and two judges; `favours` has the bias of each judge for each model."""

    name: str
    quality: tuple[float, ...]
    favours: tuple[tuple[float, ...], tuple[float, ...]]
    noise: float = 0.1

    def draw(self, cases: int, rng: np.random.Generator) -> dict[str, dict[str, list[float]]]:
        """Draw scores by judge and model; both judges see the same responses."""
        luck = rng.random((len(self.quality), cases))
        scores: dict[str, dict[str, list[float]]] = {}
        for judge, favour in zip("ab", self.favours, strict=True):
            seen = luck < (np.array(self.quality) + np.array(favour))[:, None]
            verdicts = np.where(rng.random(seen.shape) < self.noise, ~seen, seen)
            scores[judge] = {f"m{i}": row.tolist() for i, row in enumerate(verdicts * 1.0)}
        return scores


_FAIR = (0.0, 0.0, 0.0, 0.0, 0.0)
CONTESTS = (
    Contest("far apart, one favourite", (0.9, 0.7, 0.5, 0.3, 0.1), (_FAIR, (0, 0, 0, 0.3, 0))),
    Contest("close, one favourite", (0.7, 0.65, 0.6, 0.55, 0.5), (_FAIR, (0, 0, 0, 0, 0.18))),
)


def contest_measures(
    scores: dict[str, dict[str, list[float]]], plan: Plan
) -> dict[str, Interval | None]:
    """Return Kendall's tau between the judges' rankings, and their preference agreement."""
    columns = [np.column_stack(list(by_model.values())) for by_model in scores.values()]
    return {
        "tau between rankings": ranking_stability(scores, plan=plan).taus["a", "b"],
        "preference agreement": preference_agreement(*columns, plan=plan).interval,
    }


def simulate_contest(contest: Contest, options: argparse.Namespace) -> None:
    once = Plan(method="percentile", resamples=1)
    truth = contest_measures(contest.draw(200_000, np.random.default_rng(1)), once)
    print(f"\n{contest}, {options.cases} cases, {options.runs} runs\n{_header(options.level)}")
    methods: tuple[Method, ...] = ("bca", "percentile")
    tallies = {
        (method, name): Tally(value.estimate)
        for name, value in truth.items()
        if value is not None
        for method in methods
    }
    rng = np.random.default_rng(4)
    for run in range(options.runs):
        scores = contest.draw(options.cases, rng)
        for method in methods:
            intervals = contest_measures(
                scores, Plan(method, options.level, options.resamples, run)
            )
            for name, interval in intervals.items():
                tallies[method, name].add(interval)
    for (method, name), tally in tallies.items():
        print(tally.line(options.runs, f"{name}, {method}"))


def measures(jury: Jury, verdicts: Ints, plan: Plan) -> dict[str, Interval | None]:
    """Return every measure of the first two judges, and of the whole jury."""
    rows: list[list[Any]] = [[None if v < 0 else v for v in row] for row in verdicts.tolist()]
    scale: Any = "nominal" if jury.levels == 2 else "interval"
    clusters = [i // jury.repeats for i in range(len(rows))]
    options: dict[str, Any] = {"scale": scale, "clusters": clusters, "plan": plan}
    pair = pair_agreement([r[0] for r in rows], [r[1] for r in rows], **options)
    whole = jury_agreement(rows, **options)
    interval_of = {one.name: one.interval for one in pair}
    return interval_of | {f"jury {one.name}": one.interval for one in whole}


def true_values(jury: Jury, rng: np.random.Generator) -> dict[str, float]:
    """Return the measures on 200,000 cases, as the mean of 20 parts."""
    plan = Plan(method="percentile", resamples=1)
    parts: dict[str, list[float]] = defaultdict(list)
    for _ in range(20):
        _, verdicts = jury.draw(10_000, rng)
        for name, interval in measures(jury, verdicts, plan).items():
            if interval is not None:
                parts[name].append(interval.estimate)
    return {name: float(np.mean(values)) for name, values in parts.items()}


@dataclass
class Tally:
    """How often the intervals of one measure covered the truth."""

    truth: float
    covered: int = 0
    none: int = 0
    width: float = 0.0

    def add(self, interval: Interval | None) -> None:
        """Count one run."""
        if interval is None or math.isnan(interval.low):
            self.none += 1
            return
        self.covered += interval.low <= self.truth <= interval.high
        self.width += interval.high - interval.low

    def line(self, runs: int, label: str) -> str:
        """Return one row of the table."""
        given = max(runs - self.none, 1)
        rate = self.covered / given
        error = math.sqrt(rate * (1 - rate) / given)
        return (
            f"  {label:44} {self.truth:7.3f} {rate:8.3f} ± {2 * error:.3f}"
            f" {self.width / given:8.3f} {self.none:6}"
        )


def simulate_agreement(jury: Jury, options: argparse.Namespace) -> None:
    truth = true_values(jury, np.random.default_rng(1))
    print(f"\n{jury}, {options.cases} cases, {options.runs} runs\n{_header(options.level)}")
    methods: tuple[Method, ...] = ("bca", "percentile")
    tallies = {(m, name): Tally(value) for m in methods for name, value in truth.items()}
    rng = np.random.default_rng(2)
    for run in range(options.runs):
        _, verdicts = jury.draw(options.cases, rng)
        for method in methods:
            plan = Plan(method, options.level, options.resamples, seed=run)
            intervals = measures(jury, verdicts, plan)
            for name in truth:
                tallies[method, name].add(intervals[name])
    for name in truth:
        for method in methods:
            print(tallies[method, name].line(options.runs, f"{name}, {method}"))


def simulate_correction(jury: Jury, options: argparse.Namespace) -> None:
    """Judge `cases` responses with accuracy `prevalence`; correct with a third as many checked."""
    checked = max(60, options.cases // 3)
    print(f"\ncorrected accuracy, {jury}, {checked} checked cases\n{_header(options.level)}")
    tallies = {name: Tally(jury.prevalence) for name in ("rogan-gladen", "prediction-powered")}
    rng = np.random.default_rng(3)
    for _ in range(options.runs * 4):
        truth, verdicts = jury.draw(options.cases + checked, rng)
        judged = verdicts[checked:, 0].astype(bool).tolist()
        pairs = list(
            zip(verdicts[:checked, 0].astype(bool).tolist(), truth[:checked] > 0, strict=True)
        )
        corrected = (
            rogan_gladen(judged, pairs, level=options.level),
            prediction_powered(judged, pairs, level=options.level),
        )
        for one in corrected:
            tallies[one.method].add(one.interval)
    for name, tally in tallies.items():
        print(tally.line(options.runs * 4, name))


def _header(level: float) -> str:
    covered = f"covered ({level})"
    return f"  {'measure, interval':44} {'truth':>7} {covered:>16} {'width':>8} {'none':>6}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of the agreement intervals")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--level", type=float, default=0.95)
    options = parser.parse_args()
    for jury in JURIES:
        simulate_agreement(jury, options)
    for contest in CONTESTS:
        simulate_contest(contest, options)
    simulate_correction(Jury("good judge", accuracy=0.9, prevalence=0.7), options)
    simulate_correction(Jury("biased judge", accuracy=0.8, bias=0.1, prevalence=0.7), options)


if __name__ == "__main__":
    main()
