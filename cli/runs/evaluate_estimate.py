"""Print the estimate of `dxjudge evaluate --estimate`."""

from ...agents.engine.estimate import estimate
from ...agents.engine.run import Run
from ...evaluation.from_data import Opened
from ...evaluation.run import planned
from ...files.counted import counted
from .estimates import print_estimates


def print_evaluation(opened: Opened, run: Run) -> None:
    """Print what the judges of an evaluation would be asked, by judge and by task."""
    plans, waiting = planned(opened.cases, opened.responses, opened.settings)
    estimates = [
        (
            judge.spec.label,
            plan.task,
            estimate(plan.step, [item.inputs for item in plan.items], judge=judge, run=run),
        )
        for place, judge in enumerate(opened.judges)
        for plan in plans
        if not (plan.first_only and place)
    ]
    print_estimates(estimates, run, rows=len(opened.cases), noun="cases")
    for label, task, asked in estimates:
        print(f"{counted(asked.calls, 'call')} of {label} for {task}")
    if waiting:
        print(
            f"{counted(waiting, 'response')} with diagnoses that a model must extract first; the "
            "calls that judge these diagnoses are not counted"
        )
