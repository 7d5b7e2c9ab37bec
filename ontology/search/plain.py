"""Put a code that says no more than the text before its sibling that says more.

"Puncture wound of hand" is not "with foreign body" where the text says nothing of one. Of two codes
of one category that hold the same words of the text, the one that adds fewer of its own is first.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..reading.normalise import normalise_text
from ..reading.query import Query
from .rerank import Ranked
from .retrieve import Retriever
from .words import STEM

_READ = 8  # candidates that are looked at
_SHARE = 0.1  # of the first one's score, which a plainer sibling must have
_LACK = re.compile(
    r"\b(?:without|not specified as|unspecified as)\b.*|\bnot intractable\b", re.IGNORECASE
)
_SMALL = frozenset(
    """unspecified other specified of the and or in to with due a an by for not elsewhere nos site
    part classified type""".split()
)
_NO_SITE = re.compile(
    r"\bunspecified (?:site|part)\b|\b(?:site|part) unspecified\b|, unspecified$|^unspecified\b",
    re.IGNORECASE,
)
_PARTS = frozenset(("first part", "in brackets"))
_OTHER = frozenset(("other", "nec", "elsewhere"))
_SAID = frozenset(
    word[:STEM]
    for word in """foreign displaced nondisplaced bilateral hemorrhage bleeding perforation
    gangrene abscess recurrent intractable severe mild moderate profound
    hematogenous induced pathological rupture infected complicated lung heart vasculitis myopathy
    polyneuropathy exacerbation coma ulcer ketoacidosis remission intoxication traumatic
    congenital neonatal newborn postprocedural alcoholic malignant secondary proliferative first
    acute chronic angina fistula syphilitic tuberculous psychotic delirium""".split()
)


class _Asked(NamedTuple):
    """The stems of a text; those of its first part; whether it asks for another condition."""

    stems: frozenset[str]
    first_part: frozenset[str]
    is_other: bool


def plain_first(ranked: Sequence[Ranked], query: Query, retriever: Retriever) -> list[Ranked]:
    """Return the candidates with a plainer sibling in the place of a first one that says more.

    The two change their scores.
    """
    texts = [form.text for form in query.forms if form.kind not in _PARTS]
    parts = [form.text for form in query.forms if form.kind == "first part"]
    words = " ".join(texts)
    asked = _Asked(
        frozenset(_stems(words)),
        frozenset(_stems(" ".join(parts[:1] or texts))),
        not _OTHER.isdisjoint(words.split()),
    )
    for place, other in enumerate(ranked[1:_READ], 1):
        first = ranked[0]
        if other.score < _SHARE * first.score:
            break
        if _is_plainer(other, first, asked, retriever):
            changed = list(ranked)
            changed[0] = other._replace(score=first.score)
            changed[place] = first._replace(score=other.score)
            return changed
    return list(ranked)


def _is_plainer(other: Ranked, first: Ranked, asked: _Asked, retriever: Retriever) -> bool:
    tree = retriever.tree
    one, two = tree.node(other.hit.code), tree.node(first.hit.code)
    if tree.category(one) != tree.category(two) or one in tree.ancestors(two):
        return False
    names = [normalise_text(tree.name(node)) for node in (one, two)]
    theirs, own = (_added(name, asked.stems) for name in names)
    # A term that says no more than the text is a name of the code in the words of the text.
    own &= _added(retriever.index.folded[first.hit.row], asked.stems)
    shared = [asked.stems.intersection(_stems(name)) for name in names]
    if not shared[0] >= shared[1]:
        return False
    if theirs & _SAID < own & _SAID:
        return True
    # "Hand, unspecified site" is plainer than "back of hand" where it says all that the text says.
    is_vague = bool(_NO_SITE.search(tree.name(one))) and not asked.is_other
    says_all = not theirs and bool(own) and asked.first_part <= shared[0]
    return is_vague and says_all and two not in tree.ancestors(one)


def _added(name: str, asked: frozenset[str]) -> frozenset[str]:
    """Return the words of a name that the text does not hold."""
    return frozenset(_stems(_LACK.sub("", name))) - asked


def _stems(text: str) -> list[str]:
    return [word[:STEM] for word in text.split() if word not in _SMALL]
