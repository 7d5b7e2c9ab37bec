"""Print the estimate of a run: calls, tokens and cost, by model."""

from collections.abc import Sequence
from dataclasses import asdict

from ...agents.engine.estimate import Estimate, estimate
from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...graphs.jury.plan import JuryPlan
from .step_rows import Job

Estimates = Sequence[tuple[str, str, Estimate]]
"""(label of the model, name of the step, estimate) for each group of calls."""


def estimate_judge(
    job: Job, judge: JudgeSpec | None, engine: str, repeat: int, run: Run
) -> Estimates:
    """Return what the judge of `dxjudge judge` would be asked; nothing without a judge."""
    if judge is None:
        return []
    asked = estimate(job.step, job.inputs, judge=judge, run=run, engine=engine, repeat=repeat)
    return [(judge.label, job.step.name, asked)]


def estimate_jury(job: Job, plan: JuryPlan, run: Run) -> Estimates:
    """Return what each model of a jury would be asked in each wording, if no juror is left out."""
    return [
        (
            juror.judge.spec.label,
            step.prompt_name,
            estimate(
                step, job.inputs, judge=juror.judge, run=run, engine=plan.engine, repeat=repeat
            ),
        )
        for juror in plan.jurors
        if juror.judge is not None
        for step in plan.steps.values()
        for repeat in range(plan.repeats)
    ]


def keep_estimates(estimates: Estimates, run: Run) -> None:
    """Keep estimates for the account of a run."""
    run.estimated = [
        {"judge": label, "step": step, **asdict(asked)} for label, step, asked in estimates
    ]


def print_estimates(estimates: Estimates, run: Run, *, rows: int, noun: str = "rows") -> None:
    """Print on standard output what each model, named by its label, would be asked.

    rows: the number of rows of the output, which `noun` names.
    """
    keep_estimates(estimates, run)
    print(f"{rows:,} {noun}; nothing is sent")
    for label in dict.fromkeys(label for label, _, _ in estimates):
        own = [asked for name, _, asked in estimates if name == label]
        costs = [asked.cost for asked in own]
        known = sum(cost for cost in costs if cost is not None)
        print(f"estimate for {label}")
        for name, number in (
            ("questions", sum(asked.items for asked in own)),
            ("decided without a model", sum(asked.by_stand_in for asked in own)),
            ("cannot be asked", sum(asked.unusable for asked in own)),
            ("in the cache", sum(asked.cached for asked in own)),
            ("calls", sum(asked.calls for asked in own)),
            ("tokens in, about", sum(asked.tokens_in for asked in own)),
            ("tokens out, about", sum(asked.tokens_out for asked in own)),
        ):
            print(f"{name:<28}{number:>12,}")
        print(f"{'cost, about':<28}{'unknown' if None in costs else f'${known:,.4f}':>12}")
    print(f"Repairs and retries are not counted. {prices_text(run)}")


def prices_text(run: Run) -> str:
    """Return the sentence on the prices of an estimate."""
    return f"Prices are of {run.prices.date}{', in batches' if run.batches else ''}."
