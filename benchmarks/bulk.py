"""Map a table of many rows with few distinct texts on one machine, and print the peak memory.

    python benchmarks/bulk.py --rows 10000000 --texts 5000 --form csv
    python benchmarks/bulk.py --rows 10000000 --texts 5000 --form parquet

A table of so many rows is written into a temporary folder and mapped twice: the first time the
distinct texts are mapped too, the second time they stand in the canonical table. Printed are the
CPU-seconds and the largest resident memory of any process of each run.
"""

import argparse
import os
import random
import sys
import tempfile
import time
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
    kind = pa.schema([("n", pa.int64()), ("diagnosis", pa.string())])
    writer = pq.ParquetWriter if path.suffix == ".parquet" else csv.CSVWriter
    with writer(path, kind) as file:
        for first in range(0, rows, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, rows))
            drawn = chance.choices(texts, k=len(numbers))
            file.write_table(pa.table({"n": numbers, "diagnosis": drawn}, kind))


def run(command: list[str]) -> str:
    """Run a command; return its time, its CPU-seconds and its largest memory in words."""
    started = time.monotonic()
    child = os.posix_spawn(sys.executable, command, os.environ)
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
    parser.add_argument("--form", choices=("csv", "parquet"), default="csv")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        source, out = (Path(name) / f"{place}.{options.form}" for place in ("in", "out"))
        child = os.fork()  # in a process of its own, so that this one stays small
        if not child:
            write_input(source, options.rows, make_texts(options.texts))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(f"{options.rows:,} rows, {source.stat().st_size / 1e6:,.0f} MB", flush=True)
        command = [sys.executable, "-m", "dxjudge", "map", str(source), "-o", str(out), "-q",
                   "--column", "diagnosis", "--table", str(Path(name) / "table.tsv")]  # fmt: skip
        print(f"texts not mapped before: {run(command)}", flush=True)
        print(f"texts in the table: {run(command)}; {out.stat().st_size / 1e6:,.0f} MB", flush=True)


if __name__ == "__main__":
    main()
