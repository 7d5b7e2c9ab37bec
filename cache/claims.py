"""Claims on replies: of several processes or machines, one asks and the others wait."""

import asyncio
import threading
from contextlib import suppress

from .owner import own_name
from .store import Entry, FullKey, Store

LEASE_SECONDS = 30.0
"""How long a claim of another host outlives its process; on this host it ends with it."""
_FIRST_LOOK_SECONDS = 0.05
_LONGEST_LOOK_SECONDS = 1.0


class Claims:
    """The claims of this process in one store, renewed until they are released."""

    def __init__(self, store: Store, seconds: float = LEASE_SECONDS) -> None:
        """`seconds`: a claim that is not renewed for this long is free for others."""
        self._store = store
        self._seconds = seconds
        self._keys: set[FullKey] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    async def take(self, key: FullKey) -> Entry | None:
        """Return the entry under `key`; None gives the caller the right to make it.

        The right lasts until `release`. Waits while another process has it. Raises what the
        store raises.
        """
        owner, delay = own_name(), _FIRST_LOOK_SECONDS
        while True:
            answer = await self._store.aclaim(key, owner, self._seconds)
            if not isinstance(answer, bool):
                return answer
            if answer:
                self._hold(key)
                return None
            await asyncio.sleep(delay)
            delay = min(2 * delay, _LONGEST_LOOK_SECONDS)

    async def release(self, key: FullKey) -> None:
        """Give up the right to make an entry, if this process has it."""
        with self._lock:
            self._keys.discard(key)
        # A claim that cannot be released ends with this process.
        with suppress(Exception):
            await self._store.arelease(key, own_name())

    def close(self) -> None:
        """Stop renewing claims."""
        self._closed.set()

    def _hold(self, key: FullKey) -> None:
        with self._lock:
            self._keys.add(key)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._renew, name="dxjudge-claims", daemon=True
                )
                self._thread.start()

    def _renew(self) -> None:
        while not self._closed.wait(self._seconds / 3):
            with self._lock:
                keys = list(self._keys)
                if not keys:
                    self._thread = None
                    return
            # A claim that cannot be renewed expires; then an item may be asked twice.
            with suppress(Exception):
                self._store.renew(keys, own_name(), self._seconds)
