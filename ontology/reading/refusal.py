"""Telling a diagnosis from what is none: drugs, procedures, tests, phrases, keyboard noise.

Two linear models (data/refusal.npz; training/refusal.py makes them) say how much a text reads
like each kind of non-diagnosis: one by its spelling, over hashed words and character n-grams, one
by its meaning, over the vector of the packaged encoder. How much that counts against a candidate
hangs on how good the candidate is, and on what the first part of the text is by itself: six
numbers, fitted on the development sets and the tuning halves of non_diagnoses.tsv and charts.tsv
in benchmarks/data. Names and remarks that stand in data/non_diagnoses.txt need no model.
"""

import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..packaged import packaged
from ..search.encode import packaged_encoder
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
_PARTS = {"without details", "first part"}


@dataclass(frozen=True)
class RefusalModel:
    """By spelling: `weights` is int8 (BINS, kinds), `step` its unit, `bias` (kinds,).

    By meaning: `meaning` is (dimension of the packaged encoder + 1, kinds), its last row the bias.
    `doubt` (6,) weighs what `evidence` returns.
    """

    weights: npt.NDArray[np.int8]
    step: float
    bias: npt.NDArray[np.float32]
    meaning: npt.NDArray[np.float32]
    doubt: npt.NDArray[np.float32]

    def by_spelling(self, text: str) -> npt.NDArray[np.float64]:
        """How much the text reads like each kind: a distribution over `KINDS`."""
        bins = features(text)
        total = self.weights[bins].sum(0, dtype=np.float64) * self.step
        return _shares(total / np.sqrt(max(len(bins), 1)) + self.bias)

    def by_meaning(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """The same of a text's vector by the packaged encoder."""
        return _shares(vector.astype(np.float64) @ self.meaning[:-1] + self.meaning[-1])

    def refuse(self, reading: "Reading", score: float) -> str | None:
        """Why a text whose best candidate has this score is no diagnosis; None where it may be."""
        if float(self.doubt @ evidence(reading, score)) <= 0:
            return None
        kinds = reading.spelling[1:] * reading.meaning[1:]
        return f"reads like {_WORDS[KINDS[1 + int(np.argmax(kinds))]]}, not like a diagnosis"

    def read(self, query: Query, equal: Callable[[str], bool]) -> "Reading":
        """What the models say of a query; `equal` tells whether a normalised text is a term."""
        vectors = packaged_encoder().encode_queries([form.text for form in query.forms])
        parts = [form.text for form in query.forms if form.kind in _PARTS]
        return Reading(
            _most_like_one(self.by_spelling(text) for text in _written(query)),
            _most_like_one(self.by_meaning(vector) for vector in vectors),
            any(map(equal, parts)),
            any(map(named, parts)),
        )


class Reading(NamedTuple):
    """How a text reads, by the way of reading it that is most like a diagnosis.

    `spelling` and `meaning` are distributions over `KINDS`. `part_is_term` and `part_is_named`
    tell whether the text without its details, or its first part, equals a term of the base, or the
    name of something else.
    """

    spelling: npt.NDArray[np.float64]
    meaning: npt.NDArray[np.float64]
    part_is_term: bool
    part_is_named: bool


_LISTS = {
    "drug": "drug brand drug_class drug_phrase",
    "procedure": "procedure procedure_phrase",
    "test": "imaging lab",
    "remark": "status none administrative chatter place",
}
_NAMED = {"remark": "is a remark or a test entry, no diagnosis"}


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


def known_words() -> Iterator[str]:
    """The normalised entries of the lists, whose words are no slips."""
    return (normalise_text(entry) for entries in read_lists().values() for entry in entries)


def read_lists() -> dict[str, list[str]]:
    """The lists of data/non_diagnoses.txt by name; phrases are parted by bars, words by blanks."""
    lists: dict[str, list[str]] = {}
    text = packaged("non_diagnoses.txt").read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, values = line.partition(": ")
            lists.setdefault(name, []).extend(values.split("|" if "|" in values else None))
    return lists


def evidence(reading: Reading, score: float) -> npt.NDArray[np.float32]:
    """What the last decision weighs.

    Log-odds of no diagnosis by spelling and by meaning, log-odds of the score, whether a part is a
    term, whether it is named, 1.
    """
    odds = -_odds(float(reading.spelling[0])), -_odds(float(reading.meaning[0])), _odds(score)
    return np.array([*odds, reading.part_is_term, reading.part_is_named, 1.0], np.float32)


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


def _most_like_one(shares: Iterable[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    return max(shares, key=lambda each: float(each[0]))


def _shares(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    shares = np.exp(logits - logits.max())
    result: npt.NDArray[np.float64] = shares / shares.sum()
    return result


@lru_cache(maxsize=1)
def load_refusal_model() -> RefusalModel:
    """The model that the package carries."""
    content = packaged("refusal.npz").read_bytes()
    with np.load(io.BytesIO(content)) as arrays:
        return RefusalModel(
            arrays["weights"],
            float(arrays["step"]),
            arrays["bias"],
            arrays["meaning"],
            arrays["doubt"],
        )


def _written(query: Query) -> tuple[str, ...]:
    """A query as it is spelt: the text, it with its abbreviations written out, or without slips.

    Of a text in another language the model can judge the English reading alone.
    """
    english = tuple(form.text for form in query.forms if form.kind == "word for word")
    if english:
        return english
    spelt = (form.text for form in query.forms if form.kind == "spelling")
    return (query.text, *((query.forms[0].text,) if query.expanded else ()), *spelt)
