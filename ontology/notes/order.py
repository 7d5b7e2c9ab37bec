"""Which codes of a note may stand first, by the guidelines of ICD-10-CM."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..combinations import INJURY
from ..reading.measured import term_of
from .kinds import (
    ACCIDENT,
    CATEGORY,
    DRUG,
    FACTOR,
    SYMPTOM,
    Option,
    ReadPart,
    is_clear,
    listed_beside,
    listed_codes,
)
from .parts import contexts_of
from .said import has_check_beside

_SURE, _LIKELY = 0.6, 0.5  # the least scores of categories of conditions, and of injuries
_LIKELY_READ = 0.3  # the same of readings that the guidelines put first
_PREGNANCY, _NEWBORN = "O", "P"
_DELIVERY = ("O80", "O82")  # of deliveries without any complication
_TAKEN = re.compile(
    r"\b(?:over-?dos\w*|od|poison\w*|toxic\w*|adverse|reactions?|side effects?|induced|due to|2/2|"
    r"ingest\w*|swallow\w*|withdrawal|allerg\w*|from)\b",
    re.IGNORECASE,
)
ABSENCE = "Z90"
"""How the codes of the absence of organs begin: a complaint of today stands before them."""

_CHECKS = ("Z11", "Z12", "Z13", "Z23")  # screenings and vaccines
# What gives way to a condition in another part, though the note tells it: a state, a history, a
# check, contraception, a loss, an appointment that was missed.
_GIVES_WAY = (
    *("Z85", "Z86", "Z87", "Z89", "Z90", "Z94", "Z95", "Z96", "Z98"),
    *(*_CHECKS, "Z28.2", "Z29.81", "Z30", "Z63.4", "Z91"),
)
_OTHER_TERM = {"full-term": "preterm", "preterm": "full-term"}
_TYPE_1 = re.compile(
    r"\b(?:type\s?-?(?:1|i)|t1\w*|iddm|dm\s?-?(?:1|i)|juvenile|lada|"
    r"insulin[- ]dependent|ketosis|dka)\b",
    re.IGNORECASE,
)
# Codes of which a note must name the organ: an avulsion alone is none of an eye.
_ORGANS = (
    ("S05.7", re.compile(r"\beyes?\b|\bglobe|\benucleat|\borbit|\boptic", re.IGNORECASE)),
    ("I77.2", re.compile(r"\barter\w*|\baort\w*|\baneurysm|\bvess|\bAAA\b", re.IGNORECASE)),
)
_EMOTIONAL, _MOOD = "R45", ("F2", "F3")  # suicidal ideation is a symptom of a depression
_NO_HIV = re.compile(r"\bHIV\W{0,2}(?:neg\w*|-ve|non-?reactive|NR)(?!\w)", re.IGNORECASE)
_DENIED = "says that it is not there"  # how the reason of a part that denies begins


class _Note(NamedTuple):
    """What decides which options of a note may stand first.

    later: codes that others stand before. denied: categories of what its parts deny. not_named:
    the word for the other time of a birth. of_pregnancy: whether it is one of a pregnant patient.
    told: how the codes of what the whole note tells begin. is_named: whether each part is a term.
    first_disease: the place of the first term that is a disease, a chronic one where there is no
    other and no complaint, None without one.
    """

    later: tuple[str, ...]
    denied: tuple[str, ...]
    not_named: str | None
    of_pregnancy: bool
    told: tuple[str, ...]
    has_condition: bool
    is_named: bool
    first_disease: int | None


def may_be_first(
    options: Iterable[Option], parts: Sequence[ReadPart], note: str
) -> tuple[Option, ...]:
    """Return the options that may stand first, all where none of them may.

    A sign or symptom is not coded where a diagnosis explains it, an accident never first, a
    poisoning before what it brings, a code of pregnancy before those of other chapters and never on
    the record of a newborn, a delivery without complications not beside one (guidelines of
    ICD-10-CM, sections I.B.4, I.C.20, I.C.19.e.5, I.C.15.a, I.C.15.n and I.C.16.a), a state or a
    history not before a condition. A drug is no poisoning where the note tells none, diabetes of
    which no type is said is not type 1 (section I.C.4.a.2), what a part denies is not meant by the
    whole text, a birth at term is not preterm, and one common word tells no state. Where each part
    is a term, no other condition is meant, and the first disease counts.
    """
    options = tuple(options)
    read = _read(options, parts, note)
    return tuple(option for option in options if _may_be(option, read)) or options


def ruled_out(note: str) -> tuple[str, ...]:
    """Return how the codes begin that a test of the note rules out: "HIV neg"."""
    return ("B20", "Z21") if _NO_HIV.search(note) else ()


def _read(options: Sequence[Option], parts: Sequence[ReadPart], note: str) -> _Note:
    clear = {read.place: read.mapping.candidates[0].code for read in parts if is_clear(read)}
    diseases = [place for place, code in clear.items() if not code.startswith(listed_beside())]
    lesser = (SYMPTOM, FACTOR, *ACCIDENT, *listed_codes("complaint"))
    explained = (SYMPTOM, *listed_codes("complaint"))
    complains = any(code.startswith(explained) for code in clear.values())
    conditions = [
        place for place, code in clear.items() if not (complains or code.startswith(lesser))
    ]
    told_at = {read.place for read in parts if read.told}
    has_condition = any(map(_is_condition, parts))
    has_other = any(_is_condition(read) for read in parts if read.place not in told_at)
    contexts = contexts_of(note)
    chapters = {one for one in (_PREGNANCY, _NEWBORN) if one in contexts}
    of_other = {_PREGNANCY, _NEWBORN} - chapters if chapters else ()
    second = listed_codes("second")
    later: tuple[str, ...] = (
        *(second if any(_is_condition(read) and not _has(read, second) for read in parts) else ()),
        *of_other,
        *(_DELIVERY if any(map(_is_complicated, options)) else ()),
        *(() if _TYPE_1.search(note) else ("E10",)),
        *((SYMPTOM, *listed_codes("complaint")) if diseases else ()),
        *((_EMOTIONAL,) if any(code.startswith(_MOOD) for code in clear.values()) else ()),
        *(ACCIDENT if diseases or any(map(_is_injury, parts)) else ()),
        *((ABSENCE,) if complains and not told_at else ()),
        *(_CHECKS if has_condition and has_check_beside(note) else ()),
        *ruled_out(note),
        *(code for code, organ in _ORGANS if organ.search(note) is None),
        *(DRUG if _TAKEN.search(note) is None and not any(read.told for read in parts) else ()),
    )
    denied = tuple(
        one.code[:CATEGORY]
        for read in parts
        for one in read.mapping.candidates[:1]
        if (read.mapping.reason or "").startswith(_DENIED)
    )
    return _Note(
        later,
        denied,
        _OTHER_TERM.get(term_of(note)),
        _PREGNANCY in contexts and any(map(_is_of_pregnancy, options)),
        tuple(
            code
            for option in options
            for code in _told_by(option)
            if not (has_other and code.startswith(_GIVES_WAY))
        ),
        has_condition,
        len(clear) == len({read.place for read in parts}),
        next(iter(diseases or conditions), None),
    )


def _may_be(option: Option, note: _Note) -> bool:
    code, read = option.code, option.read
    if note.told:
        return code.startswith(note.told)
    if code.startswith(note.later) or _is_word_of_state(option):
        return False
    if note.has_condition and _is_state(code):
        return False
    if note.not_named and note.not_named in option.words.lower():
        return False
    if note.of_pregnancy and not code.startswith((_PREGNANCY, *listed_codes("encounter"))):
        return False
    if read is None:
        return not (note.is_named or code.startswith(note.denied))
    return not note.is_named or note.first_disease in {None, read.place}


def _is_of_pregnancy(option: Option) -> bool:
    is_likely = option.category_score >= _LIKELY_READ
    return option.code.startswith(_PREGNANCY) and is_likely


def _is_complicated(option: Option) -> bool:
    """Return whether an option is a complication of a pregnancy or a delivery, by a part."""
    is_sure = option.read is not None and option.category_score >= _SURE
    return is_sure and option.code.startswith(_PREGNANCY) and not option.code.startswith(_DELIVERY)


def _told_by(option: Option) -> tuple[str, ...]:
    """Return how the codes of what the whole note tells begin, if an option is likely one of it."""
    told = option.read.told if option.read else ()
    is_likely = option.category_score >= _LIKELY_READ
    return told if is_likely and option.code.startswith(told) else ()


def _is_word_of_state(option: Option) -> bool:
    """Return whether a factor is taken from one word that is no term: "lives" from "lives with"."""
    read = option.read
    if read is None or not option.code.startswith(FACTOR):
        return False
    return read.mapping.decided_by != "exact" and len(read.part.text.split()) == 1


def _is_condition(read: ReadPart) -> bool:
    """Return whether a part is likely a condition of the patient that the note tells of today."""
    mapping = read.mapping
    code = mapping.code or FACTOR
    beside = code.startswith((FACTOR, *ACCIDENT, *DRUG))
    return not (beside or read.query.frame) and mapping.category_score >= _SURE


def _has(read: ReadPart, codes: tuple[str, ...]) -> bool:
    return (read.mapping.code or "").startswith(codes)


def _is_injury(read: ReadPart) -> bool:
    return any(
        one.code.startswith(INJURY) and one.category_score >= _LIKELY
        for one in read.mapping.candidates[:1]
    )


def _is_state(code: str) -> bool:
    return code.startswith(FACTOR) and not code.startswith(listed_codes("encounter"))
