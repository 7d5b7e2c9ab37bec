"""The requests to one model that wait until a batch is sent."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from itertools import islice

from ...cache.store import Entry
from ...files.counted import counted
from ..engine.models import BatchLimits
from ..wires.batch import Answer
from .answers import AskedElsewhere, BatchFault
from .carry import Carried, QueueFull
from .service import Service
from .submit import Asked, submit
from .tickets import Record

_FRAME = 64  # bytes around the requests


class Pool:
    """Collects requests, and sends them when no more come or when a batch is full.

    carry: waits for a batch, once for all who want to know. more: whether further requests may
    come at once, so that a batch should not be sent yet.
    """

    def __init__(
        self,
        service: Service,
        limits: BatchLimits,
        carry: Callable[[Service, Record], Awaitable[Carried]],
        more: Callable[[], bool],
    ) -> None:
        self._service = service
        self._limits = limits
        self._carry = carry
        self._more = more
        self._waiting: dict[str, Asked] = {}
        self._size = _FRAME
        self._latest = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._sending: set[asyncio.Task[None]] = set()
        # After a provider's queue was full, one batch is sent after the other.
        self._one_by_one = False
        self._turn = asyncio.Lock()
        self._earlier: set[asyncio.Task[None]] = set()  # sent before the queue was full

    async def ask(
        self, ticket: str, key: str, line: bytes, sent: Entry
    ) -> tuple[Answer, str] | None:
        """Return the answer of a request and the name of its batch, as `Asked` says.

        Raises AskedElsewhere, BatchFault, AuthenticationFault or ModelFault.
        """
        loop = asyncio.get_running_loop()
        size = len(line) + 2
        is_full = len(self._waiting) >= self._limits.requests
        if self._waiting and (is_full or self._size + size > self._limits.size):
            self._send()
        if ticket not in self._waiting:
            self._waiting[ticket] = Asked(key, line, sent, loop.create_future())
            self._size += size
        self._latest = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._service.settings.quiet, self._when_quiet)
        return await asyncio.shield(self._waiting[ticket].answer)

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """The batches that are being sent or waited for."""
        return list(self._sending)

    def _when_quiet(self) -> None:
        loop, quiet = asyncio.get_running_loop(), self._service.settings.quiet
        left = quiet if self._more() else self._latest + quiet - loop.time()
        self._timer = None
        if left > 0:
            self._timer = loop.call_later(left, self._when_quiet)
        elif self._waiting:
            self._send()

    def _send(self) -> None:
        asked, self._waiting, self._size = self._waiting, {}, _FRAME
        task = asyncio.create_task(self._see_through(asked))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _see_through(self, asked: Mapping[str, Asked]) -> None:
        """Give every request its answer, or the exception that concerns it."""
        try:
            await self._all_parts(asked)
        except Exception as fault:
            for one in asked.values():
                _raise_in(one, fault)
        finally:
            for one in asked.values():
                one.answer.cancel()

    async def _all_parts(self, asked: Mapping[str, Asked]) -> None:
        parts = [dict(asked)]
        while parts:
            part, alone = parts.pop(), self._one_by_one
            try:
                if alone:
                    async with self._turn:
                        while self._earlier:
                            await asyncio.wait(self._earlier)
                        await self._one_batch(part)
                else:
                    task = asyncio.create_task(self._one_batch(part))
                    self._earlier.add(task)
                    task.add_done_callback(self._earlier.discard)
                    await task
            except QueueFull as full:
                self._service.tell(
                    f"{self._service.label}: too much waits in the provider's queue ({full}); "
                    "going on with one smaller batch after the other"
                )
                self._one_by_one = True
                part = {name: one for name, one in part.items() if not one.answer.done()}
                parts += _halves(part) if alone else [part]
                if alone and len(part) == 1:
                    raise BatchFault(429, str(full)) from full

    async def _one_batch(self, asked: Mapping[str, Asked]) -> None:
        service = self._service
        async with service.tickets.turn(service.judge.spec.endpoint):
            known = await service.tickets.find(asked)
            new = {name: one for name, one in asked.items() if name not in known}
            # In this order: a process keeps a reply before it forgets the ticket.
            kept = await service.tickets.kept([one.key for one in new.values() if one.key])
            for one in new.values():
                if one.key in kept:
                    _raise_in(one, AskedElsewhere())
            new = {name: one for name, one in new.items() if one.key not in kept}
            record = await submit(service, new) if new else None
        if record is not None:
            service.tell(
                f"batch {record.name} has {counted(len(new), 'request')} to {service.label}; you "
                "may stop here: the same command goes on"
            )
        for name in known:
            asked[name].answer.set_result(None)
        if record is not None:
            carried = await self._carry(service, record)
            for name, one in new.items():
                one.answer.set_result(carried.of(name))


def _raise_in(asked: Asked, fault: Exception) -> None:
    if not asked.answer.done():
        asked.answer.set_exception(fault)
        asked.answer.exception()  # nobody may be waiting any more


def _halves(part: Mapping[str, Asked]) -> list[dict[str, Asked]]:
    items, middle = iter(part.items()), (len(part) + 1) // 2
    return [dict(islice(items, middle)), dict(items)]
