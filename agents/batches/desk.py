"""Where conversations hand in requests that are answered by batches, in one event loop."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from ...cache.key import fingerprint
from ..engine.call import Call
from ..engine.habits import Habits, kept_spec
from ..engine.judges import Judge
from ..judge import JudgeSpec
from ..wires.batch import Answer
from ..wires.request import Reply, Request
from .answers import read_answer, sent_fields
from .carry import Carried, QueueFull, carry
from .pool import Pool
from .service import BatchGone, Service, Tell
from .settings import Batching, limits_of
from .submit import confirm, find
from .tickets import Record, Tickets


class Desk:
    """The requests of one event loop that are answered by batches.

    timeout: seconds for one request to a provider. tell: gets a sentence now and then.
    """

    def __init__(self, settings: Batching, tickets: Tickets, timeout: float, tell: Tell) -> None:
        self._settings = settings
        self._tickets = tickets
        self._timeout = timeout
        self._tell = tell
        self._pools: dict[str, Pool] = {}
        self._carriers: dict[str, asyncio.Task[Any]] = {}
        self._scouts: dict[str, asyncio.Future[None]] = {}
        self._arriving: Counter[str] = Counter()  # by the endpoint of the model
        self.under_way: dict[str, int] = {}  # the name of a batch -> the requests in it

    @contextmanager
    def on_the_way(self, place: str) -> Iterator[None]:
        """Mark a block at whose end a request may come: meanwhile its model's batch is not sent.

        Another model's is: it may be what this request waits for, where a budget is reserved.
        """
        self._arriving[place] += 1
        try:
            yield
        finally:
            self._arriving[place] -= 1

    @asynccontextmanager
    async def way(
        self, judge: Judge, ticket: str, habits: Habits, *, repair: bool
    ) -> AsyncIterator[bool]:
        """Yield whether to ask live: a repair, where it is wanted so, and a model's first question.

        The first question shows within seconds, and not after a day, that a key is wrong or that
        a model does not take a parameter. The others wait for it, except those that are in a
        batch already. Where another process has just asked its first question of the same model,
        with the same parameters, none is asked: what was learnt there holds here.
        """
        limits_of(judge)
        if repair and self._settings.repairs == "live":
            yield True
            return
        place = judge.spec.endpoint
        with self.on_the_way(place):
            is_scout = await self._is_scout(place, ticket, habits)
        if not is_scout:
            yield False
            return
        name = fingerprint(judge.spec.model_dump(mode="json"))
        try:
            async with self._tickets.turn(f"first question of {place}"):
                learnt = await self._tickets.learnt(name)
                if learnt is None:
                    yield True
                    if habits.spoke:
                        await self._tickets.teach(name, habits.learnt)
                    return
                habits.adopt(learnt, judge.spec.label)
        finally:
            self._scouts.pop(place).set_result(None)
        yield False

    async def _is_scout(self, place: str, ticket: str, habits: Habits) -> bool:
        """Return whether a request is its model's first; if another is, wait for it before."""
        while not habits.spoke:
            # While the store is read, another request may have been the first, and be answered.
            if await self._tickets.find([ticket]) or habits.spoke:
                return False
            scout = self._scouts.get(place)
            if scout is None:
                self._scouts[place] = asyncio.get_running_loop().create_future()
                return True
            await asyncio.shield(scout)
        return False

    async def reply(
        self, call: Call, key: str, sent: JudgeSpec, request: Request, ticket: str
    ) -> tuple[Reply, JudgeSpec]:
        """Return the reply of a request and the spec with which it was sent.

        key: as in `Asked`. sent: the spec to send it with, if it is not in a batch yet. Raises
        AskedElsewhere, BatchFault, NoAnswer, AuthenticationFault, ModelFault or EnvironmentFault.
        """
        judge = call.judge
        while True:
            with self.on_the_way(judge.spec.endpoint):
                known = (await self._tickets.find([ticket])).get(ticket)
            if known is None:
                fields = sent_fields(sent)
                line = self._service(judge).line(ticket, sent, request)
                got = await self._pool(judge).ask(ticket, key, line, fields)
            elif known.answer is not None:
                fields, got = known.sent, (known.answer, known.batch)
            else:
                fields, got = known.sent, await self._join(judge, known.batch, ticket)
            if got is not None:
                spec = kept_spec(call.spec, fields["method"], tuple(fields["dropped"]))
                return read_answer(got[0], judge, spec, got[1]), spec

    def close(self) -> None:
        """Stop waiting; the batches go on."""
        tasks = [*self._carriers.values(), *self._sending()]
        for task in tasks:
            task.cancel()

    def _sending(self) -> Iterator[asyncio.Task[None]]:
        for pool in self._pools.values():
            yield from pool.tasks

    def _pool(self, judge: Judge) -> Pool:
        place = judge.spec.endpoint
        if place not in self._pools:
            service = self._service(judge)
            self._pools[place] = Pool(
                service, limits_of(judge), self._carry, lambda: self._arriving[place] > 0
            )
        return self._pools[place]

    def _service(self, judge: Judge) -> Service:
        return Service(judge, self._tickets, self._settings, self._timeout, self._tell)

    async def _join(self, judge: Judge, name: str, ticket: str) -> tuple[Answer, str] | None:
        """Return the answer of a request that is in a batch; None where it must be asked again."""
        if name not in self._carriers:
            self._keep(name, asyncio.create_task(self._resume(self._service(judge), name)))
        carried = await asyncio.shield(self._carriers[name])
        if carried is None:
            await self._leave(judge, name, ticket)
        return carried.of(ticket) if carried else None

    async def _leave(self, judge: Judge, name: str, ticket: str) -> None:
        """Forget a ticket of a batch that is gone, unless it is in a later batch by now."""
        known = (await self._tickets.find([ticket])).get(ticket)
        if known is not None and known.batch == name:
            async with self._tickets.turn(judge.spec.endpoint):
                await self._tickets.leave([ticket], name)

    async def _carry(self, service: Service, record: Record) -> Carried:
        self.under_way[record.name] = record.requests
        task = asyncio.create_task(carry(service, record))
        self._keep(record.name, task)
        return await asyncio.shield(task)

    def _keep(self, name: str, task: "asyncio.Task[Any]") -> None:
        self._carriers[name] = task

        def end(task: "asyncio.Task[Any]") -> None:
            if not task.cancelled():  # a cancelled task stops to wait for a batch that goes on
                self.under_way.pop(name, None)
                task.exception()  # nobody may be waiting any more

        task.add_done_callback(end)

    async def _resume(self, service: Service, name: str) -> Carried | None:
        """Wait for a batch of an earlier run; None where it is gone, so that it is asked again."""
        try:
            record = await self._confirmed(service, name)
            if record is None:
                return None
            self.under_way[name] = record.requests
            return await carry(service, record)
        except (BatchGone, QueueFull) as fault:
            service.tell(f"{fault}; its requests are asked again")
            return None

    async def _confirmed(self, service: Service, name: str) -> Record | None:
        """Return a batch with its id; None for one that was never created."""
        async with self._tickets.turn(service.judge.spec.endpoint):
            record = await self._tickets.record(name)
            if record is None or record.id:
                return record
            state = await find(service, record)
            if state is not None:
                return await confirm(service, record, state)
            await self._tickets.drop(record)
            return None
