"""Lower the candidates that name what the text says is not there.

"Non-diabetic foot ulcer" is not a "diabetic foot ulcer", and "hypertension without heart failure"
not "hypertensive heart disease with heart failure".
"""

import re
from collections.abc import Collection, Sequence

from ..reading.normalise import normalise_text
from ..reading.query import Query
from .rerank import Ranked
from .retrieve import Retriever
from .words import STEM

_LEFT = 0.05  # what is left of the score of such a candidate
_SHARE = 0.5  # of what they lose, which the other candidates get
# From here to the end, or to "with", a term says what is not there either.
_DENIED = re.compile(r"\b(?:without|not|non|no|excluding|except|other than)\b.*?(?=\bwith\b|$)")
_SMALL = frozenset(
    """a an the of or and any other specified unspecified mention complication complications current
    with in to due""".split()
)


def without_absent(ranked: Sequence[Ranked], query: Query, retriever: Retriever) -> list[Ranked]:
    """Return the candidates, those lower that affirm an absent phrase, the best first.

    A term or a name affirms a phrase that holds all its words. Where other words of the text affirm
    it ("recurrent pregnancy loss, not pregnant"), a candidate may too.
    """
    said = set(query.forms[0].text.split()) if query.absent else set()
    phrases = [
        stems
        for phrase in query.absent
        if (stems := _stems(phrase)) and not _holds(said - set(phrase.split()), stems)
    ]
    if not phrases:
        return list(ranked)

    def affirms(candidate: Ranked) -> bool:
        name = normalise_text(retriever.tree.name(candidate.hit.code))
        sides = (retriever.index.folded[candidate.hit.row], name)
        affirmed = [_DENIED.sub(" ", side).split() for side in sides]
        return any(_holds(words, stems) for stems in phrases for words in affirmed)

    is_absent = [affirms(one) for one in ranked]
    rest = sum(one.score for one, is_out in zip(ranked, is_absent, strict=True) if not is_out)
    lost = (1 - _LEFT) * (sum(one.score for one in ranked) - rest)
    more = 1 + _SHARE * lost / rest if rest else 1.0
    lowered = [
        one._replace(score=round(one.score * (_LEFT if is_out else more), 4))
        for one, is_out in zip(ranked, is_absent, strict=True)
    ]
    return sorted(lowered, key=lambda candidate: -candidate.score)


def _holds(words: Collection[str], stems: frozenset[str]) -> bool:
    return all(any(word.startswith(stem) for word in words) for stem in stems)


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:STEM] for word in text.split() if word not in _SMALL)
