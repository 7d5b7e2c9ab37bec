"""Give a mapping the code of a candidate, and say what a reader should know about it."""

from dataclasses import replace
from typing import Literal

from .factors import is_factor
from .left_out import left_out
from .mapping import Candidate, Mapping, band_of
from .policy import Policy
from .reading.normalise import normalise_text
from .reading.query import Query, read_query
from .reading.several import listed_parts
from .search.retrieve import Retriever
from .specificity import at_specificity


def settle(
    mapping: Mapping,
    candidate: Candidate,
    by: Literal["exact", "embedded", "llm"],
    policy: Policy,
) -> Mapping:
    """Return the mapping with the code of a candidate, at the wanted specificity."""
    tree = policy.retriever.tree
    ranked = [choice.code for choice in mapping.candidates]
    text = mapping.translation or mapping.text
    code = at_specificity(candidate.code, policy.specificity, tree, ranked, text)
    wide = policy.specificity == "category"
    score = candidate.category_score if wide else candidate.score
    return replace(
        mapping,
        status="mapped",
        code=code,
        name=tree.name(code),
        term=candidate.term,
        source=candidate.source,
        score=score,
        category_score=candidate.category_score,
        decided_by=by,
        band=band_of(score, by),
    )


def without_code(mapping: Mapping) -> Mapping:
    """Return the mapping without a code and without all that belongs to it."""
    return replace(
        mapping,
        code=None,
        name=None,
        term=None,
        source=None,
        score=0.0,
        category_score=0.0,
        band=None,
        additional=(),
    )


def remark_on(mapping: Mapping, query: Query, policy: Policy) -> str | None:
    """Return what a reader should know about a mapping with a code, else None."""
    if query.frame and mapping.code and not is_factor(mapping.code, policy.retriever.tree):
        words = " ".join(filter(None, (query.set_aside, query.frame.written)))
        query = replace(query, set_aside=words)
    remark = plain_remark(query, mapping.parts, _listed(mapping, policy.retriever))
    return joined_remarks(remark, left_out(mapping, policy.retriever.tree, policy.specificity))


def _listed(mapping: Mapping, retriever: Retriever) -> tuple[str, ...]:
    """Return the parts between commas or "and", where every part is a term by itself.

    Returns nothing where the chosen term or name holds all words ("Anemia, iron deficiency").
    """
    if mapping.decided_by == "exact" or mapping.parts or mapping.translation:
        return ()
    parts = listed_parts(mapping.text)
    words = normalise_text(f"{mapping.term} {mapping.name}").split()
    if set(normalise_text(" ".join(parts)).split()) <= set(words):
        return ()
    return parts if all(is_known(part, retriever) for part in parts) else ()


def plain_remark(query: Query, parts: tuple[str, ...], listed: tuple[str, ...] = ()) -> str | None:
    """Return what the reading of a text says: several diagnoses, two meanings, words set aside."""
    remarks = []
    if listed:
        remarks.append(listed_remark(listed))
    if parts:
        remarks.append(f"{len(parts)} diagnoses in one text; --split maps each")
    for entry in query.ambiguous:
        remarks.append(f"{entry.short} may mean {' or '.join(entry.expansions)}")
    for entry in query.expanded:
        if entry.kind == "context":
            remarks.append(f"{entry.short} was read as {entry.expansions[0]}")
    if query.set_aside:
        remarks.append(f"{query.set_aside!r} was set aside: the code is that of the condition")
    return "; ".join(remarks) or None


def listed_remark(parts: tuple[str, ...]) -> str:
    """Return what is said of a list that has one code."""
    return (
        f"may name {len(parts)} diagnoses and has one code; "
        f"if it is written {'; '.join(parts)!r}, --split maps each"
    )


def is_known(text: str, retriever: Retriever) -> bool:
    """Return whether a text is a term."""
    return bool(retriever.look_up(read_query(text)))


def joined_remarks(*remarks: str | None) -> str | None:
    """Return the remarks as one, None where there are none."""
    return "; ".join(filter(None, remarks)) or None
