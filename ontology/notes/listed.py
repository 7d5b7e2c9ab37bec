"""Of several diagnoses in one cell the first counts: "1. Acute MI 2. Cardiogenic shock 3. AKI"."""

from collections.abc import Sequence
from dataclasses import replace

from ..combinations import Coded
from ..mapping import WRITTEN, Mapping
from ..policy import Policy
from ..put_first import is_joined, with_main
from ..reading.joined import Part
from ..settled import joined_remarks, without_code
from .alone import Alone, read_alone

_SURE = 0.8  # from this score of its category, the code of the whole cell stays


def with_first_listed(mappings: Sequence[Mapping], policy: Policy) -> list[Mapping]:
    """Return the mappings, with the first diagnosis of a cell that lists several in front.

    A cell of which each part is refused by itself gets no code. The parts of all cells are searched
    together.
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
    first = next((part.mapping for part in parts if part.mapping.code), None)
    if first is None or first.code is None:
        reason = joined_remarks(parts[0].mapping.reason, mapping.reason)
        return replace(without_code(mapping), status="unmapped", decided_by="none", reason=reason)
    if first.category_score <= mapping.category_score or not first.candidates:
        return mapping
    part = Part(first.text, first.text, "beside")
    main = Coded(part, first.candidates[0].code, first.score, first.category_score)
    ranked = [candidate.code for candidate in first.candidates]
    return with_main(mapping, main, (), None, ranked, policy)
