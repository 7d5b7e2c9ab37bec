"""Sequences whose values are made when they are asked for, so that memory does not hold them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


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


def read_by_row(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return columns that hold their values: lazy ones are made by row, and each row only once."""
    held: dict[str, list[Any]] = {name: [] for name in columns}
    for row in zip(*columns.values(), strict=True):
        for column, cell in zip(held.values(), row, strict=True):
            column.append(cell)
    return held
