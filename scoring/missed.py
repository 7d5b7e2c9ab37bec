"""Missed diagnoses, and the deepest level at which each is still right."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import UnknownCode
from ..ontology.tree import Kind, Node, Tree
from ._node_sets import Case, Code, Diagnosis, codes_of
from .hierarchical import augment
from .shares import Failed


@dataclass(frozen=True, slots=True)
class Miss:
    """A true diagnosis that no prediction hits, and the deepest node they share.

    `level` is None if not even the chapter is right.
    """

    case: int
    position: int
    codes: tuple[str, ...]
    shared: Node | None

    @property
    def level(self) -> Kind | None:
        """Kind of the deepest shared node."""
        return self.shared.kind if self.shared else None


def deepest_shared(
    truth: Iterable[Diagnosis] | Code, predicted: Iterable[Diagnosis] | Code, tree: Tree
) -> Node | None:
    """Return the deepest node that both sides share after `augment`; None without one.

    Among equally deep nodes it is the first by code.

    Args:
        truth: the true code or codes.
        predicted: the predicted code or codes.
        tree: the release.
    """
    return _deepest(augment(truth, tree) & augment(predicted, tree), tree)


def _deepest(shared: frozenset[Node], tree: Tree) -> Node | None:
    return min(shared, key=lambda node: (-tree.level(node), node.code), default=None)


def misses(truth: Sequence[Case], predicted: Sequence[Case], tree: Tree) -> tuple[Miss, ...]:
    """List the true diagnoses that are missed, case by case.

    A diagnosis is hit if one of its codes, or a code below it, is predicted. Predicted codes
    that the release does not contain are ignored. `FAILED` cases are left out.

    Formula: true diagnoses of which no code, nor one below it, is predicted.

    Source: H-DDx, analysis of misses by level.

    Args:
        truth: the true diagnoses of each case, as in `hierarchical_scores`.
        predicted: the predicted diagnoses of each case.
        tree: the release.

    Returns:
        one row for each missed diagnosis, with the deepest node that was still right.

    >>> from dxjudge.ontology.tree import load_tree
    >>> made = misses([["J40", "I10"]], [["J41.0", "I10"]], load_tree())
    >>> [(one.codes, one.level) for one in made]
    [(('J40',), 'block')]
    """
    missed = []
    for case, (diagnoses, guesses) in enumerate(zip(truth, predicted, strict=True)):
        if isinstance(diagnoses, Failed) or isinstance(guesses, Failed):
            continue
        reached = augment(_known(guesses, tree), tree)
        for position, diagnosis in enumerate(diagnoses):
            own = [tree.node(code) for code in codes_of(diagnosis)]
            if own and not reached.intersection(own):
                shared = _deepest(augment(own, tree) & reached, tree)
                missed.append(Miss(case, position, tuple(node.code for node in own), shared))
    return tuple(missed)


def _known(diagnoses: Sequence[Diagnosis], tree: Tree) -> list[Node]:
    nodes = []
    for diagnosis in diagnoses:
        for code in codes_of(diagnosis):
            try:
                nodes.append(tree.node(code))
            except UnknownCode:
                continue
    return nodes
