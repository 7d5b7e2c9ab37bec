"""Find the diagnosis of a note that tells complaints, an accident or the work-up before it.

"Dysuria x3d, UA nit+, macrobid, UTI" is a urinary tract infection, and "fell off ladder, L hip fx"
a fracture. What the text as a whole is nearest to is mostly the complaint or the accident that it
begins with. The guidelines of ICD-10-CM code a sign or symptom only where no diagnosis explains it
(section I.B.4), and an accident never first (section I.C.20).
"""

import re
from collections.abc import Mapping as ReadOnly
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from .combinations import Coded, Joined
from .factors import is_history_of
from .further import decided_alone, put_first
from .mapping import WRITTEN, Mapping
from .policy import Policy
from .reading.joined import Part
from .reading.normalise import LONGEST
from .settled import is_known
from .tree import Tree

_BETWEEN = re.compile(r"\s*(?:[,;|\n]|->|→|\.(?=\s)|\s\+\s|\s-+\s)\s*")
_MOST = 8  # parts of a note
_SURE = 0.6  # the least score of the category of a part that is the diagnosis
_SURE_CODE = 0.5  # the least score of the code of a later part that is no term
_DOUBTED = 0.55  # below this score of its category, a list as a whole is read by its parts
_HIGHEST = 0.79  # of a code that was taken from one part of a text
_ACCIDENT = ("V", "W", "X", "Y")
_COMPLAINT = "R"
_FACTOR = "Z"
# Chronic conditions that a note lists beside a complaint and that seldom explain it.
_BESIDE = tuple(
    """E03 E10 E11 E13 E55 E66 E78 F1 F3 F4 F9 G47 I10 I25 I48 K21 M15 M16 M17 M19 M54 M81 N18
    N40""".split()
)
_REFUSED = ("reads like a", "is the name of a")


def with_told_diagnosis(mappings: Sequence[Mapping], policy: Policy) -> list[Mapping]:
    """Return the mappings, with the diagnosis of a note in front of what led to it.

    Only where the whole text got the code of a complaint, an accident or a factor, was taken for
    something else than a diagnosis, or is a list whose code is in doubt. The parts of all such
    notes are searched together, and each is decided by itself.
    """
    if policy.retriever.tree.release != "icd10cm":
        return list(mappings)
    parts = {place: _parts(one) for place, one in enumerate(mappings) if _is_asked(one)}
    texts = dict.fromkeys(
        text for some in parts.values() for part in some for text in (part, _by_accident(part))
    )
    coded = decided_alone([text for text in texts if _may_be_one(text, policy)], policy)
    return [
        _with_diagnosis(mapping, parts.get(place, ()), coded, policy)
        for place, mapping in enumerate(mappings)
    ]


def _is_asked(mapping: Mapping) -> bool:
    if mapping.parts or mapping.translation or mapping.source == WRITTEN:
        return False
    if mapping.code is None:
        return (mapping.reason or "").startswith(_REFUSED)
    is_doubted = _is_lesser(mapping) or mapping.category_score < _DOUBTED
    return mapping.decided_by == "embedded" and is_doubted


def _is_lesser(mapping: Mapping) -> bool:
    return mapping.code is None or mapping.code.startswith((_COMPLAINT, _FACTOR, *_ACCIDENT))


def _parts(mapping: Mapping) -> tuple[str, ...]:
    parts = (part.strip(" .:") for part in _BETWEEN.split(mapping.text[:LONGEST]))
    named = tuple(dict.fromkeys(part for part in parts if sum(map(str.isalpha, part)) > 1))
    return named if 1 < len(named) <= _MOST else ()


def _by_accident(part: str) -> str:
    return f"traumatic {part}"


def _may_be_one(text: str, policy: Policy) -> bool:
    """Return whether a text is looked for: one that is traumatic only where that is a term."""
    return not text.startswith(_by_accident("")) or is_known(text, policy.retriever)


def _with_diagnosis(
    mapping: Mapping, parts: Sequence[str], coded: ReadOnly[str, Mapping], policy: Policy
) -> Mapping:
    if not parts:
        return mapping
    own = mapping.code or ""
    if own.startswith(_ACCIDENT):
        by_accident = {part: coded.get(_by_accident(part)) for part in parts}
        coded = {**coded, **{part: one for part, one in by_accident.items() if one}}
    likely = ((part, coded.get(part)) for part in parts)
    if _is_lesser(mapping):
        tree = policy.retriever.tree
        is_main = partial(_is_main, mapping, tree)
        main = next(
            ((part, one) for part, one in likely if one and is_main(one, part == parts[0])), None
        )
    else:
        main = _first_of_list(parts, coded, own)
    if main is None:
        return mapping
    part, one = main
    score, category_score = min(one.score, _HIGHEST), min(one.category_score, _HIGHEST)
    diagnosis = Coded(Part(part, part, "beside"), one.code or "", score, category_score)
    told = mapping if mapping.code else replace(mapping, status="mapped", reason=None)
    return put_first(Joined(told, diagnosis.code, (diagnosis,), ()), [diagnosis], policy)


def _first_of_list(
    parts: Sequence[str], coded: ReadOnly[str, Mapping], own: str
) -> tuple[str, Mapping] | None:
    """Return the first condition of a list of terms of which none has the category of the whole.

    What such a list is nearest to as one text is mostly a condition that it does not name:
    "pneumonia, fever" is no Q fever.
    """
    known = [(part, coded[part]) for part in parts if part in coded]
    is_list = len(known) == len(parts) and all(one.decided_by == "exact" for _, one in known)
    is_named = any((one.code or "")[:3] == own[:3] for _, one in known)
    return known[0] if is_list and not is_named else None


def _is_main(whole: Mapping, tree: Tree, part: Mapping, is_first: bool) -> bool:
    """Return whether a part of a note may be its diagnosis.

    What stands before a factor is what the note is about, also a complaint: "GBM, XRT, seizure
    prophylaxis", "cough, h/o pneumonia". A condition is not what a note of its history is about.
    """
    code, of_whole = part.code or "", whole.code or ""
    if code.startswith((_FACTOR, *_ACCIDENT)) or part.category_score < _SURE:
        return False
    if of_whole.startswith(_FACTOR):
        if is_first:
            return not is_history_of(of_whole, code, tree)
        if whole.category_score >= _DOUBTED:
            return False
    is_sure = part.decided_by == "exact" or (bool(of_whole) and part.score >= _SURE_CODE)
    if code.startswith(_COMPLAINT) or not is_sure:
        return False
    return of_whole.startswith(_ACCIDENT) or not code.startswith(_BESIDE)
