"""Read the follow-up of what was treated and is gone: "TCC bladder 2019, check flexi clear".

Such a visit is Z08 after a tumor and Z09 after anything else, and without a word of following the
note names a history (guidelines of ICD-10-CM, sections I.C.2.m and I.C.21.c.8). A fracture that
heals keeps the code of the injury, and leukemia in remission has one of its own.
"""

import re

from .parts import Retold
from .said import complains, from_first, is_calm, part_of

_TUMOR = re.compile(
    r"\b(?:(?-i:Ca|CA)|ca(?! \d\.\d)|cancer|\w*adeno(?:ca)?|\w*carcinoma|tcc|dcis|crc|rcc|scc|bcc|"
    r"nsclc|dlbcl|(?-i:HL|NHL|GIST|NSGCT|IDC|ILC)|\w*sarcoma|melanoma|lymphoma|seminoma|"
    r"\w+blastoma|wilms['’]?)\b",
    re.IGNORECASE,
)
_OF_BLOOD = re.compile(r"\b(?:DLBCL|HL|NHL|(?i:lymphoma|leuk\w+|myeloma))\b")
_SEEN = re.compile(
    r"\b(?:f/?u|follow-?up|surveill\w*|clinic|check|annual(?:ly)?|yearly|discharged?|d/c|"
    r"surviv\w*|review|r/v|mammo\w*|flexi|cysto\w*|scope)\b",
    re.IGNORECASE,
)
_CLEAN = re.compile(
    r"\b(?:ned|no (?:evidence of )?(?:recur\w*|disease)|disease[- ]free|clear|cleared|"
    r"nodes neg|clean|undetect\w*|cured|(?-i:CR))\b|psa <? ?0\.0",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2} ?(?:y|yrs?|years?)(?: post)?\b(?! ?o)|\b(?:yearly|annual)", re.I
)
_LONG = re.compile(
    r"\b(?:[5-9]|[1-4]\d) ?(?:y|yrs?|years?)\b(?! ?o)|\b(?:19\d\d|20[01]\d)\b", re.IGNORECASE
)
_GONE = re.compile(
    r"\b(?:ned|no (?:evidence of )?recur\w*|disease[- ]free|cured|gone(?: now)?|remote|"
    r"treated(?=\s*(?:,|$|(?:19|20)\d\d))|no active (?:dz|disease))\b|"
    r"\bpsa (?:undetect\w*|<)",
    re.IGNORECASE,
)
_WATCHED = re.compile(
    r"\b(?:f/?u|follow-?up|surveill\w*)\b.*\b(?:ned|no recur\w*|neg|clear|undetect\w*)\b|"
    r"\boff tx\b.*\b(?:f/?u|follow-?up)\b",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"\b(?:mets?|metast\w*|new|stage (?:iv|4)|palliat\w*|active surv\w*|watch\w* wait\w*|"
    r"on (?:tam\w*|letroz\w*|anastroz\w*|exemest\w*|ai|zoladex|adt|herceptin|imatinib|chemo|"
    r"maint\w*|immuno\w*|pembro|nivo\w*)|adjuvant|cis|dysplasia|barrett\w*|recon\w*|revers\w*)\b",
    re.IGNORECASE,
)
_PARTED = re.compile(
    r"[\s,]+(?:(?:19|20)\d\d|ned|s/p|resect\w*|excis\w*|treated|cured|\d+ ?y|disease|no|in|post|"
    r"since|surviv\w*)\b",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:fhx?|mum|mother|dad|father|sister|brother|aunt|uncle|family)\b", re.IGNORECASE
)
_CURE = re.compile(
    r"\btest of cure\b[^,;]{0,12} neg\w*|\bTOC neg\w*|"
    r"\b(?:f/?u|follow-?up|repeat|rpt) (?:cxr|ct|xr|ogd|egd|uss?|mri|scan|scope|colonoscopy)\b"
    r"(?:[^;:]{0,20}\W)(?:cleared|clear|resolved|healed)\b|"
    r"\b(?:f/?u|follow-?up) (?:ogd|egd)\b[^;:]{0,12}\bhealed\b",
    re.IGNORECASE,
)
_INJURY = re.compile(r"#|\b(?:fx|fracture\w*|fractured|union|ORIF|wound|burn|sprain)\b", re.I)
_AFTER_TUMOR = (
    "encounter for follow-up examination after completed treatment for malignant neoplasm"
)
_AFTER_OTHER = (
    "encounter for follow-up examination after completed treatment for conditions other than "
    "malignant neoplasm"
)


def followed_in(text: str, parts: tuple[str, ...]) -> Retold | None:
    """Return the follow-up or the history that a note is about, None where it is another thing.

    >>> followed_in("ca colon 2015 NED, annual f/u", ("ca colon 2015 NED", "annual f/u")).codes
    ('Z08',)
    >>> followed_in("ca colon 2015 NED, no stoma", ("ca colon 2015 NED", "no stoma")).words
    'history of ca colon'
    >>> followed_in("SBO, colon ca 2014 NED", ("SBO", "colon ca 2014 NED"))
    """
    told = from_first(text, parts)
    first = parts[0] if parts else text
    if match := _TUMOR.search(told):
        return _of_tumor(told, first, part_of(match, told, parts))
    match = _CURE.search(told)
    if match and not _INJURY.search(told) and not _complains_still(told, first):
        return Retold(_AFTER_OTHER, part_of(match, told, parts), ("Z09",))
    return None


def _complains_still(told: str, first: str) -> bool:
    """Return whether a note complains of something after the condition that it names first."""
    return complains(told[len(first) :])


def _of_tumor(told: str, first: str, place: int) -> Retold | None:
    is_first = _TUMOR.search(first) or _SEEN.search(first)
    if not is_first or complains(told) or _ACTIVE.search(told) or _OF_OTHERS.search(told):
        return None
    is_past = (_LONG if _OF_BLOOD.search(told) else _PAST).search(told)
    is_seen = _SEEN.search(told) and _CLEAN.search(told)
    if is_seen and (is_past or _WATCHED.search(told)):
        return Retold(_AFTER_TUMOR, place, ("Z08",))
    if is_seen or (not is_past and _OF_BLOOD.search(told)):
        return None
    tumor = _PARTED.split(first)[0]
    # "h/o" is read with its condition by itself.
    is_named = _TUMOR.search(tumor) and not tumor.casefold().startswith(("no ", "h/o", "hx"))
    if is_named and _GONE.search(told) and is_calm(told[len(first) :]):
        return Retold(f"history of {tumor}", 0, ("Z85",))
    return None
