"""The terms of an index as its files hold them, and what follows from them alone.

They are immutable and large, and reading them takes a second. So everything in one process that
reads the same files shares them, as long as one user of them lives.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from ...errors import IndexFault
from ..reading.refusal import known_words
from ..reading.spelling import Spelling, make_spelling
from ..terms import Term
from .encode import packaged_encoder
from .lexical import LexicalIndex, read_lexical
from .nearest import TermVectors

FORMAT = 5
FILES = ("terms.json", "vectors.npy", "lexical.npz", "lexical.json")


@dataclass(frozen=True, eq=False)
class TermRows:
    """The terms of an index; row i of every part is term i."""

    terms: tuple[Term, ...]
    folded: tuple[str, ...]
    vectors: TermVectors
    lexical: LexicalIndex

    @cached_property
    def of_code(self) -> dict[str, tuple[int, ...]]:
        """The rows of each code."""
        return _rows_of(term.code for term in self.terms)

    @cached_property
    def code_numbers(self) -> npt.NDArray[np.int64]:
        """The place of each term's code among all codes in their order."""
        numbers = {code: number for number, code in enumerate(sorted(self.of_code))}
        return np.array([numbers[term.code] for term in self.terms], np.int64)

    @cached_property
    def of_source(self) -> dict[str, int]:
        """The number of terms of each source."""
        return dict(Counter(term.source for term in self.terms))

    @cached_property
    def exact(self) -> dict[str, tuple[int, ...]]:
        """The rows of each normalised term."""
        return _rows_of(self.folded)

    @cached_property
    def spelling(self) -> Spelling:
        """The spelling corrector over the words of the terms."""
        return make_spelling(self.folded, known_words(), packaged_encoder().words)


_LOADED: WeakValueDictionary[tuple[Path, str], TermRows] = WeakValueDictionary()


def load_rows(home: Path, key: str) -> TermRows:
    """Read the terms of an index from its folder, or take those that this process has read.

    The files are compared with the digests of their manifest, in both cases and again after every
    change. Raises IndexFault where one has changed, OSError or ValueError for files that cannot be
    read.
    """
    text = (home / "manifest.json").read_text("utf-8")
    manifest = json.loads(text)
    if manifest["format"] != FORMAT or manifest["key"] != key:
        raise IndexFault("its manifest is of another index")
    for name, digest in manifest["files"].items():
        if digest_of(home / name) != digest:
            raise IndexFault(f"{name} has changed since it was written")
    place = (home.resolve(), text)
    loaded = _LOADED.get(place)
    if loaded is None:
        loaded = _LOADED[place] = _read(home)
    return loaded


def digest_of(path: Path) -> str:
    """Return the sha256 of a file; it is read again only where the file has changed."""
    state = path.stat()
    changed = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    return _digest_of(os.path.realpath(path), changed)


@lru_cache(maxsize=64)
def _digest_of(path: str, changed: tuple[int, ...]) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(home: Path) -> TermRows:
    rows = json.loads((home / "terms.json").read_text("utf-8"))
    return TermRows(
        tuple(Term(text, code, source) for text, code, source, _ in rows),
        tuple(row[3] for row in rows),
        # A plain array: rows of a memmap are found three times slower.
        TermVectors(np.asarray(np.load(home / "vectors.npy", mmap_mode="r"))),
        read_lexical(home),
    )


def _rows_of(values: Iterable[str]) -> dict[str, tuple[int, ...]]:
    # Few rows share a value, so that tuples are made again rarely. Lists would take five times as
    # long: the garbage collector visits them again and again, and leaves tuples of numbers alone.
    rows: dict[str, tuple[int, ...]] = {}
    for row, value in enumerate(values):
        rows[value] = (*rows.get(value, ()), row)
    return rows
