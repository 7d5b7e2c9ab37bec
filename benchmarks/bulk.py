"""Map a table of many rows with few distinct texts on one machine, and print the peak memory.

    python benchmarks/bulk.py --rows 10000000 --texts 5000 --form csv
    python benchmarks/bulk.py --rows 10000000 --texts 5000 --form parquet
    python benchmarks/bulk.py --rows 10000000 --texts 5000 --form jsonl --pipe

A table of so many rows is written into a temporary folder and mapped twice: the first time the
distinct texts are mapped too, the second time they stand in the canonical table. With --pipe the
table comes from standard input. Printed are the CPU-seconds and the largest resident memory of any
process of each run.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from dxjudge import Mapper

SEED = 20
AT_ONCE = 1_000_000


def make_texts(count: int) -> list[str]:
    """Return so many distinct terms of the index, the same for the same count."""
    terms = {term.text for term in Mapper(added="none").parts.retriever.index.terms}
    return random.Random(SEED).sample(sorted(terms), count)


def write_input(path: Path, rows: int, texts: list[str]) -> None:
    """Write rows with a number and a text, which is drawn at random."""
    chance = random.Random(SEED)
    if path.suffix == ".jsonl":
        with path.open("w", encoding="utf-8") as file:
            for number in range(rows):
                file.write(json.dumps({"n": number, "diagnosis": chance.choice(texts)}) + "\n")
        return
    kind = pa.schema([("n", pa.int64()), ("diagnosis", pa.string())])
    writer = pq.ParquetWriter if path.suffix == ".parquet" else csv.CSVWriter
    with writer(path, kind) as file:
        for first in range(0, rows, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, rows))
            drawn = chance.choices(texts, k=len(numbers))
            file.write_table(pa.table({"n": numbers, "diagnosis": drawn}, kind))


def run(command: list[str], piped: Path | None) -> str:
    """Run a command; return its time, its CPU-seconds and its largest memory in words.

    piped: a file that the command gets through a pipe.
    """
    started = time.monotonic()
    source = subprocess.Popen(["cat", str(piped)], stdout=subprocess.PIPE) if piped else None
    with source or nullcontext():
        taken = [(os.POSIX_SPAWN_DUP2, source.stdout.fileno(), 0)] if source else []
        child = os.posix_spawn(sys.executable, command, os.environ, file_actions=taken)
    _, status, used = os.wait4(child, 0)
    assert status == 0, status
    seconds = used.ru_utime + used.ru_stime
    return (
        f"{time.monotonic() - started:,.0f} s, {seconds:,.0f} CPU-seconds, "
        f"at most {used.ru_maxrss * 1024 / 1e9:.2f} GB in a process"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--texts", type=int, default=5_000)
    parser.add_argument("--form", choices=("csv", "jsonl", "parquet"), default="csv")
    parser.add_argument("--pipe", action="store_true", help="give the table to standard input")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        source, out = (Path(name) / f"{place}.{options.form}" for place in ("in", "out"))
        child = os.fork()  # in a process of its own, so that this one stays small
        if not child:
            write_input(source, options.rows, make_texts(options.texts))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(f"{options.rows:,} rows, {source.stat().st_size / 1e6:,.0f} MB", flush=True)
        given = "-" if options.pipe else str(source)
        command = [sys.executable, "-m", "dxjudge", "map", given, "-o", str(out), "-q",
                   "--input-format", options.form, "--column", "diagnosis",
                   "--table", str(Path(name) / "table.tsv")]  # fmt: skip
        piped = source if options.pipe else None
        print(f"texts not mapped before: {run(command, piped)}", flush=True)
        print(
            f"texts in the table: {run(command, piped)}; {out.stat().st_size / 1e6:,.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
