"""Quality of a mapping of terms to codes against a gold table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..ontology.tree import Kind, Node, Tree
from ._node_sets import Code
from .bootstrap import Interval, Plan, bootstrap_many
from .hierarchical import HierarchicalScores, augment, hierarchical_scores
from .means import mean_interval
from .missed import deepest_shared
from .ratios import hierarchical_statistic
from .shares import FAILED, Failed, Share, share

KS = (1, 5, 15)


@dataclass(frozen=True, slots=True)
class MappingMiss:
    """A term whose first candidate is not accepted, and the deepest node both share.

    `found` is the first candidate, None if the term did not map. `level` is None if the two share
    no node.
    """

    row: int
    accepted: tuple[str, ...]
    found: str | None
    shared: Node | None

    @property
    def level(self) -> Kind | None:
        """Kind of the deepest shared node."""
        return self.shared.kind if self.shared else None


@dataclass(frozen=True, slots=True)
class MappingQuality:
    """Quality over a gold table: shares of terms, hierarchical F1 of the first candidate.

    `hits[k]`: an accepted code is among the first k. `same_category`: the first candidate and an
    accepted code are in one category. `hierarchical_f1`: HDF1 of the first candidate against the
    accepted code nearest to it. `unmapped` is the number of terms without a candidate, which are
    wrong. `failed` is the number of terms without an outcome, which are left out but count in the
    bounds. `intervals` resample terms: "hit@K" for each k, "same_category@1" and
    "hierarchical_f1@1".
    """

    hits: dict[int, Share]
    same_category: Share
    hierarchical_f1: float
    intervals: dict[str, Interval]
    misses: tuple[MappingMiss, ...]
    n: int
    unmapped: int
    failed: int


def mapping_quality(
    gold: Sequence[Sequence[Code]],
    candidates: Sequence[Sequence[Code] | Failed],
    tree: Tree,
    ks: Sequence[int] = KS,
    *,
    plan: Plan | None = None,
) -> MappingQuality:
    """Compare ranked candidates with the accepted codes.

    Formula: hit@k = terms with an accepted code among the first k / terms; same category and
    HDF1 of the first candidate likewise.

    Source: hit@k and H-DDx, HDF1; shares: Wilson (1927).

    Args:
        gold: the accepted codes of each term, one or more.
        candidates: the ranked codes of each term, best first; empty if the term did not map,
            `FAILED` if mapping ended without an outcome.
        tree: the release; codes may have any form that it reads.
        ks: list lengths to report.
        plan: how to resample for the intervals.

    Returns:
        hit@k for each k, the same category, and HDF1, with intervals.

    Raises:
        UnknownCode: the release does not contain a code.
        UsageError: lists of different lengths, or a term without an accepted code.

    >>> from dxjudge.ontology.tree import load_tree
    >>> ranked = [["J40"], ["J44", "J45"]]
    >>> made = mapping_quality([["J40"], ["J45"]], ranked, load_tree(), ks=(1, 2))
    >>> made.hits[1].value, made.hits[2].value
    (0.5, 1.0)
    """
    if len(gold) != len(candidates):
        raise UsageError(f"{len(gold)} gold rows but {len(candidates)} rows of candidates")
    accepted = [frozenset(tree.node(code) for code in codes) for codes in gold]
    for row, codes in enumerate(accepted):
        if not codes:
            raise UsageError(f"gold row {row} has no accepted code")
    ranked = [
        None if isinstance(row, Failed) else [tree.node(code) for code in row] for row in candidates
    ]
    pairs = list(zip(accepted, ranked, strict=True))
    hits = {
        k: [None if row is None else bool(codes.intersection(row[:k])) for codes, row in pairs]
        for k in ks
    }
    same = [None if row is None else _same_category(codes, row[:1], tree) for codes, row in pairs]
    first = hierarchical_scores(
        [[_nearest(codes, (row or [])[:1], tree)] for codes, row in pairs],
        [FAILED if row is None else row[:1] for row in ranked],
        tree,
    )
    return MappingQuality(
        hits={k: share(column) for k, column in hits.items()},
        same_category=share(same),
        hierarchical_f1=first.f1,
        intervals=_intervals(hits, same, first, plan) if pairs else {},
        misses=_misses(pairs, tree),
        n=len(gold),
        unmapped=sum(row == [] for row in ranked),
        failed=sum(row is None for row in ranked),
    )


def _intervals(
    hits: dict[int, list[bool | None]],
    same: list[bool | None],
    first: HierarchicalScores,
    plan: Plan | None,
) -> dict[str, Interval]:
    intervals = {f"hit@{k}": mean_interval(column, plan=plan) for k, column in hits.items()}
    intervals["same_category@1"] = mean_interval(same, plan=plan)
    columns = (np.array(first.per_case_precision), np.array(first.per_case_recall))
    statistic = hierarchical_statistic(columns[0][:, None], columns[1][:, None])
    present = np.tile(~np.isnan(columns[1])[:, None], 3)
    intervals["hierarchical_f1@1"] = bootstrap_many(
        statistic, len(same), present=present, plan=plan
    )[2]
    return intervals


def _same_category(accepted: frozenset[Node], top: list[Node], tree: Tree) -> bool:
    mine = {_category(node, tree) for node in top} - {None}
    return bool(mine & {_category(node, tree) for node in accepted})


def _category(node: Node, tree: Tree) -> Node | None:
    return tree.category(node) if tree.is_code(node) else None


def _nearest(accepted: frozenset[Node], top: list[Node], tree: Tree) -> Node:
    """Return the accepted code that scores best (F1) against the first candidate."""
    predicted = augment(top, tree)

    def f1(node: Node) -> float:
        truth = augment([node], tree)
        return 2 * len(truth & predicted) / (len(truth) + len(predicted))

    return min(accepted, key=lambda node: (-f1(node), node.code))


def _misses(
    pairs: list[tuple[frozenset[Node], list[Node] | None]], tree: Tree
) -> tuple[MappingMiss, ...]:
    missed = []
    for row, (accepted, ranked) in enumerate(pairs):
        if ranked is None or accepted.intersection(ranked[:1]):
            continue
        codes = tuple(sorted(node.code for node in accepted))
        top = ranked[0].code if ranked else None
        missed.append(MappingMiss(row, codes, top, deepest_shared(accepted, ranked[:1], tree)))
    return tuple(missed)
