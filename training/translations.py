"""Names of diseases in seven languages beside their English: what the network of languages learns.

`data/names/LANGUAGE.tsv` (english, name, part) holds names that were written for this project from
general knowledge; those of the part "held" are never trained on. Further names are made by rule:
the words of an English term are replaced by those of ontology/data/glossary.tsv, in the order of
the language.
"""

import csv
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from dxjudge.ontology.packaged import packaged_rows
from dxjudge.ontology.reading.normalise import normalise_text

OTHERS = ("de", "fr", "es", "it", "pt", "nl", "zh")
NAMES = Path(__file__).parent / "data" / "names"

_KINDS = ("", "-ordered", "-beside", "-small")  # the parts of the glossary that name something
_NOTHING = "-"
_PHRASE = 4  # English words of the longest entry that is looked for
_LONGEST = 9  # words of a term that is put into another language
_KNOWN = 0.67  # the share of the words of a term that the glossary must hold
_SMALL = frozenset("of the and to in with without due by for a an or on at from as".split())
_OF = {
    "fr": ("de", "du", "de la", "des"),
    "es": ("de", "del", "de la"),
    "it": ("di", "della", "del", "dei"),
    "pt": ("de", "da", "do"),
}
_SMALL_IN = {
    "de": {
        "of": ("der", "des", "von", "in der"),
        "with": ("mit",),
        "without": ("ohne",),
        "and": ("und",),
        "due": ("durch", "bei"),
        "in": ("in", "bei"),
    },
    "nl": {
        "of": ("van", "van de", "van het"),
        "with": ("met",),
        "without": ("zonder",),
        "and": ("en",),
        "due": ("door", "bij"),
        "in": ("in", "bij"),
    },
}
_LINKS = ("", "", "n", "s", "en")  # between the parts of a German or Dutch word
_ENDINGS = ("", "e", "er", "es", "en")


class Name(NamedTuple):
    """A name of a disease in a language, normalised, and its English, normalised."""

    language: str
    text: str
    english: str


def written_names(part: str) -> Iterator[Name]:
    """Yield the names that were written: those of the part "train" or "held"."""
    for language in OTHERS:
        with (NAMES / f"{language}.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["part"] == part:
                    yield _name(language, row["name"], row["english"])


def glossary_names() -> Iterator[Name]:
    """Yield the words, parts and phrases of the glossary that have an English."""
    for kind, part, english in packaged_rows("glossary.tsv"):
        language, _, use = kind.partition("-")
        if english != _NOTHING and use in ("", "ordered", "beside"):
            yield _name(language, part, english)


def made_names(terms: Iterable[str], rng: random.Random) -> Iterator[Name]:
    """Yield terms in the words of each language that has enough of them, by rule.

    terms: normalised. A term of which all words are known is made twice, of different words.
    """
    for term in terms:
        words = term.split()
        if len(words) > _LONGEST:
            continue
        for language in OTHERS:
            known = _replaced(words, language, rng)
            share = _share_known(known)
            if share >= _KNOWN:
                for _ in range(2 if share == 1 else 1):
                    text = _composed(_replaced(words, language, rng), language, rng)
                    if text := normalise_text(text):
                        yield Name(language, text, term)


def _name(language: str, text: str, english: str) -> Name:
    return Name(language, normalise_text(text), normalise_text(english))


class _Word(NamedTuple):
    """A word or phrase of another language; `known` is None for a small word, left in English."""

    text: str
    known: bool | None
    size: int = 1


def _replaced(words: list[str], language: str, rng: random.Random) -> list[_Word]:
    """Return the words of a term, the longest known phrases replaced first."""
    entries = _by_english(language)
    stems = list(map(_stem, words))
    replaced: list[_Word] = []
    place = 0
    while place < len(words):
        sizes = range(min(_PHRASE, len(words) - place), 0, -1)
        size = next((n for n in sizes if tuple(stems[place : place + n]) in entries), 0)
        if size:
            written = rng.choice(entries[tuple(stems[place : place + size])])
            replaced.append(_Word(written, True, size))
        else:
            small = None if words[place] in _SMALL else False
            replaced.append(_Word(words[place], small))
        place += size or 1
    return replaced


def _share_known(words: list[_Word]) -> float:
    counted = [word for word in words if word.known is not None]
    known = sum(word.size for word in counted if word.known)
    return known / max(sum(word.size for word in counted), 1)


@cache
def _by_english(language: str) -> dict[tuple[str, ...], list[str]]:
    """Return what the glossary writes for English words, by their stems."""
    entries: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for kind, part, english in packaged_rows("glossary.tsv"):
        if kind in {f"{language}{use}" for use in _KINDS} and english not in ("", _NOTHING):
            entries[tuple(map(_stem, english.split()))].append(part)
    return dict(entries)


def _stem(word: str) -> str:
    is_plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


def _composed(words: list[_Word], language: str, rng: random.Random) -> str:
    if language == "zh":
        return "".join(
            f" {word.text} " if word.known is False else word.text
            for word in words
            if word.known is not None
        )
    return _romance(words, language, rng) if language in _OF else _built(words, language, rng)


def _romance(words: list[_Word], language: str, rng: random.Random) -> str:
    """Return words with the noun before its adjectives, and "of" between groups."""
    groups: list[list[str]] = [[]]
    for word in words:
        if word.known is None:
            groups.append([])
        else:
            groups[-1].append(word.text)
    written: list[str] = []
    for group in filter(None, groups):
        if written:
            written.append(rng.choice(_OF[language]))
        for place, text in enumerate(group[::-1] if rng.random() < 0.8 else group):
            if place and rng.random() < 0.25:
                written.append(rng.choice(_OF[language]))
            written.append(text)
    return " ".join(written)


def _built(words: list[_Word], language: str, rng: random.Random) -> str:
    """Return words of which every second pair is joined to one word, as German and Dutch do."""
    written: list[str] = []
    after_small = True
    for word in words:
        if word.known is None:
            written += [rng.choice(some)] if (some := _SMALL_IN[language].get(word.text)) else []
            after_small = True
            continue
        if not after_small and word.known and rng.random() < 0.5:
            written[-1] += rng.choice(_LINKS) + word.text
        else:
            ending = rng.choice(_ENDINGS) if rng.random() < 0.15 else ""
            written.append(word.text + ending)
        after_small = False
    return " ".join(written)
