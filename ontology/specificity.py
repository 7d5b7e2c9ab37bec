"""Cut or refine a code to the wanted specificity: concept, category or billable."""

import re
from collections.abc import Sequence
from typing import Literal

from ..errors import UsageError
from .reading.abbreviations import expand_abbreviations
from .reading.coders import encounter_words
from .reading.normalise import normalise_text
from .tree import Node, Tree

_MALE = re.compile(r"\b(?:male|man|men|boy)s?\b", re.IGNORECASE)
# Words of the variants that say nothing without another word of the variant.
_UNTELLING = frozenset(
    """encounter fracture for with of or and the not type stage eye unspecified applicable time i ii
    iii at in to more""".split()
)
_LACK = re.compile(r"\b(?:uncomplicated|without|not)\b[^,]*", re.IGNORECASE)
# Words of one kind, of which a text names one: an intent of a poisoning, a trimester.
_SAID = (
    re.compile(r"\b(?:accidental|intentional|assault|undetermined|adverse effect|underdosing)\b"),
    re.compile(r"\b(?:first|second|third) trimester\b"),
)
_INTENT = re.compile(
    r"\bsuicid\w*|\bself[- ](?:harm|inflicted)\b|\bon purpose\b|(?-i:\bS[AI]\b(?! joint))",
    re.IGNORECASE,
)
_CHOKED = re.compile(r"asphyxia|\bchok|compression of trachea|\bairway obstruct|\bstridor")
# A poisoning of which no text says an intent is accidental, as the guidelines have it.
_NO_ACCIDENT = re.compile(r"\badverse|\breaction|\bside effect|\ballerg|\bhypersensitiv", re.I)
_DENIED = re.compile(r"\b(?:no|not|non|without|denie[sd]|denying)\b[^,;.]*", re.IGNORECASE)
_SIDES = re.compile(r"\b(?:left|right|bilateral|both)\b")

Specificity = Literal["concept", "category", "billable"]
SPECIFICITIES: tuple[Specificity, ...] = ("concept", "category", "billable")


def check_specificity(name: str) -> Specificity:
    """Return the name as a Specificity. Raises UsageError for an unknown name."""
    for known in SPECIFICITIES:
        if name == known:
            return known
    raise UsageError(f"no specificity {name!r}; there is {', '.join(SPECIFICITIES)}")


def at_specificity(
    code: str, policy: Specificity, tree: Tree, ranked: Sequence[str] = (), text: str = ""
) -> str:
    """Return the code at the wanted specificity.

    `concept` keeps the code. `category` cuts it to the category (three characters in ICD-10).
    `billable` goes down to a leaf. At each level these rules choose among the children:

    1. Children for men where `text` or the code above names a man, else the others.
    2. Children of the side that `text` names; without a side where it names none. Children of the
       intent and of the trimester that it names.
    3. Unspecified children whose name adds no word to the parent's, then those that add only what
       is absent ("without complications"), then other unspecified children, then all others.
    4. The best of the `ranked` codes, then a child without complications, then one of which
       all is unspecified ("Sepsis, unspecified organism"), then the first child.

    A rule that leaves no child is skipped. Of the variants by a 7th character (encounter, fetus,
    stage) the one whose words the text says is taken, else the initial encounter.
    """
    node = tree.node(code)
    if policy == "category":
        return tree.category(node).code
    if policy == "billable":
        order = {candidate: place for place, candidate in enumerate(ranked)}
        side = side_of(expand_abbreviations(text).text)
        of_men = bool(_MALE.search(text))
        while children := tree.children(node):
            if variant := _variant_said(node, children, text, tree):
                return variant.code
            wanted = of_men or bool(_MALE.search(tree.name(node)))
            fitting = [
                child for child in children if bool(_MALE.search(tree.name(child))) == wanted
            ]
            said = _of_words(fitting or children, text, tree)
            node = _next(node, _of_side(said, side, tree), tree, order)
    return node.code


def _variant_said(node: Node, children: Sequence[Node], text: str, tree: Tree) -> Node | None:
    """Return the variant by a 7th character that a text names most, None where it names none."""
    if not tree.is_encounter(children[0]):
        return None
    parent = tree.name(node)
    said = set(normalise_text(encounter_words(text)).split())
    said -= set(normalise_text(parent).split()) | _UNTELLING
    if not any(word.isalpha() for word in said):
        return None
    names = [tree.name(child).removeprefix(parent) for child in children]
    words = [set(normalise_text(name).split()) for name in names]
    shared = [_telling(said & of_name) for of_name in words]
    best = max(range(len(children)), key=lambda n: (shared[n], not words[n] & {"without"} - said))
    return children[best] if shared[best] else None


def _telling(words: set[str]) -> int:
    """Return how many words tell a variant; numbers alone, such as an age, tell none."""
    return len(words) if any(word.isalpha() for word in words) else 0


def _next(node: Node, children: Sequence[Node], tree: Tree, order: dict[str, int]) -> Node:
    above = _words(tree.name(node))
    vague = [child for child in children if _is_vague(tree.name(child), tree)]
    plain = [child for child in vague if _words(tree.name(child)) <= above]
    bare = [child for child in children if _adds_a_lack_only(tree.name(child), above)]
    return min(
        plain or bare or vague or children,
        key=lambda child: (
            order.get(child.code, len(order)),
            -tree.name(child).lower().count("unspecified"),
            not _is_plain(tree.name(child)),
            ", unspecified" not in tree.name(child).lower(),
        ),
    )


def _adds_a_lack_only(name: str, above: set[str]) -> bool:
    """Return whether a name adds to that above only what is absent: "without complications"."""
    rest = _LACK.sub("", name)
    return rest != name and _words(rest) <= above


def _is_vague(name: str, tree: Tree) -> bool:
    return tree.descriptor.is_unspecified(name) or "not specified as" in name.lower()


def _words(name: str) -> set[str]:
    """Return the words of a name except "unspecified" and words without a meaning of their own."""
    return set(re.findall(r"\w+", name.lower())) - {"unspecified", "site", "of", "and", "the"}


def _is_plain(name: str) -> bool:
    """Return whether a name excludes complications, which the text does not mention."""
    return "uncomplicated" in name.lower() or "without" in name.lower()


def _of_side(children: Sequence[Node], side: str | None, tree: Tree) -> Sequence[Node]:
    """Return the children that name this side and no other; all children where there are none."""
    return [child for child in children if side_of(tree.name(child)) == side] or children


def _of_words(children: Sequence[Node], text: str, tree: Tree) -> Sequence[Node]:
    """Return the children that say the same of an intent or a trimester, all where none does.

    Where none is said, a poisoning is accidental, and a foreign body chokes nobody.
    """
    said = _INTENT.sub("intentional", _DENIED.sub(" ", text)).lower()
    for kind in _SAID:
        if (words := kind.search(said)) and len(set(kind.findall(said))) == 1:
            of_words = [
                child
                for child in children
                if kind.findall(tree.name(child).lower()) == [words.group()]
            ]
            children = of_words or children
    if not _CHOKED.search(said):
        children = [
            child for child in children if not _CHOKED.search(tree.name(child).lower())
        ] or children
    accidents = [child for child in children if "accidental" in tree.name(child).lower()]
    return children if _NO_ACCIDENT.search(said) else accidents or children


def side_of(text: str) -> str | None:
    """Return left, right or bilateral where a text names exactly one of them, else None."""
    words = {"bilateral" if word == "both" else word for word in _SIDES.findall(text.lower())}
    return words.pop() if len(words) == 1 else None
