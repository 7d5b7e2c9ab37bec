"""Wait for a batch, and fetch its answers."""

import asyncio
import time
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from ...errors import ModelFault
from ...files.counted import counted
from ..engine.judges import Judge
from ..engine.redact import redact_value
from ..wires.batch import Answer, State
from .answers import CANCELLED, EXPIRED
from .service import BatchGone, Service
from .tickets import Record

T = TypeVar("T")
_LINES = 60.0  # seconds between two lines about a batch that goes on
_STILL = 600.0  # and about one in which nothing was answered meanwhile


class QueueFull(Exception):
    """A provider took no batch, because too many tokens of the account wait already."""


@dataclass(frozen=True)
class Carried:
    """The answers of a batch; `rest` is that of a request without one of its own."""

    batch: str
    answers: Mapping[str, Answer]
    rest: Answer

    def of(self, ticket: str) -> tuple[Answer, str]:
        """Return the answer for a request, and the name of the batch."""
        return self.answers.get(ticket, self.rest), self.batch


async def carry(service: Service, record: Record) -> Carried:
    """Wait until a batch has ended; keep its answers and return them.

    Raises QueueFull, BatchGone for one that the provider has no more, AuthenticationFault, and
    ModelFault for one that the provider refuses as a whole. In the first two cases, and in the
    last, its tickets are dropped, so that its requests are asked again. Do not call it in a turn.
    """
    try:
        state = await _ended(service, record)
        if state.phase != "failed":
            return await fetch(service, record, state)
    except BatchGone:
        await _drop(service, record)
        raise
    await _drop(service, record)
    if state.full:
        raise QueueFull(state.fault)
    raise ModelFault(f"{service.label} refused batch {record.id}: {state.fault or 'no reason'}")


async def _drop(service: Service, record: Record) -> None:
    """Forget a batch; another process may have done so, and may have sent its requests again."""
    async with service.tickets.turn(service.judge.spec.endpoint):
        await service.tickets.drop(record)


async def fetch(service: Service, record: Record, state: State) -> Carried:
    """Keep the answers of a batch that has ended, and return them.

    Raises BatchGone where the provider has them no more, as after some weeks.
    """
    gone = f"{service.label} has the answers of batch {record.id} no more"
    found: dict[str, Answer] = await service.patiently(
        lambda: _there(service, gone, service.wire.results(service.client, state))
    )
    answers = dict(_without_keys(found, service.judge))
    rest = CANCELLED if state.phase == "cancelled" else EXPIRED
    known = replace(record, phase=state.phase, answered=len(answers))
    await service.tickets.conclude(known, answers, rest)
    replied = sum(answer["kind"] == "reply" for answer in answers.values())
    service.tell(
        f"batch {record.name} of {service.label} {state.phase}: {replied:,} of "
        f"{counted(record.requests, 'request')} answered"
    )
    return Carried(record.name, answers, rest)


def _without_keys(found: dict[str, Answer], judge: Judge) -> Iterator[tuple[str, Answer]]:
    for ticket, answer in found.items():
        # An answer that is nested too deeply is none, like a line that is not JSON.
        with suppress(ValueError):
            yield ticket, redact_value(answer, judge)


async def look(service: Service, record: Record, most: int | None = None) -> State:
    """Return the state of a batch; ask at most so often. Raises BatchGone for an unknown batch."""
    gone = f"{service.label} does not know batch {record.id}"
    state: State = await service.patiently(
        lambda: _there(service, gone, service.wire.look(service.client, record.id)), most
    )
    return state


async def _there(service: Service, gone: str, asked: Awaitable[T]) -> T:
    try:
        return await asked
    except Exception as error:
        fault = service.fault(error)
        if fault is not None and fault.kind == "missing":
            raise BatchGone(gone) from error
        raise


async def _ended(service: Service, record: Record) -> State:
    settings, pause = service.settings, service.settings.first
    said, answered = time.monotonic(), -1
    while True:
        state = await look(service, record)
        if not state.is_open:
            return state
        since = time.monotonic() - said
        if since >= (_STILL if state.answered == answered else _LINES):
            said, answered = time.monotonic(), state.answered
            done = f"{answered:,} of {counted(record.requests, 'request')} answered"
            minutes = (time.time() - record.made) / 60
            service.tell(f"batch {record.name} of {service.label}: {done}, {minutes:,.0f} min")
        await asyncio.sleep(pause)
        pause = min(1.5 * pause, settings.longest)
