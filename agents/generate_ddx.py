"""Ask a model under test for the five most likely diagnoses of a patient."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from ..prompts.load import Value
from .extract_ddx import DDX_VERDICT, Ddx
from .rules.wording import blank_entries, fold, merge
from .step import Step

COUNT = 5


class Evidence(BaseModel):
    """A question that the patient was asked, and the answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class PatientInput(BaseModel):
    """The known facts about a patient; age in years, or as a text such as "3 months"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sex: str = Field(min_length=1)
    age: int | str
    evidence: tuple[Evidence, ...] = Field(min_length=1)


class GeneratedDdx(BaseModel):
    """The differential diagnosis."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnoses: list[str] = Field(
        min_length=COUNT,
        max_length=COUNT,
        description=f"Exactly {COUNT} different diagnoses, the most likely first, names only.",
    )


def _five_names(inputs: PatientInput, answer: GeneratedDdx) -> list[str]:
    problems = [f"diagnoses.{place}: is empty" for place in blank_entries(answer.diagnoses)]
    for kept, dropped in merge(answer.diagnoses)[1]:
        problems.append(
            f"diagnoses: {dropped!r} is the same disease as {kept!r}; "
            f"name {COUNT} different diagnoses"
        )
    return problems


def _names(inputs: PatientInput, answer: GeneratedDdx) -> Ddx:
    diagnoses, _ = merge(answer.diagnoses)
    assert len({fold(name) for name in diagnoses}) == COUNT  # the checks have passed
    return Ddx(diagnoses=diagnoses)


def _render(inputs: PatientInput) -> Mapping[str, Value]:
    return {
        "sex": inputs.sex,
        "age": str(inputs.age),
        "evidence": [f"{item.question} {item.answer}" for item in inputs.evidence],
    }


GENERATE_DDX: Step[PatientInput, GeneratedDdx, Ddx] = Step(
    name="generate_ddx",
    version=1,
    input=PatientInput,
    output=GeneratedDdx,
    render=_render,
    checks=(_five_names,),
    finish=_names,
    result=Ddx,
    verdict=DDX_VERDICT,
    temperature=0.1,
    max_tokens=1024,
    returns=f"exactly {COUNT} diagnoses, most likely first",
    scale="list of free texts",
)
