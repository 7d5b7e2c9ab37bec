"""How much a model's answer depends on one type of evidence (MEDSYN)."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UsageError
from .bootstrap import Floats


def choice_shares(choices: Sequence[str], options: Sequence[str]) -> list[float]:
    """Return how often each option was chosen over repeated samples, in the order of `options`.

    Formula: samples that chose the option / samples with a choice.

    Source: MEDSYN, answer distribution of the evidence sensitivity.

    >>> choice_shares(["A", "B", "A", "A"], ["A", "B", "C"])
    [0.75, 0.25, 0.0]

    Raises:
        UsageError: no choice.
    """
    if not choices:
        raise UsageError("there is no choice to count")
    return [choices.count(option) / len(choices) for option in options]


def evidence_sensitivity(p: ArrayLike, q: ArrayLike) -> float:
    """Return the Jensen-Shannon divergence (base 2) of two answer distributions, 0 to 1.

    S = H(m) - (H(p) + H(q)) / 2 with m = (p + q) / 2 and H the entropy in bits (Lin 1991).

    Formula: S = H(m) - (H(p) + H(q)) / 2, m = (p + q) / 2, H the entropy in bits.

    Source: MEDSYN, evidence sensitivity; Lin (1991), IEEE Transactions on Information Theory
    37.

    Args:
        p: probability of each option with all evidence.
        q: the same, in the same order, without one type of evidence.

    Raises:
        UsageError: not two distributions over the same options: a negative or non-finite
            value, a sum that is not 1 (within 1e-6), or different lengths.

    >>> evidence_sensitivity([1, 0], [0, 1])
    1.0
    """
    first, second = _distribution(p, "p"), _distribution(q, "q")
    if first.shape != second.shape:
        raise UsageError(f"p has {first.size} options but q has {second.size}")
    middle = (first + second) / 2
    divergence = _entropy(middle) - (_entropy(first) + _entropy(second)) / 2
    return float(min(1.0, max(0.0, divergence)))


def _distribution(values: ArrayLike, name: str) -> Floats:
    try:
        given = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} is not a list of probabilities: {error}") from None
    if given.ndim != 1 or not given.size:
        raise UsageError(f"{name} must be a list of probabilities, one per option")
    if not np.isfinite(given).all() or (given < 0).any():
        raise UsageError(f"{name} holds a negative or non-finite probability")
    if abs(given.sum() - 1) > 1e-6:
        raise UsageError(f"{name} sums to {given.sum():.6g}, not to 1")
    scaled: Floats = given / given.sum()
    return scaled


def _entropy(distribution: Floats) -> float:
    positive = distribution[distribution > 0]
    return float(-(positive * np.log2(positive)).sum())


def nmse_gap(image: Sequence[float], text: Sequence[float]) -> float:
    """Return the cross-modal gap: sum (S_image - S_text)^2 / sum S_text^2 over the cases.

    It is 0 if images matter as much as text in every case, and NaN if no case depends on text.

    Formula: sum (S_image - S_text)^2 / sum S_text^2.

    Source: MEDSYN, cross-modal gap.

    Raises:
        UsageError: lists that differ in length, are empty, or contain a negative or non-finite
            number.

    >>> nmse_gap([0.0, 0.0], [0.3, 0.4])
    1.0
    """
    image_s, text_s = _sensitivities(image, text)
    total = float((text_s**2).sum())
    return float(((image_s - text_s) ** 2).sum()) / total if total else float("nan")


def share_below_diagonal(image: Sequence[float], text: Sequence[float]) -> float:
    """Return the share of cases with S_image < S_text (image on the vertical axis).

    Formula: (cases with S_image < S_text) / cases.

    Source: MEDSYN, cases below the diagonal.

    >>> share_below_diagonal([0.1, 0.5], [0.2, 0.5])
    0.5
    """
    image_s, text_s = _sensitivities(image, text)
    return float((image_s < text_s).mean())


def _sensitivities(image: Sequence[float], text: Sequence[float]) -> tuple[Floats, Floats]:
    image_s, text_s = np.asarray(image, dtype=float), np.asarray(text, dtype=float)
    if image_s.shape != text_s.shape or image_s.ndim != 1:
        raise UsageError(f"{image_s.size} image sensitivities but {text_s.size} of text")
    if not image_s.size:
        raise UsageError("there is no case to compare")
    for name, values in (("image", image_s), ("text", text_s)):
        if not np.isfinite(values).all() or (values < 0).any():
            raise UsageError(f"a sensitivity to {name} is negative or not a number")
    return image_s, text_s


def mean_over_types(values: Sequence[float]) -> float:
    """Average a number over the types of evidence, each type with the same weight.

    Formula: sum of the values / their number; NaN without a value.

    Source: MEDSYN, the mean cross-modal gap over types of evidence.

    >>> mean_over_types([0.25, 0.75])
    0.5
    """
    return fmean(values) if values else float("nan")
