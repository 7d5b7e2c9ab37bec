"""The lexical index: character trigrams within words, weighted by TF-IDF, cosine similarity."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]


class LexicalIndex:
    """TF-IDF of character trigrams over normalised terms."""

    def __init__(self, vectoriser: Any, matrix: Any) -> None:
        self._vectoriser = vectoriser
        self._by_feature = matrix.T.tocsr()
        self._matrix = matrix

    def scores(self, texts: Sequence[str]) -> Scores:
        """Cosine similarities of normalised texts with all terms, (len(texts), terms)."""
        product = self._vectoriser.transform(texts) @ self._by_feature
        dense: Scores = np.asarray(product.toarray(), np.float32)
        return dense

    def write(self, folder: Path) -> None:
        """Write the index as `lexical.npz` and `lexical.json`."""
        from scipy import sparse

        sparse.save_npz(folder / "lexical.npz", self._matrix, compressed=False)
        vocabulary = {gram: int(column) for gram, column in self._vectoriser.vocabulary_.items()}
        idf = [float(weight) for weight in self._vectoriser.idf_]
        content = json.dumps({"vocabulary": vocabulary, "idf": idf})
        (folder / "lexical.json").write_text(content, encoding="utf-8")


def build_lexical(texts: Sequence[str]) -> LexicalIndex:
    """Index normalised terms."""
    vectoriser = _vectoriser(None)
    return LexicalIndex(vectoriser, vectoriser.fit_transform(texts))


def read_lexical(folder: Path) -> LexicalIndex:
    """Read an index that `write` left."""
    from scipy import sparse

    content = json.loads((folder / "lexical.json").read_text("utf-8"))
    vectoriser = _vectoriser(content["vocabulary"])
    vectoriser.idf_ = np.asarray(content["idf"], np.float32)
    return LexicalIndex(vectoriser, sparse.load_npz(folder / "lexical.npz"))


def _vectoriser(vocabulary: dict[str, int] | None) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=(3, 3),
        sublinear_tf=True,
        lowercase=False,
        dtype=np.float32,
        vocabulary=vocabulary,
    )
