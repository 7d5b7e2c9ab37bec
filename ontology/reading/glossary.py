"""Turn diagnoses in seven languages into English words, part by part, for search without a model.

German, Dutch and Chinese build the names of diseases from parts: Nieren+stein, nier+steen, 肾+结石.
French, Spanish, Italian and Portuguese names are words that differ in number and gender. A table
(data/glossary.tsv) of parts and words turns a name into English words. The result is not a
translation, only a further form of the text to search for.
"""

import re
from collections.abc import Set
from functools import cache, lru_cache

from .normalise import normalise_text
from .parts import gloss_built, with_phrases, words_of

_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_SHORTEST = 4  # letters of the shortest stem without its ending
_ABBREVIATION = 5  # a text in capitals with at most so many letters is an abbreviation
_PHRASE = 4  # words of the longest Romance entry
_ROMANCE = ("fr", "es", "it", "pt")
_ENDINGS = (
    (re.compile(r"aux$"), "al"),
    (re.compile(r"oes$"), "ao"),
    (re.compile(r"[sx]$"), ""),
    (re.compile(r"[aeio]$"), ""),
)
_SIDES = frozenset(("left", "right", "bilateral", "both"))
_BEHAVIOR = re.compile(r"\b(?:benign|malignant|primary|secondary|metastatic|situ)\b")
_UNSPECIFIED_BEHAVIOR = " of unspecified behavior"
_NOTHING = "-"  # the table's English for a word without a meaning of its own, such as "de"
_STAGE = re.compile(r"[a-z]?\d+[a-z]?|[ivx]+[ab]?|[a-e]")
_ENGLISH = frozenset("with without of the and from w by".split())
_DUTCH_OR = "of"  # a small word of English, which Dutch has too
_TYPE = re.compile(r"(?<=\w )[A-Z]$")  # "Grippe A" is influenza A
# The end of a chart's note on an eye, not a bone: "PVD OS".
_EYE = re.compile(r"(?<=\w)[\s,]+O[DSU]$")
_PREFIX = re.compile(r"\b(hip[oe]r?|pseudo|neo|micro|macro|poli|peri|intra|sub)-(?=\w)", re.I)


def gloss(text: str) -> str | None:
    """Return English words for the parts of a German, Dutch, Chinese or Romance text.

    Returns None where that changes nothing, where fewer than half of the words are known, and where
    a text has a small word of English. The Dutch "of" is none beside Dutch words.

    >>> gloss("akute Nierenbeckenentzündung")
    'acute pyelonephritis'
    >>> gloss("niersteen rechts")
    'kidney stone right'
    >>> gloss("肾结石")
    'kidney stone'
    >>> gloss("cálculos de la vesícula biliar")
    'calculus gallbladder'
    >>> gloss("acute pyelonephritis") is None, gloss("PVD OS") is None
    (True, True)
    """
    if _CHINESE.search(text):
        return _gloss_chinese(text)
    if text.isupper() and len(text) <= _ABBREVIATION:
        return None
    if _EYE.search(text):
        return _glossed(text) if gloss(_EYE.sub("", text)) else None
    return _glossed(text)


def _glossed(text: str) -> str | None:
    words = normalise_text(_PREFIX.sub(r"\1", text)).split()
    readings = _readings(text, words)
    share, english_words = max(readings, key=lambda reading: reading[0], default=(0.0, words))
    english = " ".join(english_words)
    if _BEHAVIOR.search(english):
        english = english.replace(_UNSPECIFIED_BEHAVIOR, "")
    # Where fewer than half are known, they are words that languages share, such as "hernia".
    return english if share >= 0.5 and english not in ("", " ".join(words)) else None


def _readings(text: str, words: list[str]) -> list[tuple[float, list[str]]]:
    """Return the share of words known and the words in English, for each language that may be."""
    small_english = _ENGLISH.intersection(words)
    if small_english:
        return [_gloss_built_words(words, "nl")] if small_english == {_DUTCH_OR} else []
    capitals = () if text.isupper() else re.findall(r"\b[A-Z]{2,5}\d?\b", text)
    shorts = {word.lower() for word in (*capitals, *_TYPE.findall(text))}
    romance = (_gloss_words(words, language, shorts) for language in _ROMANCE)
    german, dutch = (_gloss_built_words(words, language) for language in ("de", "nl"))
    # The first of equal shares counts, so a Dutch reading must know more than the others. It is
    # left out where no word is Dutch; a German one keeps words that English has too ("tumor").
    return [german, *romance, *([dutch] if dutch[1] is not words else [])]


def _gloss_built_words(words: list[str], language: str) -> tuple[float, list[str]]:
    """Return the share of words that consist of known parts, and the words in English.

    Small words and stages ("II", "L5") say nothing about the language and are not counted. Small
    words, and words that English has too, are read beside another word of the language only.
    """
    plain, words = words, with_phrases(words, language)
    small, beside = words_of(f"{language}-small"), words_of(f"{language}-beside")
    glosses = [_own(word, language) for word in words]
    if all(
        gloss in (None, word) or word in beside for gloss, word in zip(glosses, words, strict=True)
    ):
        return sum(map(bool, glosses)) / max(len(words), 1), plain
    english = (small.get(word, gloss or word) for gloss, word in zip(glosses, words, strict=True))
    counted = [
        gloss is not None
        for gloss, word in zip(glosses, words, strict=True)
        if word not in small and (gloss or not _STAGE.fullmatch(word))
    ]
    return sum(counted) / max(len(counted), 1), [word for word in english if word != _NOTHING]


def _own(word: str, language: str) -> str | None:
    """Return the English of a word of a language; "polyps" is no German word for "polyp"."""
    gloss = gloss_built(word, language)
    return None if gloss and gloss != word and word.startswith(gloss) else gloss


def _gloss_words(words: list[str], language: str, shorts: Set[str]) -> tuple[float, list[str]]:
    """Return the share of words that the table knows, and the words in English.

    Words without a meaning of their own, such as "de", are dropped and not counted. shorts: the
    words in capitals; beside a word of the language they are read as its abbreviations, and words
    that English has too as those of the language ("tumor" is a neoplasm of unspecified behavior).
    """
    if _first_words(language).isdisjoint(map(_stem, words)):
        return 0.0, words
    turnable = _entries(language)
    entries = _ordered_too(language)
    words = _in_order([word for word in words if not _is_empty(word, turnable)], turnable)
    stems = [_stem(word) for word in words]
    glosses: list[str] = []
    known = counted = place = 0
    while place < len(words):
        sizes = range(min(_PHRASE, len(words) - place), 0, -1)
        phrases = (" ".join(stems[place : place + size]) for size in sizes)
        phrase = next((key for key in phrases if key in entries and key not in shorts), "")
        size = phrase.count(" ") + 1
        written = " ".join(words[place : place + size])
        english = entries.get(phrase, written)
        place += size
        if english != _NOTHING:
            glosses.append(english)
            counted += size
            known += size if english != written else 0
    if known:
        abbreviations, beside = words_of(f"{language}-short"), _entries(f"{language}-beside")
        for place, word in enumerate(glosses):
            plain = abbreviations.get(word) if word in shorts else beside.get(_stem(word))
            glosses[place] = plain or word
            known += plain is not None
    return known / max(counted, 1), glosses


def _is_empty(word: str, entries: dict[str, str]) -> bool:
    """Return whether a word has no meaning of its own.

    Words of one letter stay, since "vitamin D" is no other vitamin; alone they are dropped too.
    """
    return len(word) > 1 and entries.get(_stem(word)) == _NOTHING


def _in_order(words: list[str], entries: dict[str, str]) -> list[str]:
    """Return words with the two of a phrase of the table in its order and without a side between.

    "labio lesión" is "lesión labio", and "parótida izquierda lesión" is "lesión parótida
    izquierda". A phrase of words that English has too is not turned: "vaginal tumor" is English.
    """
    words = list(words)
    for place in range(len(words) - 1):
        if place + 2 < len(words) and _english(words[place + 1 : place + 2], entries) in _SIDES:
            around = [words[place], words[place + 2]]
            is_phrase = _english(words[place : place + 2], entries)
            if not is_phrase and (_english(around, entries) or _english(around[::-1], entries)):
                words[place + 1 : place + 3] = [words[place + 2], words[place + 1]]
        pair = words[place : place + 2]
        if not _english(pair, entries) and _english(pair[::-1], entries):
            words[place : place + 2] = pair[::-1]
    return words


def _english(words: list[str], entries: dict[str, str]) -> str | None:
    return entries.get(" ".join(map(_stem, words)))


@cache
def _ordered_too(language: str) -> dict[str, str]:
    """Return the table of a language with the entries whose words are not turned."""
    return _entries(f"{language}-ordered") | _entries(language)


@cache
def _first_words(language: str) -> frozenset[str]:
    """Return the words with which entries of a language begin; most English texts hold none."""
    return frozenset(entry.partition(" ")[0] for entry in _ordered_too(language))


@cache
def _entries(language: str) -> dict[str, str]:
    """Return the table of a language; its keys are words without endings and without "de"."""
    table = words_of(language)
    small = words_of(language.partition("-")[0])
    stems = {part: [_stem(word) for word in normalise_text(part).split()] for part in table}
    empty = {part for part in small if small[part] == _NOTHING and len(part) > 1}
    return {
        " ".join([word for word in words if word not in empty] or words): table[part]
        for part, words in stems.items()
    }


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    """Return a Romance word without the ending of its number and gender."""
    for pattern, plain in _ENDINGS:
        if len(word) > _SHORTEST:
            word = pattern.sub(plain, word)
    return word


def _gloss_chinese(text: str) -> str | None:
    """Return the English of a text: from the left, the longest known part; the rest is dropped."""
    parts = words_of("zh")
    longest = max(map(len, parts))
    glosses: list[str] = []
    for run in re.findall(r"[\u4e00-\u9fff]+|[A-Za-z0-9]+", text):
        place = 0
        while place < len(run):
            sizes = range(min(longest, len(run) - place), 0, -1)
            size = next((size for size in sizes if run[place : place + size] in parts), 0)
            known = parts[run[place : place + size]] if size else ""
            if not _CHINESE.match(run):
                known, size = run, len(run)
            glosses += [known] if known else []
            place += size or 1
    return " ".join(glosses) or None
