"""Misspelt words: the nearest word of the terms, for a word that is nowhere known."""

import re
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

_SHORTEST = 5  # letters; of shorter words too many others are near
_LONG = 8  # letters from which two slips are allowed
_COMMON = 3  # places of a word in the terms, for it to be one that others are read as
_REMEMBERED = 10_000  # words
_ENDING = re.compile(r"(?:s|es|d|ed|ing|er|ers|ly|like|less)$")


@dataclass(frozen=True)
class Spelling:
    """The words of the terms with how often they occur.

    `right` are further words that are no slips, such as names of drugs: what is as near to one of
    them as to a word of the terms is left alone. `english` are words that are left alone.
    """

    counts: Counter[str]
    right: Set[str]
    english: Set[str]
    _by_length: dict[int, list[str]]
    _found: dict[str, str] = field(default_factory=dict)

    def corrected(self, text: str) -> str:
        """A normalised text with each word that is nowhere known as the likeliest of the terms.

        A slip is a letter too many, too few, another one, or two in the wrong order (optimal
        string alignment); one is allowed from 5 letters, two from 8 where the first letter holds.
        The fewest slips win, then the commoner word.
        """
        return " ".join(map(self._word, text.split()))

    def _word(self, word: str) -> str:
        if len(word) < _SHORTEST or not word.isascii() or not word.isalpha():
            return word
        if self._is_known(word):
            return word
        found = self._found.get(word)
        if found is None:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            found = self._found[word] = self._nearest(word)
        return found

    def _is_known(self, word: str) -> bool:
        plain = _ENDING.sub("", word)
        forms = {word, plain, plain + "e", plain[:-1] if plain[-2:-1] == plain[-1:] else plain}
        return any(
            len(form) > 2 and (form in self.counts or form in self.right or form in self.english)
            for form in forms
        )

    def _nearest(self, word: str) -> str:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        slips = 2 if len(word) >= _LONG else 1
        sizes = range(len(word) - slips, len(word) + slips + 1)
        choices = [each for size in sizes for each in self._by_length.get(size, ())]
        near = extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=None)
        likely = [
            (distance, other not in self.right, -self.counts[other], other)
            for other, distance, _ in near
            if distance == 1 or other[0] == word[0]
        ]
        best = min(likely, default=None)
        return word if best is None or not best[1] else best[3]


def make_spelling(
    terms: Iterable[str], right: Iterable[str] = (), english: Set[str] = frozenset()
) -> Spelling:
    """From normalised terms, texts whose words are right though no term has them, and words."""
    counts = Counter(" ".join(terms).split())
    others = {word for text in right for word in text.split()} - counts.keys()
    by_length: dict[int, list[str]] = {}
    for word in [*(word for word, count in counts.items() if count >= _COMMON), *others]:
        if word.isascii() and word.isalpha():
            by_length.setdefault(len(word), []).append(word)
    return Spelling(counts, others, english, by_length)
