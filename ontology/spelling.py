"""Misspelt words: the nearest word of the terms, for a word that no term has."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_SHORTEST = 5  # letters; of shorter words too many others are near
_LONG = 8  # letters from which two slips are allowed


@dataclass(frozen=True)
class Spelling:
    """The words of the terms with how often they occur, and words that are right besides."""

    counts: Counter[str]
    right: frozenset[str]
    _by_length: dict[int, list[str]]
    _found: dict[str, str] = field(default_factory=dict)

    def corrected(self, text: str) -> str:
        """A normalised text with each word that is nowhere known as the likeliest known one.

        A slip is a letter too many, too few, another one, or two in the wrong order (optimal
        string alignment); one is allowed from 5 letters, two from 8 where the first letter holds.
        The fewest slips win, then the commoner word.
        """
        return " ".join(map(self._word, text.split()))

    def _word(self, word: str) -> str:
        if len(word) < _SHORTEST or not word.isascii() or not word.isalpha():
            return word
        if word in self.counts or word in self.right:
            return word
        if word not in self._found:
            self._found[word] = self._nearest(word)
        return self._found[word]

    def _nearest(self, word: str) -> str:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        slips = 2 if len(word) >= _LONG else 1
        sizes = range(len(word) - slips, len(word) + slips + 1)
        choices = [each for size in sizes for each in self._by_length.get(size, ())]
        near = extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=None)
        likely = [
            (distance, -self.counts[other], other)
            for other, distance, _ in near
            if distance == 1 or other[0] == word[0]
        ]
        return min(likely)[2] if likely else word


def make_spelling(terms: Iterable[str], right: Iterable[str]) -> Spelling:
    """From normalised terms, and texts whose words are right though no term has them."""
    counts = Counter(word for term in terms for word in term.split())
    by_length: dict[int, list[str]] = {}
    for word in counts:
        if word.isascii() and word.isalpha():
            by_length.setdefault(len(word), []).append(word)
    return Spelling(counts, frozenset(word for text in right for word in text.split()), by_length)
