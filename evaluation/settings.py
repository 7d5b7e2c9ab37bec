"""What an evaluation does, as one value: everything that can change a number."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..scoring.bootstrap import Plan
from ..scoring.jury import Rule

Task = Literal[
    "extract_final_diagnosis",
    "extract_ddx",
    "map_to_icd10",
    "judge_equivalence",
    "judge_equivalence_ddx",
    "grade_ddx",
    "grade_final_diagnosis",
    "score_rubric",
    "label_errors",
    "match_option",
    "score_free_answer",
    "score_open_answer",
    "choose_best",
    "semantic",
    "text_overlap",
    "evidence_sensitivity",
]


class Settings(BaseModel):
    """Everything about an evaluation that can change a number.

    tasks: what is judged and scored. judges: each judges every item; the first also extracts.
    jury: the rule by which they make the verdict of one more judge.
    style: the words of the equivalence step. truth: what a prediction is held against in
    hierarchical and semantic scores. predicted: what is held against it. top: the k of top-k.
    unmapped: what a prediction without a code does. tau, low, high: of semantic matching, and
    they belong to the encoder. free: how two-option answers are read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: str = "diagnosis"
    tasks: tuple[Task, ...] = ()
    judges: tuple[str, ...] = ()
    jury: Rule | None = None
    groups: tuple[str, ...] | None = None
    style: Literal["yes-no", "correct"] = "yes-no"
    truth: Literal["ddx", "diagnosis", "both"] = "both"
    predicted: Literal["ddx", "final", "both"] = "ddx"
    top: tuple[int, ...] = (1, 3, 5)
    unmapped: Literal["ignore", "penalise"] = "ignore"
    ontology: str = "icd10cm"
    rubric: str = "dermcase"
    taxonomy: str = "dermcase"
    encoder: str = "default"
    tau: float = Field(default=0.83, ge=0, le=1)
    low: float = 0.6
    high: float = 1.0
    resamples: int = Field(default=2000, ge=1)
    level: float = Field(default=0.95, gt=0, lt=1)
    interval: Literal["bca", "percentile"] = "bca"
    seed: int = 0

    @property
    def plan(self) -> Plan:
        """How to resample."""
        return Plan(self.interval, self.level, self.resamples, self.seed)


@dataclass(frozen=True)
class Column:
    """A column of a main table: a metric, under the name that its field gives it.

    `by`: one column for each group of this name, in place of the overall number.
    """

    metric: str
    title: str
    by: str = ""
