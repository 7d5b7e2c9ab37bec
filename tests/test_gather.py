"""Many items at once: each result comes out once, a limited number is under way, faults end all."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge.graphs.gather import as_finished, side_by_side


async def all_of(stream: AsyncIterator[int]) -> list[int]:
    return [result async for result in stream]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 3), max_size=30), st.integers(1, 5))
def test_every_result_comes_out_once_and_no_more_than_the_width_are_under_way(
    delays: list[int], width: int
) -> None:
    busy = most = 0

    async def work(item: tuple[int, int]) -> int:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        for _ in range(item[1]):
            await asyncio.sleep(0)
        busy -= 1
        return item[0]

    results = asyncio.run(all_of(as_finished(enumerate(delays), work, width=width)))
    assert sorted(results) == list(range(len(delays)))
    assert most <= width


def test_a_result_that_is_there_at_once_waits_for_no_place() -> None:
    async def slow(number: int) -> int:
        await asyncio.sleep(30)
        return number

    async def first_results() -> list[int]:
        even = lambda number: number if number % 2 == 0 else None  # noqa: E731
        stream = as_finished([2, 1, 4], slow, width=1, settled=even)
        async with aclosing(stream):
            return [await anext(stream), await anext(stream)]

    assert asyncio.run(first_results()) == [2, 4]


def test_items_may_be_endless_and_are_read_no_further_than_needed() -> None:
    read = 0

    def numbers() -> "itertools.count[int]":
        return itertools.count()

    async def work(number: int) -> int:
        nonlocal read
        read = max(read, number)
        return number

    async def some() -> None:
        async with aclosing(as_finished(numbers(), work, width=4)) as stream:
            for _ in range(10):
                await anext(stream)

    asyncio.run(some())
    assert read <= 10 + 4 * 3  # under way, waiting, and the one that is being read


def test_a_fault_of_an_item_is_raised_and_the_others_are_cancelled() -> None:
    ended: list[int] = []

    async def work(number: int) -> int:
        if number == 2:
            raise KeyError("two")
        try:
            await asyncio.sleep(30)
        finally:
            ended.append(number)
        return number

    with pytest.raises(KeyError, match="two"):
        asyncio.run(all_of(as_finished(range(3), work, width=3)))
    assert sorted(ended) == [0, 1]


def test_a_fault_of_what_gives_the_items_is_raised() -> None:
    async def items() -> AsyncIterator[int]:
        yield 1
        raise ValueError("unreadable")

    async def work(number: int) -> int:
        return number

    with pytest.raises(ValueError, match="unreadable"):
        asyncio.run(all_of(as_finished(items(), work, width=1)))


def test_streams_run_side_by_side_and_each_keeps_its_order() -> None:
    """Neither stream could go on alone: each waits for a sign that the other one gives."""

    async def both() -> list[tuple[int, int]]:
        signs = asyncio.Event(), asyncio.Event()

        async def stream(own: int) -> AsyncGenerator[int, None]:
            yield 10 * own
            signs[own].set()
            await signs[1 - own].wait()
            yield 10 * own + 1

        return [pair async for pair in side_by_side([stream(0), stream(1)])]

    pairs = asyncio.run(asyncio.wait_for(both(), 10))
    assert sorted(pairs) == [(0, 0), (0, 1), (1, 10), (1, 11)]
    assert [one for place, one in pairs if place == 0] == [0, 1]


def test_a_fault_of_one_stream_ends_the_others() -> None:
    closed: list[str] = []

    async def endless() -> AsyncGenerator[int, None]:
        try:
            while True:
                await asyncio.sleep(0)
                yield 1
        finally:
            closed.append("endless")

    async def broken() -> AsyncGenerator[int, None]:
        yield 1
        raise KeyError("broken")

    async def run() -> None:
        async for _ in side_by_side([endless(), broken()]):
            pass

    with pytest.raises(KeyError, match="broken"):
        asyncio.run(run())
    assert closed == ["endless"]


def test_no_streams_give_nothing() -> None:
    async def run() -> list[tuple[int, int]]:
        streams: list[AsyncGenerator[int, None]] = []
        return [pair async for pair in side_by_side(streams)]

    assert asyncio.run(run()) == []
