"""Put the names of injuries that emergency rooms use into the words of the release.

The table is `data/injuries.tsv`: a boxer's fracture is one of the neck of the fifth metacarpal
bone, and a splinter in a finger is a superficial foreign body of it. The site and the side stay in
the text.
"""

import re
from functools import lru_cache

from ..packaged import packaged_rows
from .any_of import any_of

_SITE = (
    r"(?:(?:left|right|both|bilateral|the|his|her|dorsal|volar|upper|lower|posterior|anterior|"
    r"lateral|medial|great|big|index|middle|ring|little|small|long|pinky|first|second|third|"
    r"fourth|fifth) )*"
    r"(?:head|scalp|face|forehead|eyebrow|eyelid|cheek|nose|lip|ear|chin|neck|chest|back|abdomen|"
    r"buttock|shoulder|axilla|arm|forearm|elbow|wrist|hand|palm|finger|fingertip|thumb|hip|"
    r"thigh|knee|leg|shin|calf|ankle|heel|foot|feet|toe|groin|penis|scrotum)s?\b"
)
_INJURY = (
    r"\b(?:fracture|laceration|dislocation|subluxation|wound|contusion|sprain|strain|bite|burn|"
    r"abrasion|foreign body|avulsion|crush\w*|amputation|puncture|injury)\b"
)
# What stands in ears, noses and throats of children.
_THING = (
    r"(?:beads?|coins?|penny|quarter|dime|nickel|button batter(?:y|ies)|batter(?:y|ies)|magnets?|"
    r"toys?|lego|pebbles?|rocks?|beans?|peas?|seeds?|corn|popcorn|peanuts?|crayons?|eraser|"
    r"paper|foam|cotton|q-?tips?|cotton swab|ear ?bud|earrings?(?: back)?|insects?|bugs?|"
    r"fly|roach|cockroach|moth|spider|tick|ant|bee|hearing aid (?:tip|dome)|tampons?|condom)"
)
_VERTEBRA = re.compile(r"(?<![-/])\b([CTL])(\d{1,2}) vertebra\b", re.IGNORECASE)
_REGION = {"c": "cervical", "t": "thoracic", "l": "lumbar"}
_PAIRED = 5  # the first thoracic vertebra that the release names with the next: T5-T6
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
).split()
_PARTS = {"{site}": _SITE, "{injury}": _INJURY, "{thing}": _THING}


def in_words_of_release(text: str) -> str:
    """Return a text, its abbreviations written out, with its names of injuries in official words.

    >>> in_words_of_release("boxer's fracture right hand")
    'fracture of neck of fifth metacarpal bone right hand'
    >>> in_words_of_release("splinter right index finger")
    'superficial foreign body of right index finger'
    """
    any_of_them, rows = _table()
    if any_of_them.search(text.casefold()):
        for pattern, words in rows:
            text = pattern.sub(words, text)
        text = _VERTEBRA.sub(_named_vertebra, text)
    return text


def _named_vertebra(match: re.Match[str]) -> str:
    number = int(match[2])
    if not 0 < number <= len(_ORDINALS):
        return match.group()
    if match[1].lower() == "t" and number >= _PAIRED:
        first = number - 1 + number % 2
        return f"T{first}-T{first + 1} vertebra"
    return f"{_ORDINALS[number - 1]} {_REGION[match[1].lower()]} vertebra"


@lru_cache(maxsize=1)
def _table() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], str], ...]]:
    """Return what any of the rows holds in small letters, which few texts do, and the rows."""
    rows = tuple((_pattern(written), words) for written, words, *_ in packaged_rows("injuries.tsv"))
    return any_of(pattern.pattern for pattern, _ in rows), rows


def _pattern(written: str) -> re.Pattern[str]:
    for name, part in _PARTS.items():
        written = written.replace(name, part)
    return re.compile(written, re.IGNORECASE)
