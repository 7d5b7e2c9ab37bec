"""Use the vectors that the package carries, so that a first run does not encode the default base.

`data/vectors.npz` (training/vectors.py makes it) holds `encoder`, the identity of the encoder
that made the vectors; `keys`, the digests of the normalised terms in rising order; and `rows`, int8
of shape (terms, dimension). Only terms without a vector in the file are encoded.
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
    """Return unit rows of normalised terms, on the grid: from the package, or else encoded.

    `progress` counts only the terms that must be encoded.
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
    """Return the key of each text: the first eight bytes of its SHA-256."""
    keys = b"".join(hashlib.sha256(text.encode()).digest()[:8] for text in texts)
    return np.frombuffer(keys, np.uint64)


def as_bytes(vectors: Vectors) -> npt.NDArray[np.int8]:
    """Return rows as int8, each scaled to its largest number; readers scale them to length one."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    rows: npt.NDArray[np.int8] = np.round(127 * vectors / np.maximum(largest, 1e-12)).astype(
        np.int8
    )
    return rows


def _unit_rows(rows: npt.NDArray[np.int8]) -> Vectors:
    """Return rows of int8 as rows of length one, on the grid."""
    whole = rows.astype(np.float64)
    return on_grid(whole / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1))


def _shipped(encoder: Encoder) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int8]] | None:
    """Return the keys and rows of the package, None where another encoder made them."""
    with resources.as_file(packaged(FILE)) as path:
        if not path.is_file():
            return None
        with np.load(path) as content:
            if str(content["encoder"]) != encoder.identity:
                return None
            return content["keys"], content["rows"]
