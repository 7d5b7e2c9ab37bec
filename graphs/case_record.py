"""Define a case, and the record of the outcomes of its branches."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from ..agents.outcome import Abstained, Done, Failed
from ..prompts.load_data import RubricField, TaxonomyField

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
    """A diagnosis and its code and name; both are None if it has no code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    code: str | None = None
    name: str | None = None


class CaseMapping(BaseModel):
    """The codes of the true and predicted diagnoses; `final` is None if none was extracted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    truth: MappedText
    truth_ddx: tuple[MappedText, ...]
    final: MappedText | None
    ddx: tuple[MappedText, ...]


Result = Annotated[Done[Any] | Abstained | Failed, Field(discriminator="status")]


class CaseRecord(BaseModel):
    """The outcomes of the branches of a case; None for a branch that was not selected."""

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
        """The outcomes of the branches that failed, by branch."""
        outcomes = {name: getattr(self, name) for name in BRANCHES}
        return {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Failed)}
