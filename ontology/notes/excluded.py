"""Read what was suspected and excluded, with nothing else found: "?swallowed coin, XR clear".

Such a note is an observation (Z03, Z05), an accident without an injury Z04. A complaint that stays
is coded first instead (guidelines of ICD-10-CM, section I.C.21.c.6).
"""

import re
from typing import NamedTuple

from .parts import Retold, contexts_of
from .said import complains, from_first, is_calm, part_of

_OUT = re.compile(
    r"\b(?:neg\w*|clear|excluded|ruled out|normal|nl|nad|not seen|none (?:seen|found|taken)|no fb|"
    r"nothing|50th|not confirmed|dry|"
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
    r"graze\w*|ha?ematoma|loc|concuss\w*|headache|h/a|vomit\w*|dizz\w*|syncop\w*|collapse\w*|"
    r"whiplash|"
    r"fx|fracture\w*|#|sprain\w*|strain\w*|bleed\w*|burn\w*|seizure|faint\w*|lump|boggy|stiff\w*|"
    r"intox\w*|etoh|drunk|pregnan\w*|weeks)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:f[ea]lls? x ?\d+|recurrent|this (?:month|week)|ago|prev\w*|h/o|hx|last (?:year|month)|"
    r"(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


_MAYBE = r"(?:\?\s?|\b(?:maybe|may have|might have|susp(?:ected)?|r/o|possible|poss) )"


class _Suspected(NamedTuple):
    """What is suspected: in the words of notes, in those of the release, its code."""

    named: re.Pattern[str]
    words: str
    code: str


def _rows(*rows: tuple[str, str, str]) -> tuple[_Suspected, ...]:
    return tuple(_Suspected(re.compile(named, re.I), words, code) for named, words, code in rows)


_OBSERVED = _rows(
    (
        rf"{_MAYBE}(?:swallowed|ingested)(?: an?)? (?:coin|batter\w+|button|magnet\w*|bone|fb|toy|"
        rf"bead|"
        r"marble|lego|pin|screw|glass|earring|ring|foreign body)\b",
        "encounter for observation for suspected ingested foreign body ruled out",
        "Z03.821",
    ),
    (
        rf"{_MAYBE}(?:inhaled|aspirated)(?: an?)? (?:coin|fb|peanut|nut|bead|toy|lego|"
        rf"foreign body)\b",
        "encounter for observation for suspected aspirated (inhaled) foreign body ruled out",
        "Z03.822",
    ),
    (
        rf"{_MAYBE}(?:ate|took|ingested|swallowed|drank)\b[^,;]{{0,30}}?\b(?:tab\w*|pills?|meds?|"
        rf"bleach|"
        r"mushrooms?|berr\w+|rat poison|liquid|capsules?)\b",
        "encounter for observation for suspected toxic effect from ingested substance ruled out",
        "Z03.6",
    ),
    (
        rf"{_MAYBE}(?:srom|prom|pprom|rom|ruptured membranes)\b",
        "encounter for suspected problem with amniotic cavity and membrane ruled out",
        "Z03.71",
    ),
    (
        rf"{_MAYBE}(?:pl\w* )?pra?evia\b|\?\s?low[- ]lying placenta\b",
        "encounter for suspected placental problem ruled out",
        "Z03.72",
    ),
    (
        rf"\b(?:fgr|iugr|sga) (?:excluded|ruled out|query)\b|{_MAYBE}(?:iugr|fgr|sga)\b",
        "encounter for suspected problem with fetal growth ruled out",
        "Z03.74",
    ),
    (
        rf"{_MAYBE}short (?:cervix|cx)\b",
        "encounter for suspected cervical shortening ruled out",
        "Z03.75",
    ),
    (
        rf"{_MAYBE}f(?:o?etal) anomal\w+",
        "encounter for suspected fetal anomaly ruled out",
        "Z03.73",
    ),
    (
        rf"{_MAYBE}(?:glass|fb|splinter|needle|bead) in (?:\w+ ){{0,2}}(?:foot|ear|nose|hand|"
        rf"finger|"
        r"vagina|toe|knee)\b|\bbead in nose\?",
        "encounter for observation for suspected inserted (injected) foreign body ruled out",
        "Z03.823",
    ),
    (
        r"\banthrax (?:excluded|ruled out|neg)\b",
        "encounter for observation for suspected exposure to anthrax ruled out",
        "Z03.810",
    ),
)
_NEWBORN = "observation and evaluation of newborn for suspected {} condition ruled out"
_OF_NEWBORN = _rows(
    (r"\b(?:sepsis|infection|eos|infxn)\b", _NEWBORN.format("infectious"), "Z05.1"),
    (r"\b(?:murmur|cardiac|chd)\b", _NEWBORN.format("cardiac"), "Z05.0"),
    (r"\b(?:resp\w*|grunting|ttnb?)\b", _NEWBORN.format("respiratory"), "Z05.3"),
    (r"\b(?:metab\w*|hypoglyc\w*)\b", _NEWBORN.format("metabolic"), "Z05.42"),
    (r"\b(?:seizures?|neuro\w*)\b", _NEWBORN.format("neurological"), "Z05.2"),
    (r"\b(?:genetic|down\w*|trisomy)\b", _NEWBORN.format("genetic"), "Z05.41"),
    (r"\b(?:immun\w*|scid)\b", _NEWBORN.format("immunologic"), "Z05.43"),
    (r"\b(?:malrot\w*|obstruction|gi)\b", _NEWBORN.format("gastrointestinal"), "Z05.5"),
    (r"\b(?:marfan\w*|conn\w* tiss\w*)\b", _NEWBORN.format("connective tissue"), "Z05.73"),
    (r"\bskin\b", _NEWBORN.format("skin and subcutaneous tissue"), "Z05.71"),
    (
        r"\b(?:ddh|hip (?:click\w*|clunk|dysplasia)|clavicle fx|msk)\b",
        _NEWBORN.format("musculoskeletal"),
        "Z05.72",
    ),
    (r"\b(?:hydro(?:neph\w*)?|renal|gu)\b", _NEWBORN.format("genitourinary"), "Z05.6"),
)
_NEWBORN_DISEASE = re.compile(
    r"\b(?:jaundice\w*|hyperbili\w*|rds|resp distress|ttnb?(?!\?)|hie|prem\w*|preterm|mas|nec|"
    r"hypoglyc\w*|cleft\w*|down\w*|trisomy)\b(?! (?:risk|excluded))",
    re.IGNORECASE,
)
_RULED_OUT = re.compile(
    r"\b(?:excluded|ruled out|not found)\b|\br/o\s*$|\?.*,.*\b(?:nl|normal|neg)\s*$|\b(?:dz|"
    r"metab\w*|cardiac|sepsis) r/o\b|"
    r"\bno (?:resp|cardiac) (?:dz|disease)\b",
    re.IGNORECASE,
)
_ACCIDENTS = _rows(
    (
        r"\b(?:rtc|rta|mva|mvc|mvi|rear[- ]?ended|car (?:accident|crash)|(?:ped|bike|"
        r"cyclist) v\w* car)\b",
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


_SUSPECTED = re.compile(r"^(?:\?|susp(?:ected)?\b|r/o\b|obs (?:for|r/o)\b)[^,;]+", re.IGNORECASE)
_NOTHING = re.compile(
    r"\b(?:ruled out|nothing found|neg w/?u|w/?u neg|work-?up neg|obs (?:overnight|\d+h))\b",
    re.IGNORECASE,
)
_ONLY_OUT = ("ruled out", "excluded")  # what says no more than the term of a suspicion
_OBSERVED_OTHER = "encounter for observation for other suspected diseases and conditions ruled out"


def excluded_in(text: str, parts: tuple[str, ...]) -> Retold | None:
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
        found = _first(_OF_NEWBORN, text, parts) if _RULED_OUT.search(text) else None
        return None if found and _is_ill(text, found) else found
    if not _OUT.search(text):
        return None
    return _first(_OBSERVED, text, parts) or _other(text, parts)


def _is_ill(text: str, excluded: Retold) -> bool:
    """Return whether a newborn has a disease beside the one that is excluded."""
    own = next(row for row in _OF_NEWBORN if row.code in excluded.codes)
    return _NEWBORN_DISEASE.search(own.named.sub("", text)) is not None


def _other(text: str, parts: tuple[str, ...]) -> Retold | None:
    """Return the observation for another disease, of which nothing is left."""
    told = from_first(text, parts) if parts else ""
    rest = told[len(parts[0]) :] if parts else ""
    is_suspected = _SUSPECTED.search(told) and _NOTHING.search(told)
    is_told = rest[:1] in {",", ";"} and rest.strip(" ,;.").casefold() not in _ONLY_OUT
    if is_suspected and is_told and is_calm(rest):
        return Retold(_OBSERVED_OTHER, 0, ("Z03.89",))
    return None


def _first(rows: tuple[_Suspected, ...], text: str, parts: tuple[str, ...]) -> Retold | None:
    """Return the first thing that is suspected, if the rest of a note complains of nothing."""
    for row in rows:
        match = row.named.search(text)
        if match and not complains(row.named.sub("", text)):
            return Retold(row.words, part_of(match, text, parts), (row.code,))
    return None
