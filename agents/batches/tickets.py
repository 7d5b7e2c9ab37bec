"""What the reply cache's store has of batches: which request is in which, and its answer."""

import asyncio
import time
import weakref
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, replace

from ...cache.replies import Replies
from ...cache.store import Entry, Namespace
from ...errors import DxjudgeError, EnvironmentFault, UsageError
from ..wires.batch import Answer

_BATCH: Namespace = ("batch",)
_MEMBERS: Namespace = ("batch_members",)
_TICKET: Namespace = ("batch_ticket",)
_LEARNT: Namespace = ("batch_learnt",)
_CHUNK = 1000  # entries in one write
_LEARNT_SECONDS = 120.0  # for which another process relies on what one has learnt of a model
_Locks = defaultdict[str, asyncio.Lock]


@dataclass(frozen=True)
class Record:
    """A batch of ours.

    name: ours; id: the provider's, "" until the provider has answered. provider, model, base_url:
    as in a judge's spec. requests: how many it has; answered: how many of them the provider had
    answered at the last look. made: when, in seconds since 1970. phase: as in `State`, at the
    last look. fetched: the answers are in the store.
    """

    name: str
    provider: str
    model: str
    base_url: str | None
    requests: int
    made: float
    id: str = ""
    phase: str = "running"
    answered: int = 0
    fetched: bool = False


@dataclass(frozen=True)
class Ticket:
    """A request that is in a batch. sent: its method and dropped parameters; answer: or None."""

    batch: str
    sent: Entry
    answer: Answer | None = None


class Tickets:
    """The tickets and batches in one store. Every method raises EnvironmentFault."""

    def __init__(self, replies: Replies) -> None:
        """Use the store of a reply cache, which must be one that is written."""
        self._replies = replies
        # The turn of a store is a process's, and the first of its blocks that ends frees it: these
        # let one block of the process at a time have it.
        self._turns: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Locks] = (
            weakref.WeakKeyDictionary()
        )

    @property
    def place(self) -> str:
        """Where the store is."""
        return self._replies.store.place

    def check(self) -> None:
        """Raise UsageError for a cache that keeps nothing."""
        if self._replies.mode == "off":
            raise UsageError(
                "batches need the reply cache, where they are noted: leave out --cache-mode off"
            )

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Let one block at a time, of all processes that share the store, run for this name."""
        locks = self._turns.setdefault(asyncio.get_running_loop(), defaultdict(asyncio.Lock))
        async with locks[name], self._replies.turn(f"batch {name}"):
            yield

    async def kept(self, keys: Sequence[str]) -> set[str]:
        """Return those of these keys whose replies are in the cache by now."""
        return set(await self._replies.afind(keys))

    async def learnt(self, name: str) -> Entry | None:
        """Return what a process has just learnt of a model; None for nothing, or long ago."""
        with self._checked():
            entries = await self._replies.store.aget([(_LEARNT, name)])
        entry = entries.get((_LEARNT, name))
        is_new = entry is not None and abs(time.time() - entry["at"]) < _LEARNT_SECONDS
        return entry if is_new else None

    async def teach(self, name: str, learnt: Entry) -> None:
        """Keep for other processes what this one has learnt of a model."""
        await self._set(_LEARNT, {name: {**learnt, "at": time.time()}})

    async def find(self, names: Iterable[str]) -> dict[str, Ticket]:
        """Return the tickets of these names; one that is not there is absent."""
        with self._checked():
            entries = await self._replies.store.aget([(_TICKET, name) for name in names])
        return {name: Ticket(**entry) for (_, name), entry in entries.items()}

    async def open(self, record: Record, sent: Mapping[str, Entry]) -> None:
        """Note a batch, and a ticket for each of its requests."""
        tickets = {name: asdict(Ticket(record.name, one)) for name, one in sent.items()}
        await self._set(_TICKET, tickets)
        await self._set(_MEMBERS, {record.name: {"tickets": list(sent)}})
        await self.note(record)

    async def note(self, record: Record) -> None:
        """Keep what is known of a batch now."""
        await self._set(_BATCH, {record.name: asdict(record)})

    async def record(self, name: str) -> Record | None:
        """Return what is known of a batch."""
        with self._checked():
            entries = await self._replies.store.aget([(_BATCH, name)])
        return Record(**entries[_BATCH, name]) if entries else None

    async def conclude(self, record: Record, answers: Mapping[str, Answer], rest: Answer) -> None:
        """Keep the answers of a batch; `rest` is that of a request without one of its own."""
        with self._checked():
            entries = await self._replies.store.aget([(_MEMBERS, record.name)])
        names = next(iter(entries.values()))["tickets"] if entries else []
        for start in range(0, len(names), _CHUNK):
            tickets = await self.find(names[start : start + _CHUNK])
            answered = {
                name: asdict(replace(ticket, answer=answers.get(name, rest)))
                for name, ticket in tickets.items()
                if ticket.batch == record.name
            }
            await self._set(_TICKET, answered)
        await self.note(replace(record, fetched=True))
        await self._delete(_MEMBERS, [record.name])

    async def drop(self, record: Record) -> None:
        """Forget a batch that does not exist, and its tickets: these are asked again.

        Call it in the turn in which requests are sent: a ticket that is in a later batch stays.
        """
        with self._checked():
            entries = await self._replies.store.aget([(_MEMBERS, record.name)])
        for entry in entries.values():
            await self.leave(entry["tickets"], record.name)
        await self._delete(_MEMBERS, [record.name])
        await self._delete(_BATCH, [record.name])

    async def leave(self, names: Sequence[str], batch: str) -> None:
        """Forget those of these tickets that are in this batch."""
        for start in range(0, len(names), _CHUNK):
            tickets = await self.find(names[start : start + _CHUNK])
            await self.forget([name for name, one in tickets.items() if one.batch == batch])

    async def forget(self, names: Sequence[str]) -> None:
        """Forget tickets, whose answers are used."""
        await self._delete(_TICKET, names)

    def records(self) -> list[Record]:
        """Return every batch, the latest first."""
        with self._checked():
            records = [Record(**entry) for _, entry in self._replies.store.scan(_BATCH)]
        return sorted(records, key=lambda record: -record.made)

    async def _set(self, namespace: Namespace, entries: Mapping[str, Entry]) -> None:
        with self._checked():
            names = list(entries)
            for start in range(0, len(names), _CHUNK):
                part = names[start : start + _CHUNK]
                pairs = {(namespace, name): (entries[name], None) for name in part}
                await self._replies.store.aset(pairs)

    async def _delete(self, namespace: Namespace, names: Sequence[str]) -> None:
        with self._checked():
            await self._replies.store.adelete([(namespace, name) for name in names])

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except DxjudgeError:
            raise
        except Exception as fault:
            raise EnvironmentFault(
                f"the reply cache {self._replies.store.place} fails ({fault}), and batches are "
                "noted there"
            ) from fault
