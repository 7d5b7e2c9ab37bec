"""Mark the mappings that can be taken without review, at a precision that was estimated.

The lowest confidence that is taken comes from texts whose right codes are known: the development
sets of the project (counts in ontology/data/confidence.json), or the rows that a user reviewed. It
is the lowest one from which on the share right, by the lower bound of Wilson's interval, is the
promised precision or more.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal, NamedTuple

from ..errors import UsageError
from ..ontology.confidence import BINS, reference_counts
from ..ontology.mapping import Mapping as Mapped
from ..scoring.share_limits import wilson

AcceptOn = Literal["category", "code"]
ACCEPT_ON: tuple[AcceptOn, ...] = ("category", "code")
"""What is right in an accepted row: the category of the code, or the code."""

Counts = Sequence[Sequence[float]]
"""For each bin of a confidence that holds texts: its number, texts, and texts that are right."""

_LEVEL = 0.9  # of the two-sided interval whose lower bound holds with 95 %
_FEWEST = 30  # texts whose confidences are compared with those of the development sets
_DIFFERS = 0.2  # the largest distance of two distributions that is not much
_ENDS = tuple((bin + 1) / BINS for bin in range(BINS))  # of the bins


class Threshold(NamedTuple):
    """The lowest confidence that is taken, and what is known of the texts that have it or more.

    right: their share that is right. bound: its lower bound, which holds with 95 % (one-sided).
    share: the share of all texts that they are.
    """

    lowest: float
    right: float
    bound: float
    share: float


@dataclass(frozen=True)
class Acceptance:
    """A promised precision and the threshold for it; None where no confidence reaches it.

    Then only rows are accepted that need no estimate: reviewed ones, and those with a confidence
    of 1. `basis` says in words on which texts the threshold was estimated.
    """

    precision: float
    on: AcceptOn
    threshold: Threshold | None
    basis: str

    @property
    def column(self) -> str:
        """The column of a mapped table that holds the confidence that decides."""
        return "score" if self.on == "code" else "category_score"

    def accepts(self, mapping: Mapped) -> bool:
        """Return whether a mapping can be taken."""
        if mapping.status != "mapped":
            return False
        lowest = self.threshold.lowest if self.threshold else 1.0
        return mapping.decided_by == "reviewed" or confidence(mapping, self.on) >= lowest


def confidence(mapping: Mapped, on: AcceptOn) -> float:
    """Return the confidence of a mapping that its code or its category is right."""
    return mapping.score if on == "code" else mapping.category_score


def acceptance(precision: float, on: AcceptOn = "category") -> Acceptance:
    """Return what is accepted at a precision, estimated on the development sets.

    Each of their styles of writing weighs the same. Raises UsageError for a precision that is not
    above 0 and below 1, and for another `on` than "category" or "code".
    """
    check_promise(precision, on)
    of_style = reference_counts(on)
    basis = f"the {len(of_style)} development sets, each of them weighing the same"
    return Acceptance(precision, on, threshold_of(list(of_style.values()), precision), basis)


def check_promise(precision: float, on: str) -> None:
    """Raise UsageError for a precision or a confidence that cannot be asked for."""
    if not 0 < precision < 1:
        raise UsageError(f"accept is {precision:g}; it must be above 0 and below 1, such as 0.95")
    if on not in ACCEPT_ON:
        raise UsageError(f"accept on {on!r} is neither category nor code")


def threshold_of(of_style: Sequence[Counts], precision: float) -> Threshold | None:
    """Return the lowest threshold whose bound is the precision or more, None where there is none.

    of_style: the counts of each style. All styles weigh the same, so the bound is that of as many
    texts as have the same information, (sum of weights)^2 / sum of squared weights (Kish).
    """
    totals = [sum(texts for _, texts, _ in counts) for counts in of_style]
    rows = sorted(
        ((bin, texts, right, 1 / total) for counts, total in zip(of_style, totals, strict=True)
         for bin, texts, right in counts),
        reverse=True,
    )  # fmt: skip
    weight = squares = of_right = 0.0
    best: Threshold | None = None
    for place, (bin, texts, right, each) in enumerate(rows):
        weight += each * texts
        squares += each * each * texts
        of_right += each * right
        last = place + 1 == len(rows) or rows[place + 1][0] != bin
        bound = wilson(of_right / weight, weight**2 / squares, _LEVEL)[0] if last else 0.0
        if bound >= precision:
            best = Threshold(bin / BINS, of_right / weight, bound, weight / len(of_style))
    return best


def bins_of(mappings: Iterable[Mapped], on: AcceptOn) -> Counter[int]:
    """Count the mapped texts by the bin of their confidence.

    Confidences of 1 are left out: the development sets have no text that is an official term.
    """
    told = (confidence(mapping, on) for mapping in mappings if mapping.status == "mapped")
    return Counter(bisect_right(_ENDS, number) for number in told if number < 1)


def unlike(bins: Mapping[int, int], on: AcceptOn) -> float | None:
    """Return how far the confidences of distinct texts lie from those of the development sets.

    bins: the number of texts in each bin (`bins_of`). It is the largest distance of the two
    cumulative distributions (Kolmogorov and Smirnov), with a sign: below 0 where the texts have
    lower confidences. None where it is small, or cannot be told apart from chance, or where there
    are fewer than 30 texts.
    """
    texts = sum(bins.values())
    if texts < _FEWEST:
        return None
    of_style = list(reference_counts(on).values())
    farthest = max((_distance(bins, of_style, bin) for bin in range(BINS)), key=abs)
    large = max(_DIFFERS, 1.63 / sqrt(texts))  # 1.63: the 1 % point of the statistic
    return farthest if abs(farthest) > large else None


def _distance(bins: Mapping[int, int], of_style: Sequence[Counts], bin: int) -> float:
    """Return the share of the development sets up to a bin, less that of these texts."""
    shares = [
        sum(texts for place, texts, _ in counts if place <= bin)
        / sum(texts for place, texts, _ in counts if place < BINS)
        for counts in of_style
    ]
    own = sum(texts for place, texts in bins.items() if place <= bin) / sum(bins.values())
    return sum(shares) / len(shares) - own


def accepted(mappings: Iterable[Mapped], rule: Acceptance) -> list[bool]:
    """Return for each mapping whether it can be taken."""
    return [rule.accepts(mapping) for mapping in mappings]
