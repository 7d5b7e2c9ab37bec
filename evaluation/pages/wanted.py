"""The table of verdicts: filters that combine, counts for each value, an order, and a page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from pydantic import BaseModel

from ...errors import UsageError
from ...files.counted import counted
from .coded import Coded, Mask, Numbers
from .items import Items

FACETS = ("model", "judge", "task", "status", "right", "judges", "people", "repaired")
GROUP = "group."
Range = tuple[float | None, float | None]
RangeName = Literal["score", "cost", "seconds"]
RANGES: tuple[RangeName, ...] = ("score", "cost", "seconds")
_UNKNOWN = {"score": "score", "cost": "known cost", "seconds": "measured time"}


@dataclass(frozen=True)
class Wanted:
    """Which verdicts are wanted, and in which order.

    chosen: facet, or `group.` and a column of the cases -> the values of which a row has one.
    ranges: from and to, both included. metric: whose score is shown and filtered, "" for the
    verdict as a number. text: words in any text of a row. sort: a column, with "-" before it
    from the highest; "" for the order of the run.
    """

    chosen: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ranges: Mapping[RangeName, Range] = field(default_factory=dict)
    metric: str = ""
    text: str = ""
    sort: str = ""


class ValueCount(BaseModel):
    """A value of a filter, and how many rows have it under all other filters."""

    value: str
    count: int


class Found(BaseModel):
    """What the filters leave: rows, cases, the counts of every filter, and what is left out."""

    total: int
    of: int
    cases: int
    facets: dict[str, list[ValueCount]]
    metrics: list[str]
    spans: dict[RangeName, tuple[float, float] | None]
    left_out: list[str]


class Table:
    """The verdicts of a run, filtered and sorted."""

    def __init__(self, items: Items, search: Callable[[str], Mask]) -> None:
        """The columns, and a function that returns the rows with some words."""
        self.items = items
        self._search = search
        self._last: dict[str, Mask] = {}

    def masks(self, wanted: Wanted) -> dict[str, Mask]:
        """Return, for each filter that is set, the rows that pass it alone.

        Raises UsageError for a filter that does not exist.
        """
        masks = {name: self._among(name, values) for name, values in wanted.chosen.items()}
        for name, span in wanted.ranges.items():
            masks[name] = _within(self.numbers(name, wanted.metric), span)
        if wanted.text.strip():
            masks["text"] = self._with_text(wanted.text)
        return masks

    def places(self, wanted: Wanted) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
        """Return the places of the wanted rows, in the wanted order."""
        rows = np.flatnonzero(_all(self.masks(wanted), len(self.items.rows)))
        if not wanted.sort:
            return rows
        keys = self._order(wanted.sort.lstrip("-"), wanted.metric)[rows]
        down = wanted.sort.startswith("-")
        # Rows without a value come last in both directions, and equal rows keep their order.
        order = np.argsort(-keys if down else keys, kind="stable")
        return rows[order]

    def cases(self, wanted: Wanted) -> list[str]:
        """Return the cases of the wanted rows, in the order of their first rows."""
        codes = self.items.case.codes[self.places(wanted)]
        firsts = np.unique(codes, return_index=True)[1]
        return [self.items.case.values[codes[at]] for at in sorted(firsts)]

    def found(self, wanted: Wanted) -> Found:
        """Count the rows, and the rows of each value of each filter under all other filters."""
        masks = self.masks(wanted)
        length = len(self.items.rows)
        mask = _all(masks, length)
        counts = {
            name: self._counts(name, _all({k: m for k, m in masks.items() if k != name}, length))
            for name in (*FACETS, *(f"{GROUP}{column}" for column in self.items.groups))
        }
        return Found(
            total=int(mask.sum()),
            of=length,
            cases=len(np.unique(self.items.case.codes[mask])),
            facets=counts,
            metrics=self.items.scores.metrics,
            spans={name: _span(self.numbers(name, wanted.metric)) for name in RANGES},
            left_out=self._left_out(wanted, masks),
        )

    def numbers(self, name: RangeName, metric: str) -> Numbers:
        """Return a column of numbers."""
        if name == "score":
            return self.items.score_of(metric)
        return self.items.cost if name == "cost" else self.items.seconds

    def _among(self, name: str, values: frozenset[str]) -> Mask:
        if name.startswith(GROUP):
            by_value = self.items.groups.get(name.removeprefix(GROUP))
            if by_value is None:
                raise UsageError(f"the cases have no group {name.removeprefix(GROUP)!r}")
            cases = np.zeros(len(self.items.case.values), dtype=bool)
            for value in values & {*by_value}:
                cases |= by_value[value]
            of_rows: Mask = cases[self.items.case.codes]
            return of_rows
        if name not in FACETS and name != "case":
            raise UsageError(f"there is no filter {name!r}")
        return self.items.facets[name].among(values)

    def _with_text(self, text: str) -> Mask:
        if text not in self._last:  # scrolling and sorting keep the words that were searched
            self._last = {text: self._search(text)}
        return self._last[text]

    def _counts(self, name: str, mask: Mask) -> list[ValueCount]:
        if not name.startswith(GROUP):
            facet = self.items.facets[name]
            pairs = zip(facet.values, facet.counts(mask), strict=True)
            return [ValueCount(value=value, count=count) for value, count in pairs]
        case = self.items.case
        by_case = np.bincount(case.codes[mask], minlength=len(case.values))
        by_value = self.items.groups[name.removeprefix(GROUP)]
        return [
            ValueCount(value=value, count=int(by_case[cases].sum()))
            for value, cases in by_value.items()
        ]

    def _order(self, name: str, metric: str) -> Numbers:
        """Return a number for each row by which it is sorted; NaN comes last."""
        if name in RANGES:
            return self.numbers(name, metric)
        if name not in (*FACETS, "case"):
            raise UsageError(f"there is no column {name!r} to sort by")
        return _alphabetical(self.items.facets[name])

    def _left_out(self, wanted: Wanted, masks: Mapping[str, Mask]) -> list[str]:
        """Say how many rows a range leaves out only because they have no value."""
        sentences = []
        for name in wanted.ranges:
            others = _all({k: m for k, m in masks.items() if k != name}, len(self.items.rows))
            unknown = int((np.isnan(self.numbers(name, wanted.metric)) & others).sum())
            if unknown:
                sentences.append(f"{counted(unknown, 'row')} without a {_UNKNOWN[name]}")
        return sentences


def _all(masks: Mapping[str, Mask], length: int) -> Mask:
    mask = np.ones(length, dtype=bool)
    for one in masks.values():
        mask &= one
    return mask


def _within(column: Numbers, span: Range) -> Mask:
    low, high = span
    mask: Mask = ~np.isnan(column)
    with np.errstate(invalid="ignore"):
        if low is not None:
            mask &= column >= low
        if high is not None:
            mask &= column <= high
    return mask


def _span(column: Numbers) -> tuple[float, float] | None:
    known = column[~np.isnan(column)]
    return (float(known.min()), float(known.max())) if len(known) else None


def _alphabetical(column: Coded) -> Numbers:
    order = np.argsort(np.array(column.values, dtype=object), kind="stable")
    places = np.empty(len(order), dtype=np.float64)
    places[order] = np.arange(len(order))
    result: Numbers = places[column.codes]
    return result
