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
from .encode import Encoder, Progress, Vectors

FILE = "vectors.npz"


def encode_terms(
    encoder: Encoder, texts: Sequence[str], progress: Progress | None = None
) -> Vectors:
    """Unit rows of normalised terms: those that the package carries, the others encoded.

    `progress` counts the ones that have to be encoded.
    """
    vectors = np.zeros((len(texts), encoder.dimension), np.float32)
    known = _take(encoder, texts, vectors)
    left = np.flatnonzero(~known)
    if len(left):
        vectors[left] = encoder.encode([texts[row] for row in left.tolist()], progress)
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


def _take(encoder: Encoder, texts: Sequence[str], into: Vectors) -> npt.NDArray[np.bool_]:
    """Fill in the vectors that the package carries; which rows those are."""
    with resources.as_file(packaged(FILE)) as path:
        if not path.is_file():
            return np.zeros(len(texts), bool)
        with np.load(path) as content:
            if str(content["encoder"]) != encoder.identity:
                return np.zeros(len(texts), bool)
            keys, rows = content["keys"], content["rows"]
    wanted = digests(texts)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    known: npt.NDArray[np.bool_] = keys[places] == wanted
    kept = rows[places[known]].astype(np.float32)
    into[known] = kept / np.linalg.norm(kept, axis=1, keepdims=True)
    return known
