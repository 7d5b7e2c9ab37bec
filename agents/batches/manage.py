"""Look at the batches that a reply cache knows, fetch their answers, and cancel them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...cache.replies import Replies
from ...errors import EnvironmentFault, UsageError
from ..engine.judges import Judge, check_key
from ..judge import JudgeSpec
from ..wires.batch import State
from .carry import fetch, look
from .service import BatchGone, Service
from .settings import Batching
from .submit import confirm, find
from .tickets import Record, Tickets

_TIMEOUT = 120.0  # seconds for one request


@dataclass(frozen=True)
class Known:
    """A batch as it is now. fault: why the provider could not say more, "" where it did."""

    record: Record
    fault: str = ""

    @property
    def state(self) -> str:
        """How far the batch is, in one word."""
        if self.record.fetched:
            return "fetched"
        if self.fault:
            return "unknown"
        return self.record.phase if self.record.id else "lost"


class KeptBatches:
    """The batches that the store of a reply cache knows."""

    def __init__(self, replies: Replies) -> None:
        self.tickets = Tickets(replies)

    def named(self, names: Sequence[str]) -> list[Record]:
        """Return these batches, or without names all that are not fetched, the latest first.

        names: our names of the batches, or the provider's. Raises UsageError for an unknown one.
        """
        records = self.tickets.records()
        if not names:
            return [record for record in records if not record.fetched]
        by_name = {name: one for one in records for name in (one.name, one.id) if name}
        for name in names:
            if name not in by_name:
                raise UsageError(f"there is no batch {name} in {self.tickets.place}")
        return [by_name[name] for name in dict.fromkeys(names)]

    async def now(self, record: Record) -> Known:
        """Return a batch as its provider describes it now; one that is fetched is not asked for."""
        if record.fetched:
            return Known(record)
        try:
            return Known((await self._look(record))[0])
        except (BatchGone, EnvironmentFault) as fault:
            return Known(record, str(fault))

    async def fetch(self, record: Record) -> Known:
        """Keep the answers of a batch that has ended, for the command that asked."""
        if record.fetched:
            return Known(record)
        try:
            known, state = await self._look(record)
            if state is not None and not state.is_open and state.phase != "failed":
                await fetch(self._service(known), known, state)
                return Known(replace(known, fetched=True))
        except (BatchGone, EnvironmentFault) as fault:
            return Known(record, str(fault))
        return Known(known)

    async def cancel(self, record: Record) -> Known:
        """Cancel a batch; what was answered before is kept by the provider and can be fetched."""
        try:
            known, state = await self._look(record)
            if state is not None and state.phase == "running":
                service = self._service(known)
                ended: State = await service.patiently(
                    lambda: service.wire.cancel(service.client, known.id), 1
                )
                return Known(await self._note(known, ended))
        except (BatchGone, EnvironmentFault) as fault:
            return Known(record, str(fault))
        return Known(known)

    async def _look(self, record: Record) -> tuple[Record, State | None]:
        service = self._service(record)
        if not record.id:
            async with self.tickets.turn(service.judge.spec.endpoint):
                state = await find(service, record)
                if state is None:
                    return record, None
                record = await confirm(service, record, state)
        state = await look(service, record, 1)
        return await self._note(record, state), state

    async def _note(self, record: Record, state: State) -> Record:
        known = replace(record, phase=state.phase, answered=state.answered)
        await self.tickets.note(known)
        return known

    def _service(self, record: Record) -> Service:
        spec = JudgeSpec(provider=record.provider, model=record.model, base_url=record.base_url)
        judge = Judge(spec)
        check_key(judge)
        return Service(judge, self.tickets, Batching(), _TIMEOUT, lambda _: None)
