"""Map with several processes at once: the same mappings, in the same order, from more cores.

Where the system can fork (Linux), a worker begins with the memory of the process that starts it: it
loads nothing, and the terms and their vectors are in memory once. Elsewhere each worker opens the
index itself, which takes seconds and several hundred megabytes.
"""

import gc
import multiprocessing
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from queue import SimpleQueue
from threading import Thread, current_thread, main_thread
from typing import Any

from ..ontology.mapping import Mapping, read_mapping
from ..ontology.search.encode import packaged_encoder
from .mapper import Mapper

_BATCH = 64  # texts that a worker maps at once
_AHEAD = 2  # batches that a worker has, so that it need not wait for the next one
_FIRST = 8  # texts that are mapped before the workers start, so that everything is loaded
_CAN_FORK = sys.platform == "linux"
_LEAST = 128 if _CAN_FORK else 1_000  # texts that are worth a worker of their own
_CPU_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def cores() -> int:
    """Return how many processors this process may use, also within the limit of a container."""
    if hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
    else:
        usable = os.cpu_count() or 1
    try:
        quota, period = _CPU_LIMIT.read_text("utf-8").split()
        return max(1, min(usable, -(-int(quota) // int(period))))
    except (OSError, ValueError):  # there is no limit
        return usable


def workers_for(texts: int) -> int:
    """Return how many workers are worth their start for so many texts."""
    return max(1, min(cores(), texts // _LEAST))


def stream_by(mapper: Mapper, texts: Sequence[str], workers: int) -> Iterator[list[Mapping]]:
    """Map distinct texts with several processes and yield them in batches, in order.

    mapper: one without a judge and with the packaged encoder. A batch of a worker that ended, as
    one that was killed for memory, and a batch in which a fault was raised, are mapped in this
    process, so that no text is lost and every fault is raised here.
    """
    if workers < 2:
        yield from mapper.stream(texts)
        return
    left = iter(texts)
    yield from mapper.stream(islice(left, _FIRST))
    with _team(mapper, workers) as team:
        yield from team.mapped(left)


class _Worker:
    """A process, the pipe to it, and the batches that it has, by number."""

    def __init__(self, process: Any, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.batches: deque[int] = deque()

    def take(self, number: int, batch: list[str]) -> bool:
        """Give the worker a batch; return whether it is alive."""
        try:
            self.pipe.send(batch)
        except OSError:
            return False
        self.batches.append(number)
        return True


class _Team:
    """Workers, and the batches that were sent and did not come back."""

    def __init__(self, mapper: Mapper, workers: list[_Worker]) -> None:
        self._mapper = mapper
        self._workers = workers
        self._sent: dict[int, list[str]] = {}
        self._done: dict[int, list[Mapping]] = {}

    def mapped(self, texts: Iterator[str]) -> Iterator[list[Mapping]]:
        """Yield the mappings of the texts in batches, in order."""
        batches = enumerate(iter(lambda: list(islice(texts, _BATCH)), []))
        following = 0
        self._fill(batches)
        while self._sent or self._done:
            if following in self._done:
                yield self._done.pop(following)
                following += 1
            elif following in self._sent and not any(
                following in worker.batches for worker in self._workers
            ):
                batch = self._sent.pop(following)
                self._done[following] = [one for of in self._mapper.stream(batch) for one in of]
            else:
                self._receive()
            self._fill(batches)

    def _fill(self, batches: Iterator[tuple[int, list[str]]]) -> None:
        """Give every worker the next batches; without workers, keep one for this process."""
        # A slow batch must not let the finished ones behind it fill the memory.
        most = 4 * _AHEAD * max(len(self._workers), 1)
        for worker in list(self._workers):
            while len(worker.batches) < _AHEAD and len(self._sent) + len(self._done) < most:
                if (numbered := next(batches, None)) is None:
                    return
                number, self._sent[number] = numbered
                if not worker.take(*numbered):
                    self._workers.remove(worker)
                    break
        if not self._workers and not self._sent and (numbered := next(batches, None)):
            self._sent[numbered[0]] = numbered[1]

    def _receive(self) -> None:
        """Wait for the batch of a worker; the batches of one that ended stay in `sent`."""
        by_pipe = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(by_pipe)):
            worker = by_pipe[pipe]  # type: ignore[index]
            try:
                plain = worker.pipe.recv()
            except (EOFError, OSError):
                self._workers.remove(worker)
                continue
            number = worker.batches.popleft()
            if plain is not None:
                self._done[number] = [read_mapping(one) for one in plain]
                del self._sent[number]


@contextmanager
def _team(mapper: Mapper, count: int) -> Iterator[_Team]:
    """Start workers, and end them when the work ends, also after a fault or an interruption."""
    context: Any = multiprocessing.get_context("fork" if _CAN_FORK else "spawn")
    workers: list[_Worker] = []
    frozen = gc.get_freeze_count()
    try:
        with _signals_held():
            gc.collect()
            gc.freeze()  # a collection would write to the memory that the workers share
            for _ in range(count):
                workers.append(_start(context, mapper, [worker.pipe for worker in workers]))
        yield _Team(mapper, list(workers))
    finally:
        if not frozen:  # what the calling program froze stays so
            gc.unfreeze()
        for worker in workers:
            worker.pipe.close()
            worker.process.terminate()
            worker.process.join()


def _start(context: Any, mapper: Mapper, others: list[Connection]) -> _Worker:
    ours, theirs = context.Pipe()
    inherited = [*others, ours] if _CAN_FORK else []
    process = context.Process(target=_serve, args=(mapper, theirs, inherited), daemon=True)
    with warnings.catch_warnings():
        # Python warns of threads, which a child does not have; no worker waits for one.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let a signal that ends the run wait: what it raises inside a fork or a collection is lost."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    handlers = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
        if number is not None and signal.getsignal(number) is not None
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def _serve(mapper: Mapper, pipe: Connection, inherited: list[Connection]) -> None:
    """Map the batches that come, until the other end of the pipe is closed.

    inherited: the ends that belong to the starting process. While a worker holds one of them, no
    other worker would see that this process was killed.
    """
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the starting process decides
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    packaged_encoder().threads = 1
    given: SimpleQueue[list[str] | None] = SimpleQueue()
    Thread(target=_take_in, args=(pipe, given), daemon=True).start()
    while (texts := given.get()) is not None:
        try:
            plain = [one.as_json() for batch in mapper.stream(texts) for one in batch]
        except Exception:
            plain = None  # the starting process maps the batch and meets the same fault
        try:
            pipe.send(plain)
        except OSError:
            return


def _take_in(pipe: Connection, given: "SimpleQueue[list[str] | None]") -> None:
    """Take the batches out of the pipe as they come, and None at its end.

    A worker that reads only between two batches would wait for ever where a batch is larger than
    the pipe's buffer: the starting process to send it, and the worker to send its mappings.
    """
    try:
        while True:
            given.put(pipe.recv())
    except (EOFError, OSError):
        given.put(None)
