"""Hierarchical scores of a differential over the tree of a release (H-DDx).

Every set of codes is augmented with all ancestors up to the chapter. With augmented truth
C_i and prediction P_i of case i:

    HDP = mean_i |C_i and P_i| / |P_i|      HDR = mean_i |C_i and P_i| / |C_i|
    HDF1 = 2 HDP HDR / (HDP + HDR)          per case: 2 |C_i and P_i| / (|C_i| + |P_i|)

Conventions, each from the definition:

- HDF1 is the harmonic mean of the two means, not the mean of the per-case F1.
- An empty prediction has precision 0 and recall 0.
- A score on a level uses the nodes of that level only; the last level, in ICD-10 "subcategory",
  contains all nodes below it. A score in a chapter (a root of the tree) uses the nodes of that
  chapter only. A case without a true node there is left out of all means (NaN in `per_case`).
- A prediction that did not map (None, an empty list, an unknown code) is listed. "ignore" then
  leaves it out. "penalise" adds one node that matches nothing to P_i, on every level. This node
  is in no chapter, so that it does not count in scores of a chapter.
- A case whose prediction is `FAILED` has no verdict: it is left out, listed, and bounded.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..errors import UsageError
from ..ontology.tree import Kind, Node, Tree
from ._arithmetic import harmonic
from ._node_sets import Case, Code, Diagnosis, Ints, NodeSets, NodeTable, Unmapped, codes_of
from .bootstrap import Floats
from .shares import Bounds

Policy = Literal["ignore", "penalise"]


def augment(codes: Iterable[Diagnosis] | Code, tree: Tree) -> frozenset[Node]:
    """Return the nodes of the codes and all their ancestors up to the chapter.

    Args:
        codes: codes in any form that the tree reads, also blocks and chapters; an entry may be
            a list of codes. None and empty entries add nothing.
        tree: the release.

    Raises:
        UnknownCode: the release does not contain a code.
    """
    entries: Iterable[Diagnosis] = [codes] if isinstance(codes, str | Node) else codes
    nodes = [tree.node(code) for entry in entries for code in codes_of(entry)]
    return frozenset(one for node in nodes for one in (node, *tree.ancestors(node)))


@dataclass(frozen=True, slots=True)
class HierarchicalScores:
    """HDP, HDR and HDF1 (NaN if no case can be scored), and the cases behind them.

    `per_case`, `per_case_precision` and `per_case_recall` have one entry per case, NaN for a case
    that is left out. `n` is the number of cases in the means. `left_out` lists the cases whose
    truth has no node on the level or in the chapter, `failed` the cases without a verdict.
    `bounds` are HDF1 with every failed case at 0 or at 1. `unmapped` lists the predictions that
    did not map, `unmapped_truth` the true diagnoses without a code, which add nothing.
    """

    precision: float
    recall: float
    f1: float
    per_case: tuple[float, ...]
    per_case_precision: tuple[float, ...]
    per_case_recall: tuple[float, ...]
    n: int
    left_out: tuple[int, ...]
    failed: tuple[int, ...]
    bounds: Bounds
    unmapped: tuple[Unmapped, ...]
    unmapped_truth: tuple[Unmapped, ...]
    level: Kind | None
    chapter: str | None
    policy: Policy


@dataclass(frozen=True, slots=True, eq=False)
class HierarchicalCounts:
    """Set sizes of every case in every cell: arrays of cases x levels x chapters.

    `levels` and `chapters` start with None for the whole tree. All scores, filters and resamples
    are computed from these counts.
    """

    overlap: Ints
    truth: Ints
    predicted: Ints
    levels: tuple[Kind | None, ...]
    chapters: tuple[Node | None, ...]
    failed: tuple[int, ...]
    unmapped: tuple[Unmapped, ...]
    unmapped_truth: tuple[Unmapped, ...]
    policy: Policy

    def ratios(self) -> tuple[Floats, Floats, Floats]:
        """Return precision, recall and F1 of every case and cell; NaN if the truth has no node."""
        has_truth = self.truth > 0
        has_truth[list(self.failed)] = False
        truth = np.where(has_truth, self.truth, np.nan)
        precision = np.where(has_truth, self.overlap / np.maximum(self.predicted, 1), np.nan)
        return precision, self.overlap / truth, 2 * self.overlap / (truth + self.predicted)


def counts_by_model(
    truth: Sequence[Case],
    predictions: Mapping[str, Sequence[Case]],
    tree: Tree,
    *,
    unmapped: Policy = "ignore",
) -> dict[str, HierarchicalCounts]:
    """Count the sets of several models; the truth and every distinct code are read only once.

    Args:
        truth: the true diagnoses of each case, as in `hierarchical_scores`.
        predictions: model -> the predicted diagnoses of each case.
        tree: the release.
        unmapped: "ignore" or "penalise" predictions that did not map.

    Returns:
        model -> the sizes of the sets of each case.
    """
    if unmapped not in ("ignore", "penalise"):
        raise UsageError(f"unmapped is {unmapped!r}; choose 'ignore' or 'penalise'")
    table = NodeTable(tree)
    true_sets = table.read(truth, "truth", strict=True)
    if true_sets.failed.any():
        raise UsageError(f"truth, case {int(true_sets.failed.argmax())}: there is no truth")
    counted = {}
    for model, cases in predictions.items():
        if len(cases) != len(truth):
            raise UsageError(f"{model}: {len(truth)} true cases but {len(cases)} predicted ones")
        counted[model] = _count(true_sets, table.read(cases, model), table, unmapped)
    return counted


def _count(
    truth: NodeSets, predicted: NodeSets, table: NodeTable, policy: Policy
) -> HierarchicalCounts:
    nodes = len(table.kinds)
    true_keys = np.sort(truth.case * nodes + truth.node)
    keys = predicted.case * nodes + predicted.node
    at = np.searchsorted(true_keys, keys)
    shared = np.zeros(len(keys), dtype=bool)
    inside = at < len(true_keys)
    shared[inside] = true_keys[at[inside]] == keys[inside]
    sizes = _sizes(predicted.case, predicted.node, len(predicted.failed), table)
    if policy == "penalise":
        for entry in predicted.unmapped:
            sizes[entry.case, :, 0] += 1
    return HierarchicalCounts(
        overlap=_sizes(predicted.case[shared], predicted.node[shared], len(truth.failed), table),
        truth=_sizes(truth.case, truth.node, len(truth.failed), table),
        predicted=sizes,
        levels=(None, *table.tree.levels),
        chapters=(None, *table.chapters),
        failed=tuple(np.flatnonzero(predicted.failed).tolist()),
        unmapped=predicted.unmapped,
        unmapped_truth=truth.unmapped,
        policy=policy,
    )


def _sizes(case: Ints, node: Ints, cases: int, table: NodeTable) -> Ints:
    """Count nodes by case, kind and chapter; index 0 of kind and chapter has the sums."""
    kind, chapter = np.array(table.kinds, int)[node], np.array(table.chapter_of, int)[node]
    levels = len(table.tree.levels)
    shape = (cases, levels, len(table.chapters))
    cell = np.ravel_multi_index((case, kind, chapter), shape) if len(case) else case
    sizes = np.zeros((cases, levels + 1, len(table.chapters) + 1), dtype=np.int64)
    sizes[:, 1:, 1:] = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
    sizes[:, 0, 1:] = sizes[:, 1:, 1:].sum(axis=1)
    sizes[:, :, 0] = sizes[:, :, 1:].sum(axis=2)
    return sizes


def hierarchical_scores(
    truth: Sequence[Case],
    predicted: Sequence[Case],
    tree: Tree,
    *,
    level: Kind | None = None,
    chapter: Node | str | None = None,
    unmapped: Policy = "ignore",
) -> HierarchicalScores:
    """Score the differentials of one model.

    Formula: with all ancestors added to truth C_i and prediction P_i: HDP = mean |C_i and P_i|
    / |P_i|, HDR = mean |C_i and P_i| / |C_i|, HDF1 = 2 HDP HDR / (HDP + HDR).

    Source: H-DDx, hierarchical precision, recall and F1.

    Args:
        truth: the diagnoses of each case; a diagnosis is a code, or a list of codes (pneumonia:
            J17, J18). Order and repetition do not matter.
        predicted: the same, case by case. None, an empty list or an unknown code is a diagnosis
            that did not map; `FAILED` instead of a case means that there is no verdict.
        tree: the release.
        level: one of the tree's (of ICD-10 chapter, block, category, subcategory); None for all.
        chapter: a chapter, in any form that the tree reads; None for all.
        unmapped: "ignore" or "penalise" predictions that did not map.

    Returns:
        HDP, HDR and HDF1, 0 to 1, and the counts of each case.

    Raises:
        UnknownCode: the release does not contain a true code; the message names the case.
        UsageError: lists of different lengths, or an unknown level, chapter or policy.

    >>> from dxjudge.ontology.tree import load_tree
    >>> made = hierarchical_scores([["J40"]], [["J41.0"]], load_tree())
    >>> made.precision, round(made.recall, 3), round(made.f1, 3)
    (0.5, 0.667, 0.571)
    """
    if level is not None and level not in tree.levels:
        raise UsageError(f"level is {level!r}; choose one of {', '.join(tree.levels)}")
    counts = counts_by_model(truth, {"predicted": predicted}, tree, unmapped=unmapped)["predicted"]
    node = None if chapter is None else _chapter(chapter, tree)
    return _scores(counts, level, node)


def _chapter(chapter: Node | str, tree: Tree) -> Node:
    node = tree.node(chapter)
    if node not in tree.roots:
        raise UsageError(f"{chapter!r} is a {node.kind}, not a {tree.levels[0]}")
    return node


def _scores(
    counts: HierarchicalCounts, level: Kind | None, chapter: Node | None
) -> HierarchicalScores:
    cell = (slice(None), counts.levels.index(level), counts.chapters.index(chapter))
    precision, recall, f1 = (ratio[cell] for ratio in counts.ratios())
    scored = ~np.isnan(recall)
    failed = [case for case in counts.failed if counts.truth[cell][case]]
    hdp, hdr = _mean(precision[scored]), _mean(recall[scored])
    low, high = (
        harmonic(
            _mean(np.append(precision[scored], [end] * len(failed))),
            _mean(np.append(recall[scored], [end] * len(failed))),
        )
        for end in (0.0, 1.0)
    )
    return HierarchicalScores(
        precision=hdp,
        recall=hdr,
        f1=harmonic(hdp, hdr),
        per_case=tuple(f1.tolist()),
        per_case_precision=tuple(precision.tolist()),
        per_case_recall=tuple(recall.tolist()),
        n=int(scored.sum()),
        left_out=tuple(np.flatnonzero(counts.truth[cell] == 0).tolist()),
        failed=tuple(failed),
        bounds=Bounds(low, high),
        unmapped=counts.unmapped,
        unmapped_truth=counts.unmapped_truth,
        level=level,
        chapter=chapter.code if chapter else None,
        policy=counts.policy,
    )


def _mean(values: Floats) -> float:
    return math.fsum(values) / len(values) if len(values) else math.nan
