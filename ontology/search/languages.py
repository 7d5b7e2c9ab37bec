"""Read diagnoses in seven other languages by their meaning, as vectors of the packaged encoder.

A small network (data/languages.npz; training/languages.py makes it) was trained so that the name of
a disease in German, French, Spanish, Italian, Portuguese, Dutch or Chinese has the vector that the
packaged encoder gives its English name. It reads a word as the sum of the vectors of its runs of
letters, so that compounds, endings and spellings that it has not seen are near to those that it
has. It also estimates whether a text is English.
"""

import io
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..packaged import packaged
from .encode import Vectors, on_grid

FILE = "languages.npz"
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "zh")
"""The languages, in the order of the network's estimates; English first."""

LONGEST = 16
"""The words of a text that are read; the others are dropped."""

_RUNS = (3, 4, 5, 6)  # letters of the runs of a word
_CHINESE_RUNS = (1, 2, 3, 4)
_REMEMBERED = 8192  # words whose bins are kept
_SMALLEST = 1e-5
# Products of numbers from which OpenBLAS, NumPy's library, divides the work among threads, which
# wait for each other in a loop: on a busy machine that takes ten times the work itself.
_ON_ONE_THREAD = 2**19 - 1

Numbers = npt.NDArray[np.float64]


class Meaning(NamedTuple):
    """What the network reads in a text: a unit vector on the grid, and how likely it is English."""

    vector: Vectors
    english: float


@dataclass(frozen=True, eq=False)
class Languages:
    """The weights of the network; `encoder` is the identity of the encoder whose vectors it gives.

    `rows` is int8 of shape (bins, width), each row in steps of its number in `steps`. All else is
    read in float64, so that another order of addition changes less than the grid's rounding
    removes.
    """

    encoder: str
    rows: npt.NDArray[np.int8]
    steps: npt.NDArray[np.float32]
    weights: dict[str, Numbers]

    def read(self, text: str) -> Meaning:
        """Return the meaning of a normalised text."""
        return self.read_all([text])[text]

    def read_all(self, texts: Iterable[str]) -> dict[str, Meaning]:
        """Return the meanings of normalised texts; those of equally many words are read at once."""
        by_length: defaultdict[int, dict[str, list[str]]] = defaultdict(dict)
        for text in texts:
            words = text.split()[:LONGEST] or [""]
            by_length[len(words)][text] = words
        read: dict[str, Meaning] = {}
        for of_length in by_length.values():
            states = np.array([list(map(self._word, words)) for words in of_length.values()])
            read.update(zip(of_length, self._meanings(self._attend(states)), strict=True))
        return read

    def _meanings(self, states: Numbers) -> Iterator[Meaning]:
        """Yield the meaning of each text, from the states of its words."""
        gates = np.logaddexp(0.0, self._linear(states, "gate")).swapaxes(1, 2)
        means = (gates @ states)[:, 0] / gates.sum(axis=2)
        inner = np.maximum(self._linear(means, "inner"), 0.0)
        vectors = self._linear(means, "straight") + self._linear(inner, "outer")
        odds = self._linear(means, "language")
        shares = np.exp(odds - odds.max(axis=1, keepdims=True))
        english = shares[:, 0] / shares.sum(axis=1)
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return map(Meaning, on_grid(units), english.tolist())

    def _word(self, word: str) -> Numbers:
        bins = np.array(bins_of(word, len(self.rows)))
        runs = self.rows[bins] * self.steps[bins, None].astype(np.float64)
        return self._normal(runs.sum(axis=0) / np.sqrt(len(bins)), "word")

    def _attend(self, words: Numbers) -> Numbers:
        """Return the words of each text as they are read beside the others: one transformer layer.

        words: of shape (texts, words, width).
        """
        words = words + self.weights["place"][: words.shape[1]]
        parts = np.split(self._linear(self._normal(words, "before"), "asked"), 3, axis=2)
        heads = int(self.weights["heads"])
        asked, offered, told = (
            part.reshape(*words.shape[:2], heads, -1).swapaxes(1, 2) for part in parts
        )
        likeness = asked @ offered.swapaxes(2, 3) / np.sqrt(asked.shape[3])
        likeness = np.exp(likeness - likeness.max(axis=3, keepdims=True))
        shares = likeness / likeness.sum(axis=3, keepdims=True)
        mixed = (shares @ told).swapaxes(1, 2).reshape(words.shape)
        words = words + self._linear(mixed, "mixed")
        inner = np.maximum(self._linear(self._normal(words, "after"), "first"), 0.0)
        return words + self._linear(inner, "second")

    def _linear(self, values: Numbers, name: str) -> Numbers:
        # One product of two matrices: of stacked ones numpy multiplies each by itself.
        flat = _product(values.reshape(-1, values.shape[-1]), self.weights[name])
        result: Numbers = flat.reshape(*values.shape[:-1], -1) + self.weights[f"{name}_bias"]
        return result

    def _normal(self, values: Numbers, name: str) -> Numbers:
        """Return rows with the mean 0 and the deviation 1, scaled and moved."""
        centred = values - values.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _SMALLEST)
        result: Numbers = centred / spread * self.weights[name] + self.weights[f"{name}_bias"]
        return result


def _product(rows: Numbers, weights: Numbers) -> Numbers:
    """Return the product of two matrices, a few rows at a time, each time on one thread."""
    most = max(_ON_ONE_THREAD // weights.size, 1)
    parts = [rows[at : at + most] @ weights for at in range(0, len(rows), most)]
    return np.concatenate(parts)


@lru_cache(maxsize=_REMEMBERED)
def bins_of(word: str, count: int) -> tuple[int, ...]:
    """Return the bins of a word and of its runs of letters, of `count` bins.

    Equal runs count once.

    >>> len(bins_of("niere", 65536))
    15
    """
    return tuple(zlib.crc32(run.encode()) % count for run in dict.fromkeys(_runs(word)))


def _runs(word: str) -> Iterator[str]:
    chinese = any(_is_chinese(letter) for letter in word)
    whole = f"<{word}>"
    yield whole
    letters = word if chinese else whole
    for size in _CHINESE_RUNS if chinese else _RUNS:
        yield from (letters[at : at + size] for at in range(len(letters) - size + 1))


def _is_chinese(letter: str) -> bool:
    return "\u4e00" <= letter <= "\u9fff"


@lru_cache(maxsize=1)
def load_languages() -> Languages:
    """Load the network that the package carries."""
    with np.load(io.BytesIO(packaged(FILE).read_bytes())) as content:
        weights = {
            name: content[name].astype(np.float64)
            for name in content.files
            if name not in {"encoder", "rows", "steps"}
        }
        return Languages(str(content["encoder"]), content["rows"], content["steps"], weights)
