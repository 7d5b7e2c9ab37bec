"""Read an overdose that is told in everyday words: "took 40 tylenol tabs to kill herself"."""

import re

from .agents import agent

_TAKEN = (
    r"(?:took|taken|swallowed|ingested|ate|drank|injected|chewed|od(?:['’]?d)? on|overdosed? on|"
    r"ingestion of)"
)
_AMOUNT = (
    r"(?:(?:about|approx|approximately|around|at|least|up|to|some|a|an|the|her|his|their|my|"
    r"mum['’]?s|mom['’]?s|dad['’]?s|gran\w*['’]?s|whole|entire|extra|double|too|much|many|"
    r"bottle|box|packet|handful|fistful|lots?|all|of|x|"
    r"x?~?\d[\d.,-]*(?:mg|mcg|g|units?|u|ml|x)?|mg|mcg|g|units?|ml) ){0,6}"
)
_FORM = r"(?:tab(?:let)?s?|pills?|caps(?:ules?)?|x ?\d+)"
_INTENT = re.compile(
    r"\b(?:to (?:kill|end|die|harm|hurt)|kill (?:him|her|my|them)?self|want(?:s|ed|ing)? to die|"
    r"intent to die|suicid\w*|intent(?:ional(?:ly)?)?|self[- ]?harm|on purpose|dsh|"
    r"deliberate(?:ly)?|impulsive(?:ly)?|parasuicide|intended)\b(?! denied)",
    re.IGNORECASE,
)
# Of the past or still to come, or of another person; whose drug it was does not matter.
_NOT_NOW = re.compile(
    r"\b(?:prev\w*|h/o|hx(?: of)?|history of|risk of)\s+(?:\w+\s+)?(?:o/?d|overdos\w*)\b|"
    r"\b(?:friend|brother|sister|son|daughter|wife|husband)\s+"
    r"(?:took|taken|ate|drank|swallowed|ingested|od\w*|overdosed)\b",
    re.IGNORECASE,
)
_IDEATION = re.compile(r"\bSI\b(?! joint)")
_MISTAKE = re.compile(
    r"\b(?:by mistake|mistaken\w*|accidentally|by accident|unintentional\w*|in error|"
    r"twice(?! (?:a|per|daily|weekly|every|each))|double dose|wrong dose|dosing error|mum['’]?s|"
    r"daily (?:not|instead of) weekly|doubled|(?:to get|for a) (?:a )?high|"
    r"mom['’]?s|gran\w*['’]?s)(?!\w)",
    re.IGNORECASE,
)
_CHILD = re.compile(r"\b(?:toddler|[1-5] ?(?:yo|y/o|yrs?|years?))\b", re.IGNORECASE)
_EATEN = re.compile(r"\b(?:ate|swallowed|ingested|drank|chewed|got into)\b", re.IGNORECASE)
_TOO_MUCH = re.compile(r"\b(?:extra|too (?:much|many)|double|overdos\w*|\d+ ?x?)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:no|not|without|denie[sd]|non)[\s-]+(?:\w+\s+)?(?:intent\w*|suicid\w*|(?:si|dsh)\b|self)",
    re.IGNORECASE,
)
_NO_DRUG = r"(?!(?:nothing|something|on|in|with|and|or|the|no|not|of|for|hx|h/o)\b)"
_NOT_OF_IT = (
    r"(?!tab|pill|cap|intent|suic|twice|delib|accid|impuls|(?:to|by|in|on|at|w|with|for|then|and|"
    r"after|x|od|when|as|because|this|last|today)\b)"
)
_DRUG = rf"(?P<drug>{_NO_DRUG}[a-z][\w'’-]+(?:\s+{_NOT_OF_IT}[a-z][\w'’-]*)?)"
_BY_VERB = re.compile(rf"\b{_TAKEN}\s+{_AMOUNT}(?:{_FORM}\s+(?:of\s+)?)?{_DRUG}", re.IGNORECASE)
_BEFORE_AMOUNT = re.compile(rf"(?:^|[,;:]\s*){_DRUG}\s+(?:\d+\s?)?{_FORM}\b", re.IGNORECASE)
_AFTER_AMOUNT = re.compile(
    rf"(?:^|[,;:]\s*)\d+\s?(?:x\s?(?:\d+\s?m?c?g\s)?\s*|{_FORM}\s+)?{_DRUG}", re.IGNORECASE
)
# Elsewhere OD mostly means once a day, or a right eye.
_OD_OF = re.compile(
    r"(?:^|\b(?:impulsive|intentional|deliberate|accidental|mixed|staggered|suicidal)\s+)"
    rf"o/?d(?:['’]?e?d)?\s+(?:of\s+|on\s+|with\s+)?{_AMOUNT}{_DRUG}",
    re.IGNORECASE,
)
# A mistake that is told of the drug beside it; a dose that was left out is none.
_SLIP = re.compile(
    r"\b(?:by mistake|mistaken\w*|accidentally|by accident|in error|taken twice|double dose|"
    r"doubled|wrong dose|dosing error|daily (?:not|instead of) weekly|"
    r"(?:to get|for a) (?:a )?high)\b",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(r"\b(?:omit\w*|miss\w*|stop\w*|skip\w*|forg\w*|not|without)\b", re.I)
_PARTS = re.compile(r"[,;]\s*")
_WORDS = re.compile(r"[a-z][\w'’-]+", re.IGNORECASE)

_HOUSEHOLD = re.compile(
    r"\b(?:bleach|cleaner|detergent|lye|drain|acid|antifreeze|kerosene|petrol|gasoline|turpentine|"
    r"paint|pods?|batter(?:y|ies)|poison|pesticide|glue|sanitizer|hand gel|alkali|polish|solvent)\b"
)


def told_overdose(text: str) -> str:
    """Return an overdose in clinical words, "" where a text tells none or not why it was taken.

    >>> told_overdose("took 40 tylenol tabs to kill self, NAC")
    'intentional overdose of tylenol'
    >>> told_overdose("took gliclazide twice by mistake"), told_overdose("took tylenol for pain")
    ('accidental overdose of gliclazide', '')
    >>> told_overdose("OD paracetamol 32 tabs"), told_overdose("warfarin x3 dose in error")
    ('overdose of paracetamol', 'accidental overdose of warfarin')
    >>> told_overdose("hx depression, took wife's tramadol to die, 30 tabs tramadol")
    'intentional overdose of tramadol'
    >>> told_overdose("h/o intentional OD paracetamol"), told_overdose("friend took pills to die")
    ('', '')
    >>> told_overdose("ramipril 5mg OD"), told_overdose("cataract OD, on insulin")
    ('', '')
    """
    text = " ".join(text.split())
    if _NOT_NOW.search(text):
        return ""
    how = _why_taken(text)
    match = _BY_VERB.search(text) if how else None
    if match is None and how == "intentional":
        match = _BEFORE_AMOUNT.search(text) or _of_listed(_AFTER_AMOUNT.search(text))
    drug = match["drug"].lower() if match else _known_drug(text, how)
    if not drug:
        return ""
    what = "ingestion" if _HOUSEHOLD.search(drug) else "overdose"
    return f"{how} {what} of {drug}".strip()


def _known_drug(text: str, how: str) -> str:
    """Return the listed drug of an overdose, or of a mistake, "" where none is named."""
    if (match := _OD_OF.search(text)) and (drug := _listed(match["drug"])):
        return drug
    slips = (part for part in _PARTS.split(text) if _SLIP.search(part))
    told = (_listed(part) for part in slips if not _LEFT_OUT.search(_SLIP.sub("", part)))
    return next(filter(None, told), "") if how == "accidental" else ""


def _of_listed(match: re.Match[str] | None) -> re.Match[str] | None:
    """Return a match whose drug is listed or a household product: "3 days" names none."""
    named = match is not None and (_listed(match["drug"]) or _HOUSEHOLD.search(match["drug"]))
    return match if named else None


def _listed(text: str) -> str:
    """Return the first word that is the listed name of a drug."""
    words = map(str.lower, _WORDS.findall(text))
    return next((word for word in words if (agent(word) or "").startswith("T")), "")


def _why_taken(text: str) -> str:
    """Return "intentional" or "accidental", "" where a text says neither."""
    if _DENIED.search(text):
        return "accidental" if _TOO_MUCH.search(text) else ""
    if _INTENT.search(text) or (_IDEATION.search(text) and _TOO_MUCH.search(text)):
        return "intentional"
    is_child = _CHILD.search(text) and _EATEN.search(text)
    return "accidental" if is_child or _MISTAKE.search(text) else ""
