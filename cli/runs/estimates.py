"""The estimate of a run: calls, tokens and cost, by model."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...agents.engine.estimate import Count, Estimate, count_calls
from ...agents.engine.judges import AnyJudge
from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.step import Step
from ...files.counted import counted
from ...graphs.both_orders import in_both_orders
from ...graphs.jury.plan import JuryPlan
from ..terminal.facts import Fact

Estimates = Sequence[tuple[str, str, Estimate]]
"""(label of the model, name of the step, estimate) for each group of calls."""


@dataclass(frozen=True)
class Group:
    """The calls of one model for one step: the label of the model, the name of the step, and how
    the model is asked.
    """

    label: str
    name: str
    step: Step[Any, Any]
    judge: AnyJudge
    engine: str
    repeat: int
    both_orders: bool = False

    def count(self, inputs: Sequence[Mapping[str, Any]], run: Run) -> Count:
        """Count the calls for some inputs."""
        shown = in_both_orders(inputs) if self.both_orders else inputs
        return count_calls(
            self.step, shown, judge=self.judge, run=run, engine=self.engine, repeat=self.repeat
        )


def groups_of_judge(
    step: Step[Any, Any], judge: JudgeSpec | None, engine: str, repeat: int, *, both_orders: bool
) -> list[Group]:
    """Return the calls of the judge of `dxjudge judge`; none without a judge."""
    if judge is None:
        return []
    return [Group(judge.label, step.name, step, judge, engine, repeat, both_orders)]


def groups_of_jury(plan: JuryPlan) -> list[Group]:
    """Return the calls of each model of a jury in each wording, if no juror is left out."""
    return [
        Group(juror.judge.spec.label, step.prompt_name, step, juror.judge, plan.engine, repeat)
        for juror in plan.jurors
        if juror.judge is not None
        for step in plan.steps.values()
        for repeat in range(plan.repeats)
    ]


def estimates_of(groups: Iterable[Group], counts: Iterable[Count], run: Run) -> Estimates:
    """Return the estimate of each group from what was counted of its calls."""
    return [
        (group.label, group.name, count.estimate(group.step, group.judge, run))
        for group, count in zip(groups, counts, strict=True)
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


def finished_fact(finished: int, place: str, noun: str = "row") -> Iterator[Fact]:
    """Yield what an estimate leaves out, because a run that did not end has it in its journal."""
    if finished:
        yield Fact(
            f"{counted(finished, noun)} finished in {place}: not asked again",
            {"finished_in_the_journal": finished},
        )


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
