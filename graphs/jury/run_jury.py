"""Running a jury: one item, many at once, as they finish, or from code that is not async."""

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
from .graph import graph_of
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
    """One item before a jury (an outcome), or a list of them (outcomes in its order).

    cases: the items' names, for the votes and for verdicts of people; by default "1", "2", …
    run: by default a new one with the user's cache. options: of `jury_graph`.

    An item of a list whose inputs cannot be used has failed votes and no quorum; for a single
    item that is a UsageError. Raises UsageError for a jury that does not fit together, and
    AuthenticationFault, ModelFault or ReplayMiss when no item can succeed.
    """
    plan = plan_jury(step, judges, **options)
    single = isinstance(inputs, BaseModel | Mapping)
    items: Sequence[Any] = [inputs] if single else inputs  # type: ignore[assignment]
    if single:
        plan.step.read_input(items[0])  # for one item, wrong inputs are the caller's error
    own = run or Run()
    try:
        async with aclosing(stream_jury(plan, items, run=own, cases=cases)) as stream:
            found = {index: outcome async for index, outcome in stream}
        return found[0] if single else [found[index] for index in range(len(items))]
    finally:
        if run is None:
            own.close()


def run_jury_sync(
    step: Step[Any, Any] | str,
    inputs: Inputs | Sequence[Inputs],
    judges: Iterable[AnyJuror],
    **options: Any,
) -> JuryOutcome | list[JuryOutcome]:
    """`run_jury` for code that is not async; also works inside a running event loop."""
    work: Any = run_jury(step, inputs, judges, **options)
    found: JuryOutcome | list[JuryOutcome] = run_here(work)
    return found


async def stream_jury(
    plan: JuryPlan, inputs: Sequence[Inputs], *, run: Run, cases: Sequence[str] | None = None
) -> AsyncGenerator[tuple[int, JuryOutcome], None]:
    """(index, outcome) of every item, as they finish. Raises as `run_jury`."""
    names = list(cases) if cases is not None else [str(n) for n in range(1, len(inputs) + 1)]
    if len(names) != len(inputs) or len(set(names)) < len(names):
        raise UsageError(f"{len(inputs)} items need as many cases, each with a name of its own")
    graph = graph_of(plan, run)
    if run.replies.mode != "replay":
        for juror in (*plan.jurors, *plan.replacements):
            if juror.judge is not None:
                check_key(juror.judge)

    async def one(item: tuple[int, Inputs]) -> tuple[int, JuryOutcome]:
        index, given = item
        plain = given.model_dump(mode="json") if isinstance(given, BaseModel) else dict(given)
        state: Any = {"inputs": plain, "case": names[index]}
        ended = await graph.ainvoke(state)
        return index, read_jury(ended["jury"])

    async with aclosing(as_finished(enumerate(inputs), one, width=run.width)) as outcomes:
        async for pair in outcomes:
            yield pair
