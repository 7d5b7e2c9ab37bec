"""Work on many items, a limited number at a time, and yield each result when it is finished."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def as_finished(
    items: Iterable[Item] | AsyncIterable[Item],
    work: Callable[[Item], Awaitable[Result]],
    *,
    width: int,
    settled: Callable[[Item], Result | None] = lambda _: None,
) -> AsyncGenerator[Result, None]:
    """Yield the results of `work` on the items as they are finished; `items` may be endless.

    At most `width` items are worked on at once, and at most `width` results wait for the caller.
    settled: returns the result of an item that needs no work, None for other items. The first
    exception of `items` or `work` stops the other work and is raised. Closing the generator also
    stops the work.
    """
    results: asyncio.Queue[tuple[Result] | Exception | None] = asyncio.Queue(width)
    gate = asyncio.Semaphore(width)

    async def finish(item: Item) -> None:
        await results.put((await work(item),))
        gate.release()

    async def feed() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                async for item in _each(items):
                    if (result := settled(item)) is not None:
                        await results.put((result,))
                    else:
                        await gate.acquire()
                        group.create_task(finish(item))
            await results.put(None)
        except* Exception as faults:
            await results.put(_first(faults))

    feeding = asyncio.create_task(feed())
    try:
        while (finished := await results.get()) is not None:
            if isinstance(finished, Exception):
                raise finished
            yield finished[0]
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)


async def _each(items: Iterable[Item] | AsyncIterable[Item]) -> AsyncGenerator[Item, None]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


def _first(faults: ExceptionGroup[Exception]) -> Exception:
    fault: Exception = faults
    while isinstance(fault, ExceptionGroup):
        fault = fault.exceptions[0]
    return fault
