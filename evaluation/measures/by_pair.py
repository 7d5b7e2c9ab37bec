"""Measures over cases as measures over pairs of cases."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...scoring.bootstrap import Floats
from ..cases import Case
from .measure import Measure, Status

_ORDER: tuple[Status, ...] = ("failed", "invalid", "abstained", "done", "none")


def by_pair(measure: Measure, cases: Sequence[Case], pairs: Sequence[tuple[Case, Case]]) -> Measure:
    """The same number with pairs as units: sums over both items, and the worse status of the two.

    The number over all pairs is that over all cases; only what is resampled together changes.
    """
    place = {case.id: at for at, case in enumerate(cases)}
    first, second = ([place[pair[at].id] for pair in pairs] for at in (0, 1))

    def summed(column: Floats) -> Floats:
        total: Floats = column[first] + column[second]
        return total

    rows = measure.open[:, None]
    shape = measure.numerator.shape

    def filled(filler: Floats | tuple[float, ...], otherwise: Floats) -> Floats:
        return summed(np.where(rows, np.broadcast_to(filler, shape), otherwise))

    return replace(
        measure,
        numerator=summed(measure.numerator),
        denominator=summed(measure.denominator),
        open=measure.open[first] | measure.open[second],
        status=tuple(
            min(measure.status[a], measure.status[b], key=_ORDER.index)
            for a, b in zip(first, second, strict=True)
        ),
        worst=filled(measure.worst, measure.numerator),
        best=filled(measure.best, measure.numerator),
        fill=filled(measure.fill, measure.denominator),
        unmapped=None
        if measure.unmapped is None
        else measure.unmapped[first] + measure.unmapped[second],
    )
