"""Read what a text says about a condition: it is past, of a relative, looked for, met, prevented.

Such a text names a factor (a Z code in ICD-10-CM), not the condition itself. The words around the
condition are the frame; `rest` is the condition. `ontology/factors.py` turns the code of the
condition into the code of the factor.
"""

import re
from typing import NamedTuple

from .past import told_as_past


class Frame(NamedTuple):
    """A frame: its kind, the words as written, the same in official words, and the condition."""

    kind: str
    written: str
    phrase: str
    rest: str


_HISTORY = r"(?:history|hist|hx)\b\.?"
_PAST = (
    rf"(?:(?:personal|prsnl|pers|past|prior|previous|remote|medical|known|with|has|had|an?)\.?\s+)*"
    rf"{_HISTORY}(?!\s+present)(?:\s+(?:of|for))?|h/o|p/h/o|hx/o|pmhx?|(?:prior|previous)|prev\.?|"
    r"remote(?=\s+(?!control|monitor|patient|area|memory|recall|viewing))|past(?=\s+(?!point|due|term|date|its|midnight))|"
    r"(?:fully )?recovered from|survivor of(?=.*\w)|used to (?:have|suffer from|get)|"
    r"old(?:,? (?:healed|treated|cured))+(?=\s+(?:\S+\s+){0,2}(?:fracture|fx|ulcer)\b)|old treated|"
    r"old(?=\s+(?:healed\s+)?(?:cva|stroke|cerebrovascular|mi|myocardial|infarct\w*|tia|p?tb|"
    r"tubercul\w*|fracture|fx|dvt|pe)\b)|"
    # Spanish and Portuguese, French, German, Italian, Dutch.
    r"(?:antecedentes?|historia)(?: (?:personal(?:es)?|pessoa(?:l|is)|previ[oa]s?|médic[oa]s?))? "
    r"de|"
    r"antécédents?(?: personnels?| médicaux)? de?|z(?:ustand|\.) ?n(?:ach|\.)|"
    r"anamnesi(?: personale)? di|storia di|"
    r"st(?:atus|\.)? na|(?:medische )?voorgeschiedenis(?: van| met)?|doorgemaakte?"
)
_PERSON = (
    r"(?:(?:two|three|both|several|multiple|\d)\s+)?"
    r"(?:(?:maternal|paternal|older|younger|half|twin)\s+)?(?:mother|father|mom|mum|dad|brothers?|"
    r"sisters?|parents?|aunts?|uncles?|cousins?|siblings?|gran(?:ny|dad|dma|dpa)s?|"
    r"grand(?:mothers?|fathers?|parents?|ma|pa|dad|sons?|daughters?|child(?:ren)?)|relatives?|"
    r"family members?|sons?|daughters?|nephew|niece)"
)
_HAS = (
    r"(?:is\s+|was\s+|currently\s+)?(?:has|have|had|with|"
    r"(?:died|passed(?:\s+away)?|blind|deaf|ill|sick)\s+(?:of|from|with)|"
    r"(?:diagnosed|hospitali[sz]ed|admitted|treated|in\s+hospital|(?:tested\s+)?positive)\s+(?:with|for)|suffers\s+from)"
)
# "Brother schizophrenic": one word that says what a person is.
_IS = (
    r"(?:\s+is|\s+was)?(?=\s+(?:diabetic|hypertensive|schizophrenic|alcoholic|epileptic|asthmatic|"
    r"autistic|bipolar|ana?emic|psychotic|anorexic|bulimic|ha?emophiliac|demented|depressed|suicidal|"
    r"obese|co?eliac|hypothyroid)\s*$)"
)
# "Brother's epilepsy", but no event of a life: "mother's death".
_OWN = (
    r"['’]s(?=\s+(?!(?:death|divorce|side|milk|boyfriend|girlfriend|partner|illness|care|house|abuse|"
    r"day)\b)[^\W\d]+(?:\s+[^\W\d]+)?\s*$)"
)
# "Dad MI at 45": a condition that people name right after a relative.
_NAMED = (
    r"(?=\s+(?:(?:early|young|premature)\s+)?(?:(?:breast|colon|colorectal|prostate|ovarian|lung|"
    r"pancreatic|thyroid|gastric|stomach|bladder|kidney|renal|skin|brain|uterine|cervical|"
    r"endometrial|liver|testicular)\s+(?:ca|cancer|carcinoma)|(?-i:MI|CVA|CAD|CABG|CHF|HTN|CKD|ESRD|"
    r"AAA|DVT|IBD|MS|RA|SLE|DM\s?[12]?|T[12]DM)|strokes?|diabetes|hypertension|cancer|melanoma|"
    r"leuka?emia|lymphoma|glaucoma|dementia|alzheimer\S*|schizophrenia|depression|suicide|"
    r"alcoholism|epilepsy|lupus|crohn\S*|osteoporosis|heart\s+(?:attack|disease))\b"
    r"(?:\s+(?:at|@|age|aged|in)?\s*(?:her|his)?\s*\d+s?)?\s*$)"
)
# "Fever in my daughter" is told of the patient.
_KIN = (
    r"(?!(?:\S+\s+)*(?:sons?|daughters?)\b)(?:(?:his|her|the|an?|my|both|close|young(?:er)?|"
    r"older|first[- ]degree|second[- ]degree|immediate|blood|other|many)\s+)*"
    rf"{_PERSON}"
)
_BY_KIN = (
    rf"in\s+{_KIN}(?:\s+and\s+{_KIN})?(?:\s+(?:at|aged?)\s+\d+)?|"
    r"on\s+(?:(?:the|his|her)\s+)?(?:mother|father|maternal|paternal)(?:['’]?s)?\s+side"
    r"(?:\s+of\s+(?:the\s+)?family)?"
)
# What a mother has may be of a pregnancy, or be caught by her child.
_OF_BIRTH = (
    r".*\b(?:newborn|neonat\w*|infant|baby|fet(?:us|al)|pregnan\w*|birth|deliver\w*|labou?r|"
    r"contact|(?:puerper\w*|\w*partum|(?:pre-?)?eclamp\w*|rh|\w*immuni[sz]\w*|mastitis|lactat\w*|"
    r"gestation\w*|placenta\w*|amnio\w*|hyperemesis|fever|infections?|viral|virus|hiv|syphilis|rubella|hepatitis|"
    r"herpes|strep\w*|toxo\w*).*\bmother)\b"
)
_OTHER_PERSON = (
    r"(?:(?:household|close|school|family|sexual|sick|known)\s+contacts?|(?:ex-?\s?)?husband|(?:ex-?\s?)?wife|step(?:mother|father|brother|sister|son|daughter)|"
    r"(?:mother|father|brother|sister|son|daughter)-in-law|spouse|partner|boyfriend|girlfriend|room-?mate|friend|co-?worker|colleague|"
    r"class-?mate|neighbou?r)"
)
_RELATIVE = (
    rf"(?:(?:strong|positive|significant)\s+)?(?:family|fam|familial)\.?\s+(?:medical\s+)?{_HISTORY}"
    rf"(?:\s+(?:of|for))?|fhx?(?!,)(?:\s+of)?|f/h/o|"
    r"(?:mother|father|maternal|paternal)(?:['’]?s)? side(?=\s*[:,–-])|"
    rf"{_PERSON}(?:(?:['’]?s side)?\s+{_HAS}|{_IS}|{_OWN}|{_NAMED}|"
    r"(?=\s*:|\s+[-–]\s)|(?=(?:\s+\S+){1,3}?(?:\s+(?:positive|pos\b)|\s?\+)))|"
    r"(?:antecedentes?|historia) familiar(?:es)? de|antécédents? familiaux de?|"
    r"familienanamnese(?: von| für)?|storia familiare di|familiarità per|"
    r"(?:madre|padre|herman[oa]|mãe|pai|irmão?) (?:con|com)|(?:mère|père|frère|sœur) avec|"
    r"(?:(?:belaste|positieve) )?familieanamnese(?: positief)?(?: voor| met| van)?|"
    r"familiair belast(?: met| voor)?|"
    r"(?:moeder|vader|broer|zus(?:ter)?|oma|opa|groot(?:moeder|vader|ouders)|tante|oom|ouders?|"
    r"zoon|dochter) (?:heeft|had|hebben|hadden|met|bekend met|overleden aan)"
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
# Vaccines, by whose names a dose is known without the word: "MMR #2", "Tdap given".
_PRODUCT = (
    r"(?:mmrv?|tdap|dtap|dtp|dtwp|td|ipv|opv|hib|bcg|pcv[ -]?\d*|ppsv[ -]?\d*|men(?:acwy|b|quadfi)|"
    r"mcv4|pneumovax|prevnar(?:[ -]?\d+)?|shingrix|zostavax|gardasil(?:[ -]?9)?|rotateq|rotarix|"
    r"pediarix|pentacel|vaxelis|kinrix|proquad|varivax|boostrix|adacel|daptacel|menactra|menveo|"
    r"bexsero|trumenba|twinrix|havrix|engerix(?:-b)?|heplisav|recombivax|fluzone|flumist|arexvy|"
    r"abrysvo|comirnaty|spikevax)"
)
_PREVENTED = (
    r"(?:hpv\d?|hep(?:atitis)?[ -]?[ab]|rsv|covid(?:-19)?|influenza|flu|zoster|shingles|pneumonia|"
    r"pneumo(?:coccal)?|rotavirus|varicella|meningococcal|tetanus|rabies)"
)
_ANY = rf"(?:{_PRODUCT}|{_PREVENTED})"
_PRODUCTS = rf"{_ANY}(?:\s*(?:[,/+&]|and)\s*{_ANY})*"
_DOSE = (
    rf"(?:#\s?\d+|(?:dose|shot|jab|booster|series)s?|{_VACCINE}|given|administered|due|needed)"
    r"(?!\w)"
)
_DOSES = rf"(?:\d(?:st|nd|rd|th)\s+)?{_DOSE}(?:[,\s]+(?:{_DOSE}|today|now|\d|updated?))*"
_NEEDED = (
    r"(?:needs?|due for|here for|wants|got|received|receiving|gave|given|administered|give)"
    r"(?:\s+(?:an?|her|his|the|annual|yearly|first|second|third|\d(?:st|nd|rd|th)))?"
)
_VACCINATION = (
    rf"(?:(?:encounter|need|due|here)\s+for\s+|needs\s+)?(?:prophylactic\s+)?{_VACCINE}"
    rf"(?:\s+and\s+{_VACCINE})?(?:\s+(?:for|against|with)|\s*[,:-])"
)
_PREVENTION = (
    r"(?:pre[- ]exposure )?(?:chemo)?prophylaxis (?:for|against)|prevention of|"
    r"(?-i:PrEP) (?:for|against)"
)
# Who is treated after an exposure has met the infection.
_EXPOSED = r"(?:post[- ]?exposure (?:chemo)?prophylaxis|(?-i:n?PEP))"
_PHRASES = {
    "vaccination": "encounter for immunization against",
    "past": "personal history of",
    "relative": "family history of",
    "screening": "encounter for screening for",
    "contact": "contact with and exposure to",
    "status": "status post",
    "prevention": "encounter for prophylactic measures against",
}
_LEADS = tuple(
    (kind, re.compile(rf"\s*({words})(?!\w)[\s:-]*(.+)", re.IGNORECASE | re.DOTALL))
    for kind, words in (
        ("relative", _RELATIVE),
        ("screening", _SCREEN),
        ("vaccination", _VACCINATION),
        ("contact", _CONTACT),
        ("vaccination", rf"{_NEEDED}(?=\s+(?:{_PRODUCT}|{_PRODUCTS}\s*{_DOSES})\s*$)"),
        ("past", _PAST),
        ("contact", rf"{_EXPOSED} (?:for|against)"),
        ("prevention", _PREVENTION),
        ("status", r"s/p|status\s+post|(?-i:S/P)"),
    )
)
_TAILS = (
    *(
        (kind, re.compile(rf"\s*(.+?)[\s,:-]+({words})[\s.]*", re.IGNORECASE | re.DOTALL))
        for kind, words in (
            ("relative", r"family history|fam hx|family hx|fhx?|in (?:the )?family|in de familie"),
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
            (
                "past",
                r"in (?:the )?past|in (?:de )?voorgeschiedenis|history|hx|by history|survivors?|"
                r"outgrown|outgrew(?: it)?|"
                r"as (?:an? )?(?:small |young )?(?:child|kid|baby|infant|teen|teenager|adolescent)"
                r"(?:[\s,]+(?:outgrown|outgrew(?: it)?|resolved|none since|no longer))?",
            ),
            (
                "prevention",
                r"(?:pre[- ]?exposure )?(?:chemo)?prophylaxis|ppx|prevention|"
                r"prophylactically|(?-i:PrEP)",
            ),
        )
    ),
    # "Anemia from lead exposure" is the anemia.
    (
        "contact",
        re.compile(
            r"(?!\S+.*\s(?:after|from|due to|caused by|following)\s)\s*(.+?)[\s,:-]+"
            rf"((?:contact/)?exposure|contact|{_EXPOSED})[\s.]*",
            re.IGNORECASE | re.DOTALL,
        ),
    ),
    (
        "relative",
        re.compile(rf"(?!{_OF_BIRTH})\s*(.+?)[\s,:-]+({_BY_KIN})[\s.]*", re.IGNORECASE | re.DOTALL),
    ),
    (
        "vaccination",
        re.compile(rf"\s*({_PRODUCTS})(?:[\s,:-]+|(?=#))({_DOSES})[\s.]*", re.IGNORECASE),
    ),
    ("vaccination", re.compile(rf"\s*({_PRODUCT})[\s,]+(today|now)[\s.]*", re.IGNORECASE)),
)

# How a past condition was treated: "h/o melanoma excised '99". An organ that was removed
# is the code itself.
_GROWTH = r"\b(?:ca|\w*oma|cancer|polyps?|tumou?r|cyst|mole|lesion)"
_HOW = r"[\s,;-]+(?:s/p )?(?:fully |completely |surgically )?"
_TREATED = re.compile(
    rf"(?:({_GROWTH}){_HOW}(?:excised|resected|removed)|{_HOW}(?:treated|cured|repaired|ablated))\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_OLD = re.compile(r"^\s*(?:(?:old|treated|healed|cured|fully),?\s+)+(?=\w)", re.IGNORECASE)
# Words with which a text is about something else than the encounter itself.
_UNLESS = {
    "vaccination": re.compile(
        r"\b(?:after|post|following|from|due|to|reaction|under|delayed|missed|incomplete|overdue|"
        r"declin\w+|refus\w+|status|no|not)\b(?!\s+for)",
        re.IGNORECASE,
    ),
    "past": re.compile(r"\b(?:abuse|neglect|molest)\w*\b.*\bas\b", re.IGNORECASE),
    "prevention": re.compile(
        r"\b(?:after|on|due|from|despite|while|during|following|fail\w*|declin\w+|refus\w+|"
        r"reactions?|(?:non-?)?adheren\w+)\b",
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
    text = " ".join(text.split())  # long runs of blanks take the patterns seconds
    for kind, lead in _LEADS:
        if (match := lead.fullmatch(text)) and not _is_about_more(kind, text):
            return _framed(kind, match[1], match[2])
    for kind, tail in _TAILS:
        if (match := tail.fullmatch(text)) and not _is_about_more(kind, text):
            return _framed(kind, match[2], match[1])
    told = told_as_past(text)
    return _framed("past", *told) if told else None


def _framed(kind: str, written: str, rest: str) -> Frame:
    if kind == "past":
        rest = _OLD.sub("", _TREATED.sub(r"\1", rest))
    return Frame(kind, written.strip(), _PHRASES[kind], rest.strip())


def is_of_another(frame: Frame) -> bool:
    """Return whether the condition is that of a person beside the patient, who is no relative."""
    return frame.kind == "contact" and _OF_ANOTHER.search(frame.written) is not None


def _is_about_more(kind: str, text: str) -> bool:
    return kind in _UNLESS and _UNLESS[kind].search(text) is not None
