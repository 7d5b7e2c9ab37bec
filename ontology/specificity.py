"""How specific a code the user wants: as the text says, the category, or a billable code."""

import re
from collections.abc import Sequence
from typing import Literal

from ..errors import UsageError
from .reading.abbreviations import expand_abbreviations
from .tree import Node, Tree

_MALE = re.compile(r"\b(?:male|man|men|boy)s?\b", re.IGNORECASE)
_SIDES = re.compile(r"\b(?:left|right|bilateral|both)\b")

Specificity = Literal["concept", "category", "billable"]
SPECIFICITIES: tuple[Specificity, ...] = ("concept", "category", "billable")


def check_specificity(name: str) -> Specificity:
    """The policy of that name, or UsageError."""
    for known in SPECIFICITIES:
        if name == known:
            return known
    raise UsageError(f"no specificity {name!r}; there is {', '.join(SPECIFICITIES)}")


def at_specificity(
    code: str, policy: Specificity, tree: Tree, ranked: Sequence[str] = (), text: str = ""
) -> str:
    """The code at the wanted specificity.

    `concept` keeps it; `category` cuts to the category (three characters in ICD-10); `billable`
    goes down to a leaf: at each level among the children of the side that `text` names (of no
    side, where it names none; those of men where it names one alone), the unspecified ones before
    others (first those that add nothing to the name), of these the best of the `ranked` codes,
    else one without complications, else the first. Encounter variants end in the initial
    encounter.
    """
    node = tree.node(code)
    if policy == "category":
        return tree.category(node).code
    if policy == "billable":
        order = {each: place for place, each in enumerate(ranked)}
        side = _side(expand_abbreviations(text).text)
        of_men = bool(_MALE.search(text))
        while children := tree.children(node):
            fitting = [each for each in children if bool(_MALE.search(tree.name(each))) == of_men]
            node = _next(node, _of_side(fitting or children, side, tree), tree, order)
    return node.code


def _next(node: Node, children: Sequence[Node], tree: Tree, order: dict[str, int]) -> Node:
    above = _words(tree.name(node))
    vague = [child for child in children if tree.descriptor.is_unspecified(tree.name(child))]
    plain = [child for child in vague if _words(tree.name(child)) <= above]
    return min(
        plain or vague or children,
        key=lambda child: (order.get(child.code, len(order)), not _is_plain(tree.name(child))),
    )


def _words(name: str) -> set[str]:
    """The words of a name, but those that only say that no more is said."""
    return set(re.findall(r"\w+", name.lower())) - {"unspecified", "site", "of", "and", "the"}


def _is_plain(name: str) -> bool:
    """Whether a name adds no complication: that would be more than the text says."""
    return "uncomplicated" in name.lower() or "without" in name.lower()


def _of_side(children: Sequence[Node], side: str | None, tree: Tree) -> Sequence[Node]:
    """The children that name this side and no other, where there are such; else all."""
    return [child for child in children if _side(tree.name(child)) == side] or children


def _side(text: str) -> str | None:
    """left, right or bilateral, where a text names just one of them."""
    words = {"bilateral" if word == "both" else word for word in _SIDES.findall(text.lower())}
    return words.pop() if len(words) == 1 else None
