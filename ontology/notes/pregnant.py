"""Read whether a patient is pregnant now: "asthma exac, 26/40", but not "wife pregnant"."""

import re

from ..reading.shorthand import is_born, weeks_carried

_NOT = re.compile(
    r"\bno(?:t|n)[ -]+(?:currently )?preg\w*|\bpreg\w*(?: test)? neg|"
    r"\bpreg\w*,? (?:was )?(?:excluded|ruled out|denied)|\b(?:iup|preg\w*) (?:excluded|not seen)|"
    r"\b(?:was|could be|may be|might be|plan\w*|try\w*|wants?|wish\w*|hop\w*|trying|prior|"
    r"past|previous|prev|last|h/o|hx|history|avoid\w*|unable) (?:\w+ ){0,3}preg\w*|"
    r"\b(?:before|after|since) (?:\w+ ){0,3}pregnancy|"
    r"\b(?:wife|partner|father|husband|daughter|girlfriend|spouse|sister|contact|mother|mum|"
    r"maternal)\b.*\bpreg\w*|"
    r"\bpreg\w* (?:wife|partner|daughter|sister|woman|women|contact|girlfriend|loss|test)",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"(?<!\w)(?:pregnant|in pregnancy|gravid|s?iup|\d\d ?w(?:ee)?ks? (?:ga|gest\w*|iup))(?!\w)",
    re.IGNORECASE,
)


def pregnancy_in(text: str) -> str:
    """Return the words that say that a patient is pregnant now, "" where there are none.

    >>> pregnancy_in("asthma exac, 26/40"), pregnancy_in("not pregnant")
    ('26/40', '')
    """
    if is_not_pregnant(text):
        return ""
    said = None if is_born(text) else _NOW.search(text)
    return said.group() if said else weeks_carried(text)


def is_not_pregnant(text: str) -> bool:
    """Return whether a text says of a pregnancy that it is none of this patient today."""
    return _NOT.search(text) is not None
