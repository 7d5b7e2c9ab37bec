"""Put the codes of terms that equal the text first, the most official in front."""

from collections.abc import Sequence
from functools import partial
from math import floor

from .base import COMMUNITY
from .search.queries import OFFICIAL
from .search.rerank import Ranked
from .search.retrieve import Hit, Retriever
from .terms import Term
from .tree import Tree

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
    rest = [candidate for candidate in ranked if candidate.hit.code not in best]
    rivals = _rivals(front, retriever.tree)
    first = front[0]._replace(score=round(front[0].score / (1 + rivals), 4))
    return [first, *_within([*front[1:], *rest], first.score, 1 - first.score)]


def _rivals(front: list[Ranked], tree: Tree) -> int:
    """Return how many other codes are equally named, without those above or below the first."""
    first, *others = front
    line = {node.code for node in tree.ancestors(first.hit.code)}
    return sum(
        other.score == first.score
        and other.hit.code not in line
        and tree.node(first.hit.code) not in tree.ancestors(other.hit.code)
        for other in others
    )


def _within(candidates: list[Ranked], highest: float, left: float) -> list[Ranked]:
    """Scale scores so that none is above `highest` and their sum is at most `left`."""
    scores = [min(candidate.score, highest) for candidate in candidates]
    scale = min(1.0, left / max(sum(scores), 1e-9))
    return [
        candidate._replace(score=floor(score * scale * 1e4) / 1e4)
        for candidate, score in zip(candidates, scores, strict=True)
    ]


def _equal_term(code: str, row: int, ranked: Ranked | None, retriever: Retriever) -> Ranked:
    hit = ranked.hit if ranked else Hit(code, row, 0, 1.0, 1.0, 1.0, False)
    why = partial(_why, retriever.index.terms[row])
    return Ranked(hit._replace(row=row), _equal_score(row, retriever), why)


def _why(term: Term) -> str:
    return f"same text as the {term.source} term {term.text!r}"


def _rank(source: str) -> int:
    """Return the rank of a source: official ones first, then the project's own, then all others."""
    known = (*OFFICIAL, COMMUNITY)
    return known.index(source) if source in known else len(known)


def _equal_score(row: int, retriever: Retriever) -> float:
    """Return 1 for an official term, else the score of an equal synonym times the weight."""
    if retriever.index.terms[row].source in OFFICIAL:
        return 1.0
    weights = retriever.weights
    return round(_EQUAL * float(weights[row] if weights is not None else 1), 4)
