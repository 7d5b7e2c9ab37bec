"""A run: the cache, limits, budget, prices and ledger that its items share."""

import warnings
from pathlib import Path
from types import TracebackType

from ...cache.replies import Mode, Replies
from ...cache.store import Store
from ...errors import UsageError
from ..judge import JudgeSpec
from .ledger import Ledger
from .limits import Budget, Limiter, Limits, limiter_of
from .prices import Price, load_prices

KEEP = 10_000
"""How many of the last attempts a run remembers, so that a long one does not fill the memory."""


class Run:
    """What the items of one piece of work have in common. Use it as a context manager.

    cache: a file, `redis://…`, a Store, or None for the user's own cache; `mode`:
        "read-write", "replay" (a miss raises ReplayMiss), "refresh" or "off".
    max_calls, max_cost (US dollars): the hard budget; items beyond it end as
        Failed(kind="budget") and `budget_reached` says so.
    concurrency, rpm, tpm: limits of every model in this run; they hold for the whole process,
        since the server does not care which run a request is from.
    timeout: seconds for one request, from sending to its last byte.
    attempts: requests at most for one answer, where timeouts, connections, 408, 409, 429 and
        5xx get in the way. max_wait: the longest Retry-After, in seconds, that is obeyed.
    ledger: a JSONL file for the attempts; in memory where it is None, and there only the last
        `keep` of them (None: all); the sums count every attempt.
    prices: a price list, a YAML file in the form of `agents/engine/prices.yaml`, instead of the
        one that ships.
    """

    def __init__(
        self,
        *,
        cache: Store | str | Path | None = None,
        mode: Mode = "read-write",
        max_calls: int | None = None,
        max_cost: float | None = None,
        concurrency: int | None = None,
        rpm: float | None = None,
        tpm: float | None = None,
        timeout: float = 120.0,
        attempts: int = 6,
        max_wait: float = 120.0,
        ledger: Path | None = None,
        keep: int | None = KEEP,
        prices: Path | None = None,
    ) -> None:
        if timeout <= 0 or attempts < 1:
            raise UsageError("timeout must be above 0 and attempts at least 1")
        self.replies = Replies(cache, mode)
        self.budget = Budget(max_calls, max_cost)
        self.limits = _limits(concurrency, rpm, tpm)
        self.timeout = timeout
        self.attempts = attempts
        self.max_wait = max_wait
        self.ledger = Ledger(ledger, keep)
        self.prices = load_prices(prices)
        self._hidden = 0

    @property
    def budget_reached(self) -> bool:
        """Whether an item was left out because of the budget."""
        return self.budget.reached

    def remarks(self) -> list[str]:
        """What a summary of this run has to say beside its counts."""
        remarks = []
        if self._hidden:
            many = "1 item" if self._hidden == 1 else f"{self._hidden:,} items"
            remarks.append(f"{many} held hidden or broken characters: each is U+FFFD now")
        if unkept := self.replies.unkept:
            many = "1 reply was" if unkept == 1 else f"{unkept:,} replies were"
            place = self.replies.store.place
            remarks.append(f"{many} not kept: the reply cache {place} could not be written")
        return remarks

    def count_hidden(self, characters: int) -> None:
        """Note an item in which so many hidden or broken characters were replaced."""
        if not characters:
            return
        self._hidden += 1
        if self._hidden == 1:
            warnings.warn(
                f"{characters:,} characters of an item that no reader sees, or that are broken, "
                "are replaced by U+FFFD; the same holds for every further item",
                stacklevel=2,
            )

    @property
    def width(self) -> int:
        """How many items are worked on at once: enough to keep every place of a limiter full."""
        return 2 * (self.limits or Limits()).concurrency

    def limiter(self, spec: JudgeSpec) -> Limiter:
        """The process's limiter for this judge's model."""
        return limiter_of(spec.endpoint, self.limits)

    def price(self, spec: JudgeSpec) -> Price | None:
        """The price of a judge. Raises UsageError when it is unknown and a cost limit is set."""
        price = self.prices.of(spec)
        if price is None and self.budget.max_cost is not None:
            raise UsageError(
                f"the price of {spec.label} is unknown (prices of {self.prices.date}), so a "
                "limit on cost cannot be kept; limit the calls (--max-calls), or name a price list "
                "that has it (--prices)"
            )
        return price

    def close(self) -> None:
        """Let go of the cache and the ledger's file."""
        self.replies.close()
        self.ledger.close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _limits(concurrency: int | None, rpm: float | None, tpm: float | None) -> Limits | None:
    if concurrency is None and rpm is None and tpm is None:
        return None
    return Limits(Limits().concurrency if concurrency is None else concurrency, rpm, tpm)
