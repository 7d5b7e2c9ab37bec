"""Telling a diagnosis from what is none: drugs, procedures, tests, phrases, keyboard noise.

A linear model over hashed words and character n-grams (data/refusal.npz; training/refusal.py
makes it) says how much a text reads like each kind of non-diagnosis. How much that counts against
a candidate hangs on how good the candidate is: three numbers, fitted on the tuning half of
benchmarks/data/non_diagnoses.tsv and the development sets.
"""

import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from .normalise import normalise_text

BINS = 1 << 14
"""Hash bins of the features."""

KINDS = ("diagnosis", "drug", "procedure", "test", "remark", "noise")
"""The classes of the model, in the order of its columns."""

_WORDS = {
    "drug": "a drug",
    "procedure": "a procedure or treatment",
    "test": "a test or measurement",
    "remark": "a remark, a name or a date",
    "noise": "typing noise",
}
_LONGEST = 200  # characters that are looked at
_ABBREVIATION = 6  # letters


@dataclass(frozen=True)
class RefusalModel:
    """`weights` is int8 (BINS, kinds), `step` its unit, `bias` (kinds,).

    `doubt` weighs (log-odds of a non-diagnosis, log-odds of the best score, its fused score, 1).
    """

    weights: npt.NDArray[np.int8]
    step: float
    bias: npt.NDArray[np.float32]
    doubt: npt.NDArray[np.float32]

    def shares(self, text: str) -> npt.NDArray[np.float64]:
        """How much the text reads like each kind: a distribution over `KINDS`."""
        bins = features(text)
        total = self.weights[bins].sum(0, dtype=np.float64) * self.step
        logits = total / np.sqrt(max(len(bins), 1)) + self.bias
        shares = np.exp(logits - logits.max())
        result: npt.NDArray[np.float64] = shares / shares.sum()
        return result

    def refuse(self, text: str, score: float, fused: float) -> str | None:
        """Why a text whose best candidate has this score is no diagnosis; None where it may be."""
        shares = self.shares(text)
        if float(self.doubt @ evidence(float(shares[0]), score, fused)) <= 0:
            return None
        kind = KINDS[1 + int(np.argmax(shares[1:]))]
        return f"reads like {_WORDS[kind]}, not like a diagnosis"


def evidence(diagnosis: float, score: float, fused: float) -> npt.NDArray[np.float32]:
    """What the last decision weighs: log-odds of no diagnosis and of the score, fused score, 1."""
    return np.array([-_odds(diagnosis), _odds(score), fused, 1.0], np.float32)


def features(text: str) -> npt.NDArray[np.int64]:
    """The hash bins of a text, its words, pairs of words, and 2- to 5-grams within words."""
    return np.array(sorted({zlib.crc32(each.encode()) % BINS for each in _features(text)}))


def _features(text: str) -> Iterator[str]:
    folded = "".join("0" if char.isdigit() else char for char in normalise_text(text[:_LONGEST]))
    words = folded.split()
    yield f"n {min(len(words), 8)}"
    yield f"t {folded}"
    if len(words) == 1 and len(folded) <= _ABBREVIATION and text.strip().isupper():
        yield "abbreviation"
    for word in words:
        yield f"w {word}"
        padded = f"<{word}>"
        for size in (2, 3, 4, 5):
            for start in range(len(padded) - size + 1):
                yield padded[start : start + size]
    for first, second in zip(words, words[1:], strict=False):
        yield f"p {first} {second}"


def _odds(share: float) -> float:
    share = min(max(share, 1e-4), 1 - 1e-4)
    return float(np.log(share / (1 - share)))


@lru_cache(maxsize=1)
def load_refusal_model() -> RefusalModel:
    """The model that the package carries."""
    content = resources.files(__package__).joinpath("data", "refusal.npz").read_bytes()
    with np.load(io.BytesIO(content)) as arrays:
        return RefusalModel(
            arrays["weights"], float(arrays["step"]), arrays["bias"], arrays["doubt"]
        )
