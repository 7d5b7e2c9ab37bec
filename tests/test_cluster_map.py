"""`dxjudge map --cluster`: a folder in, Parquet out, each distinct text once, and nothing is lost.

What Ray is needed for takes a minute and is run by `make cluster`; the work of each worker is
tested here without it.
"""

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.fs import FileSelector, copy_files

from dxjudge import Mapper
from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import parse_judge
from dxjudge.cli.cluster import pieces
from dxjudge.cli.cluster.distinct_texts import DISTINCT, TEXTS, Gather, MapJob, Scan
from dxjudge.cli.cluster.journal import beside
from dxjudge.cli.cluster.left_to_ask import LeftToAsk
from dxjudge.cli.cluster.map_work import MAPPED, Map, Write
from dxjudge.cli.cluster.pieces import find_pieces
from dxjudge.cli.main import run
from dxjudge.cli.option_groups import BatchRunOptions
from dxjudge.cli.runs.map_accept import Taking, Wanted, open_taking
from dxjudge.cli.runs.map_estimate import mapping_facts
from dxjudge.cli.runs.map_model import Asked
from dxjudge.cli.terminal.facts import values_of
from dxjudge.errors import EnvironmentFault, OutputError, UsageError
from dxjudge.files.blocks import JOURNAL, Blocks, open_place
from dxjudge.files.forms import Form
from dxjudge.graphs.chooser import Chooser
from dxjudge.graphs.mapping_estimate import MappingCount
from dxjudge.ontology.mapping import Mapping
from dxjudge.ontology.recalibrated import Calibration, Curve, write_calibration
from dxjudge.ontology.table import CanonicalTable, short_signature
from dxjudge.ontology.table_row import Entry

from .accounts import calls_by_judge
from .protocol_server import ProtocolServer, Seen, say
from .ray_nodes import two_nodes, with_ray
from .redis_server import running_redis
from .s3_server import running_s3

OWN = f"{Path(__file__).parent / 'data' / 'releases' / 'own.py'}:ICD11"
SMALL = ["--ontology", OWN]
NOTHING, OFF = Taking(), BatchRunOptions(cache_mode="off")
ACCEPT = ["--accept", "0.8"]
SETTINGS: dict[str, Any] = {"ontology": OWN, "added": "none"}


def test_what_is_kept_for_now_leaves_nothing_and_takes_nothing_else(tmp_path: Path) -> None:
    for other in (None, tmp_path / "new" / "other"):
        with Blocks(beside(str(tmp_path / "new" / "dir" / "out"))).for_now(TEXTS):
            assert list((tmp_path / "new" / "dir").iterdir())
            if other:
                other.touch()
        assert sorted(tmp_path.rglob("*")) == ([other.parent, other] if other else [])


@pytest.mark.parametrize("root", ["s3://bucket", "s3://bucket/?region=x", "hdfs://host:9000/", "/"])
def test_nothing_is_kept_beside_a_whole_bucket_or_disk(root: str) -> None:
    with pytest.raises(UsageError, match="nothing can be kept beside"):
        beside(root)
    assert beside("s3://bucket/a/?region=x").startswith("s3://bucket/a.")


def fill(folder: Path, texts: list[str]) -> Path:
    """A folder with a file of each form, in which rows repeat texts within and between files."""
    (folder / "deep" / "_temporary").mkdir(parents=True)
    third = len(texts) // 3
    table = pa.table({"n": range(2 * third), "dx": texts[: 2 * third]})
    pq.write_table(table, folder / "a.parquet", row_group_size=max(third // 4, 1))
    lines = [f'{n},"{text}"' for n, text in enumerate(texts[third:])]
    (folder / "b.csv").write_text("\n".join(["n,dx", *lines, '900,"gout, of toe"', "901,"]) + "\n")
    rows = [{"dx": text, "empty": None} for text in texts[:third]]
    (folder / "deep" / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "deep" / "_temporary" / "left.csv").write_text("dx\nnot to be read\n")
    return folder


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The rows of all parts, in order."""
    return [
        row for part in sorted(folder.glob("*.parquet")) for row in pq.read_table(part).to_pylist()
    ]


def mapped_alone(source: Path, folder: Path, *options: str) -> list[dict[str, Any]]:
    """The rows that `dxjudge map` without a cluster gives for the files of a folder."""
    rows = []
    for number, name in enumerate(("a.parquet", "b.csv", "deep/c.jsonl")):
        out = folder / f"{number}.parquet"
        assert run(["map", str(source / name), *SMALL, *options, "-q", "-o", str(out)]) == 0
        rows += pq.read_table(out).to_pylist()
    return rows


def work_all(job: MapJob, block: int = 7, taking: Taking = NOTHING) -> tuple[list[Any], list[Any]]:
    """Do the work of every worker in this process; the counts of blocks and of parts."""
    items = [piece.as_item() for piece in find_pieces(job.source, job.form).pieces]
    Blocks(job.output).create(TEXTS, DISTINCT, MAPPED)
    scanned = [Scan(job)(item) for item in items]
    assert all(not one["unread"] for one in scanned)
    counts = [Gather(job, len(items))({"bucket": number}) for number in range(job.buckets)]
    signature = short_signature(Mapper(**SETTINGS).signature)
    work = Map(job, SETTINGS, signature, CanonicalTable(), taking)
    blocks = [
        work({"bucket": one["bucket"], "first": first, "texts": min(block, one["texts"] - first)})
        for one in counts
        for first in range(0, one["texts"], block)
    ]
    return blocks, [Write(job, taking)(item) for item in items]


def test_the_rows_are_those_of_one_machine_and_finished_blocks_are_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "_ROWS", 6)  # so that one file is several pieces
    texts = ["gout", "asthma", "cholera", "gout", "typhoid fever", "  gout "] * 5
    source = fill(tmp_path / "in", texts)
    # Two buckets, so that the texts of a bucket come from all pieces.
    job = MapJob(str(source), f"file://{tmp_path}/out", Form(), None, False, False, 2)
    blocks, parts = work_all(job)
    out = tmp_path / "out"
    assert sum(one["texts"] for one in blocks) == len(
        {text.strip() for text in texts} | {"gout, of toe", ""}
    )
    assert len(parts) > 3
    assert sum(one["rows"] for one in parts) == len(rows_of(out)) == 20 + 22 + 10
    assert rows_of(out) == mapped_alone(source, tmp_path)
    finished = {
        path: path.stat().st_mtime_ns
        for path in out.rglob("*.parquet")
        if DISTINCT not in str(path)
    }
    again, _ = work_all(job)
    assert all(one["before"] for one in again)
    assert finished == {path: path.stat().st_mtime_ns for path in finished}
    next(out.rglob(f"{MAPPED}/*.parquet")).write_bytes(b"PAR1 cut off")  # a power failure
    again, _ = work_all(job)
    assert [one["before"] for one in again].count(False) == 1


def test_faults_of_reading_and_of_writing_blocks_are_told_apart(tmp_path: Path) -> None:
    blocks, table = Blocks(str(tmp_path)), pa.table({"text": ["gout", "flu"]})
    blocks.create(TEXTS)
    blocks.write(f"{TEXTS}/1", [table], {"rows": 2})

    def broken() -> Iterator[Any]:
        yield table
        yield blocks.read(f"{TEXTS}/none")

    def broken_elsewhere() -> Iterator[Any]:
        yield table
        raise OSError("the disk of the input is gone")

    with pytest.raises(OutputError, match=f"cannot read {TEXTS}/none in {tmp_path}: "):
        blocks.write(f"{TEXTS}/2", broken(), {})
    with pytest.raises(OSError, match="^the disk of the input is gone"):
        blocks.write(f"{TEXTS}/2", broken_elsewhere(), {})
    assert blocks.counts(f"{TEXTS}/2") is None
    (tmp_path / TEXTS / "2.parquet").write_bytes(b"PAR1 cut off")
    assert blocks.counts(f"{TEXTS}/2") is None
    for read in (lambda: blocks.read(f"{TEXTS}/2"), lambda: [*blocks.rows_with(TEXTS, "text", [])]):
        with pytest.raises(OutputError, match=f"cannot read {TEXTS}"):
            read()
    (tmp_path / TEXTS / "3.parquet").mkdir()
    with pytest.raises(OutputError, match=f"cannot read {TEXTS}/3 in {tmp_path}: "):
        blocks.counts(f"{TEXTS}/3")
    with pytest.raises(OutputError, match=f"cannot write {TEXTS}/3 in {tmp_path}: "):
        blocks.write(f"{TEXTS}/3", [table], {})


def test_what_is_accepted_is_that_of_one_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ["gout", "asthma of toe", "cholera", "  gout ", "fever", "cyst of x", ""] * 3
    source = tmp_path / "in.csv"
    source.write_text("dx,n\n" + "".join(f"{text},{n}\n" for n, text in enumerate(texts)))
    signature = short_signature(Mapper(**SETTINGS).signature)
    counts = ((40.0, 10.0, 5.0), (80.0, 40.0, 39.0))
    fitted = Calibration(signature, 50, Curve(-0.5), Curve(0.3, sure=0.9), counts, counts)
    write_calibration(fitted, tmp_path / "c.json")
    options = ["--accept", "0.8", "--calibration", str(tmp_path / "c.json")]
    alone = ["map", str(source), *SMALL, *options, "-o", f"{tmp_path}/alone.parquet"]
    assert run(alone) == 0
    told = capsys.readouterr().err
    for wanted in (Wanted(0.8, "category", str(tmp_path / "c.json")), Wanted(0.8)):
        taking = open_taking(wanted, None)
        job = MapJob(str(source), f"{tmp_path}/{wanted.calibration is None}", Form(), None,
                     False, False, 2)  # fmt: skip
        blocks, [part] = work_all(job, 2, taking)
        total = taking.counts(())
        for block in json.loads(json.dumps(blocks)):
            for name in total:
                total[name].update(block["taken"][name])
        notes = [*taking.notes(total, part["accepted"], part["rows"])]
        if wanted.calibration:
            assert rows_of(Path(job.output)) == pq.read_table(alone[-1]).to_pylist()
            assert {row["accepted"] for row in rows_of(Path(job.output))} == {True, False}
            assert "\n".join(notes) in told and len(notes) == 3
        else:
            assert "of 21 (" in notes[0] and "of 5 (" in notes[0] and "5 development" in notes[1]
    assert taking.about == {"accept": [0.8, "category"]}
    with pytest.raises(UsageError, match="other settings or of another version"):
        Taking(fitted).checked("icd11-another")


def test_rows_that_stand_for_several_are_counted_as_on_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pieces, "_ROWS", 2)
    texts = ["gout; asthma", "cholera", "cyst of x", "", "that, no"]
    table = pa.table({"n": [3.0, 2.0, 4.0, 1.0, 2.0], "dx": texts, "Count": texts})
    source = tmp_path / "in.parquet"
    pq.write_table(table, source, row_group_size=2)
    options = [
        "--count",
        "n",
        "--split",
        *ACCEPT,
        "--json",
        "-q",
        "-o",
        f"{tmp_path}/alone.parquet",
    ]
    assert run(["map", str(source), *SMALL, *options]) == 0
    alone = json.loads(capsys.readouterr().out)
    taking = open_taking(Wanted(0.8), None)
    job = MapJob(str(source), str(tmp_path / "out"), Form(), None, True, False, 1, "n")
    _, parts = work_all(job, taking=taking)
    assert len(parts) == 3
    counts = sum(map(Counter, parts), Counter[str]())
    kinds = {kind: counts[kind] for kind in alone["rows_by_band"]}
    assert (counts["rows"], kinds) == (alone["rows"], alone["rows_by_band"]) and alone["rows"] == 12
    told = [*taking.notes(taking.counts(()), counts["accepted"], counts["rows"])]
    assert told[0].partition(" rows")[0] in "\n".join(alone["notes"])
    assert rows_of(tmp_path / "out") == pq.read_table(f"{tmp_path}/alone.parquet").to_pylist()
    table = table.set_column(0, "n", pa.array([3.0, 2.0, 4.0, 1.5, 2.0]))
    pq.write_table(table, source, row_group_size=2)
    items = [piece.as_item() for piece in find_pieces(job.source, job.form).pieces]
    said = f"{source}: row 2 of its row groups 2 to 2: column 'n' holds '1.5', not a number of rows"
    for count, unread in (("n", ["", said, ""]), ("m", [f"{source} has no column 'm'"] * 3)):
        job = replace(job, output=str(tmp_path / count), count=count)
        Blocks(job.output).create(TEXTS)
        scanned = [Scan(job)(item) for item in items]
        assert [one["unread"].partition(";")[0] for one in scanned] == unread
        assert [one["column"] for one in scanned] == ["" if why else "dx" for why in unread]
        assert [one["counting"] for one in scanned] == [None if why else "Count" for why in unread]


def test_texts_are_read_as_they_stand_in_the_file(tmp_path: Path) -> None:
    """Beside 5.5, Arrow would make 5.0 of the text 5, and "true" of True beside a text."""
    columns: list[list[Any]] = [[5, 5.5, None], [True, "gout", 7]]
    for number, cells in enumerate(columns):
        source, out = tmp_path / f"{number}.json", tmp_path / f"out-{number}"
        source.write_text(json.dumps([{"dx": cell, "n": n} for n, cell in enumerate(cells)]))
        work_all(MapJob(str(source), str(out), Form(), None, False, False, 1))
        assert run(["map", str(source), *SMALL, "-q", "-o", f"{tmp_path}/alone.parquet"]) == 0
        assert rows_of(out) == pq.read_table(f"{tmp_path}/alone.parquet").to_pylist()
        texts = {row["text"] for row in rows_of(out / DISTINCT)}
        assert texts == {"" if cell is None else str(cell) for cell in cells}


def test_a_worker_with_another_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("dx\ngout\n")
    job = MapJob(str(tmp_path / "in.csv"), str(tmp_path / "out"), Form(), None, False, False, 1)
    Blocks(job.output).create(TEXTS, DISTINCT, MAPPED)
    Scan(job)({"number": 0, "path": job.source, "groups": None})
    Gather(job, 1)({"bucket": 0})
    work = Map(job, SETTINGS, "icd11-another", CanonicalTable())
    with pytest.raises(EnvironmentFault, match="another version of dxjudge, other sources"):
        work({"bucket": 0, "first": 0, "texts": 1})


def last_name(seen: Seen) -> Any:
    """A model that chooses the last candidate, which no retrieval would."""
    names = [line[2:] for line in seen.user.splitlines() if line.startswith("- ")]
    return say({"choice": names[-1]}, delay=0.01)


@pytest.fixture
def server() -> Iterator[ProtocolServer]:
    with ProtocolServer(last_name) as running:
        yield running


def test_a_model_chooses_and_is_asked_again_only_where_it_failed(
    server: ProtocolServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [f"gout {n}" for n in range(6)]
    (tmp_path / "in.csv").write_text("\n".join(["dx", *texts, texts[0]]) + "\n")
    alone = [*SMALL, "--model", server.judge(), "--cache-mode", "off", "-q"]
    assert run(["map", str(tmp_path / "in.csv"), *alone, "-o", f"{tmp_path}/alone.parquet"]) == 0
    asked_alone = len(server.seen)
    assert run(["map", str(tmp_path / "in.csv"), *alone, "--estimate", "--json"]) == 0
    estimated = json.loads(capsys.readouterr().out)
    job = MapJob(str(tmp_path / "in.csv"), str(tmp_path / "out"), Form(), None, False, False, 1)
    Blocks(job.output).create(TEXTS, DISTINCT, MAPPED)
    piece = {"number": 0, "path": job.source, "groups": None}
    Scan(job)(piece)
    block = {"bucket": 0, "first": 0, "texts": Gather(job, 1)({"bucket": 0})["texts"]}
    judge = parse_judge(server.judge())
    signature = short_signature(Mapper(**SETTINGS, judge=judge).signature)

    taking = open_taking(Wanted(0.8), None)

    def mapped(**options: Any) -> Any:
        asked = Asked(judge, {}, replace(OFF, **options))
        return json.loads(
            json.dumps(Map(job, SETTINGS, signature, CanonicalTable(), taking, asked)(block))
        )

    count = MappingCount()
    with Run(mode="off") as live:
        work = Map(job, SETTINGS, signature, CanonicalTable(), asked=Asked(judge, {}, OFF))
        for number in range(0, 6, 2):
            some = LeftToAsk(work)({"bucket": 0, "first": number, "texts": 2})
            count.add(json.loads(json.dumps(some)))
        told = values_of(mapping_facts(7, 6, count, Chooser(judge, live)))
    assert told == estimated and told["models"][0]["calls"] == 6
    first = mapped(max_calls=4)
    assert (first["parts"], first["before"]) == ({"other": 4, "failed": 2}, 0)
    assert sum(line["calls"] for line in first["asked"]["lines"]) == 4
    assert Write(job)(piece)["open"] >= 2
    left = LeftToAsk(replace(work, asked=Asked(judge, {}, OFF)), job.output)(block)
    assert (left["finished"], left["texts"], len(left["choices"]["calls"])) == (4, 2, 2)
    second = mapped()
    assert (second["parts"], second["before"], second["failures"]) == ({"other": 6}, 4, {})
    assert len(server.seen) == asked_alone + 6
    assert (second["taken"]["texts"]["all"], second["taken"]["texts"]["model"]) == (6, 6)
    third = mapped()
    assert third["taken"] == second["taken"]
    assert (third["before"], third["asked"]) == (6, None)
    assert Write(job)(piece)["open"] == 0
    assert rows_of(tmp_path / "out") == pq.read_table(tmp_path / "alone.parquet").to_pylist()
    # A row that was accepted unseen has no translation, and still no model failed on it.
    taken = {
        text: Entry(Mapping(text, "mapped", "FA25", decided_by="embedded"), accepted=True)
        for text in texts
    }
    asked = Asked(judge, {"translate": True}, OFF)
    shutil.rmtree(tmp_path / "out" / MAPPED)
    Blocks(job.output).create(MAPPED)
    signature = short_signature(Mapper(**SETTINGS, judge=judge, translate=True).signature)
    work = Map(job, SETTINGS, signature, CanonicalTable(taken), NOTHING, asked)
    assert (work(block)["parts"], len(server.seen)) == ({"other": 6}, asked_alone + 6)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["-o", "-"], 2, "reads files and writes a folder"),
        (["-o", "in/out"], 2, "must lie outside the input"),
        (["-o", "full"], 5, "the folder is not empty"),
        (["-o", "in/a.csv"], 2, "must lie outside the input"),
        (["-o", "out", "--journal", "j", "--concepts", "c"], 2, "without --journal, --concepts"),
        (
            ["-o", "out", "--model", "openai:gpt-4o", "--batch"],
            2,
            "for each file without --cluster",
        ),
    ],
)
def test_what_a_cluster_cannot_do_is_said_before_any_work(
    options: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("dx\ngout\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    assert run(["map", "in", *SMALL, *options, "--cluster"]) == code
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_nodes() as running:
        yield running


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with enough texts to be disturbed in the middle."""
    folder = tmp_path_factory.mktemp("large")
    fill(folder / "in", [f"{name} of toe {n}" for n in range(1500) for name in ("gout", "cyst")])
    return folder


@pytest.fixture(scope="module")
def alone(large: Path) -> list[dict[str, Any]]:
    """The rows of one machine that nobody disturbed."""
    return mapped_alone(large / "in", large, *ACCEPT)


def start(large: Path, out: str, cluster: Any, *options: str) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-m",
        "dxjudge",
        "map",
        str(large / "in"),
        *SMALL,
        "-o",
        str(large / out),
    ]
    return subprocess.Popen(
        [*command, *options, "--cluster", cluster.address], stderr=subprocess.PIPE, text=True
    )


def wait_for(large: Path, out: str, blocks: int, process: Any) -> dict[Path, int]:
    """Wait until so many blocks are finished; return them with their times."""
    while process.poll() is None:
        mapped = list((large / out / MAPPED).glob("*.parquet"))
        if len(mapped) >= blocks:
            return {path: path.stat().st_mtime_ns for path in mapped}
        time.sleep(0.02)
    raise AssertionError(process.communicate()[1])


def undisturbed(process: Any, finished: dict[Path, int]) -> str:
    """Wait for the end; blocks that were finished are not written again. What it said."""
    while process.poll() is None:
        for path, at in finished.items():
            with contextlib.suppress(FileNotFoundError):  # the job is complete
                assert path.stat().st_mtime_ns == at
        time.sleep(0.1)
    told: str = process.communicate()[1]
    assert process.returncode == 0, told
    return told


@with_ray
def test_a_lost_node_costs_no_row(cluster: Any, large: Path, alone: list[dict[str, Any]]) -> None:
    lost = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    process = start(large, "lost", cluster, *ACCEPT)
    finished = wait_for(large, "lost", 3, process)
    cluster.remove_node(lost, allow_graceful=False)
    told = undisturbed(process, finished)
    assert "3,001 distinct texts" in told
    assert rows_of(large / "lost") == alone


@with_ray
def test_a_killed_driver_goes_on(cluster: Any, large: Path, alone: list[dict[str, Any]]) -> None:
    process = start(large, "killed", cluster, *ACCEPT)
    finished = wait_for(large, "killed", 4, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    other = start(large, "killed", cluster, "--min-score", "0.9")
    assert "the journal of another job (settings, accept differ)" in other.communicate()[1]
    assert other.returncode == 4
    told = undisturbed(start(large, "killed", cluster, *ACCEPT), finished)
    assert "of 3,001 (" in told and "accepted at a precision of 0.8" in told
    before = int(told.partition(" texts mapped before")[0].rpartition("\n")[2].replace(",", ""))
    assert 4 * 250 - 2 <= before < 3_001
    assert rows_of(large / "killed") == alone
    kept = {path.name for path in (large / "killed" / JOURNAL).iterdir()}
    assert kept == {"job.json", "summary.json"}
    again = start(large, "killed", cluster, *ACCEPT)
    assert "this job was complete before" in again.communicate()[1]
    assert again.returncode == 0


@with_ray
def test_what_cannot_be_read_is_said(
    cluster: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(tmp_path / "in", ["gout", "asthma", "gout"])
    (tmp_path / "in" / "broken.parquet").write_bytes(b"PAR1 cut off")
    (tmp_path / "in" / "other.csv").write_text("first,second\ngout,asthma\n")
    (tmp_path / "in" / "notes.md").write_text("notes")
    command = ["map", str(tmp_path / "in"), *SMALL, "-o", str(tmp_path / "out"), "--json"]
    assert run([*command, "--cluster", cluster.address]) == 3
    told = json.loads(capfd.readouterr().out)
    assert told["rows"] == len(rows_of(tmp_path / "out")) == 7
    broken, other = told["unread"]
    assert "broken.parquet" in broken and "which column of" in other and "other.csv" in other
    assert [Path(path).name for path in told["of_no_known_form"]] == ["notes.md"]


@with_ray
def test_a_model_is_paid_once_though_the_driver_is_killed(
    cluster: Any, server: ProtocolServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Only requests that were under way when it died may be sent again."""
    texts = [f"gout of toe {n}" for n in range(600)]
    fill(tmp_path / "in", texts)
    model = ["--model", server.judge(), "--concurrency", "3"]
    alone = mapped_alone(tmp_path / "in", tmp_path, *model, "--cache", f"{tmp_path}/alone.sqlite")
    distinct = len(server.seen)
    server.seen.clear()
    with running_redis() as url:
        model += ["--cache", url, "--log", f"{tmp_path}/log.jsonl"]
        command = ["map", str(tmp_path / "in"), *SMALL, "-o", f"{tmp_path}/out", *model]
        assert run([*command, "--estimate", "--json", "--cluster", cluster.address]) == 0
        told = json.loads(capfd.readouterr().out)
        assert (told["distinct_texts"], told["models"][0]["calls"]) == (601, distinct)
        assert not server.seen and not list(tmp_path.glob("out*"))
        process = start(tmp_path, "out", cluster, *model)
        while len(server.seen) < 200:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        poor = start(tmp_path, "out", cluster, *model, "--max-calls", "50")
        told = poor.communicate()[1]
        assert poor.returncode == 7, told
        assert "budget" in told
        assert run([*command, "--estimate", "--json", "--cluster", cluster.address]) == 0
        left = json.loads(capfd.readouterr().out)
        assert left["models"][0]["calls"] == distinct - left["finished_in_the_journal"] > 0
        assert left["texts_without_a_call"] >= left["finished_in_the_journal"] > 50
        account = tmp_path / "account.json"
        done = start(tmp_path, "out", cluster, *model, "--account", str(account))
        told = done.communicate()[1]
    assert done.returncode == 0, told
    estimated, made = calls_by_judge(account)
    assert estimated == made == {server.judge(): left["models"][0]["calls"]}
    assert distinct <= len(server.seen) <= distinct + 3
    assert len({seen.user for seen in server.seen}) == distinct
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert {line["user"] for line in lines} == {seen.user for seen in server.seen}
    assert distinct <= len(lines) <= len(server.seen)
    assert server.peak <= 3
    assert rows_of(tmp_path / "out") == alone


@with_ray
def test_input_and_output_lie_in_an_object_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    source = fill(tmp_path / "in", ["gout", "asthma", "gout", "cholera", "  gout ", "cyst"])
    with running_s3(monkeypatch), two_nodes() as own:
        store, bucket = open_place("s3://bucket?allow_bucket_creation=true")
        store.create_dir(bucket)
        copy_files(str(source), "s3://bucket/in")
        command = ["map", "s3://bucket/in", *SMALL, "-o", "s3://bucket/out", "--json"]
        assert run([*command, "--cluster", own.address]) == 0
        told = json.loads(capfd.readouterr().out)
        infos = store.get_file_info(FileSelector("bucket/out"))
        parts = sorted(info.path for info in infos if info.is_file)
        rows = [row for path in parts for row in pq.read_table(path, filesystem=store).to_pylist()]
        journal = store.get_file_info(FileSelector(f"bucket/out/{JOURNAL}"))
        assert run([*command, "--cluster", own.address]) == 0
        assert json.loads(capfd.readouterr().out)["rows"] == told["rows"] == len(rows)
    assert rows == mapped_alone(source, tmp_path)
    assert {Path(info.path).name for info in journal if info.is_file} == {
        "job.json", "summary.json",
    }  # fmt: skip


@with_ray
def test_rows_that_stand_for_several_are_summed_up_as_on_one_machine(
    cluster: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.csv"
    source.write_text("dx,n\ngout,3\nasthma of toe,2\n,1\ngout,4\n")
    command = ["map", str(source), *SMALL, *ACCEPT, "--count", "n", "--json", "-q", "-o"]
    told = []
    for options in ([f"{tmp_path}/out.parquet"], [f"{tmp_path}/out", "--cluster", cluster.address]):
        assert run([*command, *options]) == 0
        facts = json.loads(capfd.readouterr().out)
        told.append({name: facts[name] for name in facts.keys() - {"seconds", "files"}})
    assert told[0].pop("column") == told[1].pop("columns")[0]
    assert told[0] == told[1] and (told[0]["rows"], told[0]["table_rows"]) == (10, 4)
    source.write_text("dx,Frequency\ngout,3\nasthma of toe,2\n,1\n")
    assert (
        run(["map", str(source), *SMALL, "-o", f"{tmp_path}/f", "--cluster", cluster.address]) == 0
    )
    assert "--count Frequency counts those rows" in capfd.readouterr().err
