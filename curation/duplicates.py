"""Find cases that occur more than once: the same words, nearly the same, or the same in meaning."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from ..errors import UsageError
from .split import joined

How = Literal["exact", "near", "code", "embedding"]
_WORD = re.compile(r"\w+")
_RUN = 3  # words; two texts with the same runs of three words say the same
_BLOCK = 1024  # texts that are compared with all others at once


class Link(NamedTuple):
    """Two texts by their numbers, why they are the same, and how similar they are."""

    first: int
    second: int
    how: How
    similarity: float


class Duplicate(NamedTuple):
    """A text that is left out, the text that stays for it, and the link that shows it."""

    number: int
    kept: int
    link: Link


@dataclass(frozen=True)
class Thresholds:
    """From which similarity two texts are the same. Raises UsageError for one outside 0..1.

    near: the Jaccard index of their runs of three words. same_code: the same, for two texts with a
    code in common. alike: the cosine of their vectors.
    """

    near: float = 0.8
    same_code: float = 0.5
    alike: float = 0.95

    def __post_init__(self) -> None:
        """Check the bounds."""
        for name, value in vars(self).items():
            if not 0 < value <= 1:
                raise UsageError(f"{name} is {value}; it must be above 0 and at most 1")


def find_links(
    texts: Sequence[str],
    thresholds: Thresholds,
    codes: Sequence[frozenset[str]] | None = None,
    vectors: npt.NDArray[np.float32] | None = None,
) -> list[Link]:
    """Return the links between texts: equal words, near words, a common code, near vectors.

    Words are compared without case, accents' form and punctuation. codes, vectors: one for each
    text; vectors are unit rows. Every pair is compared; a text without a word is not.
    """
    words = [_words(text) for text in texts]
    links = [*_exact(words), *_near(words, thresholds, codes)]
    if vectors is not None:
        links += _alike(vectors, thresholds.alike, [bool(own) for own in words])
    return sorted(links)


def find_duplicates(texts: Sequence[str], links: Sequence[Link]) -> list[Duplicate]:
    """Return the texts to leave out: of each group of linked texts, all but the first.

    Texts are in one group also where others link them. The link of a duplicate is its most
    similar one.
    """
    of_text: dict[str, list[str]] = {
        str(number): [f"text {number}"] for number in range(len(texts))
    }
    best: dict[int, Link] = {}
    for link in links:
        of_text[str(link.second)].append(f"text {link.first}")
        for number in (link.first, link.second):
            if number not in best or link.similarity > best[number].similarity:
                best[number] = link
    return sorted(
        Duplicate(int(name), int(group[0]), best[int(name)])
        for group in joined(of_text)
        for name in group[1:]
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _exact(words: Sequence[tuple[str, ...]]) -> Iterator[Link]:
    first: dict[tuple[str, ...], int] = {}
    for number, own in enumerate(words):
        if own and first.setdefault(own, number) != number:
            yield Link(first[own], number, "exact", 1.0)


def _near(
    words: Sequence[tuple[str, ...]],
    thresholds: Thresholds,
    codes: Sequence[frozenset[str]] | None,
) -> Iterator[Link]:
    """Yield the pairs with enough runs of words in common, a block of rows at a time."""
    runs = _run_matrix(words)
    sizes = np.asarray(runs.sum(axis=1)).ravel()
    least = thresholds.near if codes is None else min(thresholds.near, thresholds.same_code)
    for start in range(0, len(words), _BLOCK):
        common = (runs[start : start + _BLOCK] @ runs.T).tocoo()
        rows, columns, shared = common.row + start, common.col, common.data
        indexes = shared / (sizes[rows] + sizes[columns] - shared)
        for place in np.flatnonzero((indexes >= least) & (rows < columns)):
            first, second = int(rows[place]), int(columns[place])
            similarity = float(indexes[place])
            if words[first] == words[second]:
                continue
            if similarity >= thresholds.near:
                yield Link(first, second, "near", round(similarity, 4))
            elif codes is not None and codes[first] & codes[second]:
                yield Link(first, second, "code", round(similarity, 4))


def _run_matrix(words: Sequence[tuple[str, ...]]) -> Any:
    """Return a sparse table: a row for each text, 1 for each run of three words that it has."""
    number_of: dict[tuple[str, ...], int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for number, own in enumerate(words):
        for run in {own[at : at + _RUN] for at in range(max(len(own) - _RUN + 1, 1))} - {()}:
            rows.append(number)
            columns.append(number_of.setdefault(run, len(number_of)))
    ones = np.ones(len(rows), dtype=np.int32)
    return csr_array((ones, (rows, columns)), shape=(len(words), max(len(number_of), 1)))


def _alike(
    vectors: npt.NDArray[np.float32], least: float, is_text: Sequence[bool]
) -> Iterator[Link]:
    for start in range(0, len(vectors), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        for row, column in zip(*np.nonzero(cosines >= least), strict=True):
            first, second = int(row) + start, int(column)
            if first < second and is_text[first] and is_text[second]:
                yield Link(first, second, "embedding", round(float(cosines[row, column]), 4))


def duplicate_rows(
    duplicates: Sequence[Duplicate], names: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each duplicate, with the names of the cases."""
    for duplicate in duplicates:
        link = duplicate.link
        other = link.first if link.second == duplicate.number else link.second
        yield {
            "id": names[duplicate.number],
            "duplicate_of": names[duplicate.kept],
            "most_similar": names[other],
            "how": link.how,
            "similarity": link.similarity,
        }
