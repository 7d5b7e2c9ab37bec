"""The journal: what a run has finished survives its end, and one run at a time has it."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dxjudge.errors import InputError, OutputError
from dxjudge.files.journal import Journal


def open_numbers(path: Path | None, job: Any = None) -> Journal[int]:
    return Journal(path, read=int, write=int, job=job)


def test_what_is_kept_is_found_by_the_next_run_but_not_what_was_never_finished(
    tmp_path: Path,
) -> None:
    path = tmp_path / "out.csv.journal"
    with open_numbers(path, {"step": "a"}) as journal:
        journal.keep("one", 1)
        journal.keep('a "quoted"\nname \ud800', 2)
        assert (journal.find("one"), journal.find("two"), len(journal)) == (1, None, 2)
    with open_numbers(path, {"step": "a"}) as again:
        assert (again.find("one"), again.find('a "quoted"\nname \ud800'), len(again)) == (1, 2, 2)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.csv.journal"]


def test_without_a_path_it_remembers_and_writes_nothing(tmp_path: Path) -> None:
    journal = open_numbers(None)
    journal.keep("one", 1)
    assert journal.find("one") == 1
    journal.close(remove=True)
    assert list(tmp_path.iterdir()) == []


def test_a_second_writer_is_refused_with_what_to_do_and_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with open_numbers(path) as first:
        with pytest.raises(OutputError, match=r"journal.jsonl is being written by another run: "):
            open_numbers(path)
        first.keep("one", 1)
    with open_numbers(path) as second:
        assert second.find("one") == 1


def test_the_lock_of_a_killed_process_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from dxjudge.files.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]), read=int, write=int)\n"
        "journal.keep('one', 1)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == -9
    with open_numbers(path) as journal:
        assert journal.find("one") == 1


@pytest.mark.parametrize("cut", [1, 5, 15])
def test_a_last_line_that_was_cut_off_is_dropped_and_the_next_starts_on_its_own(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "journal.jsonl"
    with open_numbers(path) as journal:
        journal.keep("one", 1)
        journal.keep("two", 2)
    path.write_bytes(path.read_bytes()[:-cut])
    with open_numbers(path) as journal:
        assert (journal.find("one"), journal.find("two")) == (1, None)
        journal.keep("three", 3)
    with open_numbers(path) as journal:
        assert (journal.find("one"), journal.find("three")) == (1, 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"format":"dxjudge journal","step":"b"}\n',
            "is the journal of another job .* again to retry its failed rows, remove the file, or",
        ),
        ('{"key": "one", "outcome": 1}\n', "of an earlier version of dxjudge"),
        ("case,verdict\n", "is not a journal"),
        ('{"format":"dxjudge journal","step":"a"}\nrubbish\n', "line 2 is damaged"),
        ('{"format":"dxjudge journal","step":"a"}\n{"key":"one"}\n', "line 2 is damaged"),
    ],
)
def test_a_file_that_cannot_be_gone_on_with_is_named_and_left_as_it_is(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as raised:
        open_numbers(path, {"step": "a"})
    assert str(path) in str(raised.value)
    assert path.read_text() == content


def test_a_full_disk_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.symlink_to("/dev/full")
    with pytest.raises(OutputError, match="no space left on device: the journal .*journal.jsonl"):
        open_numbers(path)


def test_what_was_finished_before_the_disk_was_full_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_numbers(path) as journal:
        journal.keep("one", 1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.stat(path).st_size + 10, hard))
        try:
            with pytest.raises(OutputError, match=r"holds 1 finished items; .*same command again"):
                journal.keep("two", 2)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert journal.find("two") is None
    with open_numbers(path) as journal:
        assert (journal.find("one"), len(journal)) == (1, 1)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="nowhere"):
        open_numbers(tmp_path / "nowhere" / "journal.jsonl")


def test_a_journal_without_a_finished_item_is_not_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    open_numbers(path).close()
    assert not path.exists()
