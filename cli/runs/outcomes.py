"""The outcomes of the rows of a command: on disk, so that memory does not grow with them."""

from array import array
from collections.abc import Sequence
from typing import Generic, TypeVar, overload

from ...files.journal import Journal
from ...files.spool import Spool

T = TypeVar("T")
_OPEN = -1


class Outcomes(Sequence[T], Generic[T]):
    """The outcome of each row, in the order of the rows; use it as a context manager.

    A final outcome of a row with a key is read from the journal's file, every other one from a
    temporary file. An outcome is read again each time that it is asked for.
    """

    def __init__(self, keys: Sequence[str], journal: Journal[T]) -> None:
        """Begin with the outcomes that the journal has."""
        self._keys, self._journal = keys, journal
        self._rest = Spool[T](read=journal.read, write=journal.write)
        self._places = array("q", [_OPEN]) * len(keys)
        self.resumed = 0
        for row, key in enumerate(keys):
            place = journal.place(key) if key else None
            if place is not None:
                self._places[row] = place
                self.resumed += 1
        self.all_final = True

    def open_rows(self) -> Sequence[int]:
        """Return the numbers of the rows without an outcome."""
        if not self.resumed:
            return range(len(self))
        return array("q", (row for row, place in enumerate(self._places) if place == _OPEN))

    def keep(self, row: int, outcome: T, *, is_final: bool) -> None:
        """Keep the outcome of a row; the journal has it too if it is final."""
        self.all_final = self.all_final and is_final
        if is_final and self._keys[row] and self._journal.path is not None:
            self._places[row] = self._journal.keep(self._keys[row], outcome)
        else:
            self._places[row] = _OPEN - 1 - self._rest.keep(outcome)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, row: int) -> T: ...
    @overload
    def __getitem__(self, row: slice) -> list[T]: ...
    def __getitem__(self, row: int | slice) -> T | list[T]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        place = self._places[row]
        if place == _OPEN:
            raise KeyError(row)
        if place < _OPEN:
            return self._rest.at(_OPEN - 1 - place)
        return self._journal.at(place)

    def __enter__(self) -> "Outcomes[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self._rest.close()
