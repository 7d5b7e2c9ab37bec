"""What a note says of something that it names: it goes wrong, is planned, long done or denied."""

import re

_PROBLEM = re.compile(
    r"\b(?:infect\w*|seps[ie]s|septic|urosepsis|fever\w*|febrile|pyrexi\w*|neutropeni[ac]|abscess|"
    r"cellulitis|bleed\w*|ha?emorrhag\w*|epistaxis|pain\w*(?![- ]free)|block(?:ed|age)|occlu\w*|"
    r"leak\w*|"
    r"dislodg\w*|displac\w*|migrat\w*|malfunction\w*|faulty|broken|fail(?:ed|ing|s|ure to)|"
    r"ero(?:ded|sion)|"
    r"extru\w*|dehisc\w*|pus|swollen|swelling|thromb[oi]\w*|clots?|ruptur\w*|shocks?|storm|"
    r"syncop\w*|collapse\w*|aki|vomit\w*|n/v|nausea|cinv|diarrh\w*|mucositis|pneumoni\w*|"
    r"pneumonitis|"
    r"colitis|proctitis|cystitis|oesophagitis|esophagitis|dermatitis|encephal\w*|uti|pyelo\w*|"
    r"reaction|"
    r"anaphyl\w*|rash|sob|dyspn\w*|confus\w*|delirium|seizures?|acute|exac\w*|obstruct\w*|ileus|"
    r"periton\w*|ha?ematuria|extravasat\w*|dehydrat\w*|tls|tumou?r lysis|pancytop\w*|"
    r"hypo\w+|hyper\w+|pe|dvt|msc?c|svco?o?|stuck|kink\w*|loose|itch\w*|odyno\w*|worse\w*|"
    r"unwell|fell|fall|sepsis|anc 0|aur|retention|stenosis|strictur\w*|progress(?:ion|ed|ing)|"
    r"high risk|low[- ]lying|pra?evia|abnormal\w*|cipn|numb\w*|\w*toxic(?:ity)?|palsy|palsies|"
    r"recurr\w*|relapse\w*|erythema|lesion|lump|mass|cough\w*|stiff\w*|afb ?(?:\+|pos)|tubal|"
    r"ectopic|hand[- ]foot|tremor|ltbi|igra ?(?:\+|pos\w*)|ulcer\w*|"
    r"(?:thyroid|hepat|nephr|myocard|hypophys|phleb)itis|(?:pv|vaginal|purulent) discharge)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|nil|not|without|w/o|denies|denied|neg|never|free of|r/o|prev\w*|prior|hx|h/o|past|"
    r"old|previous|evidence of)\s(?:[^,;:]{0,30}\s)?$",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"^\s?(?:\w+ ){0,2}?(?:neg\w*|-ve|nil|resolved|healed|settled|complete\w*|excluded|treated|"
    r"0\b)|"
    r"^\s?\d+\S{0,4} ?\w{0,6} ago",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?<![\w/])(?:plan\w*|await\w*|consider\w*|declin\w*|refus\w*|cancel\w*|defer\w*|s/p|post|"
    r"after|"
    r"following|since|last|prev\w*|h/o|hx|overdue|due|need\w*|missed|dna['’]?d?|failed|prior|"
    r"recent\w*|recently|had|under|on hold|if|discuss\w*|wants?|no|not|nil|pre|before|until|"
    r"refer\w*|"
    r"ref|book\w*|completed|finished|then|dnw|"
    r"d\d+|day \d+|started|starts?|known|current|on|ongoing|\?)"
    r"\W(?:[^,;:>\n]{0,20}\W)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[^,;>\n]{0,25}?\b(?:planned(?! day)|declin\w*|refus\w*|cancel\w*|defer\w*|held|delay\w*|"
    r"due\b|overdue|booked|postponed|tomorrow|next (?:week|wk|month|mth|tue|mon|wed|thu|fri)|"
    r"(?:\d+|few|several) ?(?:d|w|m|y|wks?|weeks?|days?|months?|yrs?|years?|/7|/52|/12) ago|"
    r"discussed|"
    r"failed|requested|advised|(?:19|20)\d\d)",
    re.IGNORECASE,
)

_FINDING = re.compile(
    r"\b(?:murmur|delay\w*|mass|lump|nodule|rash|hernia|caries|abscess|gingivitis|cavit\w+|"
    r"obes\w*|overweight|9\dth|undescended|squint|wheeze|clicks?|click|adnexal|polyp|cyst|fibroid|"
    r"discharge|(?:elevated|raised|high|low|new) \w+|\d{3}/\d+ new|hepatomegaly|jaundice\w*|"
    r"failure to thrive|ftt|abnormal|suspicious|heart failure|goit(?:re|er)|an?emi[ac]|prolapse)\b"
    r"(?! (?:risk|advice|prevention|screen\w*|checked))",
    re.IGNORECASE,
)
_CALM = re.compile(
    r"\b(?:stable|well|healed|asx|asympt\w*|no|nil|not|ok|benign|annual\w*|yearly|clinic|review|"
    r"r/v|"
    r"doing|mobile|problem list|trauma|vaccines|pen v|w/c user|incidental|good|normal|nl|nad|"
    r"cr \d+|"
    r"tac|self|none|remote|noted|for info|ned|clear|neg\w*|ruled out|nothing|obs|completed|"
    r"treated|utd|recon|done|on file|on list)\b",
    re.IGNORECASE,
)
_CHECK = (
    r"(?:smear|pap|mammo\w*|(?:flu|covid|pneumo\w*|shingles|tetanus|hpv|mmr|tdap) ?"
    r"(?:jab|shot|vacc?\w*|vax|booster)?|vacc?\w*|imms?|jabs?|bowel screen\w*|fit|dexa|dxa|"
    r"(?:eye|retinal|diabetic eye) screen\w*|screening \w+)"
)
_CHECK_BESIDE = re.compile(
    rf"[,;+&] ?(?:and )?(?:{_CHECK}(?: test| \#\d)? (?:is )?(?:due|overdue|given|offered|advised|"
    rf"booked|"
    rf"today|done|utd|up to date|needed)|(?:due|overdue|for|needs|given|gave) (?:\w+ )?{_CHECK})\b",
    re.IGNORECASE,
)
_NEAR = 60  # letters before a word that may deny or plan it


def from_first(text: str, parts: tuple[str, ...]) -> str:
    """Return a note from its first part on, without the patient before it.

    >>> from_first("58M w/ LBP, discitis", ("LBP", "discitis"))
    'LBP, discitis'
    """
    return text[max(text.find(parts[0]), 0) :] if parts else text


def complains(text: str) -> bool:
    """Return whether a note tells of a complaint or of what went wrong, which it does not deny.

    >>> complains("PICC out, site infected"), complains("PICC out, no infection")
    (True, False)
    """
    return _is_said(_PROBLEM, text)


def has_finding(text: str) -> bool:
    """Return whether an examination found something new.

    >>> has_finding("annual exam, new murmur"), has_finding("WCC, no murmur")
    (True, False)
    """
    return _is_said(_FINDING, text)


def _is_said(words: re.Pattern[str], text: str) -> bool:
    return any(
        not _DENIED.search(text[max(match.start() - _NEAR, 0) : match.start()])
        and not _OVER.search(text[match.end() :])
        for match in words.finditer(text)
    )


def has_check_beside(text: str) -> bool:
    """Return whether a check or a vaccine follows what a note begins with.

    >>> has_check_beside("HTN stable, smear due"), has_check_beside("smear due, HTN")
    (True, False)
    """
    return _CHECK_BESIDE.search(text) is not None


def is_calm(rest: str) -> bool:
    """Return whether each part of the rest of a note says that all is well.

    >>> is_calm(", stump healed, no pain"), is_calm(", ulcer L heel")
    (True, False)
    """
    return all(_CALM.search(part) for part in re.split(r"[,;]", rest) if part.strip())


def stands_aside(text: str, match: re.Match[str]) -> bool:
    """Return whether a note names what it matches as planned, past or put off.

    >>> stands_aside("planned PICC removal", re.search("PICC", "planned PICC removal"))
    True
    """
    before = text[max(match.start() - _NEAR, 0) : match.start()]
    return bool(_BEFORE.search(before) or _AFTER.search(text[match.end() :]))


def part_of(match: re.Match[str], text: str, parts: tuple[str, ...]) -> int:
    """Return the place of the part in which a match begins, the first where it is in none."""
    at, found = 0, 0
    for place, part in enumerate(parts):
        at = max(text.find(part, at), at)
        if at <= match.start():
            found = place
    return found
