"""The settings of an evaluation: everything that can change a number."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..agents.score_free_answer import GAP
from ..ontology.releases.listed import DEFAULT
from ..scoring.bootstrap import Plan
from ..scoring.jury import Rule


@dataclass(frozen=True)
class Column:
    """A column of a main table: a metric and its title.

    metric: with ": *" at its end it stands for all metrics that begin with the text before it.
    title: by default the title of the task which fills the column.
    by: the name of a group column; there is a column for each group instead of the overall number.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    metric: str
    title: str = ""
    by: str = ""

    def covers(self, metric: str) -> bool:
        """Whether a metric belongs to this column, or to one of those that it stands for."""
        return metric == self.metric or (
            self.metric.endswith(": *") and metric.startswith(self.metric[:-1])
        )

    def title_of(self, metric: str) -> str:
        """The title of one of its metrics."""
        if metric == self.metric:
            return self.title or metric
        rest = metric.removeprefix(self.metric[:-1])
        return f"{self.title}: {rest}" if self.title else metric


class OwnTask(BaseModel):
    """Your own task: a step that has a verdict, asked about the first response of every model.

    step: a step of dxjudge, or `path/to/file.py:NAME`.
    name: the name of the metric in tables; by default the step's name.
    title: the title of its columns; by default the name.
    set: field of the step's input -> column of the cases or responses. A field without an entry
        is read from the column with the field's name. Where both files have the column,
        `case.COLUMN` or `response.COLUMN` says which file is meant.
    give: fields that have the same value for all responses.
    truth: the column of the cases with the right verdict. The number is then the share of
        verdicts that are equal to it.
    higher_is_better: whether the model with the highest number has the first rank.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    name: str = ""
    title: str = ""
    set: dict[str, str] = {}
    give: dict[str, Any] = {}
    truth: str = ""
    higher_is_better: bool = True


def _as_column(value: Any) -> Any:
    return {"metric": value} if isinstance(value, str) else value


class Settings(BaseModel):
    """Everything about an evaluation that can change a number.

    preset: the preset whose tasks and columns these settings change.
    tasks: what is judged and scored.
    columns: of the main table; by default those of the preset and of the tasks added to it.
    judges: each judges every item; the first also extracts.
    jury: the rule that combines the judges' verdicts into the verdict of one more judge.
    quorum: how many judges must have a verdict; by default more than half.
    weights: judge -> weight, for the rule "weighted".
    groups: the columns of the cases to break numbers down by; by default the usual ones.
    group_order: column -> its groups in the order of the tables; others follow in their own.
    style: the prompt of the equivalence step.
    truth: the true diagnoses that hierarchical and semantic scores compare with.
    predicted: the diagnoses of a response that these scores compare.
    top: the values of k for top-k accuracy.
    unmapped: whether a prediction without a code is ignored, or counts as one that matches nothing.
    unknown_codes: whether a true code that the release lacks is an error, or excludes its case.
    multiple: whether a question may have several right options, so that a choice has a score
        between 0 and 1 instead of being right or wrong.
    models: model -> attribute -> group, such as {"gpt-4o": {"type": "proprietary"}}. Every metric
        is averaged over the models of each group.
    model_columns: the columns of the responses that hold such attributes.
    answer_form: what the models of a pair task were asked for, where a response does not say it.
        A letter is read by code, as the authors of MediConfusion do.
    gap: the least difference in closeness at which a free answer means one of two options.
    best_of: how many samples of an answer are drawn, for the set accuracy of the best of them.
    oracle: shares of the samples of an item that must be right, for the oracle's set accuracy.
    errors_of: whether errors are labelled in all answers, or only in wrong ones.
    criteria: whether each criterion of a case is judged in a call of its own, or all in one.
    one_dimension_a_call: whether each dimension of the rubric, and each category of errors, is
        judged in a call of its own.
    pairs: how many pairs of models are compared on each case, drawn with the seed; by default all.
    errors_sample: the largest number of wrong responses of a model whose errors are labelled; they
        are drawn with the seed. By default all are labelled. It needs `errors_of: wrong`.
    ontology, rubric, taxonomy: the names of the release, the rubric and the taxonomy.
    encoder: of semantic scores. tau, low, high: its thresholds, which differ between encoders.
    resamples, level, interval, seed: how the intervals are computed.
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
    group_order: dict[str, tuple[str, ...]] = {}
    style: Literal["yes-no", "correct"] = "yes-no"
    truth: Literal["ddx", "diagnosis", "both"] = "both"
    predicted: Literal["ddx", "final", "both"] = "ddx"
    top: tuple[int, ...] = (1, 3, 5)
    unmapped: Literal["ignore", "penalise"] = "ignore"
    unknown_codes: Literal["error", "exclude"] = "error"
    multiple: bool = False
    models: dict[str, dict[str, str]] = {}
    model_columns: tuple[str, ...] = ()
    answer_form: Literal["free", "letter"] = "free"
    gap: int = Field(default=GAP, ge=1, le=9)
    best_of: tuple[Annotated[int, Field(ge=1)], ...] = (1, 2, 4, 8, 16, 32)
    oracle: tuple[Annotated[float, Field(gt=0, le=1)], ...] = (0.25, 0.5, 0.75, 1.0)
    errors_of: Literal["all", "wrong"] = "all"
    criteria: Literal["one", "all"] = "one"
    one_dimension_a_call: bool = False
    pairs: int | None = Field(default=None, ge=1)
    errors_sample: int | None = Field(default=None, ge=1)
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
        """How the intervals are computed."""
        return Plan(self.interval, self.level, self.resamples, self.seed)
