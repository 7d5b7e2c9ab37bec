"""A run: the cache, limits, budget, prices and ledger that its items share."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cache.replies import Mode, Replies
from ...cache.store import Store
from ...errors import UsageError
from ...files.counted import counted
from ..batches.run_batches import Batches
from ..batches.settings import Batching
from ..judge import JudgeSpec
from ..watching.account import write_account
from ..watching.call_log import CallLog, Log
from ..watching.prompt_log import PromptLog
from .judges import Judge
from .ledger import Ledger
from .limits import Budget, Limits, limiter_of
from .permits import Pace, Permits, Purse
from .prices import Price, load_prices

if TYPE_CHECKING:
    from ..watching.sender import Sender  # needs the extra otel

WAITING = 20_000
"""The number of items that wait for batches at once."""
KEEP = 10_000
"""The number of attempts that a run keeps in memory, so that its memory does not grow."""


class Run:
    """The settings and counts that all items of a run share. Use it as a context manager.

    Args:
        cache: a file, `redis://…`, a Store, or None for the user's own cache.
        mode: "read-write", "replay" (a miss raises ReplayMiss), "refresh" or "off".
        max_calls, max_cost: the hard budget in calls and in US dollars; items beyond it end as
            Failed(kind="budget"), and `budget_reached` is then true.
        concurrency, rpm, tpm: limits of every model in this run: requests at once, requests a
            minute, tokens a minute. They apply to the whole process, because a server counts the
            requests of all runs.
        timeout: seconds for one request, from sending to its last byte.
        attempts: the most requests for one answer, when timeouts, lost connections, 408, 409, 429
            or 5xx occur.
        max_wait: the longest Retry-After, in seconds, that is followed.
        ledger: a JSONL file for the attempts; None for memory.
        keep: how many of the last attempts are kept in memory; None for all. The sums count every
            attempt.
        prices: a price list, a YAML file in the form of `agents/engine/prices.yaml`, which replaces
            the one in the package.
        log: a JSONL file to which each request is appended, with its prompt and its reply.
        account: a JSON file for the sums of calls, tokens and cost, written when the run is closed.
        one_dimension: whether a step with several dimensions, such as a rubric, asks about each in
            a call of its own: more calls, with a shorter answer each.
        batch: ask by providers' batches, at a lower price and with answers within a day; only
            judges of providers that have batches can be asked then.
        tracer: a tracer of OpenTelemetry, which gets a span for each item, request and repair.
        permits: limits and budget that this run shares with other processes, in place of its own.

    An evaluation sets `prompts`, so that its folder has the prompts of its verdicts. A command that
    sends spans sets `sender`, so that those that are lost are counted.
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
        log: Path | None = None,
        account: Path | None = None,
        tracer: Any = None,
        one_dimension: bool = False,
        batch: Batching | None = None,
        permits: Permits | None = None,
    ) -> None:
        if timeout <= 0 or attempts < 1:
            raise UsageError("timeout must be above 0 and attempts at least 1")
        self.replies = Replies(cache, mode)
        self.permits = permits
        self.budget: Purse = permits.purse if permits else Budget(max_calls, max_cost)
        self.limits = _limits(concurrency, rpm, tpm)
        self.timeout = timeout
        self.attempts = attempts
        self.max_wait = max_wait
        self.ledger = Ledger(ledger, keep)
        self.prices = load_prices(prices)
        self.log: Log | None = CallLog(log) if log is not None else None
        self.prompts: PromptLog | None = None
        self.tracer = tracer
        self.sender: Sender | None = None
        self.one_dimension = one_dimension
        self.batches: Batches | None = None
        if batch is not None:
            self.ask_by_batches(batch)
        self.estimated: list[Mapping[str, Any]] | None = None
        self._account = account
        self._hidden = 0
        self._unsent = 0
        self._why_unsent = ""

    def __repr__(self) -> str:
        calls = counted(self.budget.calls, "call")
        return f"Run(mode={self.replies.mode!r}, {calls}, {self.budget.spent:.4f} US dollars)"

    @property
    def budget_reached(self) -> bool:
        """Whether an item was not asked because of the budget."""
        return self.budget.reached

    @property
    def has_account(self) -> bool:
        """Whether an account is written when the run is closed, which has an estimate."""
        return self._account is not None

    def remarks(self) -> list[str]:
        """Return the remarks that a summary of this run must show beside its counts."""
        remarks = []
        if self._hidden:
            many = "1 item" if self._hidden == 1 else f"{self._hidden:,} items"
            remarks.append(f"{many} held hidden or broken characters: each is U+FFFD now")
        if unkept := self.replies.unkept:
            many = "1 reply was" if unkept == 1 else f"{unkept:,} replies were"
            place = self.replies.store.place
            remarks.append(f"{many} not kept: the reply cache {place} could not be written")
        self._count_unsent()
        if self._unsent:
            many = "1 span was" if self._unsent == 1 else f"{self._unsent:,} spans were"
            why = f" ({self._why_unsent})" if self._why_unsent else ""
            remarks.append(f"{many} not sent: the OpenTelemetry collector did not take them{why}")
        if self.batches is not None:
            remarks += self.batches.remarks()
        return remarks

    def _count_unsent(self) -> None:
        if self.sender is not None:
            self._unsent += self.sender.take_lost()
            self._why_unsent = self._why_unsent or self.sender.fault

    def count_hidden(self, characters: int) -> None:
        """Count an item in which so many hidden or broken characters were replaced."""
        if not characters:
            return
        self._hidden += 1
        if self._hidden == 1:
            warnings.warn(
                f"{characters:,} characters of an item that no reader sees, or that are broken, "
                "are replaced by U+FFFD; the same holds for every further item",
                stacklevel=2,
            )

    def take_counts(self) -> dict[str, Any]:
        """Return what was counted since the last call, as plain JSON for `add_counts`.

        Spans until now are sent first: the process of a worker may end at any time.
        """
        self._count_unsent()
        counts = {
            "lines": [vars(line) for line in self.ledger.take()],
            "hidden": self._hidden,
            "unkept": self.replies.unkept,
            "unsent": self._unsent,
            "why_unsent": self._why_unsent,
        }
        self._hidden = self.replies.unkept = self._unsent = 0
        return counts

    def add_counts(self, counts: Mapping[str, Any]) -> None:
        """Add what another run has counted, such as that of a worker on another machine."""
        self.ledger.add(counts["lines"])
        self._hidden += counts["hidden"]
        self.replies.unkept += counts["unkept"]
        self._unsent += counts["unsent"]
        self._why_unsent = self._why_unsent or counts["why_unsent"]

    @property
    def width(self) -> int:
        """The number of items to work on at once, enough to fill every place of a limiter."""
        if self.batches is not None:
            return WAITING
        return 2 * (self.limits or Limits()).concurrency

    def limiter(self, spec: JudgeSpec) -> Pace:
        """Return the limiter for this judge's model, which all its users share."""
        if self.permits is not None:
            return self.permits.pace(spec.endpoint)
        return limiter_of(spec.endpoint, self.limits)

    def ask_by_batches(self, settings: Batching) -> None:
        """Ask by batches from now on. Raises UsageError for a cache that keeps nothing."""
        self.batches = Batches(settings, self.replies, self.timeout)

    def check(self, judge: Judge) -> None:
        """Raise UsageError for a judge that this run cannot ask by batches, as it shall."""
        if self.batches is not None:
            self.batches.check(judge)

    def price(self, spec: JudgeSpec, *, live: bool = True) -> Price | None:
        """Return a judge's price, live or in a batch.

        Raises UsageError if it is unknown and a cost limit is set.
        """
        price = self.prices.of(spec) if live else self.prices.in_batch(spec)
        if price is None and self.budget.max_cost is not None:
            raise UsageError(
                f"the price of {spec.label} is unknown (prices of {self.prices.date}), so a "
                "limit on cost cannot be kept: limit the calls (--max-calls), or name a price list "
                "with this model (--prices)"
            )
        return price

    def close(self) -> None:
        """Close the cache, the ledger's file and the log, and write the account.

        Batches go on: the same items, asked again, wait for them.
        """
        if self.batches is not None:
            self.batches.close()
        self.replies.close()
        self.ledger.close()
        if self.log is not None:
            self.log.close()
        if self._account is not None:
            write_account(
                self._account,
                self.ledger.summary(),
                prices=str(self.prices.date),
                remarks=self.remarks(),
                budget_reached=self.budget_reached,
                estimate=self.estimated,
            )

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _limits(concurrency: int | None, rpm: float | None, tpm: float | None) -> Limits | None:
    if concurrency is None and rpm is None and tpm is None:
        return None
    return Limits(Limits().concurrency if concurrency is None else concurrency, rpm, tpm)
