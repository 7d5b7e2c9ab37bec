"""Extract the evidence of a case by modality, as passages of the report with their figures."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...prompts.evidence import EvidenceForm, EvidenceFormField
from ...prompts.load import Value
from ..rules.quotes import Quote, cite, find_quote
from ..rules.technical import abstain_on
from ..step import Step
from .evidence import CaseEvidence, Modal
from .facts import not_a_name
from .figures import figure_tag, figure_tags


class EvidenceInput(BaseModel):
    """The text of a case report, and the kinds of evidence (a name, path or data)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    report: str
    form: EvidenceFormField = Field(default="medsyn", validate_default=True)
    objections: tuple[str, ...] = ()


class ModalAnswer(BaseModel):
    """The passages and figures of one modality."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    modality: str
    passages: list[str] = Field(description="Copied word for word from the report.")
    figures: list[str] = Field(description='The figures that show it, such as "1A"; may be empty.')


class EvidenceAnswer(BaseModel):
    """The passages of every section and modality."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: list[ModalAnswer] = Field(description="One entry for each modality.")
    diagnosis: list[str] = Field(description="Passages with the final diagnosis.")


@lru_cache(maxsize=64)
def _answer_model(form: EvidenceForm) -> type[EvidenceAnswer]:
    names = tuple(kind.name for kind in form.modalities)
    modality: dict[str, Any] = {"modality": (Literal[names], ...)}
    modal = create_model("ModalAnswer", __base__=ModalAnswer, **modality)
    fields: dict[str, Any] = {
        section.name: (list[str], Field(description=f"{section.description} May be empty."))
        for section in form.sections
    }
    fields["evidence"] = (list[modal], Field(description="One entry for each modality."))  # type: ignore[valid-type]
    return create_model("EvidenceAnswer", __base__=EvidenceAnswer, **fields)


def _render(inputs: EvidenceInput) -> Mapping[str, Value]:
    form = inputs.form
    return {
        "sections": "\n".join(f"- {kind.name}: {kind.description}" for kind in form.sections),
        "modalities": "\n".join(f"- {kind.name}: {kind.description}" for kind in form.modalities),
        "most": str(form.most),
        "figures": ", ".join(figure_tags(inputs.report)) or "(none)",
        "report": inputs.report,
        "objections": "\n".join(f"- {text}" for text in inputs.objections) or "(none)",
    }


def _texts(inputs: EvidenceInput, answer: EvidenceAnswer) -> dict[str, list[str]]:
    """Return the passages of each section and modality, and of the diagnosis."""
    texts = {section.name: list(getattr(answer, section.name)) for section in inputs.form.sections}
    for modal in answer.evidence:
        texts.setdefault(modal.modality, []).extend(modal.passages)
    return {**texts, "diagnosis": answer.diagnosis}


def _quoted(inputs: EvidenceInput, answer: EvidenceAnswer) -> list[str]:
    return [
        f"{name}: {text[:200]!r} does not occur in the report; copy a passage word for word"
        for name, texts in _texts(inputs, answer).items()
        for text in texts
        if find_quote(text, inputs.report) is None
    ]


def _apart(inputs: EvidenceInput, answer: EvidenceAnswer) -> Iterator[str]:
    """Yield the passages that stand in two sections or modalities."""
    spans = [
        (name, span)
        for name, texts in _texts(inputs, answer).items()
        if name != "diagnosis"  # it may be a part of an impression
        for text in texts
        if (span := find_quote(text, inputs.report))
    ]
    for (first, one), (second, other) in combinations(spans, 2):
        if first != second and one.start < other.end and other.start < one.end:
            shared = inputs.report[max(one.start, other.start) : min(one.end, other.end)]
            yield f"{second}: {shared[:200]!r} also stands in {first}; a passage has one place"


def _separate(inputs: EvidenceInput, answer: EvidenceAnswer) -> list[str]:
    return list(_apart(inputs, answer))


def _figures(inputs: EvidenceInput, answer: EvidenceAnswer) -> list[str]:
    """Check that each figure of the report belongs to exactly one modality."""
    known = figure_tags(inputs.report)
    counts = Counter(figure_tag(name) for modal in answer.evidence for name in modal.figures)
    problems = [
        f"evidence: figure {name} is not in the report" for name in counts.keys() - {*known}
    ]
    problems += [f"evidence: figure {name} is in no modality" for name in known if not counts[name]]
    problems += [
        f"evidence: figure {name} is in {counts[name]} modalities; it belongs to one"
        for name in known
        if counts[name] > 1
    ]
    return sorted(problems)


def _kinds(inputs: EvidenceInput, answer: EvidenceAnswer) -> list[str]:
    counts = Counter(modal.modality for modal in answer.evidence)
    problems = [
        f"evidence: {name} has {n} entries; join them" for name, n in counts.items() if n > 1
    ]
    if len(counts) > inputs.form.most:
        problems.append(f"evidence: has {len(counts)} modalities; at most {inputs.form.most} fit")
    problems += [
        f"evidence: {modal.modality} has no passage"
        for modal in answer.evidence
        if not modal.passages
    ]
    if not answer.evidence:
        problems.append("evidence: is empty; a case needs one modality at least")
    if not _texts(inputs, answer)["background"]:
        problems.append("background: is empty")
    return problems


def _named(inputs: EvidenceInput, answer: EvidenceAnswer) -> list[str]:
    faults = ((text, not_a_name(text)) for text in answer.diagnosis)
    return [f"diagnosis: {text[:200]!r} {fault}" for text, fault in faults if fault]


def _no_diagnosis(inputs: EvidenceInput, answer: EvidenceAnswer) -> str | None:
    return None if answer.diagnosis else "the report documents no final diagnosis"


def _cited(inputs: EvidenceInput, texts: list[str]) -> tuple[Quote, ...]:
    quotes = (cite(text, "report", inputs.report) for text in texts)
    return tuple(dict.fromkeys(quote for quote in quotes if quote is not None))


def _collect(inputs: EvidenceInput, answer: EvidenceAnswer) -> CaseEvidence:
    texts = _texts(inputs, answer)
    return CaseEvidence(
        sections={kind.name: _cited(inputs, texts[kind.name]) for kind in inputs.form.sections},
        evidence=tuple(
            Modal(
                modality=modal.modality,
                passages=_cited(inputs, modal.passages),
                figures=tuple(figure_tag(name) for name in modal.figures),
            )
            for modal in answer.evidence
        ),
        diagnosis=_cited(inputs, answer.diagnosis),
    )


EXTRACT_EVIDENCE: Step[EvidenceInput, EvidenceAnswer, CaseEvidence] = Step(
    name="extract_evidence",
    version=2,
    input=EvidenceInput,
    output=lambda inputs: _answer_model(inputs.form),
    render=_render,
    checks=(_quoted, _named, _separate, _figures, _kinds),
    abstain=_no_diagnosis,
    finish=_collect,
    result=CaseEvidence,
    stand_ins={"code": abstain_on("report")},
    returns="the evidence of a case by modality, as passages of the report with their figures",
)
