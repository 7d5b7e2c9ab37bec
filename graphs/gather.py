"""Work on many items, a limited number at a time, and yield each result when it is finished."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
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
            await results.put(first_of(faults))

    feeding = asyncio.create_task(feed())
    try:
        while (finished := await results.get()) is not None:
            if isinstance(finished, Exception):
                raise finished
            yield finished[0]
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)


async def side_by_side(
    streams: Sequence[AsyncGenerator[Result, None]],
) -> AsyncGenerator[tuple[int, Result], None]:
    """Yield (index of the stream, result) of several streams as they come; all run at once.

    The first exception of a stream stops the others and is raised. Closing the generator also
    stops them.
    """
    results: asyncio.Queue[tuple[int, Result] | Exception | None] = asyncio.Queue(len(streams) + 1)

    async def pump(place: int, stream: AsyncGenerator[Result, None]) -> None:
        try:
            async with aclosing(stream):
                async for result in stream:
                    await results.put((place, result))
            await results.put(None)
        except Exception as fault:
            await results.put(fault)

    pumps = [asyncio.create_task(pump(*numbered)) for numbered in enumerate(streams)]
    try:
        for _ in pumps:
            while (result := await results.get()) is not None:
                if isinstance(result, Exception):
                    raise result
                yield result
    finally:
        for task in pumps:
            task.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)


async def _each(items: Iterable[Item] | AsyncIterable[Item]) -> AsyncGenerator[Item, None]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


def first_of(faults: ExceptionGroup[Exception]) -> Exception:
    """Return the first exception of a group, also of a group in a group."""
    fault: Exception = faults
    while isinstance(fault, ExceptionGroup):
        fault = fault.exceptions[0]
    return fault
