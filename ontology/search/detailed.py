"""Find the code near the first candidate that says more of what the text says.

"Trigger finger [right middle]" equals the term "trigger finger" in part. Below its code is one
whose name adds only what the text adds: "right", "middle".
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..reading.normalise import normalise_text
from ..reading.query import Query
from ..tree import Node, Tree
from .rerank import Ranked
from .retrieve import Retriever
from .words import ROW_OF

_OR = re.compile(r"\bwith or without \w+|\b\w+ or \w+\b")  # of two things, none is said
_WHOLE = ("whole", "word for word")
_READ = 15  # candidates whose terms are read
_MANY = 4  # words, of which the beginnings are enough
_STEM = 6  # letters of a word that are compared; a word with an opposite is compared whole
_SMALL = frozenset(
    """and or of the in to by due for at from on is has part site unspecified nos disease disorder
    condition syndrome""".split()
)
_LACKING = frozenset("without no not non denies sin sans ohne senza sem zonder".split())
_ENDING = frozenset("with but".split())
_FIGURES = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "first": "1", "second": "2", "third": "3"}
_BEFORE_FIGURES = frozenset("stage grade degree".split())
_PLURAL = re.compile(r"(?<=\w\w[^siu])s$")
_KINDS = ("itis", "oma")  # diverticulitis is no diverticulosis
_SIDES = frozenset("left right bilateral both".split())
_SAME_AS = {"lid": "eyelid", "lids": "eyelid", "grade": "stage", "degree": "stage"}


class _Detail(NamedTuple):
    """A code, the words that tell it from the code above, and all words of its name."""

    code: str
    depth: int
    words: frozenset[str]
    name: frozenset[str]


class _Fit(NamedTuple):
    """How a code fits a text: how many words of the text it tells, how few others, how deep."""

    told: int
    untold: int
    depth: int
    code: str


def more_detailed(ranked: Sequence[Ranked], query: Query, retriever: Retriever) -> str | None:
    """Return the code near the first candidate that says more of a text and nothing else, or None.

    It is a code below the first one; where the first one is unspecified or says what the text does
    not, also one beside it; or a candidate of the same category by a term whose words are all in
    the text.
    """
    hit, tree = ranked[0].hit, retriever.tree
    texts = [form.text for form in query.forms if form.kind in _WHOLE]
    said = frozenset().union(*(read_details(_OR.sub(" ", text)) for text in texts))
    term = read_details(retriever.index.folded[hit.row])
    told = term | read_details(tree.name(hit.code))
    if said <= told:
        return None
    node, parent = tree.node(hit.code), tree.parent(hit.code)
    is_vague = tree.descriptor.is_unspecified(tree.name(node))
    is_beside = parent and tree.is_code(parent) and (is_vague or not term <= said)
    fits = [
        *_near(parent if parent and is_beside else node, hit.code, said, told, retriever),
        *_by_terms(ranked, texts, said, said & term, retriever),
    ]
    own = _fit(hit.code, read_details(tree.name(node)) | term, said, tree)
    best = max(fits, default=own)
    return best.code if best[:2] > own[:2] else None


def _fit(code: str, words: frozenset[str], said: frozenset[str], tree: Tree) -> _Fit:
    return _Fit(len(words & said), -len(words - said), tree.level(code), code)


def _near(
    above: Node, first: str, said: frozenset[str], told: frozenset[str], retriever: Retriever
) -> Iterator[_Fit]:
    """Yield the codes below a code whose names add only what the text says, and something new.

    They add it to the name of that code and to that of the first candidate. What a name says is
    absent, such as "without complications", the text need not say.
    """
    common = read_details(retriever.tree.name(above)) | told
    known = read_details(retriever.tree.name(first))
    for detail in _details(retriever.tree, above.code):
        new = detail.words & said
        rest = (detail.words | (detail.name - known)) - said
        is_plain = all(word[0] == "-" and word[1:] not in said for word in rest)
        if is_plain and not new <= told and detail.code in retriever.index.rows.of_code:
            words = common & said | detail.words
            yield _fit(detail.code, words, said, retriever.tree)


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
        is_near = is_whole or tree.category(code) == category
        is_vague = tree.descriptor.is_unspecified(tree.name(code))
        if told - _SIDES < words <= said and is_near and not is_vague:
            if tree.node(code) not in tree.ancestors(first):
                yield _fit(code, words, said, tree)


def _telling(text: str) -> set[str]:
    return set(text.split()) - _SMALL


@lru_cache(maxsize=4096)
def _details(tree: Tree, code: str) -> tuple[_Detail, ...]:
    """Return the codes below a code, without variants by a 7th character, and what each adds."""
    above = read_details(tree.name(code))
    return tuple(
        _Detail(node.code, tree.level(node), added, name)
        for node in _descendants(tree.node(code), tree)
        if (added := (name := read_details(tree.name(node))) - above)
        and not tree.descriptor.is_unspecified(tree.name(node))
    )


def _descendants(node: Node, tree: Tree) -> Iterator[Node]:
    for child in tree.children(node):
        if not tree.is_encounter(child):
            yield child
            yield from _descendants(child, tree)


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
    if word in ROW_OF:
        return word
    plain = _PLURAL.sub("", word)
    kind = next((ending for ending in _KINDS if plain.endswith(ending)), "")
    return plain[:_STEM] + kind
