"""The batches of one judge: its provider's interface, our notes, and how long to wait."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ...errors import AuthenticationFault, DxjudgeError, ModelFault
from ..engine.faults import Fault, read_fault
from ..engine.judges import Judge, key_variable
from ..engine.models import Wire, wire_of
from ..engine.send import wire_of_spec
from ..judge import JudgeSpec
from ..wires import anthropic_batch, openai_batch
from ..wires.clients import open_client
from ..wires.request import Request
from .settings import Batching
from .tickets import Tickets

T = TypeVar("T")
Tell = Callable[[str], None]
_WIRES: Mapping[Wire, Any] = {"openai": openai_batch, "anthropic": anthropic_batch}


class BatchGone(Exception):
    """The provider does not know a batch."""


@dataclass(frozen=True)
class Service:
    """What all batches of one judge share.

    timeout: seconds for one request to the provider. tell: gets a sentence now and then.
    """

    judge: Judge
    tickets: Tickets
    settings: Batching
    timeout: float
    tell: Tell

    @property
    def label(self) -> str:
        """The judge as a user writes it."""
        return self.judge.spec.label

    @property
    def wire(self) -> Any:
        """The module of the provider's batches."""
        spec = self.judge.spec
        return _WIRES[wire_of(spec.provider, spec.model)]

    @property
    def client(self) -> Any:
        """The SDK's client, for the running event loop."""
        return open_client(self.judge.spec, self.timeout)

    def line(self, ticket: str, sent: JudgeSpec, request: Request) -> bytes:
        """Return a request in the form that it has in a batch."""
        body = wire_of_spec(sent).body(sent, request)
        line: bytes = self.wire.line(ticket, body)
        return line

    def fault(self, error: Exception) -> Fault | None:
        """Return what a provider's error means; None for one that is not about a request."""
        return read_fault(error, self.judge)

    async def patiently(self, ask: Callable[[], Awaitable[T]], most: int | None = None) -> T:
        """Ask the provider until it answers, at most `most` times.

        Raises AuthenticationFault, BatchGone for a batch that it does not know, and ModelFault.
        """
        pause, attempt = self.settings.first, 0
        while True:
            attempt += 1
            try:
                return await ask()
            except (DxjudgeError, BatchGone):
                raise
            except Exception as error:
                fault = self.fault(error)
                if fault is None or not fault.retryable or attempt == most:
                    raise self.refused(fault, error) from error
                if attempt == 1:
                    self.tell(f"{self.label} does not answer ({fault.message[:200]}); trying on")
            await asyncio.sleep(max(pause, fault.wait or 0))
            pause = min(2 * pause, self.settings.longest)

    def refused(self, fault: Fault | None, error: Exception) -> Exception:
        """Return the exception for a request about batches that no repetition can cure."""
        message = fault.message if fault else f"{type(error).__name__}: {error}"
        if fault is not None and fault.kind == "authentication":
            variable = key_variable(self.judge.spec)
            return AuthenticationFault(
                f"{self.label} refused the key: check the environment variable {variable} "
                f"({message})"
            )
        return ModelFault(f"{self.label}: its batches cannot be used ({message})")
