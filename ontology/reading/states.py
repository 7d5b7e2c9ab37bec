"""Word a text about a state after a procedure or of a device as the terms word it.

"s/p L BKA", "THR 2018" and "PPM in situ" name a state by its procedure. Such wordings
are only looked up, so they never find a condition that is merely alike.
"""

import re

from .abbreviations import expand_abbreviations
from .normalise import normalise_text

# The year of a procedure, or how long ago it was.
_WHEN = re.compile(
    r"[\s,(]*(?:\b(?:in|since|on|circa|approx)\s+|~)?(?:(?:\d{1,2}/){0,2}(?:19|20)\d\d|['’]\d\d|"
    r"\d{1,2}/\d\d|\d+\s?(?:years?|yrs?|y|months?|mos?|weeks?|wks?|days?|d)\s+ago)\)?[\s.]*$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"[\s,]+(?:(?:was )?(?:done|performed|implanted|placed|fitted|inserted)|stable|doing well)"
    r"[\s.]*$",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"[\s,]+(?:in situ|in place|present|dependent|status|pt|patient)[\s.]*$", re.IGNORECASE
)
_HOW_MANY = re.compile(r"[\s,]+(?:x\s?\d|pod\s?#?\d+|#\s?\d+)(?!\w).*$", re.IGNORECASE)
_SIDE = re.compile(r"\b(?:left|right|bilateral|both)\b\s*", re.IGNORECASE)
# A device of two or three words; alone it is one in place.
_DEVICE = re.compile(
    r"[\w-]+[ -](?:[\w-]+ )?(?:tube|line|catheter|cath|stent|shunt|pump|port|drain|filter|stoma)",
    re.IGNORECASE,
)
_WORDINGS = ("status post {}", "{} status", "{} in place", "presence of {}")


def wordings_of_state(text: str, frame: str = "") -> tuple[str, ...]:
    """Return wordings of a procedure or device as a state, normalised; none where it is not one.

    frame: the kind of the words before the text, which say that it is past ("h/o") or a state
    ("s/p"). Without them its end must say so: a year, "in situ". A device alone is one in place.

    >>> wordings_of_state("THR 2018")[-1]
    'presence of total hip replacement'
    >>> wordings_of_state("hip replacement"), wordings_of_state("PICC line")
    ((), ('picc line in place',))
    """
    text = _DONE.sub("", text)
    plain = _DONE.sub("", _STANDS.sub("", _WHEN.sub("", text))).strip()
    if not frame and plain == text.strip() and _DEVICE.fullmatch(plain):
        return (normalise_text(f"{expand_abbreviations(plain).text} in place"),)
    if not plain or (plain == text.strip() and frame not in {"past", "status"}):
        return ()
    named = _HOW_MANY.sub("", plain).strip()
    written = expand_abbreviations(named).text
    names = dict.fromkeys(
        normalise_text(name) for name in (named, written, _SIDE.sub("", written)) if name
    )
    return tuple(wording.format(name) for name in names for wording in _WORDINGS)
