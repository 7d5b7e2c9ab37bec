"""Compare two responses in both orders: one call with each response first, and one verdict.

A judge that prefers whatever stands first gives two verdicts that differ; the verdict of both
orders is then a tie, and `flipped` says so (see `agents.choose_better.settle_orders`).
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ..agents.choose_better import CHOOSE_BETTER, settle_orders
from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.outcome import Abstained, Done, Failed, Outcome
from ..agents.step import Step
from ..agents.steps import find_step
from ..errors import UsageError
from .loop import run_here
from .step import run_step, stream_step

if TYPE_CHECKING:
    from .node import Node  # LangGraph is imported only where a graph is made

Inputs = BaseModel | Mapping[str, Any]


def check_step(step: Step[Any, Any] | str) -> Step[Any, Any]:
    """Return the step. Raises UsageError unless it is choose_better, in any wording."""
    known_step = find_step(step)
    if known_step.name != CHOOSE_BETTER.name:
        raise UsageError(f"both orders are for {CHOOSE_BETTER.name}, not for {known_step.name}")
    return known_step


def compare_both_orders(
    inputs: Sequence[Inputs],
    *,
    judge: AnyJudge | None,
    step: Step[Any, Any] | str = CHOOSE_BETTER,
    run: Run | None = None,
    engine: str = "auto",
    repeat: int = 0,
) -> list[Outcome]:
    """Return the verdict of both orders on every item, in their order.

    The arguments are those of `run_step`. The calls, tokens and costs of an outcome are those of
    both orders. If one order failed, the outcome has failed with its reasons.
    """
    known_step = check_step(step)
    shown: Any = in_both_orders(inputs)
    outcomes: Any = run_here(
        run_step(known_step, shown, judge=judge, run=run, engine=engine, repeat=repeat)
    )
    pairs = zip(outcomes[::2], outcomes[1::2], strict=True)
    return [merge_orders(given, swapped) for given, swapped in pairs]


async def stream_both_orders(
    step: Step[Any, Any] | str, inputs: Sequence[Inputs], **options: Any
) -> AsyncGenerator[tuple[int, Outcome], None]:
    """Yield (index, outcome) of every item as both of its orders finish.

    options: those of `stream_step`.
    """
    shown = in_both_orders(inputs)
    waiting: dict[int, Outcome] = {}
    async with aclosing(stream_step(check_step(step), shown, **options)) as stream:
        async for place, outcome in stream:
            other = waiting.pop(place ^ 1, None)
            if other is None:
                waiting[place] = outcome
            else:
                given, swapped = (other, outcome) if place % 2 else (outcome, other)
                yield place // 2, merge_orders(given, swapped)


def both_orders_node(
    judge: AnyJudge,
    *,
    write: str = CHOOSE_BETTER.name,
    step: Step[Any, Any] | str = CHOOSE_BETTER,
    run: Run | None = None,
) -> "Node":
    """Return a node for a StateGraph: it reads case and responses, and writes one outcome.

    write: the state's key for the outcome, as plain JSON.
    """
    from .node import Node

    known_step = check_step(step)
    own = run or Run(keep=1000)

    async def node(state: Any) -> dict[str, Any]:
        fields = state if isinstance(state, Mapping) else vars(state)
        names = known_step.input.model_fields
        inputs = {name: fields[name] for name in names if name in fields}
        stream = stream_both_orders(known_step, [inputs], judge=judge, run=own)
        async with aclosing(stream):
            outcomes = [outcome async for _, outcome in stream]
        return {write: outcomes[0].model_dump(mode="json")}

    return Node(write, node)


def in_both_orders(inputs: Sequence[Inputs]) -> list[dict[str, Any]]:
    """Return every item twice: as it is given, and swapped."""
    plain = [one.model_dump() if isinstance(one, BaseModel) else dict(one) for one in inputs]
    return [{**one, "swapped": swapped} for one in plain for swapped in (False, True)]


def merge_orders(given: Outcome, swapped: Outcome) -> Outcome:
    """Return the outcome of both orders from the outcome of each.

    If an order failed, the whole has failed: half a comparison is not a verdict.
    """
    account = _account(given, swapped)
    failures = [one for one in (given, swapped) if isinstance(one, Failed)]
    if failures:
        reasons = tuple(reason for one in failures for reason in one.reasons)
        return failures[0].model_copy(update={**account, "reasons": reasons})
    if isinstance(given, Done) and isinstance(swapped, Done):
        if given.decided_by != "llm":  # code decided; the order cannot matter
            return given
        value = settle_orders(given.value, swapped.value)
        return given.model_copy(update={**account, "value": value})
    first = given if isinstance(given, Abstained) else swapped
    return first.model_copy(update=account)


def _account(given: Outcome, swapped: Outcome) -> dict[str, Any]:
    def both(name: str) -> Any:
        values = [getattr(given, name), getattr(swapped, name)]
        return None if None in values else sum(values)

    names = ("calls", "repairs", "tokens_in", "tokens_out", "cost")
    return {name: both(name) for name in names} | {"cached": given.cached and swapped.cached}
