"""Simulate gaps between groups: bias of the gap, and how often its limits hold the true gap.

    python benchmarks/group_gaps.py [--sets 300] [--resamples 300]

Each line is one kind of data: groups with known shares of right answers. The script prints a
markdown table for docs/comparisons.md.
"""

import argparse

import numpy as np

from dxjudge.evaluation.measures.group_gaps import GroupGap, group_gaps_of
from dxjudge.evaluation.measures.measure import Score, Units, mean_measure
from dxjudge.scoring import Plan

LINES = (
    ("2 equal", [0.7] * 2, 50),
    ("5 equal", [0.7] * 5, 20),
    ("5 equal", [0.7] * 5, 50),
    ("5 equal", [0.7] * 5, 200),
    ("10 equal", [0.7] * 10, 50),
    ("5 equal, near the top", [0.97] * 5, 50),
    ("5, one lower by .2", [0.7] * 4 + [0.5], 50),
    ("5, from .5 to .9", [0.9, 0.8, 0.7, 0.6, 0.5], 50),
    ("10, one lower by .2", [0.7] * 9 + [0.5], 50),
    ("10, one lower by .2", [0.7] * 9 + [0.5], 200),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--resamples", type=int, default=300)
    chosen = parser.parse_args()
    print("| groups | cases in each | true gap | measured | corrected | by chance | limits hold "
          "| p < .05 | worst group named right |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|")
    for name, rates, size in LINES:
        gaps = [gap_of(rates, size, seed, chosen.resamples) for seed in range(chosen.sets)]
        true = max(rates) - min(rates)
        means = [np.mean([getattr(gap, field) for gap in gaps])
                 for field in ("value", "corrected", "by_chance")]  # fmt: skip
        held = np.mean([gap.low <= true + 1e-9 and true - 1e-9 <= gap.high for gap in gaps])
        small = np.mean([gap.p_value < 0.05 for gap in gaps])
        worst = {f"g{at}" for at, rate in enumerate(rates) if rate == min(rates)}
        named = "-" if true == 0 else f"{np.mean([gap.worst in worst for gap in gaps]):.0%}"
        print(f"| {name} | {size} | {true:.3f} | {means[0]:.3f} | {means[1]:.3f} | {means[2]:.3f} "
              f"| {held:.1%} | {small:.1%} | {named} |")  # fmt: skip


def gap_of(rates: list[float], size: int, seed: int, resamples: int) -> GroupGap:
    """Draw one data set and return its gap."""
    rng = np.random.default_rng(seed)
    groups = [(f"g{at}",) for at in range(len(rates)) for _ in range(size)]
    right = np.concatenate([rng.random(size) < rate for rate in rates])
    units = Units(tuple(f"{n:05}" for n in range(len(groups))), {"group": tuple(groups)})
    measure = mean_measure("right", "m", "", [Score(float(value), "done") for value in right])
    (gap,) = group_gaps_of([measure], units, Plan(resamples=resamples, seed=seed))
    return gap


if __name__ == "__main__":
    main()
