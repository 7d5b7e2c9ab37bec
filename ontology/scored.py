"""Rank the candidates of a text and score them, before calibration."""

import re
from collections.abc import Sequence
from functools import partial

from .equal import equal_first
from .evidence import Scored
from .factors import as_factors
from .other_matter import is_other_matter
from .policy import Policy
from .reading.normalise import normalise_text
from .reading.query import Query
from .reading.refusal import everyday_words
from .search.affirmed import without_absent
from .search.plain import plain_first
from .search.rerank import Ranked, rerank
from .search.retrieve import Hit
from .search.said import as_said, in_detail
from .tree import Tree

_DOUBTFUL = 0.45  # the highest score of a reading that is seldom right
_UNKNOWN_SHORT = re.compile(r"[A-Z]{2,5}")


def score_candidates(
    query: Query, equal: Sequence[int], hits: Sequence[Hit], policy: Policy
) -> Scored:
    """Return all candidates of a text in their order, with the scores before calibration."""
    tree = policy.retriever.tree
    ranked = rerank(query, hits, policy.features, policy.model)
    if query.frame:
        ranked = as_factors(ranked, query.frame, tree)
    network = {candidate.hit.code: candidate.score for candidate in ranked}
    ranked = equal_first(ranked, equal, policy.retriever)
    ranked = _one_of_each_name(ranked, policy, network)
    if equal:
        named, ranked = ranked[0], in_detail(ranked, query, policy.retriever)
        # The twin of the other side is as likely as the code that the text equals but for its side.
        network[ranked[0].hit.code] = network.get(named.hit.code, 0.0)
    else:
        ranked = as_said(plain_first(ranked, query, policy.retriever), query, policy.retriever)
        ranked = _capped(ranked, query, policy)
    limited = bool(ranked) and not equal and _is_limited(ranked[0], query, policy)
    return Scored(query, ranked, network, bool(equal), _categories(ranked, policy), limited)


def _categories(ranked: Sequence[Ranked], policy: Policy) -> list[str]:
    facts = policy.features.facts
    return [facts.of_code(candidate.hit.code).category for candidate in ranked]


def _one_of_each_name(
    ranked: Sequence[Ranked], policy: Policy, network: dict[str, float]
) -> list[Ranked]:
    """Return one candidate for each official name, with the code that the specificity wants.

    A category and the only code below it that says the same have one name; the scores are added,
    and the reason names the other code. In `network` the wanted code has the score of that in whose
    place it stands. Codes of one name that are not above each other stay.
    """
    tree = policy.retriever.tree
    kept: list[Ranked] = []
    named: dict[str, list[int]] = {}  # the places in `kept` of each name
    for candidate in ranked:
        code = candidate.hit.code
        alike = named.setdefault(policy.features.facts.of_code(code).name, [])
        place = next((at for at in alike if _in_line(code, kept[at].hit.code, tree)), None)
        if place is None:
            alike.append(len(kept))
            kept.append(candidate)
        else:
            better = kept[place]
            kept[place] = _joined_candidate(better, candidate, policy)
            if (own := kept[place].hit.code) != (code := better.hit.code):
                network[own] = max(network.get(own, 0.0), network.get(code, 0.0))
    return sorted(kept, key=lambda candidate: -candidate.score)


def _in_line(one: str, other: str, tree: Tree) -> bool:
    """Return whether one of two codes is above the other."""
    return tree.node(one) in tree.ancestors(other) or tree.node(other) in tree.ancestors(one)


def _joined_candidate(better: Ranked, other: Ranked, policy: Policy) -> Ranked:
    """Return the better of two candidates of one name, with both scores and the wanted code."""
    wanted = {"billable": max, "category": min}.get(policy.specificity)
    codes = (better.hit.code, other.hit.code)

    def depth(code: str) -> int:
        return len(policy.retriever.tree.ancestors(code))

    code = wanted(codes, key=depth) if wanted else better.hit.code
    hidden = codes[0] if code == codes[1] else codes[1]
    why = partial(_why, better, hidden)
    score = round(min(better.score + other.score, 1.0), 4)
    return better._replace(hit=better.hit._replace(code=code), score=score, why=why)


def _why(better: Ranked, hidden: str) -> str:
    return f"{better.why()}; {hidden} has the same name"


def _capped(ranked: list[Ranked], query: Query, policy: Policy) -> list[Ranked]:
    """Return the candidates with low scores where the reading of the text deserves no more.

    A quarter of the abbreviations that no table knows get the right category. A text with a word
    that diagnoses do not hold ("virus on my computer", "tennis elbow room") is seldom about the
    condition in it. A
    candidate that names what the text excludes ("unrelated to vitamin A deficiency") is not it.
    """
    ranked = without_absent(ranked, query, policy.retriever)
    own = _category_score(ranked, policy)
    if own <= _DOUBTFUL or not _is_doubtful(ranked[0], query, policy):
        return ranked
    scale = _DOUBTFUL / own
    return [candidate._replace(score=round(candidate.score * scale, 4)) for candidate in ranked]


def _category_score(ranked: Sequence[Ranked], policy: Policy) -> float:
    """Return the sum of the scores in the category of the first candidate, 0 without one."""
    categories = _categories(ranked, policy)
    pairs = zip(categories, ranked, strict=True)
    return sum((one.score for category, one in pairs if category == categories[0]), 0.0)


def _is_limited(first: Ranked, query: Query, policy: Policy) -> bool:
    """Return whether a reading gets no more than its uncalibrated score."""
    return bool(query.excluded) or _is_doubtful(first, query, policy)


def _is_doubtful(first: Ranked, query: Query, policy: Policy) -> bool:
    """Return whether a text is mostly about something else, or a short form that no table knows."""
    words = set(normalise_text(query.text).split())
    own = _words_of(first, policy)
    other = words & everyday_words() - set(own.split())
    if other or is_other_matter(query, own, policy.retriever):
        return True
    return not query.expanded and bool(_UNKNOWN_SHORT.fullmatch(query.text.strip()))


def _words_of(candidate: Ranked, policy: Policy) -> str:
    folded = policy.retriever.index.folded[candidate.hit.row]
    return f"{folded} {normalise_text(policy.retriever.tree.name(candidate.hit.code))}"
