"""A case, and the record of what its branches returned."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from ..agents.outcome import Abstained, Done, Failed
from ..prompts.data import RubricField, TaxonomyField

Branch = Literal[
    "final_diagnosis",
    "equivalence",
    "final_grade",
    "ddx",
    "ddx_grade",
    "mapping",
    "rubric",
    "errors",
]
BRANCHES: tuple[Branch, ...] = get_args(Branch)


class CaseInput(BaseModel):
    """A case and the response under judgement.

    case: the text that was shown to the model under test. reference: the discussion that is the
    standard. diagnosis, ddx: the true diagnosis and differential. rubric, taxonomy: a name, a
    path or data.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    case: str
    reference: str
    diagnosis: str
    ddx: tuple[str, ...] = ()
    response: str
    rubric: RubricField = Field(default="dermcase", validate_default=True)
    taxonomy: TaxonomyField = Field(default="dermcase", validate_default=True)


class MappedText(BaseModel):
    """A diagnosis and its code; None where it maps to none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    code: str | None = None
    name: str | None = None


class CaseMapping(BaseModel):
    """The codes of the true and the predicted diagnoses; `final` is None where there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    truth: MappedText
    truth_ddx: tuple[MappedText, ...]
    final: MappedText | None
    ddx: tuple[MappedText, ...]


Result = Annotated[Done[Any] | Abstained | Failed, Field(discriminator="status")]


class CaseRecord(BaseModel):
    """What the branches of a case returned; None for a branch that was not selected."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    final_diagnosis: Result | None = None
    equivalence: Result | None = None
    final_grade: Result | None = None
    ddx: Result | None = None
    ddx_grade: Result | None = None
    mapping: Result | None = None
    rubric: Result | None = None
    errors: Result | None = None

    @property
    def failures(self) -> dict[str, Failed]:
        """The branches that failed."""
        held = {name: getattr(self, name) for name in BRANCHES}
        return {name: found for name, found in held.items() if isinstance(found, Failed)}
