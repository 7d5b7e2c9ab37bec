import asyncio
import time

import pytest

from dxjudge.agents.engine.limits import Budget, BudgetReached, Limiter, Limits, limiter_of
from dxjudge.errors import UsageError


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_429_halves_the_window_and_answers_bring_it_back() -> None:
    clock = Clock()
    limiter = Limiter(Limits(concurrency=8), clock)

    async def one(throttled: float | None) -> None:
        started = await limiter.enter(1)
        clock.now += 1
        limiter.leave(started=started, throttled=throttled)

    async def work() -> None:
        await one(0.0)
        assert limiter.window == 4.0
        await one(0.0)
        assert limiter.window == 2.0
        await one(None)
        assert limiter.window == 2.5  # 2 + 1/2: one more place a window of answers
        for _ in range(40):
            await one(None)
        assert limiter.window == 8.0

    asyncio.run(work())


def test_a_burst_of_429s_is_one_cut() -> None:
    clock = Clock()
    limiter = Limiter(Limits(concurrency=8), clock)

    async def work() -> None:
        starts = [await limiter.enter(1) for _ in range(8)]
        clock.now += 1
        for started in starts:
            limiter.leave(started=started, throttled=0.0)

    asyncio.run(work())
    assert limiter.window == 4.0


def test_the_window_never_closes() -> None:
    clock = Clock()
    limiter = Limiter(Limits(concurrency=2), clock)

    async def work() -> None:
        for _ in range(10):
            started = await limiter.enter(1)
            clock.now += 1
            limiter.leave(started=started, throttled=0.0)

    asyncio.run(work())
    assert limiter.window == 1.0


def test_everybody_waits_when_the_server_says_so() -> None:
    limiter = Limiter(Limits(concurrency=4))

    async def work() -> float:
        started = await limiter.enter(1)
        limiter.leave(started=started, throttled=0.3)
        before = time.monotonic()
        await limiter.enter(1)
        return time.monotonic() - before

    assert 0.25 < asyncio.run(work()) < 3


def test_requests_a_minute_are_kept() -> None:
    # 600 a minute is 10 a second, and 10 seconds' worth (100) may go at once.
    limiter = Limiter(Limits(concurrency=200, rpm=600))

    async def work() -> float:
        before = time.monotonic()
        await asyncio.gather(*(limiter.enter(1) for _ in range(104)))
        return time.monotonic() - before

    assert 0.35 < asyncio.run(work()) < 4


def test_tokens_beyond_those_announced_are_paid_by_the_next() -> None:
    # 6,000 a minute is 100 a second; 1,000 may go at once.
    limiter = Limiter(Limits(tpm=6000))

    async def work() -> float:
        started = await limiter.enter(500)
        limiter.leave(started=started, surplus=540)
        before = time.monotonic()
        await limiter.enter(0)
        return time.monotonic() - before

    # 1,040 of 1,000 are used: 40 of debt are 0.4 seconds.
    assert 0.3 < asyncio.run(work()) < 4


def test_loops_in_several_threads_share_one_limit() -> None:
    limiter = Limiter(Limits(concurrency=3))
    state = {"active": 0, "peak": 0}

    async def one() -> None:
        started = await limiter.enter(1)
        state["active"] += 1
        state["peak"] = max(state["peak"], state["active"])
        await asyncio.sleep(0.005)
        state["active"] -= 1
        limiter.leave(started=started)

    async def many() -> None:
        await asyncio.gather(*(one() for _ in range(40)))

    async def work() -> None:
        threads = (asyncio.to_thread(asyncio.run, many()) for _ in range(3))
        await asyncio.wait_for(asyncio.gather(*threads), 20)

    asyncio.run(work())
    assert state == {"active": 0, "peak": 3}


def test_who_is_cancelled_while_waiting_leaves_no_hole() -> None:
    limiter = Limiter(Limits(concurrency=1))

    async def work() -> None:
        started = await limiter.enter(1)
        waiting = [asyncio.create_task(limiter.enter(1)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limiter.leave(started=started)
        waiting[1].cancel()  # perhaps just as its turn comes
        assert await asyncio.wait_for(waiting[2], 5) > 0

    asyncio.run(work())


def test_one_limiter_a_model_in_the_process() -> None:
    first = limiter_of("openai:limits-test", Limits(concurrency=5))
    assert limiter_of("openai:limits-test") is first
    limiter_of("openai:limits-test", Limits(concurrency=2))
    assert first.limits.concurrency == 2


@pytest.mark.parametrize("bad", [{"concurrency": 0}, {"rpm": -1.0}, {"tpm": 0.0}])
def test_limits_that_allow_nothing_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=next(iter(bad))):
        Limits(**bad)  # type: ignore[arg-type]


def test_a_budget_counts_what_is_under_way() -> None:
    async def work() -> None:
        budget = Budget(max_cost=1.0)
        await budget.reserve(0.6)
        waiting = asyncio.create_task(budget.reserve(0.6))
        await asyncio.sleep(0.1)
        assert not waiting.done()  # 0.6 + 0.6 might pass 1.0
        budget.settle(0.6, 0.2)
        await asyncio.wait_for(waiting, 5)  # 0.2 + 0.6 does not
        budget.settle(0.6, 0.6)
        with pytest.raises(BudgetReached, match="1 USD"):
            await budget.reserve(0.3)  # 0.8 + 0.3
        assert budget.reached and budget.spent == pytest.approx(0.8)

    asyncio.run(work())


def test_a_budget_of_nothing_allows_nothing() -> None:
    with pytest.raises(BudgetReached):
        asyncio.run(Budget(max_calls=0).reserve(0.0))
    with pytest.raises(UsageError):
        Budget(max_cost=-1)
    with pytest.raises(UsageError):
        Budget(max_cost=float("nan"))


def test_a_long_wait_that_the_server_asks_for_is_said_once() -> None:
    clock = Clock()
    limiter = Limiter(Limits(concurrency=8), clock)

    async def work() -> None:
        starts = [await limiter.enter(1) for _ in range(3)]
        limiter.leave(started=starts[0], throttled=20.0)  # short: nothing is said
        clock.now += 1
        with pytest.warns(UserWarning, match="asked to wait 3,600 s") as said:
            limiter.leave(started=starts[1], throttled=3600.0)
            limiter.leave(started=starts[2], throttled=3600.0)
        assert len(said) == 1

    asyncio.run(work())
