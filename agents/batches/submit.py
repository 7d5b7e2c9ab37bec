"""Send requests to a provider as a batch, so that a kill at any moment loses and doubles none."""

import asyncio
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...cache.store import Entry
from ..wires.batch import Answer, State
from .service import Service
from .tickets import Record

_ATTEMPTS = 6
_CLOCKS = 60.0  # seconds by which a provider's clock may be behind ours
_SOON = 900.0  # seconds in which a batch that was being sent must have been created


@dataclass(frozen=True)
class Asked:
    """A request that waits for a batch, in the provider's form, and its future answer.

    key: under which another process may keep the reply; "" for none. The future gives (the
    answer, the name of the batch), or None for a request that turned out to be in a batch of
    another process; it raises AskedElsewhere for one that another process has asked to the end.
    """

    key: str
    line: bytes
    sent: Entry
    answer: asyncio.Future[tuple[Answer, str] | None]


async def submit(service: Service, asked: Mapping[str, Asked]) -> Record:
    """Send these requests as one batch, and note it with its tickets.

    The note is written before the batch is created, so that a batch whose creation was not
    confirmed is found again. It stays where the provider does not say whether there is a batch.
    Raises AuthenticationFault and ModelFault.
    """
    is_unsure = False
    spec, wire, tickets = service.judge.spec, service.wire, service.tickets
    record = Record(
        name=uuid.uuid4().hex[:8],
        provider=spec.provider,
        model=spec.model,
        base_url=spec.base_url,
        requests=len(asked),
        made=time.time(),
    )
    lines = [one.line for one in asked.values()]
    uploaded = await service.patiently(
        lambda: wire.upload(service.client, lines, record.name), _ATTEMPTS
    )
    await tickets.open(record, {name: one.sent for name, one in asked.items()})

    async def create() -> State:
        nonlocal is_unsure
        try:
            created: State = await wire.create(service.client, lines, uploaded, record.name)
        except Exception as error:
            fault = service.fault(error)
            # It may have been created although the answer was lost.
            is_unsure = fault is None or fault.retryable
            there = await find(service, record) if is_unsure else None
            is_unsure = False
            if there is None:
                raise
            return there
        return created

    try:
        state = await service.patiently(create, _ATTEMPTS)
    except Exception:
        if not is_unsure:
            await tickets.drop(record)
        raise
    return await confirm(service, record, state)


async def confirm(service: Service, record: Record, state: State) -> Record:
    """Note the provider's name of a batch."""
    known = replace(record, id=state.id)
    await service.tickets.note(known)
    return known


async def find(service: Service, record: Record) -> State | None:
    """Return the provider's batch that belongs to a record without its id, if there is one.

    OpenAI keeps our name of a batch. Anthropic does not: there it is the only batch of the right
    size from the right minutes which no other record has.
    """
    ours = {other.id for other in service.tickets.records()}
    listed = await service.patiently(lambda: service.wire.recent(service.client), _ATTEMPTS)
    unknown = [state for state in listed if state.id not in ours]
    named = [state for state in unknown if state.name == record.name]
    if named or any(state.name for state in unknown):
        return named[0] if named else None
    fitting = [
        state
        for state in unknown
        if state.total == record.requests
        and -_CLOCKS <= state.made - record.made <= _SOON
        and not state.name
    ]
    return fitting[0] if len(fitting) == 1 else None
