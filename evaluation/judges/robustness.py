"""How a judge holds under changes that should not matter: trials as rows, rates as rows."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...agents.perturb import KINDS
from ...agents.step import Step
from ...graphs.jury.votes_file import verdict_text
from ...graphs.robust import Tried
from ...scoring.bootstrap import Plan
from ...scoring.robustness import (
    ALL,
    Comparison,
    FlipRate,
    Fragile,
    compare_votes,
    flip_rates,
    fragile_cases,
)
from ...scoring.votes import Vote


@dataclass(frozen=True)
class Skipped:
    """A change that does not apply to a case, and why."""

    case: str
    judge: str
    perturbation: str
    reason: str


@dataclass(frozen=True)
class Robustness:
    """Every vote, the comparisons they make, and what follows from them.

    fragile: the cases, those that flipped most first. skipped: what did not apply.
    """

    step: str
    votes: tuple[Vote, ...]
    comparisons: tuple[Comparison, ...]
    rates: tuple[FlipRate, ...]
    fragile: tuple[Fragile, ...]
    skipped: tuple[Skipped, ...]


def measure_robustness(
    step: Step[Any, Any],
    tried: Sequence[tuple[str, Tried]],
    *,
    plan: Plan | None = None,
) -> Robustness:
    """Compare the trials of (case, trials) pairs; every pair of case and judge is there once.

    plan: the level of the intervals, and how those of shifts resample.
    """
    votes = [vote for case, one in tried for vote in one.votes(step, case)]
    comparisons = compare_votes(votes)
    skipped = tuple(
        Skipped(case, one.judge, trial.perturbation, trial.reason)
        for case, one in tried
        for trial in one.trials
        if trial.outcome is None
    )
    return Robustness(
        step.prompt_name,
        tuple(votes),
        comparisons,
        flip_rates(comparisons, plan=plan),
        fragile_cases(comparisons),
        skipped,
    )


def trial_rows(found: Robustness) -> list[dict[str, Any]]:
    """One row a comparison, and one for each change that does not apply.

    The rows of the case and judge that flipped most come first. `flipped` is None where the two
    are not two verdicts; verdicts are text as in a table of votes.
    """
    order = {(one.case, one.judge): place for place, one in enumerate(found.fragile)}
    rows = [_row(one) for one in found.comparisons]
    rows += [_skipped_row(found.step, one) for one in found.skipped]
    last = len(order)
    return sorted(rows, key=lambda row: order.get((row["case"], row["judge"]), last))


def _row(one: Comparison) -> dict[str, Any]:
    status, vote = one.status, one.perturbed
    return {
        "case": vote.case,
        "step": vote.step,
        "judge": vote.judge,
        "perturbation": vote.variant,
        "repeat": vote.repeat,
        "base": verdict_text(one.base.verdict),
        "perturbed": verdict_text(vote.verdict),
        "status": status,
        "flipped": status == "flipped" if status in ("same", "flipped") else None,
        "shift": one.shift,
        "reason": vote.reason or (one.base.reason and f"base: {one.base.reason}"),
        "explanation": vote.explanation,
    }


def _skipped_row(step: str, one: Skipped) -> dict[str, Any]:
    blank = dict.fromkeys(("repeat", "base", "perturbed", "flipped", "shift"))
    return {
        "case": one.case,
        "step": step,
        "judge": one.judge,
        "perturbation": one.perturbation,
        **blank,
        "status": "not_applicable",
        "reason": one.reason,
        "explanation": "",
    }


def rate_rows(found: Robustness) -> list[dict[str, Any]]:
    """The rates as plain rows: by judge and step, in the order of the perturbations, all last.

    A perturbation that applied to no case has a row with nothing compared. Numbers that are
    none (a rate of nothing, limits with a warning) are None.
    """
    counts = Counter((one.judge, one.perturbation) for one in found.skipped)
    rows = [
        {**_plain(rate), "not_applicable": counts[rate.judge, rate.perturbation]}
        for rate in found.rates
    ]
    there = {(rate.judge, rate.perturbation) for rate in found.rates}
    reasons = {(one.judge, one.perturbation): one.reason for one in found.skipped}
    for (judge, name), reason in reasons.items():
        if (judge, name) not in there:
            rows.append(_nothing(found.step, judge, name, counts[judge, name], reason))
    steps = list(dict.fromkeys(row["step"] for row in rows))
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    return sorted(
        rows,
        key=lambda row: (
            judges.index(row["judge"]),
            steps.index(row["step"]),
            row["perturbation"] == ALL,
            KINDS.index(kind) if (kind := kind_of(row["perturbation"])) in KINDS else len(KINDS),
        ),
    )


def kind_of(perturbation: str) -> str:
    """The kind of a perturbation: `wording` of `wording:care`.

    >>> kind_of("wording:care"), kind_of("order")
    ('wording', 'order')
    """
    return perturbation.partition(":")[0]


def _plain(rate: FlipRate) -> dict[str, Any]:
    return {
        "step": rate.step,
        "judge": rate.judge,
        "perturbation": rate.perturbation,
        "cases": rate.rate.n,
        "compared": rate.compared,
        "flips": rate.flips,
        "rate": _number(rate.rate.estimate),
        "low": _number(rate.rate.low),
        "high": _number(rate.rate.high),
        "level": rate.rate.level,
        "abstained_one": rate.abstained_one,
        "abstained_both": rate.abstained_both,
        "failed": rate.failed,
        "shift": _number(rate.shift.estimate) if rate.shift else None,
        "shift_low": _number(rate.shift.low) if rate.shift else None,
        "shift_high": _number(rate.shift.high) if rate.shift else None,
        "drift": rate.drift,
        "warning": rate.rate.warning or "",
    }


def _nothing(step: str, judge: str, name: str, count: int, reason: str) -> dict[str, Any]:
    zero = dict.fromkeys(
        ("cases", "compared", "flips", "abstained_one", "abstained_both", "failed"), 0
    )
    none = dict.fromkeys(
        ("rate", "low", "high", "level", "shift", "shift_low", "shift_high", "drift")
    )
    about = {"step": step, "judge": judge, "perturbation": name}
    return {**about, **zero, **none, "warning": reason, "not_applicable": count}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
