"""Turn outcomes into votes, and a jury's verdicts into a result, through the step's `Verdict`.

A vote is on a step, or on one part of it (`score_rubric.DIMENSION`). An outcome that is done
has a verdict. An outcome that abstained or failed has none, and its vote has the same status.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from ..agents.outcome import Outcome
from ..agents.step import Step
from ..agents.verdict import Verdict, Worded
from ..errors import UsageError
from ..scoring.jury import NUMERIC, RULES, JuryVerdict, Rule
from ..scoring.votes import Vote


def vote_step(step: Step[Any, Any], part: str) -> str:
    """Return the name of a part in the field `step` of votes."""
    return _part_of(step.name, part)


def _part_of(name: str, part: str) -> str:
    return f"{name}.{part}" if part else name


def votes_of(
    step: Step[Any, Any],
    inputs: BaseModel | None,
    outcome: Outcome,
    *,
    case: str,
    judge: str,
    variant: str = "",
    groups: Mapping[str, str] | None = None,
    name: str = "",
) -> list[Vote]:
    """Return an outcome as votes, one for each part; `outcome.value` has the step's result type.

    The vote on the first part has the tokens and cost of the whole answer; the others have 0.
    inputs: None if they cannot be used. name: stands in the votes instead of the step's name. If
    the verdict of a result is not of the step's kind or cannot be read, the vote is failed. Raises
    UsageError for a step without a verdict.
    """
    verdict = step.demand_verdict()
    shared: dict[str, Any] = {
        "case": case,
        "judge": judge,
        "repeat": outcome.repeat,
        "variant": variant,
        "groups": dict(groups or {}),
    }
    spent: dict[str, Any] = {
        "tokens_in": outcome.tokens_in,
        "tokens_out": outcome.tokens_out,
        "cost": outcome.cost,
    }
    votes = []
    for part, about in _parts(verdict, inputs, outcome).items():
        votes.append(Vote(step=_part_of(name or step.name, part), **shared, **about, **spent))
        spent = dict.fromkeys(spent, 0)
    return votes


def _parts(
    verdict: Verdict, inputs: BaseModel | None, outcome: Outcome
) -> dict[str, dict[str, Any]]:
    """Return for each part the fields of its vote that come from the outcome."""
    names = verdict.names(inputs)
    if outcome.status == "abstained":
        return dict.fromkeys(names, {"status": "abstained", "reason": outcome.reason})
    if outcome.status == "failed":
        return dict.fromkeys(names, _failed(outcome.why))
    try:
        by_part = verdict.of(inputs, outcome.value)
    except Exception as fault:  # a fault in the step's own code is this item's failure
        reason = f"error: its verdict cannot be read: {type(fault).__name__}: {fault}"
        return dict.fromkeys(names, _failed(reason))
    return {part: _done(verdict, part, worded) for part, worded in by_part.items()}


def _done(verdict: Verdict, part: str, worded: Worded) -> dict[str, Any]:
    fault = verdict.fault(worded.verdict, part)
    if fault:
        return _failed(f"error: its verdict {fault}")
    return {"verdict": worded.verdict, "explanation": worded.words}


def _failed(reason: str) -> dict[str, Any]:
    return {"status": "failed", "reason": reason}


def check_rule(step: Step[Any, Any], rule: Rule) -> None:
    """Raise UsageError for a step without a verdict, or a rule that is unknown or does not fit."""
    verdict = step.demand_verdict()
    if rule not in RULES:
        raise UsageError(f"no rule {rule!r}; there are {', '.join(RULES)}")
    if rule in NUMERIC and not verdict.is_numeric:
        raise UsageError(
            f"the rule {rule} needs numbers, but the verdicts of {step.name} are not numbers; use "
            "majority, plurality, unanimous or weighted"
        )


def read_human(step: Step[Any, Any], vote: Vote) -> Vote:
    """Return a person's vote with its verdict in the form of this step's votes.

    Raises UsageError for a verdict of another kind; the message names case and judge.
    """
    if vote.verdict is None:
        return vote
    part = vote.step.removeprefix(step.name)[1:]
    try:
        verdict = step.demand_verdict().read_person(vote.verdict, step.known_result, part)
    except ValueError as fault:
        raise UsageError(
            f"the verdict of {vote.judge} on case {vote.case} in {vote.step} {fault}"
        ) from fault
    return Vote(**{**vars(vote), "verdict": verdict})


def compose(
    step: Step[Any, Any],
    inputs: BaseModel,
    verdicts: Mapping[str, JuryVerdict],
    values: Sequence[Any],
) -> BaseModel | None:
    """Return the step's result with a jury's verdicts; None if its type does not accept them.

    verdicts: by part, all decided. values: the results of the judges who voted. If no judge gave
    this result, its words are the count of the votes.
    """
    worded = {}
    for part, one in verdicts.items():
        assert one.verdict is not None  # decided
        worded[part] = Worded(one.verdict, _tally(one))
    model = step.result_model(inputs)
    return step.demand_verdict().compose(model, inputs, worded, values)


def _tally(jury: JuryVerdict) -> str:
    shares = ", ".join(f"{verdict} by {share:.0%}" for verdict, share in jury.shares)
    return f"{jury.rule} of {jury.done} votes: {shares}"
