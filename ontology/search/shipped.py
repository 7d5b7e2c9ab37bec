"""Vectors that the package carries: a first run need not encode the default base again.

`data/vectors.npz` (training/vectors.py makes it) holds `encoder`, the identity of the encoder
that made them, `keys`, the digests of the normalised terms in rising order, and `rows`, int8 of
shape (terms, dimension). A term that is not among them is encoded, so that one more synonym
costs one more vector.
"""

import hashlib
from collections.abc import Sequence
from importlib import resources

import numpy as np
import numpy.typing as npt

from ..packaged import packaged
from .encode import Encoder, Progress, Vectors, on_grid

FILE = "vectors.npz"


def encode_terms(
    encoder: Encoder, texts: Sequence[str], progress: Progress | None = None
) -> Vectors:
    """Unit rows of normalised terms, on the grid: those of the package, the others encoded.

    `progress` counts the ones that have to be encoded.
    """
    shipped = _shipped(encoder)
    if shipped is None:
        return encoder.encode(texts, progress)
    keys, rows = shipped
    wanted = digests(texts)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    known = keys[places] == wanted
    vectors = np.zeros((len(texts), encoder.dimension), np.float32)
    vectors[known] = _unit_rows(rows[places[known]])
    left = np.flatnonzero(~known)
    if len(left):
        encoded = encoder.encode([texts[row] for row in left.tolist()], progress)
        vectors[left] = _unit_rows(as_bytes(encoded))
    return vectors


def digests(texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    """The key of each text: the first eight bytes of its SHA-256."""
    found = b"".join(hashlib.sha256(text.encode()).digest()[:8] for text in texts)
    return np.frombuffer(found, np.uint64)


def as_bytes(vectors: Vectors) -> npt.NDArray[np.int8]:
    """Rows in int8, each scaled to its largest number; their length is taken as one again."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    rows: npt.NDArray[np.int8] = np.round(127 * vectors / np.maximum(largest, 1e-12)).astype(
        np.int8
    )
    return rows


def _unit_rows(rows: npt.NDArray[np.int8]) -> Vectors:
    """Rows of length one, on the grid, of rows in int8."""
    whole = rows.astype(np.float64)
    return on_grid(whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1))


def _shipped(encoder: Encoder) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int8]] | None:
    """The keys and rows of the package, None where they are of another encoder."""
    with resources.as_file(packaged(FILE)) as path:
        if not path.is_file():
            return None
        with np.load(path) as content:
            if str(content["encoder"]) != encoder.identity:
                return None
            return content["keys"], content["rows"]
