"""Fit the two confidences to one column, from rows of its canonical table that a person reviewed.

Each confidence gets a curve of two numbers for its log-odds, pulled towards the shipped confidence
(shift 0, slope 1). How strongly it is pulled is chosen by cross-validation, and the Brier scores
that are reported come from rows that neither the curve nor that choice saw.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..ontology.confidence import BINS
from ..ontology.evidence import log_odds
from ..ontology.recalibrated import Calibration, Curve
from ..ontology.table_row import Entry
from ..ontology.tree import Tree
from ..scoring.bootstrap import Interval
from ..scoring.means import mean_interval
from .accept import Acceptance, AcceptOn, check_promise, threshold_of

FEWEST = 50
"""The fewest reviewed rows that a calibration is fitted to."""

_FOLDS = 10
_PULLS = (0.0, 0.25, 0.5, 1.0, 2.0)  # deviations of shift and slope from the shipped curve
_SURE_ROWS = 20.0  # reviewed rows that the shipped confidence of 1 counts as
_STEPS = 12  # of Newton's method
Numbers = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]


class Reviewed(NamedTuple):
    """A reviewed row: the computed confidences, and whether code and category were right."""

    score: float
    category_score: float
    code_is_right: bool
    category_is_right: bool


@dataclass(frozen=True)
class Fitted:
    """A calibration, the Brier scores before and after, and the interval of their difference.

    Each of `brier` and `gain` holds the code's and the category's. A gain below 0 is better.
    """

    calibration: Calibration
    brier: tuple[tuple[float, float], tuple[float, float]]
    gain: tuple[Interval, Interval]


def reviewed_rows(
    entries: Iterable[Entry], signature: str, tree: Tree
) -> tuple[list[Reviewed], list[float], int]:
    """Return reviewed rows, the scores of other rows, and the number of rows left out.

    A reviewed row is left out where its scores are not those of runs under the (short) signature.
    Rows without a computed code have no confidence and count nowhere.
    """
    rows: list[Reviewed] = []
    others: list[float] = []
    left_out = 0
    for entry in entries:
        name, _, computed = entry.signature.partition("=")
        if name != signature:
            left_out += entry.reviewed
        elif entry.reviewed and computed:
            rows.append(_reviewed(entry, computed, tree))
        elif not entry.reviewed and entry.mapping.code:
            others.append(entry.mapping.score)
    return rows, others, left_out


def _reviewed(entry: Entry, computed: str, tree: Tree) -> Reviewed:
    mapping = entry.mapping
    same = mapping.code is not None and tree.category(mapping.code) == tree.category(computed)
    return Reviewed(mapping.score, mapping.category_score, mapping.code == computed, same)


def check_drawn(rows: Sequence[Reviewed], others: Sequence[float], left_out: int) -> None:
    """Raise UsageError for too few reviewed rows, and for rows that were not drawn at random."""
    more = f" ({left_out} more were left out: their scores are of other settings)" * bool(left_out)
    if len(rows) < FEWEST:
        raise UsageError(f"{len(rows)} reviewed rows{more}; a calibration needs {FEWEST} or more")
    right = sum(row.code_is_right for row in rows)
    if right == 0:
        raise UsageError(
            "every reviewed row has a corrected code; put yes into `reviewed` where the computed "
            "code is right, too"
        )
    distance = _distance([row.score for row in rows], others)
    large = 1.95 * sqrt(1 / len(rows) + 1 / max(len(others), 1))  # the 0.1 % point
    if others and distance > large:
        means = (np.mean([row.score for row in rows]), np.mean(others))
        raise UsageError(
            f"the reviewed rows were not drawn at random: their mean score is {means[0]:.2f}, that "
            f"of the other rows {means[1]:.2f}; review rows in a random order"
        )


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the largest distance of two cumulative distributions (Kolmogorov and Smirnov)."""
    places = np.unique(np.concatenate([one, other]))
    shares = [
        np.searchsorted(np.sort(values), places, side="right") / max(len(values), 1)
        for values in (one, other)
    ]
    return float(np.abs(shares[0] - shares[1]).max())


def fit_calibration(rows: Sequence[Reviewed], signature: str, seed: int = 1) -> Fitted:
    """Fit both curves to reviewed rows; the folds of the cross-validation are drawn by `seed`."""
    table = np.array(rows, float)
    fold = np.random.default_rng(seed).permutation(len(rows)) % _FOLDS
    curves, briers, gains = [], [], []
    for told, marks in ((table[:, 0], table[:, 2] > 0), (table[:, 1], table[:, 3] > 0)):
        curves.append(_curve(told, marks, fold))
        after = np.zeros(len(rows))
        for part in range(_FOLDS):
            rest = fold != part
            curve = _curve(told[rest], marks[rest], fold[rest])
            after[~rest] = [curve(share) for share in told[~rest]]
        errors = ((told - marks) ** 2, (after - marks) ** 2)
        briers.append((float(errors[0].mean()), float(errors[1].mean())))
        gains.append(mean_interval((errors[1] - errors[0]).tolist()))
    plain = Calibration(signature, len(rows), curves[0], curves[1], (), ())
    fitted = np.array([plain.confidences(row.score, row.category_score) for row in rows])
    counts = [_counts(fitted[:, place], table[:, 2 + place] > 0) for place in (0, 1)]
    calibration = Calibration(signature, len(rows), curves[0], curves[1], counts[0], counts[1])
    return Fitted(calibration, (briers[0], briers[1]), (gains[0], gains[1]))


def _curve(told: Numbers, right: Marks, fold: npt.NDArray[np.int_]) -> Curve:
    """Return the curve with the pull that predicts left-out folds best, fitted to all rows."""
    sure = told >= 1
    share = (right[sure].sum() + _SURE_ROWS) / (sure.sum() + _SURE_ROWS)
    odds, right, fold = _odds(told[~sure]), right[~sure], fold[~sure]
    losses = [_left_out_loss(odds, right, fold, pull) for pull in _PULLS]
    shift, slope = _likeliest(odds, right, _PULLS[int(np.argmin(losses))])
    return Curve(round(shift, 4), round(slope, 4), float(np.floor(share * 1e4) / 1e4))


def _left_out_loss(odds: Numbers, right: Marks, fold: npt.NDArray[np.int_], pull: float) -> float:
    loss = 0.0
    for part in np.unique(fold):
        rest = fold != part
        shift, slope = _likeliest(odds[rest], right[rest], pull)
        signs = np.where(right[~rest], 1, -1)
        loss += float(np.logaddexp(0, -signs * (shift + slope * odds[~rest])).sum())
    return loss


def _likeliest(odds: Numbers, right: Marks, pull: float) -> tuple[float, float]:
    """Return shift and slope with the highest posterior: normal priors around 0 and 1 (MAP)."""
    if pull == 0 or not len(odds):
        return 0.0, 1.0
    rows = np.column_stack([np.ones(len(odds)), odds])
    centre, strength = np.array([0.0, 1.0]), 1 / pull**2
    numbers = centre.copy()
    for _ in range(_STEPS):
        told = 1 / (1 + np.exp(-np.clip(rows @ numbers, -50, 50)))
        slope = rows.T @ (told - right) + strength * (numbers - centre)
        curvature = (rows * (told * (1 - told))[:, None]).T @ rows + strength * np.eye(2)
        numbers = numbers - np.linalg.solve(curvature, slope)
    return float(numbers[0]), max(float(numbers[1]), 0.0)


def _odds(shares: Numbers) -> Numbers:
    return np.array([log_odds(share) for share in shares], float)


def _counts(told: Numbers, right: Marks) -> tuple[tuple[float, ...], ...]:
    bins = np.floor(told * BINS + 1e-9).astype(int)
    texts, of_right = np.bincount(bins, minlength=1), np.bincount(bins, right)
    return tuple((float(bin), float(texts[bin]), float(of_right[bin])) for bin in np.unique(bins))


def acceptance_of(calibration: Calibration, precision: float, on: AcceptOn) -> Acceptance:
    """Return what is accepted at a precision, estimated on the reviewed rows of the column.

    Raises UsageError as `acceptance` does.
    """
    check_promise(precision, on)
    threshold = threshold_of([calibration.counts(on)], precision)
    basis = f"the {calibration.reviewed} reviewed rows"
    return Acceptance(precision, on, threshold, basis)
