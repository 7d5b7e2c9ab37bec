"""Count the requests of several processes that share a cache, also when one of them is killed.

    python benchmarks/shared_cache.py [--items 150] [--latency 0.1] [--redis]

Each line starts processes that ask the same questions at the same time, and a server that counts
the requests. Of `killed`, one process gets SIGKILL while it has claims; of `another machine`, a
claim of a process on another host, which can never be asked whether it still runs, is in the cache
before the run begins. `--redis` starts a Redis server (`redis-server`) and repeats all lines on it.
"""

import argparse
import asyncio
import multiprocessing
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from engine_ways import NAMES, REPLY, item

from dxjudge.agents.engine.run import Run
from dxjudge.cache.claims import LEASE_SECONDS
from dxjudge.cache.open import open_store
from dxjudge.graphs.step import run_step_sync

START = multiprocessing.get_context("spawn")


def serve(ready: Connection, latency: float, asked: Any) -> None:
    """Answer every request after a time and count it."""
    import json

    body = json.dumps(REPLY).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
                sizes = [line for line in lines if line.startswith(b"content-length")]
                await reader.readexactly(int(sizes[0].split(b":")[1]))
                asked.value += 1  # this process alone writes it
                await asyncio.sleep(latency)
                writer.write(head.encode() + b"\r\n" + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(one, "127.0.0.1", 0, backlog=1024)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def work(url: str, cache: str, items: int, results: Any, go: Any) -> None:
    """Ask about all items and report (done, failed, seconds)."""
    from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE

    inputs = [item(number) for number in range(items)]
    with Run(cache=cache, concurrency=8) as run:
        CHOOSE_CANDIDATE.load_prompt()
        results.put("ready")
        go.wait()
        started = time.monotonic()
        outcomes = run_step_sync(CHOOSE_CANDIDATE, inputs, judge=f"openai:double@{url}", run=run)
    assert isinstance(outcomes, list)
    done = sum(one.status == "done" and one.value.name == NAMES[3] for one in outcomes)
    results.put((done, len(outcomes) - done, time.monotonic() - started))


def run_together(
    url: str, cache: str, items: int, processes: int, asked: Any, kill_at: int | None
) -> list[tuple[int, int, float]]:
    """Start the processes at once; kill the first after so many requests, where that is wanted."""
    results, go = START.Queue(), START.Event()
    started = [
        START.Process(target=work, args=(url, cache, items, results, go)) for _ in range(processes)
    ]
    for process in started:
        process.start()
    for _ in started:
        results.get()
    go.set()
    if kill_at is not None:
        while asked.value < kill_at:
            time.sleep(0.01)
        os.kill(started[0].pid or 0, signal.SIGKILL)
    reports = [results.get() for _ in range(processes - (kill_at is not None))]
    for process in started:
        process.join()
    return reports


def leave_claims(url: str, cache: str, seconds: float) -> None:
    """Put claims of another host, which end in `seconds`, on the first five questions."""
    from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE
    from dxjudge.agents.engine.call import prepare
    from dxjudge.agents.engine.judges import as_judge

    store, judge = open_store(cache), as_judge(f"openai:double@{url}")
    for number in range(5):
        inputs = CHOOSE_CANDIDATE.read_input(item(number))
        key = prepare(CHOOSE_CANDIDATE, inputs, judge).key
        asyncio.run(store.aclaim((("reply",), key), "another/host/1/token", seconds))
    store.close()


@contextmanager
def redis_server() -> Iterator[str]:
    """Run a Redis server that keeps nothing on disk, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no"]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()
            server.wait()


def print_lines(caches: Iterator[str], url: str, asked: Any, items: int) -> None:
    """Run each line of the table on a new cache and print it."""
    for name, processes, kill_at, foreign in (
        ("one process", 1, None, 0.0),
        ("two processes", 2, None, 0.0),
        ("four processes", 4, None, 0.0),
        ("two, one killed", 2, items // 3, 0.0),
        ("four, one killed", 4, items // 3, 0.0),
        ("a claim of another machine", 2, None, LEASE_SECONDS),
        ("one that has run out", 2, None, 0.5),
    ):
        cache = next(caches)
        asked.value = 0
        if foreign:
            leave_claims(url, cache, foreign)
        reports = run_together(url, cache, items, processes, asked, kill_at)
        done = min(report[0] for report in reports)
        failed = sum(report[1] for report in reports)
        longest = max(report[2] for report in reports)
        print(
            f"{name:<28}{items:>8}{asked.value:>10}{done:>8}{failed:>8}{longest:>9.1f}", flush=True
        )


def main() -> None:
    """Run the table on SQLite, and on Redis where that is wanted."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--items", type=int, default=150)
    options.add_argument("--latency", type=float, default=0.1)
    options.add_argument("--redis", action="store_true")
    chosen = options.parse_args()
    here, there = multiprocessing.Pipe()
    asked = START.Value("i", 0)
    server = START.Process(target=serve, args=(there, chosen.latency, asked), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    print(f"{'':<28}{'items':>8}{'requests':>10}{'done':>8}{'failed':>8}{'seconds':>9}")
    with tempfile.TemporaryDirectory() as folder:
        files = (str(Path(folder) / f"{number}.sqlite") for number in range(100))
        print_lines(files, url, asked, chosen.items)
    if chosen.redis:
        print("on Redis")
        with redis_server() as address:
            bases = (f"{address[:-1]}{number}" for number in range(16))
            print_lines(bases, url, asked, chosen.items)
    server.terminate()


if __name__ == "__main__":
    main()
