"""Find image pairs that are alike to a medical encoder and unlike to a general one.

The search is exact: blocks of similarities are computed in float32, and every pair near the
thresholds is computed again in float64. A block at a time is in memory, never all pairs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import UsageError

Vectors = npt.NDArray[np.floating[Any]]
Progress = Callable[[int, int], None]
"""Called with (done, total) blocks."""

MOST = 100_000
"""So many pairs are returned at most, those with the widest gaps."""
_BLOCK = 2048  # images; a block of similarities has 16 MB
_MARGIN = 1e-4  # the error of a float32 product of unit vectors is below this
_ROWS = 8192  # pairs that are computed in float64 at once
_DIGITS = 9  # similarities are rounded to so many, so that they are the same on every processor


class ConfusingPair(NamedTuple):
    """Two images by their numbers, and their similarity to each encoder (cosines)."""

    first: int
    second: int
    medical: float
    general: float

    @property
    def gap(self) -> float:
        """How much more alike the images are to the medical encoder."""
        return self.medical - self.general


@dataclass(frozen=True)
class ConfusingPairs:
    """The pairs with the widest gaps, widest first, and how many pairs there are in all."""

    pairs: tuple[ConfusingPair, ...]
    count: int


@dataclass
class _Kept:
    """The pairs so far, as columns: first, second, medical, general."""

    columns: npt.NDArray[np.float64]

    def add(self, columns: npt.NDArray[np.float64], most: int) -> None:
        """Add pairs; keep the `most` with the widest gaps."""
        joined = np.concatenate([self.columns, columns], axis=1)
        if joined.shape[1] > most:
            first, second, medical, general = joined
            order = np.lexsort((second, first, -np.round(medical - general, _DIGITS)))
            joined = joined[:, order[:most]]
        self.columns = joined


def find_confusing_pairs(
    medical: Vectors,
    general: Vectors,
    *,
    least_medical: float = 0.9,
    most_general: float = 0.75,
    most: int = MOST,
    progress: Progress | None = None,
) -> ConfusingPairs:
    """Return the pairs of images that the encoders see differently.

    medical, general: one row for each image, in the same order; of any length. least_medical,
    most_general: a pair has at least this cosine to the medical encoder and at most that one to
    the general one (MediConfusion: 0.9 and 0.75). most: how many pairs are returned; of more, those
    with the widest gap.

    Raises UsageError for different numbers of rows, and for a row that is zero or not finite.
    """
    if len(medical) != len(general):
        raise UsageError(f"{len(medical)} medical but {len(general)} general vectors")
    if most < 1:
        raise UsageError(f"most is {most}; it must be at least 1")
    units, others = _units(medical, "medical"), _units(general, "general")
    kept, count = _Kept(np.empty((4, 0))), 0
    blocks = _blocks(len(units))
    for done, (rows, columns) in enumerate(blocks, 1):
        alike = units[rows] @ units[columns].T
        first, second = np.nonzero(alike >= least_medical - _MARGIN)
        first, second = first + rows.start, second + columns.start
        upper = first < second
        for pairs in _exact(medical, general, others, first[upper], second[upper], most_general):
            chosen = pairs[:, (pairs[2] >= least_medical) & (pairs[3] <= most_general)]
            count += chosen.shape[1]
            kept.add(chosen, most)
        if progress is not None:
            progress(done, len(blocks))
    return ConfusingPairs(_sorted(kept.columns), count)


def spread_pairs(pairs: tuple[ConfusingPair, ...], per_image: int) -> tuple[ConfusingPair, ...]:
    """Return the pairs in their order, without those whose image already stands in `per_image`.

    Otherwise one odd image could be half of a data set.
    """
    used: dict[int, int] = {}
    chosen = []
    for pair in pairs:
        if all(used.get(image, 0) < per_image for image in (pair.first, pair.second)):
            chosen.append(pair)
            for image in (pair.first, pair.second):
                used[image] = used.get(image, 0) + 1
    return tuple(chosen)


def _units(vectors: Vectors, name: str) -> npt.NDArray[np.float32]:
    """Return the rows at length 1. Raises UsageError naming the first row that has no direction."""
    if vectors.ndim != 2:
        raise UsageError(f"the {name} vectors have {vectors.ndim} axes; they need 2")
    units = np.array(vectors, dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", units, units, dtype=np.float64))
    wrong = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))
    if wrong.size:
        raise UsageError(f"{name} vector {wrong[0] + 1} is zero or not finite")
    units /= lengths[:, None].astype(np.float32)
    return units


def _blocks(images: int) -> list[tuple[slice, slice]]:
    """Return the blocks on and above the diagonal."""
    starts = range(0, images, _BLOCK)
    spans = [slice(start, min(start + _BLOCK, images)) for start in starts]
    return [(rows, columns) for rows in spans for columns in spans if columns.start >= rows.start]


def _exact(
    medical: Vectors,
    general: Vectors,
    others: npt.NDArray[np.float32],
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
    most_general: float,
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield columns of first, second, medical and general, for pairs that may be unlike."""
    for start in range(0, len(first), _ROWS):
        one, two = first[start : start + _ROWS], second[start : start + _ROWS]
        unlike = np.einsum("ij,ij->i", others[one], others[two]) <= most_general + _MARGIN
        one, two = one[unlike], two[unlike]
        yield np.stack([one, two, _cosines(medical, one, two), _cosines(general, one, two)])


def _cosines(
    vectors: Vectors, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    one, two = vectors[first].astype(np.float64), vectors[second].astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", one, one) * np.einsum("ij,ij->i", two, two))
    cosines: npt.NDArray[np.float64] = np.round(np.einsum("ij,ij->i", one, two) / lengths, _DIGITS)
    return cosines


def _sorted(columns: npt.NDArray[np.float64]) -> tuple[ConfusingPair, ...]:
    pairs = [
        ConfusingPair(int(first), int(second), float(medical), float(general))
        for first, second, medical, general in columns.T
    ]
    return tuple(sorted(pairs, key=lambda pair: (-round(pair.gap, _DIGITS), *pair[:2])))
