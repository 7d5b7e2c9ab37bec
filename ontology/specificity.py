"""Cut or refine a code to the wanted specificity: concept, category or billable."""

import re
from collections.abc import Sequence
from typing import Literal

from ..errors import UsageError
from .reading.abbreviations import expand_abbreviations
from .reading.coders import encounter_words
from .reading.measured import term_of, trimester_of
from .reading.normalise import normalise_text
from .tree import Node, Tree

_MALE = re.compile(r"\b(?:male|man|men|boy)s?\b", re.IGNORECASE)
_FEMALE = re.compile(r"\b(?:female|wom[ae]n|girl|lady|she|her|\d\d ?F)\b", re.IGNORECASE)
_OF_MEN = ("N35", "N99.1")  # of which a text means a man where it says nothing
# Words of the variants that say nothing without another word of the variant.
_UNTELLING = frozenset(
    """encounter fracture for with of or and the not type stage eye unspecified applicable time i ii
    iii at in to more""".split()
)
_COMPLICATION = re.compile(r"\bwith (?!other|unspecified)([^,]*)", re.IGNORECASE)
_NAMED_AS = (
    (re.compile(r"\bbleed|\bbled\b|ha?emorr", re.IGNORECASE), "hemorrhage"),
    (re.compile(r"\bperf", re.IGNORECASE), "perforation"),
    (re.compile(r"\bincarcerat|\bobstruct|\bstrangulat|\birreducib", re.IGNORECASE), "obstruction"),
)
_LACK = re.compile(r"\b(?:uncomplicated|without|not)\b[^,]*", re.IGNORECASE)
# Words of one kind, of which a text names one: an intent of a poisoning, a trimester, how far a
# joint is out of place, whether a birth is at term, how far a blood cancer is gone.
_SAID = (
    re.compile(r"\b(?:accidental|intentional|assault|undetermined|adverse effect|underdosing)\b"),
    re.compile(r"\b(?:first|second|third) trimester\b"),
    re.compile(r"\b(?:subluxation|dislocation)\b"),
    re.compile(r"\b(?:preterm|full-term)\b"),
    re.compile(r"\b(?<!not )in (?:remission|relapse)\b"),
)
_IN_REMISSION = re.compile(r"\bin (?:\w+ )?CR\d?\b(?! \d)|\bCR[12]\b|\bMRD\s?(?:-|neg)", re.I)
_IN_RELAPSE = re.compile(r"\brelapsed?\b|\bR/R\b", re.IGNORECASE)
_DISPLACED = re.compile(r"\b(disloc|sublux)\w*")
_INTENT = re.compile(
    r"\bsuicid\w*|\bself[- ](?:harm|inflicted)\b|\bon purpose\b|\bto (?:kill (?:\w+)?self|die)\b|"
    r"\bintent to (?:die|harm)\b|\bwant(?:s|ed|ing) to die\b|"
    r"(?-i:(?<!\(-\) )\bS[AI]\b(?! joint| neg| denied|\s*-|\s*:? ?none))",
    re.IGNORECASE,
)
_CHOKED = re.compile(r"asphyxia|\bchok|compression of trachea|\bairway obstruct|\bstridor")
# A poisoning of which no text says an intent is accidental, as the guidelines have it.
_NO_ACCIDENT = re.compile(r"\badverse|\breaction|\bside effect|\ballerg|\bhypersensitiv", re.I)
_DENIED = re.compile(r"\b(?:no|not|non|without|denie[sd]|denying)\b[^,;.]*", re.IGNORECASE)
_SIDES = re.compile(r"\b(?:left|right|bilateral|both)\b")
# Short forms of sides, which mean other things where the code is not of an eye or an ear.
_EYE = {"OS": "left", "OD": "right", "OU": "bilateral"}
_EAR = {"AS": "left", "AD": "right", "AU": "bilateral"}
# Before a long word in capitals they are words of other languages: "TODOS OS OLHOS".
_SHORT_SIDE = re.compile(r"(?<![A-Z]{4} )\b[A-Z]{2}\b|\b[A-Z]{2}\b(?! [A-Z]{4})")
_SIDED_ORGANS = ((re.compile(r"\beye(?:lid)?\b"), _EYE), (re.compile(r"\bear\b"), _EAR))
_NON_DOMINANT = re.compile(r"\bnon[- ]?dominant\b", re.IGNORECASE)
_DOMINANT = re.compile(r"\b(?:non)?dominant\b|\bambidext\w*", re.IGNORECASE)
_HANDED = re.compile(r"\b(left|right)[- ]handed\b", re.IGNORECASE)

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
       intent and of the trimester that it names, or whose weeks it names. Where it names no
       dominance, the right side is the dominant one and the left is not, as the guidelines of
       ICD-10-CM say.
    3. Unspecified children whose name adds no word to the parent's, then those that add only what
       is absent ("without complications"), then other unspecified children, then all others.
    4. The best of the `ranked` codes, then a child without complications, then one of which
       all is unspecified ("Sepsis, unspecified organism"), then the first child.

    A code of an unspecified side or trimester gives way to that of the one that `text` names.
    A rule that leaves no child is skipped. Of the variants by a 7th character (encounter, fetus,
    stage) the one whose words the text says is taken, else the initial encounter.
    """
    node = tree.node(code)
    if policy == "category":
        return tree.category(node).code
    if policy == "billable":
        order = {candidate: place for place, candidate in enumerate(ranked)}
        text = expand_abbreviations(text).text  # "mod" is a stage too
        sided = _HANDED.sub("", text)
        of_men = bool(_MALE.search(text))
        node = _said_beside(node, side_said(sided, [node], tree), text, tree)
        while children := tree.children(node):
            if variant := _variant_said(node, children, text, tree):
                return variant.code
            is_mans = code.startswith(_OF_MEN) and not _FEMALE.search(text)
            wanted = of_men or is_mans or bool(_MALE.search(tree.name(node)))
            fitting = [
                child for child in children if bool(_MALE.search(tree.name(child))) == wanted
            ]
            said = _of_words(fitting or children, text, tree)
            side = side_said(sided, (node, *children), tree)
            of_side = _of_dominance(_of_side(said, side, tree), side, text, tree)
            node = _next(node, of_side, tree, order, text)
    return node.code


def _said_beside(node: Node, side: str | None, text: str, tree: Tree) -> Node:
    """Return the code beside one of an unspecified side or trimester that differs in it only."""
    name, parent = tree.name(node), tree.parent(node)
    if parent is None or "unspecified" not in name.lower():
        return node
    weeks = _SAID[1].search(text.lower())
    trimester = weeks.group() if weeks else trimester_of(text)
    trimester = trimester if "trimester" in name.lower() else ""
    said = [_singular(name) | {word} for word in (side, *trimester.split()[:1]) if word]
    beside = (child for child in tree.children(parent) if _singular(tree.name(child)) in said)
    return next(beside, node)


def _singular(name: str) -> set[str]:
    """Return the words of a name, "both eyes" and "bilateral limbs" as those of one."""
    return {word.removesuffix("s") for word in _words(name)}


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
    """Return how many words tell a variant; numbers alone, or a fetus without one, tell none."""
    return len(words) if any(word.isalpha() for word in words) and words != {"fetus"} else 0


def _next(
    node: Node, children: Sequence[Node], tree: Tree, order: dict[str, int], text: str
) -> Node:
    said = {*normalise_text(text).split(), *_complications_said(text)}
    above = _words(tree.name(node))
    vague = [child for child in children if _is_vague(tree.name(child), tree)]
    plain = [child for child in vague if _words(tree.name(child)) <= above]
    bare = [child for child in children if _adds_a_lack_only(tree.name(child), above)]
    return min(
        plain or bare or vague or children,
        key=lambda child: (
            _is_complicated(tree.name(child), said | above),
            _is_other_quadrant(tree.name(child), said),
            order.get(child.code, len(order)),
            -tree.name(child).lower().count("unspecified"),
            not _is_plain(tree.name(child)),
            ", unspecified" not in tree.name(child).lower(),
        ),
    )


def _is_other_quadrant(name: str, said: set[str]) -> bool:
    """Return whether a name has a quadrant of which nothing is said: "upper outer quadrant"."""
    named = set(name.lower().rstrip("s").replace("-", " ").split())
    places = named & {"upper", "lower", "overlapping"}
    return "quadrant" in named and bool(places) and said.isdisjoint(places)


def _complications_said(text: str) -> set[str]:
    """Return the complications that words of a text name: "bleeding" is a hemorrhage."""
    return {word for said, word in _NAMED_AS if said.search(text)}


def _is_complicated(name: str, said: set[str]) -> bool:
    """Return whether a name has a complication of which nothing is said: "with hemorrhage"."""
    match = _COMPLICATION.search(name)
    words = set(normalise_text(match[1]).split()) if match else set()
    return bool(words) and words.isdisjoint(said)


def _adds_a_lack_only(name: str, above: set[str]) -> bool:
    """Return whether a name adds to that above only what is absent: "without complications"."""
    rest = _LACK.sub("", name)
    return rest != name and _words(rest) <= above | {"unilateral"}


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


def _of_dominance(
    children: Sequence[Node], side: str | None, text: str, tree: Tree
) -> Sequence[Node]:
    """Return the children of the dominance that the side has; all where none is of one."""
    if side not in {"left", "right"}:
        return children
    names = ((child, tree.name(child)) for child in children)
    named = [(child, name) for child, name in names if _DOMINANT.search(name)]
    wanted = _is_non_dominant(side, text)
    return [one for one, name in named if bool(_NON_DOMINANT.search(name)) == wanted] or children


def _is_non_dominant(side: str, text: str) -> bool:
    """Return whether a side is not the dominant one: the left, where the text says nothing."""
    if _NON_DOMINANT.search(text) or _DOMINANT.search(text):
        return _NON_DOMINANT.search(text) is not None
    handed = _HANDED.search(text)
    return handed[1].lower() != side if handed else side == "left"


def _of_words(children: Sequence[Node], text: str, tree: Tree) -> Sequence[Node]:
    """Return the children that say the same of an intent or a trimester, all where none does.

    Where none is said, a poisoning is accidental, and a foreign body chokes nobody.
    """
    said = _INTENT.sub("intentional", _DENIED.sub(" ", text)).lower()
    said = _DISPLACED.sub(r"\1ation", said)
    said = _IN_RELAPSE.sub("in relapse", _IN_REMISSION.sub("in remission", said))
    if "trimester" not in said:
        said = f"{said} {trimester_of(text)}"
    if "term" not in said.replace("trimester", ""):
        said = f"{said} {term_of(text)}"
    for kind in _SAID:
        if (words := kind.search(said)) and len(set(kind.findall(said))) == 1:
            of_words = [
                child
                for child in children
                if set(kind.findall(tree.name(child).lower())) == {words.group()}
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


def side_said(text: str, nodes: Sequence[Node], tree: Tree) -> str | None:
    """Return the side that a text names for these codes, None where it names none or two.

    text: with its abbreviations written out. "ERM OS" is of the left eye: OS, OD and OU are read so
    where a code names an eye, AS, AD and AU where one names an ear.
    """
    if side := side_of(text):
        return side
    names = " ".join(tree.name(node).lower() for node in nodes)
    for organ, sides in _SIDED_ORGANS:
        if organ.search(names):
            said = {sides[word] for word in _SHORT_SIDE.findall(text) if word in sides}
            return said.pop() if len(said) == 1 else None
    return None
