"""Say why a text holds no diagnosis: it is empty, a value, a date, a person, or says so itself."""

import re
from functools import lru_cache

from ..packaged import packaged
from .normalise import LONGEST, normalise_text
from .values import is_lab_value

_LONGEST_WORD = 60  # the longest word of ICD-10-CM has 35 letters

_TELLING = frozenset(
    """male female man woman boy girl dob past january february april june july august september
    october november december monday tuesday wednesday thursday friday saturday sunday""".split()
)
_DATES = _TELLING | frozenset(
    """age aged year years yr yrs y o yo old month months mo week weeks wk wks day days d hour hours
    hr hrs h am pm at on in of the born since ago next last half quarter noon midnight march may m f
    st nd rd th date time mon tue tues wed thu thur thurs fri jan feb mar apr jun jul aug sep sept
    oct nov dec one two three four five six seven eight nine ten eleven twelve""".split()
)
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th|y|yo|yrs?|m|f|d|h|w|mo|am|pm)?")
# A trisomy, a deletion and a broken vertebra hold one letter.
_ONE_LETTER = re.compile(
    r"t(?:13|18|21)|22q11(?:\.\d)?|45,?x|#\s?[ctl]\d{1,2}|[ctl]\d{1,2}\s?#", re.IGNORECASE
)
_PERSON = re.compile(
    r"\S+@\S+\.\w+|(?:Dr|Mrs?|Ms|Prof|Sr)\. (?:[A-Z][\w.'-]*\s?){1,4}"
    r"|[A-Z][\w.'-]+(?: [A-Z][\w.'-]*){1,2}, (?:RN|PA-C|NP)"
)


def why_not_a_diagnosis(text: str) -> str | None:
    """Return the reason why a text holds no diagnosis, or None where it may hold one."""
    if not text.strip():
        return "empty text"
    if sum(char.isalpha() for char in text) < 2 and not _ONE_LETTER.fullmatch(text.strip()):
        return "no words in the text"
    if "\x00" in text or sum(not char.isprintable() and not char.isspace() for char in text) > 3:
        return "control characters, not text"
    folded = normalise_text(text[:LONGEST])
    if not folded:
        return "no words in the text"
    if max(map(len, folded.split())) > _LONGEST_WORD:
        return "one run of characters without words"
    if folded in _phrases():
        return f"says that there is no diagnosis: {text.strip()!r}"
    if len(text) < 60 and len(folded.split()) <= 6 * (1 + text.count(",")) and is_lab_value(text):
        return "a measured value, not a diagnosis"
    words = folded.split()
    if all(word in _DATES or _NUMBER.fullmatch(word) for word in words) and any(
        word in _TELLING or _NUMBER.fullmatch(word) for word in words
    ):
        return "an age, a sex or a date, not a diagnosis"
    if _PERSON.fullmatch(text[:LONGEST].strip()):
        return "a person or an address, not a diagnosis"
    if len(folded) > 4 and len(set(folded)) < 3:
        return "typing noise, not a diagnosis"
    return None


@lru_cache(maxsize=1)
def _phrases() -> frozenset[str]:
    text = packaged("no_diagnosis.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(normalise_text(line) for line in lines)
