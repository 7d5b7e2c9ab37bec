"""Read what a text says about a condition: it is past, of a relative, looked for, met, prevented.

Such a text names a factor (a Z code in ICD-10-CM), not the condition itself. The words around the
condition are the frame; `rest` is the condition. `ontology/factors.py` turns the code of the
condition into the code of the factor.
"""

import re
from typing import NamedTuple


class Frame(NamedTuple):
    """A frame: its kind, the words as written, the same in official words, and the condition."""

    kind: str
    written: str
    phrase: str
    rest: str


_HISTORY = r"(?:history|hist|hx)\b\.?"
_PAST = (
    rf"(?:(?:personal|prsnl|pers|past|prior|previous|remote|medical|known|with|has|had|an?)\.?\s+)*"
    rf"{_HISTORY}(?!\s+present)(?:\s+(?:of|for))?|h/o|p/h/o|hx/o|pmhx?|(?:prior|previous)|"
    r"old(?=\s+(?:healed\s+)?(?:cva|stroke|cerebrovascular|mi|myocardial|infarct\w*|tia|p?tb|"
    r"tubercul\w*|fracture|fx|dvt|pe)\b)|"
    # Spanish and Portuguese, French, German, Italian.
    r"(?:antecedentes?|historia)(?: (?:personal(?:es)?|pessoa(?:l|is)|previ[oa]s?|médic[oa]s?))? "
    r"de|"
    r"antécédents?(?: personnels?| médicaux)? de?|z(?:ustand|\.) ?n(?:ach|\.)|"
    r"anamnesi(?: personale)? di|storia di"
)
_PERSON = (
    r"(?:(?:maternal|paternal|older|younger|half|twin)\s+)?(?:mother|father|mom|mum|dad|brother|"
    r"sister|parents?|aunt|uncle|cousin|siblings?|grand(?:mother|father|parents?)|relatives?|"
    r"son|daughter|nephew|niece)"
)
_HAS = r"(?:is\s+|was\s+)?(?:has|have|had|with|died\s+(?:of|from)|diagnosed\s+with)"
_OTHER_PERSON = (
    r"(?:husband|wife|spouse|partner|boyfriend|girlfriend|room-?mate|friend|co-?worker|colleague|"
    r"class-?mate|neighbou?r)"
)
_RELATIVE = (
    rf"(?:(?:strong|positive|significant)\s+)?(?:family|fam|familial)\.?\s+(?:medical\s+)?{_HISTORY}"
    rf"(?:\s+(?:of|for))?|fhx?(?!,)(?:\s+of)?|f/h/o|"
    rf"{_PERSON}(?:\s+{_HAS}|(?=\s*:)|(?=(?:\s+\S+){{1,3}}?(?:\s+(?:positive|pos\b)|\s?\+)))|"
    r"(?:antecedentes?|historia) familiar(?:es)? de|antécédents? familiaux de?|"
    r"familienanamnese(?: von| für)?|storia familiare di|familiarità per|"
    r"(?:madre|padre|herman[oa]|mãe|pai|irmão?) (?:con|com)|(?:mère|père|frère|sœur) avec"
)
_SCREEN = (
    r"(?:encounter\s+for\s+)?(?:special\s+)?screen(?:ing)?(?:\s+(?:exam\w*|test))?\s+(?:for|of)"
)
_CONTACT = (
    r"(?:(?:possible|suspected|recent|known|close|h/o|history of)\s+)*"
    rf"(?:{_OTHER_PERSON}\s+{_HAS}|"
    r"contact\s+(?:with|and\s+\(?suspected\)?\s+exposure\s+to)|expos(?:ure|ed)\s+to)"
)
_OF_ANOTHER = re.compile(rf"{_OTHER_PERSON}\b", re.IGNORECASE)
_VACCINE = r"(?:vaccin(?:e|es|ation|ations)|immuni[sz]ations?|inoculations?|vax)"
_VACCINATION = (
    rf"(?:(?:encounter|need|due|here)\s+for\s+|needs\s+)?(?:prophylactic\s+)?{_VACCINE}"
    rf"(?:\s+and\s+{_VACCINE})?(?:\s+(?:for|against|with)|\s*[,:-])"
)
_PHRASES = {
    "vaccination": "encounter for immunization against",
    "past": "personal history of",
    "relative": "family history of",
    "screening": "encounter for screening for",
    "contact": "contact with and exposure to",
    "status": "status post",
}
_LEADS = tuple(
    (kind, re.compile(rf"\s*({words})(?!\w)[\s:-]*(.+)", re.IGNORECASE | re.DOTALL))
    for kind, words in (
        ("relative", _RELATIVE),
        ("screening", _SCREEN),
        ("vaccination", _VACCINATION),
        ("contact", _CONTACT),
        ("past", _PAST),
        ("status", r"s/p|status\s+post|(?-i:S/P)"),
    )
)
_TAILS = tuple(
    (kind, re.compile(rf"\s*(.+?)[\s,:-]+({words})[\s.]*", re.IGNORECASE | re.DOTALL))
    for kind, words in (
        ("relative", r"family history|fam hx|family hx|fhx?|in (?:the )?family"),
        (
            "vaccination",
            rf"(?:{_VACCINE}|booster|(?<=flu\s)shot|(?<=tetanus\s)shot)"
            r"(?:[\s,]+(?:visit|encounter|needed|due|given|administered|today|only|series|clinic|dose|"
            r"#?\d))*",
        ),
        (
            "screening",
            r"screen(?:ing)?(?:[\s,-]+(?:visit|test|exam|labs?|encounter|average\s+risk|routine|annual|"
            r"ld-?ct|low\s+dose\s+ct|ct|mammogra\w+|colonoscopy|dexa|dxa|pap(?:\s+smear)?|ultrasound|"
            r"questionnaire))*",
        ),
        ("contact", r"(?:contact/)?exposure|contact"),
        ("past", r"in (?:the )?past|history|hx|by history|survivors?"),
    )
)

# Words with which a text is about something else than the encounter itself.
_UNLESS = {
    "vaccination": re.compile(
        r"\b(?:after|post|following|from|due|to|reaction|under|delayed|missed|incomplete|overdue|"
        r"declin\w+|refus\w+|status|no|not)\b(?!\s+for)",
        re.IGNORECASE,
    ),
    "screening": re.compile(r"\b(?:abnormal|failed|positive|declin\w+|refus\w+)\b", re.IGNORECASE),
}


def read_frame(text: str) -> Frame | None:
    """Return the frame of a text, or None where it names a condition itself.

    >>> read_frame("h/o breast ca")
    Frame(kind='past', written='h/o', phrase='personal history of', rest='breast ca')
    >>> read_frame("Colon cancer screening").rest
    'Colon cancer'
    """
    for kind, lead in _LEADS:
        if (match := lead.fullmatch(text)) and not _is_about_more(kind, text):
            return Frame(kind, match[1].strip(), _PHRASES[kind], match[2].strip())
    for kind, tail in _TAILS:
        if (match := tail.fullmatch(text)) and not _is_about_more(kind, text):
            return Frame(kind, match[2].strip(), _PHRASES[kind], match[1].strip())
    return None


def is_of_another(frame: Frame) -> bool:
    """Return whether the condition is that of a person beside the patient, who is no relative."""
    return frame.kind == "contact" and _OF_ANOTHER.search(frame.written) is not None


def _is_about_more(kind: str, text: str) -> bool:
    return kind in _UNLESS and _UNLESS[kind].search(text) is not None
