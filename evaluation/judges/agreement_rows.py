"""The row types of the agreement table, and the terms of a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...scoring.bootstrap import Plan
from ...scoring.raters._ratings import Scale
from .agreement_units import Known
from .contested import Contested
from .corrected import CorrectedRow

Between = Literal["pair", "human", "jury", "repeats", "variants"]


@dataclass(frozen=True)
class Terms:
    """What to compare, and how.

    scale, categories, span: of the verdicts; None takes them from the step or from the verdicts.
    known: scale and levels by the step of the votes; they win over those of the toolkit's steps.
    by: the columns by which every number is broken down. item: the columns that identify what
    was judged. human: the judge, or the column, that holds human verdicts. sampling: the columns
    that say how the units for the human were drawn (`sampling_of`). positive: which
    verdicts count as right for the corrected accuracy: those equal to it (words), or those not
    below it (numbers).
    """

    scale: Scale | None = None
    categories: tuple[Any, ...] | None = None
    span: float | None = None
    known: Mapping[str, Known] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    item: tuple[str, ...] | None = None
    human: str | None = None
    sampling: tuple[str, ...] = ()
    positive: Any = None
    plan: Plan = field(default_factory=Plan)


@dataclass(frozen=True)
class AgreementRow:
    """One measure of agreement in one cell.

    step: "" means all steps together. group_by, group: "" means every unit. between: two judges, a
    judge and the human, the whole jury, or one judge over its repeats or prompt variants.
    n: the number of cases with the verdicts that the measure needs. failed, abstained: the number
    of votes left out because they failed or abstained. absent: the number of votes that were
    never cast. `value`, `low` and `high` may be None; `warning` then gives the reason.
    """

    step: str
    group_by: str
    group: str
    between: Between
    first: str
    second: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    failed: int
    abstained: int
    absent: int
    warning: str


@dataclass(frozen=True)
class CountRow:
    """How a judge's votes on a step ended. `failure_rate` is failed / votes."""

    step: str
    judge: str
    votes: int
    done: int
    abstained: int
    failed: int
    failure_rate: float


@dataclass(frozen=True)
class Agreement:
    """All tables about the agreement of judges. `notes` say how the verdicts were compared."""

    rows: tuple[AgreementRow, ...]
    counts: tuple[CountRow, ...]
    corrected: tuple[CorrectedRow, ...]
    contested: tuple[Contested, ...]
    notes: tuple[str, ...]
