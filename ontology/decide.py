"""The policy of mapping: which code a text gets, or why it gets none, and the remarks about it.

A graph or a plain run searches for candidates first; this module makes every decision about them.
It asks no model: the choice of a model is passed in as the place of a candidate.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .confidence import ConfidenceModel, confidence_of, shared_out
from .equal import equal_first
from .evidence import Scored
from .factors import as_factors, is_factor
from .left_out import left_out
from .mapping import Candidate, Mapping, band_of
from .other_matter import is_other_matter
from .plain import plain_first
from .reading.denial import names_a_lack, what_is_not_there
from .reading.normalise import normalise_text
from .reading.query import (
    Query,
    listed_parts,
    read_query,
    split_diagnoses,
    why_not_a_diagnosis,
)
from .reading.refusal import everyday_words, load_refusal_model, named
from .search.features import FeatureMaker
from .search.rerank import Ranked, RankingModel, rerank, shortlist
from .search.retrieve import Hit, Retriever
from .specificity import Specificity, at_specificity
from .tree import Tree

SURE = 0.9
"""With rerank="ambiguous", no model is asked from this embedded score upwards."""

MIN_SCORE = 0.02
"""Below this score a text is unmapped (docs/mapping.md); with 0 every text with words is mapped."""

WRITTEN = "code"
"""The source of a mapping whose code stands in the text."""

_DOUBTFUL = 0.45  # the highest score of a reading that is seldom right
_EXCLUDED = 0.2  # what is left of the score of a condition that the text excludes
_UNKNOWN_SHORT = re.compile(r"[A-Z]{2,5}")
_DOUBTED = 0.5  # the score of a code where the words beside it mean another code

Rerank = Literal["all", "ambiguous", "none"]
"""The texts for which a model chooses among the candidates."""


@dataclass(frozen=True)
class Policy:
    """Everything a decision depends on: the base, the ranking model and the user's settings.

    top_k: the number of candidates to show. min_score: a text with a lower score is unmapped; 0
    refuses nothing.
    """

    retriever: Retriever
    features: FeatureMaker
    model: RankingModel
    confidence: ConfidenceModel
    top_k: int = 15
    min_score: float = 0.0
    specificity: Specificity = "concept"


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
    several = split_diagnoses(query.text)
    parts = several if len(several) > 1 else ()
    scored = score_candidates(query, equal, hits, policy)
    candidates = _shown(scored, policy) if scored.ranked else ()
    uncoded = Mapping(query.text, "unmapped", candidates=candidates, parts=parts)
    if query.refusal:
        return replace(uncoded, reason=query.refusal)
    if not candidates:
        return replace(uncoded, reason="nothing in the knowledge base is close")
    first = candidates[0]
    uncalibrated = scored.ranked[0].score
    if not equal and (reason := _why_refused(query, first, uncalibrated, policy)):
        remark = _remark(replace(query, set_aside=""), parts)
        told = replace(uncoded, score=first.score, category_score=first.category_score)
        return replace(told, reason=_joined(reason, remark))
    settled = _settle(uncoded, first, "exact" if equal else "embedded", policy)
    return replace(settled, reason=_remark_on(settled, query, policy))


def score_candidates(
    query: Query, equal: Sequence[int], hits: Sequence[Hit], policy: Policy
) -> Scored:
    """Return all candidates of a text in their order, with the scores before calibration."""
    tree = policy.retriever.tree
    ranked = rerank(query, hits, policy.features, policy.model)
    if query.frame and not equal:
        ranked = as_factors(ranked, query.frame, tree)
    network = {candidate.hit.code: candidate.score for candidate in ranked}
    ranked = equal_first(ranked, equal, policy.retriever)
    ranked = _one_of_each_name(ranked, policy)
    ranked = ranked if equal else _capped(_plain_first(ranked, query, policy), query, policy)
    limited = bool(ranked) and not equal and _is_limited(ranked[0], query, policy)
    categories = [tree.category(candidate.hit.code).code for candidate in ranked]
    return Scored(query, ranked, network, bool(equal), categories, limited)


def _shown(scored: Scored, policy: Policy) -> tuple[Candidate, ...]:
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


def _one_of_each_name(ranked: Sequence[Ranked], policy: Policy) -> list[Ranked]:
    """Return one candidate for each official name, with the code that the specificity wants.

    A category and the only code below it that says the same have one name; the scores are added,
    and the reason names the other code. Codes of one name that are not above each other stay.
    """
    tree = policy.retriever.tree
    kept: list[Ranked] = []
    for candidate in ranked:
        code = candidate.hit.code
        same = (place for place, other in enumerate(kept) if _in_line(code, other.hit.code, tree))
        place = next(same, None)
        if place is None:
            kept.append(candidate)
        else:
            kept[place] = _joined_candidate(kept[place], candidate, policy)
    return sorted(kept, key=lambda candidate: -candidate.score)


def _in_line(one: str, other: str, tree: Tree) -> bool:
    """Return whether two codes have one name and one of them is above the other."""
    if tree.name(one).lower() != tree.name(other).lower():
        return False
    return tree.node(one) in tree.ancestors(other) or tree.node(other) in tree.ancestors(one)


def _joined_candidate(better: Ranked, other: Ranked, policy: Policy) -> Ranked:
    """Return the better of two candidates of one name, with both scores and the wanted code."""
    wanted = {"billable": max, "category": min}.get(policy.specificity)
    codes = (better.hit.code, other.hit.code)

    def depth(code: str) -> int:
        return len(policy.retriever.tree.ancestors(code))

    code = wanted(codes, key=depth) if wanted else better.hit.code
    hidden = codes[0] if code == codes[1] else codes[1]
    why = f"{better.why}; {hidden} has the same name"
    score = round(min(better.score + other.score, 1.0), 4)
    return better._replace(hit=better.hit._replace(code=code), score=score, why=why)


def _plain_first(ranked: list[Ranked], query: Query, policy: Policy) -> list[Ranked]:
    texts = [form.text for form in query.forms if form.kind not in {"first part", "in brackets"}]
    return plain_first(ranked, texts, policy.retriever)


def _capped(ranked: list[Ranked], query: Query, policy: Policy) -> list[Ranked]:
    """Return the candidates with low scores where the reading of the text deserves no more.

    A quarter of the abbreviations that no table knows get the right category. A text with a word
    that diagnoses do not hold ("virus on my computer", "tennis elbow room") is seldom about the
    condition in it. A
    candidate that names what the text excludes ("unrelated to vitamin A deficiency") is not it.
    """
    excluded = set(query.excluded.split())
    if excluded:
        ranked = [
            candidate._replace(score=round(candidate.score * _EXCLUDED, 4))
            if excluded <= set(_words_of(candidate, policy).split())
            else candidate
            for candidate in ranked
        ]
        ranked.sort(key=lambda candidate: -candidate.score)
    if not ranked or ranked[0].score <= _DOUBTFUL or not _is_doubtful(ranked[0], query, policy):
        return ranked
    scale = _DOUBTFUL / ranked[0].score
    return [candidate._replace(score=round(candidate.score * scale, 4)) for candidate in ranked]


def _is_limited(first: Ranked, query: Query, policy: Policy) -> bool:
    """Return whether a reading gets no more than its uncalibrated score."""
    return bool(query.excluded) or _is_doubtful(first, query, policy)


def _is_doubtful(first: Ranked, query: Query, policy: Policy) -> bool:
    """Return whether a text is mostly about something else, or a short form that no table knows."""
    words = set(normalise_text(query.text).split())
    own = _words_of(first, policy)
    other = words & everyday_words() - set(own.split())
    if other or is_other_matter(query, own, policy.retriever):
        return True
    return not query.expanded and bool(_UNKNOWN_SHORT.fullmatch(query.text.strip()))


def _words_of(candidate: Ranked, policy: Policy) -> str:
    folded = policy.retriever.index.folded[candidate.hit.row]
    return f"{folded} {normalise_text(policy.retriever.tree.name(candidate.hit.code))}"


def chosen_by_model(mapping: Mapping, index: int, policy: Policy) -> Mapping:
    """Return the mapping with the candidate that a model chose, by its place in `candidates`."""
    settled = _settle(mapping, mapping.candidates[index], "llm", policy)
    if settled.code != mapping.code:  # the further codes stood beside another code
        settled = replace(settled, additional=())
    # The reason of the embedded choice, such as that nothing is close, no longer holds.
    remark = _remark_on(settled, read_query(mapping.translation or mapping.text), policy)
    if mapping.translation:
        remark = _joined(_translated(mapping.translation), remark)
    return replace(settled, reason=remark)


def none_by_model(mapping: Mapping, reason: str) -> Mapping:
    """Return the mapping where a model chose no candidate or saw no diagnosis."""
    return replace(_without_code(mapping), status="unmapped", decided_by="llm", reason=reason)


def model_failed(mapping: Mapping, why: str, *, keep: bool) -> Mapping:
    """Return the mapping where a model failed: with `keep` the embedded choice, else failed."""
    if keep and mapping.status == "mapped":
        return replace(mapping, reason=_joined(f"embedded choice: {why}", mapping.reason))
    return failed_mapping(mapping, why)


def of_translation(mapping: Mapping, text: str, english: str) -> Mapping:
    """Return the mapping of a text, made from the mapping of its English translation."""
    reason = _joined(_translated(english), mapping.reason)
    return replace(_as_of(mapping, text), translation=english, reason=reason)


def untranslated(mapping: Mapping, text: str, why: str, *, keep: bool) -> Mapping:
    """Return the mapping of a text without a translation: of the text itself, or failed.

    why: the fault of the model, "" where the text was not to be translated. keep: whether the text
    itself is mapped after a fault.
    """
    own = _as_of(mapping, text)
    if not why or keep:
        return replace(own, reason=_joined(why, own.reason))
    return failed_mapping(replace(own, candidates=()), why)


def failed_mapping(mapping: Mapping, why: str) -> Mapping:
    """Return the mapping as failed: without a code, and with the reason."""
    return replace(_without_code(mapping), status="failed", decided_by="none", reason=why)


def is_asked(mapping: Mapping, rerank: Rerank) -> bool:
    """Return whether a model is asked to choose for this mapping, under the setting `rerank`."""
    refused = mapping.status == "unmapped" and not mapping.score
    if mapping.source == WRITTEN or refused or rerank == "none" or not mapping.candidates:
        return False
    sure = mapping.decided_by == "exact" or mapping.score >= SURE
    return rerank == "all" or not sure


def is_translated(text: str) -> bool:
    """Return whether a model is asked to translate a text: not where it holds no diagnosis."""
    return why_not_a_diagnosis(text) is None


def _by_code(mapping: Mapping, codes: tuple[str, ...], policy: Policy) -> Mapping:
    """Return the mapping with a code that stands in the text; `mapping` is that of its words."""
    tree, code = policy.retriever.tree, codes[0]
    denied = what_is_not_there(mapping.text) if policy.min_score > 0 else None
    if denied:
        reason = f"says that it is not there: {denied}"
        return replace(_without_code(mapping), status="unmapped", decided_by="none", reason=reason)
    same = mapping.code is None or tree.category(mapping.code) == tree.category(code)
    sure = 1.0 if same else _DOUBTED
    why = "the code stands in the text"
    first = Candidate(code, tree.name(code), code, WRITTEN, sure, sure, why)
    others = (_beside(other, 1 - sure) for other in mapping.candidates if other.code != code)
    candidates = (first, *others)[: policy.top_k]
    settled = _settle(replace(mapping, candidates=candidates), first, "exact", policy)
    several = f"{len(codes)} codes in one text: {', '.join(codes)}" if len(codes) > 1 else None
    if same:
        remark = mapping.reason if mapping.code else None
        return replace(settled, reason=_joined(several, remark))
    doubt = f"the words beside the code {code} mean {mapping.code} ({mapping.name})"
    remarks = _joined(several, doubt, mapping.reason)
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
    return Candidate(ranked.hit.code, name, term.text, term.source, share[0], share[1], ranked.why)


def _settle(
    mapping: Mapping,
    candidate: Candidate,
    by: Literal["exact", "embedded", "llm"],
    policy: Policy,
) -> Mapping:
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


def _why_refused(query: Query, first: Candidate, uncalibrated: float, policy: Policy) -> str | None:
    """Return why a text is not a diagnosis or nothing in the base is close, else None.

    The models of refusal were fitted to the uncalibrated score of the first candidate.
    """
    floor, retriever = policy.min_score, policy.retriever
    if floor <= 0:
        return None
    denied = what_is_not_there(query.text)
    if denied and (_is_known(denied, retriever) or not names_a_lack((first.term, first.name))):
        return f"says that it is not there: {denied}"
    spelt = retriever.index.rows.spelling.corrected(query.forms[0].text)
    if why := named(query.text) or named(spelt):
        return why
    model = load_refusal_model()
    if why := model.refuse(model.read(query, retriever.is_term), uncalibrated):
        return why
    if first.score < floor:
        best = f"{first.score:.2f} for {first.code} ({first.name})"
        return f"nothing is close: the best score, {best}, is below {floor:g}"
    return None


def _is_known(text: str, retriever: Retriever) -> bool:
    return bool(retriever.look_up(read_query(text)))


def _remark_on(mapping: Mapping, query: Query, policy: Policy) -> str | None:
    """Return what a reader should know about a mapping with a code, else None."""
    if query.frame and mapping.code and not is_factor(mapping.code, policy.retriever.tree):
        words = " ".join(filter(None, (query.set_aside, query.frame.written)))
        query = replace(query, set_aside=words)
    remark = _remark(query, mapping.parts, _listed(mapping, policy.retriever))
    return _joined(remark, left_out(mapping, policy.retriever.tree, policy.specificity))


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
    return parts if all(_is_known(part, retriever) for part in parts) else ()


def _remark(query: Query, parts: tuple[str, ...], listed: tuple[str, ...] = ()) -> str | None:
    remarks = []
    if listed:
        remarks.append(
            f"may name {len(listed)} diagnoses and has one code; "
            f"written as {'; '.join(listed)!r} --split maps each"
        )
    if parts:
        remarks.append(f"{len(parts)} diagnoses in one text; --split maps each")
    for entry in query.ambiguous:
        remarks.append(f"{entry.short} may mean {' or '.join(entry.expansions)}")
    if query.set_aside:
        remarks.append(f"{query.set_aside!r} was set aside: the code is that of the condition")
    return "; ".join(remarks) or None


def _as_of(mapping: Mapping, text: str) -> Mapping:
    """Return the mapping of a translation with the text itself and the diagnoses listed in it."""
    parts = split_diagnoses(text)
    return replace(mapping, text=text, parts=parts if len(parts) > 1 else ())


def _translated(english: str) -> str:
    return f"translated: {english}"


def _without_code(mapping: Mapping) -> Mapping:
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


def _joined(*remarks: str | None) -> str | None:
    return "; ".join(filter(None, remarks)) or None
