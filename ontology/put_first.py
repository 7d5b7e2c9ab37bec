"""Put a condition of a text in front of what the whole text is nearest to, and codes beside it."""

from collections.abc import Sequence
from dataclasses import replace

from .combinations import (
    INJURY,
    SECONDARY,
    STATED,
    Coded,
    Joined,
    accidents_of,
    asks_for,
    find_combination,
    in_line,
    join,
    note_for,
)
from .mapping import WRITTEN, Additional, Candidate, Mapping, band_of
from .policy import Policy
from .reading.measured import measures_in
from .reading.normalise import LONGEST, normalise_text
from .settled import joined_remarks, remark_on
from .specificity import at_specificity
from .tree import Tree

_LEAST = 1e-4  # of the score of a candidate
_CODE_OF = "the code of "
_HIGHEST = 0.9  # of a code that was put together from two conditions


def with_main(
    mapping: Mapping,
    main: Coded,
    others: Sequence[Coded],
    accident: Coded | None,
    ranked: Sequence[str],
    policy: Policy,
) -> Mapping:
    """Return the mapping with a condition of its text in front, and what stands beside that.

    others: the other conditions of the text; those count that the table of combinations joins with
    the first. accident: the accident that the mapping has the code of, which stands beside the
    injury. ranked: the codes of the candidates of the condition by itself.
    """
    tree = policy.retriever.tree
    joined = joined_with(main, others, tree)
    further = (*joined.further, *accidents_of([accident], tree))
    plain = replace(mapping, additional=(), reason=None)
    state = replace(joined, mapping=plain, further=further)
    first = with_beside(put_first(state, list(state.named), policy, ranked), state, policy)
    remark = remark_on(first, policy.retriever.read(mapping.text), policy)
    told = replace(first, reason=joined_remarks(first.reason, remark))
    return with_measures(told, policy)


def joined_with(main: Coded, others: Sequence[Coded], tree: Tree) -> Joined:
    """Return a condition with those of others that the table of combinations joins with it."""
    state = Joined(Mapping(main.part.text, "mapped"), main.code, (main,), ())
    left = list(others)
    while True:
        for other in left:
            step = join(state, other, tree)
            # Notes of the release may join one that the table does not; what is listed stays so.
            if step and step.is_listed and len(step.named) > len(state.named):
                state = step
                left.remove(other)  # what comes next may be joined with one that was passed over
                break
        else:
            return state


def is_joined(mapping: Mapping) -> bool:
    """Return whether a text got the code of conditions that it joins, or further codes."""
    if any(candidate.why.startswith(_CODE_OF) for candidate in mapping.candidates[:1]):
        return True
    if not mapping.additional:
        return False
    measured = {measure.span for measure in measures_in(mapping.text[:LONGEST])}
    return any(one.text not in measured for one in mapping.additional)


def put_first(
    state: Joined, coded: list[Coded], policy: Policy, ranked: Sequence[str] = ()
) -> Mapping:
    """Return the mapping with the code of the joined conditions in front of the candidates."""
    tree, mapping = policy.retriever.tree, state.mapping
    main = [one for one in coded if one.code == state.code] or coded[:1]
    counted = coded if state.combined else main[:1]
    score = round(min(_HIGHEST, *(one.score for one in counted)), 4)
    category_score = max(score, round(min(one.category_score for one in counted), 4))
    name = tree.name(state.code)
    spans = " and ".join(repr(one.part.span) for one in counted)
    why = f"{_CODE_OF}{spans}" + ("" if state.combined else ", which the text joins with others")
    first = Candidate(state.code, name, name, "official", score, category_score, why)
    others = _others(mapping.candidates, first, tree)
    code = at_specificity(state.code, policy.specificity, tree, ranked, mapping.text)
    told = category_score if policy.specificity == "category" else score
    return replace(
        mapping,
        code=code,
        name=tree.name(code),
        term=first.term,
        source=first.source,
        score=told,
        category_score=category_score,
        decided_by="embedded",
        band=band_of(told, "embedded"),
        candidates=(first, *others)[: policy.top_k],
        reason="; ".join(filter(None, (f"{state.code} is {why}", mapping.reason))),
    )


def _others(candidates: Sequence[Candidate], first: Candidate, tree: Tree) -> tuple[Candidate, ...]:
    """Return the other candidates, with what the first and its category leave them."""
    category = tree.category(first.code)
    left = [one for one in candidates if one.code != first.code]
    near = [one for one in left if tree.category(one.code) == category]
    inside = (first.category_score - first.score) / max(sum(one.score for one in near), _LEAST)
    within, outside = min(1 - first.score, inside), 1 - first.category_score
    scaled = [
        replace(
            one,
            score=min(round(one.score * within, 4), first.score),
            category_score=first.category_score,
        )
        if one in near
        else replace(
            one,
            score=min(round(one.score * outside, 4), first.score),
            category_score=round(one.category_score * outside, 4),
        )
        for one in left
    ]
    return tuple(sorted(scaled, key=lambda one: -one.score))


def with_beside(mapping: Mapping, state: Joined, policy: Policy) -> Mapping:
    """Return the mapping with its further codes, but none of its own category or above another.

    Secondary tumors of several places have codes of one category.
    """
    tree, own = policy.retriever.tree, mapping.code or ""
    above = {  # a block of one category has its code: "C50" is above "C50"
        node.code
        for one in state.further
        for node in tree.ancestors(one.code)
        if node.code != one.code
    }
    beside: dict[str, Additional] = {}  # two places of one text may have the same code
    for one in state.further:
        is_named = in_line(one.code, own, tree) or one.code in above
        is_other = tree.category(one.code) != tree.category(own) or one.code.startswith(SECONDARY)
        if not is_named and (state.combined or is_other):
            code = at_specificity(one.code, policy.specificity, tree, (), one.text)
            beside.setdefault(code, replace(one, code=code, name=tree.name(code)))
    return replace(mapping, additional=tuple(beside.values()))


def noted(state: Joined, code: str, tree: Tree) -> Joined:
    """Return the state with the further codes for which `code` or they themselves have a note."""
    name = set(normalise_text(tree.name(code)).split())
    pairs = (
        (one, note_for(code, one.code, tree) or _why_stated(code, one))
        for one in state.further
        if not set(normalise_text(one.text).split()) <= name
        or asks_for(code, one.code, tree)
        or one.code.startswith(INJURY)
    )
    return replace(state, further=tuple(replace(one, why=note) for one, note in pairs if note))


def _why_stated(code: str, one: Additional) -> str | None:
    """Return why a code stands beside any code of the text: by the table, or as its cause."""
    line = find_combination(code, one.code)
    is_listed = line is not None and line.code == "{first}" and line.further == "second"
    return one.why if is_listed or one.why in STATED else None


def with_measures(mapping: Mapping, policy: Policy) -> Mapping:
    """Return the mapping with the codes of numbers beside it for which it has a note.

    A joint of the text may have brought such a code before ("obesity with BMI 45").
    """
    if mapping.code is None or mapping.source == WRITTEN or policy.specificity == "category":
        return mapping
    measures = measures_in(mapping.text[:LONGEST])
    if not measures:
        return mapping
    tree, rows = policy.retriever.tree, policy.retriever.index.rows
    beside = {one.code: one for one in mapping.additional}
    for measure in measures:
        for row in rows.exact.get(normalise_text(measure.term), ())[:1]:
            code = rows.terms[row].code
            note = asks_for(mapping.code, code, tree)
            if note and not in_line(mapping.code, code, tree):
                beside.setdefault(code, Additional(code, tree.name(code), 1.0, measure.span, note))
    return replace(mapping, additional=tuple(beside.values()))
