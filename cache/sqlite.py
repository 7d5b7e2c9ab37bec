"""Replies in one SQLite file."""

import asyncio
import errno
import os
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import EnvironmentFault
from .owner import is_gone
from .store import CLAIM, Entry, FullKey, JsonSerde, Namespace, Pairs
from .writes import T, Writes

_KEYS_A_QUERY = 400  # SQLite allows 999 variables in its oldest builds
_OPEN_SECONDS = 60.0  # processes that open a new file at the same time take turns
_PATIENCE_SECONDS = 5.0
_TABLE = """CREATE TABLE IF NOT EXISTS cache (
    ns TEXT, key TEXT, expiry REAL, encoding TEXT NOT NULL, val BLOB NOT NULL,
    PRIMARY KEY (ns, key))"""
_SET = "INSERT OR REPLACE INTO cache (ns, key, expiry, encoding, val) VALUES (?, ?, ?, ?, ?)"
_Row = tuple[str, str, float | None, str, bytes]


class SqliteStore:
    """One file that only its owner can read, shared by any number of processes.

    Reads have their own connection, so they never wait for a writer of any process. Writes go
    through one thread. The table has the form of LangGraph's SqliteCache.
    """

    def __init__(self, path: Path, *, patience: float = _PATIENCE_SECONDS) -> None:
        """Open or create the file; `patience`: seconds that a write waits for others' locks.

        A file that is there and cannot be written, as on a read-only disk, is only read.

        Raises EnvironmentFault when the file cannot be used.
        """
        self.place = str(path)
        self._serde = JsonSerde()
        try:
            self._source, self._unwritable = _open(path, patience)
            self._reader, writer = _connect(self._source), _connect(self._source)
        except (OSError, sqlite3.Error) as fault:
            raise EnvironmentFault(
                f"the reply cache {path} cannot be used ({fault}); "
                "name another file with --cache or another folder with DXJUDGE_CACHE_DIR, or "
                "delete the file"
            ) from fault
        self._writes = Writes(writer, patience)
        self._reading = threading.Lock()

    def get(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """Return the entries of these keys; an entry that is not JSON counts as absent."""
        by_namespace: defaultdict[Namespace, list[str]] = defaultdict(list)
        for namespace, key in keys:
            by_namespace[namespace].append(key)
        entries: dict[FullKey, Entry] = {}
        for namespace, names in by_namespace.items():
            for start in range(0, len(names), _KEYS_A_QUERY):
                entries.update(self._get_some(namespace, names[start : start + _KEYS_A_QUERY]))
        return entries

    def _get_some(
        self, namespace: Namespace, keys: Sequence[str]
    ) -> Iterator[tuple[FullKey, Entry]]:
        # Two open SELECTs of one connection share the older one's view of the file: a reply
        # written in between would seem absent. So only one is open at a time.
        with self._reading:
            rows = self._reader.execute(
                select_keys(len(keys)), (",".join(namespace), *keys)
            ).fetchall()
        for key, encoding, value in rows:
            try:
                yield (namespace, key), self._serde.loads_typed((encoding, value))
            except ValueError:
                continue

    async def aget(self, keys: Sequence[FullKey]) -> dict[FullKey, Entry]:
        """Read entries in a thread, because the file may be large or on a slow disk."""
        return await asyncio.to_thread(self.get, keys)

    def set(self, pairs: Pairs) -> None:
        """Write entries. Raises sqlite3.Error when the file stays locked or is damaged."""
        rows = list(self._rows(pairs))
        self._submit(_rows_of(_SET, rows)).result()

    async def aset(self, pairs: Pairs) -> None:
        """Write entries in one transaction with all other waiting writes."""
        rows = list(self._rows(pairs))
        await asyncio.wrap_future(self._submit(_rows_of(_SET, rows)))

    async def aclaim(self, key: FullKey, owner: str, seconds: float) -> Entry | bool:
        """Return the entry under `key`, else whether `owner` now has its claim for `seconds`.

        Where the file cannot be written there are no claims: everybody may ask.
        """
        if self._unwritable:
            return (await self.aget([key])).get(key, True)
        answer = await asyncio.wrap_future(
            self._submit(lambda connection: _claim(connection, key, owner, seconds))
        )
        if isinstance(answer, bool):
            return answer
        try:
            entry: Entry = self._serde.loads_typed(answer)
        except ValueError:
            return True  # an entry that is not JSON counts as absent, for every process
        return entry

    def renew(self, keys: Sequence[FullKey], owner: str, seconds: float) -> None:
        """Extend the claims that `owner` has on these keys to `seconds` from now."""
        until = time.time() + seconds
        rows = [(until, *_place_of_claim(key), owner.encode()) for key in keys]
        update = "UPDATE cache SET expiry = ? WHERE ns = ? AND key = ? AND val = ?"
        self._submit(_rows_of(update, rows)).result()

    async def arelease(self, key: FullKey, owner: str) -> None:
        """Release the claim on a key, if `owner` has it, in the next transaction."""
        row = (*_place_of_claim(key), owner.encode())
        delete = "DELETE FROM cache WHERE ns = ? AND key = ? AND val = ?"
        self._submit(_rows_of(delete, [row]))

    async def adelete(self, keys: Sequence[FullKey]) -> None:
        """Delete the entries of these keys, in the next transaction."""
        delete = "DELETE FROM cache WHERE ns = ? AND key = ?"
        rows = [(",".join(namespace), key) for namespace, key in keys]
        await asyncio.wrap_future(self._submit(_rows_of(delete, rows)))

    def clear(self, namespaces: Sequence[Namespace] | None = None) -> None:
        """Delete all entries, or those of these namespaces."""
        rows = [(",".join(namespace),) for namespace in namespaces or ()]

        delete = "DELETE FROM cache" if namespaces is None else "DELETE FROM cache WHERE ns = ?"
        self._submit(_rows_of(delete, [()] if namespaces is None else rows)).result()

    def scan(self, namespace: Namespace) -> Iterator[tuple[str, Entry]]:
        """Yield every (key, entry) of a namespace, in the order of the keys."""
        connection = _connect(self._source)
        try:
            rows = connection.execute(
                "SELECT key, encoding, val FROM cache WHERE ns = ? ORDER BY key",
                (",".join(namespace),),
            )
            for key, encoding, value in rows:
                yield key, self._serde.loads_typed((encoding, value))
        finally:
            connection.close()

    def close(self) -> None:
        """Finish the waiting writes and close both connections."""
        self._writes.close()
        with self._reading:
            self._reader.close()

    def _submit(self, action: Callable[[sqlite3.Connection], T]) -> "Future[T]":
        if self._unwritable:
            raise EnvironmentFault(
                f"the reply cache {self.place} cannot be written ({self._unwritable})"
            )
        return self._writes.submit(action)

    def _rows(self, pairs: Pairs) -> Iterator[_Row]:
        for (namespace, key), (entry, seconds) in pairs.items():
            expiry = None if seconds is None else time.time() + seconds
            yield (",".join(namespace), key, expiry, *self._serde.dumps_typed(entry))


def select_keys(count: int) -> str:
    """Return a query for entries of one namespace, in a form for which SQLite uses its index."""
    marks = ",".join("?" * count)
    return f"SELECT key, encoding, val FROM cache WHERE ns = ? AND key IN ({marks})"


def _rows_of(sql: str, rows: Sequence[tuple[object, ...]]) -> Callable[[sqlite3.Connection], None]:
    """Return an action that runs the statement with each row."""

    def action(connection: sqlite3.Connection) -> None:
        # The cursor must not leave this thread: closing it in another disturbs the connection.
        connection.executemany(sql, rows)

    return action


def _claim(
    connection: sqlite3.Connection, key: FullKey, owner: str, seconds: float
) -> tuple[str, bytes] | bool:
    entry = connection.execute(
        "SELECT encoding, val FROM cache WHERE ns = ? AND key = ?", (",".join(key[0]), key[1])
    ).fetchone()
    if entry is not None:
        return str(entry[0]), bytes(entry[1])
    place, now = _place_of_claim(key), time.time()
    other = connection.execute(
        "SELECT expiry, val FROM cache WHERE ns = ? AND key = ?", place
    ).fetchone()
    if other is not None and other[0] > now and not is_gone(bytes(other[1]).decode()):
        return bytes(other[1]) == owner.encode()
    connection.execute(_SET, (*place, now + seconds, "claim", owner.encode()))
    return True


def _place_of_claim(key: FullKey) -> tuple[str, str]:
    return ",".join((*CLAIM, *key[0])), key[1]


def _open(path: Path, patience: float) -> tuple[Path | str, str]:
    """Return what to connect to, and why it cannot be written ("" where it can).

    A file that is there and cannot be written, or not locked, is read.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # When many processes switch to WAL or create the table at once, each can wait longer
        # than its patience; so one process at a time does it.
        with FileLock(f"{path}.lock", timeout=_OPEN_SECONDS, mode=0o600):
            _create(path)
            _prepare(path, patience)
    except Timeout:
        raise
    except (OSError, sqlite3.OperationalError) as fault:
        source = None if "locked" in str(fault) else _readable(path)
        if source is None:
            raise
        return source, str(fault)
    return path, ""


def _create(path: Path) -> None:
    """Make a file that only its owner can read. Raises OSError where one cannot be written.

    A file that is there is not opened: when a process closes any descriptor of a file, POSIX
    cancels its locks on that file, also those of SQLite's connections in other threads. Other
    processes would then delete the log of replies under their feet (sqlite.org/howtocorrupt.html,
    2.2).
    """
    try:
        # SQLite's -wal and -shm files inherit this mode, so the file must exist before.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path)) from None


def _readable(path: Path) -> str | None:
    """Return an address under which SQLite reads a file and writes nothing; None without one."""
    if not path.is_file():
        return None
    address = f"{path.absolute().as_uri()}?mode=ro"
    log = path.with_name(f"{path.name}-wal")
    # "immutable" needs no file beside this one, but would not see the replies in the log.
    is_whole = not (log.exists() and log.stat().st_size)
    for way in (address, f"{address}&immutable=1")[: 1 + is_whole]:
        try:
            with closing(_connect(way)) as connection:
                connection.execute("SELECT 1 FROM cache LIMIT 1").fetchone()
        except sqlite3.Error:
            continue
        return way
    return None


def _prepare(path: Path, patience: float) -> None:
    # The switch to WAL locks the whole file and does not wait for other locks: of several
    # processes that open a new file together, all but one get "database is locked" immediately.
    deadline = time.monotonic() + patience
    connection = _connect(path)
    try:
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute(_TABLE)
                return
            except sqlite3.OperationalError as fault:
                if "locked" not in str(fault) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
    finally:
        connection.close()


def _connect(source: Path | str) -> sqlite3.Connection:
    """Connect to a file, or to an address (`file:…`) that `_readable` returned."""
    connection = sqlite3.connect(
        source,
        check_same_thread=False,
        timeout=_PATIENCE_SECONDS,
        isolation_level=None,
        uri=isinstance(source, str),
    )
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection
