"""Refuse texts that are not diagnoses: drugs, procedures, tests, phrases, keyboard noise.

Two linear models (data/refusal.npz; training/refusal.py makes them) estimate how much a text reads
like each kind of non-diagnosis. One reads the spelling, as hashed words and character n-grams. The
other reads the meaning, as the vector of the packaged encoder. A last model weighs their estimates
against the score of the best candidate, whether it is a contact or a state, and against the first
part of the text read by itself. Its weights were fitted on the development sets, on written entries
(training/data) and on the tuning halves of non_diagnoses.tsv and charts.tsv in benchmarks/data.
Names and remarks in data/non_diagnoses.txt need no model.
"""

import io
import re
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
from .query import TRANSLATED, WORD_FOR_WORD, Form, Query

BINS = 1 << 15
"""The number of hash bins of the features."""

READS_LIKE = "reads like"
"""How the reason begins where the models refuse a text."""

KINDS = ("diagnosis", "drug", "procedure", "test", "remark", "noise")
"""The classes of the model, in the order of its columns."""

_WORDS = {
    "drug": "a drug",
    "procedure": "a procedure or treatment",
    "test": "a test or measurement",
    "remark": "a remark, a name or a date",
    "noise": "typing noise",
}
_LONGEST = 200  # characters of a text that are read
_ABBREVIATION = 6  # letters of the longest word in capitals that counts as an abbreviation
_PARTS = {"without details", "first part"}
_SURELY_TRANSLATED = 0.8  # the least weight of a term whose meaning counts as that of the text


@dataclass(frozen=True)
class RefusalModel:
    """The weights of the three linear models.

    Spelling: `weights` is int8 of shape (BINS, kinds), in units of `step`; `bias` is (kinds,).
    Meaning: `meaning` is (dimension of the packaged encoder + 1, kinds), its last row the bias.
    Decision: `doubt` is (8,), one weight for each number of `evidence`.
    """

    weights: npt.NDArray[np.int8]
    step: float
    bias: npt.NDArray[np.float32]
    meaning: npt.NDArray[np.float32]
    doubt: npt.NDArray[np.float32]

    def by_spelling(self, text: str) -> npt.NDArray[np.float64]:
        """Return how much the spelling is like each kind: a distribution over `KINDS`."""
        bins = features(text)
        total = self.weights[bins].sum(0, dtype=np.float64) * self.step
        return _shares(total / np.sqrt(max(len(bins), 1)) + self.bias)

    def by_meaning(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Return the same for the meaning; `vector` is the text's, by the packaged encoder."""
        return _shares(vector.astype(np.float64) @ self.meaning[:-1] + self.meaning[-1])

    def refuse(self, reading: "Reading", score: float, factor: float | None = None) -> str | None:
        """Return why a text whose best candidate has this score is not a diagnosis, or None.

        factor: the score of the candidate's category where it is a contact or a state (Z codes).
        """
        if float(self.doubt @ evidence(reading, score, factor)) <= 0:
            return None
        kinds = reading.spelling[1:] * reading.meaning[1:]
        return f"{READS_LIKE} {_WORDS[KINDS[1 + int(np.argmax(kinds))]]}, not like a diagnosis"

    def read(self, query: Query, equal: Callable[[str], bool]) -> "Reading":
        """Read a query with both models; `equal` returns whether a normalised text is a term."""
        vectors = packaged_encoder().encode_queries(_texts_meant(query))
        parts = [form.text for form in query.forms if form.kind in _PARTS]
        return Reading(
            _most_like_one(self.by_spelling(text) for text in _written(query)),
            _most_like_one(self.by_meaning(vector) for vector in vectors),
            any(map(equal, parts)),
            any(map(named, parts)),
        )


class Reading(NamedTuple):
    """What the models read in a text, for the form of the text that is most like a diagnosis.

    `spelling` and `meaning` are distributions over `KINDS`. `part_is_term` and `part_is_named`:
    whether the text without its details, or its first part, equals a term of the base, or an entry
    of data/non_diagnoses.txt.
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
_NAMED = {"remark": "is a remark or a test entry, not a diagnosis"}


def named(text: str) -> str | None:
    """Return why a text is not a diagnosis, where data/non_diagnoses.txt lists it, else None."""
    kind = _names().get(normalise_text(text))
    return _reason(kind) if kind else None


# A procedure and what stands after it: "TURP under spinal", "PCI to LAD", "ECT #6".
_HOW = re.compile(r"(.+?)\s+(?:under|via|using|to|#\s?\d+|x\s?\d+)\b.*", re.IGNORECASE)
_FOUND = frozenset(
    """elevated raised increased high decreased low reduced abnormal positive pos reactive deficient
    deficiency false""".split()
)


def composed(text: str) -> str | None:
    """Return why a text is not a diagnosis, where all of it names a test, a drug or a treatment.

    >>> composed("MRI L-spine w/ gad"), composed("MRI L-spine with abscess")
    ('is the name of a test or measurement', None)
    """
    lists = _lists_of_words()
    words = normalise_text(re.sub(r"\bu/s\b", "ultrasound", text, flags=re.IGNORECASE)).split()
    if len(words) < 2:
        return None
    for kind in ("test", "remark", "drug"):
        needed, beside = lists[f"{kind} word"], lists[f"{kind} beside"]
        known = all(word in needed or word in beside or word.isdigit() for word in words)
        if known and not needed.isdisjoint(words):
            return _reason(kind)
    if words[-1] in lists["test end"] and _FOUND.isdisjoint(words):
        return _reason("test")
    how = _HOW.fullmatch(text)
    of_name = how and _names().get(normalise_text(how[1])) == "procedure"
    if of_name or (words[0] in lists["treatment head"] and words[1] == "of"):
        return _reason("procedure")
    return None


@lru_cache(maxsize=1)
def _lists_of_words() -> dict[str, frozenset[str]]:
    drugs = (name for name, kind in _names().items() if kind == "drug" and " " not in name)
    lists = {name: frozenset(words) for name, words in read_lists().items()}
    return lists | {"drug word": frozenset(drugs)}


def _reason(kind: str) -> str:
    return _NAMED.get(kind, f"is the name of {_WORDS[kind]}")


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    lists = read_lists()
    return {
        normalise_text(name): kind
        for kind, sources in _LISTS.items()
        for source in sources.split()
        for name in lists[source.replace("_", " ")]
    }


@lru_cache(maxsize=1)
def everyday_words() -> frozenset[str]:
    """Return words that no diagnosis holds; a text with one is seldom about a condition in it."""
    return frozenset(read_lists()["everyday"])


@lru_cache(maxsize=1)
def contact_words() -> frozenset[str]:
    """Return words that name a contact with health services: "screening", "counselling"."""
    return frozenset(read_lists()["contact"])


def known_words() -> Iterator[str]:
    """Yield the normalised entries of the lists; their words are not misspellings."""
    return (normalise_text(entry) for entries in read_lists().values() for entry in entries)


def read_lists() -> dict[str, list[str]]:
    """Read the lists of data/non_diagnoses.txt by name; bars separate phrases, blanks words."""
    lists: dict[str, list[str]] = {}
    text = packaged("non_diagnoses.txt").read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, values = line.partition(": ")
            lists.setdefault(name, []).extend(values.split("|" if "|" in values else None))
    return lists


def evidence(
    reading: Reading, score: float, factor: float | None = None
) -> npt.NDArray[np.float32]:
    """Return the eight numbers that the decision weighs, float32.

    They are the log-odds of a non-diagnosis by spelling and by meaning, the log-odds of the score,
    whether a part is a term, whether a part is named, whether the best candidate is a factor, the
    log-odds of the score of its category then (else 0), and 1.
    """
    odds = -_odds(float(reading.spelling[0])), -_odds(float(reading.meaning[0])), _odds(score)
    of_factor = (0.0, 0.0) if factor is None else (1.0, _odds(factor))
    parts = reading.part_is_term, reading.part_is_named
    return np.array([*odds, *parts, *of_factor, 1.0], np.float32)


def features(text: str) -> npt.NDArray[np.int64]:
    """Return the hash bins of a text, its words, pairs of words, and 2- to 5-grams of words."""
    return np.array(sorted({zlib.crc32(feature.encode()) % BINS for feature in _features(text)}))


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
    return max(shares, key=lambda by_kind: float(by_kind[0]))


def _shares(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    shares = np.exp(logits - logits.max())
    result: npt.NDArray[np.float64] = shares / shares.sum()
    return result


@lru_cache(maxsize=1)
def load_refusal_model() -> RefusalModel:
    """Load the model that the package carries."""
    content = packaged("refusal.npz").read_bytes()
    with np.load(io.BytesIO(content)) as arrays:
        return RefusalModel(
            arrays["weights"],
            float(arrays["step"]),
            arrays["bias"],
            arrays["meaning"],
            arrays["doubt"],
        )


def _texts_meant(query: Query) -> list[str]:
    """Return the texts whose meaning is read: all forms, of near terms only the first sure one."""
    others = [form.text for form in query.forms if form.kind != TRANSLATED]
    if any(form.kind == WORD_FOR_WORD for form in query.forms):
        return others
    return [*others, *[form.text for form in query.forms if _is_surely_translated(form)][:1]]


def _is_surely_translated(form: Form) -> bool:
    return form.kind == TRANSLATED and form.weight >= _SURELY_TRANSLATED


def _written(query: Query) -> tuple[str, ...]:
    """Return the spellings of a query: the text, with abbreviations written out, and corrected.

    For a text in another language, only its English form: the model was trained on English.
    """
    english = tuple(
        form.text
        for form in query.forms
        if form.kind == WORD_FOR_WORD or _is_surely_translated(form)
    )
    if english:
        return english
    spelt = (form.text for form in query.forms if form.kind in {"spelling", "lay"})
    # The sign of a test ("HBsAg +") is a word of the form only.
    written_out = query.expanded or "+" in query.text
    return (query.text, *((query.forms[0].text,) if written_out else ()), *spelt)
