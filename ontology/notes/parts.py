"""Part a note: "dysuria x3d, UA nit+, UTI" has three parts, and each says how it follows."""

import re
from functools import lru_cache
from typing import NamedTuple

from ..reading.abbreviations import expand_abbreviations
from ..reading.normalise import LONGEST
from ..reading.several import patient_before
from ..reading.shorthand import OF_FORTY, is_carried
from .pregnant import is_not_pregnant

CUES = ("first", "listed", "then", "with", "cause", "setting", "and", "aside", "either")
"""How a part follows the one before it: "then" is an arrow or a colon, "cause" is "due to"."""

_PATTERNS = (
    (
        "then",
        r"\s*(?:-+>|=+>|→|>>|:(?=\s)|\bfound to have\b|\bshow(?:s|ed|ing)\b|"
        r"\bdx(?:'?d)?:?(?=\s))\s*",
    ),
    ("cause", r"\s+(?:due to|d/t|secondary to|2/2|2°(?: to)?|caused by|from)\s+"),
    ("setting", r"\s+(?:in (?:the )?setting of|i/s/o|iso)\s+"),
    (
        "with",
        r"\s+(?:(?:with|w/(?!o\b)|w(?=\s)|complicated by|c/b|associated with|p/w|presenting with)"
        r"\s*|(?=(?:s/p|after|following|post)\s)|"
        r"on (?=(?:top of |(?:known |background )?(?:ckd|chronic|copd|cirrhosis|cld)))|"
        r"on (?:a )?(?:known|background(?: of)?|bkgd|bg) )",
    ),
    ("and", r"\s+(?:and|&|\+)\s+"),
    ("either", r"\s+/\s+|(?-i:(?<=[A-Z][A-Z])/(?=[A-Z][A-Z]))"),
    ("aside", r"\s*\(|\)\s*[,;.]?\s*"),
    ("listed", r"\s*(?:[,;|\n•]|\.(?=\s)|\s-+\s)\s*(?:(?:and|then)\s+)?"),
)
_BETWEEN = re.compile("|".join(f"({pattern})" for _, pattern in _PATTERNS), re.IGNORECASE)
_NO_PART = re.compile(
    r"no[tn][ -]\w+|nec|nos|un(?:spec(?:ified)?|sp)|oth(?:er)?(?: spec\w*)?", re.IGNORECASE
)
_READ = 1024  # texts whose parts are kept: each is asked for several times
_MOST = 10  # parts of a note; a longer text is no entry but a letter
_DAY = r"d(?:[1-9]|1\d|2[0-8])"  # of a life, beside words of a newborn
_OF_BABY = r"ebm|ebf|mec|mum['’]?s?|jitter\w*|grunting|latch\w*"
# What a note says of the whole patient, and a condition in the words that official names use then.
_CONTEXTS = (
    (
        "{} in pregnancy",
        r"pregnan\w*|gravid\w*|g\d+\s?p\d+\w*|primip(?:ar\w*|s)?|multip(?:ar\w*|s)?|"
        rf"antenatal|trimester|s?iup|{OF_FORTY}|"
        r"\d\d\s?(?:wk|week)s? (?:ga|gest\w*|iup)|ob pt",
    ),
    (
        "postpartum {}",
        r"post-?\s?(?:partum|natal)|puerper\w*|pp day|\d+/(?:7|52) pp|"
        r"ppd\s?#\s?\d+|p{1,2}d\d+ (?:svd|lscs|cs)|"
        r"d\d+ (?:post )?(?:lscs|svd|nvd|c/?s|c-section)|"
        r"(?:after|post) (?:delivery|lscs|svd|c-?section)",
    ),
    (
        "newborn {}",
        r"nb(?!:)|newborn|neonat\w*|dol\s?#?\d*|nicu|nnu|scbu|(?:pre-?)?term (?:infant|baby|bub)|"
        r"\d\d ?-?weekers?|bub|ventouse baby|nipe|d\d+ of life|"
        r"(?:mum|mother|mat)['’]?s? .{0,80}\bbaby|"
        rf"{_DAY}(?=,? .{{0,80}}\b(?:{_OF_BABY})\b)|(?:{_OF_BABY})(?=,? .{{0,80}}\b{_DAY}\b)|"
        r"(?:day|d)\s?\d+ (?:old|baby|infant)|\d+[- ]?day[- ]old|hol",
    ),
    (
        "congenital {}",
        r"\d+[ /-]?(?:wk|week|mo|mth|month)s?[- ]?(?:old )?(?:m|f(?!/)|male|female|boy|girl|baby|"
        r"infant)|[1-9]/52 old|infant|baby",
    ),
    (
        "traumatic {}",
        r"f[ae]ll|fallen|foosh|mv[ac]|rtc|assault\w*|struck|kicked|punched|blunt|trauma|gsw|"
        r"off (?:a |the )?(?:bike|ladder|roof|horse|trampoline|swing)|stab(?:bed|bing|s)?|"
        r"slap(?:ped)?|hit|kick|mower|machete|knife|crush(?:ed)?|seat-?belt|rta|"
        r"(?:squash|cricket|tennis) ball|"
        r"ped(?:estrian)? v(?:s|ersus)?",
    ),
)
_TEST = re.compile(
    r"(?:(?:stat|repeat|bedside|pocus|portable) )?(?:u/?s|ct[ahp]?|cth|mri|mrcp|cxr|axr|kub|xr|"
    r"x-?ray|echo|tte|tee|egd|ogd|c?scope|colonoscopy|flex sig|bxs?|biops(?:y|ies)|path|histo\w*|"
    r"lp|csf|ekg|ecg|eeg|emg|doppler|duplex|angio\w*|cath|fundus|slit lamp|culture|cx|swab)"
    r"(?: (?:head|chest|abd\w*|a/?p|abdo|pelvis|brain|spine|of \w+))?\s*[:=+]?\s+(?=\S)",
    re.IGNORECASE,
)
_CHAPTERS = {
    "{} in pregnancy": "O",
    "postpartum {}": "O",
    "newborn {}": "P",
    "congenital {}": "QP",
    "traumatic {}": "ST",
}
_IN_CONTEXT = tuple(
    (words, re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE))
    for words, pattern in _CONTEXTS
)
AFTER_TEST = "what a test found"
ONLY_TERMS = ("congenital {}", "traumatic {}", AFTER_TEST)
"""Wordings that count only where they are terms: not all that an infant has is congenital."""


_SAID = {
    "denied": r"no|not|neg|negative|-ve|nl|nml|nad|normal|ok|denies|denied|without|w/o|nil|none|"
    r"stable|clear|intact|r/o|pending|low risk",
    "after": r"post|after|following|s/p|since|under|during|d\d+ post|pod\s?#?\d*",
    "past": r"known|hx|h/o|pmhx?|phx|bg|background|old|prev\w*|prior|ex|past|previous|remote|"
    r"(?:19|20)\d\d|yrs?|years|chronic|on|fhx?|h/x",
    "new": r"new|acute|sudden|now|today|x\d+[dh]|\d+[dh]|flare|exac\w*|worse\w*",
    "number": r"\S*\d\S*",
}
_SAYS = {kind: re.compile(rf"(?<!\S)(?:{words})(?!\w)", re.I) for kind, words in _SAID.items()}
SAID = tuple(_SAID)
"""What words of a part may say: that it is denied, after something, past, new, or a number."""


class NotePart(NamedTuple):
    """A part of a note: as it stands there, as it is searched, and how it follows (`CUES`)."""

    text: str
    searched: str
    cue: str


class Retold(NamedTuple):
    """What a note tells: in clinical words, the place of the part that says it, codes it may have.

    The codes are prefixes.
    """

    words: str
    place: int
    codes: tuple[str, ...]


@lru_cache(_READ)
def read_note(text: str) -> tuple[NotePart, ...]:
    """Return the parts of a text that has several, else none.

    >>> [part.text for part in read_note("58M w/ LBP -> MRI, discitis 2/2 MSSA")]
    ['LBP', 'MRI', 'discitis', 'MSSA']
    """
    _, told = patient_before(text[:LONGEST])
    pieces = _BETWEEN.split(told)
    width = len(_PATTERNS) + 1
    parts: dict[str, NotePart] = {}
    for start in range(0, len(pieces), width):
        part = (pieces[start] or "").strip(" .:,;")
        if sum(map(str.isalpha, part)) > 1 and not _NO_PART.fullmatch(part):
            cue = _cue(pieces[start - width + 1 : start]) if parts else "first"
            parts.setdefault(part.casefold(), NotePart(part, _as_meant(part, text), cue))
    return tuple(parts.values()) if 1 < len(parts) <= _MOST else ()


def _cue(between: list[str | None]) -> str:
    """Return which of the patterns stands between two parts."""
    return next(_PATTERNS[at][0] for at, found in enumerate(between) if found is not None)


def _as_meant(part: str, note: str) -> str:
    """Write out an abbreviation whose meaning a word of another part says."""
    expansion = expand_abbreviations(part, note)
    by_context = any(entry.kind == "context" for entry in expansion.expanded)
    return expansion.text if by_context else part


def wordings_in_context(part: NotePart, note: str) -> tuple[tuple[str, str], ...]:
    """Return a part in the words for a pregnant patient, a newborn and the like, by their kinds.

    >>> wordings_in_context(read_note("G2P1, cholestasis")[1], "G2P1, cholestasis")
    (('{} in pregnancy', 'cholestasis in pregnancy'),)
    """
    found = _TEST.match(part.searched)
    after = ((AFTER_TEST, part.searched[found.end() :]),) if found else ()
    return after + tuple(
        (words, words.format(part.searched))
        for words, pattern in _contexts(note)
        if not pattern.search(part.text)
    )


def is_one_name(text: str) -> bool:
    """Return whether a text joins its parts as names of conditions do: "A with B", "A due to B".

    >>> is_one_name("hypercalcemia due to malignancy"), is_one_name("fever, UTI with sepsis")
    (True, False)
    """
    return {part.cue for part in read_note(text)} <= {"first", "with", "cause", "setting"}


def says(part: NotePart) -> tuple[bool, ...]:
    """Return which of `SAID` the words of a part say."""
    return tuple(_SAYS[kind].search(part.text) is not None for kind in SAID)


def contexts_of(note: str) -> str:
    """Return the first letters of the chapters that a note's patient calls for: O, P, QP, ST."""
    return "".join(_CHAPTERS[words] for words, _ in _contexts(note))


def _contexts(note: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the wordings that a note's patient calls for, and the words that say so."""
    found = tuple(context for context in _IN_CONTEXT if context[1].search(note))
    if is_not_pregnant(note) or ("/40" in note and not is_carried(note)):
        found = tuple(context for context in found if _CHAPTERS[context[0]] != "O")
    return found
