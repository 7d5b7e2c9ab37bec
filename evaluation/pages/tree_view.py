"""The true codes and the predicted ones of a case, drawn in the tree of the ontology."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from ...ontology.tree import Node, Tree
from .predictions import TRUTH, Prediction


class TreeNode(BaseModel):
    """A node of the tree. truth: it is a true code. models: who predicted just this code."""

    code: str
    name: str
    level: str
    truth: bool
    models: list[str]
    below: list["TreeNode"]


class LevelHits(BaseModel):
    """How far a model's predictions reach: of the true nodes of each level, how many are hit."""

    model: str
    hits: list[int]


class TreeView(BaseModel):
    """The tree over all codes of a case.

    levels: the levels that hold true codes. of: the true nodes of each level. absent: codes that
    the tree does not hold.
    """

    release: str
    roots: list[TreeNode]
    levels: list[str]
    of: list[int]
    hits: list[LevelHits]
    absent: list[str]


def tree_view(
    tree: Tree, predictions: Sequence[Prediction], models: Iterable[str], predicted: str
) -> TreeView | None:
    """Return the tree of a case; None where no true or predicted diagnosis has a code.

    predicted: which predictions count: "ddx", "final" or "both", as in the settings of the run.
    """
    kinds = {"ddx": ("ddx",), "final": ("final",), "both": ("final", "ddx")}[predicted]
    truth = _codes(one for one in predictions if one.kind == TRUTH)
    by_model = {
        model: _codes(one for one in predictions if one.kind in kinds and one.model == model)
        for model in models
    }
    every = {*truth, *(code for codes in by_model.values() for code in codes)}
    known = {code: tree.node(code) for code in every if tree.contains(code)}
    if not known:
        return None
    true_nodes = {known[code] for code in truth if code in known}
    named = {model: {known[c] for c in codes if c in known} for model, codes in by_model.items()}
    levels, of, hits = _hits(tree, true_nodes, named)
    return TreeView(
        release=tree.release,
        roots=_drawn(tree, true_nodes, named),
        levels=levels,
        of=of,
        hits=hits,
        absent=sorted(every - {*known}),
    )


def _codes(predictions: Iterable[Prediction]) -> set[str]:
    return {code for one in predictions for code in one.code.split()}


def _with_above(tree: Tree, nodes: Iterable[Node]) -> set[Node]:
    return {above for node in nodes for above in (node, *tree.ancestors(node))}


def _hits(
    tree: Tree, truth: set[Node], named: dict[str, set[Node]]
) -> tuple[list[str], list[int], list[LevelHits]]:
    """Count, by level, the true nodes and those that each model's predictions reach."""
    true_nodes = _with_above(tree, truth)
    by_level: dict[int, set[Node]] = {}
    for node in true_nodes:
        by_level.setdefault(tree.level(node), set()).add(node)
    order = sorted(by_level)
    reached = {model: _with_above(tree, nodes) & true_nodes for model, nodes in named.items()}
    hits = [
        LevelHits(model=model, hits=[len(by_level[level] & nodes) for level in order])
        for model, nodes in reached.items()
    ]
    names = [_level_name(tree, level) for level in order]
    return names, [len(by_level[level]) for level in order], hits


def _level_name(tree: Tree, level: int) -> str:
    return tree.levels[level] if level < len(tree.levels) else f"{tree.levels[-1]}, {level}"


def _drawn(tree: Tree, truth: set[Node], named: dict[str, set[Node]]) -> list[TreeNode]:
    shown = _with_above(tree, [*truth, *(n for nodes in named.values() for n in nodes)])
    below: dict[Node | None, list[Node]] = {}
    for node in sorted(shown, key=lambda one: one.code):
        below.setdefault(tree.parent(node), []).append(node)

    def draw(node: Node) -> TreeNode:
        return TreeNode(
            code=node.code,
            name=tree.name(node),
            level=node.kind,
            truth=node in truth,
            models=[model for model, nodes in named.items() if node in nodes],
            below=[draw(one) for one in below.get(node, ())],
        )

    return [draw(root) for root in below.get(None, ())]
