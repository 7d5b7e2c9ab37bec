"""Put a code that says no more than the text before its sibling that says more.

"Puncture wound of hand" is not "with foreign body" where the text says nothing of one. Of two codes
of one category that hold the same words of the text, the one that adds fewer of its own is first.
"""

import re
from collections.abc import Sequence

from .reading.normalise import normalise_text
from .search.rerank import Ranked
from .search.retrieve import Retriever
from .search.words import STEM

_READ = 8  # candidates that are looked at
_SHARE = 0.1  # of the first one's score, which a plainer sibling must have
_LACK = re.compile(
    r"\b(?:without|not specified as|unspecified as)\b.*|\bnot intractable\b", re.IGNORECASE
)
_SMALL = frozenset(
    """unspecified other specified of the and or in to with due a an by for not elsewhere nos site
    part classified type""".split()
)
_SAID = frozenset(
    word[:STEM]
    for word in """foreign displaced nondisplaced bilateral hemorrhage bleeding perforation
    gangrene abscess recurrent intractable severe mild moderate profound
    hematogenous induced pathological rupture infected complicated lung heart vasculitis myopathy
    polyneuropathy exacerbation coma ulcer ketoacidosis remission intoxication traumatic
    congenital neonatal newborn postprocedural alcoholic malignant secondary proliferative first
    acute chronic angina fistula syphilitic tuberculous psychotic delirium""".split()
)


def plain_first(
    ranked: Sequence[Ranked], texts: Sequence[str], retriever: Retriever
) -> list[Ranked]:
    """Return the candidates with a plainer sibling in the place of a first one that says more.

    texts: the readings of the text, normalised. The two change their scores.
    """
    asked = frozenset(_stems(" ".join(texts)))
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


def _is_plainer(other: Ranked, first: Ranked, asked: frozenset[str], retriever: Retriever) -> bool:
    tree = retriever.tree
    one, two = tree.node(other.hit.code), tree.node(first.hit.code)
    if tree.category(one) != tree.category(two) or one in tree.ancestors(two):
        return False
    names = [normalise_text(tree.name(node)) for node in (one, two)]
    theirs, own = (_added(name, asked) for name in names)
    # A term that says no more than the text is a name of the code in the words of the text.
    own &= _added(retriever.index.folded[first.hit.row], asked)
    shared = [asked.intersection(_stems(name)) for name in names]
    return theirs < own and shared[0] >= shared[1]


def _added(name: str, asked: frozenset[str]) -> frozenset[str]:
    """Return the telling words of a name that the text does not hold."""
    return _SAID.intersection(_stems(_LACK.sub("", name))) - asked


def _stems(text: str) -> list[str]:
    return [word[:STEM] for word in text.split() if word not in _SMALL]
