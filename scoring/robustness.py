"""How often a verdict flips under a change that should not change it.

A comparison is a vote on the unchanged item (the base) and a vote on the perturbed item. It is
`same` or `flipped` if both have a verdict. Comparisons in which one vote or both abstained, or one
failed, are counted separately.

The flip rate is a share of the comparisons with two verdicts. The comparisons of one case count
as dependent (`share_interval`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from ..errors import UsageError
from .bootstrap import Interval, Plan
from .means import mean_interval
from .share_limits import share_interval
from .votes import Vote, identity

ChangeStatus = Literal["same", "flipped", "abstained_both", "abstained_one", "failed"]
ALL = "(all)"
"""The name for all perturbations together."""


@dataclass(frozen=True)
class Comparison:
    """One perturbed vote and the vote on the unchanged item."""

    base: Vote
    perturbed: Vote

    @property
    def status(self) -> ChangeStatus:
        """What happened to the verdict."""
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
        """Perturbed minus base if both are numbers, else None."""
        before, after = self.base.verdict, self.perturbed.verdict
        if isinstance(before, bool | str) or isinstance(after, bool | str):
            return None
        return None if before is None or after is None else float(after - before)


@dataclass(frozen=True)
class FlipRate:
    """How often one judge's verdicts in one step flip under one perturbation.

    compared: the number of comparisons with two verdicts. flips: how many of them flipped. rate:
    their share with its interval; its `n` is the number of cases. abstained_one: the number of
    comparisons in which one of the two votes abstained. abstained_both, failed: the numbers of the
    other comparisons without two verdicts. shift: the mean absolute difference of numbers with its
    interval; None if the verdicts are not numbers. drift: the mean difference, above 0 if
    perturbed verdicts are higher.
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


def compare_votes(votes: Iterable[Vote]) -> tuple[Comparison, ...]:
    """Compare every perturbed vote with its base: the vote without a variant.

    Args:
        votes: the votes on the original items and on their changed forms.

    Returns:
        one comparison for each changed item.

    Raises:
        UsageError: a perturbed vote without a base, or two bases of one case.
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
    comparisons = []
    for vote in given:
        if not vote.variant:
            continue
        base = bases.get((vote.case, vote.step, vote.judge))
        if base is None:
            raise UsageError(f"case {vote.case!r}, {vote.step}, {vote.judge}: no base vote")
        comparisons.append(Comparison(base, vote))
    return tuple(comparisons)


def flip_rates(
    comparisons: Iterable[Comparison], *, plan: Plan | None = None
) -> tuple[FlipRate, ...]:
    """Return the rates of every step, judge and perturbation, then of `(all)` perturbations.

    The order is that of the comparisons.

    Formula: flipped / comparisons of two verdicts; shift = mean |perturbed - base|.

    Source: `share_interval` for its interval.

    Args:
        comparisons: as `compare_votes` gives them.
        plan: the level of all intervals, and the resampling for the intervals of shifts.

    >>> from dxjudge.scoring import Vote
    >>> base = [Vote(str(n), "s", "j", verdict=1) for n in range(4)]
    >>> turned = [Vote(str(n), "s", "j", variant="order", verdict=int(n > 0)) for n in range(4)]
    >>> flip_rates(compare_votes([*base, *turned]))[0].rate.estimate
    0.25
    """
    groups: dict[tuple[str, str], dict[str, list[Comparison]]] = {}
    for one in comparisons:
        vote = one.perturbed
        by_name = groups.setdefault((vote.step, vote.judge), {})
        by_name.setdefault(vote.variant, []).append(one)
    rates = []
    for (step, judge), by_name in groups.items():
        if len(by_name) > 1:
            by_name[ALL] = [one for members in by_name.values() for one in members]
        rates += [
            _rate(step, judge, name, members, plan or Plan()) for name, members in by_name.items()
        ]
    return tuple(rates)


def fragile_cases(comparisons: Iterable[Comparison]) -> tuple[Fragile, ...]:
    """Return the flips of every case and judge, most flips first, then by share and name.

    Formula: flips and comparisons by case and judge.

    Source: dxjudge; `flip_rates` has the shares.

    Args:
        comparisons: as `compare_votes` gives them.

    >>> from dxjudge.scoring import Vote
    >>> base, turned = Vote("1", "s", "j", verdict=1), Vote("1", "s", "j", variant="v", verdict=0)
    >>> fragile_cases(compare_votes([base, turned]))
    (Fragile(case='1', judge='j', flips=1, compared=1),)
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for one in comparisons:
        count = counts.setdefault((one.base.case, one.base.judge), [0, 0])
        count[0] += one.status == "flipped"
        count[1] += one.status in ("same", "flipped")
    fragile = [Fragile(case, judge, *count) for (case, judge), count in counts.items()]
    return tuple(sorted(fragile, key=lambda e: (-e.flips, e.compared, e.case, e.judge)))


def _rate(
    step: str, judge: str, name: str, comparisons: Sequence[Comparison], plan: Plan
) -> FlipRate:
    statuses = [one.status for one in comparisons]
    verdicts = [
        (one, status) for one, status in zip(comparisons, statuses, strict=True)
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
        rate=share_interval(flips, cases, plan.level),
        abstained_one=statuses.count("abstained_one"),
        abstained_both=statuses.count("abstained_both"),
        failed=statuses.count("failed"),
        shift=mean_interval(map(abs, shifts), clusters=cases, plan=plan) if numbers else None,
        drift=fmean(shifts) if numbers else None,
    )
