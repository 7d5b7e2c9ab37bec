"""How often a verdict flips under a change that should not change it.

A comparison is a vote on an item as it is (the base) and one on the item perturbed. It is
`same` or `flipped` where both hold a verdict. Where one of the two abstains, or both do, or one
failed, nothing flipped and nothing held: these are counted apart.

The flip rate of n comparisons over k cases has a Wilson interval (Wilson 1927, JASA 22) with
the effective number of comparisons in the place of n, since several verdicts on one case are
not independent (Korn and Graubard 1998, Survey Methodology 24): n* = n / d, where d, the design
effect, is the variance of the rate over cases,

    v = k / (k - 1) * sum_i (y_i - p m_i)^2 / n^2,   y_i flips of m_i comparisons of case i,

over that of n independent ones, p (1 - p) / (n - 1). With one comparison a case d is 1. A rate
of 0 or 1 says nothing about d: then n* is k, as if a case's verdicts always flipped together.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import Literal

from ..errors import UsageError
from .bootstrap import Interval, Plan, mean_interval
from .votes import Vote, identity

ChangeStatus = Literal["same", "flipped", "abstained_both", "abstained_one", "failed"]
ALL = "(all)"
"""The name under which all perturbations are taken together."""


@dataclass(frozen=True)
class Comparison:
    """One perturbed vote against the vote on the item as it is;."""

    base: Vote
    perturbed: Vote

    @property
    def status(self) -> ChangeStatus:
        """What became of the verdict."""
        statuses = {self.base.status, self.perturbed.status}
        if "failed" in statuses:
            return "failed"
        if "abstained" in statuses:
            return "abstained_both" if statuses == {"abstained"} else "abstained_one"
        assert self.base.verdict is not None and self.perturbed.verdict is not None
        same = identity(self.base.verdict) == identity(self.perturbed.verdict)
        return "same" if same else "flipped"

    @property
    def shift(self) -> float | None:
        """Perturbed minus base, where both are numbers; None elsewhere."""
        before, after = self.base.verdict, self.perturbed.verdict
        if isinstance(before, bool | str) or isinstance(after, bool | str):
            return None
        return None if before is None or after is None else float(after - before)


@dataclass(frozen=True)
class FlipRate:
    """How one judge's verdicts in one step hold under one perturbation.

    flips of compared: the comparisons of two verdicts. rate: their share with its interval, `n`
    there is the number of cases. abstained_one: comparisons where the verdict came or went;
    abstained_both, failed: the other comparisons without two verdicts.
    shift: the mean absolute difference of numbers with its interval; None where verdicts are
    no numbers. drift: the mean difference, above 0 where perturbed verdicts are higher.
    """

    step: str
    judge: str
    perturbation: str
    compared: int
    flips: int
    rate: Interval
    abstained_one: int
    abstained_both: int
    failed: int
    shift: Interval | None
    drift: float | None


@dataclass(frozen=True)
class Fragile:
    """One case's flips under one judge, over all perturbations and parts."""

    case: str
    judge: str
    flips: int
    compared: int


def compare(votes: Iterable[Vote]) -> tuple[Comparison, ...]:
    """Put every perturbed vote beside its base: the vote without a variant, repeat 0.

    Raises UsageError for a perturbed vote without a base, or two bases of one case.
    """
    given = list(votes)
    bases: dict[tuple[str, str, str], Vote] = {}
    for vote in given:
        if vote.variant:
            continue
        key = (vote.case, vote.step, vote.judge)
        if key in bases:
            raise UsageError(f"case {vote.case!r}, {vote.step}, {vote.judge}: two base votes")
        bases[key] = vote
    found = []
    for vote in given:
        if not vote.variant:
            continue
        base = bases.get((vote.case, vote.step, vote.judge))
        if base is None:
            raise UsageError(f"case {vote.case!r}, {vote.step}, {vote.judge}: no base vote")
        found.append(Comparison(base, vote))
    return tuple(found)


def flip_rates(
    comparisons: Iterable[Comparison], *, plan: Plan | None = None
) -> tuple[FlipRate, ...]:
    """Every step, judge and perturbation, in order of first sight, and `(all)` of them after.

    plan: the level of all intervals, and how those of shifts resample cases.
    """
    groups: dict[tuple[str, str], dict[str, list[Comparison]]] = {}
    for one in comparisons:
        vote = one.perturbed
        held = groups.setdefault((vote.step, vote.judge), {})
        held.setdefault(vote.variant, []).append(one)
    rates = []
    for (step, judge), by_name in groups.items():
        if len(by_name) > 1:
            by_name[ALL] = [one for held in by_name.values() for one in held]
        rates += [_rate(step, judge, name, held, plan or Plan()) for name, held in by_name.items()]
    return tuple(rates)


def fragile_cases(comparisons: Iterable[Comparison]) -> tuple[Fragile, ...]:
    """Every case and judge, those that flipped most first; ties by share, then by name."""
    counts: dict[tuple[str, str], list[int]] = {}
    for one in comparisons:
        held = counts.setdefault((one.base.case, one.base.judge), [0, 0])
        held[0] += one.status == "flipped"
        held[1] += one.status in ("same", "flipped")
    found = [Fragile(case, judge, *held) for (case, judge), held in counts.items()]
    return tuple(sorted(found, key=lambda e: (-e.flips, e.compared, e.case, e.judge)))


def flip_interval(
    flips: Sequence[bool], cases: Sequence[Hashable], level: float = 0.95
) -> Interval:
    """The share of flips with its Wilson interval, comparisons of one case counted as dependent.

    NaN, with a warning, where nothing was compared.

    Raises UsageError: lists of different lengths, or a level that is none.

    >>> made = flip_interval([True] * 2 + [False] * 8, range(10))
    >>> round(made.estimate, 2), round(made.low, 4), round(made.high, 4)
    (0.2, 0.0567, 0.5098)
    """
    if len(flips) != len(cases):
        raise UsageError(f"{len(flips)} comparisons but {len(cases)} cases")
    Plan(level=level)  # refuses what is no level
    n, k = len(flips), len(set(cases))
    about = {"level": level, "method": "wilson", "n": k, "resamples": 0, "seed": 0}
    if not n:
        nothing = "no comparison has two verdicts"
        return Interval(math.nan, math.nan, math.nan, warning=nothing, **about)  # type: ignore[arg-type]
    share = sum(flips) / n
    low, high = wilson(share, _effective(flips, cases, share), level)
    return Interval(share, low, high, **about)  # type: ignore[arg-type]


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share of n independent items; n may be a fraction.

    (p + z^2/2n ± z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), z the normal quantile.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return (middle - reach if share > 0 else 0.0), (middle + reach if share < 1 else 1.0)


def _effective(flips: Sequence[bool], cases: Sequence[Hashable], share: float) -> float:
    """The number of independent comparisons that would tell as much."""
    totals: dict[Hashable, list[int]] = {}
    for flip, case in zip(flips, cases, strict=True):
        held = totals.setdefault(case, [0, 0])
        held[0] += flip
        held[1] += 1
    n, k = len(flips), len(totals)
    if k == n:
        return float(n)
    if k == 1 or share in (0, 1):
        return float(k)
    spread = math.fsum((held[0] - share * held[1]) ** 2 for held in totals.values())
    variance = k / (k - 1) * spread / n**2
    design = variance / (share * (1 - share) / (n - 1))
    return min(float(n), max(1.0, n / design)) if design > 0 else float(n)


def _rate(step: str, judge: str, name: str, held: Sequence[Comparison], plan: Plan) -> FlipRate:
    statuses = [one.status for one in held]
    verdicts = [
        (one, status) for one, status in zip(held, statuses, strict=True)
        if status in ("same", "flipped")
    ]  # fmt: skip
    flips = [status == "flipped" for _, status in verdicts]
    cases = [one.base.case for one, _ in verdicts]
    shifts = [shift for one, _ in verdicts if (shift := one.shift) is not None]
    numbers = bool(shifts) and len(shifts) == len(verdicts)
    return FlipRate(
        step=step,
        judge=judge,
        perturbation=name,
        compared=len(flips),
        flips=sum(flips),
        rate=flip_interval(flips, cases, plan.level),
        abstained_one=statuses.count("abstained_one"),
        abstained_both=statuses.count("abstained_both"),
        failed=statuses.count("failed"),
        shift=mean_interval(map(abs, shifts), clusters=cases, plan=plan) if numbers else None,
        drift=fmean(shifts) if numbers else None,
    )
