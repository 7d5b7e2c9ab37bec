"""Of several diagnoses in one cell the first counts: "1. Acute MI 2. Cardiogenic shock 3. AKI"."""

from collections.abc import Sequence
from dataclasses import replace

from ..combinations import LEAST, Coded
from ..mapping import WRITTEN, Mapping
from ..policy import Policy
from ..put_first import is_joined, with_main
from ..reading.joined import Part
from ..settled import joined_remarks, without_code
from .alone import Alone, read_alone
from .kinds import ACCIDENT, FACTOR, SYMPTOM, listed_codes

_SURE = 0.8  # from this score of its category, the code of the whole cell stays


def with_first_listed(mappings: Sequence[Mapping], policy: Policy) -> list[Mapping]:
    """Return the mappings, with the first diagnosis of a cell that lists several in front.

    A complaint, a chronic condition and a state give way to a disease as in notes. What the table
    of combinations joins with it has one code. A cell of which each part is refused
    by itself gets none. The parts of all cells are searched together.
    """
    listed = {place: one.parts for place, one in enumerate(mappings) if _is_asked(one)}
    named = dict.fromkeys(part for parts in listed.values() for part in parts)
    alone = read_alone(list(named), policy)
    return [
        _with_first(one, [alone[part] for part in listed[place]], policy)
        if place in listed
        else one
        for place, one in enumerate(mappings)
    ]


def _is_asked(mapping: Mapping) -> bool:
    """Return whether a cell lists several diagnoses and its own code is in doubt."""
    if not mapping.parts or mapping.source == WRITTEN or mapping.decided_by == "exact":
        return False
    return mapping.code is not None and not is_joined(mapping) and mapping.category_score < _SURE


def _with_first(mapping: Mapping, parts: Sequence[Alone], policy: Policy) -> Mapping:
    mapped = [part.mapping for part in parts if part.mapping.code]
    if not mapped:
        reason = joined_remarks(parts[0].mapping.reason, mapping.reason)
        return replace(without_code(mapping), status="unmapped", decided_by="none", reason=reason)
    first = min(mapped, key=_class)
    others = [one for one in mapped if one is not first]
    reached = first.category_score if policy.specificity == "category" else first.score
    if first.category_score <= mapping.category_score or reached < policy.min_score:
        return mapping
    ranked = [candidate.code for candidate in first.candidates]
    beside = [_coded(one) for one in others if one.category_score >= LEAST]
    return with_main(mapping, _coded(first), beside, None, ranked, policy)


def _class(one: Mapping) -> int:
    """Return 0 for a disease, then complaints, chronic conditions, and what is no condition."""
    code = one.candidates[0].code
    if code.startswith((FACTOR, *ACCIDENT)):
        return 3
    if code.startswith(listed_codes("chronic")):
        return 2
    return int(code.startswith((SYMPTOM, *listed_codes("complaint"))))


def _coded(one: Mapping) -> Coded:
    part = Part(one.text, one.text, "beside")
    return Coded(part, one.candidates[0].code, one.score, one.category_score)
