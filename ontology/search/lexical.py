"""The lexical index: character trigrams within words, weighted by TF-IDF, cosine similarity.

scikit-learn builds it. This module weighs a query by the same rule, so that a run does not wait a
second for the import of scikit-learn; a test checks that both give the same weights. Weights are
computed in float64 and rounded to the grid of the vectors, so that a score is an exact sum on every
machine.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
        product = self.weigh(texts) @ self.by_feature
        dense: Scores = np.asarray(product.toarray(), np.float32)
        return dense

    def weigh(self, texts: Sequence[str]) -> Any:
        """Return sparse unit rows on the grid: (1 + log count) x idf of each known trigram."""
        from scipy import sparse

        data: list[float] = []
        columns: list[int] = []
        ends = [0]
        for text in texts:
            counts = Counter(gram for gram in _grams(text) if gram in self.vocabulary)
            places = [self.vocabulary[gram] for gram in counts]
            raw = [
                (1 + math.log(count)) * float(self.idf[place])
                for place, count in zip(places, counts.values(), strict=True)
            ]
            norm = math.sqrt(sum(weight * weight for weight in raw)) or 1.0
            data += [weight / norm for weight in raw]
            columns += places
            ends.append(len(columns))
        weights = on_grid(np.asarray(data, np.float64))
        return sparse.csr_matrix((weights, columns, ends), shape=(len(texts), len(self.idf)))

    def write(self, folder: Path) -> None:
        """Write the index as `lexical.npz` and `lexical.json`."""
        from scipy import sparse

        sparse.save_npz(folder / "lexical.npz", self.by_feature, compressed=False)
        idf = [float(weight) for weight in self.idf]
        content = json.dumps({"vocabulary": self.vocabulary, "idf": idf})
        (folder / "lexical.json").write_text(content, encoding="utf-8")


def build_lexical(texts: Sequence[str]) -> LexicalIndex:
    """Index normalised terms."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=(_GRAM, _GRAM),
        sublinear_tf=True,
        lowercase=False,
    )
    matrix = vectoriser.fit_transform(texts)
    vocabulary = {gram: int(column) for gram, column in vectoriser.vocabulary_.items()}
    by_feature = matrix.T.tocsr()
    by_feature.data = on_grid(by_feature.data)
    return LexicalIndex(vocabulary, np.asarray(vectoriser.idf_, np.float64), by_feature)


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
