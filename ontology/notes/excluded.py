"""Read what was suspected and excluded, with nothing else found: "?swallowed coin, XR clear".

Such a note is an observation (Z03, Z05), an accident without an injury Z04. A complaint that stays
is coded first instead (guidelines of ICD-10-CM, section I.C.21.c.6).
"""

import re
from typing import NamedTuple

from .parts import contexts_of
from .told import Telling, complains, part_of

_OUT = re.compile(
    r"\b(?:neg\w*|clear|excluded|ruled out|normal|nl|nad|not seen|none seen|no fb|dry|"
    r"(?:dz|disease|metab\w*|cardiac|sepsis|infection) r/o|no (?:resp|cardiac) (?:dz|disease)|"
    r"centile|obs \d\w* (?:ok|well)|well)\b|\br/o\s*$",
    re.IGNORECASE,
)
_UNHURT = re.compile(
    r"\b(?:no|nil|without)(?: (?:apparent|obvious|any|other|external))? (?:injur\w*|c/o|"
    r"complaints?|inj)\b(?! (?:except|but|other))|\buninjured\b|\bunhurt\b",
    re.IGNORECASE,
)
_HURT = re.compile(
    r"\b(?:pain\w*|ach\w+|sore|hurt\w*|tender\w*|swelling|swollen|bruis\w*|lac\w*|abras\w*|cuts?|"
    r"graze\w*|ha?ematoma|loc|concuss\w*|headache|h/a|vomit\w*|dizz\w*|syncop\w*|collapse\w*|whiplash|"
    r"fx|fracture\w*|#|sprain\w*|strain\w*|bleed\w*|burn\w*|seizure|faint\w*|lump|boggy|stiff\w*)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:x ?\d+|recurrent|this (?:month|week)|ago|prev\w*|h/o|hx|last (?:year|month)|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


class _Suspected(NamedTuple):
    """What is suspected: in the words of notes, in those of the release, its code."""

    named: re.Pattern[str]
    words: str
    code: str


def _rows(*rows: tuple[str, str, str]) -> tuple[_Suspected, ...]:
    return tuple(_Suspected(re.compile(named, re.I), words, code) for named, words, code in rows)


_OBSERVED = _rows(
    (
        r"\?\s?(?:swallowed|ingested)(?: an?)? (?:coin|batter\w+|button|magnet\w*|bone|fb|toy|bead|"
        r"marble|lego|pin|screw|glass|earring|ring|foreign body)\b",
        "encounter for observation for suspected ingested foreign body ruled out",
        "Z03.821",
    ),
    (
        r"\?\s?(?:inhaled|aspirated)(?: an?)? (?:coin|fb|peanut|nut|bead|toy|lego|foreign body)\b",
        "encounter for observation for suspected aspirated (inhaled) foreign body ruled out",
        "Z03.822",
    ),
    (
        r"\?\s?(?:ate|took|ingested|swallowed|drank)\b[^,;]{0,30}?\b(?:tab\w*|pills?|meds?|bleach|"
        r"mushrooms?|berr\w+|rat poison|liquid|capsules?)\b",
        "encounter for observation for suspected toxic effect from ingested substance ruled out",
        "Z03.6",
    ),
    (
        r"\?\s?(?:srom|prom|pprom|rom|ruptured membranes)\b",
        "encounter for suspected problem with amniotic cavity and membrane ruled out",
        "Z03.71",
    ),
    (
        r"\?\s?(?:pl\w* )?pra?evia\b|\?\s?low[- ]lying placenta\b",
        "encounter for suspected placental problem ruled out",
        "Z03.72",
    ),
    (
        r"\b(?:fgr|iugr|sga) (?:excluded|ruled out)\b",
        "encounter for suspected problem with fetal growth ruled out",
        "Z03.74",
    ),
    (
        r"\banthrax (?:excluded|ruled out)\b",
        "encounter for observation for suspected exposure to anthrax ruled out",
        "Z03.810",
    ),
)
_NEWBORN = (
    "observation and evaluation of newborn for suspected {} condition ruled out"
)
_OF_NEWBORN = _rows(
    (r"\b(?:sepsis|infection|eos)\b", _NEWBORN.format("infectious"), "Z05.1"),
    (r"\b(?:murmur|cardiac|chd)\b", _NEWBORN.format("cardiac"), "Z05.0"),
    (r"\b(?:resp|grunting)\b", _NEWBORN.format("respiratory"), "Z05.3"),
    (r"\b(?:metab\w*)\b", _NEWBORN.format("metabolic"), "Z05.42"),
    (r"\b(?:ddh|hip (?:click\w*|clunk))\b", _NEWBORN.format("musculoskeletal"), "Z05.72"),
    (r"\b(?:hydroneph\w*)\b", _NEWBORN.format("genitourinary"), "Z05.6"),
)
_RULED_OUT = re.compile(
    r"\b(?:excluded|ruled out)\b|\br/o\s*$|\b(?:dz|metab\w*|cardiac|sepsis) r/o\b|"
    r"\bno (?:resp|cardiac) (?:dz|disease)\b",
    re.IGNORECASE,
)
_ACCIDENTS = _rows(
    (
        r"\b(?:rtc|rta|mva|mvc|mvi|rear[- ]?ended|car (?:accident|crash)|(?:ped|bike|cyclist) v\w* car)\b",
        "encounter for examination and observation following transport accident",
        "Z04.1",
    ),
    (
        r"\b(?:fell|fall|struck|hit|crush\w*|accident)\b[^;]{0,40}?\bat (?:work|site)\b|"
        r"\bwork(?:place)? (?:accident|fall)\b",
        "encounter for examination and observation following work accident",
        "Z04.2",
    ),
    (
        r"\b(?:fell|fall|tripped|struck|accident|rolled off|slipped)\b",
        "encounter for examination and observation following other accident",
        "Z04.3",
    ),
)


def excluded_in(text: str, parts: tuple[str, ...]) -> Telling | None:
    """Return what a note suspects and excludes, None where something else is found.

    >>> excluded_in("?swallowed coin, XR clear", ("?swallowed coin", "XR clear")).codes
    ('Z03.821',)
    >>> excluded_in("RTC passenger, no injury", ("RTC passenger", "no injury")).codes
    ('Z04.1',)
    >>> excluded_in("fall, wrist pain, no other injury", ("fall", "wrist pain", "no other injury"))
    """
    if _LATER.search(text):
        return None
    if _UNHURT.search(text) and not _HURT.search(text):
        return _first(_ACCIDENTS, text, parts)
    if "P" in contexts_of(text) or "postnatal" in text.casefold():
        return _first(_OF_NEWBORN, text, parts) if _RULED_OUT.search(text) else None
    return _first(_OBSERVED, text, parts) if _OUT.search(text) else None


def _first(rows: tuple[_Suspected, ...], text: str, parts: tuple[str, ...]) -> Telling | None:
    """Return the first thing that is suspected, if the rest of a note complains of nothing."""
    for row in rows:
        match = row.named.search(text)
        if match and not complains(row.named.sub("", text)):
            return Telling(row.words, part_of(match, text, parts), (row.code,))
    return None
