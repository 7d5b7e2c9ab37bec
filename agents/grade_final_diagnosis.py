"""Grade how near a final diagnosis comes to the true one."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from ..prompts.load import Value
from ..prompts.load_data import ScaleField
from .people.declared import ForPeople
from .rules.grading import Grade, GradeAnswer, as_grade, describe, grade_answer, in_words, meanings
from .rules.wording import fold
from .step import Nothing, Step
from .verdict import Verdict


class FinalGradeInput(BaseModel):
    """The true and the generated diagnosis, and the scale (a name, path or data)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    truth: str = Field(min_length=1)
    generated: str
    scale: ScaleField = Field(default="final_diagnosis", validate_default=True)


def _render(inputs: FinalGradeInput) -> Mapping[str, Value]:
    return {
        "truth": inputs.truth,
        "generated": inputs.generated,
        "scale": describe(inputs.scale.levels),
    }


def _no_diagnosis(inputs: FinalGradeInput) -> Nothing | None:
    return None if fold(inputs.generated) else Nothing("there is no generated diagnosis to grade")


GRADE_FINAL_DIAGNOSIS: Step[FinalGradeInput, GradeAnswer, Grade] = Step(
    name="grade_final_diagnosis",
    version=1,
    input=FinalGradeInput,
    judged="generated",
    output=lambda inputs: grade_answer(inputs.scale),
    render=_render,
    checks=(in_words,),
    finish=as_grade,
    result=Grade,
    verdict=Verdict("score", words="rationale", scale="interval", levels=(1, 2, 3, 4, 5)),
    stand_ins={"code": _no_diagnosis},
    people=ForPeople(explain=lambda inputs: meanings("score", inputs.scale.levels)),
    returns="how near a final diagnosis comes to the true one",
    scale="1, 2, 3, 4, 5",
)
