"""Find the code near the first candidate that says more of what the text says.

"Trigger finger [right middle]" equals the term "trigger finger" in part. Below its code is one
whose name adds only what the text adds: "right", "middle".
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..factors import is_factor
from ..reading.normalise import normalise_text
from ..reading.query import Query
from ..tree import Node, Tree
from .rerank import Ranked
from .retrieve import Retriever
from .words import ROW_OF, SIDES, STEM

_OR = re.compile(r"\bwith or without \w+|\b\w+ or \w+\b")  # of two things, none is said
_SEVERAL = re.compile(r"[;\n]")  # between diagnoses
_WHOLE = ("whole", "word for word")
_READ = 15  # candidates whose terms are read
_ALIKE = 4  # letters that an adjective shares with its noun
_MANY = 4  # words, of which the beginnings are enough
_SMALL = frozenset(
    """and or of the in to by due for at from on is has part site unspecified nos disease disorder
    condition syndrome""".split()
)
_OTHER = frozenset(("other", "specif"))
_LACKING = frozenset("without no not non denies sin sans ohne senza sem zonder".split())
_ENDING = frozenset("with but".split())
_FIGURES = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "first": "1", "second": "2", "third": "3"}
_BEFORE_FIGURES = frozenset("stage grade degree".split())
_PLURAL = re.compile(r"(?<=\w\w[^siu])s$")
_KINDS = ("itis", "oma", "genic")  # diverticulitis is no diverticulosis
_SAME_AS = {
    "both": "bilateral",
    "lid": "eyelid",
    "lids": "eyelid",
    "grade": "stage",
    "degree": "stage",
}


class _Fit(NamedTuple):
    """How a code fits a text: how many words of the text it tells, how few others, how deep."""

    told: int
    untold: int
    depth: int
    code: str
    words: frozenset[str]


def more_detailed(ranked: Sequence[Ranked], query: Query, retriever: Retriever) -> str | None:
    """Return the code near the first candidate that says more of a text and nothing else, or None.

    It is a code below the first one; where the first one is unspecified or says what the text does
    not, also one beside it; or a candidate of the same category by a term whose words are all in
    the text.
    """
    hit, tree = ranked[0].hit, retriever.tree
    texts = [form.text for form in query.forms if form.kind in _WHOLE]
    said = _said(texts)
    term = read_details(retriever.index.folded[hit.row])
    told = term | read_details(tree.name(hit.code))
    if said <= told or _SEVERAL.search(query.text):
        return None
    node, parent = tree.node(hit.code), tree.parent(hit.code)
    is_vague = tree.descriptor.is_unspecified(tree.name(node))
    above = [node]
    if parent and tree.is_code(parent) and (is_vague or not term <= said):
        above.append(parent)
    fits = [
        *(fit for one in above for fit in _near(one, ranked, said, told, retriever)),
        *_by_terms(ranked, texts, said, said & term, retriever),
    ]
    own = _fit(hit.code, read_details(tree.name(node)) | term, said, tree)
    best = max(fits, default=own, key=lambda fit: fit[:4])
    # Where each of two codes says what the other does not, the text names two conditions.
    is_one = all(fit.words <= best.words for fit in fits)
    if not is_one or best[:2] <= own[:2]:
        return None
    new, left = best.words - own.words, said - best.words
    return None if _is_of_others(new, left, tree.name(best.code)) else best.code


def _is_of_others(new: frozenset[str], left: frozenset[str], name: str) -> bool:
    """Return whether details may be those of another condition, which words that are left name.

    "AF (chronic kidney disease)" is no chronic atrial fibrillation; the "sacrum" is that of a name
    with "sacral". What is absent is no condition.
    """
    alike = {word[:_ALIKE] for word in read_details(name)}
    others = (word for word in left if word[0] != "-" and word[:_ALIKE] not in alike)
    return any(word[0] != "-" for word in new) and any(others)


def _said(texts: Sequence[str]) -> frozenset[str]:
    """Return the words of the forms of a text; of two sides, none is that of the condition."""
    said = frozenset().union(*(read_details(_OR.sub(" ", text)) for text in texts))
    return said if len(said & SIDES) < 2 else said - SIDES


def _fit(code: str, words: frozenset[str], said: frozenset[str], tree: Tree) -> _Fit:
    return _Fit(len(words & said), -len(words - said), tree.level(code), code, words & said)


def _near(
    above: Node,
    ranked: Sequence[Ranked],
    said: frozenset[str],
    told: frozenset[str],
    retriever: Retriever,
) -> Iterator[_Fit]:
    """Yield the codes below a code whose names add only what the text says, and something new.

    They add it to the name of that code and to that of the first candidate. What a name says is
    absent, such as "without complications", the text need not say. Candidates are looked at, and
    the children of the code, of those that fit, and so on.
    """
    tree = retriever.tree
    top = read_details(tree.name(above))
    known = read_details(tree.name(ranked[0].hit.code))
    below = (tree.node(one.hit.code) for one in ranked[1:_READ])
    open_nodes = [node for node in below if above in tree.ancestors(node)]
    open_nodes += tree.children(above)
    seen: set[str] = set()
    while open_nodes:
        node = open_nodes.pop()
        if node.code in seen or tree.is_encounter(node):
            continue
        seen.add(node.code)
        name = read_details(tree.name(node))
        rest = name - (top & known) - said
        if any(word[0] != "-" or word[1:] in said for word in rest):
            continue
        open_nodes += tree.children(node)
        added = name - top
        is_new = not added & said <= told | _OTHER
        if is_new and node.code in retriever.index.rows.of_code:
            yield _fit(node.code, told & said | name, said, tree)


def _by_terms(
    ranked: Sequence[Ranked],
    texts: Sequence[str],
    said: frozenset[str],
    told: frozenset[str],
    retriever: Retriever,
) -> Iterator[_Fit]:
    """Yield candidates by a term that holds the first one's words and more, and no others.

    One of another category has a term of the words of the whole text.
    """
    if not told:
        return
    tree, first = retriever.tree, ranked[0].hit.code
    category = tree.category(first)
    whole = list(map(_telling, texts))
    for code, row in ((one.hit.code, one.hit.row) for one in ranked[1:_READ]):
        folded = retriever.index.folded[row]
        words = read_details(folded)
        is_whole = _telling(folded) in whole or (len(words) >= _MANY and words == said)
        is_whole = is_whole and not is_factor(code, tree)
        is_near = is_whole or tree.category(code) == category
        is_vague = tree.descriptor.is_unspecified(tree.name(code))
        is_more = told - SIDES < words - _OTHER and words <= said
        if is_more and is_near and not is_vague:
            if tree.node(code) not in tree.ancestors(first):
                yield _fit(code, words, said, tree)


def _telling(text: str) -> set[str]:
    return set(text.split()) - _SMALL


@lru_cache(maxsize=16_384)
def read_details(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared; "-" stands before what it says is absent.

    >>> sorted(read_details("Pressure ulcers of sacral region, stage II, without gangrene"))
    ['-gangre', '2', 'pressu', 'region', 'sacral', 'stage', 'ulcer']
    """
    words, sign, before = set(), "", ""
    for word in normalise_text(text).split():
        if word in _LACKING or word in _ENDING:
            sign = "-" if word in _LACKING else ""
        elif word not in _SMALL:
            words.add(sign + _compared(_SAME_AS.get(word, word), before))
        before = word
    return frozenset(words)


def _compared(word: str, before: str) -> str:
    if before in _BEFORE_FIGURES:
        return _FIGURES.get(word, word)
    if word in ROW_OF:  # one with an opposite is compared whole
        return word
    plain = _PLURAL.sub("", word)
    kind = next((ending for ending in _KINDS if plain.endswith(ending)), "")
    return plain[:STEM] + kind
