"""The batches of one run: a desk for each event loop, and what they have cost."""

import asyncio
import threading
import weakref
from collections.abc import Iterator

from ...cache.replies import Replies
from ...files.counted import counted
from ..engine.judges import Judge
from ..engine.prices import Price
from .desk import Desk
from .service import Tell
from .settings import Batching, limits_of
from .tickets import Tickets


class Batches:
    """The batches of a run.

    tell: gets a sentence now and then while the run waits; None for silence.
    """

    def __init__(self, settings: Batching, replies: Replies, timeout: float) -> None:
        """timeout: seconds for one request. Raises UsageError for a cache that keeps nothing."""
        self.tickets = Tickets(replies)
        self.tickets.check()
        self.tell: Tell | None = None
        self._settings = settings
        self._timeout = timeout
        self._desks: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Desk] = (
            weakref.WeakKeyDictionary()
        )
        self._lock = threading.Lock()
        self._replies = self._unknown = 0
        self._paid = self._live = 0.0

    @property
    def desk(self) -> Desk:
        """The desk of the running event loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._desks:
                self._desks[loop] = Desk(self._settings, self.tickets, self._timeout, self._say)
            return self._desks[loop]

    def check(self, judge: Judge) -> None:
        """Raise UsageError for a judge without batches."""
        limits_of(judge)

    def count(self, cost: float | None, live: Price | None, price: Price | None) -> None:
        """Count a reply and its cost. live, price: the prices live and in a batch."""
        with self._lock:
            self._replies += 1
            if cost is None or live is None or price is None or not price.input:
                self._unknown += 1
            else:
                self._paid += cost
                self._live += cost * live.input / price.input

    def remarks(self) -> Iterator[str]:
        """Yield what the batches have cost, and what the same replies cost live."""
        if not self._replies:
            return
        came = "reply came" if self._replies == 1 else "replies came"
        line = f"{self._replies:,} {came} by batch"
        if self._unknown < self._replies:
            line += f" for ${self._paid:,.4f}, ${self._live - self._paid:,.4f} less than live"
        if self._unknown:
            line += f"; the price of {self._unknown:,} is unknown"
        yield line

    def close(self) -> None:
        """Stop waiting. The batches go on, and what is said of them is how to go on."""
        desks = list(self._desks.items())
        under_way = {name: number for _, desk in desks for name, number in desk.under_way.items()}
        for loop, desk in desks:
            if loop.is_running():
                loop.call_soon_threadsafe(desk.close)
        if under_way:
            asked, many = sum(under_way.values()), len(under_way)
            self._say(
                f"{counted(asked, 'request')} in {'a batch' if many == 1 else f'{many:,} batches'} "
                f"({', '.join(list(under_way)[:5])}{', …' * (many > 5)}) go on at the provider: "
                "the same command waits for them (dxjudge batch list shows them)"
            )

    def _say(self, text: str) -> None:
        if self.tell is not None:
            self.tell(text)
