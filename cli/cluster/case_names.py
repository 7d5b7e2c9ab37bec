"""The names of a job's cases, where votes are told apart by them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np

from ...errors import InputError
from .pieces import Piece

_REMEDY = "name a column with another name in each row of the job (--case)"
_SIZE = 16  # bytes of a digest: among 10**9 names two have the same with a chance of 10**-21


def digests(names: Iterable[str]) -> str:
    """Return the digests of names, one after the other, in hexadecimal digits."""
    codes = (name.encode("utf-8", "surrogatepass") for name in names)
    return "".join(blake2b(code, digest_size=_SIZE).hexdigest() for code in codes)


@dataclass
class CaseNames:
    """The names in all pieces of a job: each stands once, also in different files.

    named: the pieces whose rows have names, with the digests of these. numbered: a file whose rows
    have no names, so that their numbers in the whole job stand for them. unread: why a file has no
    rows here. rows: how many all files have.
    """

    named: list[tuple[Piece, bytes]] = field(default_factory=list)
    numbered: str = ""
    unread: str = ""
    rows: int = 0

    def add(self, piece: Piece, counted: Mapping[str, Any]) -> None:
        """Add what `Count` counts of a piece."""
        self.unread = self.unread or counted["unread"]
        self.rows += counted["rows"]
        if counted["cases"] is None and counted["rows"]:
            self.numbered = piece.path
        if counted["cases"]:
            self.named.append((piece, bytes.fromhex(counted["cases"])))

    def check(self, names_of: Callable[[Piece], list[str]]) -> None:
        """Raise InputError for a name that stands twice, or may be the number of another row.

        names_of: reads the names of a piece again.
        """
        if twice := self._twice():
            pieces, (row, _) = zip(*twice, strict=True)
            files = " and ".join(sorted({piece.path for piece in pieces}))
            name = names_of(pieces[0])[row]
            raise InputError(f"the case {name!r} stands twice in {files}: {_REMEDY}")
        why = f"{self.numbered} has no column of names, so its rows are named by their numbers"
        if self.numbered and self.named:
            raise InputError(f"{why}, and {self.named[0][0].path} has names: {_REMEDY}")
        if self.numbered and self.unread:
            raise InputError(
                f"{why}, which change once all files are read ({self.unread}): mend that file, or "
                f"{_REMEDY}"
            )

    def among(self, cases: Iterable[str]) -> set[str]:
        """Return those of the cases that are rows of the job, by name or by number."""
        by_digest = {bytes.fromhex(digests([case])): case for case in cases}
        if not by_digest:  # without votes the rows need not be looked through
            return set()
        if self.numbered:
            return set(by_digest.values()).intersection(map(str, range(1, self.rows + 1)))
        rows = (of[at : at + _SIZE] for _, of in self.named for at in range(0, len(of), _SIZE))
        return {by_digest[one] for one in by_digest.keys() & rows}

    def _twice(self) -> list[tuple[Piece, int]]:
        """Return the pieces of two rows with the same name, and the places of the rows in them."""
        halves = np.frombuffer(b"".join(of for _, of in self.named), np.uint64).reshape(-1, 2)
        order = np.lexsort(halves.T)
        ordered = halves[order]
        same = (ordered[1:] == ordered[:-1]).all(axis=1)
        if not same.any():
            return []
        first = int(same.argmax())
        rows = chain.from_iterable(
            ((piece, row) for row in range(len(of) // _SIZE)) for piece, of in self.named
        )
        wanted = set(order[first : first + 2].tolist())
        return [place for number, place in enumerate(rows) if number in wanted]
