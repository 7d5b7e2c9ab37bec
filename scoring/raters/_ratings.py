"""Code the verdicts of several judges as a matrix, cases x judges, with missing verdicts."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import UsageError
from ..bootstrap import Floats
from ..shares import is_resolved

Scale = Literal["nominal", "ordinal", "interval"]
Codes = NDArray[np.int_]

MISSING = -1


@dataclass(frozen=True, slots=True)
class Ratings:
    """Verdicts as positions in `categories`; -1 means missing. `codes` is cases x judges."""

    codes: Codes
    categories: tuple[Any, ...]

    @property
    def missing(self) -> int:
        """The number of missing verdicts."""
        return int((self.codes == MISSING).sum())

    @property
    def counts(self) -> Floats:
        """The number of judges that chose each category: cases x categories."""
        chosen = self.codes[:, :, None] == np.arange(len(self.categories))
        counts: Floats = chosen.sum(axis=1).astype(np.float64)
        return counts

    def values(self) -> Floats:
        """Return the categories as numbers.

        Raises:
            UsageError: they are not numbers.
        """
        if not all(is_number(category) for category in self.categories):
            raise UsageError(
                f"verdicts such as {self.categories[0]!r} have no distance: give numbers"
            )
        return np.asarray([float(category) for category in self.categories])


def is_number(value: object) -> bool:
    """Return whether a verdict is a number (True and False count as 1 and 0).

    Args:
        value: a verdict.
    """
    return isinstance(value, int | float | np.number | np.bool_)


def read_ratings(
    verdicts: Iterable[Sequence[Any]], categories: Sequence[Any] | None = None
) -> Ratings:
    """Code verdicts: one sequence per case, with one entry per judge.

    None, NaN and `FAILED` are missing. `categories` lists the allowed verdicts in the order of
    the scale. Without it, the categories are the values that occur, sorted.

    Raises:
        UsageError: cases with different numbers of judges, a verdict outside the categories, or
            verdicts that cannot be sorted. The message names the case and the judge.
    """
    rows = [list(row) for row in verdicts]
    judges = len(rows[0]) if rows else 0
    for case, row in enumerate(rows):
        if len(row) != judges:
            raise UsageError(f"case {case} has {len(row)} verdicts, case 0 has {judges}")
    listed = tuple(categories) if categories is not None else _observed(rows)
    index = {category: code for code, category in enumerate(listed)}
    codes = np.full((len(rows), judges), MISSING, dtype=int)
    for case, row in enumerate(rows):
        for judge, verdict in enumerate(row):
            if not _is_given(verdict):
                continue
            if verdict not in index:
                raise UsageError(
                    f"case {case}, judge {judge}: verdict {verdict!r} is none of {listed}"
                )
            codes[case, judge] = index[verdict]
    return Ratings(codes, listed)


def _is_given(verdict: object) -> bool:
    missing_numpy = isinstance(verdict, np.floating) and math.isnan(verdict)
    return is_resolved(verdict) and not missing_numpy


def _observed(rows: list[list[Any]]) -> tuple[Any, ...]:
    try:
        return tuple(sorted({verdict for row in rows for verdict in row if _is_given(verdict)}))
    except TypeError as error:
        raise UsageError(
            f"verdicts cannot be put in order; give text, numbers or categories: {error}"
        ) from None


def read_pair(
    first: Sequence[Any], second: Sequence[Any], categories: Sequence[Any] | None = None
) -> Ratings:
    """Code the verdicts of two judges on the same cases."""
    if len(first) != len(second):
        raise UsageError(f"{len(first)} verdicts by one judge but {len(second)} by the other")
    return read_ratings(zip(first, second, strict=True), categories)


def cell_sums(weights: Floats, cells: Codes, count: int) -> Floats:
    """Sum weights (b, rows) by the cell of each row: (b, count). Rows with cell -1 are left out."""
    used = np.flatnonzero(cells >= 0)
    sums = np.zeros((len(weights), count))
    if not used.size:
        return sums
    order = used[np.argsort(cells[used], kind="stable")]
    present, starts = np.unique(cells[order], return_index=True)
    sums[:, present] = np.add.reduceat(weights[:, order], starts, axis=1)
    return sums


def scaled_weights(given: Sequence[float] | None, n: int) -> Floats:
    """Scale weights to mean 1, so that small-sample corrections see the number of cases."""
    if given is None:
        return np.ones(n)
    weights = np.asarray(given, dtype=float)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise UsageError(f"case_weights must be {n} finite numbers, none negative")
    if not weights.sum() > 0:
        raise UsageError("case_weights are all zero")
    scaled: Floats = weights * (n / weights.sum())
    return scaled
