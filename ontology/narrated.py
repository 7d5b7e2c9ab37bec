"""Find the diagnosis of a note that tells complaints, an accident or the work-up before it.

"Dysuria x3d, UA nit+, macrobid, UTI" is a urinary tract infection, and "fell off ladder, L hip fx"
a fracture. What the text as a whole is nearest to is mostly the complaint or the accident that it
begins with. The guidelines of ICD-10-CM code a sign or symptom only where no diagnosis explains it
(section I.B.4), and an accident never first (section I.C.20).
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as ReadOnly
from dataclasses import replace
from functools import cache, partial

from .alone import decided_alone
from .combinations import Coded
from .factors import is_history_of
from .mapping import WRITTEN, Mapping
from .packaged import packaged_rows
from .policy import Policy
from .put_first import with_main
from .reading.joined import Part
from .reading.normalise import LONGEST
from .settled import is_known
from .tree import Tree

_BETWEEN = re.compile(r"\s*(?:[,;|\n]|->|→|\.(?=\s)|\s\+\s|\s-+\s)\s*")
_MOST = 8  # parts of a note
_SURE = 0.6  # the least score of the category of a part that is the diagnosis
_SURE_CODE = 0.5  # and of the code of a later part that equals no term
_SURE_FACTOR = 0.8  # from this score of its category, a factor stays before all but the first part
_DOUBTED = 0.55  # below this score of its category, a list as a whole is read by its parts
_HIGHEST = 0.79  # of a code that was taken from one part of a text
_ACCIDENT = ("V", "W", "X", "Y")
_INJURY = ("S", "T")
_FACTOR = "Z"
_LESSER = ("R", _FACTOR, *_ACCIDENT)
_REFUSED = ("reads like a", "is the name of a")


def with_told_diagnosis(mappings: Sequence[Mapping], policy: Policy) -> list[Mapping]:
    """Return the mappings, with the diagnosis of a note in front of what led to it.

    Only where the whole text got the code of a complaint, an accident or a factor, was taken for
    something else than a diagnosis, or is a list whose code is in doubt. The parts of all such
    notes are searched together, and each is decided by itself.
    """
    if policy.retriever.tree.release != "icd10cm":
        return list(mappings)
    read = policy.retriever.read
    parts = {
        place: _parts(one)
        for place, one in enumerate(mappings)
        if _is_asked(one) and not read(one.text).excluded
    }
    texts = dict.fromkeys(
        text for place, some in parts.items() for text in _asked(mappings[place], some, policy)
    )
    coded = decided_alone(list(texts), policy)
    return [
        _with_diagnosis(mapping, parts.get(place, ()), coded, policy)
        for place, mapping in enumerate(mappings)
    ]


def _is_asked(mapping: Mapping) -> bool:
    if mapping.source == WRITTEN:
        return False
    if mapping.code is None:
        return (mapping.reason or "").startswith(_REFUSED)
    is_doubted = _is_lesser(mapping) or mapping.category_score < _DOUBTED
    return mapping.decided_by == "embedded" and is_doubted


def _is_lesser(mapping: Mapping) -> bool:
    return mapping.code is None or mapping.code.startswith(_LESSER)


def _parts(mapping: Mapping) -> tuple[str, ...]:
    parts = (part.strip(" .:") for part in _BETWEEN.split(mapping.text[:LONGEST]))
    named = tuple(dict.fromkeys(part for part in parts if sum(map(str.isalpha, part)) > 1))
    return named if 1 < len(named) <= _MOST else ()


def _asked(mapping: Mapping, parts: Sequence[str], policy: Policy) -> Iterator[str]:
    """Yield the texts to decide: parts, and with an accident what each is as an injury.

    No part is searched that could not be the diagnosis: of a text whose code is in doubt only parts
    that are terms, beside a factor also the first part, and beside an encounter none.
    """
    own, known = mapping.code or "", partial(is_known, retriever=policy.retriever)
    if own.startswith(_listed("encounter")):
        return
    if own.startswith(_FACTOR):
        yield from parts[:1]
        if mapping.category_score < _SURE_FACTOR:
            yield from filter(known, parts[1:])
        return
    yield from parts if own.startswith(_LESSER) else filter(known, parts)
    if own.startswith(_ACCIDENT):
        yield from filter(known, map(_by_accident, parts))


def _by_accident(part: str) -> str:
    return f"traumatic {part}"


def _with_diagnosis(
    mapping: Mapping, parts: Sequence[str], coded: ReadOnly[str, Mapping], policy: Policy
) -> Mapping:
    if not parts:
        return mapping
    own, accident = mapping.code or "", None
    if own.startswith(_ACCIDENT):
        accident = Coded(Part(mapping.text, mapping.text, "beside"), own, 1.0, 1.0)
        injuries = {part: coded.get(_by_accident(part)) for part in parts}
        coded = {**coded, **{part: one for part, one in injuries.items() if one}}
    known = [(part, coded[part]) for part in parts if part in coded]
    if _is_lesser(mapping):
        is_main = partial(_is_main, mapping, policy.retriever.tree)
        mains = [(part, one) for part, one in known if is_main(one, part == parts[0])]
        injuries_first = sorted(
            mains, key=lambda pair: accident is not None and not _is_injury(pair[1])
        )
        main = next(iter(injuries_first), None)
    else:
        main = _named_beside(parts, coded, own)
    if main is None:
        return mapping
    part, one = main
    score, category_score = min(one.score, _HIGHEST), min(one.category_score, _HIGHEST)
    reached = category_score if policy.specificity == "category" else score
    if reached < policy.min_score:
        return mapping
    diagnosis = Coded(Part(part, part, "beside"), one.code or "", score, category_score)
    ranked = [candidate.code for candidate in one.candidates]
    return with_main(replace(mapping, status="mapped"), diagnosis, accident, ranked, policy)


def _named_beside(
    parts: Sequence[str], coded: ReadOnly[str, Mapping], own: str
) -> tuple[str, Mapping] | None:
    """Return the first disease of a text whose parts up to it are terms, none of the code's.

    What such a text is nearest to as a whole is mostly a condition that it does not name:
    "pneumonia, fever" does not name Q fever. Of a list of complaints the first counts.
    """
    if any(one and (one.code or "")[:3] == own[:3] for one in map(coded.get, parts)):
        return None
    lesser = (*_LESSER, *_listed("chronic"), *_listed("complaint"))
    for part in parts:
        one = coded.get(part)
        if one is None or one.decided_by != "exact":
            return None
        if not (one.code or "").startswith(lesser):
            return part, one
    return parts[0], coded[parts[0]]


def _is_injury(mapping: Mapping) -> bool:
    return (mapping.code or "").startswith(_INJURY)


def _is_main(whole: Mapping, tree: Tree, part: Mapping, is_first: bool) -> bool:
    """Return whether a part of a note may be its diagnosis.

    What stands before a factor is what the note is about, also a complaint: "GBM, XRT, seizure
    prophylaxis", "cough, h/o pneumonia". A condition is not what a note of its history is about,
    and an encounter stays first (guidelines, section I.C.21).
    """
    code, of_whole = part.code or "", whole.code or ""
    if code.startswith((_FACTOR, *_ACCIDENT)) or part.category_score < _SURE:
        return False
    if of_whole.startswith(_FACTOR):
        if of_whole.startswith(_listed("encounter")):
            return False
        if is_first:
            return not is_history_of(of_whole, code, tree)
        if whole.category_score >= _SURE_FACTOR or part.decided_by != "exact":
            return False
    is_accident = of_whole.startswith(_ACCIDENT)
    if code.startswith((*_listed("complaint"), *_listed("chronic"))):
        return False
    is_sure = part.decided_by == "exact" or (is_accident and _is_injury(part))
    return is_sure or (bool(of_whole) and part.score >= _SURE_CODE)


@cache
def _listed(kind: str) -> tuple[str, ...]:
    """Return the codes of a kind in data/parts.tsv: chronic, complaint or encounter."""
    return tuple(code for code, listed, _ in packaged_rows("parts.tsv") if listed == kind)
