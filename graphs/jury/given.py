"""A jury over outcomes that there are already: no judge is asked."""

from collections.abc import Mapping
from typing import Any

from ...agents.outcome import Outcome
from ...agents.step import Step
from ...errors import InputError, UsageError
from ...scoring.jury import NUMERIC, Rule, combine
from ...scoring.votes import Vote
from ..verdicts import votes_of
from .result import JuryOutcome, value_of


def rule_for(step: Step[Any, Any], rule: Rule) -> Rule:
    """The rule where it can be used: one that calculates becomes majority without numbers."""
    return rule if step.demand_verdict().is_numeric or rule not in NUMERIC else "majority"


def jury_over(
    step: Step[Any, Any],
    inputs: Mapping[str, Any],
    outcomes: Mapping[str, Outcome],
    rule: Rule,
    *,
    quorum: int | None = None,
    weights: Mapping[str, float] | None = None,
    case: str = "1",
) -> JuryOutcome:
    """The jury's outcome on one item, from the outcomes of its judges by their names.

    Raises UsageError as `scoring.jury.combine`.
    """
    try:
        typed = step.read_input(inputs)
    except (InputError, UsageError):
        typed = None  # every outcome has failed for it
    votes = [
        vote
        for judge, outcome in outcomes.items()
        for vote in votes_of(step, typed, outcome, case=case, judge=judge)
    ]
    by_step: dict[str, list[Vote]] = {}
    for vote in votes:
        by_step.setdefault(vote.step, []).append(vote)
    verdicts = {
        name: combine(held, rule, quorum=quorum, weights=weights) for name, held in by_step.items()
    }
    values = [outcome.value for outcome in outcomes.values() if outcome.status == "done"]
    value = value_of(step, typed, verdicts, values) if typed is not None else None
    return JuryOutcome(case, step.name, verdicts, tuple(votes), value)
