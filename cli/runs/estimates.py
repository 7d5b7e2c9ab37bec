"""The estimate of a run: calls, tokens and cost, by model."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ...agents.engine.estimate import Estimate, estimate
from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...files.counted import counted
from ...graphs.jury.plan import JuryPlan
from ..terminal.facts import Fact
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


def estimate_facts(
    estimates: Estimates, run: Run, *, rows: int, noun: str = "row"
) -> Iterator[Fact]:
    """Keep estimates for the account, and yield what each model, named by its label, is asked.

    rows: the number of rows of the output; `noun` names one.
    """
    keep_estimates(estimates, run)
    yield Fact(f"{counted(rows, noun)}; nothing is sent", {f"{noun}s": rows})
    for label in dict.fromkeys(label for label, _, _ in estimates):
        own = [asked for name, _, asked in estimates if name == label]
        costs = [asked.cost for asked in own]
        known = sum(cost for cost in costs if cost is not None)
        numbers = {
            "questions": sum(asked.items for asked in own),
            "decided without a model": sum(asked.by_stand_in for asked in own),
            "cannot be asked": sum(asked.unusable for asked in own),
            "in the cache": sum(asked.cached for asked in own),
            "calls": sum(asked.calls for asked in own),
            "tokens in, about": sum(asked.tokens_in for asked in own),
            "tokens out, about": sum(asked.tokens_out for asked in own),
        }
        lines = (
            f"estimate for {label}",
            *(f"{name:<28}{number:>12,}" for name, number in numbers.items()),
            f"{'cost, about':<28}{'unknown' if None in costs else f'${known:,.4f}':>12}",
        )
        values = {in_json(name): number for name, number in numbers.items()}
        about = {"model": label, **values, "cost": None if None in costs else known}
        yield Fact("\n".join(lines), {"models": [about]})
    yield prices_note(run)


def prices_note(run: Run) -> Fact:
    """Return what no estimate counts, and how old its prices are."""
    batches = ", in batches" if run.batches else ""
    return Fact(
        f"Repairs and retries are not counted. Prices are of {run.prices.date}{batches}.",
        {"prices_of": str(run.prices.date), "in_batches": bool(run.batches)},
    )


def in_json(name: str) -> str:
    """Return the name of a number as JSON has it.

    >>> in_json("tokens in, about"), in_json("  equal to a term")
    ('tokens_in', 'equal_to_a_term')
    """
    return name.strip().removesuffix(", about").replace(",", "").replace(" ", "_")
