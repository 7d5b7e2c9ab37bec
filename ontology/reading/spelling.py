"""Correct misspelt words: replace an unknown word by the nearest word of the terms."""

import re
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from .cognates import skeleton, skeletons

_SHORTEST = 5  # letters; a shorter word has too many near words
_LONG = 8  # letters from which two slips are allowed
_COMMON = 3  # a word must occur so often in the terms to be a correction of another
_REMEMBERED = 10_000  # words whose corrections are kept
_VOWELS = re.compile(r"[aeiou]+")
_ENDING = re.compile(r"(?:s|es|d|ed|ing|er|ers|ly|like|less)$")


@dataclass(frozen=True)
class Spelling:
    """The words of the terms, and other words that are spelt correctly.

    counts: how often each word occurs in the terms. right: other correct words, such as names of
    drugs; an unknown word that is nearest to one of them is not changed. english: words that are
    not changed either.
    """

    counts: Counter[str]
    right: Set[str]
    english: Set[str]
    _by_length: dict[int, list[str]]
    _corrections: dict[str, str] = field(default_factory=dict)

    def corrected(self, text: str) -> str:
        """Return a normalised text, each unknown word replaced by the likeliest word of the terms.

        A slip is a letter too many, a missing letter, a wrong letter, or two letters in the wrong
        order (optimal string alignment). One slip is allowed from 5 letters, two from 8 letters
        where the first letter is right. The word with the fewest slips wins, then the commoner one.
        """
        if " " not in text and text == _without_vowels(text):
            return text  # alone, an unknown word without vowels is mostly an abbreviation
        return " ".join(map(self._word, text.split()))

    def has_unknown(self, text: str) -> bool:
        """Return whether a normalised text has a word that is not known to be English."""
        return any(not word.isascii() or not self._is_right(word) for word in text.split())

    def in_english(self, text: str) -> str:
        """Return a normalised text, each unknown word replaced by its cognate among the terms."""
        words = text.split()
        return " ".join(word if self._is_right(word) else self._cognate(word) for word in words)

    def _word(self, word: str) -> str:
        if self._is_right(word):
            return word
        correction = self._corrections.get(word)
        if correction is None:
            if len(self._corrections) >= _REMEMBERED:
                self._corrections.clear()
            correction = self._corrections[word] = self._likeliest(word)
        return correction

    @cached_property
    def _by_consonants(self) -> dict[str, str]:
        """Return the commonest word of the terms for each word without its inner vowels."""
        commonest_last = sorted(self.counts, key=lambda word: (self.counts[word], word))
        long = (word for word in commonest_last if len(word) > _SHORTEST and word.isascii())
        return {
            _without_vowels(word): word
            for word in long
            if word.isalpha() and self.counts[word] >= _COMMON
        }

    def _is_right(self, word: str) -> bool:
        is_word = len(word) >= _SHORTEST and word.isascii() and word.isalpha()
        return not is_word or self._is_known(word)

    def _cognate(self, word: str) -> str:
        """Return the word of the terms that has the same skeleton, else the word itself."""
        return self._by_skeleton.get(skeleton(word), word)

    @cached_property
    def _by_skeleton(self) -> dict[str, str]:
        """The commonest word of each skeleton; a word that is a drug stands for itself.

        Of such words with one skeleton the first by letters counts, the same in every process.
        """
        commonest_last = sorted(self.counts, key=lambda word: (self.counts[word], word))
        known = [word for word in commonest_last if word.isascii() and word.isalpha()]
        right = sorted(filter(str.isalpha, self.right), reverse=True)
        known += filter(str.isascii, right)
        words = dict(zip(skeletons(known), known, strict=True))
        words.pop("", None)
        return words

    def _likeliest(self, word: str) -> str:
        """Return the word that an unknown word most likely stands for.

        A word without vowels after its first letter is short for one with them: "abrsn".
        """
        if word == _without_vowels(word) and word in self._by_consonants:
            return self._by_consonants[word]
        cognate = self._cognate(word)
        return cognate if cognate != word else self._nearest(word)

    def _is_known(self, word: str) -> bool:
        if word in self.counts:
            return True  # most words of most texts
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
        choices = list(chain.from_iterable(self._by_length.get(size, ()) for size in sizes))
        near = extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=None)
        likely = [
            (distance, other not in self.right, -self.counts[other], other)
            for other, distance, _ in near
            if distance == 1 or other[0] == word[0]
        ]
        best = min(likely, default=None)
        return word if best is None or not best[1] else best[3]


def _without_vowels(word: str) -> str:
    """Return a word without the vowels after its first letter.

    >>> _without_vowels("abrasion")
    'abrsn'
    """
    return word[:1] + _VOWELS.sub("", word[1:])


def make_spelling(
    terms: Iterable[str], right: Iterable[str] = (), english: Set[str] = frozenset()
) -> Spelling:
    """Count the words of normalised terms.

    right: texts of other correct words. english: words that are never changed.
    """
    counts = Counter(" ".join(terms).split())
    others = {word for text in right for word in text.split()} - counts.keys()
    by_length: dict[int, list[str]] = {}
    for word in [*(word for word, count in counts.items() if count >= _COMMON), *others]:
        if word.isascii() and word.isalpha():
            by_length.setdefault(len(word), []).append(word)
    return Spelling(counts, others, english, by_length)
