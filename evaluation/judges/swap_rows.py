"""The rows of the swap report: what each says, and over what."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Holds = Literal["every judge", "some judges", "no judge"]


@dataclass(frozen=True)
class ScoreRow:
    """A model's score and rank under one judge; `failed` counts the units without a verdict."""

    metric: str
    judge: str
    model: str
    value: float
    low: float
    high: float
    rank: int | None
    n: int
    failed: int
    warning: str


@dataclass(frozen=True)
class TauRow:
    """Kendall's tau-b between the rankings of the models under two judges."""

    metric: str
    first: str
    second: str
    tau: float
    low: float
    high: float
    warning: str


@dataclass(frozen=True)
class LeaveOutRow:
    """A model's mean score over the judges, over all but one, and the change with its interval."""

    metric: str
    left_out: str
    model: str
    all_judges: float
    without: float
    change: float
    low: float
    high: float
    rank_all: int | None
    rank_without: int | None
    warning: str


@dataclass(frozen=True)
class FlipRow:
    """What a swap of the judge changes on one case.

    flipped: models whose score differs between judges, of `models` with two scores or more.
    order_flipped: pairs of models that one judge puts in one order and another in the other,
    of `pairs`.
    """

    metric: str
    unit: str
    flipped: int
    models: int
    order_flipped: int
    pairs: int


@dataclass(frozen=True)
class FlipRate:
    """Share of (case, model) whose score differs between judges, or of pairs whose order does."""

    metric: str
    kind: str
    share: float
    low: float
    high: float
    n: int
    warning: str


@dataclass(frozen=True)
class FamilyRow:
    """How much better a judge finds models of its own family than other judges make of it.

    advantage: how far it puts its own family ahead, minus how far the judges of other families
    do, put on its own scale; above 0 the judge favours its own. raw: the same without that
    scale, so that a lenient or careless judge moves it too.
    """

    metric: str
    judge: str
    family: str
    own: str
    against: str
    advantage: float | None
    low: float | None
    high: float | None
    raw: float | None
    warning: str


@dataclass(frozen=True)
class JudgeRow:
    """What a judge's verdicts cost and how many failed; extractions, which one judge does for
    all, are left out. `cost` (US dollars) and tokens are what was paid when they were made,
    None where a price is unknown; replies from the cache cost nothing.
    """

    judge: str
    family: str
    verdicts: int
    done: int
    abstained: int
    failed: int
    failure_rate: float
    low: float
    high: float
    calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None


@dataclass(frozen=True)
class Conclusion:
    """ "`better` beats `worse`", and under which judges that is clear.

    The better model is the one that is ahead under more judges; where as many are for either, by
    the mean over them. holds: under which judges it is clear. judges_for: under these it scores
    higher; clear_for: and the interval of the difference excludes 0, and the verdicts that are
    missing could not turn the order. judges_against, clear_against: the same for the other model.
    open: judges under which there is no interval. silent: judges without a verdict on either.
    difference, low, high: better minus worse, the mean over the judges, over the n units that all
    of them resolved for both. unresolved: the units that lack a verdict under the judge that lacks
    most. Names stand with "; " between.
    """

    metric: str
    better: str
    worse: str
    holds: Holds
    judges_for: str
    clear_for: str
    judges_against: str
    clear_against: str
    open: str
    silent: str
    difference: float
    low: float
    high: float
    n: int
    unresolved: int
    sentence: str


@dataclass(frozen=True)
class Swap:
    """The swap report. `titles` names the metrics as the main table does."""

    judges: tuple[str, ...]
    models: tuple[str, ...]
    titles: Mapping[str, str]
    scores: tuple[ScoreRow, ...]
    taus: tuple[TauRow, ...]
    left_out: tuple[LeaveOutRow, ...]
    flips: tuple[FlipRow, ...]
    flip_rates: tuple[FlipRate, ...]
    families: tuple[FamilyRow, ...]
    costs: tuple[JudgeRow, ...]
    conclusions: tuple[Conclusion, ...]
