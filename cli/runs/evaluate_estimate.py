"""Estimate what the judges of an evaluation would be asked."""

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from ...agents.engine.ask import is_split
from ...agents.engine.estimate import estimate
from ...agents.engine.judges import Judge
from ...agents.engine.run import Run
from ...agents.outcome import Outcome
from ...agents.step import Step
from ...evaluation.from_data import Opened
from ...evaluation.judging import Item, Panel, RecordKey, journal_key
from ...evaluation.run import planned
from ...files.counted import counted
from ...files.journal import finished_keys
from ..terminal.facts import Fact
from .estimates import Estimates, estimate_facts, finished_fact


class EvaluationEstimate(NamedTuple):
    """What the judges would be asked, and what the estimate does not count.

    waiting: responses from which a model must extract diagnoses first. finished: items that the
    journal of a run that did not end has.
    """

    estimates: Estimates
    waiting: int
    finished: int


def estimate_evaluation(
    opened: Opened,
    run: Run,
    journal: Path,
    records: Mapping[RecordKey, Outcome] | None = None,
) -> EvaluationEstimate:
    """Return what the judges would be asked.

    records: outcomes of an earlier run, which are not asked for again, like those in the journal.
    """
    plans, waiting = planned(opened.cases, opened.responses, opened.settings, records)
    panel, kept = Panel(records=records or {}), finished_keys(journal, {})
    run.one_dimension = opened.settings.one_dimension_a_call
    estimates, finished = [], 0
    for place, judge in enumerate(opened.judges):
        for plan in plans:
            if plan.first_only and place:
                continue
            name = "" if plan.first_only else judge.spec.label
            new = [item for item in plan.items if panel.recorded(name, plan.step, item) is None]
            left = _unfinished(plan.step, new, judge, kept, run)
            finished += len(new) - len(left)
            asked = estimate(plan.step, [item.inputs for item in left], judge=judge, run=run)
            estimates.append((judge.spec.label, plan.task, asked))
    return EvaluationEstimate(estimates, waiting, finished)


def _unfinished(
    step: Step[Any, Any], items: Sequence[Item], judge: Judge, kept: Set[str], run: Run
) -> Sequence[Item]:
    if not kept:
        return items
    split = is_split(step, run)
    return [item for item in items if journal_key(step, item, judge, split) not in kept]


def evaluation_facts(
    opened: Opened, run: Run, journal: Path, records: Mapping[RecordKey, Outcome] | None = None
) -> Iterator[Fact]:
    """Yield what the judges of an evaluation would be asked, by judge and by task."""
    estimates, waiting, finished = estimate_evaluation(opened, run, journal, records)
    yield from estimate_facts(estimates, run, rows=len(opened.cases), noun="case")
    yield from finished_fact(finished, str(journal), "item")
    for label, task, asked in estimates:
        yield Fact(
            f"{counted(asked.calls, 'call')} of {label} for {task}",
            {"tasks": [{"model": label, "task": task, "calls": asked.calls}]},
        )
    if waiting:
        yield Fact(
            f"{counted(waiting, 'response')} with diagnoses that a model must extract first; the "
            "calls that judge these diagnoses are not counted",
            {"responses_to_extract_first": waiting},
        )
