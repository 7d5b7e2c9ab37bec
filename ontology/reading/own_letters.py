"""Drop an abbreviation that the text itself writes out: "SK - Solar keratosis"."""

import re

_BEFORE = re.compile(r"^\s*([A-Z][A-Za-z\d&/]{1,9})\s*(\s[-–—=]\s|:\s)\s*(\S.*?)\s*$")
_AFTER = re.compile(r"^\s*(\S.*?)\s+[-–—=]\s+([A-Z][A-Za-z\d&/]{1,9})\s*$")
_WORD = re.compile(r"[^\W\d_]+")
_SMALL = frozenset("of the and in to with due a an by for on".split())
_HEADINGS = frozenset(("FH", "PMH", "SH", "CC", "HX", "PH", "FHX"))
_FEW = 2  # letters, which one word often has in this order by chance


def without_own_letters(text: str) -> str:
    """Return a text without an abbreviation that stands before or behind its words.

    Each of its letters begins a word or stands in one, in order, and each word has one. A lone word
    needs three letters: "MS - Mass" may be a mass in multiple sclerosis.

    >>> without_own_letters("SK - Solar keratosis"), without_own_letters("Renal colic - RC")
    ('Solar keratosis', 'Renal colic')
    >>> without_own_letters("MI - inferior wall")
    'MI - inferior wall'
    """
    match = _BEFORE.match(text)
    is_heading = match is not None and match[2].startswith(":") and match[1] in _HEADINGS
    if match and not is_heading and _stands_for(match[1], match[3]):
        return match[3]
    if (match := _AFTER.match(text)) and _stands_for(match[2], match[1]):
        return match[1]
    return text


def _stands_for(short: str, full: str) -> bool:
    if sum(map(str.isupper, short)) < _FEW:
        return False
    letters = [letter.lower() for letter in short if letter.isalpha()]
    words = [word for word in _WORD.findall(full.lower()) if word not in _SMALL]
    if len(letters) < 2 or (len(words) == 1 and len(letters) <= _FEW):
        return False
    at = 0
    for later, word in zip(range(len(words) - 1, -1, -1), words, strict=True):
        if at == len(letters) or word[0] != letters[at]:
            return False
        place, at = 0, at + 1
        while at < len(letters) - later:  # each of the later words needs a letter
            place = word.find(letters[at], place + 1)
            if place < 0:
                break
            at += 1
    return at == len(letters)
