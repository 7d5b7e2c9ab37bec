"""Hierarchical scores of many models, with intervals, on every level and in every chapter."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..ontology.tree import Kind, Node
from .bootstrap import (
    Difference,
    Floats,
    Interval,
    Plan,
    Statistic,
    bootstrap_differences,
    bootstrap_many,
)
from .hierarchical import HierarchicalCounts


@dataclass(frozen=True, slots=True)
class CascadeRow:
    """One model's HDP, HDR and HDF1 on one level (None: all) in one chapter (None: all).

    `n` counts the cases in the means.
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
    """Score every model in every cell in which some case has a true node.

    Args:
        counts: model to its counts, all on the same cases in the same order.
        clusters: the patient (or other unit to resample) of each case.
        plan: level, method, resamples, seed; the same resamples serve every model.

    Returns:
        Rows by model, then level (all, chapter to subcategory), then chapter.

    Raises:
        UsageError: models with different cases or truths, or no case.
    """
    cases = _same_cases(counts)
    rows: list[CascadeRow] = []
    for model, counted in counts.items():
        precision, recall, _ = counted.ratios()
        levels, chapters = np.nonzero(~np.isnan(recall).all(axis=0))
        columns = precision[:, levels, chapters], recall[:, levels, chapters]
        present = ~np.isnan(columns[1])
        made = bootstrap_many(
            hierarchical_statistic(*columns),
            list(clusters) if clusters else cases,
            present=np.tile(present, 3),
            plan=plan,
        )
        k = len(levels)
        for cell, n in enumerate(present.sum(axis=0).tolist()):
            level, chapter = counted.levels[levels[cell]], counted.chapters[chapters[cell]]
            code = chapter.code if chapter else None
            rows.append(CascadeRow(model, level, code, n, *made[cell::k]))
    return tuple(rows)


def hierarchical_statistic(precision: Floats, recall: Floats) -> Statistic:
    """HDP, HDR and HDF1 as a function of case weights, (b, rows) to (b, 3 k).

    Args:
        precision: of each case in k cells, cases x k.
        recall: the same; a case that is NaN here is left out of the cell.
    """
    present = ~np.isnan(recall)
    columns = np.hstack([np.where(present, precision, 0), np.where(present, recall, 0), present])
    k = present.shape[1]

    def statistic(drawn: Floats) -> Floats:
        sums = drawn @ columns
        cases = np.where(sums[:, 2 * k :] > 0, sums[:, 2 * k :], np.nan)
        hdp, hdr = sums[:, :k] / cases, sums[:, k : 2 * k] / cases
        both = hdp + hdr
        f1 = np.divide(2 * hdp * hdr, both, out=np.where(both == 0, 0.0, both), where=both > 0)
        return np.hstack([hdp, hdr, f1])

    return statistic


def model_differences(
    counts: Mapping[str, HierarchicalCounts],
    *,
    level: Kind | None = None,
    chapter: Node | None = None,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> dict[tuple[str, str], Difference]:
    """HDF1 of every model minus that of every later one, on the same resampled cases."""
    cases = _same_cases(counts)
    models = list(counts)
    pairs = list(itertools.combinations(range(len(models)), 2))
    statistics, scored = [], []
    for counted in counts.values():
        cell = (slice(None), [counted.levels.index(level)], [counted.chapters.index(chapter)])
        precision, recall, _ = counted.ratios()
        statistics.append(hierarchical_statistic(precision[cell], recall[cell]))
        scored.append(~np.isnan(recall[cell][:, 0]))

    def differences(drawn: Floats) -> Floats:
        f1 = np.column_stack([statistic(drawn)[:, 2] for statistic in statistics])
        return np.column_stack([f1[:, i] - f1[:, j] for i, j in pairs])

    if not pairs:
        raise UsageError("a difference needs two models or more")
    made = bootstrap_differences(
        differences,
        list(clusters) if clusters else cases,
        present=np.column_stack([scored[i] & scored[j] for i, j in pairs]),
        plan=plan,
    )
    return {(models[i], models[j]): one for (i, j), one in zip(pairs, made, strict=True)}


def _same_cases(counts: Mapping[str, HierarchicalCounts]) -> int:
    if not counts:
        raise UsageError("there is no model to compare")
    first_model, first = next(iter(counts.items()))
    for model, counted in counts.items():
        if not np.array_equal(counted.truth, first.truth):
            raise UsageError(f"{model} and {first_model} were not counted on the same cases")
    return len(first.truth)
