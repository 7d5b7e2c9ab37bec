"""Find the terms that are nearest to a text by meaning, with most of the work in whole numbers.

Both vectors are rounded to whole numbers of 7 and 8 bits and multiplied (integers.py). What
rounding can add to a cosine or take from it is at most the length of what was rounded off. So the
terms that may be among the nearest are known, a hundred for 64, and only their cosines are computed
from the vectors themselves. The result is that of a comparison of all vectors, ties included.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .encode import GRID, Vectors
from .highest import Heights, highest
from .integers import LEVELS, Product

Places = npt.NDArray[np.int64]

_TERM_LEVELS = 127
_CHUNK = 512  # terms that are rounded at once: they stay in the cache of a processor
_COMPARE = 64  # texts that are compared at once: onnxruntime keeps 30 MB for their products
_LAST_DIGITS = 1e-5  # more than float32 can lose in a bound


@dataclass(frozen=True, eq=False)
class TermVectors:
    """The vectors of terms, of length 1, as steps of the grid, int16 of (terms, dimensions)."""

    steps: npt.NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.steps)

    def of(self, places: Places | slice) -> Vectors:
        """Return some of the vectors."""
        # float32 is made from int16 eight times faster than from float16.
        vectors: Vectors = self.steps[places].astype(np.float32)
        vectors *= 1 / GRID
        return vectors

    def cosines(self, places: Places, vector: Vectors) -> Vectors:
        """Return the cosines of some of the vectors with another one, also on the grid."""
        # Scaled behind the product: that of a vector of steps is as exact, and has fewer numbers.
        cosines: Vectors = self.steps[places].astype(np.float32) @ vector
        cosines *= 1 / GRID
        return cosines

    @cached_property
    def search(self) -> "Search":
        """The search among them."""
        return _make_search(self)


@dataclass(frozen=True, eq=False)
class Search:
    """The vectors of terms, ready for search.

    step: what 1 stands for in a rounded vector. lost: the length of what rounding took from a
    vector, at most. longest: the length of a rounded vector, at most.
    """

    vectors: TermVectors
    product: Product
    step: float
    lost: float
    longest: float

    def nearest(self, vectors: Vectors, k: int) -> Places:
        """Return the rows of the k nearest terms of each vector, nearest first, ties by row."""
        parts = (vectors[at : at + _COMPARE] for at in range(0, len(vectors), _COMPARE))
        return np.concatenate([self._part(part, k) for part in parts])

    def _part(self, vectors: Vectors, k: int) -> Places:
        steps = np.abs(vectors).max(axis=1, keepdims=True).astype(np.float64) / LEVELS
        steps[steps == 0] = 1
        whole = np.rint(vectors / steps)
        lost = np.linalg.norm(vectors - whole * steps, axis=1) * self.longest
        lost += np.linalg.norm(vectors, axis=1) * self.lost
        products = self.product.of(whole)
        one = zip(vectors, products, steps[:, 0] * self.step, lost + _LAST_DIGITS, strict=True)
        return np.array([self._one(*each, k) for each in one])

    def _one(
        self, vector: Vectors, products: npt.NDArray[np.int32], step: float, lost: float, k: int
    ) -> Places:
        """Return the k nearest of one vector, whose cosines are `products * step`, give or take."""
        heights = Heights.of(products, k)
        best = heights.highest(k)
        if k >= len(products):
            likely = best
        else:
            reached = float(self.vectors.cosines(best, vector).min())
            likely = heights.reaching(math.floor((reached - lost) / step))
        return likely[highest(self.vectors.cosines(likely, vector), k)]


def _make_search(vectors: TermVectors) -> Search:
    """Round the vectors of terms for search."""
    chunks = range(0, len(vectors), _CHUNK)
    highest_steps = max(
        (int(np.abs(vectors.steps[at : at + _CHUNK]).max()) for at in chunks), default=0
    )
    step = np.float32(highest_steps / _TERM_LEVELS or 1)
    whole = np.empty((vectors.steps.shape[1], len(vectors)), np.int8)
    lost = longest = 0.0
    for start in chunks:
        steps = vectors.steps[start : start + _CHUNK].astype(np.float32)
        steps /= step
        rounded = np.rint(steps)
        whole[:, start : start + _CHUNK] = rounded.astype(np.int8).T
        steps -= rounded
        lost = max(lost, _length(steps))
        longest = max(longest, _length(rounded))
    length = float(step) / GRID
    return Search(vectors, Product(whole), length, lost * length, longest * length)


def _length(rows: Vectors) -> float:
    """Return the length of the longest row."""
    return math.sqrt(float(np.einsum("ij,ij->i", rows, rows).max()))
