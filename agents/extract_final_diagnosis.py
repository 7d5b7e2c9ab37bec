"""Find the one diagnosis that a response commits to, or none."""

import re

from pydantic import BaseModel, ConfigDict, Field

from ..ontology.reading.no_diagnosis import why_not_a_diagnosis
from .rules.technical import abstain_on
from .rules.wording import as_verdict, faults, fold, shares_words
from .step import Nothing, Step
from .verdict import Verdict

_LABEL = re.compile(
    r"\b(?:final (?:diagnos[ei]s|dx)|diagn[oó]stico final|diagnostic final|enddiagnose|"
    r"abschlussdiagnose)\b|最终诊断|最后诊断",
    re.IGNORECASE,
)
_LABELLED_LINE = re.compile(
    rf"^[\s>*_#•-]*(?:{_LABEL.pattern})[\s*_]*[:：][\s*_]*(?P<name>\S.*?)[\s*_.。]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"[.!?]\s|。")


class ResponseInput(BaseModel):
    """A response of a model under test."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    response: str


class FinalDiagnosis(BaseModel):
    """The final diagnosis."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnosis: str | None = Field(
        description="The bare name of the one diagnosis that the response commits to, with its "
        "site, organism and other specifiers; null if it commits to none."
    )


def _bare_name(inputs: ResponseInput, answer: FinalDiagnosis) -> list[str]:
    if answer.diagnosis is None:
        return []
    return [
        f"diagnosis: {fault}" + ("; use null for none" if fault == "is empty" else "")
        for fault in faults(answer.diagnosis)
    ]


def _read_in_it(inputs: ResponseInput, answer: FinalDiagnosis) -> list[str]:
    if not answer.diagnosis or shares_words(answer.diagnosis, inputs.response):
        return []
    return [
        f"diagnosis: no word of {answer.diagnosis[:100]!r} occurs in the answer to the case; use "
        "its own words, or null for none"
    ]


def _none(inputs: ResponseInput, answer: FinalDiagnosis) -> str | None:
    return "the response commits to no diagnosis" if answer.diagnosis is None else None


def _trimmed(inputs: ResponseInput, answer: FinalDiagnosis) -> FinalDiagnosis:
    if answer.diagnosis is None:
        return answer
    return FinalDiagnosis(diagnosis=" ".join(answer.diagnosis.split()).rstrip(".。"))


def labelled_line(inputs: ResponseInput) -> FinalDiagnosis | Nothing | None:
    """Read the diagnosis from a separate line "Final diagnosis: X".

    Return None if the words "final diagnosis" also occur elsewhere, if two such lines differ,
    or if X is not the bare name of one diagnosis.
    """
    names = [match["name"] for match in _LABELLED_LINE.finditer(inputs.response)]
    if not names or len(_LABEL.findall(inputs.response)) != len(names):
        return None
    if len({fold(name) for name in names}) > 1:
        return None
    name = names[0].strip()
    refusal = why_not_a_diagnosis(name)
    if refusal and refusal.startswith("says"):
        return Nothing(f"the response {refusal}")
    if refusal or faults(name) or _SENTENCE_END.search(name):
        return None
    return FinalDiagnosis(diagnosis=name)


EXTRACT_FINAL_DIAGNOSIS: Step[ResponseInput, FinalDiagnosis] = Step(
    name="extract_final_diagnosis",
    version=1,
    input=ResponseInput,
    judged="response",
    output=FinalDiagnosis,
    checks=(_bare_name, _read_in_it),
    abstain=_none,
    finish=_trimmed,
    result=FinalDiagnosis,
    verdict=Verdict("diagnosis", write=as_verdict, normal=as_verdict),
    stand_ins={"code": abstain_on("response"), "rules": labelled_line},
    returns="the one diagnosis a response commits to, or none",
    scale="free text",
)
