"""Read which patient a note is of, where that decides the chapter: pregnant, delivered or newborn.

Each has a code that stands for the state in the table of combinations. Conditions of a pregnant or
a delivered patient have codes of chapter 15, those of a newborn codes of chapter 16 (guidelines of
ICD-10-CM, sections I.C.15.a.1, I.C.15.o and I.C.16.a.1).
"""

import re
from typing import NamedTuple

from .pregnant import pregnancy_in

PREGNANT = "Z33.1"
"""The code of a pregnancy, with which the table joins other conditions of the patient."""

DELIVERED = "O90.9"
"""The same for a patient in the weeks after a delivery."""

NEWBORN = "P96.9"
"""The same for a newborn."""

_CESAREAN = (
    r"(?:em|el)?(?:lscs|\s?cs|c/s|c-?\s?section|ca?esar[ei]an(?: section)?)|emcs|elcs|section"
)
_DELIVERY = rf"(?:delivery|childbirth|svd|nvd|forceps|ventouse|kiwi|{_CESAREAN})"
_OF_MOTHER = (
    r"(?:mastitis|breast abscess|endometritis|pdph|dvt|pe|pet|htn|ut[ií]|piles|h(?:a)?emorrhoids|"
    r"an(?:a)?emi[ac]|sepsis|psychosis|depression|cardiomyopathy|eclampsia|thyroiditis|wound\w*|"
    r"perine\w*|retention|pyrexia|hypertension|cvst?|svt|stroke|headache|fever|pyelo\w*|cystitis)"
)
_DELIVERED = re.compile(
    r"\bpost-?\s?partum\b|\bpuerper\w*|"
    r"\bpost-?\s?natal(?:ly)?\b(?! (?:us|scan|echo|age|steroid|growth|mri|diagnos|imaging))|"
    r"\b(?:pn|pp) (?:d|day )\s?\d+\b|\bd(?:ay)?\s?\d+ (?:pn|pp)\b|\b\d+\s?/(?:7|52) (?:pn|pp)\b|"
    r"\bppd\s?#\s?\d+|"
    rf"\b(?:d(?:ay)?\s?\d+|\d+/(?:7|52)),? (?:(?:post|after|following) )?{_DELIVERY}\b|"
    rf"\b(?:post|after|following) (?:recent )?{_DELIVERY}\b(?! (?:19|20)\d\d)|"
    rf"\b{_OF_MOTHER},? (?-i:P[NP])\b|(?-i:\bP[NP]) {_OF_MOTHER}\b",
    re.IGNORECASE,
)
_NEWBORN = re.compile(
    r"(?-i:\bNB\b)(?!:)|\bnewborn\b|\bneonat\w*|\bdol\s?#?\d+|\bd(?:ay)?\s?\d+ of life\b|\bbubs?\b|"
    r"(?<![\d/])(?:\d|1\d|2[0-8])(?:/7|[- ]?d(?:ays?)?)[- ](?:old|of age)\b|\b\d+/24 old\b|"
    r"(?<![\d/])[1-4](?:/52|[- ]?(?:wk|week)s?)[- ]old\b|\b(?:pre-?)?term (?:infant|baby|bub)\b",
    re.IGNORECASE,
)
_OTHER_BABY = re.compile(
    r"\b[1-9]\d?\s?(?:yo|y/o|yr?s?|years?|[mf])\b|\b(?:with|her|his|has|had|of|at home|recent) "
    r"(?:an? )?(?:newborn|neonate|bub)\b|\bnewborn (?:at home|son|daughter|sibling)\b|"
    r"\b(?:mother|mum|exposure|contact)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\bno[nt]?[- ]?(?:puerper|lactat|post-?\s?(?:part|nat))|"
    r"\b(?:years?|yrs?) (?:ago|post)|\b(?:19|20)\d\d\b|\bno (?:fever|jaundice)\b|"
    r"\b(?:hx|h/o|history|previous|prev|past|risk)\b",
    re.IGNORECASE,
)


class Patient(NamedTuple):
    """The words of a note that say of which patient it is, and the code of that state."""

    words: str
    code: str


def patient_of(text: str) -> Patient | None:
    """Return the pregnant or delivered patient or the newborn that a note is of, else None.

    >>> patient_of("DVT PN D5"), patient_of("jaundice D3 of life")
    (Patient(words='DVT PN', code='O90.9'), Patient(words='D3 of life', code='P96.9'))
    >>> patient_of("B12 def, PN both feet"), patient_of("h/o postpartum depression")
    (None, None)
    """
    if is_newborn(text):
        found = _NEWBORN.search(text)
        return Patient(found.group(), NEWBORN) if found else None
    if delivered := delivery_before(text):
        return Patient(delivered, DELIVERED)
    said = pregnancy_in(text)
    return Patient(said, PREGNANT) if said else None


def delivery_before(text: str) -> str:
    """Return the words that say that a patient has delivered days or weeks ago, "" without any."""
    found = None if _LATER.search(text) else _DELIVERED.search(text)
    return found.group() if found and not _NEWBORN.search(text) else ""


def is_newborn(text: str) -> bool:
    """Return whether a note is of a child in its first four weeks, and of no other patient."""
    return bool(_NEWBORN.search(text)) and not (_OTHER_BABY.search(text) or _LATER.search(text))
