"""Time the hierarchical scores at the size of the H-DDx study, and a plain-Python version.

    python benchmarks/scoring.py [--cases 730] [--models 22] [--resamples 1000]

The script scores every model on every level and in every chapter, with bootstrap intervals and the
paired differences between all models. Then it computes the same with sets and loops, for two models
and a few resamples, and projects the time of the whole. At last it doubles the cases twice.
"""

import argparse
import math
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from dxjudge.ontology.tree import Node, Tree, load_tree
from dxjudge.scoring.bootstrap import Method, Plan
from dxjudge.scoring.cascade import CascadeRow, compare_models, model_differences
from dxjudge.scoring.hierarchical import HierarchicalCounts, counts_by_model

Cases = list[list[Any]]
Cell = tuple[float, float]


def simulate(cases: int, models: int, tree: Tree, seed: int = 0) -> tuple[Cases, dict[str, Cases]]:
    """Draw five true diagnoses per case; a model keeps, shifts, replaces or does not map each."""
    rng = random.Random(seed)
    codes = [n.code for n in tree.nodes if n.kind in ("category", "subcategory")]
    pool = rng.sample(codes, 2000)
    near = {code: tree.parent(code) for code in pool}
    truth = [rng.sample(pool, 5) for _ in range(cases)]

    def guess(code: str, skill: float) -> Any:
        roll = rng.random()
        if roll < skill:
            return code
        if roll < skill + 0.2:
            return near[code]
        return None if roll > 0.98 else rng.choice(pool)

    skills = [0.1 + 0.6 * i / max(models - 1, 1) for i in range(models)]
    return truth, {
        f"model {i:02}": [[guess(code, skill) for code in case] for case in truth]
        for i, skill in enumerate(skills)
    }


def score(truth: Cases, predictions: dict[str, Cases], tree: Tree, plan: Plan) -> list[CascadeRow]:
    """Compute what is timed: counts, all cells with intervals, all paired differences."""
    counts: dict[str, HierarchicalCounts] = counts_by_model(truth, predictions, tree)
    rows = compare_models(counts, plan=plan)
    model_differences(counts, plan=plan)
    return list(rows)


class Plain:
    """The same numbers with sets and loops."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.lines: dict[Any, list[tuple[Node, Node]]] = {}
        self.chapters = [node for node in tree.nodes if node.kind == "chapter"]

    def augmented(self, case: list[Any]) -> set[tuple[Node, Node]]:
        """Return (node, its chapter) of a case's codes and their ancestors."""
        nodes: set[tuple[Node, Node]] = set()
        for code in case:
            if code is None:
                continue
            if code not in self.lines:
                line = [self.tree.node(code), *self.tree.ancestors(code)]
                self.lines[code] = [(node, line[-1]) for node in line]
            nodes.update(self.lines[code])
        return nodes

    def cells(self, truth: Cases, predicted: Cases) -> list[list[Cell | None]]:
        """Return precision and recall, or None, by cell (level by chapter) and case."""
        pairs = [
            (self.augmented(c), self.augmented(p)) for c, p in zip(truth, predicted, strict=True)
        ]
        columns: list[list[Cell | None]] = []
        for level in (None, *self.tree.levels):
            for chapter in (None, *self.chapters):
                column: list[Cell | None] = []
                for c, p in pairs:
                    true = {n for n, ch in c if level in (None, n.kind) and chapter in (None, ch)}
                    guessed = {
                        n for n, ch in p if level in (None, n.kind) and chapter in (None, ch)
                    }
                    both = len(true & guessed)
                    cell = (
                        (both / len(guessed) if guessed else 0.0, both / len(true))
                        if true
                        else None
                    )
                    column.append(cell)
                columns.append(column)
        return columns


def hdf1(column: list[Cell | None], drawn: range | list[int]) -> float:
    """Return HDF1 of one cell over drawn cases, computed by a loop."""
    kept = [cell for cell in (column[i] for i in drawn) if cell is not None]
    if not kept:
        return math.nan
    hdp = sum(p for p, _ in kept) / len(kept)
    hdr = sum(r for _, r in kept) / len(kept)
    return 2 * hdp * hdr / (hdp + hdr) if hdp + hdr else 0.0


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def plain_run(
    truth: Cases, predictions: dict[str, Cases], tree: Tree, models: int, resamples: int
) -> tuple[float, float, dict[str, list[float]]]:
    """Return seconds per model, seconds per model and resample, and the HDF1 of the cells."""
    plain, rng, n = Plain(tree), random.Random(1), len(truth)
    chosen = list(predictions)[:models]
    counting, cells = timed(
        lambda: {model: plain.cells(truth, predictions[model]) for model in chosen}
    )
    draws = [[rng.randrange(n) for _ in range(n)] for _ in range(resamples)]
    resampling, _ = timed(
        lambda: [[hdf1(c, drawn) for c in cells[m]] for m in chosen for drawn in draws]
    )
    values = {model: [hdf1(c, range(n)) for c in cells[model]] for model in chosen}
    return counting / len(chosen), resampling / len(chosen) / resamples, values


def check(rows: list[CascadeRow], values: dict[str, list[float]], tree: Tree) -> int:
    """Compare every cell of both versions; return the number of cells."""
    chapters = [None, *(node.code for node in tree.nodes if node.kind == "chapter")]
    levels = (None, *tree.levels)
    compared = 0
    for row in rows:
        if row.model not in values:
            continue
        position = levels.index(row.level) * len(chapters) + chapters.index(row.chapter)
        slow = values[row.model][position]
        assert abs(row.f1.estimate - slow) < 1e-9, (row, slow)
        compared += 1
    return compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=730)
    parser.add_argument("--models", type=int, default=22)
    parser.add_argument("--resamples", type=int, default=1000)
    options = parser.parse_args()
    load_s, tree = timed(load_tree)
    print(f"tree read in {load_s:.1f} s ({tree.version})")
    truth, predictions = simulate(options.cases, options.models, tree)
    timings = {}
    methods: tuple[Method, ...] = ("percentile", "bca")
    for method in methods:
        plan = Plan(method=method, resamples=options.resamples)
        seconds, rows = timed(partial(score, truth, predictions, tree, plan))
        timings[method] = seconds
        print(
            f"{method:10} {seconds:6.2f} s: {options.models} models x {options.cases} cases x 5, "
            f"{len(rows)} cells, {options.resamples} resamples, all paired differences"
        )
    per_model, per_draw, values = plain_run(truth, predictions, tree, 2, 3)
    projected = options.models * (per_model + options.resamples * per_draw)
    print(f"{check(rows, values, tree)} cells of 2 models equal the plain version")
    ratio = projected / timings["percentile"]
    print(
        f"plain Python {per_model:.2f} s a model for the cells, {per_draw:.3f} s a model and "
        f"resample: {projected:.0f} s projected, {ratio:.0f} times as long"
    )
    plan = Plan(method="percentile", resamples=options.resamples)
    for factor in (1, 2, 4):
        cases, models = simulate(options.cases * factor, options.models, tree)
        seconds, _ = timed(partial(score, cases, models, tree, plan))
        print(f"{len(cases):6} cases {seconds:6.2f} s {1000 * seconds / len(cases):6.2f} ms a case")


if __name__ == "__main__":
    main()
