"""Hierarchical scores of several models with intervals, on every level and in every chapter."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..ontology.tree import Kind, Node
from .bootstrap import Difference, Interval, Plan, bootstrap_many
from .differences import Columns, paired_differences
from .hierarchical import HierarchicalCounts
from .ratios import hierarchical_statistic


@dataclass(frozen=True, slots=True)
class CascadeRow:
    """One model's HDP, HDR and HDF1 on one level (None: all) in one chapter (None: all).

    `n` is the number of cases in the means.
    """

    model: str
    level: Kind | None
    chapter: str | None
    n: int
    precision: Interval
    recall: Interval
    f1: Interval


def compare_models(
    counts: Mapping[str, HierarchicalCounts],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> tuple[CascadeRow, ...]:
    """Score every model on every level and in every chapter in which a case has a true node.

    Formula: HDP, HDR and HDF1 as in `hierarchical_scores`, on every level and in every chapter.

    Source: H-DDx, hierarchical scores by level and chapter; intervals: bootstrap over cases.

    Args:
        counts: model to its counts, all on the same cases in the same order.
        clusters: the patient (or other unit to resample) of each case.
        plan: level, method, resamples, seed; all models share the same resamples.

    Returns:
        Rows by model, then level (all, chapter to subcategory), then chapter.

    Raises:
        UsageError: models with different cases or truths, or no case.

    >>> from dxjudge.ontology.tree import load_tree
    >>> from dxjudge.scoring import counts_by_model
    >>> tree = load_tree()
    >>> counts = counts_by_model([["J40"]] * 12, {"m": [["J40"], ["J41"]] * 6}, tree)
    >>> row = compare_models(counts, plan=Plan(resamples=50))[0]
    >>> round(row.f1.estimate, 3)
    0.833
    """
    cases = _same_cases(counts)
    rows: list[CascadeRow] = []
    for model, counted in counts.items():
        precision, recall, _ = counted.ratios()
        levels, chapters = np.nonzero(~np.isnan(recall).all(axis=0))
        columns = precision[:, levels, chapters], recall[:, levels, chapters]
        present = ~np.isnan(columns[1])
        intervals = bootstrap_many(
            hierarchical_statistic(*columns),
            list(clusters) if clusters else cases,
            present=np.tile(present, 3),
            plan=plan,
        )
        k = len(levels)
        for cell, n in enumerate(present.sum(axis=0).tolist()):
            level, chapter = counted.levels[levels[cell]], counted.chapters[chapters[cell]]
            code = chapter.code if chapter else None
            rows.append(CascadeRow(model, level, code, n, *intervals[cell::k]))
    return tuple(rows)


def model_differences(
    counts: Mapping[str, HierarchicalCounts],
    *,
    level: Kind | None = None,
    chapter: Node | None = None,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> dict[tuple[str, str], Difference]:
    """Return HDF1 of every model minus that of every later one, over cases that both resolved.

    Formula: HDF1 of the first minus HDF1 of the second over the cases that both resolved.

    Source: H-DDx, HDF1; `paired_differences`.

    Args:
        counts: model -> its counts, as `counts_by_model` gives them.
        level: one of the tree's levels; None for all.
        chapter: a chapter; None for all.
        clusters: the cluster of each case; by default every case is its own.
        plan: level, method, resamples and seed of the intervals.

    >>> from dxjudge.ontology.tree import load_tree
    >>> from dxjudge.scoring import counts_by_model
    >>> answers = {"a": [["J40"]] * 12, "b": [["J40"], ["J41"]] * 6}
    >>> counts = counts_by_model([["J40"]] * 12, answers, load_tree())
    >>> made = model_differences(counts, plan=Plan(resamples=50))["a", "b"]
    >>> round(made.interval.estimate, 3)
    0.167
    """
    _same_cases(counts)
    models = list(counts)
    first = next(iter(counts.values()))
    cell = (slice(None), first.levels.index(level), first.chapters.index(chapter))
    columns = []
    for counted in counts.values():
        scores = np.column_stack([part[cell] for part in counted.ratios()[:2]])
        known = ~np.isnan(scores)
        columns.append(Columns(np.where(known, scores, 0.0), known.astype(float), known))
    differences = paired_differences(columns, "harmonic", clusters=clusters, plan=plan)
    return {(models[i], models[j]): difference for (i, j), difference in differences.items()}


def _same_cases(counts: Mapping[str, HierarchicalCounts]) -> int:
    if not counts:
        raise UsageError("there is no model to compare")
    first_model, first = next(iter(counts.items()))
    for model, counted in counts.items():
        if not np.array_equal(counted.truth, first.truth):
            raise UsageError(f"{model} and {first_model} were not counted on the same cases")
    return len(first.truth)
