"""What is known about the first candidate of a text: the numbers that its confidences are made of.

The confidences (`confidence.py`) weigh these numbers; `training/confidence.py` fits the weights.
"""

import math
from collections.abc import Mapping as ReadOnly
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .reading.normalise import normalise_text
from .reading.query import IN_ENGLISH, Query
from .search.features import FEATURES, FeatureMaker
from .search.queries import OFFICIAL
from .search.rerank import Ranked

Numbers = npt.NDArray[np.float64]

_READINGS = {
    "spelling": ("spelling",),
    "part": ("first part", "in brackets", "alternative", "one meaning"),
    "aside": ("without details", "without brackets", "without NEC"),
    "word for word": IN_ENGLISH,
    "condition": ("condition",),
}
_NEGATIONS = frozenset("no not never without denies denied negative absent neither nor".split())
READINGS = ("negation", *_READINGS)
"""The ways of reading a text other than as it stands: across a negation, with a word corrected, a
part or one meaning of it, without its details, from another language (word for word or by its
meaning), the condition of a frame."""

_FROM_FEATURES = (
    "dense",
    "lexical",
    "read_recall",
    "term_precision",
    "name_recall",
    "name_precision",
    "setting_clash",
    "unspecified",
    "other",
    "category",
    "leaf",
    "extra_qualifiers",
    "missing_qualifiers",
    "number_clash",
    "opposed",
    "side_added",
    "side_dropped",
    "without_clash",
    "community",
    "joined",
    "term_length",
)
EVIDENCE = (
    "score",
    "category_score",
    "second",
    "second_category",
    "equal",
    "equal_official",
    "equal_score",
    "equal_category_score",
    "rivals",
    "excluded",
    "ambiguous",
    "set_aside",
    "frame",
    "words",
    "siblings",
    *_FROM_FEATURES,
    *READINGS,
)
"""The names of the numbers, in their order."""

_PLACES = [FEATURES.index(name) for name in _FROM_FEATURES]
_SURE = 0.999  # log-odds are taken of probabilities between 0.001 and this


class Scored(NamedTuple):
    """Candidates, the best first, with their uncalibrated scores, as one text was read.

    `network` holds the scores by code before equal terms came first. `equal` says whether a term
    equals the text, `categories` is the category of each candidate. `limited` says that the scores
    are those of a reading that deserves no more.
    """

    query: Query
    ranked: Sequence[Ranked]
    network: ReadOnly[str, float]
    equal: bool
    categories: Sequence[str]
    limited: bool = False


def evidence(scored: Scored, features: FeatureMaker) -> Numbers:
    """Return the numbers of the first candidate, in the order of `EVIDENCE`."""
    query, first = scored.query, scored.ranked[0]
    own = scored.categories[0]
    scores = by_category(scored)
    others = [score for category, score in scores.items() if category != own]
    mine = scored.network.get(first.hit.code, 0.0) if scored.equal else first.score
    category = scores.get(own, 0.0)
    second = max((other.score for other in scored.ranked[1:]), default=0.0)
    rivals = sum(scored.equal and other.score >= first.score for other in scored.ranked[1:4])
    row = features.alone(query, first.hit) if query.forms else np.zeros(len(FEATURES), np.float32)
    kind = query.forms[first.hit.form].kind if query.forms and not scored.equal else "whole"
    official = features.retriever.index.terms[first.hit.row].source in OFFICIAL
    siblings = len(features.retriever.tree.children(own))
    numbers = (
        log_odds(mine),
        log_odds(category),
        log_odds(second),
        log_odds(max(others, default=0.0)),
        float(scored.equal),
        float(scored.equal and official),
        scored.equal * log_odds(mine),
        scored.equal * log_odds(category),
        float(rivals),
        float(bool(query.excluded)),
        float(bool(query.ambiguous)),
        float(bool(query.set_aside)),
        float(query.frame is not None),
        math.log1p(len(query.text.split())),
        math.log1p(siblings),
        *row[_PLACES].tolist(),
        float(crosses_negation(scored, features)),
        *(float(kind in kinds) for kinds in _READINGS.values()),
    )
    return np.array(numbers, np.float64)


def crosses_negation(scored: Scored, features: FeatureMaker) -> bool:
    """Return whether the text denies something and the first candidate's term and name do not."""
    words = set(normalise_text(scored.query.text).split())
    if not words & _NEGATIONS:
        return False
    first = scored.ranked[0].hit
    name = normalise_text(features.retriever.tree.name(first.code))
    return not _NEGATIONS & {*features.retriever.index.folded[first.row].split(), *name.split()}


def by_category(scored: Scored) -> dict[str, float]:
    """Return the sum of the network's scores by category, the first candidate's category first."""
    totals = {scored.categories[0]: 0.0}
    codes = [candidate.hit.code for candidate in scored.ranked]
    category_of = dict(zip(codes, scored.categories, strict=True))
    if scored.equal:
        shares = scored.network
    else:
        shares = {candidate.hit.code: candidate.score for candidate in scored.ranked}
    pairs = [(category_of[code], share) for code, share in shares.items() if code in category_of]
    for category, score in pairs:
        totals[category] = totals.get(category, 0.0) + score
    return totals


def log_odds(share: float) -> float:
    """Return the log-odds of a probability, which is first brought into [0.001, 0.999]."""
    inside = min(max(share, 1 - _SURE), _SURE)
    return math.log(inside / (1 - inside))
