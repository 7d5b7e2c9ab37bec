"""Several processes map as one does, and a worker or its starter that is killed costs nothing."""

import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from dxjudge import Mapper
from dxjudge.cli.main import run
from dxjudge.cli.terminal.progress import Stages, open_bar
from dxjudge.errors import InputError
from dxjudge.graphs import workers
from dxjudge.graphs.workers import cores, stream_by, workers_for
from dxjudge.ontology.mapping import Mapping

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")

TEXTS = [f"{name} of {place}" for name in ("cyst", "burn", "gout", "abscess") for place in
         ("toe", "left hand", "skin", "jaw", "knee", "eyelid")]  # fmt: skip


class _Faulty(Mapper):
    def stream(self, texts: Iterable[str], *, choose: bool = True) -> Iterator[list[Mapping]]:
        for batch in super().stream(texts, choose=choose):
            if any(mapping.text == TEXTS[-1] for mapping in batch):
                raise InputError("the index is gone")
            yield batch


class _Paced(Mapper):
    """Maps without an index; a text waits as long as its first word says."""

    def stream(self, texts: Iterable[str], *, choose: bool = True) -> Iterator[list[Mapping]]:
        for text in texts:
            time.sleep(float(text.split()[0]))
            yield [Mapping(text, "unmapped", None, "")]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_BATCH", 2)
    monkeypatch.setattr(workers, "_FIRST", 1)


@pytest.mark.usefixtures("small_batches")
def test_a_killed_worker_costs_no_text_and_the_order_stays() -> None:
    mapper = Mapper(added="none")
    mapped: list[Mapping] = []
    for number, batch in enumerate(stream_by(mapper, TEXTS, 3)):
        mapped += batch
        if number in (1, 2):  # two of the three
            multiprocessing.active_children()[0].kill()
    assert mapped == mapper.map_many(TEXTS)
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("small_batches")
def test_a_fault_in_a_worker_is_raised_in_the_process_that_started_it() -> None:
    done: list[Mapping] = []
    with pytest.raises(InputError, match="the index is gone"):
        for batch in stream_by(_Faulty(added="none"), TEXTS[-6:], 2):
            done += batch
    assert [mapping.text for mapping in done] == TEXTS[-6:-1]
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("small_batches")
def test_batches_larger_than_a_pipe_do_not_block_each_other() -> None:
    texts = [f"0 {number}".ljust(1_000_000) for number in range(13)]
    mapped = [mapping.text for batch in stream_by(_Paced(), texts, 2) for mapping in batch]
    assert mapped == texts


@pytest.mark.usefixtures("small_batches")
def test_no_batch_is_left_where_all_that_were_sent_end_before_a_slow_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "_BATCH", 1)
    # The second worker has 2 and 3; the first one has 17 when 2 ends, and is done before 3 ends.
    slow = {2: 0.15, 3: 0.25, 17: 0.25}
    texts = ["0 first", *(f"{slow.get(number, 0)} {number}" for number in range(40))]
    mapped = [mapping.text for batch in stream_by(_Paced(), texts, 2) for mapping in batch]
    assert mapped == texts


def _start_and_wait(pipe: Connection) -> None:
    with workers._team(Mapper(added="none"), 2):
        pipe.send([child.pid for child in multiprocessing.active_children()])
        time.sleep(60)


def test_workers_end_where_the_process_that_started_them_is_killed() -> None:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    starter = context.Process(target=_start_and_wait, args=(theirs,))
    starter.start()
    assert ours.poll(30)
    pids = ours.recv()
    assert len(pids) == 2
    assert starter.pid
    os.kill(starter.pid, signal.SIGKILL)
    starter.join()
    last = time.monotonic() + 30
    while any(map(_is_running, pids)) and time.monotonic() < last:
        time.sleep(0.02)
    assert not any(map(_is_running, pids))


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_mapper_that_shows_its_progress_can_be_sent_where_workers_do_not_fork() -> None:
    with open_bar() as bar:
        mapper = Mapper(top_k=3, progress=Stages(bar, quiet=False))
        assert pickle.loads(pickle.dumps(mapper)).top_k == 3


def test_the_cores_within_the_limit_of_a_container_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "cpu.max"
    monkeypatch.setattr(workers, "_CPU_LIMIT", limit)
    usable = len(os.sched_getaffinity(0))
    assert cores() == usable  # no such file
    limit.write_text("max 100000\n")
    assert cores() == usable
    limit.write_text("50000 100000\n")  # half a core
    assert cores() == 1
    assert workers_for(100_000) == 1
    monkeypatch.setattr(workers, "cores", lambda: 16)
    assert [workers_for(texts) for texts in (0, 255, 256, 1_000, 10_000)] == [1, 1, 2, 7, 16]


def test_workers_are_refused_where_one_process_asks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.txt").write_text("gout\n")
    assert run(["map", str(tmp_path / "in.txt"), "--workers", "2", "--encoder", "other"]) == 2
    assert "--workers is for the packaged encoder" in capsys.readouterr().err
