"""Read the later care of an injury: "sutures out today, R knee lac" is the laceration of the knee.

The aftercare codes are not used for injuries, which take the 7th character of the stage of care
(guidelines of ICD-10-CM, sections I.C.19.a and I.C.21.c.7).
"""

import re

from ..reading.coders import LATER_CARE

_INJURY = re.compile(
    r"\blac\w*|#|\bfx\b|\bfractures?\b|\bbites?\b|\bburns?\b|\bdislocat\w*|\bcrush\w*|\bstab\b",
    re.IGNORECASE,
)
_HEALED = re.compile(r"\b(?:healed|surgical|post-?\s?op|incision)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"\b(?:today|now|d(?:ay)?\s?\d+|\d+/(?:7|52)|\d+ (?:days?|weeks?|wks?)|ago|of|from|post)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[,;.:(](?=\s|$)")


def injury_cared_for(text: str) -> str:
    """Return the injury of which a text tells later care, "" where it tells none.

    >>> injury_cared_for("Sutures out today R knee lac D10, clean, dry")
    'R knee lac'
    >>> injury_cared_for("Sutures out D7, wound clean"), injury_cared_for("lac R knee, sutured")
    ('', '')
    """
    care = LATER_CARE.match(text)
    if care is None or _HEALED.search(text):
        return ""
    clauses = _END.split(text[care.end() :])
    told = next((clause for clause in clauses if _INJURY.search(clause)), "")
    return " ".join(_WHEN.sub(" ", told).split())
