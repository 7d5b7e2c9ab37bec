"""German and Chinese diagnoses part by part in English, for search without a model.

Both languages build the names of diseases from parts: Nieren+stein, 肾+结石. A small table
(data/glossary.tsv) of such parts turns a name into English words. They are no translation,
only a further form of the text to search for.
"""

import re
from functools import cache, lru_cache
from importlib import resources

from .normalise import normalise_text

_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_LINKS = ("", "n", "en", "s", "es", "er", "e", "em")  # between and after German parts
_SHORTEST = 4  # letters of a German word that is taken apart


def gloss(text: str) -> str | None:
    """English words for the parts of a German or Chinese text.

    None where that changes nothing, or where fewer than half of the German words are known.

    >>> gloss("akute Nierenbeckenentzündung")
    'acute renal pelvis inflammation'
    >>> gloss("肾结石")
    'kidney stone'
    >>> gloss("acute pyelonephritis") is None
    True
    """
    if _CHINESE.search(text):
        return _gloss_chinese(text)
    words = normalise_text(text).split()
    known = [_gloss_german(word) for word in words]
    # Fewer are words that another language shares, such as "hernia".
    if 2 * sum(map(bool, known)) < len(words):
        return None
    said = [new or word for new, word in zip(known, words, strict=True)]
    return " ".join(said) if said != words else None


def _gloss_chinese(text: str) -> str | None:
    """The longest known part first, from the left; what is not known goes."""
    parts = _table("zh")
    longest = max(map(len, parts))
    said: list[str] = []
    for run in re.findall(r"[\u4e00-\u9fff]+|[A-Za-z0-9]+", text):
        place = 0
        while place < len(run):
            sizes = range(min(longest, len(run) - place), 0, -1)
            size = next((size for size in sizes if run[place : place + size] in parts), 0)
            known = parts[run[place : place + size]] if size else ""
            if not _CHINESE.match(run):
                known, size = run, len(run)
            said += [known] if known else []
            place += size or 1
    return " ".join(said) or None


@lru_cache(maxsize=4096)
def _gloss_german(word: str) -> str | None:
    """The English of a German word that is made of known parts from end to end."""
    if len(word) < _SHORTEST:
        return None
    parts = _table("de")
    # best[i]: the fewest parts that cover the first i letters, so that whole words win.
    best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
    for start in range(len(word)):
        held = best[start]
        if held is None:
            continue
        for end in range(start + 2, len(word) + 1):
            known = parts.get(word[start:end])
            if known is None:
                continue
            for link in _LINKS:
                stop = end + len(link)
                now = best[stop] if stop <= len(word) else ()
                if word.startswith(link, end) and (now is None or len(now) > len(held) + 1):
                    best[stop] = (*held, known)
    found = best[len(word)]
    return " ".join(found) if found else None


@cache
def _table(language: str) -> dict[str, str]:
    text = resources.files(__package__).joinpath("data", "glossary.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {part: english for of, part, english in rows if of == language}
