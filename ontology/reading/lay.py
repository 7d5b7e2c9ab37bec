"""Put the words of lay people for their complaints into clinical words: "it burns when I pee".

The table is `data/lay.tsv`. The result is a further reading of the text to search for, not a
translation of every word.
"""

import re
from functools import lru_cache

from ..packaged import packaged_rows
from .any_of import any_of

_CANNOT = re.compile(
    r"\b(?:can'?t|can not|could(?:n'?t| not)|(?:un|not )able to|(?:it'?s )?hard to|"
    r"(?:have |having |has )?(?:trouble|difficulty|problems?|a hard time)(?: with)?"
    r"(?=\s\w+ing\b))\b",
    re.IGNORECASE,
)


def in_clinical_words(text: str) -> str | None:
    """Return a text with the words of lay people replaced, None where it holds none of them.

    >>> in_clinical_words("it burns when I pee"), in_clinical_words("my knee hurts")
    ('dysuria', 'pain in knee')
    >>> in_clinical_words("acute bronchitis") is None
    True
    """
    plain = " ".join(text.lower().replace("’", "'").strip(" .!").split())
    words, is_lay = _CANNOT.sub("cannot", plain), False
    any_of_them, rows = _table()
    if not any_of_them.search(words):
        return None
    for pattern, clinical in rows:
        words, times = pattern.subn(clinical, words)
        is_lay = is_lay or bool(times and clinical)  # more than small words such as "my"
    return " ".join(words.replace("cannot ", "difficulty ").split()) if is_lay else None


@lru_cache(maxsize=1)
def _table() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], str], ...]]:
    """Return what any of the rows holds, which few texts do, and the rows."""
    rows = packaged_rows("lay.tsv")
    compiled = tuple((re.compile(pattern), clinical) for pattern, clinical in rows)
    return any_of(pattern for pattern, _ in rows), compiled
