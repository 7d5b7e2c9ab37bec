"""Semantic scores of a differential: one-to-one matching by the similarity of names (DermCase).

Similarity is the cosine of two encoded names, scaled from [low, high] to [0, 1]. The right values
of low, high and the threshold tau depend on the encoder: 0.6, 1.0 and 0.83 are the paper's values
for its encoder.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UsageError
from ._arithmetic import ratio
from .bootstrap import Floats


class TextEncoder(Protocol):
    """Anything that turns n texts into an n x d array of vectors (any length)."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Encode the texts in order."""


@overload
def normalise_similarity(cosine: float, low: float = ..., high: float = ...) -> float: ...
@overload
def normalise_similarity(cosine: ArrayLike, low: float = ..., high: float = ...) -> Floats: ...
def normalise_similarity(cosine: ArrayLike, low: float = 0.6, high: float = 1.0) -> float | Floats:
    """Scale a cosine, or an array of them, from [low, high] to [0, 1] and clip.

    Formula: (cosine - low) / (high - low), clipped to 0..1.

    Source: DermCase, min-max normalised similarity.

    >>> round(normalise_similarity(0.8), 6), normalise_similarity(0.2)
    (0.5, 0.0)

    Args:
        cosine: a cosine, or an array of cosines.
        low: the cosine that becomes 0.
        high: the cosine that becomes 1.

    Returns:
        a number, or an array of the same shape, 0 to 1.

    Raises:
        UsageError: low is not below high.
    """
    if not low < high:
        raise UsageError(f"low ({low}) must be below high ({high})")
    scaled: Floats = np.clip((np.asarray(cosine, dtype=float) - low) / (high - low), 0.0, 1.0)
    return float(scaled) if scaled.ndim == 0 else scaled


def cosine_matrix(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return the cosine of every row of `first` (n x d) with every row of `second` (m x d): n x m.

    A zero vector has cosine 0 with everything.

    Formula: a . b / (|a| |b|).

    Source: cosine similarity, which DermCase uses between names.

    Args:
        first: one vector for each row.
        second: the same for the other side.

    >>> cosine_matrix([[1.0, 0.0]], [[1.0, 0.0], [0.0, 2.0]]).tolist()
    [[1.0, 0.0]]
    """
    a, b = _unit_rows(first), _unit_rows(second)
    cosine: Floats = np.clip(a @ b.T, -1.0, 1.0)
    return cosine


def _unit_rows(vectors: ArrayLike) -> Floats:
    rows = np.asarray(vectors, dtype=float)
    if rows.ndim != 2:
        raise UsageError(f"vectors must be an n x d array, not of shape {rows.shape}")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return unit


def ddx_similarity(
    predicted: Sequence[str],
    truth: Sequence[str],
    encoder: TextEncoder,
    *,
    low: float = 0.6,
    high: float = 1.0,
) -> Floats:
    """Encode two lists of names and return their normalised similarity, n x m.

    Formula: min-max normalised cosine of every two names.

    Source: DermCase, semantic matching of differentials.

    Args:
        predicted: the names of the predicted diagnoses, n of them.
        truth: the names of the true diagnoses, m of them.
        encoder: gives the vector of a text.
        low: the cosine that becomes 0.
        high: the cosine that becomes 1.

    Returns:
        n x m numbers, 0 to 1.

    >>> class Letters:
    ...     def encode(self, texts):
    ...         return np.array([[t.count("a"), t.count("b")] for t in texts], dtype=float)
    >>> ddx_similarity(["ab"], ["ba", "aa"], Letters()).round(3).tolist()
    [[1.0, 0.268]]
    """
    if not predicted or not truth:
        return np.zeros((len(predicted), len(truth)))
    vectors = np.asarray(encoder.encode([*predicted, *truth]), dtype=float)
    n = len(predicted)
    return normalise_similarity(cosine_matrix(vectors[:n], vectors[n:]), low, high)


def match_ddx(similarity: ArrayLike, tau: float) -> list[tuple[int, int]]:
    """Match predictions (rows) and truths (columns) one to one, most similar pair first.

    Pairs with similarity >= tau are candidates. Equal similarities are ordered by prediction
    index, then by truth index. The matching is greedy, so that its sum may not be the largest.

    Formula: greedy one-to-one matching of pairs with similarity >= tau, the most similar first.

    Source: DermCase, matching of differentials.

    Args:
        similarity: n x m matrix; may be empty.
        tau: least similarity of a match.

    Returns:
        Pairs (prediction, truth), in the order in which they were matched.

    Raises:
        UsageError: not a matrix, or a value that is not a number.

    >>> match_ddx([[0.9, 0.95], [0.2, 0.9]], tau=0.83)
    [(0, 1)]
    """
    matrix = np.asarray(similarity, dtype=float)
    if not matrix.size:
        return []
    if matrix.ndim != 2:
        raise UsageError(f"similarity must be an n x m matrix, not of shape {matrix.shape}")
    if np.isnan(matrix).any():
        raise UsageError("similarity holds a value that is not a number")
    rows, columns = np.nonzero(matrix >= tau)
    order = np.argsort(-matrix[rows, columns], kind="stable")  # nonzero is in index order
    free_rows, free_columns = set(range(matrix.shape[0])), set(range(matrix.shape[1]))
    matches = []
    for i, j in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if i in free_rows and j in free_columns:
            matches.append((i, j))
            free_rows.remove(i)
            free_columns.remove(j)
    return matches


@dataclass(frozen=True, slots=True)
class DdxScores:
    """Scores of one matching, with its counts: matched pairs, n predicted, m true."""

    precision: float
    recall: float
    f1: float
    jaccard: float
    matched: int
    n: int
    m: int


def ddx_scores(matches: Sequence[tuple[int, int]], n: int, m: int) -> DdxScores:
    """Score one case's matches M: |M|/n, |M|/m, 2|M|/(n+m), |M|/(n+m-|M|).

    An empty prediction (n = 0) has the score 0 everywhere. `macro_ddx` and `micro_ddx` leave it
    out and count it as `empty`.

    Formula: precision |M|/n, recall |M|/m, F1 2|M|/(n+m), Jaccard |M|/(n+m-|M|).

    Source: DermCase, scores of a differential.

    Args:
        matches: pairs (prediction, truth), one to one.
        n: number of predicted diagnoses.
        m: number of true diagnoses.

    Returns:
        the four scores, 0 to 1, with |M|, n and m.

    Raises:
        UsageError: no true diagnosis, a pair outside n x m, or an index matched twice.

    >>> scores = ddx_scores([(0, 2), (3, 1)], n=5, m=4)
    >>> scores.precision, scores.recall, round(scores.f1, 4), round(scores.jaccard, 4)
    (0.4, 0.5, 0.4444, 0.2857)
    """
    if n < 0 or m < 1:
        raise UsageError(f"{n} predicted and {m} true diagnoses cannot be scored")
    rows, columns = {i for i, _ in matches}, {j for _, j in matches}
    if len(rows) < len(matches) or len(columns) < len(matches):
        raise UsageError("a diagnosis is matched twice; matches must be one to one")
    if not (rows <= set(range(n)) and columns <= set(range(m))):
        raise UsageError(f"a match lies outside the {n} x {m} diagnoses")
    return _from_counts(len(matches), n, m)


def _from_counts(matched: int, n: int, m: int) -> DdxScores:
    return DdxScores(
        precision=matched / n if n else 0.0,
        recall=matched / m,
        f1=2 * matched / (n + m),
        jaccard=matched / (n + m - matched),
        matched=matched,
        n=n,
        m=m,
    )


@dataclass(frozen=True, slots=True)
class DdxSummary:
    """Scores over the cases with a non-empty prediction; NaN without such a case.

    `coverage` is the share of all `cases` that have a non-empty prediction.
    """

    precision: float
    recall: float
    f1: float
    jaccard: float
    coverage: float
    cases: int
    empty: int


def macro_ddx(cases: Iterable[DdxScores]) -> DdxSummary:
    """Average the scores of the cases with a non-empty prediction.

    Formula: mean over the cases with a non-empty prediction.

    Source: DermCase, macro scores and coverage.

    Args:
        cases: the scores of each case, as `ddx_scores` gives them.

    Returns:
        the means, and the number of empty predictions.

    >>> macro_ddx([ddx_scores([(0, 0)], 2, 1), ddx_scores([], 1, 1)]).precision
    0.25
    """
    given = list(cases)
    scored = [case for case in given if case.n]

    def average(name: str) -> float:
        return ratio(math.fsum(getattr(case, name) for case in scored), len(scored))

    return DdxSummary(
        average("precision"),
        average("recall"),
        average("f1"),
        average("jaccard"),
        *_counts(given),
    )


def micro_terms(scores: DdxScores) -> dict[str, tuple[float, float]]:
    """Return what one case adds to numerator and denominator of each micro score.

    A case with an empty prediction adds nothing.

    Formula: precision |M| and n; recall |M| and m; f1 2|M| and n + m; jaccard |M| and n + m - |M|.
    A micro score is the sum of the first / the sum of the second over the cases.

    Source: DermCase, micro scores.

    Args:
        scores: the scores of one case, as `ddx_scores` gives them.

    >>> micro_terms(ddx_scores([(0, 0)], 2, 1))
    {'precision': (1.0, 2.0), 'recall': (1.0, 1.0), 'f1': (2.0, 3.0), 'jaccard': (1.0, 2.0)}
    """
    counts = (scores.matched, scores.n, scores.m) if scores.n else (0, 0, 0)
    matched, n, m = map(float, counts)
    return {
        "precision": (matched, n),
        "recall": (matched, m),
        "f1": (2 * matched, n + m),
        "jaccard": (matched, n + m - matched),
    }


def micro_ddx(cases: Iterable[DdxScores]) -> DdxSummary:
    """Sum matches and diagnoses over the cases with a non-empty prediction, then divide.

    Formula: the formulas of `ddx_scores` on the sums of |M|, n and m.

    Source: DermCase, micro scores.

    Args:
        cases: the scores of each case, as `ddx_scores` gives them.

    Returns:
        the scores of the sums, and the number of empty predictions.

    >>> round(micro_ddx([ddx_scores([(0, 0)], 2, 1), ddx_scores([], 1, 1)]).precision, 4)
    0.3333
    """
    given = list(cases)
    terms = [micro_terms(case) for case in given]

    def pooled(name: str) -> float:
        return ratio(sum(term[name][0] for term in terms), sum(term[name][1] for term in terms))

    return DdxSummary(
        pooled("precision"), pooled("recall"), pooled("f1"), pooled("jaccard"), *_counts(given)
    )


def _counts(cases: list[DdxScores]) -> tuple[float, int, int]:
    empty = sum(case.n == 0 for case in cases)
    return ratio(len(cases) - empty, len(cases)), len(cases), empty
