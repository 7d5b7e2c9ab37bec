"""Measure what the engine costs, compared with the raw SDK and plain LangChain in one run.

    python benchmarks/engine.py [--items 400] [--rounds 3] [--latency 0.2]
        [--replay 10000 200000 2000000 10000000] [--memory 100000] [--judge 10000 100000]
        [--jury 10000 40000]

A server in a separate process answers over a real socket, at once or after a latency. Only ratios
within one run are comparable between machines. The script prints

- the client's processor time per structured call by concurrency, the median of `--rounds`;
- calls per second by concurrency if an answer takes `--latency` seconds, the median of as many
  rounds, and the largest number that this latency allows;
- verdicts from caches of several sizes, per second of wall time and of processor time;
- the growth of the process's memory over one run;
- the most memory that `dxjudge judge` uses for tables of several sizes, asked and replayed, with
  one judge (`--judge`) and with three that vote and whose votes are written (`--jury`).

0 leaves a part out. The engine's numbers include the checks, the ledger, the limiter, the budget,
claims and a cache in a file.
"""

import argparse
import asyncio
import json
import multiprocessing
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Literal

from engine_ways import NAMES, Way, dxjudge, item, langchain, raw_sdk, serve

from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE
from dxjudge.agents.engine.run import Run
from dxjudge.graphs.step import stream_step

_REPLAYED = 5000
_ROW_BYTES = 300
_FILL = """INSERT INTO cache
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
    SELECT 'reply', lower(hex(randomblob(32))), NULL, 'json', ? FROM n"""
_SHARES = {1: 0.25, 8: 1.0, 64: 1.0, 256: 2.0}  # concurrency -> share of the items
# All ways use one event loop: plain LangChain shares a client and fails in a second loop.
_RUNNER = asyncio.Runner()


def seconds(way: Way, url: str, items: int, at_once: int) -> list[float]:
    """Return processor and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    _RUNNER.run(way(url, items, at_once))  # type: ignore[arg-type]
    return [time.process_time() - cpu, time.perf_counter() - wall]


def print_cpu(ways: dict[str, Way], url: str, items: int, rounds: int) -> None:
    """Print processor time per call, and its ratio to that of the raw SDK."""
    print("\nms of processor time a call (x raw SDK)")
    print(f"{'at once':>8}" + "".join(f"{name:>16}" for name in ways))
    for at_once, share in _SHARES.items():
        count = max(int(items * share), 20)
        spent = _medians(ways, url, count, at_once, rounds, 0)
        base = spent["raw SDK"]
        cells = (f"{f'{1000 * cpu / count:.2f} ({cpu / base:.2f})':>16}" for cpu in spent.values())
        print(f"{at_once:>8}" + "".join(cells), flush=True)


def _medians(
    ways: dict[str, Way], url: str, items: int, at_once: int, rounds: int, clock: Literal[0, 1]
) -> dict[str, float]:
    """Return the median over rounds of processor (0) or wall (1) seconds by way."""
    # All ways take their turn in every round, so that other load slows them alike.
    by_round = [
        [seconds(way, url, items, at_once)[clock] for way in ways.values()] for _ in range(rounds)
    ]
    return dict(zip(ways, map(median, zip(*by_round, strict=True)), strict=True))


def print_throughput(ways: dict[str, Way], url: str, latency: float, rounds: int) -> None:
    """Print calls per second if every answer takes `latency` seconds."""
    print(f"\ncalls a second at {1000 * latency:.0f} ms")
    print(f"{'at once':>8}{'at most':>10}" + "".join(f"{name:>14}" for name in ways))
    for at_once in (8, 16, 32, 64, 128, 256):
        count = 12 * at_once
        spent = _medians(ways, url, count, at_once, rounds, 1)
        cells = "".join(f"{count / wall:>14.0f}" for wall in spent.values())
        print(f"{at_once:>8}{at_once / latency:>10.0f}" + cells, flush=True)


def print_replay(url: str, sizes: list[int], folder: Path) -> None:
    """Print verdicts per second from caches of these numbers of rows."""
    cache = folder / "replay.sqlite"
    inputs = [item(number) for number in range(_REPLAYED)]

    async def run_all(mode: str) -> None:
        with Run(cache=cache, mode=mode, concurrency=64) as run:  # type: ignore[arg-type]
            judge = f"openai:double@{url}"
            stream = stream_step(CHOOSE_CANDIDATE, inputs, judge=judge, run=run)
            async for _, outcome in stream:
                assert outcome.status == "done"

    asyncio.run(run_all("read-write"))
    print(f"\n{'rows kept':>12}{'verdicts/s':>12}{'a second of processor time':>28}")
    have = _REPLAYED
    for size in sizes:
        with sqlite3.connect(cache) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("PRAGMA cache_size=-1000000")
            connection.execute(_FILL, (size - have, b'{"reply": {}}'.ljust(_ROW_BYTES)))
        have = size
        cpu, wall = time.process_time(), time.perf_counter()
        asyncio.run(run_all("replay"))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        print(f"{size:>12,}{_REPLAYED / wall:>12,.0f}{_REPLAYED / cpu:>28,.0f}", flush=True)


def memory() -> float:
    """Return the memory that this process uses now, in megabytes."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def print_memory(names: list[str], url: str, items: int) -> None:
    """Print the growth of memory after a tenth of the items and after all of them."""
    print(f"\nMB more than before, after {items // 10:,} and {items:,} items")
    for name in names:
        grown = []
        for count in (items // 10, items):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                grown.append(pool.apply(_grown, (name, url, count)))
        print(f"{name:>24}" + "".join(f"{more:>10.1f}" for more in grown), flush=True)


def _grown(name: str, url: str, items: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        way = _ways(Path(folder))[name]
        seconds(way, url, 500, 64)
        before = memory()
        seconds(way, url, items, 64)
        return memory() - before


# ru_maxrss also counts what the process that started this one had used.
_COMMAND = """import sys, time
from dxjudge.cli.main import run
code = run(sys.argv[1:])
most = open("/proc/self/status").read().split("VmHWM:")[1].split()[0]
print(most, time.process_time())
sys.exit(code)
"""
_RUNS = {"read": ["--estimate"], "asked": [], "replayed": ["--cache-mode", "replay"]}


def print_judge(url: str, sizes: list[int], folder: Path, judges: int) -> None:
    """Print the most memory of `dxjudge judge` by rows of the table, and KB a further row."""
    print(f"\nby {judges} judge{'s'[: judges > 1]}")
    print(f"{'rows':>10}{'':>10}{'MB at most':>12}{'KB a row more':>16}{'s of processor':>16}")
    seats = [word for n in range(judges) for word in ("--judge", f"openai:double{n}@{url}")]
    votes = ["--votes", f"{folder}/votes.tsv"] if judges > 1 else []
    earlier: dict[str, tuple[int, float]] = {}
    for size in sizes:
        table = folder / f"{size}.tsv"
        with table.open("w", encoding="utf-8") as file:
            file.write("diagnosis\n")
            file.writelines(f"{item(number)['diagnosis']}\n" for number in range(size))
        cache = ["--cache", f"{folder}/{size}-{judges}.sqlite"]
        for name, more in _RUNS.items():
            most, spent = _judged(table, [*seats, *votes, *more, *cache])
            before = earlier.get(name)
            slope = f"{1000 * (most - before[1]) / (size - before[0]):.2f}" if before else "-"
            earlier[name] = (size, most)
            print(f"{size:>10,}{name:>10}{most:>12.1f}{slope:>16}{spent:>16.1f}", flush=True)


def _judged(table: Path, options: list[str]) -> tuple[float, float]:
    """Run the command in a process of its own; return the megabytes and the processor seconds."""
    words = ["judge", "choose_candidate", str(table), "-o", f"{table}.out.tsv", "--quiet"]
    words += ["--give", f"candidates={json.dumps(NAMES)}"]
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND, *words, *options],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    kilobytes, spent = done.stdout.splitlines()[-1].split()
    return int(kilobytes) / 1024, float(spent)


def _ways(folder: Path) -> dict[str, Way]:
    return {"raw SDK": raw_sdk, "LangChain": langchain, "dxjudge": dxjudge(folder)}


def main() -> None:
    """Run the parts and print them."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--items", type=int, default=400)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--latency", type=float, default=0.2)
    options.add_argument("--replay", type=int, nargs="*", default=[10_000, 200_000, 2_000_000],
                         help="rows of caches; 0 leaves it out")  # fmt: skip
    options.add_argument("--memory", type=int, default=0, help="items; 0 leaves it out")
    options.add_argument("--judge", type=int, nargs="*", default=[], help="rows of tables")
    options.add_argument("--jury", type=int, nargs="*", default=[], help="the same, three judges")
    chosen = options.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(there, chosen.latency), daemon=True
    )
    server.start()
    root = f"http://127.0.0.1:{here.recv()}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ways = _ways(folder)
        for way in ways.values():  # load imports and certificates before measuring
            seconds(way, f"{root}/v1", 50, 8)
        if chosen.items:
            print_cpu(ways, f"{root}/v1", chosen.items, chosen.rounds)
        if chosen.latency:
            print_throughput(ways, f"{root}/slow/v1", chosen.latency, chosen.rounds)
        if sizes := [size for size in chosen.replay if size]:
            print_replay(f"{root}/v1", sizes, folder)
        if chosen.memory:
            print_memory(list(ways), f"{root}/v1", chosen.memory)
        for sizes, judges in ((chosen.judge, 1), (chosen.jury, 3)):
            if sizes:
                print_judge(f"{root}/v1", sizes, folder, judges)
    server.terminate()


if __name__ == "__main__":
    main()
