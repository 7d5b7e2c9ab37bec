"""How specific a code the user wants: as the text says, the category, or a billable code."""

from collections.abc import Sequence
from typing import Literal

from ..errors import UsageError
from .tree import Node, Tree

Specificity = Literal["concept", "category", "billable"]
SPECIFICITIES: tuple[Specificity, ...] = ("concept", "category", "billable")


def check_specificity(name: str) -> Specificity:
    """The policy of that name, or UsageError."""
    for known in SPECIFICITIES:
        if name == known:
            return known
    raise UsageError(f"no specificity {name!r}; there is {', '.join(SPECIFICITIES)}")


def at_specificity(code: str, policy: Specificity, tree: Tree, ranked: Sequence[str] = ()) -> str:
    """The code at the wanted specificity.

    `concept` keeps it; `category` cuts to three characters; `billable` goes down to a leaf:
    at each level the best of the `ranked` codes below, else the unspecified child, else the
    first. Encounter variants end in the initial encounter.
    """
    node = tree.node(code)
    if policy == "category":
        return next(
            (above.code for above in (node, *tree.ancestors(node)) if above.kind == "category"),
            node.code,
        )
    if policy == "billable":
        order = {each: place for place, each in enumerate(ranked)}
        while children := tree.children(node):
            node = _next(children, tree, order)
    return node.code


def _next(children: tuple[Node, ...], tree: Tree, order: dict[str, int]) -> Node:
    ranked = [child for child in children if child.code in order]
    if ranked:
        return min(ranked, key=lambda child: order[child.code])
    vague = (child for child in children if "unspecified" in tree.name(child).lower())
    return next(vague, children[0])
