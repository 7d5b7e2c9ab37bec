"""Where replies lie: SQLite in a file, or Redis, both on LangGraph's cache backends."""

import asyncio
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import platformdirs
from filelock import FileLock
from langgraph.cache.base import FullKey, Namespace
from langgraph.cache.redis import RedisCache
from langgraph.cache.sqlite import SqliteCache

from ..errors import EnvironmentFault, UsageError

Entry = dict[str, Any]
_KEYS_A_QUERY = 400  # SQLite allows 999 variables in its oldest builds, and a key takes two
_BUSY_SECONDS = 60.0
_PREFIX = "dxjudge:"


class Store(Protocol):
    """What a backend must do: a key-value store of JSON, under (namespace, key)."""

    place: str

    def get(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """The entries that are there."""

    async def aget(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """The same, without blocking the event loop."""

    def set(self, pairs: Mapping[FullKey, tuple[Entry, int | None]]) -> None:
        """Write entries, each with a time to live in seconds or None."""

    async def aset(self, pairs: Mapping[FullKey, tuple[Entry, int | None]]) -> None:
        """The same, without blocking the event loop."""

    def clear(self, namespaces: Sequence[Namespace] | None = None) -> None:
        """Forget everything, or these namespaces."""

    def scan(self, namespace: Namespace) -> Iterator[tuple[str, Entry]]:
        """Every (key, entry) of a namespace, in the order of the keys."""

    def close(self) -> None:
        """Let go of files and connections."""


class JsonSerde:
    """Plain JSON: what is read back was never code."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Encode. Raises TypeError or ValueError for what is not JSON."""
        return "json", json.dumps(obj, ensure_ascii=True, allow_nan=False).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Decode. Raises ValueError for anything but JSON."""
        if data[0] != "json":
            raise ValueError(f"an entry is encoded as {data[0]!r}, not as json")
        return json.loads(data[1])


class SqliteStore(SqliteCache[Entry]):
    """One file that only its owner can read, shared by any number of processes.

    Reads have their own connection: they never wait for a writer, here or elsewhere.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the file. Raises EnvironmentFault when it cannot be used."""
        self.place = str(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Made before SQLite opens it: its -wal and -shm files inherit this mode.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            # One at a time: the backend opens with SQLite's own short patience, and the switch to
            # WAL, or the first table, of many at once can outlast that.
            with FileLock(f"{path}.lock", mode=0o600):
                _use_wal(path)
                super().__init__(path=str(path), serde=JsonSerde())
            for connection in (self._conn, reader := _connect(path)):
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(f"PRAGMA busy_timeout={int(_BUSY_SECONDS * 1000)}")
        except (OSError, sqlite3.Error) as fault:
            raise EnvironmentFault(
                f"the reply cache {path} cannot be used ({fault}); "
                "name another with --cache, or delete it"
            ) from fault
        self._reader = reader
        self._reading = threading.Lock()

    def get(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """The entries that are there; an entry that is not JSON counts as absent."""
        found: dict[FullKey, Entry] = {}
        for start in range(0, len(keys), _KEYS_A_QUERY):
            found.update(self._get_some(keys[start : start + _KEYS_A_QUERY]))
        return found

    def _get_some(self, keys: Sequence[FullKey]) -> Iterator[tuple[FullKey, Entry]]:
        wanted: dict[tuple[str, str], FullKey] = {(",".join(k[0]), k[1]): k for k in keys}
        marks = ",".join(["(?,?)"] * len(wanted))
        # One at a time: two open SELECTs of a connection share the older one's view of the file,
        # and a reply written in between would seem absent.
        with self._reading:
            rows = self._reader.execute(
                f"SELECT ns, key, encoding, val FROM cache WHERE (ns, key) IN (VALUES {marks})",
                [part for pair in wanted for part in pair],
            ).fetchall()
        for namespace, key, encoding, value in rows:
            try:
                yield wanted[namespace, key], self.serde.loads_typed((encoding, value))
            except ValueError:
                continue

    async def aget(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """Read at once: it takes microseconds, less than going to a thread."""
        return self.get(keys)

    def scan(self, namespace: Namespace) -> Iterator[tuple[str, Entry]]:
        """Every (key, entry) of a namespace, in the order of the keys."""
        with _connect(Path(self.place)) as connection:
            rows = connection.execute(
                "SELECT key, encoding, val FROM cache WHERE ns = ? ORDER BY key",
                (",".join(namespace),),
            )
            for key, encoding, value in rows:
                yield key, self.serde.loads_typed((encoding, value))

    def close(self) -> None:
        """Close both connections."""
        self._reader.close()
        self._conn.close()


class RedisStore(RedisCache[Entry]):
    """A Redis server, shared by machines. Calls go to a thread: its client blocks."""

    def __init__(self, url: str) -> None:
        """Connect. Raises EnvironmentFault when the extra or the server is missing."""
        try:
            import redis
        except ImportError as fault:
            raise EnvironmentFault(
                "a Redis cache needs the redis extra: pip install 'dxjudge[redis]'"
            ) from fault
        client = redis.Redis.from_url(url, socket_timeout=10, socket_connect_timeout=5)
        self.place = _without_password(url)
        try:
            client.ping()
        except redis.RedisError as fault:
            raise EnvironmentFault(f"no Redis server at {self.place}: {fault}") from fault
        super().__init__(client, serde=JsonSerde(), prefix=_PREFIX)

    def set(self, mapping: Mapping[FullKey, tuple[Entry, int | None]]) -> None:
        """Write. Raises OSError when the server cannot (the base class would say nothing)."""
        import redis

        try:
            self.redis.ping()
        except redis.RedisError as fault:
            raise OSError(str(fault)) from fault
        super().set(mapping)

    async def aget(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """Read in a thread."""
        return await asyncio.to_thread(self.get, keys)

    async def aset(self, mapping: Mapping[FullKey, tuple[Entry, int | None]]) -> None:
        """Write in a thread."""
        await asyncio.to_thread(self.set, mapping)

    def scan(self, namespace: Namespace) -> Iterator[tuple[str, Entry]]:
        """Every (key, entry) of a namespace, in the order of the keys."""
        pattern = self._make_key(namespace, "*")
        names = sorted(name.decode() for name in self.redis.scan_iter(pattern, count=1000))
        keys = [self._parse_key(name) for name in names]
        for start in range(0, len(keys), _KEYS_A_QUERY):
            for (_, key), entry in self.get(keys[start : start + _KEYS_A_QUERY]).items():
                yield key, entry

    def close(self) -> None:
        """Close the connections."""
        self.redis.close()


def default_path() -> Path:
    """The reply cache of this user; the variable DXJUDGE_CACHE_DIR names another folder."""
    folder = os.environ.get("DXJUDGE_CACHE_DIR") or platformdirs.user_cache_dir("dxjudge")
    return Path(folder) / "replies.sqlite"


def open_store(place: str | Path | None = None) -> Store:
    """Open a store: None is the user's own, a path is a file, `redis://…` is a server.

    Raises UsageError for another kind of URL, EnvironmentFault where it cannot be used.
    """
    text = str(place) if place is not None else ""
    if text.startswith(("redis://", "rediss://")):
        return cast(Store, RedisStore(text))
    if "://" in text:
        raise UsageError(f"cache {_without_password(text)!r} is neither a file nor redis://…")
    return cast(Store, SqliteStore(Path(text).expanduser() if text else default_path()))


def _use_wal(path: Path) -> None:
    # The switch takes the whole file and does not wait its turn: of several who open a new
    # file at once, all but one are told at once that it is locked.
    deadline = time.monotonic() + _BUSY_SECONDS
    connection = _connect(path)
    try:
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as fault:
                if "locked" not in str(fault) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
    finally:
        connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, check_same_thread=False, timeout=_BUSY_SECONDS)


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
