"""Read what is over: a disease that was cured, an operation of years ago, an allergy by its name.

"Malaria 2010, treated" is a history, "R mastectomy 2014" a state, "vanc allergy, rash" the state of
an allergy. Beside a condition of today they come after it (guidelines of ICD-10-CM, section
I.C.21.c.4), so that the rest of the note must say that all is well.
"""

import re

from .parts import Retold
from .said import complains, from_first, is_calm

_WHEN = (
    r"(?:(?:in |since )?(?:19|20)\d\ds?\b|['’]\d\d\b|(?:\d+|many|several|some|few) ?(?:y|yrs?|"
    r"years?) "
    r"ago|years ago|yrs ago|last (?:yr|year)|(?:in )?childhood|as (?:a )?child)"
)
_OVER = (
    r"(?:fully )?(?:resolved|recovered|cured|none since|gone(?: now)?|fine now|outgrown|"
    r"back to normal|"
    r"treated|completed|no (?:recurrence|further|residual|sequelae)|no more|well since|svr ?\d*)"
)
_GONE = re.compile(
    rf"^(?P<what>[^,;?(]{{2,40}}?),?\s+(?:{_WHEN}[,:]?\s.{{0,30}}?\b{_OVER}\b|"
    rf"{_OVER}(?: \w+)? {_WHEN}|"
    r"(?:fully )?(?:recovered|cured|outgrown)\b|.{0,15}?\bnone since\b|(?:now )?gone now\b)",
    re.IGNORECASE,
)
_CLEARED = re.compile(
    r"\b(?:hcv|hep(?:atitis)? ?c)\b[^;:]{0,25}?\b(?:svr ?\d*|cured)\b", re.IGNORECASE
)
_LIVER = re.compile(r"\b(?:cirrho\w*|hcc|varic\w*|ascites|decomp\w*)\b", re.IGNORECASE)
_OPERATION = re.compile(
    r"^(?P<what>(?:[^,;?(]{0,25}?\b)?(?:\w+ectomy|\w+ectomies|\w+ostomy|\w+oplasty|transplant|"
    r"\w* ?tx|"
    r"bypass|cabg|avr|mvr|tav[ir]|evar|pci|stents?|amp(?:utation|utated)?|[abt][km]a|th[ra]|tk[ra]|"
    r"fusion|tah(?:[ /+-]*bso)?|hemi|mast|whipple|olt|d[dl]?[dlr]kt|ddrt|(?:sigmoid|colon|bowel|"
    r"lobe|stomach|bladder) (?:was )?resected)(?: [lr])?)\s+"
    rf"(?:{_WHEN}|old\b|remote\b|long ago\b)(?!.{{0,15}}\bfor (?:ca|cancer)\b)",
    re.IGNORECASE,
)
_ALLERGY = re.compile(
    r"^(?P<what>(?!\S*(?:no|nil|food|seasonal|drug|skin|family|eye|nasal)\b)[a-z][\w -]{1,24}?) "
    r"allerg(?:y|ic)(?: status)?(?: confirmed| noted| label\w*)?(?:[, ]+(?:rash|hives|wheeze|"
    r"anaphylaxis|angioedema|(?:facial|lip|tongue) swelling|urticaria|(?:hx|prev) [^,;]{0,20}|"
    r"(?:chart|label) updated|carries [^,;]{0,10}|epi-?pen[^,;]{0,10}|(?:19|"
    r"20)\d\d)){1,3}\s*(?:[,;].*)?$",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:today|now|acute|after|ate|eating|took|given|adrenaline|epi x|im epi|stung|\d+ ?(?:h|hr|"
    r"hrs|min|mins|d|days?)\b|ed\b|swollen|presents?|started|since (?:yesterday|last))",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"^(?:h/o|hx|history|prev\w*|prior|past|old|s/p|post|fhx?|mum|mom|mother|dad|father|sister|"
    r"brother|no|not|denies|known|chronic|recurrent|new|acute|suspected|poss\w*|likely)\b",
    re.IGNORECASE,
)
_BORN = re.compile(r"\b(?:nb|baby|newborn|infant|child|labou?r|iap|gbs|contact|\w*partum)\b", re.I)
_OF_RELATIVES = ("Z80", "Z81", "Z82", "Z83", "Z84")
_STATES = ("Z89", "Z90", "Z93", "Z94", "Z95", "Z96", "Z98")
_RELATIVE = re.compile(
    r"^(?:mum|mom|mother|dad|father|brother|sister|aunt|uncle|grand\w+|gran|cousin)"
    r"(?:(?: and | ?[+&] ?)\w+)? (?:has |had |with |w/ ?|died of |died from )?"
    r"(?P<what>(?!attend|here|is |was |re |who |said|say|think|came|call|report|declin|refus|died|"
    r"passed|brought|smok|worr|want|in |of |to |not |at |on |and |left|present)[^,;:]{2,40}?)"
    r"(?: (?:at|age|aged) ?\d\d)?[,;] ?"
    r"(?=.*\b(?:wants|screen\w*|advice|advised|asx|well|ref\w*|booked|tests?|testing|uss|"
    r"genetic\w*|"
    r"check|declined|normal|nl|echo|colonoscopy)\b)",
    re.IGNORECASE,
)


def history_in(text: str, parts: tuple[str, ...]) -> Retold | None:
    """Return what a note names as over or as an allergy, None where it has another reason.

    >>> history_in("malaria 2010, treated", ("malaria 2010", "treated")).words
    'history of malaria'
    >>> history_in("R mastectomy 2014, no recon", ("R mastectomy 2014", "no recon")).words
    'status post R mastectomy'
    >>> history_in("R mastectomy 2014, SOB", ("R mastectomy 2014", "SOB"))
    """
    told = from_first(text, parts)
    if _CLEARED.search(told) and not _LIVER.search(told) and not complains(told):
        return Retold("history of hepatitis C", 0, ("Z86.19",))
    match = _RELATIVE.search(told)
    if match and not (_BORN.search(told) or complains(told[match.end() :])):
        return Retold(f"family history of {match['what']}", 0, _OF_RELATIVES)
    if _OF_OTHERS.search(told):
        return None
    match = _OPERATION.search(told)
    if match and is_calm(told[match.end() :]) and not complains(told):
        return Retold(f"status post {match['what'].strip()}", 0, _STATES)
    if (match := _GONE.search(told)) and is_calm(told[match.end() :]):
        return Retold(f"history of {match['what'].strip()}", 0, ("Z85", "Z86", "Z87"))
    if (match := _ALLERGY.search(told)) and not _NOW.search(told):
        return Retold(f"allergy to {match['what']}", 0, ("Z88", "Z91.0"))
    return None
