"""Find the diagnosis of a note among those of its parts.

"Dysuria x3d, UA nit+, macrobid, UTI" is a urinary tract infection, and "fell off ladder, L hip fx"
a fracture. What the text as a whole is nearest to is mostly the complaint or the accident that it
begins with. The guidelines of ICD-10-CM code a sign or symptom only where no diagnosis explains it
(section I.B.4), and an accident never first (section I.C.20). A small network weighs the codes of
the parts against each other and against that of the whole (options.py, model.py).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..combinations import LEAST, Coded
from ..mapping import Mapping
from ..policy import Policy
from ..put_first import is_joined, joined_with, with_main
from ..reading.joined import Part
from ..settled import is_known
from .alone import Alone, is_doubted, read_alone
from .asked import is_asked, may_join_more
from .kinds import ACCIDENT, CATEGORY, Option, ReadPart, is_clear
from .model import likeliest, load_note_model
from .options import options_of
from .order import ruled_out
from .parts import ONLY_TERMS, NotePart, read_note, wordings_in_context
from .patient import patient_of
from .retold import retold

_HIGHEST = 0.79  # of a code that was taken from one part of a text
_LEAST = 1e-4  # of the score of a candidate
_OVER = re.compile(r"\b(?:resolved|outgrown|grown out|gone|cured|healed)\b", re.IGNORECASE)
_CLEAR = 0.5  # the least share of a category in a text that was taken for something else


def with_told_diagnosis(mappings: Sequence[Mapping], policy: Policy) -> list[Mapping]:
    """Return the mappings, with the diagnosis of a note in front of what led to it.

    Only where the code of the whole text is in doubt, or where it was taken for something else than
    a diagnosis. The parts of all such notes are searched together.
    """
    if policy.retriever.tree.release != "icd10cm":
        return list(mappings)
    notes = read_notes(mappings, policy)
    more = _read(mappings, policy, may_join_more)
    return [
        _with_diagnosis(mapping, notes[place], policy)
        if place in notes
        else _with_joined(mapping, more.get(place, ()), policy)
        for place, mapping in enumerate(mappings)
    ]


def read_notes(mappings: Sequence[Mapping], policy: Policy) -> dict[int, tuple[ReadPart, ...]]:
    """Return what the parts of the notes that are asked mean by themselves, by their places."""
    return _read(mappings, policy, is_asked)


def _read(
    mappings: Sequence[Mapping], policy: Policy, is_read: Callable[[Mapping, Policy], bool]
) -> dict[int, tuple[ReadPart, ...]]:
    texts = {place: one.text for place, one in enumerate(mappings) if is_read(one, policy)}
    noted = {place: _worded(text, policy) for place, text in texts.items()}
    worded = dict.fromkeys(one.words for parts in noted.values() for one in parts)
    alone = read_alone(list(worded), policy)
    return {
        place: tuple(one.read(alone[one.words]) for one in parts)
        for place, parts in noted.items()
        if parts
    }


class _Worded(NamedTuple):
    """A wording in which a part of a note is searched; the rest is as in `ReadPart`."""

    part: NotePart
    place: int
    words: str
    in_context: bool = False
    told: tuple[str, ...] = ()

    def read(self, alone: Alone) -> ReadPart:
        """Return the part with what the wording means by itself."""
        in_context = self.in_context or bool(self.told)
        return ReadPart(self.part, self.place, alone.query, alone.mapping, in_context, self.told)


def _worded(text: str, policy: Policy) -> list[_Worded]:
    """Return the wordings in which the parts of a note are searched."""
    worded = []
    parts = read_note(text)
    for place, part in enumerate(parts):
        worded.append(_Worded(part, place, part.searched))
        for kind, words in wordings_in_context(part, text):
            if kind not in ONLY_TERMS or is_known(words, policy.retriever):
                worded.append(_Worded(part, place, words, in_context=True))
    whole = parts or (NotePart(text, text, "first"),)
    for told in retold(text, parts):
        worded.append(_Worded(whole[told.place], told.place, told.words, told=told.codes))
    return worded


def _with_diagnosis(mapping: Mapping, parts: Sequence[ReadPart], policy: Policy) -> Mapping:
    options, rows = options_of(mapping, parts, policy.retriever.tree)
    shares = load_note_model().shares(rows)
    best, of_category = likeliest([option.code for option in options], shares)
    option, read = options[best], options[best].read
    first = mapping.candidates[0].code if mapping.code and mapping.candidates else None
    is_same = first is not None and option.code[:3] == first[:3] and not _is_told(option, mapping)
    is_surer = read is not None and _is_surer(read, mapping, parts)
    is_other_accident = option.code.startswith(ACCIDENT) and (first or "").startswith(ACCIDENT)
    if read is None or (is_same and not is_surer) or is_other_accident:
        return _with_joined(mapping, parts, policy)
    # No surer than what the part says by itself or the whole text says of the category.
    told = [one.category_score for one in mapping.candidates if one.code[:3] == option.code[:3]]
    category_score = min(of_category, _HIGHEST, max(told, default=0.0) + option.category_score)
    of_part = next(one for one in read.mapping.candidates if one.code[:3] == option.code[:3])
    score = category_score * of_part.score / max(of_part.category_score, of_part.score, _LEAST)
    reached = category_score if policy.specificity == "category" else score
    is_term = read.mapping.decided_by == "exact" and not is_doubted(read.query)
    doubted = read.mapping.code is None or (category_score < _CLEAR and not is_term)
    refused = mapping.code is None and doubted
    if reached < policy.min_score or refused:
        return mapping
    part = read.part.text
    diagnosis = Coded(Part(part, part, "beside"), of_part.code, score, category_score)
    ranked = [candidate.code for candidate in read.mapping.candidates]
    mapped = replace(mapping, status="mapped")
    others = _conditions(mapping.text, parts, read.place)
    return with_main(mapped, diagnosis, others, _accident(mapping), ranked, policy)


def _is_told(option: Option, mapping: Mapping) -> bool:
    """Return whether the whole note tells another code than the first of the text, or surer."""
    told = option.read.told if option.read else ()
    first = mapping.candidates[0]
    return bool(told) and not (first.code.startswith(told) and first.score >= option.score)


def _is_surer(read: ReadPart, mapping: Mapping, parts: Sequence[ReadPart]) -> bool:
    """Return whether a part of a plain list is surer of its category than the whole text is."""
    is_list = {one.part.cue for one in parts} <= {"first", "listed"}
    is_there = is_list and _OVER.search(mapping.text) is None
    return is_there and is_clear(read) and mapping.category_score < _CLEAR


def _with_joined(mapping: Mapping, parts: Sequence[ReadPart], policy: Policy) -> Mapping:
    """Return the mapping of the whole text, with what the table joins it with in its parts."""
    first = next(iter(mapping.candidates), None)
    if mapping.code is None or first is None or mapping.decided_by != "embedded":
        return mapping
    if mapping.parts or (is_joined(mapping) and not parts):
        return mapping
    own = Part(mapping.text, mapping.text, "beside")
    main = Coded(own, first.code, first.score, first.category_score)
    ranked = [candidate.code for candidate in mapping.candidates]
    conditions = _conditions(mapping.text, parts)
    others = [one for one in conditions if one.code[:3] != first.code[:3]]
    joined = joined_with(main, others, policy.retriever.tree)
    if is_joined(mapping):
        is_more = joined.code[:CATEGORY] != first.code[:CATEGORY]
    else:
        is_more = joined.combined or joined.code != first.code
    if not is_more:
        return mapping
    return with_main(mapping, main, joined.named[1:], None, ranked, policy)


def _conditions(note: str, parts: Sequence[ReadPart], but: int = -1) -> list[Coded]:
    """Return the conditions of today among the parts of a note, each with its code by itself."""
    conditions = [
        Coded(Part(read.part.text, read.part.text, "beside"), code, read.mapping.score, share)
        for read in parts
        if read.place != but and not read.in_context and not is_doubted(read.query)
        if (code := read.mapping.code)
        if (share := read.mapping.category_score) >= LEAST
        if not code.startswith(ruled_out(note))
    ]
    if patient := patient_of(note):
        said = Part(patient.words, patient.words, "beside")
        conditions.append(Coded(said, patient.code, 1.0, 1.0))
    return conditions


def _accident(mapping: Mapping) -> Coded | None:
    """Return the accident that a text got the code of."""
    code = mapping.code or ""
    if not code.startswith(ACCIDENT):
        return None
    return Coded(Part(mapping.text, mapping.text, "beside"), code, 1.0, 1.0)
