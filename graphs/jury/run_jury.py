"""Run a jury: on one item, on many at once, as a stream, or from code that is not async."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, overload

from pydantic import BaseModel

from ...agents.engine.judges import check_key
from ...agents.engine.run import Run
from ...agents.step import Step
from ...errors import UsageError
from ..gather import as_finished
from ..loop import run_here
from .jurors import AnyJuror
from .plan import JuryPlan, plan_jury
from .result import JuryOutcome, read_jury

Inputs = BaseModel | Mapping[str, Any]


@overload
async def run_jury(
    step: Step[Any, Any] | str,
    inputs: Inputs,
    judges: Iterable[AnyJuror],
    *,
    cases: Sequence[str] | None = None,
    run: Run | None = None,
    **options: Any,
) -> JuryOutcome: ...


@overload
async def run_jury(
    step: Step[Any, Any] | str,
    inputs: Sequence[Inputs],
    judges: Iterable[AnyJuror],
    *,
    cases: Sequence[str] | None = None,
    run: Run | None = None,
    **options: Any,
) -> list[JuryOutcome]: ...


async def run_jury(
    step: Step[Any, Any] | str,
    inputs: Inputs | Sequence[Inputs],
    judges: Iterable[AnyJuror],
    *,
    cases: Sequence[str] | None = None,
    run: Run | None = None,
    **options: Any,
) -> JuryOutcome | list[JuryOutcome]:
    """Run a jury on one item, or on a list of items; a list returns outcomes in its order.

    If the inputs of one item of a list cannot be used, its votes are failed and there is no
    quorum; for a single item, UsageError is raised.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        inputs: the step's input: a model of its fields or a mapping; a list of these gives a list.
        judges: the judges, each as in `run_step`, or verdicts of people; see `jury_graph`.
        cases: the names of the items, for the votes and for verdicts of people; by default "1",
            "2", and so on.
        run: by default a new run with the user's cache.
        options: see `jury_graph`.

    Returns:
        the outcome, or a list of outcomes in the order of the items.

    Raises:
        UsageError: for settings that do not fit together.
        AuthenticationFault: if no item can succeed.
        ModelFault: if no item can succeed.
        ReplayMiss: if no item can succeed.
    """
    plan = plan_jury(step, judges, **options)
    single = isinstance(inputs, BaseModel | Mapping)
    items: Sequence[Any] = [inputs] if single else inputs  # type: ignore[assignment]
    if single:
        plan.step.read_input(items[0])  # for one item, wrong inputs are the caller's error
    own = run or Run()
    try:
        async with aclosing(stream_jury(plan, items, run=own, cases=cases)) as stream:
            outcomes = {index: outcome async for index, outcome in stream}
        return outcomes[0] if single else [outcomes[index] for index in range(len(items))]
    finally:
        if run is None:
            own.close()


@overload
def run_jury_sync(
    step: Step[Any, Any] | str, inputs: Inputs, judges: Iterable[AnyJuror], **options: Any
) -> JuryOutcome: ...


@overload
def run_jury_sync(
    step: Step[Any, Any] | str, inputs: Sequence[Inputs], judges: Iterable[AnyJuror], **options: Any
) -> list[JuryOutcome]: ...


def run_jury_sync(
    step: Step[Any, Any] | str,
    inputs: Inputs | Sequence[Inputs],
    judges: Iterable[AnyJuror],
    **options: Any,
) -> JuryOutcome | list[JuryOutcome]:
    """`run_jury` for code that is not async; also works inside a running event loop."""
    work: Any = run_jury(step, inputs, judges, **options)
    outcome: JuryOutcome | list[JuryOutcome] = run_here(work)
    return outcome


async def stream_jury(
    plan: JuryPlan, inputs: Sequence[Inputs], *, run: Run, cases: Sequence[str] | None = None
) -> AsyncGenerator[tuple[int, JuryOutcome], None]:
    """Yield (index, outcome) of every item as they finish. Raises in the cases of `run_jury`."""
    names = list(cases) if cases is not None else [str(n) for n in range(1, len(inputs) + 1)]
    if len(names) != len(inputs) or len(set(names)) < len(names):
        raise UsageError(f"{len(inputs)} items need {len(inputs)} different case names in cases")
    from .graph import graph_of  # LangGraph is imported only where a graph is made

    graph = graph_of(plan, run)
    for juror in (*plan.jurors, *plan.replacements):
        if juror.judge is not None:
            run.check(juror.judge)
            if run.replies.mode != "replay":
                check_key(juror.judge)

    async def one(item: tuple[int, Inputs]) -> tuple[int, JuryOutcome]:
        index, raw = item
        plain = raw.model_dump(mode="json") if isinstance(raw, BaseModel) else dict(raw)
        state: Any = {"inputs": plain, "case": names[index]}
        ended = await graph.ainvoke(state)
        return index, read_jury(ended["jury"])

    async with aclosing(as_finished(enumerate(inputs), one, width=run.width)) as outcomes:
        async for pair in outcomes:
            yield pair
