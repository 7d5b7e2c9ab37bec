"""The row types of the swap report."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..measures.standings import Gap

Holds = Literal["every judge", "some judges", "no judge"]


@dataclass(frozen=True)
class ScoreRow:
    """A model's score and rank under one judge. `failed` counts the units without a verdict."""

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
    """A model's mean score over all judges and over all but one, and the change with interval."""

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

    flipped: the number of models whose score differs between judges, among the `models` models
    with at least two scores. order_flipped: the number of pairs of models that two judges put in
    opposite order, among the `pairs` pairs.
    """

    metric: str
    unit: str
    flipped: int
    models: int
    order_flipped: int
    pairs: int


@dataclass(frozen=True)
class FlipRate:
    """Share of scores (case and model) that differ between judges, or of orders of two models."""

    metric: str
    kind: str
    share: float
    low: float
    high: float
    n: int
    warning: str


@dataclass(frozen=True)
class FamilyRow:
    """How much a judge favours the models of its own family, compared with other judges.

    advantage: the judge's lead of its own family minus the lead that the judges of other families
    give it, converted to the judge's own scale; above 0 the judge favours its own family. raw:
    the same without the conversion, so that a lenient or careless judge moves it too.
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
class SharedErrorRow:
    """The correlation of two judges' errors, estimated from all judges without the truth.

    p_value: of the test that they err independently. shared: whether they make the same errors.
    A number that cannot be estimated is None, and `warning` says why.
    """

    metric: str
    first: str
    second: str
    correlation: float | None
    low: float | None
    high: float | None
    p_value: float | None
    shared: bool
    warning: str


@dataclass(frozen=True)
class JudgeRow:
    """What a judge's verdicts cost, and how many failed.

    Extractions are left out, because one judge does them for all. `cost` is in US dollars. Cost
    and tokens are those of the calls when they were made; None if one is unknown. A reply from
    the cache costs nothing.
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
    """Which of two models is better, and under which judges that is clear.

    The better model leads under more judges; if the numbers are equal, it has the higher mean over
    the judges. holds: whether it is clear under every judge, some or none. judges_for: the judges
    under which it scores higher. clear_for: those among them for which the interval of the
    difference excludes 0, also with the missing verdicts at their worst. judges_against,
    clear_against: the same for the other model. open: the judges without an interval. silent: the
    judges without a verdict. same_errors: "a + b" for judges on one side that make the same errors.
    difference, low, high: better minus worse, as a mean over the judges, over the n units that all
    of them resolved for both models. unresolved: the largest number of units without a verdict
    under one judge. "; " separates names.
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
    same_errors: str
    difference: float
    low: float
    high: float
    n: int
    unresolved: int
    sentence: str


@dataclass(frozen=True)
class Swap:
    """The swap report.

    titles: the names of the metrics in the main table. differences: of every two models under
    each judge, with corrected p-values.
    """

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
    differences: tuple[Gap, ...] = ()
    shared_errors: tuple[SharedErrorRow, ...] = ()
