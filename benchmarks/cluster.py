"""Map many distinct texts with `dxjudge map --cluster` on a local Ray cluster of several nodes.

    python benchmarks/cluster.py --texts 20000 --nodes 2 --kill
    python benchmarks/cluster.py --texts 2000 --nodes 1
    python benchmarks/cluster.py --texts 1000000 --nodes 2 --kill --folder FOLDER

The texts are terms of the index with words around them and slips of the pen, each in two rows. Each
node has one core. `--kill` kills a node when half of the texts are mapped. Printed are the times,
the texts a second and a CPU-second of the workers that map, and what was checked: every row is
there once and in order, each distinct text was mapped once, and how many finished blocks were
written again. With `--folder` a run that was stopped goes on, and its speed is that of the rest.
Needs the extra ray.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from ray.cluster_utils import Cluster

from dxjudge import Mapper
from dxjudge.cli.cluster.map_work import MAPPED

BEFORE = ("", "acute", "chronic", "left", "right", "possible", "known", "recurrent", "h/o",
          "mild", "severe", "s/p", "suspected", "old", "new")  # fmt: skip
AFTER = ("", "on admission", "today", "since 2019", "in the past", "stable", "worse",
         "on treatment", "to be checked", "resolved", "unclear", "again")  # fmt: skip
SEED = 20
FILE_ROWS = 100_000


def slip(text: str, chance: random.Random) -> str:
    """Exchange two letters of every fourth text."""
    if len(text) < 6 or chance.random() > 0.25:
        return text
    place = chance.randrange(1, len(text) - 2)
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def make_texts(count: int) -> list[str]:
    """Return distinct texts, the same for the same count."""
    chance = random.Random(SEED)
    terms = [term.text for term in Mapper(added="none").parts.retriever.index.terms]
    texts: dict[str, None] = {}
    while len(texts) < count:
        words = (chance.choice(BEFORE), chance.choice(terms), chance.choice(AFTER))
        texts[slip(" ".join(filter(None, words)), chance)] = None
    return list(texts)


def write_input(texts: list[str], folder: Path) -> None:
    """Write every text twice, the second time in reverse, in files of many rows."""
    if folder.is_dir():
        return
    part_of = folder.with_name(f"{folder.name}.part")
    part_of.mkdir(exist_ok=True)
    rows = [*texts, *reversed(texts)]
    for number, first in enumerate(range(0, len(rows), FILE_ROWS)):
        part = rows[first : first + FILE_ROWS]
        table = pa.table({"n": range(first, first + len(part)), "diagnosis": part})
        pq.write_table(table, part_of / f"{number:04d}.parquet")
    part_of.rename(folder)


def cpu_of_mappers() -> dict[int, float]:
    """Return the CPU-seconds so far of each worker that maps, by process."""
    seconds = {}
    for process in psutil.Process().children(recursive=True):
        try:
            if "MapWorker" in " ".join(process.cmdline()):
                times = process.cpu_times()
                seconds[process.pid] = times.user + times.system
        except psutil.Error:
            continue
    return seconds


def watch(
    job: subprocess.Popen[str], out: Path, half: int, cluster: Any, lost: Any
) -> dict[str, Any]:
    """Wait for the end of a job and kill a node in its middle; return what was seen."""
    cpu: dict[int, float] = {}
    times: dict[Path, int] = {}
    changed, killed_at = 0, None
    while job.poll() is None:
        cpu |= cpu_of_mappers()
        for path in out.glob(f"{MAPPED}/*.parquet"):
            try:
                at = path.stat().st_mtime_ns
            except FileNotFoundError:  # the job is complete
                continue
            changed += times.setdefault(path, at) != at
        if lost is not None and killed_at is None and len(times) >= half:
            cluster.remove_node(lost, allow_graceful=False)
            killed_at = len(times)
        time.sleep(1)
    return {"cpu": sum(cpu.values()), "blocks": len(times), "changed": changed, "killed": killed_at}


def check(out: Path, texts: list[str]) -> None:
    """Raise AssertionError where a row is missing, double, or in another place."""
    rows = [*texts, *reversed(texts)]
    seen = 0
    for part in sorted(out.glob("*.parquet")):
        table = pq.read_table(part, columns=["n", "diagnosis", "status"])
        assert table["n"].to_pylist() == list(range(seen, seen + table.num_rows)), part
        assert table["diagnosis"].to_pylist() == rows[seen : seen + table.num_rows], part
        assert None not in table["status"].to_pylist(), part
        seen += table.num_rows
    assert seen == len(rows), (seen, len(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=2_000)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--folder", type=Path, help="keep everything here, and go on from it")
    options = parser.parse_args()
    texts = make_texts(options.texts)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(options.nodes)]
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        write_input(texts, folder / "in")
        command = [sys.executable, "-m", "dxjudge", "map", str(folder / "in"), "--json",
                   "--added-sources", "none", "-o", str(folder / "out"),
                   "--cluster", cluster.address]  # fmt: skip
        started = time.monotonic()
        job = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        half = max(options.texts // max(250, options.texts // 4_000) // 2, 1)
        lost = nodes[-1] if options.kill else None
        seen = watch(job, folder / "out", half, cluster, lost)
        wall = time.monotonic() - started
        assert job.stdout and job.returncode == 0, job.returncode
        told = json.loads(job.stdout.read())
        assert told["distinct_texts"] == options.texts, told
        assert options.folder or told["mapped_now"] == options.texts, told
        check(folder / "out", texts)
    cluster.shutdown()
    killed = ""
    if seen["killed"]:
        killed = f", one killed after {seen['killed']} of {seen['blocks']} blocks"
    print(
        f"{options.texts:,} distinct texts in {told['rows']:,} rows, nodes: {options.nodes}"
        f"{killed}; {wall:,.0f} s, of which mapping {told['seconds']:,.0f} s, "
        f"{told['mapped_now'] / told['seconds']:,.1f} texts a second, "
        f"{told['mapped_now'] / seen['cpu']:,.1f} a CPU-second of the workers; every row once and "
        f"in order; finished blocks that were written again: {seen['changed']}"
    )


if __name__ == "__main__":
    main()
