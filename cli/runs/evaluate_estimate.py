"""Estimate what the judges of an evaluation would be asked."""

from collections.abc import Iterator, Mapping

from ...agents.engine.estimate import estimate
from ...agents.engine.run import Run
from ...agents.outcome import Outcome
from ...evaluation.from_data import Opened
from ...evaluation.judging import Panel, RecordKey
from ...evaluation.run import planned
from ...files.counted import counted
from ..terminal.facts import Fact
from .estimates import Estimates, estimate_facts


def estimate_evaluation(
    opened: Opened, run: Run, records: Mapping[RecordKey, Outcome] | None = None
) -> tuple[Estimates, int]:
    """Return what the judges would be asked, and how many responses wait for an extraction.

    records: outcomes of an earlier run, which are not asked for again.
    """
    plans, waiting = planned(opened.cases, opened.responses, opened.settings, records)
    panel = Panel(records=records or {})
    run.one_dimension = opened.settings.one_dimension_a_call
    estimates = [
        (
            judge.spec.label,
            plan.task,
            estimate(
                plan.step,
                [
                    item.inputs
                    for item in plan.items
                    if panel.recorded("" if plan.first_only else judge.spec.label, plan.step, item)
                    is None
                ],
                judge=judge,
                run=run,
            ),
        )
        for place, judge in enumerate(opened.judges)
        for plan in plans
        if not (plan.first_only and place)
    ]
    return estimates, waiting


def evaluation_facts(
    opened: Opened, run: Run, records: Mapping[RecordKey, Outcome] | None = None
) -> Iterator[Fact]:
    """Yield what the judges of an evaluation would be asked, by judge and by task."""
    estimates, waiting = estimate_evaluation(opened, run, records)
    yield from estimate_facts(estimates, run, rows=len(opened.cases), noun="case")
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
