"""Write to one SQLite file in a separate thread; all waiting writes share one transaction."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
Action = Callable[[sqlite3.Connection], Any]

_IDLE_SECONDS = 1.0  # an idle thread ends after this; the next write starts another
_SHORT_SECONDS = 0.05  # the patience after a write that found the file locked


class Writes:
    """A queue of writes. A file that another process keeps locked costs `patience` seconds once.

    After a write that failed because of a lock, the next writes wait 0.05 seconds at most, until
    one succeeds.
    """

    def __init__(self, connection: sqlite3.Connection, patience: float) -> None:
        """Take a connection in autocommit mode, which only the thread uses from now on."""
        self._connection = connection
        self._patience = patience
        self._locked_out = False
        self._queue: list[tuple[Action, Future[Any]]] = []
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, action: Callable[[sqlite3.Connection], T]) -> "Future[T]":
        """Run an action in the next transaction; its future raises sqlite3.Error if it fails."""
        future: Future[T] = Future()
        with self._wake:
            if self._closed:
                raise sqlite3.ProgrammingError("the file is closed")
            self._queue.append((action, future))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, name="dxjudge-cache", daemon=True
                )
                self._thread.start()
            self._wake.notify()
        return future

    def close(self) -> None:
        """Finish the waiting writes, then close the connection."""
        with self._wake:
            self._closed = True
            self._wake.notify()
            thread = self._thread
        if thread is not None:
            thread.join()
        self._connection.close()

    def _work(self) -> None:
        while batch := self._take():
            self._write([pair for pair in batch if pair[1].set_running_or_notify_cancel()])

    def _take(self) -> list[tuple[Action, Future[Any]]]:
        with self._wake:
            if not self._queue and not self._closed:
                self._wake.wait(_IDLE_SECONDS)
            batch, self._queue = self._queue, []
            if not batch:
                self._thread = None
            return batch

    def _write(self, batch: list[tuple[Action, Future[Any]]]) -> None:
        patience = min(_SHORT_SECONDS, self._patience) if self._locked_out else self._patience
        try:
            self._connection.execute(f"PRAGMA busy_timeout={int(patience * 1000)}")
            self._connection.execute("BEGIN IMMEDIATE")
            results = [action(self._connection) for action, _ in batch]
            self._connection.execute("COMMIT")
        except Exception as fault:
            self._locked_out = "locked" in str(fault)
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            for _, future in batch:
                future.set_exception(fault)
            return
        self._locked_out = False
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)
