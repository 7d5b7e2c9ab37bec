"""The lexical index: character trigrams within words, weighted by TF-IDF, cosine similarity.

Terms and queries are weighed by the rule of scikit-learn's TfidfVectorizer (analyzer char_wb,
sublinear_tf, smooth idf), without scikit-learn, which would add 60 MB to an installation; a test
checks that both give the same weights. Weights are computed in float64 and rounded to the grid of
the vectors, so that a score is an exact sum on every machine.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .encode import on_grid

Scores = npt.NDArray[np.float32]
_GRAM = 3


@dataclass(frozen=True)
class LexicalIndex:
    """TF-IDF of character trigrams over normalised terms.

    `by_feature` is the transposed term matrix: sparse, of shape (features, terms).
    """

    vocabulary: dict[str, int]
    idf: npt.NDArray[np.float64]
    by_feature: Any

    def scores(self, texts: Sequence[str]) -> Scores:
        """Return cosine similarities of normalised texts with all terms, (len(texts), terms)."""
        from scipy.sparse import _sparsetools

        # The public ways, an index and a product, copy the rows first: twice the time.
        add, matrix, terms = _sparsetools.csc_matvec, self.by_feature, self.by_feature.shape[1]
        scores = np.zeros((len(texts), terms), np.float32)
        for own, grams in zip(scores, self._known_grams(texts), strict=True):
            places, raw = _unit(grams, self.vocabulary, self.idf)
            weights = on_grid(np.asarray(raw))
            for place, at in enumerate(places):
                ends, weight = matrix.indptr[at : at + 2], weights[place : place + 1]
                add(terms, 1, ends, matrix.indices, matrix.data, weight, own)
        return scores

    def weigh(self, texts: Sequence[str]) -> Any:
        """Return sparse unit rows on the grid: (1 + log count) x idf of each known trigram."""
        return _weighed(self._known_grams(texts), self.vocabulary, self.idf)

    def _known_grams(self, texts: Iterable[str]) -> Iterator[Counter[str]]:
        """Yield how often each text holds each trigram of the terms."""
        return (Counter(filter(self.vocabulary.__contains__, _grams(text))) for text in texts)

    def write(self, folder: Path) -> None:
        """Write the index as `lexical.npz` and `lexical.json`."""
        from scipy import sparse

        sparse.save_npz(folder / "lexical.npz", self.by_feature, compressed=False)
        idf = [float(weight) for weight in self.idf]
        content = json.dumps({"vocabulary": self.vocabulary, "idf": idf})
        (folder / "lexical.json").write_text(content, encoding="utf-8")


def build_lexical(texts: Sequence[str]) -> LexicalIndex:
    """Index normalised terms."""
    counts = [Counter(_grams(text)) for text in texts]
    held_by = Counter(chain.from_iterable(counts))  # the number of terms that hold each trigram
    vocabulary = {gram: place for place, gram in enumerate(sorted(held_by))}
    holders = np.array([held_by[gram] for gram in vocabulary], np.float64)
    idf = np.log((1 + len(counts)) / (1 + holders)) + 1
    return LexicalIndex(vocabulary, idf, _weighed(counts, vocabulary, idf).T.tocsr())


def _weighed(
    counts: Iterable[Counter[str]], vocabulary: dict[str, int], idf: npt.NDArray[np.float64]
) -> Any:
    """Return one sparse unit row for each text's counts of trigrams, on the grid."""
    from scipy import sparse

    data: list[float] = []
    columns: list[int] = []
    ends = [0]
    for grams in counts:
        places, row = _unit(grams, vocabulary, idf)
        data += row
        columns += places
        ends.append(len(columns))
    weights = on_grid(np.asarray(data, np.float64))
    return sparse.csr_matrix((weights, columns, ends), shape=(len(ends) - 1, len(idf)))


def _unit(
    grams: Counter[str], vocabulary: dict[str, int], idf: npt.NDArray[np.float64]
) -> tuple[list[int], list[float]]:
    """Return the places of a text's trigrams and their weights, of length one."""
    places = [vocabulary[gram] for gram in grams]
    raw = [
        (1 + math.log(count)) * weight
        for weight, count in zip(idf[places].tolist(), grams.values(), strict=True)
    ]
    norm = math.sqrt(sum(weight * weight for weight in raw)) or 1.0
    return places, [weight / norm for weight in raw]


def read_lexical(folder: Path) -> LexicalIndex:
    """Read an index that `write` wrote."""
    from scipy import sparse

    content = json.loads((folder / "lexical.json").read_text("utf-8"))
    return LexicalIndex(
        content["vocabulary"],
        np.asarray(content["idf"], np.float64),
        sparse.load_npz(folder / "lexical.npz"),
    )


def _grams(text: str) -> Iterator[str]:
    for word in text.split():
        padded = f" {word} "
        for start in range(len(padded) - _GRAM + 1):
            yield padded[start : start + _GRAM]
