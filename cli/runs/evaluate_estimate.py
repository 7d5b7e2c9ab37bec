"""Estimate what the judges of an evaluation would be asked, and print it."""

from collections.abc import Mapping

from ...agents.engine.estimate import estimate
from ...agents.engine.run import Run
from ...agents.outcome import Outcome
from ...evaluation.from_data import Opened
from ...evaluation.judging import Panel, RecordKey
from ...evaluation.run import planned
from ...files.counted import counted
from .estimates import Estimates, print_estimates


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


def print_evaluation(
    opened: Opened, run: Run, records: Mapping[RecordKey, Outcome] | None = None
) -> None:
    """Print what the judges of an evaluation would be asked, by judge and by task."""
    estimates, waiting = estimate_evaluation(opened, run, records)
    print_estimates(estimates, run, rows=len(opened.cases), noun="cases")
    for label, task, asked in estimates:
        print(f"{counted(asked.calls, 'call')} of {label} for {task}")
    if waiting:
        print(
            f"{counted(waiting, 'response')} with diagnoses that a model must extract first; the "
            "calls that judge these diagnoses are not counted"
        )
