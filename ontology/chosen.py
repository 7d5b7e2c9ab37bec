"""Mappings where a model chooses the candidate or translates the text, and where it fails."""

from dataclasses import replace
from typing import Literal

from .mapping import WRITTEN, Mapping
from .policy import Policy
from .reading.no_diagnosis import why_not_a_diagnosis
from .reading.query import read_query
from .reading.several import split_diagnoses
from .settled import joined_remarks, remark_on, settle, without_code

SURE = 0.9
"""With rerank="ambiguous", no model is asked from this embedded score upwards."""

Rerank = Literal["all", "ambiguous", "none"]
"""The texts for which a model chooses among the candidates."""


def chosen_by_model(mapping: Mapping, index: int, policy: Policy) -> Mapping:
    """Return the mapping with the candidate that a model chose, by its place in `candidates`."""
    settled = settle(mapping, mapping.candidates[index], "llm", policy)
    if settled.code != mapping.code:  # the further codes stood beside another code
        settled = replace(settled, additional=())
    # The reason of the embedded choice, such as that nothing is close, no longer holds.
    remark = remark_on(settled, read_query(mapping.translation or mapping.text), policy)
    if mapping.translation:
        remark = joined_remarks(_translated(mapping.translation), remark)
    return replace(settled, reason=remark)


def none_by_model(mapping: Mapping, reason: str) -> Mapping:
    """Return the mapping where a model chose no candidate or saw no diagnosis."""
    return replace(without_code(mapping), status="unmapped", decided_by="llm", reason=reason)


def model_failed(mapping: Mapping, why: str, *, keep: bool) -> Mapping:
    """Return the mapping where a model failed: with `keep` the embedded choice, else failed."""
    if keep and mapping.status == "mapped":
        return replace(mapping, reason=joined_remarks(f"embedded choice: {why}", mapping.reason))
    return failed_mapping(mapping, why)


def of_translation(mapping: Mapping, text: str, english: str) -> Mapping:
    """Return the mapping of a text, made from the mapping of its English translation."""
    reason = joined_remarks(_translated(english), mapping.reason)
    return replace(_as_of(mapping, text), translation=english, reason=reason)


def untranslated(mapping: Mapping, text: str, why: str, *, keep: bool) -> Mapping:
    """Return the mapping of a text without a translation: of the text itself, or failed.

    why: the fault of the model, "" where the text was not to be translated. keep: whether the text
    itself is mapped after a fault.
    """
    own = _as_of(mapping, text)
    if not why or keep:
        return replace(own, reason=joined_remarks(why, own.reason))
    return failed_mapping(replace(own, candidates=()), why)


def failed_mapping(mapping: Mapping, why: str) -> Mapping:
    """Return the mapping as failed: without a code, and with the reason."""
    return replace(without_code(mapping), status="failed", decided_by="none", reason=why)


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


def _as_of(mapping: Mapping, text: str) -> Mapping:
    """Return the mapping of a translation with the text itself and the diagnoses listed in it."""
    parts = split_diagnoses(text)
    return replace(mapping, text=text, parts=parts if len(parts) > 1 else ())


def _translated(english: str) -> str:
    return f"translated: {english}"
