"""Share one call between identical items that run at once, in any thread or event loop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Flights(Generic[T]):
    """One future for each key whose result is being made."""

    def __init__(self) -> None:
        self._under_way: dict[Any, Future[T]] = {}
        self._lock = threading.Lock()

    async def share(self, key: object, make: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """Return the result of `make`, and whether another caller's `make` gave it.

        An exception of `make` is raised for every caller of the key. When the caller that runs
        `make` is cancelled, a waiting caller runs its own.
        """
        while True:
            with self._lock:
                flight = self._under_way.get(key)
                leads = flight is None
                if flight is None:
                    flight = self._under_way[key] = Future()
            if leads:
                return await self._lead(key, flight, make), False
            try:
                # Shielded, so that a cancelled waiter does not cancel the shared future.
                return await asyncio.shield(asyncio.wrap_future(flight)), True
            except (CancelledError, asyncio.CancelledError):
                if not flight.cancelled():
                    raise

    async def _lead(self, key: object, flight: Future[T], make: Callable[[], Awaitable[T]]) -> T:
        try:
            result = await make()
        except Exception as fault:
            self._land(key)
            flight.set_exception(fault)
            raise
        except BaseException:
            self._land(key)
            flight.cancel()
            raise
        self._land(key)
        flight.set_result(result)
        return result

    def _land(self, key: object) -> None:
        with self._lock:
            del self._under_way[key]
