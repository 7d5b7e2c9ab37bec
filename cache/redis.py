"""Replies on a Redis server."""

import asyncio
from collections.abc import Iterator, Sequence

from langgraph.cache.base import FullKey, Namespace
from langgraph.cache.redis import RedisCache

from ..errors import EnvironmentFault, MissingExtra
from .owner import is_gone
from .store import CLAIM, Entry, JsonSerde, Pairs, without_password

_KEYS_A_QUERY = 400
_PREFIX = "dxjudge:"


class RedisStore(RedisCache[Entry]):
    """A Redis server that machines share. Calls run in a thread, because its client blocks."""

    def __init__(self, url: str) -> None:
        """Connect. Raises MissingExtra without the extra, EnvironmentFault without a server."""
        try:
            import redis
        except ImportError as fault:
            raise MissingExtra("a Redis cache", "redis", fault) from fault
        client = redis.Redis.from_url(url, socket_timeout=10, socket_connect_timeout=5)
        self.place = without_password(url)
        try:
            client.ping()
        except redis.RedisError as fault:
            raise EnvironmentFault(f"no Redis server at {self.place}: {fault}") from fault
        super().__init__(client, serde=JsonSerde(), prefix=_PREFIX)

    def set(self, mapping: Pairs) -> None:
        """Write entries. Raises OSError when the server fails; the base class hides that."""
        import redis

        try:
            self.redis.ping()
        except redis.RedisError as fault:
            raise OSError(str(fault)) from fault
        super().set(mapping)

    async def aget(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """Read entries in a thread."""
        return await asyncio.to_thread(self.get, keys)

    async def aset(self, mapping: Pairs) -> None:
        """Write entries in a thread."""
        await asyncio.to_thread(self.set, mapping)

    async def aclaim(self, key: FullKey, owner: str, seconds: float) -> Entry | bool:
        """Return the entry under `key`, else whether `owner` now has its claim for `seconds`."""
        return await asyncio.to_thread(self._claim, key, owner, seconds)

    def _claim(self, key: FullKey, owner: str, seconds: float) -> Entry | bool:
        name, milliseconds = self._name_of_claim(key), int(seconds * 1000)
        ours = bool(self.redis.set(name, owner, nx=True, px=milliseconds))
        entry = self.get([key]).get(key)
        if entry is not None:
            if ours:
                self.redis.delete(name)
            return entry
        if not ours:
            holder = (self.redis.get(name) or b"").decode()
            if holder and not is_gone(holder):
                return holder == owner
            self.redis.set(name, owner, px=milliseconds)
        return True

    def renew(self, keys: Sequence[FullKey], owner: str, seconds: float) -> None:
        """Extend the claims that `owner` has on these keys to `seconds` from now."""
        for key in keys:
            name = self._name_of_claim(key)
            if self.redis.get(name) == owner.encode():
                self.redis.pexpire(name, int(seconds * 1000))

    async def arelease(self, key: FullKey, owner: str) -> None:
        """Release the claim on a key if `owner` has it."""
        await asyncio.to_thread(self._release, key, owner)

    def _release(self, key: FullKey, owner: str) -> None:
        name = self._name_of_claim(key)
        if self.redis.get(name) == owner.encode():
            self.redis.delete(name)

    async def adelete(self, keys: Sequence[FullKey]) -> None:
        """Delete the entries of these keys."""
        names = [self._make_key(*key) for key in keys]
        if names:
            await asyncio.to_thread(self.redis.delete, *names)

    def _name_of_claim(self, key: FullKey) -> str:
        return self._make_key((*CLAIM, *key[0]), key[1])

    def scan(self, namespace: Namespace) -> Iterator[tuple[str, Entry]]:
        """Yield every (key, entry) of a namespace, in the order of the keys."""
        pattern = self._make_key(namespace, "*")
        names = sorted(name.decode() for name in self.redis.scan_iter(pattern, count=1000))
        keys = [self._parse_key(name) for name in names]
        for start in range(0, len(keys), _KEYS_A_QUERY):
            for (_, key), entry in self.get(keys[start : start + _KEYS_A_QUERY]).items():
                yield key, entry

    def close(self) -> None:
        """Close the connections."""
        self.redis.close()
