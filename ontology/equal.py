"""Put the codes of terms that equal the text first, the most official in front."""

from collections.abc import Sequence

from .base import COMMUNITY
from .search.rerank import Ranked
from .search.retrieve import Hit, Retriever

_OFFICIAL = ("official", "inclusion", "includes")
_EQUAL = 0.86  # the share of equal synonyms that were right on the development sets


def equal_first(ranked: list[Ranked], rows: Sequence[int], retriever: Retriever) -> list[Ranked]:
    """Return the candidates with the codes of equal terms in front, the most official first.

    `rows` are the rows of the equal terms in the index.
    """
    if not rows:
        return ranked
    terms = retriever.index.terms
    best: dict[str, tuple[int, int]] = {}
    for row in rows:
        rank = _rank(terms[row].source)
        best[terms[row].code] = min(best.get(terms[row].code, (9, row)), (rank, row))
    place = {candidate.hit.code: number for number, candidate in enumerate(ranked)}
    order = sorted(best, key=lambda code: (best[code][0], place.get(code, 999), code))
    front = [
        _equal_term(code, best[code][1], ranked[place[code]] if code in place else None, retriever)
        for code in order
    ]
    front.sort(key=lambda candidate: -candidate.score)
    cap = front[-1].score
    rest = (candidate for candidate in ranked if candidate.hit.code not in best)
    return front + [other._replace(score=min(other.score, cap)) for other in rest]


def _equal_term(code: str, row: int, ranked: Ranked | None, retriever: Retriever) -> Ranked:
    term = retriever.index.terms[row]
    why = f"same text as the {term.source} term {term.text!r}"
    hit = ranked.hit if ranked else Hit(code, row, 0, 1.0, 1.0, 1.0, False)
    return Ranked(hit._replace(row=row), _equal_score(row, retriever), why)


def _rank(source: str) -> int:
    """Return the rank of a source: official ones first, then the project's own, then all others."""
    known = (*_OFFICIAL, COMMUNITY)
    return known.index(source) if source in known else len(known)


def _equal_score(row: int, retriever: Retriever) -> float:
    """Return 1 for an official term, else the score of an equal synonym times the weight."""
    if retriever.index.terms[row].source in _OFFICIAL:
        return 1.0
    weights = retriever.weights
    return round(_EQUAL * float(weights[row] if weights is not None else 1), 4)
