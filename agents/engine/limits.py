"""Limits on the speed of requests to a model, and on what a run may spend.

One limiter for each model and server serves the whole process, that is every event loop and
thread. For this reason it uses no asyncio locks.
"""

import asyncio
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ...errors import UsageError
from ...files.counted import counted

_DEFAULT_CONCURRENCY = 32
_SETTLE_SECONDS = 0.05
_LONG_WAIT = 30.0  # seconds; the user is warned of such a wait, which looks like a hang
_BURST_SECONDS = 10.0  # the allowance of so many seconds may be used at once


@dataclass(frozen=True)
class Limits:
    """Requests at once, and requests and tokens a minute; None sets no limit."""

    concurrency: int = _DEFAULT_CONCURRENCY
    rpm: float | None = None
    tpm: float | None = None

    def __post_init__(self) -> None:
        for name in ("concurrency", "rpm", "tpm"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UsageError(f"{name} must be above 0, not {value}")


class _Bucket:
    """A token bucket that may go below zero; the caller then waits until it is refilled."""

    def __init__(self, per_minute: float, clock: Callable[[], float]) -> None:
        self._rate = per_minute / 60
        self._size = self._level = max(1.0, self._rate * _BURST_SECONDS)
        self._clock = clock
        self._at = clock()

    def take(self, amount: float) -> float:
        """Take an amount and return the seconds to wait; a negative amount is put back."""
        now = self._clock()
        self._level = min(self._size, self._level + (now - self._at) * self._rate) - amount
        self._at = now
        return max(0.0, -self._level / self._rate)


class Limiter:
    """Limits concurrency, which halves on 429 and then recovers, and the two rates.

    It recovers by one place for every window of successful requests.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()
        self._active = 0
        self._blocked_until = 0.0
        self._last_cut = float("-inf")
        self.configure(limits)

    def configure(self, limits: Limits) -> None:
        """Replace the limits; requests that are under way continue."""
        self._limits = limits
        self._window = float(limits.concurrency)
        self._requests = _Bucket(limits.rpm, self._clock) if limits.rpm else None
        self._tokens = _Bucket(limits.tpm, self._clock) if limits.tpm else None

    @property
    def limits(self) -> Limits:
        """The limits in force."""
        return self._limits

    @property
    def window(self) -> float:
        """The number of requests that may now be under way at once."""
        return self._window

    async def enter(self, tokens: int) -> float:
        """Wait for a place and for both buckets; return the clock's time at the start."""
        await self._place()
        try:
            while (delay := self._blocked_until - self._clock()) > 0:
                await asyncio.sleep(delay)
            with self._lock:
                delay = max(
                    self._requests.take(1) if self._requests else 0.0,
                    self._tokens.take(tokens) if self._tokens else 0.0,
                )
            if delay > 0:
                await asyncio.sleep(delay)
        except BaseException:
            self._leave()
            raise
        return self._clock()

    def leave(self, *, started: float, throttled: float | None = None, surplus: int = 0) -> None:
        """Free the place.

        throttled: None, or, after a 429, the seconds that the server asks to wait (0 if it names
        none). surplus: tokens used minus tokens announced to `enter`; may be negative.
        """
        is_long_wait = False
        with self._lock:
            if throttled is not None:
                is_long_wait = self._slow_down(started, throttled)
            else:
                room = float(self._limits.concurrency)
                self._window = min(room, self._window + 1 / self._window)
            if self._tokens and surplus:
                self._tokens.take(surplus)
        self._leave()
        if is_long_wait:
            warnings.warn(
                f"the server asked to wait {throttled:,.0f} s: every call to this model waits "
                "that long",
                stacklevel=2,
            )

    def _slow_down(self, started: float, wait: float) -> bool:
        """Delay the next requests; return whether a long wait begins that was not known before."""
        now = self._clock()
        news = wait >= _LONG_WAIT and self._blocked_until - now < _LONG_WAIT
        self._blocked_until = max(self._blocked_until, now + wait)
        # A request sent before the last cut does not show whether the new window is too large.
        if started >= self._last_cut:
            self._window = max(1.0, self._window / 2)
            self._last_cut = now
        return news

    async def _place(self) -> None:
        loop = asyncio.get_running_loop()
        with self._lock:
            if not self._waiting and self._active < int(self._window):
                self._active += 1
                return
            turn: asyncio.Future[None] = loop.create_future()
            self._waiting.append((loop, turn))
        try:
            await turn
        except asyncio.CancelledError:
            self._give_up(loop, turn)
            raise

    def _give_up(self, loop: asyncio.AbstractEventLoop, turn: asyncio.Future[None]) -> None:
        with self._lock:
            waiting = (loop, turn) in self._waiting
            if waiting:
                self._waiting.remove((loop, turn))
        if not waiting:  # the place was assigned while the caller was being cancelled
            self._leave()

    def _leave(self) -> None:
        with self._lock:
            self._active -= 1
            while self._waiting and self._active < int(self._window):
                loop, turn = self._waiting.popleft()
                if self._wake(loop, turn):
                    self._active += 1

    @staticmethod
    def _wake(loop: asyncio.AbstractEventLoop, turn: asyncio.Future[None]) -> bool:
        try:
            loop.call_soon_threadsafe(_resolve, turn)
        except RuntimeError:  # the waiter's event loop is closed
            return False
        return True


def _resolve(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


_LIMITERS: dict[str, Limiter] = {}
_LOCK = threading.Lock()


def limiter_of(endpoint: str, limits: Limits | None = None) -> Limiter:
    """Return the process's limiter for a model on a server, with `limits` if they are given."""
    with _LOCK:
        limiter = _LIMITERS.get(endpoint)
        if limiter is None:
            limiter = _LIMITERS[endpoint] = Limiter(limits or Limits())
        elif limits is not None and limiter.limits != limits:
            limiter.configure(limits)
        return limiter


class BudgetReached(Exception):
    """The next call would exceed the budget; the engine turns this into a Failed outcome."""


class Budget:
    """The most calls and US dollars of a run.

    Before a call is sent, a high estimate of its cost is reserved, so that calls under way count.
    When the real cost is known, it replaces the estimate. A call that exceeds the budget only
    because of reservations waits until they are settled.
    """

    def __init__(self, max_calls: int | None = None, max_cost: float | None = None) -> None:
        """Set the limits; None sets no limit. Raises UsageError for a negative one."""
        for name, value in (("max_calls", max_calls), ("max_cost", max_cost)):
            if value is not None and not value >= 0:
                raise UsageError(f"{name} must be 0 or more, not {value}")
        self.max_calls = max_calls
        self.max_cost = max_cost
        self.calls = 0
        self.spent = 0.0
        self.reached = False
        self._reserved = 0.0
        self._lock = threading.Lock()

    async def reserve(self, estimate: float, pause: float = _SETTLE_SECONDS) -> None:
        """Count a call before it is sent. Raises BudgetReached.

        pause: seconds between two looks at whether enough reservations are settled.
        """
        while not self._try(estimate):
            await asyncio.sleep(pause)

    def settle(self, estimate: float, actual: float) -> None:
        """Replace the estimate by the real cost."""
        with self._lock:
            self._reserved -= estimate
            self.spent += actual

    def _try(self, estimate: float) -> bool:
        with self._lock:
            if self.max_calls is not None and self.calls >= self.max_calls:
                self.reached = True
                raise BudgetReached(f"the budget of {counted(self.max_calls, 'call')} is reached")
            if self.max_cost is not None:
                if self.spent + estimate > self.max_cost:
                    self.reached = True
                    raise BudgetReached(f"the budget of {self.max_cost:g} USD is reached")
                if self.spent + self._reserved + estimate > self.max_cost:
                    return False
            self.calls += 1
            self._reserved += estimate
            return True
