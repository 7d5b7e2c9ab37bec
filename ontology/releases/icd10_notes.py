"""Terms in the inclusion and `includes` notes of ICD-10-CM."""

import re
from functools import lru_cache

from ..packaged import packaged_rows

_CODE = r"[A-Z]\d[0-9A-Z](?:\.\w*)?(?:-[A-Z]\d[0-9A-Z](?:\.\w*)?|-)?(?!\w)"
# "(conditions in A00-A09)", "[M1A.-]": a bracket that holds a code is only a cross-reference.
_CROSS_REFERENCE = re.compile(rf"\s*[(\[][^()\[\]]*\b{_CODE}[^()\[\]]*[)\]]")
# ", except as in G80-G82": the term is the text before it. "as in O70.0, also involving": the term
# is the text around it.
_ASIDE = re.compile(
    rf",?\s+(?:except|other than|not classifiable to)\b.*\b{_CODE}.*$| as in {_CODE}, also\b"
)
_NO_TERM = re.compile(
    # Conditions named by their codes: "any condition in I11.- with any condition in I12.-".
    rf"\b(?i:in|to|under|both|categories|except)\s+(?:both\s+)?{_CODE}|\s\.\d"
    # Instructions and definitions: "code to most medial fracture", "the listed conditions".
    r"|(?i:\bcoded? to\b|\btwo codes\b|\bthis (?:sub)?(?:category|code)\b|\bselection of side\b"
    r"|^the listed\b|^conditions? (?:in|which|classifiable)\b|^any (?:condition|injury)\b"
    r"|^any congenital\b|^usually implies\b|^screening is\b|^rupture that occurs\b"
    r"|\byears (?:of age|old)\)|:$)"
)


def term_of_note(note: str, code: str) -> str | None:
    """Return the term in an inclusion or `includes` note, None where it names no diagnosis.

    Cross-references are removed. A reviewed table (data/notes.tsv) completes the few notes that
    cannot be understood without their heading.

    >>> term_of_note("paralysis (complete) (incomplete), except as in G80-G82", "G83")
    'paralysis (complete) (incomplete)'
    >>> term_of_note("Atlas", "S12.0")
    'Fracture of atlas'
    >>> term_of_note("any condition in I11.- with any condition in I12.-", "I13")
    """
    reviewed = _reviewed_notes()
    if (code, note) in reviewed:
        return reviewed[code, note] or None
    text = _ASIDE.sub("", _CROSS_REFERENCE.sub("", note)).strip(" ,;.")
    return None if _NO_TERM.search(text) else text or None


@lru_cache(maxsize=1)
def _reviewed_notes() -> dict[tuple[str, str], str]:
    """Return the term for each reviewed (code, note), "" where the note names no diagnosis."""
    return {(code, note): term for code, note, term in packaged_rows("notes.tsv")}
