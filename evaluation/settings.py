"""What an evaluation does, as one value: everything that can change a number."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..ontology.releases.listed import DEFAULT
from ..scoring.bootstrap import Plan
from ..scoring.jury import Rule


@dataclass(frozen=True)
class Column:
    """A column of a main table: a metric, and the title under which it stands there.

    metric: one that ends with ": *" makes a column of every metric that begins so.
    title: by default that of the task which fills it.
    by: one column for each group of this name, in place of the overall number.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    metric: str
    title: str = ""
    by: str = ""

    def covers(self, metric: str) -> bool:
        """Whether a metric stands in this column, or in one of those that it makes."""
        return metric == self.metric or (
            self.metric.endswith(": *") and metric.startswith(self.metric[:-1])
        )

    def title_of(self, metric: str) -> str:
        """The title under which one of its metrics stands."""
        if metric == self.metric:
            return self.title or metric
        rest = metric.removeprefix(self.metric[:-1])
        return f"{self.title}: {rest}" if self.title else metric


class OwnTask(BaseModel):
    """A task of one's own: a step that has a verdict, asked about every response.

    step: a step of dxjudge, or `path/to/file.py:NAME`. name: what tables call the metric; the
    step's name by default. title: of its columns; the name by default. set: field of the step's
    input -> column of the cases or responses; a field without an entry takes the column of its
    own name. `case.COLUMN` or `response.COLUMN` says which file is meant where both have it.
    give: fields that are the same for all. truth: the column of the cases that holds the right
    verdict; the number is then the share of verdicts equal to it. higher_is_better: how models
    are ranked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    name: str = ""
    title: str = ""
    set: dict[str, str] = {}
    give: dict[str, Any] = {}
    truth: str = ""
    higher_is_better: bool = True


def _as_column(given: Any) -> Any:
    return {"metric": given} if isinstance(given, str) else given


class Settings(BaseModel):
    """Everything about an evaluation that can change a number.

    tasks: what is judged and scored. columns: of the main table; by default those of the preset
    and of the tasks that are named beyond it. judges: each judges every item; the first also
    extracts. jury: the rule by which they make the verdict of one more judge. quorum: how
    many votes must decide, by default more than half. weights: judge -> weight, for the rule
    "weighted".
    style: the words of the equivalence step. truth: what a prediction is held against in
    hierarchical and semantic scores. predicted: what is held against it. top: the k of top-k.
    unmapped: what a prediction without a code does. unknown_codes: what a true code does that the
    release does not hold: end the evaluation, or exclude its case. multiple: several options may
    be right, so that a choice has a score in place of being right or wrong. errors_of: which
    answers are labelled with errors. tau, low, high: of semantic matching, and they belong to
    the encoder.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: str = "diagnosis"
    tasks: tuple[str | OwnTask, ...] = ()
    columns: tuple[Annotated[Column, BeforeValidator(_as_column)], ...] | None = None
    judges: tuple[str, ...] = ()
    jury: Rule | None = None
    quorum: int | None = Field(default=None, ge=1)
    weights: dict[str, float] | None = None
    groups: tuple[str, ...] | None = None
    style: Literal["yes-no", "correct"] = "yes-no"
    truth: Literal["ddx", "diagnosis", "both"] = "both"
    predicted: Literal["ddx", "final", "both"] = "ddx"
    top: tuple[int, ...] = (1, 3, 5)
    unmapped: Literal["ignore", "penalise"] = "ignore"
    unknown_codes: Literal["error", "exclude"] = "error"
    multiple: bool = False
    errors_of: Literal["all", "wrong"] = "all"
    ontology: str = DEFAULT
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
