"""Further codes beside the first, where a text joins conditions that no single code names.

Nothing is invented: each further condition stands in the text, has a code of its own with a score
of at least 0.5, and a reason in words.
"""

from collections.abc import Mapping as ReadOnly
from collections.abc import Sequence
from dataclasses import replace

from .combinations import (
    CAUSES,
    LEAST,
    OF_CAUSE,
    Coded,
    Joined,
    accidents_of,
    additional_of,
    disease_beside,
    in_line,
    is_drug,
    is_effect,
    is_unsaid_newborn,
    join,
    names_drug,
    note_for,
    says_no_disease,
)
from .factors import is_factor
from .mapping import WRITTEN, Mapping
from .notes.alone import decided_alone
from .policy import Policy
from .put_first import noted, put_first, with_beside, with_measures
from .reading.abbreviations import expand_abbreviations
from .reading.agents import agent
from .reading.joined import Part
from .reading.normalise import normalise_text
from .reading.parted import readings_of
from .reading.several import listed_parts
from .settled import listed_remark
from .specificity import side_of
from .tree import Tree


def with_further(mappings: Sequence[Mapping], policy: Policy) -> list[Mapping]:
    """Return the mappings, with a combination code or further codes where a text joins conditions.

    The conditions of all texts are searched together, and each is decided by itself.
    """
    joined = {
        place: [parts for parts in readings_of(mapping.text) if _may_join(parts, policy)]
        for place, mapping in enumerate(mappings)
        if mapping.status == "mapped" and mapping.source != WRITTEN and not mapping.parts
    }
    parts = [part for readings in joined.values() for parts in readings for part in parts]
    texts = dict.fromkeys(text for part in parts for text in (part.text, *_sided(part)))
    coded = decided_alone([text for text in texts if agent(text) is None], policy)
    return [
        with_measures(_by_readings(mapping, joined.get(place, ()), coded, policy), policy)
        for place, mapping in enumerate(mappings)
    ]


def _may_join(parts: Sequence[Part], policy: Policy) -> bool:
    """Return whether parts may be conditions: those of a list are terms.

    Most lists are details of one condition ("Fracture, femur, sequela"), and a search for each part
    costs a quarter of all time.
    """
    if not parts or parts[0].relation != "beside":
        return True
    written = (expand_abbreviations(part.text).text for part in parts)
    return all(map(policy.retriever.is_term, map(normalise_text, written)))


def _sided(part: Part) -> tuple[str, ...]:
    """Return the part as it is written where it names a side, which the part's text leaves out."""
    return (part.span,) if part.span != part.text and side_of(part.span) else ()


def _by_readings(
    mapping: Mapping,
    readings: Sequence[tuple[Part, ...]],
    mapped: ReadOnly[str, Mapping],
    policy: Policy,
) -> Mapping:
    """Return the mapping with the codes of the first reading whose conditions are all known."""
    for parts in readings:
        with_codes = _with_codes(mapping, parts, mapped, policy)
        if with_codes is not mapping:
            return with_codes
    return _of_disease(mapping, readings, mapped, policy)


def _of_disease(
    mapping: Mapping,
    readings: Sequence[tuple[Part, ...]],
    mapped: ReadOnly[str, Mapping],
    policy: Policy,
) -> Mapping:
    """Return the mapping with the disease in front of an exposure that caused it."""
    tree = policy.retriever.tree
    own = mapping.code or ""
    if mapping.decided_by == "exact" or tree.release != "icd10cm" or not says_no_disease(own):
        return mapping
    for parts in readings:
        coded = [_coded(part, mapped, tree, is_first=part is parts[0]) for part in parts]
        if main := disease_beside(own, coded):
            state = Joined(mapping, main.code, (main,), accidents_of(coded, tree))
            return with_beside(put_first(state, [main], policy), state, policy)
    return mapping


def _with_codes(
    mapping: Mapping, parts: tuple[Part, ...], mapped: ReadOnly[str, Mapping], policy: Policy
) -> Mapping:
    if not parts or policy.specificity == "category":
        return mapping
    tree = policy.retriever.tree
    if tree.release != "icd10cm":
        return mapping
    coded = [_coded(part, mapped, tree, is_first=part is parts[0]) for part in parts]
    first = coded[0]
    if (
        first is None
        or not all(coded)
        or (parts[-1].relation == "agent" and not is_effect(first, parts[-1], tree))
    ):
        return mapping
    state = Joined(mapping, first.code, (first,), ())
    for condition in coded[1:]:
        assert condition
        step = join(state, condition, tree)
        if step is None:
            is_list = parts[0].relation == "beside"
            return mapping if is_list else _by_notes(mapping, coded, policy)
        state = step
    if parts[0].relation == "beside":
        if not state.combined:  # a list joins nothing but what one code names
            return mapping
        remark = listed_remark(listed_parts(mapping.text))
        reason = (mapping.reason or "").replace(remark, "").strip("; ") or None
        state = replace(state, mapping=replace(mapping, reason=reason))
    return _settled(state, [one for one in coded if one], policy)


def _by_notes(mapping: Mapping, coded: Sequence[Coded | None], policy: Policy) -> Mapping:
    """Return the mapping with the conditions of which the release has a note at its own code."""
    tree, own = policy.retriever.tree, mapping.code or ""
    if mapping.category_score < LEAST or any(one and in_line(one.code, own, tree) for one in coded):
        return mapping
    noted = ((one, note_for(own, one.code, tree)) for one in coded if one)
    further = tuple(additional_of(one, note, tree) for one, note in noted if note)
    return with_beside(mapping, Joined(mapping, own, (), further), policy) if further else mapping


def _coded(
    part: Part, mapped: ReadOnly[str, Mapping], tree: Tree, *, is_first: bool
) -> Coded | None:
    """Return a condition with its code, None where that is in doubt.

    The category of a condition that is a term must be right with `LEAST`, else the code itself; for
    the first condition the category is enough.
    """
    if code := agent(part.text):
        return Coded(part, code, 1.0, 1.0)
    mapping = mapped.get(part.text)
    for sided in (mapped.get(text) for text in _sided(part) if is_first):
        if sided and sided.name and side_of(sided.name) == side_of(part.span):
            mapping = sided
    if (
        mapping is None
        or mapping.code is None
        or is_unsaid_newborn(mapping.code, mapping.text, tree)
    ):
        return None
    is_category = is_first or mapping.decided_by == "exact"
    if (mapping.category_score if is_category else mapping.score) < LEAST:
        return None
    return Coded(part, mapping.code, mapping.score, mapping.category_score)


def _settled(state: Joined, coded: list[Coded], policy: Policy) -> Mapping:
    """Return the mapping with the codes of the joined conditions where they are better."""
    tree, mapping = policy.retriever.tree, state.mapping
    own, code = mapping.code or "", state.code
    main = next((one for one in coded if one.code == code), coded[0])
    if in_line(own, code, tree):
        if tree.node(own) in tree.ancestors(code) and state.combined:
            return with_beside(put_first(state, coded, policy), state, policy)
        names_more = not state.combined and tree.node(code) in tree.ancestors(own)
        is_combination = state.combined and own == code
        if is_combination or (not names_more and mapping.decided_by != "exact"):
            return with_beside(mapping, state, policy)
        return with_beside(mapping, noted(state, own, tree), policy)
    if mapping.decided_by == "exact" and mapping.category_score >= LEAST:
        return with_beside(mapping, noted(state, own, tree), policy)
    is_sibling = tree.parent(own) == tree.parent(code)
    says_more = state.combined or side_of(tree.name(own)) is not None
    if is_sibling and says_more and mapping.category_score >= LEAST:
        return with_beside(mapping, noted(state, own, tree), policy)
    if state.combined:
        return with_beside(put_first(state, coded, policy), state, policy)
    if state.is_listed:
        return with_beside(put_first(state, coded, policy), state, policy)
    if tree.category(own) == tree.category(main.code) and mapping.score >= LEAST:
        return with_beside(mapping, noted(state, own, tree), policy)
    if any(map(is_drug, coded)) and names_drug(mapping.name or ""):
        return with_beside(mapping, noted(state, own, tree), policy)
    weakest = min(one.category_score for one in coded)
    # A code of a later condition alone leaves out what the text begins with.
    is_later = any(in_line(own, one.code, tree) for one in coded if one is not main)
    is_later = is_later or (own.startswith(OF_CAUSE) and not main.code.startswith(OF_CAUSE))
    doubted = is_later or weakest > mapping.category_score
    doubted = doubted and not is_factor(main.code, tree)
    if not doubted or _names_all(mapping, coded):
        return mapping
    joined = with_beside(put_first(state, coded, policy), state, policy)
    return joined if joined.additional else mapping


def _names_all(mapping: Mapping, coded: list[Coded]) -> bool:
    """Return whether a code's name or term has all words of the conditions and no other cause."""
    has = set(normalise_text(f"{mapping.term} {mapping.name}").split())
    said = set(normalise_text(" ".join(one.part.text for one in coded)).split())
    all_words = set(normalise_text(mapping.text).split())
    return said <= has and not (has & CAUSES) - all_words
