"""The resamples of a bootstrap: clusters drawn with replacement, and left out in groups."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError

Floats = NDArray[np.float64]

Statistic = Callable[[Floats], Floats]

Clusters = int | Sequence[Hashable]

Mask = NDArray[np.bool_]

_BLOCK = 4_000_000  # weights in memory at a time: 32 MB

_JACKKNIFE_GROUPS = 200


def columns_of(values: Any) -> Floats:
    """Return values as a table, (b, k); one number has one column."""
    array: Floats = np.asarray(values, dtype=float)
    return array[:, None] if array.ndim == 1 else array


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows, the cluster of each (None: every row is a cluster), and their weights."""

    rows: int
    groups: int
    cluster_of: NDArray[np.int_] | None
    weights: Floats

    @classmethod
    def of(cls, clusters: Clusters, weights: Sequence[float] | Floats | None) -> "Sample":
        """Read clusters and weights; raises UsageError for weights that do not fit."""
        rows = clusters if isinstance(clusters, int) else len(clusters)
        given = np.ones(rows) if weights is None else np.asarray(weights, dtype=float)
        if given.shape != (rows,) or not np.isfinite(given).all() or (given < 0).any():
            raise UsageError(f"weights must be {rows} finite numbers, none negative")
        if isinstance(clusters, int):
            return cls(rows, rows, None, given)
        codes: dict[Hashable, int] = {}
        index = np.array([codes.setdefault(label, len(codes)) for label in clusters], dtype=int)
        return cls(rows, len(codes), index, given)

    def sizes(self, present: Mask | None, numbers: int) -> list[int]:
        """Count the clusters that each number uses."""
        if present is None:
            return [self.groups] * numbers
        if self.cluster_of is None:
            rows: list[int] = present.sum(axis=0).tolist()
            return rows
        return [len(np.unique(self.cluster_of[present[:, k]])) for k in range(numbers)]

    def spread(self, counts: Floats) -> Floats:
        """Give every row the count of its cluster, times its own weight."""
        by_row = counts if self.cluster_of is None else counts[:, self.cluster_of]
        return by_row * self.weights

    def replicates(self, statistic: Statistic, resamples: int, seed: int) -> Floats:
        """Return the values on each resample, (resamples, k)."""
        blocks = (
            columns_of(statistic(self.spread(counts)))
            for counts in _draws(self.groups, self.rows, resamples, seed)
        )
        return np.concatenate(list(blocks))

    def accelerations(self, statistic: Statistic, seed: int) -> Floats:
        """Return BCa's a for each number: skewness of the leave-one-group-out values / 6."""
        folds = min(self.groups, _JACKKNIFE_GROUPS)
        fold_of = np.random.default_rng(seed).permutation(self.groups) % folds
        counts = (fold_of[None, :] != np.arange(folds)[:, None]).astype(float)
        values = columns_of(statistic(self.spread(counts)))
        defined = np.maximum((~np.isnan(values)).sum(axis=0), 1)
        off = np.nansum(values, axis=0) / defined - values
        # Skewness has no unit; without this, cubes of tiny numbers are 0 / 0.
        scale = np.nan_to_num(np.abs(off)).max(axis=0)
        off = off / np.where(scale > 0, scale, 1.0)
        cubes, squares = np.nansum(off**3, axis=0), np.nansum(off**2, axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(squares > 0, cubes / (6 * squares**1.5), 0.0)


def _draws(groups: int, rows: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Draw clusters with replacement: blocks of counts, (resamples in block, groups)."""
    rng = np.random.default_rng(seed)
    step = max(1, _BLOCK // max(rows, 1))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, groups, size=(size, groups))
        drawn += np.arange(size)[:, None] * groups
        counts = np.bincount(drawn.ravel(), minlength=size * groups).reshape(size, groups)
        yield counts.astype(np.float64)


def quantiles_by_column(ordered: Floats, undefined: NDArray[np.int_], at: Floats) -> Floats:
    """Interpolate quantiles by column; NaN are at the end of each column."""
    last = len(ordered) - 1 - undefined
    position = np.clip(at, 0, 1) * np.maximum(last, 0)
    lower = np.floor(position).astype(int)
    upper = np.minimum(lower + 1, np.maximum(last, 0))
    column = np.arange(ordered.shape[1])
    low, high = ordered[lower, column], ordered[upper, column]
    result: Floats = low + (position - lower) * (high - low)
    return result
