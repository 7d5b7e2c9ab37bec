"""The settings of a service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.step import Step
from ..graphs.mapper import Mapper
from .guard import Guard

MEGABYTE = 1_000_000
_MISSING = (
    "send the token of the service: Authorization: Bearer TOKEN; in a browser, open the address "
    "once with ?token=TOKEN behind it"
)


@dataclass(frozen=True)
class Service:
    """What a service offers, and how much of it one request may ask for.

    judges: the models that may be asked, by the name that a request uses; a request can name no
    other. steps: by name. token: what a request must show, None for no token. hosts: the names
    under which the service answers. workers: batches of texts mapped at once. most_texts: texts in
    one request. most_waiting: texts that may wait. most_bytes: of the body of a request.
    """

    mapper: Mapper
    run: Run
    steps: Mapping[str, Step[Any, Any]]
    judges: Mapping[str, AnyJudge] = field(default_factory=dict)
    token: str | None = None
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    workers: int = 1
    most_texts: int = 1_000
    most_waiting: int = 10_000
    most_bytes: int = 5 * MEGABYTE

    @property
    def guard(self) -> Guard:
        """What stands before every request."""
        return Guard(self.token, self.hosts, self.most_bytes, "dxjudge_service", _MISSING)
