"""Grade how near a differential diagnosis comes to the true diagnosis."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from ..prompts.load import Value
from ..prompts.load_data import ScaleField
from .people.declared import ForPeople
from .rules.grading import Grade, GradeAnswer, as_grade, describe, grade_answer, in_words, meanings
from .rules.wording import fold
from .step import Nothing, Step
from .verdict import Verdict


class DdxGradeInput(BaseModel):
    """The true diagnosis, a differential in its order, and the scale (a name, path or data)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    truth: str = Field(min_length=1)
    ddx: tuple[str, ...]
    scale: ScaleField = Field(default="ddx", validate_default=True)


def _render(inputs: DdxGradeInput) -> Mapping[str, Value]:
    return {
        "truth": inputs.truth,
        "ddx": list(inputs.ddx),
        "scale": describe(inputs.scale.levels),
    }


def _no_ddx(inputs: DdxGradeInput) -> Nothing | None:
    if any(fold(entry) for entry in inputs.ddx):
        return None
    return Nothing("the differential is empty; there is nothing to grade")


GRADE_DDX: Step[DdxGradeInput, GradeAnswer, Grade] = Step(
    name="grade_ddx",
    version=1,
    input=DdxGradeInput,
    judged="ddx",
    output=lambda inputs: grade_answer(inputs.scale),
    render=_render,
    checks=(in_words,),
    finish=as_grade,
    result=Grade,
    verdict=Verdict("score", words="rationale", scale="interval", levels=(0, 2, 3, 4, 5)),
    stand_ins={"code": _no_ddx},
    people=ForPeople(explain=lambda inputs: meanings("score", inputs.scale.levels)),
    returns="how near a differential comes to the true diagnosis",
    scale="0, 2, 3, 4, 5",
)
