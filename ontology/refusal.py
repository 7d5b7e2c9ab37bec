"""Telling a diagnosis from what is none: drugs, procedures, tests, phrases, keyboard noise.

A linear model over hashed words and character n-grams (data/refusal.npz; training/refusal.py
makes it) says how much a text reads like each kind of non-diagnosis. How much that counts against
a candidate hangs on how good the candidate is: four numbers, fitted on the development sets and
the tuning halves of non_diagnoses.tsv and charts.tsv in benchmarks/data. Names and remarks that
stand in data/non_diagnoses.txt need no model.
"""

import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from .normalise import normalise_text
from .query import Query

BINS = 1 << 15
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

    def judge(self, readings: Sequence[str]) -> npt.NDArray[np.float64]:
        """The shares of the reading of a text that is most like a diagnosis."""
        return max((self.shares(each) for each in readings), key=lambda shares: float(shares[0]))

    def refuse(self, readings: Sequence[str], score: float, fused: float) -> str | None:
        """Why a text whose best candidate has this score is no diagnosis; None where it may be.

        readings: the text in one or more ways, such as with its abbreviations written out.
        """
        shares = self.judge(readings)
        if float(self.doubt @ evidence(float(shares[0]), score, fused)) <= 0:
            return None
        kind = KINDS[1 + int(np.argmax(shares[1:]))]
        return f"reads like {_WORDS[kind]}, not like a diagnosis"


_LISTS = {
    "drug": "drug brand drug_class drug_phrase",
    "procedure": "procedure procedure_phrase",
    "test": "imaging lab",
    "remark": "status none administrative chatter place",
}
_NAMED = {"remark": "is a remark, no diagnosis"}


def named(text: str) -> str | None:
    """Why a text is no diagnosis, where it is a name or a remark of data/non_diagnoses.txt."""
    kind = _names().get(normalise_text(text))
    return _NAMED.get(kind, f"is the name of {_WORDS[kind]}") if kind else None


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    lists = read_lists()
    return {
        normalise_text(name): kind
        for kind, sources in _LISTS.items()
        for source in sources.split()
        for name in lists[source.replace("_", " ")]
    }


def read_lists() -> dict[str, list[str]]:
    """The lists of data/non_diagnoses.txt by name; phrases are parted by bars, words by blanks."""
    lists: dict[str, list[str]] = {}
    text = resources.files(__package__).joinpath("data", "non_diagnoses.txt").read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, values = line.partition(": ")
            lists.setdefault(name, []).extend(values.split("|" if "|" in values else None))
    return lists


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


def readings(query: Query) -> tuple[str, ...]:
    """What is judged of a query: the text, and it with its abbreviations written out.

    Of a text in another language the model can judge the English reading alone.
    """
    english = tuple(form.text for form in query.forms if form.kind == "word for word")
    if english or not query.expanded:
        return english or (query.text,)
    return (query.text, query.forms[0].text)
