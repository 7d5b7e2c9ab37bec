"""Two confidences for the first code: that it is right, and that its category is right.

Two logistic models read the evidence of the first candidate (`evidence.py`). The first gives the
probability of the code. The second gives the probability that the category is right where the code
is not, so the confidence of the category is never the lower one. The shares of readings that are
seldom right cap both. data/confidence.json holds all numbers; training/confidence.py fits them.
"""

import json
from collections.abc import Mapping as ReadOnly
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, floor
from typing import NamedTuple

import numpy as np

from .base import COMMUNITY
from .evidence import EVIDENCE, Numbers, Scored, crosses_negation, evidence
from .mapping import MEDIUM
from .packaged import packaged
from .search.features import FeatureMaker
from .search.queries import OFFICIAL

BINS = 200
"""The number of bins in which confidences are counted; a confidence of 1 has a bin of its own."""


_BELOW_MEDIUM = MEDIUM - 0.0001
_PLACE_OF = {kind: place for place, kind in enumerate(EVIDENCE)}


class Confidence(NamedTuple):
    """The probabilities that a code is right and that its category is right."""

    code: float
    category: float


@dataclass(frozen=True)
class ConfidenceModel:
    """Weights of the two models over standardised evidence, the constant last, and the caps.

    `caps` holds, by kind of reading, the highest confidences that such a reading gets.
    """

    mean: Numbers
    scale: Numbers
    code: Numbers
    category: Numbers
    caps: ReadOnly[str, Confidence]

    def confidence(self, numbers: Numbers) -> Confidence:
        """Return both confidences of a row of evidence."""
        scaled = np.append(np.clip((numbers - self.mean) / self.scale, -5, 5), 1.0)
        code = _logistic(float(scaled @ self.code))
        category = code + (1 - code) * _logistic(float(scaled @ self.category))
        for kind, cap in self.caps.items():
            if numbers[_PLACE_OF[kind]] > 0:
                code, category = min(code, cap.code), min(category, cap.category)
        return Confidence(code, category)


@lru_cache(maxsize=1)
def load_confidence_model() -> ConfidenceModel:
    """Load the model that the package carries."""
    content = json.loads(packaged("confidence.json").read_text("utf-8"))
    if tuple(content["evidence"]) != EVIDENCE:
        raise ValueError("data/confidence.json was fitted to other evidence; run training/")
    arrays = {name: np.asarray(content[name], np.float64) for name in _ARRAYS}
    caps = {kind: Confidence(*cap) for kind, cap in content["caps"].items()}
    return ConfidenceModel(**arrays, caps=caps)


_ARRAYS = ("mean", "scale", "code", "category")


def confidence_of(scored: Scored, features: FeatureMaker, model: ConfidenceModel) -> Confidence:
    """Return the confidences of the first candidate.

    A text that is itself an official term, or equals a term of a user's source, keeps the score
    that this deserves: the development sets hold no such text. A limited reading gets no more than
    its scores, and no reading rises from below medium confidence to it: the development sets hold
    few of the texts for which a search finds something that was not meant.
    """
    told = Confidence(scored.ranked[0].score, min(_of_category(scored), 1.0))
    if is_settled(scored, features):
        return told
    fitted = model.confidence(evidence(scored, features))
    if not scored.equal and told.code < MEDIUM:
        fitted = fitted._replace(code=min(fitted.code, _BELOW_MEDIUM))
    limited = scored.limited or crosses_negation(scored, features)
    return Confidence(*map(min, fitted, told)) if limited else fitted


def is_settled(scored: Scored, features: FeatureMaker) -> bool:
    """Return whether a text is itself an official term, or equals a term of a user's source."""
    row, index = scored.ranked[0].hit.row, features.retriever.index
    if not scored.equal or index.terms[row].source == COMMUNITY:
        return False
    same = _letters(scored.query.text) == _letters(index.terms[row].text)
    return same or index.terms[row].source not in OFFICIAL


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _of_category(scored: Scored) -> float:
    pairs = zip(scored.categories, scored.ranked, strict=True)
    return sum(one.score for category, one in pairs if category == scored.categories[0])


def shared_out(
    first: Confidence, scores: Sequence[float], categories: Sequence[str]
) -> list[tuple[float, float]]:
    """Return score and category score of every candidate, from the confidences of the first.

    scores: the uncalibrated ones, the first candidate's in front. The others keep their proportions
    within the category of the first and outside it. The scores of the first's category sum to at
    most its category score, those of all candidates to at most 1, and none is above the first.
    """
    code, category = _cut(first.code), _cut(max(first.code, first.category))
    rest = 1 - min(scores[0], 1.0)
    wide = (1 - code) / rest if rest > 1e-9 else 1.0
    others = list(zip(scores[1:], categories[1:], strict=True))
    near = sum(score for score, own in others if own == categories[0])
    far = sum(score for score, own in others if own != categories[0])
    within = min(wide, (category - code) / max(near, 1e-9))
    outside = min(wide, (1 - category) / max(far, 1e-9))
    shares, totals = [code], {categories[0]: code}
    for score, own in others:
        share = _cut(min(score * (within if own == categories[0] else outside), code))
        shares.append(share)
        totals[own] = totals.get(own, 0.0) + share
    totals[categories[0]] = category
    rounded = {own: round(total, 4) for own, total in totals.items()}
    return [(share, rounded[own]) for share, own in zip(shares, categories, strict=True)]


def _cut(share: float) -> float:
    """Return a share with four digits, rounded down so that sums stay below their limits."""
    return floor(share * 1e4 + 1e-6) / 1e4


def _logistic(number: float) -> float:
    return 1 / (1 + exp(-number)) if number > -500 else 0.0


def reference_counts(what: str) -> dict[str, list[list[float]]]:
    """Return for each development set the held-out counts of a confidence, "code" or "category".

    A row has the number of a bin, its texts, and how many of them are right. Bin n holds
    confidences from n / BINS up.
    """
    content = json.loads(packaged("confidence.json").read_text("utf-8"))
    return {style: counts[what] for style, counts in content["counts"].items()}
