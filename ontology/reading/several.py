"""Part a cell or a text: several diagnoses, parts of a list, an event and what follows it."""

import re

from .normalise import LONGEST

_LISTED = re.compile(r"\s*,\s*(?:and\s)?\s*|\s*\+\s*|\s+(?:&|and)\s+", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:^|\s)\(?\d{1,2}[.)]\s+(?=[A-Za-z])")
_SEVERAL = re.compile(r"\s*(?:;|\n|\||•)\s*")
_EVENT = re.compile(
    r"((?:s/p\s+)?(?:(?:mechanical|witnessed|unwitnessed|ground[- ]level)\s+)?"
    r"(?:fall|glf|foosh|mva|mvc|mcc|rta|(?:physical )?assault))"
    r"(?:\s*[,;]\s*|\s+w(?:ith\s+|/\s*))(?=\S)",
    re.IGNORECASE,
)
_YEARS = r"(?:y/?o|y\.o\.|yrs?|years?)(?:[\s-]?old)?"
_WORD_OF_SEX = r"(?-i:[MF])|male|female|man|woman|boy|girl|lady|gentleman"
_SEX = rf"(?P<sex>{_WORD_OF_SEX})"
_WITH = r"(?:\s+(?:with|w/|who has|presents? with|p/w|adm(?:itted)? (?:with|for))(?!\w)|\s*[,:;])"
# "58M w/", "72yo female,", "45 year old woman with", "67M NSTEMI".
_PATIENT = re.compile(
    r"^\s*(?:(?:pt|patient)\s+(?:is\s+)?)?(?:an?\s+)?(?:"
    rf"\d{{1,3}}\s?-?\s?{_YEARS}\s*{_SEX}\b(?:{_WITH})?|"
    rf"\d{{1,3}}\s?(?P<before>{_WORD_OF_SEX})\b{_WITH}|"
    # "14F foley" is a size.
    r"\d\d(?P<letter>(?-i:[MF]))\b(?!\s+(?:foley|cath|sheath|tube|balloon|ett|needle|angio|stent))"
    r")[\s-]*(?=\S)",
    re.IGNORECASE,
)
_SEXES = {"f": "female", "w": "female", "g": "female", "l": "female"}  # by the first letter
FLARE = (
    r"(?<!cells and )(?<!nasal )(?<!alar )(?:(?:acute|active|recurrent) )?"
    r"\bflar(?:e|es|ing)(?:[- ]?ups?)?\b(?: of\b)?"
)
"""The pattern of the word for a flare, which has a code of few diseases."""

_FLARE = re.compile(rf"\s?{FLARE}\s?", re.IGNORECASE)
_MARK = re.compile(r"^\s*#\s?(?=[a-z])", re.IGNORECASE)


def split_diagnoses(text: str) -> tuple[str, ...]:
    """Split a cell that lists several diagnoses, at semicolons, line ends, bars or numbers.

    Commas, "and" and slashes do not split a cell: they occur too often inside one diagnosis.

    >>> split_diagnoses("pneumonia; sepsis")
    ('pneumonia', 'sepsis')
    >>> split_diagnoses("1. Asthma 2. GERD")
    ('Asthma', 'GERD')
    >>> split_diagnoses("acute bronchitis, viral")
    ('acute bronchitis, viral',)
    """
    parts = _SEVERAL.split(text.strip())
    if len(_NUMBERED.findall(text)) >= 2:
        parts = [piece for part in parts for piece in _NUMBERED.split(part)]
    diagnoses = [part.strip(" ,;") for part in parts]
    diagnoses = [part for part in diagnoses if any(char.isalpha() for char in part)]
    return tuple(dict.fromkeys(diagnoses)) if len(diagnoses) > 1 else (text.strip(),)


def listed_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a text between commas, "and" and plus signs, where there are several.

    >>> listed_parts("HTN, DM2 and HLD")
    ('HTN', 'DM2', 'HLD')
    """
    parts = tuple(dict.fromkeys(part for part in _LISTED.split(text[:LONGEST].strip()) if part))
    return parts if len(parts) > 1 else ()


def unmarked(text: str) -> str:
    """Return a text without "#" before it, which marks a line of a list: "# HTN", or a fracture."""
    return _MARK.sub("", text)


def without_flare(text: str) -> str:
    """Return a text without the word for a flare.

    >>> without_flare("Crohn's flare-up"), without_flare("acute flare of lupus")
    ("Crohn's", 'lupus')
    """
    return _FLARE.sub(" ", text).strip()


def event_before(text: str) -> tuple[str, str]:
    """Return the event that a text begins with, and what follows it: "fall, hip fracture".

    What follows may say what came of the event, or only more about it: "fall, recurrent".

    >>> event_before("Mechanical fall, hip fracture"), event_before("hip fracture")
    (('Mechanical fall', 'hip fracture'), ('', 'hip fracture'))
    """
    match = _EVENT.match(text)
    return (match[1], text[match.end() :]) if match else ("", text)


def patient_before(text: str) -> tuple[str, str]:
    """Return the sex of the patient whom a text begins with, "male" or "female", and the rest.

    A number without a unit counts as an age only before a sign or word that ends the patient, or
    as two digits with a letter: "3 M burn" says nothing of a patient.

    >>> patient_before("58M w/ pneumonia"), patient_before("35 yo female infertility")
    (('male', 'pneumonia'), ('female', 'infertility'))
    >>> patient_before("3 M burn")
    ('', '3 M burn')
    """
    match = _PATIENT.match(text)
    if match is None:
        return "", text
    said = (match["sex"] or match["before"] or match["letter"]).lower()
    sex = "male" if said == "gentleman" else _SEXES.get(said[0], "male")
    return sex, text[match.end() :]
