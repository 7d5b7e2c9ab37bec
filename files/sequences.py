"""Sequences whose values are made when they are asked for, so that memory does not hold them."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
S = TypeVar("S")


class Lazy(Sequence[T], Generic[T]):
    """A sequence of so many values; `make` returns the value of a number from 0."""

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        self._size, self._make = size, make

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self._make(one) for one in range(self._size)[place]]
        return self._make(range(self._size)[place])


def picked(values: Sequence[T], places: Sequence[int]) -> Lazy[T]:
    """Return the values at these places, in this order."""
    return Lazy(len(places), lambda number: values[places[number]])


class Repeated(Sequence[T], Generic[T]):
    """A long sequence of few different values: each value once, and four bytes for each place."""

    def __init__(self, values: Sequence[T], places: "array[int]") -> None:
        """places: for each place of the sequence, that of its value in `values`."""
        self.values, self.places = values, places

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> "Repeated[T]": ...
    def __getitem__(self, place: int | slice) -> "T | Repeated[T]":
        if isinstance(place, slice):
            return Repeated(self.values, self.places[place])
        return self.values[self.places[place]]

    def __iter__(self) -> Iterator[T]:
        return map(self.values.__getitem__, self.places)

    def replaced(self, make: Callable[[T], S]) -> "Repeated[S]":
        """Return the sequence with what `make` makes of each value."""
        return Repeated([make(value) for value in self.values], self.places)

    def counted(self, weights: Sequence[int] | None = None) -> list[tuple[T, int]]:
        """Return each value with the number of its places, or with the sum of their weights."""
        sums: Counter[int]
        if weights is None:
            sums = Counter(self.places)
        else:
            sums = Counter()
            for place, weight in zip(self.places, weights, strict=True):
                sums[place] += weight
        return [(self.values[place], count) for place, count in sums.items()]


def repeated(values: Iterable[T]) -> Repeated[T]:
    """Return hashable values as a sequence that holds each different one once."""
    known: dict[T, int] = {}
    places = array("I", (known.setdefault(value, len(known)) for value in values))
    return Repeated(list(known), places)


def up_to_last(
    numbered: Iterable[tuple[int, T]], is_filled: Callable[[T], Any]
) -> Iterator[tuple[int, T]]:
    """Yield rows with their numbers, but not those after the last filled one.

    Rows that are not filled are all alike, so that memory need not hold those in between.
    """
    blank = range(0)
    for number, row in numbered:
        if not is_filled(row):
            like, blank = row, range(blank.start if blank else number, number + 1)
            continue
        yield from ((one, like) for one in blank)
        blank = range(0)
        yield number, row


def read_by_row(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return columns that hold their values: lazy ones are made by row, and each row only once."""
    held: dict[str, list[Any]] = {name: [] for name in columns}
    for row in zip(*columns.values(), strict=True):
        for column, cell in zip(held.values(), row, strict=True):
            column.append(cell)
    return held
