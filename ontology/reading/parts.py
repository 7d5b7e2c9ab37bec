"""Read the words of data/glossary.tsv, and words that German and Dutch build from them."""

import re
from collections import defaultdict
from functools import cache, lru_cache
from typing import NamedTuple

from ..packaged import packaged_rows


class _Build(NamedTuple):
    """How a language builds words: its links between parts, its endings, and its shortest word.

    `before_e` are the rules by which the end of a part changes before an ending with e.
    """

    shortest: int
    links: tuple[str, ...]
    endings: frozenset[str]
    before_e: tuple[tuple[re.Pattern[str], str], ...] = ()


_GERMAN_LINKS = ("", "n", "en", "s", "es", "er", "e", "em")
_BUILDS = {
    "de": _Build(4, _GERMAN_LINKS, frozenset(_GERMAN_LINKS)),
    "nl": _Build(
        3,
        ("", "n", "en", "s", "e"),
        frozenset(("", "n", "en", "e")),  # a plural in s is mostly an English word
        (
            (re.compile(r"(?<=[^aeiou][aeiou])([bdfgklmnprst])$"), r"\1\1"),  # bot, botten
            (re.compile(r"(?<=[aeiou]{2})f$"), "v"),  # positief, positieve
            (re.compile(r"(?<=[aeiou]{2})s$"), "z"),  # infectieus, infectieuze
            (re.compile(r"([aeou])\1(?=[^aeiou]$)"), r"\1"),  # renaal, renale
        ),
    ),
}


@lru_cache(maxsize=8192)
def gloss_built(word: str, language: str) -> str | None:
    """Return the English of a word or phrase that consists of known parts only, else None.

    >>> gloss_built("nierstenen", "nl"), gloss_built("stenograaf", "nl")
    ('kidney stones', None)
    """
    parts, build = _parts_of(language), _BUILDS[language]
    if len(word) < build.shortest:
        return None
    if word in parts:
        return parts[word]
    # best[i] holds the fewest parts that cover the first i letters, so that whole words win.
    best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
    for start in range(len(word)):
        parts_before = best[start]
        if parts_before is None:
            continue
        for end in range(start + 2, len(word) + 1):
            known = parts.get(word[start:end])
            if known is None:
                continue
            for link in build.links:
                stop = end + len(link)
                rival = best[stop] if stop <= len(word) else ()
                is_shorter = rival is None or len(rival) > len(parts_before) + 1
                may_end = stop < len(word) or link in build.endings
                if word.startswith(link, end) and is_shorter and may_end:
                    best[stop] = (*parts_before, known)
    glosses = best[len(word)]
    return " ".join(glosses) if glosses else None


@cache
def _parts_of(language: str) -> dict[str, str]:
    """Return the parts of the words of a language, also as they are written before an ending."""
    parts = words_of(language) | words_of(f"{language}-beside")
    rules = _BUILDS[language].before_e
    return {_before_e(part, rules): parts[part] for part in parts if rules} | parts


def _before_e(part: str, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, plain in rules:
        part = pattern.sub(plain, part)
    return f"{part}e"


def with_phrases(words: list[str], language: str) -> list[str]:
    """Return words with those of a phrase of the table put together: "hoge bloeddruk"."""
    phrases = _phrases(language)
    if phrases.keys().isdisjoint(words):
        return words
    joined: list[str] = []
    place = 0
    while place < len(words):
        longest = next(
            (
                phrase
                for phrase in phrases.get(words[place], ())
                if tuple(words[place : place + len(phrase)]) == phrase
            ),
            (words[place],),
        )
        joined.append(" ".join(longest))
        place += len(longest)
    return joined


@cache
def _phrases(language: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the phrases of a language by their first words, the longest first."""
    tables = (words_of(f"{language}{kind}") for kind in ("", "-beside", "-small"))
    phrases = [tuple(part.split()) for table in tables for part in table if " " in part]
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        by_first.setdefault(phrase[0], []).append(phrase)
    return by_first


def words_of(language: str) -> dict[str, str]:
    """Return the words of a language, or of one kind ("nl-small"), with their English."""
    return _glossary().get(language, {})


@cache
def _glossary() -> dict[str, dict[str, str]]:
    words: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for language, part, english in packaged_rows("glossary.tsv"):
        words[language][part] = english
    return dict(words)
