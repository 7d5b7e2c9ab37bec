"""Let a jury decide over existing outcomes; no judge is asked."""

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
    """Return the rule, or majority if the rule needs numbers and the step's verdicts are not."""
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
    """Return the jury's outcome on one item from the outcomes of its judges, by judge name.

    Raises UsageError in the same cases as `scoring.jury.combine`.
    """
    try:
        typed = step.read_input(inputs)
    except (InputError, UsageError):
        typed = None  # every judge's outcome is Failed for these inputs
    votes = [
        vote
        for judge, outcome in outcomes.items()
        for vote in votes_of(step, typed, outcome, case=case, judge=judge)
    ]
    by_step: dict[str, list[Vote]] = {}
    for vote in votes:
        by_step.setdefault(vote.step, []).append(vote)
    verdicts = {
        name: combine(step_votes, rule, quorum=quorum, weights=weights)
        for name, step_votes in by_step.items()
    }
    values = [outcome.value for outcome in outcomes.values() if outcome.status == "done"]
    value = value_of(step, typed, verdicts, values) if typed is not None else None
    return JuryOutcome(case, step.name, verdicts, tuple(votes), value)
