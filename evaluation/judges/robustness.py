"""Measure how a judge's verdicts react to changes that should not matter, as tables of rows."""

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
    """All votes of a robustness run, their comparisons, and the flip rates.

    fragile: the cases, those with most flips first. skipped: the changes that do not apply.
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
    """Compare the trials in (case, trials) pairs; each pair of case and judge occurs once.

    plan: the level of the intervals, and the resampling for the intervals of shifts.
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


def trial_rows(robustness: Robustness) -> list[dict[str, Any]]:
    """Return one row per comparison, and one per change that does not apply.

    The rows of the case and judge with most flips come first. `flipped` is None unless both sides
    have a verdict. Verdicts are text, as in a table of votes.
    """
    order = {(one.case, one.judge): place for place, one in enumerate(robustness.fragile)}
    rows = [_row(one) for one in robustness.comparisons]
    rows += [_skipped_row(robustness.step, one) for one in robustness.skipped]
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


def rate_rows(robustness: Robustness) -> list[dict[str, Any]]:
    """Return the rates as plain rows, by judge, step and perturbation; the overall rate is last.

    A perturbation that applies to no case has a row with 0 comparisons. A number that does not
    exist (a rate over nothing, limits with a warning) is None.
    """
    counts = Counter((one.judge, one.perturbation) for one in robustness.skipped)
    rows = [
        {**_plain(rate), "not_applicable": counts[rate.judge, rate.perturbation]}
        for rate in robustness.rates
    ]
    compared = {(rate.judge, rate.perturbation) for rate in robustness.rates}
    reasons = {(one.judge, one.perturbation): one.reason for one in robustness.skipped}
    for (judge, name), reason in reasons.items():
        if (judge, name) not in compared:
            rows.append(_nothing(robustness.step, judge, name, counts[judge, name], reason))
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
    """Return the kind of a perturbation: `wording` for `wording:care`.

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
