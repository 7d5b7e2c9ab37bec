"""Turn the verdicts of an evaluation into votes, so that its judges can be compared."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...errors import InputError, UsageError
from ...graphs import verdicts as reading
from ...graphs.jury.votes_file import COLUMNS
from ...scoring.bootstrap import Plan
from ...scoring.votes import Vote
from ..cases import Case
from ..judged import Judged
from ..judging import JURY, JudgedItem
from .agreement_rows import Agreement, Terms
from .agreement_table import agree
from .agreement_units import Known

ITEM = ("model", "response", "place")
"""The columns that identify what was judged: model, response, place of the diagnosis."""


def votes_of(judged: Judged) -> list[Vote]:
    """Return every verdict as votes; those of a jury are left out.

    The groups of a vote are the model, the response, the place, and the groups of the case.
    Several groups of a case are in one cell, separated by semicolons.
    """
    groups = item_groups(judged.cases)
    return [
        replace(vote, groups={**groups[item.case], **vote.groups})
        for (_, judge, *_), items in judged.outcomes.items()
        if not judge.startswith(JURY)
        for item in items
        for vote in votes_of_one(item)
    ]


def item_groups(cases: Iterable[Case]) -> dict[str, dict[str, str]]:
    """Return the groups of each case as columns of votes, by the id of the case."""
    return {
        case.id: {_free(name): "; ".join(values) for name, values in case.groups.items()}
        for case in cases
    }


def votes_of_one(item: JudgedItem) -> list[Vote]:
    """Return one item's verdict as votes, one for each part; none if the step has no verdict.

    The votes carry the name of the task, because two tasks can use the same step.
    """
    if item.step.verdict is None:
        return []
    try:
        inputs = item.step.read_input(item.inputs)
    except (InputError, UsageError):
        inputs = None  # the outcome says why it failed
    return reading.votes_of(
        item.step, inputs, item.outcome, case=item.case, judge=item.judge, groups=item.groups,
        name=item.task,
    )  # fmt: skip


def _free(name: str) -> str:
    """Rename a group of cases that has the name of a column of votes."""
    return f"case_{name}" if name in (*COLUMNS, *ITEM) else name


def judge_agreement(judged: Judged, plan: Plan) -> Agreement | None:
    """Return the agreement of an evaluation's judges on the tasks of at least two judges.

    None with fewer than two judges.
    """
    if len({judge for _, judge, *_ in judged.outcomes if not judge.startswith(JURY)}) < 2:
        return None
    votes = _asked_of_several(votes_of(judged))
    if not votes:
        return None
    groups = dict.fromkeys(_free(name) for case in judged.cases for name in case.groups)
    models = ("model",) if len(judged.models) > 1 else ()
    terms = Terms(known=_known(judged), by=(*models, *groups), item=ITEM, plan=plan)
    return agree(votes, terms)


def _asked_of_several(votes: Sequence[Vote]) -> list[Vote]:
    judges: dict[str, set[str]] = {}
    for vote in votes:
        judges.setdefault(vote.step, set()).add(vote.judge)
    return [vote for vote in votes if len(judges[vote.step]) > 1]


def _known(judged: Judged) -> dict[str, Known]:
    """Return scale and levels of the votes on each task, from its step and the first inputs."""
    known: dict[str, Known] = {}
    for (task, *_), items in judged.outcomes.items():
        if not items or items[0].step.verdict is None:
            continue
        item = items[0]
        verdict = item.step.demand_verdict()
        try:
            inputs = item.step.read_input(item.inputs)
        except (InputError, UsageError):
            continue
        for part in verdict.names(inputs):
            name = f"{task}.{part}" if part else task
            known.setdefault(name, (verdict.scale_of(part), verdict.levels_of(part, inputs)))
    return known
