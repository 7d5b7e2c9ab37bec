"""Read what a text says is not there beside the condition: "non-diabetic foot ulcer".

Such words find candidates that hold them ("diabetic foot ulcer"), which are not meant.
"""

import re

from .normalise import normalise_text

_MARKS = ("non", "not ", "w/o", "without", "unrelated", "rather", "excluded", "ruled out")
_UNRELATED = re.compile(
    r"\w.*?\b(?:unrelated to|not (?:due|related|secondary|attributable) to|not caused by|"
    r"rather than)\s+(?:an? |the )?(\S.*)",
    re.IGNORECASE,
)
_NON = re.compile(r"\bnon(?:-|\s)?(?!specif|class|elsewhere)([a-z]{4,})", re.IGNORECASE)
# "With or without goiter" excludes nothing.
_WITHOUT = re.compile(
    r"(?<!\bor )(?<!\band )(?<!/)\b(?:without|w/o)\s+([^,;()]+?)(?=\s+with\s|[,;()]|$)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\w[,;(\s-]+not\s+(?:an? |the )?(?!confirmed)([a-z][a-z -]{3,40}?)\)?\s*$", re.IGNORECASE
)
_OUT = re.compile(
    r"(?:[;,(-]|\bbut\b)\s*(\w[^;,()]*?)\s+(?:was |is )?(?:excluded|ruled out)\b", re.IGNORECASE
)
_JOINED = re.compile(r"\s+(?:or|and|nor)\s+|\s*/\s*")


def unrelated_to(text: str) -> str:
    """Return what a text says that its condition has nothing to do with, normalised, else "".

    >>> unrelated_to("Anemia not due to iron deficiency")
    'iron deficiency'
    """
    match = _UNRELATED.search(text) if _is_marked(text) else None
    return normalise_text(match[1]) if match else ""


def absent_phrases(text: str) -> tuple[str, ...]:
    """Return what a text with a condition says is not there, normalised.

    >>> absent_phrases("Non-diabetic foot ulcer"), absent_phrases("Dysuria; UTI excluded")
    (('diabetic',), ('uti',))
    >>> absent_phrases("hypertension w/o heart failure or CKD")
    ('heart failure', 'ckd')
    >>> absent_phrases("Thyrotoxicosis with or without goiter")
    ()
    """
    if not _is_marked(text):
        return ()
    patterns = (_NON, _WITHOUT, _NOT, _OUT, _UNRELATED)
    phrases = (match[1] for pattern in patterns for match in pattern.finditer(text))
    parts = (normalise_text(part) for phrase in phrases for part in _JOINED.split(phrase))
    return tuple(dict.fromkeys(filter(None, parts)))


def _is_marked(text: str) -> bool:
    lower = text.lower()
    return any(mark in lower for mark in _MARKS)
