"""Combine the votes on one case into one verdict. The order of the votes never matters.

`combine` counts votes: a judge that was asked three times has three votes. Only a vote with the
status "done" decides. Abstentions and failures are counted separately and do not change the
verdict.

    majority    the verdict of more than half of the votes that decide
    plurality   the verdict with the most votes
    unanimous   the verdict that all votes that decide share
    weighted    the verdict with the greatest sum of its judges' weights
    mean, median, min, max   of numbers; True and False do not count as numbers
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import UsageError
from .votes import Scalar, Vote, identity

Rule = Literal["majority", "plurality", "unanimous", "weighted", "mean", "median", "min", "max"]
RULES: tuple[Rule, ...] = get_args(Rule)
NUMERIC: tuple[Rule, ...] = ("mean", "median", "min", "max")
"""The rules that calculate a number; the others choose one of the verdicts."""

JuryStatus = Literal["decided", "tied", "abstained", "no_quorum"]


@dataclass(frozen=True)
class JuryVerdict:
    """A jury's verdict on one case in one step.

    status: "decided"; "tied" if the rule chooses none of the verdicts; "abstained" if votes and
        abstentions reach the quorum, but the votes that decide do not; "no_quorum" if votes and
        abstentions do not reach the quorum.
    verdict: None unless decided. tied: the verdicts among which the rule chooses none.
    shares: (verdict, share) of the votes that decide, or of their weight under "weighted"; the
        greatest first.
    done, abstained, failed: the number of votes by status. quorum: the number that must decide.
    reason: why there is no verdict.
    """

    status: JuryStatus
    rule: Rule
    verdict: Scalar | None = None
    tied: tuple[Scalar, ...] = ()
    shares: tuple[tuple[Scalar, float], ...] = ()
    done: int = 0
    abstained: int = 0
    failed: int = 0
    quorum: int = 1
    reason: str = ""


def combine(
    votes: Sequence[Vote],
    rule: Rule = "majority",
    *,
    quorum: int | None = None,
    weights: Mapping[str, float] | None = None,
) -> JuryVerdict:
    """Combine the votes on one case in one step into one verdict.

    Formula: the verdict with more than half of the votes, with the most votes, with all votes, or
    with the most weight; or the mean, median, min or max of numbers.

    Source: Boland (1989), "Majority systems and the Condorcet jury theorem", The Statistician
    38.

    Args:
        votes: the votes on one case in one step.
        rule: how they are combined; the mean, median, min and max need numbers.
        quorum: the number of votes that must decide; by default more than half of them.
        weights: judge -> weight, 0 or more, for the rule "weighted".

    Returns:
        the verdict, or the reason why there is none, with the votes that count.

    Raises:
        UsageError: an unknown rule, no votes, votes on several cases or steps, a quorum below 1, a
            missing or negative weight, or a verdict that is not a number under a rule that
            calculates.

    >>> combine([Vote("1", "s", "a", verdict=4), Vote("1", "s", "b", verdict=5)], "mean").verdict
    4.5
    """
    _check(votes, rule, quorum, weights)
    decided = [vote for vote in votes if vote.status == "done"]
    if rule in NUMERIC:
        _numbers(decided, rule)
    counts = {
        "done": len(decided),
        "abstained": sum(vote.status == "abstained" for vote in votes),
        "failed": sum(vote.status == "failed" for vote in votes),
        "quorum": quorum if quorum is not None else len(votes) // 2 + 1,
    }
    masses = _masses(decided, weights if rule == "weighted" else None)
    about = {"rule": rule, "shares": _shares(masses), **counts}
    if counts["done"] < counts["quorum"]:
        valid = counts["done"] + counts["abstained"] >= counts["quorum"]
        reason = (
            f"{counts['done']} of {len(votes)} votes decide, {counts['abstained']} abstain, "
            f"{counts['failed']} failed; the quorum is {counts['quorum']}"
        )
        return JuryVerdict("abstained" if valid else "no_quorum", reason=reason, **about)  # type: ignore[arg-type]
    if rule in NUMERIC:
        verdict = _CALCULATE[rule](_numbers(decided, rule))
        return JuryVerdict("decided", verdict=verdict, **about)  # type: ignore[arg-type]
    winners, reason = _winners(rule, masses)
    if len(winners) == 1 and not reason:
        return JuryVerdict("decided", verdict=winners[0], **about)  # type: ignore[arg-type]
    return JuryVerdict("tied", tied=winners, reason=reason or _tie(masses, winners), **about)  # type: ignore[arg-type]


def learn_weights(
    votes: Sequence[Vote],
    labels: Mapping[tuple[str, str], Scalar],
    *,
    smoothing: float = 1.0,
    verdicts: int = 2,
) -> dict[str, float]:
    """Return the weight of each judge, learnt on cases whose right verdict is known.

    The weight is the log-odds of being right, log(p (k - 1) / (1 - p)), with
    p = (right + s) / (answered + k s) and the smoothing s. With these weights the weighted vote is
    the one most likely to be right, if the judges err independently of each other and evenly over
    the other k - 1 verdicts (for k = 2: Nitzan and Paroush 1982, "Optimal decision rules in
    uncertain dichotomous choice situations", International Economic Review 23). Littlestone and
    Warmuth (1994), "The weighted majority algorithm", Information and Computation 108, also weigh
    voters by their record. A judge that is not better than chance has the weight 0: its errors
    are not evidence for another verdict.

    Formula: max(0, log(p (k - 1) / (1 - p))), p = (right + s) / (answered + k s).

    Source: Nitzan and Paroush (1982), International Economic Review 23.

    Args:
        votes: on any cases. Votes without a label and votes without a verdict are left out.
        labels: (case, step) -> right verdict.
        smoothing: s, above 0.
        verdicts: k, the number of possible verdicts.

    Raises:
        UsageError: a judge without a labelled vote, or smoothing or verdicts out of range.

    >>> from dxjudge.scoring import Vote
    >>> votes = [Vote(str(n), "s", "good", verdict=True) for n in range(8)]
    >>> right = {(str(n), "s"): True for n in range(8)}
    >>> round(learn_weights(votes, right)["good"], 3)
    2.197
    """
    if not smoothing > 0 or verdicts < 2:
        raise UsageError("smoothing must be above 0 and verdicts at least 2")
    right: dict[str, int] = {}
    answered: dict[str, int] = {vote.judge: 0 for vote in votes}
    for vote in votes:
        label = labels.get((vote.case, vote.step))
        if label is None or vote.verdict is None:
            continue
        answered[vote.judge] += 1
        same = identity(vote.verdict) == identity(label)
        right[vote.judge] = right.get(vote.judge, 0) + same
    unknown = sorted(judge for judge, count in answered.items() if not count)
    if unknown:
        raise UsageError(f"no vote of {unknown[0]} is on a labelled case: it has no weight")
    weights = {}
    for judge, count in sorted(answered.items()):
        share = (right[judge] + smoothing) / (count + verdicts * smoothing)
        weights[judge] = max(0.0, math.log(share * (verdicts - 1) / (1 - share)))
    return weights


def _check(
    votes: Sequence[Vote],
    rule: Rule,
    quorum: int | None,
    weights: Mapping[str, float] | None,
) -> None:
    if rule not in RULES:
        raise UsageError(f"no rule {rule!r}; there are {', '.join(RULES)}")
    if not votes:
        raise UsageError("a jury needs at least one vote")
    if len({(vote.case, vote.step) for vote in votes}) > 1:
        raise UsageError("a jury decides one case in one step at a time")
    if quorum is not None and quorum < 1:
        raise UsageError(f"a quorum of {quorum} is below 1")
    if rule == "weighted":
        check_weights(weights, {vote.judge for vote in votes})


def check_weights(weights: Mapping[str, float] | None, judges: set[str]) -> None:
    """Raise UsageError if a judge has no weight, or a weight that is not a number of 0 or more.

    Args:
        weights: judge -> weight.
        judges: the names of the judges that vote.

    Raises:
        UsageError: no weights, a judge without a weight, or a weight that is not 0 or more.
    """
    if weights is None:
        raise UsageError("the rule weighted needs weights")
    for judge in sorted(judges):
        if judge not in weights:
            raise UsageError(f"the judge {judge} has no weight; there are: {', '.join(weights)}")
        if not (math.isfinite(weights[judge]) and weights[judge] >= 0):
            raise UsageError(f"the weight of {judge} is {weights[judge]}: it must be 0 or more")


Masses = dict[tuple[str, Scalar], tuple[Scalar, float]]


def _masses(decided: Sequence[Vote], weights: Mapping[str, float] | None) -> Masses:
    """Return each verdict with its number of votes or its weight, sorted by verdict."""
    votes_by_verdict: dict[tuple[str, Scalar], list[Vote]] = {}
    for vote in decided:
        assert vote.verdict is not None  # a vote that is done has one
        votes_by_verdict.setdefault(identity(vote.verdict), []).append(vote)
    masses: Masses = {}
    for key in sorted(votes_by_verdict):
        # 1 and 1.0 are one verdict: which one is shown must not depend on the order of the votes.
        shown = min(
            (vote.verdict for vote in votes_by_verdict[key] if vote.verdict is not None), key=repr
        )
        # fsum rounds once: the sum does not depend on the order of the votes.
        mass = math.fsum(
            1 if weights is None else weights[vote.judge] for vote in votes_by_verdict[key]
        )
        masses[key] = (shown, mass)
    return masses


def _shares(masses: Masses) -> tuple[tuple[Scalar, float], ...]:
    total = math.fsum(mass for _, mass in masses.values())
    shares = [(verdict, mass / total if total else 0.0) for verdict, mass in masses.values()]
    return tuple(sorted(shares, key=lambda pair: -pair[1]))  # stable: equal shares keep their order


def _winners(rule: Rule, masses: Masses) -> tuple[tuple[Scalar, ...], str]:
    """Return the verdicts that the rule leaves, and why it chooses none of them ("" if it does)."""
    everyone = tuple(verdict for verdict, _ in masses.values())
    total = math.fsum(mass for _, mass in masses.values())
    greatest = max(mass for _, mass in masses.values())
    if rule == "unanimous":
        return everyone, "" if len(everyone) == 1 else f"not unanimous: {_listed(masses)}"
    if rule == "majority" and not greatest > total / 2:
        return everyone, f"no verdict has more than half of {total:g} votes: {_listed(masses)}"
    if greatest == 0:
        return everyone, "all who decide have the weight 0"
    near = [verdict for verdict, mass in masses.values() if math.isclose(mass, greatest)]
    return tuple(near), ""


def _tie(masses: Masses, winners: Sequence[Scalar]) -> str:
    return f"tied between {' and '.join(map(str, winners))}: {_listed(masses)}"


def _listed(masses: Masses) -> str:
    ordered = sorted(masses.values(), key=lambda pair: -pair[1])
    return ", ".join(f"{verdict} {mass:g}" for verdict, mass in ordered)


def _numbers(decided: Sequence[Vote], rule: Rule) -> list[float]:
    numbers: list[float] = []
    for vote in decided:
        if isinstance(vote.verdict, bool) or not isinstance(vote.verdict, int | float):
            raise UsageError(
                f"the rule {rule} needs numbers; the verdict of {vote.judge} on case "
                f"{vote.case} in {vote.step} is {vote.verdict!r}. Use majority or plurality"
            )
        numbers.append(vote.verdict)
    return sorted(numbers, key=lambda number: (number, repr(number)))


def _median(numbers: list[float]) -> float:
    """Return the median; as the judges wrote it where both middle numbers are the same."""
    low = statistics.median_low(numbers)
    return low if low == statistics.median_high(numbers) else statistics.median(numbers)


_CALCULATE: dict[str, Callable[[list[float]], float]] = {
    "mean": lambda numbers: math.fsum(numbers) / len(numbers),
    "median": _median,
    "min": min,
    "max": max,
}
