"""How fast a model may be asked, and how much may be spent.

One limiter per model and server serves everything in the process, whatever event loop or
thread it runs in: that is why nothing here is an asyncio primitive.
"""

import asyncio
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ...errors import UsageError

_DEFAULT_CONCURRENCY = 32
_SETTLE_SECONDS = 0.05
_LONG_WAIT = 30.0  # seconds; such a wait looks like a hang, and is said
_BURST_SECONDS = 10.0  # how much of a minute's allowance may be used at once


@dataclass(frozen=True)
class Limits:
    """Requests at once, and requests and tokens a minute; None is no limit of our own."""

    concurrency: int = _DEFAULT_CONCURRENCY
    rpm: float | None = None
    tpm: float | None = None

    def __post_init__(self) -> None:
        for name in ("concurrency", "rpm", "tpm"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UsageError(f"{name} must be above 0, not {value}")


class _Bucket:
    """A token bucket that may go into debt: the caller waits the debt off."""

    def __init__(self, per_minute: float, clock: Callable[[], float]) -> None:
        self._rate = per_minute / 60
        self._size = self._level = max(1.0, self._rate * _BURST_SECONDS)
        self._clock = clock
        self._at = clock()

    def take(self, amount: float) -> float:
        """Take, and return the seconds to wait; a negative amount gives back."""
        now = self._clock()
        self._level = min(self._size, self._level + (now - self._at) * self._rate) - amount
        self._at = now
        return max(0.0, -self._level / self._rate)


class Limiter:
    """Concurrency that halves on 429 and grows back by one a window, with two buckets."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()
        self._active = 0
        self._blocked_until = 0.0
        self._last_cut = float("-inf")
        self.configure(limits)

    def configure(self, limits: Limits) -> None:
        """Set the limits anew; what is under way goes on."""
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
        """How many requests may be under way at once just now."""
        return self._window

    async def enter(self, tokens: int) -> float:
        """Wait for a place and for the buckets; returns the time on the clock at the start."""
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

        throttled: the server said 429; the seconds it asks to wait (0 where it does not say).
        surplus: tokens really used beyond those announced to `enter`, may be negative.
        """
        held_back = False
        with self._lock:
            if throttled is not None:
                held_back = self._slow_down(started, throttled)
            else:
                room = float(self._limits.concurrency)
                self._window = min(room, self._window + 1 / self._window)
            if self._tokens and surplus:
                self._tokens.take(surplus)
        self._leave()
        if held_back:
            warnings.warn(
                f"the server asked to wait {throttled:,.0f} s: every call to this model waits so "
                "long",
                stacklevel=2,
            )

    def _slow_down(self, started: float, wait: float) -> bool:
        """Hold back what comes next; whether that is for long and was not so before."""
        now = self._clock()
        news = wait >= _LONG_WAIT and self._blocked_until - now < _LONG_WAIT
        self._blocked_until = max(self._blocked_until, now + wait)
        # Answers to requests that were sent before the last cut say nothing new.
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
        if not waiting:  # the place was given to us while we were being cancelled
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
        except RuntimeError:  # its loop was closed, nobody waits there any more
            return False
        return True


def _resolve(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


_LIMITERS: dict[str, Limiter] = {}
_MAKING = threading.Lock()


def limiter_of(endpoint: str, limits: Limits | None = None) -> Limiter:
    """The process's limiter for a model on a server; `limits` set it anew where they differ."""
    with _MAKING:
        limiter = _LIMITERS.get(endpoint)
        if limiter is None:
            limiter = _LIMITERS[endpoint] = Limiter(limits or Limits())
        elif limits is not None and limiter.limits != limits:
            limiter.configure(limits)
        return limiter


class BudgetReached(Exception):
    """The next call would go beyond the budget; turned into an outcome, never shown."""


class Budget:
    """The most calls and US dollars of a run.

    A call's cost is reserved before it is sent, estimated high, so that calls under way count;
    the real cost takes the estimate's place when it is known. Where only reservations stand in
    the way, a call waits for them to settle.
    """

    def __init__(self, max_calls: int | None = None, max_cost: float | None = None) -> None:
        """None is no limit. Raises UsageError for a negative one."""
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

    async def reserve(self, estimate: float) -> None:
        """Count a call that is about to be sent. Raises BudgetReached."""
        while not self._try(estimate):
            await asyncio.sleep(_SETTLE_SECONDS)

    def settle(self, estimate: float, actual: float) -> None:
        """Put the real cost in the place of the estimate."""
        with self._lock:
            self._reserved -= estimate
            self.spent += actual

    def _try(self, estimate: float) -> bool:
        with self._lock:
            if self.max_calls is not None and self.calls >= self.max_calls:
                self.reached = True
                raise BudgetReached(f"the budget of {self.max_calls} calls is reached")
            if self.max_cost is not None:
                if self.spent + estimate > self.max_cost:
                    self.reached = True
                    raise BudgetReached(f"the budget of {self.max_cost:g} USD is reached")
                if self.spent + self._reserved + estimate > self.max_cost:
                    return False
            self.calls += 1
            self._reserved += estimate
            return True
