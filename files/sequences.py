"""Sequences whose values are made when they are asked for, so that memory does not hold them."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

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
