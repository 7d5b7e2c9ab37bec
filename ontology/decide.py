"""The policy of mapping: which code a text gets, or why it gets none.

A graph or a plain run searches for candidates first; this module makes every decision about them.
It asks no model: `chosen.py` takes the choice of a model as the place of a candidate.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from .combinations import POISONING
from .confidence import confidence_of, shared_out
from .evidence import Scored
from .factors import is_factor
from .mapping import WRITTEN, Candidate, Mapping
from .other_matter import is_other_in_brackets
from .policy import MIN_SCORE, Policy
from .reading.conditional import is_conditional, is_possible, taken_as_needed
from .reading.denial import (
    before_marker,
    denied_at_end,
    denies_by_sign,
    denies_in_another_language,
    names_a_lack,
    what_is_not_there,
)
from .reading.frames import is_of_another
from .reading.normalise import normalise_text
from .reading.overdose import told_overdose
from .reading.query import Query
from .reading.refusal import composed, contact_words, load_refusal_model, named
from .reading.several import split_diagnoses
from .scored import score_candidates
from .search.rerank import Ranked, shortlist
from .search.retrieve import Hit, Retriever
from .settled import is_known, joined_remarks, plain_remark, remark_on, settle, without_code
from .tree import Tree

_SURE_CONTACT = 0.8  # the score of a factor's category from which no model of refusal is asked
_LIKELY_CONTACT = 0.4  # the same where a frame or a word of the text names a contact
_STATE = re.compile(r"^(?:Presence|Acquired absence|Dependence|Resistance)|history|status$|states$")
_DOSES = frozenset("injection refill flush".split())  # a number beside these is a dose
_HISTORY = re.compile(r"^(?:Personal|Family) history")  # of a condition, never a procedure
_STATED = frozenset(
    "status state after post previous prior old past has had absent absence".split()
)
_SHORT_PAST = re.compile(r"(?<!\w)(?:h/o|hx|pmhx?|s/p)(?!\w)", re.IGNORECASE)
_OBSERVED = re.compile(r"\b(?:obs|observ\w*|eval\w*|suspected|susp)\b", re.IGNORECASE)
_AFTER = ("status post ", "history of ")  # how terms name a state by its procedure
_NEAR = 0.2  # the score of a category that is not refused for the score of its code
_TIME = re.compile(
    r"\b(?<!in )(?:\d+[\s-]?(?:days?|weeks?|wks?|months?|mos?|mths?|years?|yrs?|y/?o)|"
    r"(?:19|20)\d\d|(?:day|week|wk|month|age|dol|pod)\s?#?\d{1,3})\b",
    re.IGNORECASE,
)
# A date after a name: "colonoscopy, 2019".
_DATED = re.compile(r"[\s,;:]+(?:(?:19|20)\d\d|\d{1,2}/\d{1,2}(?:/\d{2,4})?)$")
_OF_DRUG = re.compile(
    r"\blong[ -]term \(current\)|^hormone replacement therapy|^allergy status to", re.IGNORECASE
)
_USED = re.compile(
    r"\b(?:on|takes?|taking|uses?|using|long|current|chronic|daily|allerg\w*)\b", re.I
)
_DOSE = re.compile(r"\d\s?(?:mg|mcg|g|ml|units?|iu)\b", re.IGNORECASE)
NOTHING_CLOSE = "nothing is close"
"""How the reason begins where the best score is too low."""

_NOT_YET = "says what may come or what to do, not what is there"
_DOUBTED = 0.5  # the score of a code where the words beside it mean another code


def decide(query: Query, equal: Sequence[int], hits: Sequence[Hit], policy: Policy) -> Mapping:
    """Return the mapping of a text, decided without a model.

    equal: rows of the terms that equal the text. hits: the candidates that search returned. A code
    that stands in the text counts before the meaning of the words.
    """
    mapping = _by_words(query, equal, hits, policy)
    tree = policy.retriever.tree
    if query.codes:
        return _by_code(mapping, query.codes, policy)
    for code in query.likely_codes:
        if mapping.code and _is_nearer(code, mapping.code, tree):
            return _by_code(mapping, (code,), policy)
    return mapping


def _by_words(query: Query, equal: Sequence[int], hits: Sequence[Hit], policy: Policy) -> Mapping:
    if equal and _is_equal_in_part(query.text, equal, policy):
        equal = ()
    several = split_diagnoses(query.text)
    parts = several if len(several) > 1 else ()
    scored = score_candidates(query, equal, hits, policy)
    candidates = shown(scored, policy) if scored.ranked else ()
    uncoded = Mapping(query.text, "unmapped", candidates=candidates, parts=parts)
    if query.refusal:
        return replace(uncoded, reason=query.refusal)
    if not candidates:
        return replace(uncoded, reason="nothing in the knowledge base is close")
    first = candidates[0]
    uncalibrated = scored.ranked[0].score
    if not equal and (reason := _why_refused(query, first, uncalibrated, policy)):
        remark = plain_remark(replace(query, set_aside=""), parts)
        told = replace(uncoded, score=first.score, category_score=first.category_score)
        return replace(told, reason=joined_remarks(reason, remark))
    settled = settle(uncoded, first, "exact" if equal else "embedded", policy)
    return replace(settled, reason=remark_on(settled, query, policy))


def _is_equal_in_part(text: str, equal: Sequence[int], policy: Policy) -> bool:
    """Return whether terms equal only what is left of a text without a sign or its brackets."""
    return not _is_printed(text, equal, policy.retriever) and (
        denies_by_sign(text) or is_other_in_brackets(text, policy.retriever)
    )


def shown(scored: Scored, policy: Policy) -> tuple[Candidate, ...]:
    """Return the candidates to show, with their calibrated scores, the most probable first."""
    first = confidence_of(scored, policy.features, policy.confidence)
    scores = [candidate.score for candidate in scored.ranked]
    shares = shared_out(first, scores, scored.categories)
    of_code = {
        candidate.hit.code: share
        for candidate, share in zip(reversed(scored.ranked), reversed(shares), strict=True)
    }
    listed = shortlist(scored.ranked, policy.top_k, policy.retriever.tree)
    shown = [_candidate(candidate, of_code[candidate.hit.code], policy) for candidate in listed]
    return tuple(sorted(shown, key=lambda candidate: -candidate.score))


def _by_code(mapping: Mapping, codes: tuple[str, ...], policy: Policy) -> Mapping:
    """Return the mapping with a code that stands in the text; `mapping` is that of its words."""
    tree, code = policy.retriever.tree, codes[0]
    denied = what_is_not_there(mapping.text) if policy.min_score > 0 else None
    if denied:
        reason = f"says that it is not there: {denied}"
        return replace(without_code(mapping), status="unmapped", decided_by="none", reason=reason)
    same = mapping.code is None or tree.category(mapping.code) == tree.category(code)
    sure = 1.0 if same else _DOUBTED
    why = "the code stands in the text"
    first = Candidate(code, tree.name(code), code, WRITTEN, sure, sure, why)
    others = (_beside(other, 1 - sure) for other in mapping.candidates if other.code != code)
    candidates = (first, *others)[: policy.top_k]
    settled = settle(replace(mapping, candidates=candidates), first, "exact", policy)
    several = f"{len(codes)} codes in one text: {', '.join(codes)}" if len(codes) > 1 else None
    if same:
        remark = mapping.reason if mapping.code else None
        return replace(settled, reason=joined_remarks(several, remark))
    doubt = f"the words beside the code {code} mean {mapping.code} ({mapping.name})"
    remarks = joined_remarks(several, doubt, mapping.reason)
    return replace(settled, band="low", reason=remarks)


def _beside(candidate: Candidate, left: float) -> Candidate:
    """Return a candidate of the words, with what a code that stands in the text leaves it."""
    return replace(
        candidate,
        score=round(left * candidate.score, 4),
        category_score=round(left * candidate.category_score, 4),
    )


def _is_nearer(code: str, other: str, tree: Tree) -> bool:
    """Return whether two codes share a category and the first is not above the second."""
    same = tree.category(code) == tree.category(other)
    return same and tree.node(code) not in tree.ancestors(other)


def _candidate(ranked: Ranked, share: tuple[float, float], policy: Policy) -> Candidate:
    term = policy.retriever.index.terms[ranked.hit.row]
    name = policy.retriever.tree.name(ranked.hit.code)
    return Candidate(
        ranked.hit.code, name, term.text, term.source, share[0], share[1], ranked.why()
    )


def is_sure_encounter(query: Query, first: Candidate, policy: Policy) -> bool:
    """Return whether a text names an encounter by a procedure: "surveillance of contraceptives".

    A frame ("HPV vaccine #2") or a word such as "screening" or "check" says that the text names the
    encounter itself, with a number less surely ("antenatal visit 36 wk"). Without one, a text that
    is nearest to a state ("hip replacement": presence of an artificial hip) is the procedure, a
    number is mostly the dose of a drug, and a single word its name.
    """
    if not is_factor(first.code, policy.retriever.tree):
        return False
    plain = (form.text for form in query.forms if form.kind == "without details")
    if any(map(policy.retriever.is_term, plain)):
        return True
    words = normalise_text(query.text).split()
    is_drug = len(words) == 1 or any(map(str.isdigit, _TIME.sub("", query.text)))
    names_contact = not contact_words().isdisjoint(words)
    if query.frame or (names_contact and not is_drug):
        return first.category_score >= _LIKELY_CONTACT
    if names_contact and _DOSES.isdisjoint(words):
        return first.category_score >= _SURE_CONTACT
    is_history = _HISTORY.search(first.name) is not None
    is_contact = not is_drug and (is_history or _STATE.search(first.name) is None)
    return is_contact and first.category_score >= _SURE_CONTACT


def _denied(text: str) -> str | None:
    """Return what a text denies; of a text in parts, what the first of them does, if all deny."""
    parts = split_diagnoses(text)
    denied = [what_is_not_there(part) for part in parts] if len(parts) > 1 else []
    return what_is_not_there(text) or (denied[0] if denied and all(denied) else None)


def _why_a_drug(query: Query, first: Candidate) -> str | None:
    """Return why a text is a drug: what it is near to is the use of one, unsaid in the text."""
    is_use = _OF_DRUG.search(first.name) is not None and not query.frame
    unsaid = _is_drug_alone(query.text) and _USED.search(query.text) is None
    return "is the name of a drug" if is_use and unsaid else None


def _is_overdose(query: Query, first: Candidate) -> bool:
    """Return whether a text tells an overdose, and the candidate is a poisoning."""
    is_poisoning = first.code.startswith(POISONING)
    return is_poisoning and first.category_score >= _NEAR and bool(told_overdose(query.text))


def _is_drug_alone(text: str) -> bool:
    """Return whether a text may be no more than a drug: one word, or a dose."""
    return len(text.split()) == 1 or _DOSE.search(text) is not None


def _is_observation(text: str, first: Candidate) -> bool:
    """Return whether a text names an observation whose code says itself what was ruled out."""
    return first.name.endswith(" ruled out") and _OBSERVED.search(text) is not None


def _is_of_marker(text: str, denied: str, retriever: Retriever) -> bool:
    """Return whether a sign is that of a marker after a condition: "celiac disease tTG (-)"."""
    if not (denies_by_sign(text) and denied_at_end(text, denied)) or is_known(denied, retriever):
        return False
    return is_known(before_marker(denied), retriever)


def _is_printed(text: str, rows: Sequence[int], retriever: Retriever) -> bool:
    """Return whether one of the terms is written as the text is."""
    terms, written = retriever.index.terms, text.strip().casefold()
    return any(terms[row].text.casefold() == written for row in rows)


def _is_lack(query: Query, first: Candidate) -> bool:
    """Return whether the denied condition is the candidate itself, such as a loss of smell."""
    return names_a_lack((first.term, first.name)) and not denies_in_another_language(query.text)


def _why_a_procedure(query: Query, first: Candidate) -> str | None:
    """Return why a text is a procedure: its term is the state after it, unsaid in the text."""
    said = bool(query.frame or _SHORT_PAST.search(query.text))
    said = said or not _STATED.isdisjoint(normalise_text(query.text).split())
    is_after = normalise_text(first.term).startswith(_AFTER)
    return "is the name of a procedure or treatment" if is_after and not said else None


def _why_no_condition(
    query: Query, first: Candidate, uncalibrated: float, policy: Policy
) -> str | None:
    """Return why a text is a drug, a procedure, a test or a remark, by lists and models."""
    retriever = policy.retriever
    spelt = retriever.index.rows.spelling.corrected(query.forms[0].text)
    if why := named(query.text) or named(spelt) or named(_DATED.sub("", query.text.rstrip())):
        return why
    model = load_refusal_model()
    is_contact = is_factor(first.code, retriever.tree) and not _is_drug_alone(query.text)
    factor = first.category_score if is_contact else None
    if why := model.refuse(model.read(query, retriever.is_term), uncalibrated, factor):
        return why
    return composed(query.text) or _why_a_procedure(query, first) or _why_a_drug(query, first)


def _why_refused(query: Query, first: Candidate, uncalibrated: float, policy: Policy) -> str | None:
    """Return why a text is not a diagnosis or nothing in the base is close, else None.

    The models of refusal were fitted to the uncalibrated score of the first candidate.
    """
    floor, retriever = policy.min_score, policy.retriever
    if floor <= 0:
        return None
    if _is_printed(
        query.text, retriever.index.rows.exact.get(normalise_text(query.text), ()), retriever
    ):
        return None
    denied = None if _is_observation(query.text, first) else _denied(query.text)
    if denied and not _is_of_marker(query.text, denied, retriever):
        if is_known(denied, retriever) or not _is_lack(query, first):
            return f"says that it is not there: {denied}"
    drug = taken_as_needed(query.text)
    if is_conditional(query.text) or (drug and not is_known(drug, retriever)):
        return _NOT_YET
    if is_sure_encounter(query, first, policy):
        return None
    if is_possible(query.text) and not is_factor(first.code, retriever.tree):
        return _NOT_YET
    if query.frame and is_of_another(query.frame) and not is_factor(first.code, retriever.tree):
        return f"says it of another person: {query.frame.written!r}"
    told = _is_overdose(query, first)
    if not told and (why := _why_no_condition(query, first, uncalibrated, policy)):
        return why
    is_near = floor <= MIN_SCORE and first.category_score >= _NEAR
    if first.score < floor and not is_near:
        best = f"{first.score:.2f} for {first.code} ({first.name})"
        return f"{NOTHING_CLOSE}: the best score, {best}, is below {floor:g}"
    return None
