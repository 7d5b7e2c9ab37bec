"""The verdicts of an evaluation as votes, so that judges can be compared like any others."""

from collections.abc import Iterator

from ...agents.outcome import Abstained, Done, Failed
from ...graphs.jury.votes_file import COLUMNS
from ...prompts.data import load_rubric
from ...scoring.bootstrap import Plan
from ...scoring.votes import Scalar, Vote, VoteStatus
from ..judged import Judged
from ..judging import JURY, Verdict
from ..measures.answered import chosen
from ..report.explained import explained
from ..settings import Settings
from .agreement_table import Agreement, Terms, agree
from .agreement_units import SCALES

ITEM = ("model", "response", "place")
"""What tells apart what was judged: whose response, which of them, which diagnosis of it."""


def votes_of(judged: Judged) -> list[Vote]:
    """Every verdict of a step that has one comparable verdict, as a vote; not those of a jury.

    Groups are the model, the response and the place, and the case's own; several groups of a
    case stand in one cell with a semicolon between.
    """
    groups = {
        case.id: {_free(name): "; ".join(values) for name, values in case.groups.items()}
        for case in judged.cases
    }
    return [
        vote
        for (task, judge, *_), verdicts in judged.verdicts.items()
        if task in SCALES and not judge.startswith(JURY)
        for one in verdicts
        for vote in _vote(one, groups[one.case])
    ]


def _free(name: str) -> str:
    """The name of a group of cases that is no column of votes."""
    return f"case_{name}" if name in (*COLUMNS, *ITEM) else name


def _vote(one: Verdict, groups: dict[str, str]) -> Iterator[Vote]:
    outcome = one.outcome
    verdict = verdict_label(one)
    status: VoteStatus = outcome.status if verdict is None else "done"
    if verdict is None and status == "done":
        return  # a result without a verdict that can be compared
    reason = ""
    if isinstance(outcome, Failed):
        reason = "; ".join(outcome.reasons)
    elif isinstance(outcome, Abstained):
        reason = outcome.reason
    yield Vote(
        case=one.case,
        step=one.task,
        judge=one.judge,
        repeat=outcome.repeat,
        status=status,
        verdict=verdict,
        explanation=explained(one.value),
        reason=reason,
        tokens_in=outcome.tokens_in,
        tokens_out=outcome.tokens_out,
        cost=outcome.cost,
        groups={
            **groups,
            "model": one.model,
            "response": str(one.response),
            "place": str(one.place),
        },
    )


def verdict_label(verdict: Verdict) -> Scalar | None:
    """The verdict as one value to compare judges by; None where there is none.

    An abstention (an invalid answer) is a verdict of its own kind only for choices.
    """
    if verdict.task in ("match_option", "score_free_answer"):
        answer = chosen(verdict)
        if answer.status == "failed":
            return None
        return ",".join(answer.letters) if isinstance(answer.letters, tuple) else "none"
    if isinstance(verdict.outcome, Done):
        for name in ("equivalent", "score", "total"):
            if hasattr(verdict.value, name):
                value: Scalar = getattr(verdict.value, name)
                return value
    return None


def judge_agreement(judged: Judged, settings: Settings, plan: Plan) -> Agreement | None:
    """How far the judges of an evaluation agree; None with fewer than two of them."""
    votes = votes_of(judged)
    if len({vote.judge for vote in votes}) < 2:
        return None
    groups = dict.fromkeys(_free(name) for case in judged.cases for name in case.groups)
    models = ("model",) if len(judged.models) > 1 else ()
    spans = {}
    if any(vote.step == "score_rubric" for vote in votes):
        rubric = load_rubric(settings.rubric)
        spans["score_rubric"] = sum(d.factor * max(d.values) for d in rubric.dimensions)
    terms = Terms(spans=spans, by=(*models, *groups), item=ITEM, plan=plan)
    return agree(votes, terms)
