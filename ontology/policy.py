"""Everything that a decision of mapping depends on."""

from dataclasses import dataclass

from .confidence import ConfidenceModel
from .search.features import FeatureMaker
from .search.rerank import RankingModel
from .search.retrieve import Retriever
from .specificity import Specificity

MIN_SCORE = 0.02
"""Below this score a text is unmapped (docs/mapping.md); with 0 every text with words is mapped."""


@dataclass(frozen=True)
class Policy:
    """Everything a decision depends on: the base, the ranking model and the user's settings.

    top_k: the number of candidates to show. min_score: a text with a lower score is unmapped; 0
    refuses nothing.
    """

    retriever: Retriever
    features: FeatureMaker
    model: RankingModel
    confidence: ConfidenceModel
    top_k: int = 15
    min_score: float = 0.0
    specificity: Specificity = "concept"
