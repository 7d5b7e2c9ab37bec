"""One rate limit and one budget for all workers of a job on Ray: an actor hands out the permits.

office = open_office("my job", Limits(rpm=500), max_cost=20.0)  # in the program of the job
run = Run(permits=RayPermits("my job", 20.0))                   # in each worker
"""

import asyncio
import importlib
import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from ..agents.engine.limits import Budget, BudgetReached, Limiter, Limits
from ..agents.engine.permits import Pace, Permits, Purse
from ..agents.watching.call_log import CallLog, Log
from ..errors import EnvironmentFault, MissingExtra, OutputError

_NAMESPACE = "dxjudge"
_AT_ONCE = 1_000_000  # requests that wait; what frees places must not wait behind them
LEASE_SECONDS = 300.0
_LOOK_SECONDS = 5.0


class Office:
    """What the actor does: a limiter for each model and server, and the budget.

    lease: the seconds after which the place of a request that was not given back, because its
    worker died, is free again; it must be longer than a request takes. After so many seconds in
    which no request began or ended, the estimates of costs that are open count as spent.
    """

    def __init__(
        self,
        limits: Limits,
        max_calls: int | None = None,
        max_cost: float | None = None,
        lease: float = LEASE_SECONDS,
    ) -> None:
        self._limits = limits
        self._limiters: dict[str, Limiter] = {}
        self._budget = Budget(max_calls, max_cost)
        self._lease = lease
        self._places: dict[float, tuple[float, str]] = {}
        self._reserved: list[tuple[float, float]] = []
        self._sweeper: asyncio.Task[None] | None = None
        self._active = time.monotonic()
        self._log: CallLog | None = None

    async def open_log(self, path: Path) -> str:
        """Open the log of all workers; return why it cannot be written, or ""."""
        try:
            self._log = CallLog(path)
        except OutputError as fault:
            return str(fault)
        return ""

    async def record(self, prompt: Mapping[str, Any], attempt: Mapping[str, Any]) -> str:
        """Append a request to the log that is open; return why it cannot be written, or ""."""
        assert self._log, "open_log comes first"
        try:
            self._log.record(prompt, attempt)
        except OSError as fault:
            return str(fault)
        return ""

    async def enter(self, endpoint: str, tokens: int) -> float:
        """Wait for a place for a request; return its time, which is also its name."""
        self._sweeper = self._sweeper or asyncio.create_task(self._sweep())
        if endpoint not in self._limiters:
            self._limiters[endpoint] = Limiter(self._limits)
        started = await self._limiters[endpoint].enter(tokens)
        while started in self._places:
            started += 1e-6
        self._active = time.monotonic()
        self._places[started] = (self._active + self._lease, endpoint)
        return started

    async def leave(self, started: float, throttled: float | None, surplus: int) -> None:
        """Free a place, unless its lease has ended."""
        self._active = time.monotonic()
        self._free(started, throttled, surplus)

    def _free(self, started: float, throttled: float | None = None, surplus: int = 0) -> None:
        """Free a place. That of a dead worker is no sign that requests still move."""
        if place := self._places.pop(started, None):
            self._limiters[place[1]].leave(started=started, throttled=throttled, surplus=surplus)

    async def reserve(self, estimate: float) -> str:
        """Count a call before it is sent; return why it may not be sent, or ""."""
        self._sweeper = self._sweeper or asyncio.create_task(self._sweep())
        try:
            await self._budget.reserve(estimate)
        except BudgetReached as reached:
            return str(reached)
        self._reserved.append((time.monotonic() + self._lease, estimate))
        return ""

    async def settle(self, estimate: float, actual: float) -> None:
        """Replace an estimate by the real cost, also one that counts as spent by now."""
        for place, (_, reserved) in enumerate(self._reserved):
            if reserved == estimate:
                del self._reserved[place]
                self._budget.settle(estimate, actual)
                return
        self._budget.settle(0.0, actual - estimate)

    async def is_reached(self) -> bool:
        """Whether a call was refused because of the budget."""
        return self._budget.reached

    async def _sweep(self) -> None:
        """Free what workers that died did not give back."""
        while True:
            await asyncio.sleep(min(_LOOK_SECONDS, self._lease / 4))
            now = time.monotonic()
            for started in [name for name, (ends, _) in self._places.items() if ends < now]:
                self._free(started)
            for ends, estimate in list(self._reserved):
                # A request may wait long for its turn; where none moves, its worker is dead.
                if ends < now and self._active + self._lease < now:
                    await self.settle(estimate, estimate)


def open_office(
    name: str,
    limits: Limits,
    max_calls: int | None = None,
    max_cost: float | None = None,
    lease: float = LEASE_SECONDS,
) -> Any:
    """Start the actor on this node, under a name; keep what is returned, with which it ends.

    Raises MissingExtra without Ray.
    """
    ray = _ray()
    strategies = importlib.import_module("ray.util.scheduling_strategies")
    here = strategies.NodeAffinitySchedulingStrategy(
        ray.get_runtime_context().get_node_id(), soft=False
    )
    options = ray.remote(Office).options(
        name=name,
        namespace=_NAMESPACE,
        num_cpus=0,
        max_concurrency=_AT_ONCE,
        scheduling_strategy=here,
    )
    return options.remote(limits, max_calls, max_cost, lease)


class RayPermits(Permits):
    """The permits of the office with this name; can be sent to workers.

    max_cost: the budget of the office, so that a worker refuses a model without a price.
    """

    def __init__(self, name: str, max_cost: float | None = None) -> None:
        self.name = name
        self._max_cost = max_cost

    def __reduce__(self) -> Any:
        return RayPermits, (self.name, self._max_cost)

    @cached_property
    def _office(self) -> Any:
        try:
            return _ray().get_actor(self.name, namespace=_NAMESPACE)
        except ValueError as fault:
            raise EnvironmentFault(
                f"no office {self.name!r} hands out permits on this cluster: open_office starts one"
            ) from fault

    @cached_property
    def purse(self) -> Purse:
        """The budget of the job."""
        return _Purse(self._office, self._max_cost)

    def pace(self, endpoint: str) -> Pace:
        """Return what says when a request to this model and server may be sent."""
        return _Pace(self._office, endpoint)

    @property
    def log(self) -> Log:
        """The log of the job, which the office has opened."""
        return _Log(self._office)


class _Pace:
    def __init__(self, office: Any, endpoint: str) -> None:
        self._office = office
        self._endpoint = endpoint

    async def enter(self, tokens: int) -> float:
        started: float = await self._office.enter.remote(self._endpoint, tokens)
        return started

    def leave(self, *, started: float, throttled: float | None = None, surplus: int = 0) -> None:
        self._office.leave.remote(started, throttled, surplus)


class _Log:
    """A request stands in the office's file before its reply is used: a worker may be killed."""

    def __init__(self, office: Any) -> None:
        self._office = office

    def record(self, prompt: Mapping[str, Any], attempt: Mapping[str, Any]) -> None:
        try:
            why = _ray().get(self._office.record.remote(prompt, attempt))
        except _ray().exceptions.RayError as fault:
            raise OSError(f"the office of the job is gone: {fault}") from fault
        if why:
            raise OSError(why)

    def close(self) -> None: ...


class _Purse:
    """The budget as one worker sees it: `calls` and `spent` are its own."""

    def __init__(self, office: Any, max_cost: float | None) -> None:
        self._office = office
        self.max_cost = max_cost
        self.calls = 0
        self.spent = 0.0
        self.reached = False

    async def reserve(self, estimate: float, pause: float = 0.0) -> None:
        why = await self._office.reserve.remote(estimate)
        if why:
            self.reached = True
            raise BudgetReached(why)
        self.calls += 1

    def settle(self, estimate: float, actual: float) -> None:
        self.spent += actual
        self._office.settle.remote(estimate, actual)


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError as fault:
        raise MissingExtra("permits for a cluster", "ray", fault) from fault
