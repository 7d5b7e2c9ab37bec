"""Run a step: on one item, on many at once, as a stream, or from code that is not async."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import islice
from typing import Any, overload

from pydantic import BaseModel
from typing_extensions import TypedDict, TypeVar, Unpack  # TypeVar: with defaults

from ..agents.engine.ask import BREATH, ask_dimensions, is_split, missed, replay, settle
from ..agents.engine.call import Call, prepare
from ..agents.engine.conclude import failed_unasked
from ..agents.engine.hidden import without_hidden
from ..agents.engine.judges import AnyJudge, Judge, as_judge, check_key
from ..agents.engine.run import Run
from ..agents.outcome import Abstained, Done, Failed, FailureKind, Outcome
from ..agents.stand_ins import by_stand_in, check_engine
from ..agents.step import Step
from ..agents.steps import find_step
from ..agents.watching.spans import settled_item
from ..errors import DxjudgeError, InputError, UsageError
from .gather import as_finished
from .loop import run_here

Inputs = BaseModel | Mapping[str, Any]
R = TypeVar("R", bound=BaseModel, default=Any)  # the result of a step; Any for a step by name
_CHUNK = 500  # items looked up in the cache at once


class StepOptions(TypedDict, total=False):
    """The further arguments of `run_step`, once for all of its forms."""

    judge: AnyJudge | None
    run: Run | None
    engine: str
    repeat: int


@overload
async def run_step(
    step: Step[Any, Any, R] | str,
    inputs: Inputs,
    **options: Unpack[StepOptions],
) -> Done[R] | Abstained | Failed: ...


@overload
async def run_step(
    step: Step[Any, Any, R] | str,
    inputs: Sequence[Inputs],
    **options: Unpack[StepOptions],
) -> list[Done[R] | Abstained | Failed]: ...


async def run_step(
    step: Step[Any, Any] | str,
    inputs: Inputs | Sequence[Inputs],
    *,
    judge: AnyJudge | None = None,
    run: Run | None = None,
    engine: str = "auto",
    repeat: int = 0,
) -> Outcome | list[Outcome]:
    """Run a step on one item, or on a list of items; a list returns outcomes in its order.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        inputs: the step's input model, or a mapping of its fields.
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        run: by default a new run with the user's cache. If the inputs of one item of a list cannot
            be used, its outcome is Failed(kind="input"); for a single item, UsageError or
            InputError is raised.
        engine: "auto" (stand-ins first, then the judge), "llm" (the judge alone), or the name of a
            stand-in.
        repeat: the number of the sample, from 0; each number is asked and kept separately.

    Returns:
        `Done`, `Abstained` or `Failed`, or a list of these in the order of the items.

    Raises:
        UsageError: for a step, judge or engine that cannot be used.
        AuthenticationFault: if no item can succeed.
        ModelFault: if no item can succeed.
        ReplayMiss: if no item can succeed.
    """
    own = run or Run()
    try:
        if isinstance(inputs, (BaseModel, Mapping)):
            known_step = find_step(step)
            # For one item, wrong inputs are the caller's error.
            known_step.read_input(without_hidden(inputs)[0])
            stream = stream_step(
                known_step, [inputs], judge=judge, run=own, engine=engine, repeat=repeat
            )
            async with aclosing(stream):
                return [outcome async for _, outcome in stream][0]
        stream = stream_step(step, inputs, judge=judge, run=own, engine=engine, repeat=repeat)
        async with aclosing(stream):
            outcomes = {index: outcome async for index, outcome in stream}
        return [outcomes[index] for index in range(len(inputs))]
    finally:
        if run is None:
            own.close()


@overload
def run_step_sync(
    step: Step[Any, Any, R] | str,
    inputs: Inputs,
    **options: Unpack[StepOptions],
) -> Done[R] | Abstained | Failed: ...


@overload
def run_step_sync(
    step: Step[Any, Any, R] | str,
    inputs: Sequence[Inputs],
    **options: Unpack[StepOptions],
) -> list[Done[R] | Abstained | Failed]: ...


def run_step_sync(
    step: Step[Any, Any] | str,
    inputs: Inputs | Sequence[Inputs],
    **options: Unpack[StepOptions],
) -> Outcome | list[Outcome]:
    """`run_step` for code that is not async; also works inside a running event loop.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        inputs: the step's input: a model of its fields or a mapping; a list of these gives a list.
        options: judge, run, engine and repeat, as in `run_step`.

    Returns:
        `Done`, `Abstained` or `Failed`, or a list of these in the order of the items.
    """
    return run_here(run_step(step, inputs, **options))


async def stream_step(
    step: Step[Any, Any] | str,
    inputs: Iterable[Inputs],
    *,
    judge: AnyJudge | None = None,
    run: Run,
    engine: str = "auto",
    repeat: int = 0,
) -> AsyncGenerator[tuple[int, Outcome], None]:
    """Yield (index, outcome) of every item as they finish; `inputs` may be endless.

    Each item is asked in the same way as in the step's graph, but without running the graph.
    Raises in the same cases as `run_step`.
    """
    known_step = find_step(step)
    live = as_judge(judge) if judge is not None else None
    check_engine(known_step, engine, live is not None)
    if live is not None:
        known_step.load_prompt()  # a fault in the step itself is not an item's failure
        run.check(live)
    work = _Work(known_step, live, run, engine, repeat)
    items = work.look_up(enumerate(inputs))
    stream = as_finished(items, work.judge_one, width=run.width, settled=_settled)
    async with aclosing(stream) as outcomes:
        async for pair in outcomes:
            yield pair


@dataclass(frozen=True)
class Split:
    """An input whose dimensions are asked in a call each."""

    typed: BaseModel


@dataclass(frozen=True)
class _Work:
    """The settings that all items of one stream share."""

    step: Step[Any, Any]
    judge: Judge | None
    run: Run
    engine: str
    repeat: int

    async def look_up(
        self, items: Iterator[tuple[int, Inputs]]
    ) -> AsyncGenerator[tuple[int, Outcome | Call | Split], None]:
        """Yield an outcome for each item that needs no model, and a call for each other item."""
        while chunk := list(islice(items, _CHUNK)):
            settled, calls = await self._look_up(chunk)
            for place, outcome in settled:
                yield place, outcome
            for place, call in calls:
                yield place, call

    async def _look_up(
        self, chunk: list[tuple[int, Inputs]]
    ) -> tuple[list[tuple[int, Outcome]], list[tuple[int, Call | Split]]]:
        """Return the outcomes of items that need no model, and the calls of the other items."""
        settled: list[tuple[int, Outcome]] = []
        calls: list[tuple[int, Call]] = []
        split: list[tuple[int, Split]] = []
        for place, (index, inputs) in enumerate(chunk):
            if place % BREATH == 0:
                await asyncio.sleep(0)
            prepared = self._prepare(inputs)
            if isinstance(prepared, Call):
                calls.append((index, prepared))
            elif isinstance(prepared, Split):
                split.append((index, prepared))
            else:
                self.run.ledger.close_item(prepared, prepared.decided_by)
                settled_item(self.run.tracer, prepared)
                settled.append((index, prepared))
        replayed = await replay([call for _, call in calls], self.run)
        settled += [(i, o) for (i, _), o in zip(calls, replayed, strict=True) if o is not None]
        calls = [pair for pair, o in zip(calls, replayed, strict=True) if o is None]
        if calls and self.run.replies.mode == "replay":
            raise await missed([call for _, call in calls], self.run)
        if (calls or split) and self.judge is not None:
            check_key(self.judge)
        return settled, [*calls, *split]

    def _prepare(self, inputs: Inputs) -> Call | Outcome | Split:
        step = self.step
        try:
            cleaned, hidden = without_hidden(inputs)
            typed = step.read_input(cleaned)
            self.run.count_hidden(hidden)
            has_judge = self.judge is not None
            decided = by_stand_in(step, typed, self.engine, has_judge, self.repeat)
            if decided is not None or self.judge is None:
                assert decided is not None  # without a judge, the stand-ins decide or raise
                return decided
            if is_split(step, self.run):
                return Split(typed)
            return prepare(step, typed, self.judge, self.repeat)
        except (InputError, UsageError) as fault:
            return self._unusable("input", str(fault))
        except Exception as fault:  # a fault in the step's code is this item's failure
            return self._unusable("error", f"{type(fault).__name__}: {fault}")

    def _unusable(self, kind: FailureKind, reason: str) -> Outcome:
        return failed_unasked(self.step, self.repeat, kind, reason)

    async def judge_one(self, item: tuple[int, Outcome | Call | Split]) -> tuple[int, Outcome]:
        """Ask the judge and return the outcome of a call."""
        index, call = item
        assert isinstance(call, Call | Split)  # `_settled` has returned the outcomes
        try:
            if isinstance(call, Call):
                return index, await settle(call, self.run)
            assert self.judge is not None
            return index, await ask_dimensions(
                self.step, call.typed, judge=self.judge, run=self.run, repeat=self.repeat
            )
        except DxjudgeError:
            raise
        except Exception as fault:  # a fault in the step's code is this item's failure
            return index, self._unusable("error", f"{type(fault).__name__}: {fault}")


def _settled(item: tuple[int, Outcome | Call | Split]) -> tuple[int, Outcome] | None:
    index, prepared = item
    return None if isinstance(prepared, Call | Split) else (index, prepared)
