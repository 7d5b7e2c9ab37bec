"""The scores of every unit of a run, as columns beside its verdicts."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from .coded import Codes, Numbers, rows_of
from .verdict_rows import Row

SCORES = "scores.csv"
_COLUMNS = ("unit", "model", "judge", "metric", "value")
Key = tuple[str, str, str]
"""Judge ("" for none), model, unit."""


class Scores:
    """The table scores.csv, read when first asked for.

    A row has the score of its case under its judge, or else of the pair of its case; a metric
    without a judge gives every judge's row the same score.
    """

    def __init__(
        self,
        path: Path,
        rows: Sequence[Row],
        pairs: Mapping[str, str],
        metrics: Sequence[str] | None = None,
    ) -> None:
        """path: of scores.csv. rows: those that get a score. pairs: case -> its pair, if any.

        metrics: the names, where they are known; else they are read.
        """
        self._known = metrics
        self._path = path
        self._rows = rows
        self._pairs = pairs

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics, sorted."""
        return sorted(self._read[1]) if self._known is None else [*self._known]

    def of_rows(self, metric: str) -> Numbers:
        """Return the score of each row; NaN without one."""
        keys, by_metric = self._read
        values = np.full(len(keys) + 1, np.nan)  # the last one is of rows without a key
        if metric in by_metric:
            places, numbers = by_metric[metric]
            values[places] = numbers
        column: Numbers = values[self._places[0]]
        for places in self._places[1:]:
            column = np.where(np.isnan(column), values[places], column)
        return column

    @cached_property
    def _read(self) -> tuple[dict[Key, int], dict[str, tuple[Codes, Numbers]]]:
        """The place of every key, and of each metric the places that have a value."""
        keys: dict[Key, int] = {}
        by_metric: dict[str, tuple[list[int], list[float]]] = {}
        if not self._path.exists():  # an evaluation in which nothing has a score writes none
            return {}, {}
        for unit, model, judge, metric, value in rows_of(self._path, _COLUMNS):
            places, values = by_metric.setdefault(metric, ([], []))
            if value:
                places.append(keys.setdefault((judge, model, unit), len(keys)))
                values.append(float(value))
        return keys, {
            metric: (np.array(places, dtype=np.int32), np.array(values, dtype=np.float64))
            for metric, (places, values) in by_metric.items()
        }

    @cached_property
    def _places(self) -> tuple[Codes, ...]:
        """For each way to find a row's score, the place of its key; -1 for none."""
        keys = self._read[0]
        ways: list[list[Key]] = [[(row.judge, row.model, row.case) for row in self._rows]]
        if any(not judge for judge, _, _ in keys):
            ways.append([("", row.model, row.case) for row in self._rows])
        if self._pairs:
            ways = [one for way in ways for one in (way, self._of_pairs(way))]
        return tuple(np.array([keys.get(key, -1) for key in way], dtype=np.int32) for way in ways)

    def _of_pairs(self, rows: Sequence[Key]) -> list[Key]:
        return [(judge, model, self._pairs.get(case, "")) for judge, model, case in rows]
