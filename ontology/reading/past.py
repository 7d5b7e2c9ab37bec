"""Read that a condition is past by what a text tells of it: treated years ago, recovered, cured.

"Melanoma excised ten years ago" and "COVID last year, fully recovered" have no word for a history.
A text that tells of something new beside it ("recurrence", "metastatic") is about that.
"""

import re

from .told import LONG_AGO

# "Hematoma", "trachoma" and "coma" end like the names of tumors.
_NO_GROWTH = (
    r"(?:\w*ha?ematoma|trachoma|coma|glaucoma|scotoma|seroma|stoma|atheroma|biloma|urinoma)"
)
_GROWTH = (
    rf"\b(?!{_NO_GROWTH}s?\b)"
    r"(?:ca|\w*oma|\w*omas|cancer|malignancy|sarcoma|leuk\w+|lymphoma|polyps?|tumou?r|neoplasm)\b"
)
_HOW = r"(?:(?:was|has been|successfully|fully|completely|surgically|curatively|wide\w*|well)\s+)*"
_REMOVED = r"(?:excised|resected|removed)"
# What is treated since a year is still there.
_STILL = r"(?!(?:\w+ )*treated since\b)"
_TREATED = r"(?:treated|cured|repaired|ablated|healed|closed|corrected|eradicated|ligated)"
_SINCE = r"(?:\s+(?:since|to date|so far|now|then|at \d+ years))*"
# What is said of a growth that is gone.
_GONE = (
    r"(?:no (?:(?:further|current|known|present) )?(?:(?:evidence|signs?) of )?"
    r"(?:(?:the )?disease|recurrences?|relapses?|tumou?r)|(?-i:NED)|"
    r"(?:disease|cancer|tumou?r|recurrence|relapse)[- ]free|(?:free of|without) (?:disease|"
    r"recurrence)|(?:completely )?cured|all clear|clear since)"
)
# What is said of an illness that one had.
_OVER = (
    r"(?:(?:(?:now|since|fully|completely|has) )*recovered(?: (?:fully|completely))?|"
    r"(?:full|complete|good) recovery|none since|no (?:further )?(?:episodes?|attacks?|problems?)"
    rf"(?: since)|(?:well |fully )?healed|(?:fully|completely|successfully) treated|{_GONE})"
)
# An event that is over: "MI 2012", "L MCA stroke 2016 s/p tPA". What it left is told beside it.
_WHICH = (
    r"(?:(?:l|r|left|right|bilateral|small|large|massive|saddle|ischemic|hemorrhagic|lacunar|embolic|"
    r"mca|aca|pca|lle|rle|le|ue|lue|rue|inferior|anterior|lateral|inf|ant|lat|wall|provoked|"
    r"unprovoked|type 2)\s+)*"
)
_EVENT = r"(?:(?:n?ste)?mi|myocardial infarction|heart attack|cva|stroke|tia|dvt|pe)"
_TOLD = tuple(
    re.compile(rf"\s*(?P<condition>{words})[\s.]*", re.IGNORECASE)
    for words in (
        # "Breast cancer 2009, treated, no evidence of disease"
        rf"[^,;]*?{_GROWTH}[^,;]*?)(?:[,;]\s*[^,;]*){{0,3}}(?:[,;]\s*|\s+)(?P<past>{_GONE}{_SINCE}",
        rf"[^,;]*?{_GROWTH}[^,;]*?)[,;]?\s+(?P<past>{_HOW}{_REMOVED}\s+{LONG_AGO}",
        # "COVID last year, fully recovered"
        rf"[^,;]+?)[,;]?\s+(?P<past>{LONG_AGO}(?:[,;]\s*[^,;]*)?[,;]\s*{_OVER}{_SINCE}",
        # "Cleft lip repaired in infancy", "duodenal ulcer healed years ago"
        rf"[^,;]+?)[,;]?\s+(?P<past>{_STILL}{_HOW}{_TREATED}\s+{LONG_AGO}",
        rf"{_WHICH}{_EVENT})[,;]?\s+\(?(?P<past>{LONG_AGO}\)?(?:,?\s+s/p\s+(?:(?!\b(?:with|and|c/b|complicated|w/)\b)[^,;])+)?",
        # "Gestational diabetes in an earlier pregnancy"
        r"(?!.*\b(?:supervision|care|history|current)\b)[^,;]+?)\s+(?P<past>"
        r"(?:in|with|during|after) (?:an? |the |her )?(?:earlier|previous|prior|past) "
        r"pregnanc(?:y|ies)",
    )
)
_NEW = re.compile(
    r"\b(?:recurren\w+|recurred|relaps\w+|metast\w*|mets|progress\w*|spread|residual|ongoing|still|"
    r"new|again|now (?!in\b|well|clear|free|recovered|disease|cancer|adult)\w+|currently|awaiting|"
    r"yesterday|today|(?:last|this) (?:week|month)|suspected|after|due to|secondary to)\b",
    re.IGNORECASE,
)
_SAID_GONE = re.compile(_GONE, re.IGNORECASE)
_OF_CONDITION = re.compile(
    rf"[\s,]*(?:\b(?:{LONG_AGO}|{_HOW}(?:{_REMOVED}|{_TREATED}|operated)|diagnosed|dx)[\s,]*)+$",
    re.IGNORECASE,
)


def told_as_past(text: str) -> tuple[str, str] | None:
    """Return the words that say that a condition is past, and the condition, else None.

    >>> told_as_past("melanoma excised ten years ago")
    ('excised ten years ago', 'melanoma')
    >>> told_as_past("colon cancer resected 2012, no recurrence")
    ('no recurrence', 'colon cancer')
    >>> told_as_past("melanoma excised yesterday"), told_as_past("recurrence of cancer cured 2012")
    (None, None)
    >>> told_as_past("NSTEMI 2012 s/p PCI"), told_as_past("stroke 2016 with residual weakness")
    (('2012 s/p PCI', 'NSTEMI'), None)
    >>> told_as_past("gout treated since 2015"), told_as_past("scalp hematoma, no tumor")
    (None, None)
    """
    for told in _TOLD:
        match = told.fullmatch(text)
        if match and not _NEW.search(_SAID_GONE.sub("", text.replace(match["past"], ""))):
            return match["past"], _OF_CONDITION.sub("", match["condition"]).strip()
    return None
