"""The embedded reranker: a small trained model that orders candidates, and a calibrated score.

A ranking network of one hidden layer (data/reranker.json; training/reranker.py makes it) reads
the features of every candidate. Its softmax over the candidates and the case that none of them is
right, calibrated on the development sets, is the score: the estimated probability of each code.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from ..packaged import packaged
from ..reading.query import Query
from ..tree import Tree
from .features import FEATURES, FeatureMaker
from .network import Network, Numbers
from .retrieve import Floats, Hit

_FIRST = 10  # candidates that are shown whatever their codes

_DOUBTS = tuple(
    FEATURES.index(name)
    for name in ("dense", "lexical", "read_recall", "not_whole", "term_precision", "setting_clash")
)


class Ranked(NamedTuple):
    """A hit with its score in [0, 1].

    `why` returns in words why it matches; only the candidates that are shown are asked for it.
    """

    hit: Hit
    score: float
    why: Callable[[], str]


@dataclass(frozen=True)
class RankingModel(Network):
    """Weights of the ranking network and of the calibration.

    `calibration` holds the slope of the logits, the lead of the first candidate, and one weight for
    each number of `doubts`: together the log-odds that no candidate is right.
    """

    calibration: Numbers

    def probabilities(self, rows: Floats) -> Numbers:
        """Return the calibrated probability of each candidate; together they are at most 1."""
        logits = self.logits(rows)
        first = int(np.argmax(logits))
        slope, lead, *weights = self.calibration
        odds = slope * (logits - logits[first])
        odds[first] += lead
        none = float(np.asarray(weights) @ doubts(rows, first))
        highest = max(float(odds.max()), none)
        shares = np.exp(odds - highest)
        result: Numbers = shares / (shares.sum() + np.exp(none - highest))
        return result


def doubts(rows: Floats, first: int) -> Numbers:
    """Return what tells whether any candidate is right: numbers of the first one, and a 1."""
    best = rows[first]
    fused = float(rows[:, FEATURES.index("fused")].max())
    return np.array([fused, *(float(best[place]) for place in _DOUBTS), 1.0])


@lru_cache(maxsize=1)
def load_ranking_model() -> RankingModel:
    """Load the model that the package carries."""
    text = packaged("reranker.json").read_text("utf-8")
    content = json.loads(text)
    if tuple(content["features"]) != FEATURES:
        raise ValueError("data/reranker.json was trained on other features; run training/")
    return RankingModel(
        mean=np.asarray(content["mean"], np.float64),
        scale=np.asarray(content["scale"], np.float64),
        hidden=np.asarray(content["hidden"], np.float64),
        hidden_bias=np.asarray(content["hidden_bias"], np.float64),
        output=np.asarray(content["output"], np.float64),
        skip=np.asarray(content["skip"], np.float64),
        calibration=np.asarray(content["calibration"], np.float64),
    )


def rerank(
    query: Query, hits: Sequence[Hit], features: FeatureMaker, model: RankingModel
) -> list[Ranked]:
    """Return the hits, most probable first; ties by fused score, then code."""
    if not hits:
        return []
    rows = features.rows(query, hits)
    scores = _rounded_down(model.probabilities(rows))
    order = sorted(
        range(len(hits)), key=lambda place: (-scores[place], -hits[place].fused, hits[place].code)
    )
    return [
        Ranked(hits[place], scores[place], partial(_why, query, hits[place], features))
        for place in order
    ]


def _rounded_down(scores: Numbers) -> list[float]:
    """Return scores with four digits, rounded down so that their sum stays at most 1."""
    return [float(score) for score in np.floor(scores * 1e4 + 1e-6) / 1e4]


def shortlist(ranked: Sequence[Ranked], k: int, tree: Tree) -> list[Ranked]:
    """Return the k candidates to show, in their order.

    They are the first ten, then those parents and categories of the first ten that are candidates,
    then the next ones in their order. The right code is often the broader one, while the network
    fills the list with its subcategories (about +1 point of hit@15 on the development sets).
    """
    if len(ranked) <= k or k <= _FIRST:
        return list(ranked[:k])
    first = [candidate.hit.code for candidate in ranked[:_FIRST]]
    broader = dict.fromkeys(
        above
        for code in first
        for above in (*_parent(code, tree), tree.category(code).code)
        if above not in first
    )
    rank = {candidate.hit.code: place for place, candidate in enumerate(ranked)}
    places = [rank[code] for code in broader if code in rank][: k - _FIRST]
    rest = (place for place in range(_FIRST, len(ranked)) if place not in places)
    chosen = [*range(_FIRST), *places, *islice(rest, k - _FIRST - len(places))]
    return [ranked[place] for place in sorted(chosen)]


def _parent(code: str, tree: Tree) -> tuple[str, ...]:
    above = tree.parent(code)
    return (above.code,) if above else ()


def _why(query: Query, hit: Hit, features: FeatureMaker) -> str:
    term = features.retriever.index.terms[hit.row]
    form = query.forms[hit.form]
    folded = features.retriever.index.folded[hit.row]
    if folded == form.text:
        how = "same text as"
    else:
        how = f"meaning {hit.dense:.2f}, spelling {hit.lexical:.2f} like"
    why = f"{how} the {term.source} term {term.text!r}"
    if form.kind != "whole":
        why += f" ({form.kind}: {form.text!r})"
    if hit.joined:
        why += "; joined as a relative of a candidate"
    return why
