"""A run of `dxjudge map` that is killed loses nothing, and the same command goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dxjudge.cli.main import run
from dxjudge.files.bytes import writing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

TEXTS = [f"gout of toe {number}, stage {number % 7}" for number in range(400)]
# Its index is small, so that a run is killed soon after its start.
SMALL = ["--ontology", f"{Path(__file__).parent / 'data' / 'releases' / 'own.py'}:ICD11"]


def command(folder: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "dxjudge", "map", str(folder / "in.csv"), *SMALL, *options]


def prepare(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    # In reverse once more: rows repeat texts, and the order is not that of the journal.
    (folder / "in.csv").write_text("dx\n" + "".join(f'"{t}"\n' for t in TEXTS + TEXTS[::-1]))
    return folder


def kill(folder: Path, number: int, *options: str, lines: int) -> int:
    """Run, and send a signal when the journal holds so many texts; the exit status."""
    journal = folder / "out.csv.journal"
    process = subprocess.Popen(command(folder, *options), stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if journal.exists() and len(journal.read_bytes().splitlines()) > lines:
            process.send_signal(number)
            break
        time.sleep(0.02)
    return process.wait(120)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody disturbed."""
    folder = prepare(tmp_path_factory.mktemp("whole"))
    options = ("-o", str(folder / "out.csv"), "--table", str(folder / "table.tsv"), "-q")
    assert run(["map", str(folder / "in.csv"), *SMALL, *options]) == 0
    return folder


# SIGHUP is what a dropped connection sends; both end like the interrupt key.
@pytest.mark.usefixtures("hangup_ends")
@pytest.mark.parametrize(("with_table", "ends"), [(False, "SIGTERM"), (True, "SIGHUP")])
def test_a_killed_run_goes_on_to_the_same_bytes(
    whole: Path, tmp_path: Path, with_table: bool, ends: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = prepare(tmp_path)
    options = ["-o", str(folder / "out.csv")]
    options += ["--table", str(folder / "table.tsv")] if with_table else []
    assert kill(folder, signal.SIGKILL, *options, "-q", lines=60) == -signal.SIGKILL
    others = [*options, "-q", "--min-score", "0.9"]
    assert run(["map", str(folder / "in.csv"), *SMALL, *others]) == 4
    assert "out.csv.journal is the journal of another job" in capsys.readouterr().err
    assert kill(folder, signal.Signals[ends], *options, "-q", lines=130) == 130
    held = (folder / "out.csv.journal").read_text().splitlines()[1:]
    kept = {json.loads(line)["key"] for line in held}
    assert 130 <= len(kept) < len(TEXTS)
    assert not (folder / "out.csv").exists()
    assert run(["map", str(folder / "in.csv"), *SMALL, *options]) == 0
    assert f"{len(kept):,} texts mapped before" in capsys.readouterr().err
    assert (folder / "out.csv").read_bytes() == (whole / "out.csv").read_bytes()
    names = {"in.csv", "out.csv"} | ({"table.tsv"} if with_table else set())
    assert {path.name for path in folder.iterdir()} == names
    if with_table:
        assert (folder / "table.tsv").read_bytes() == (whole / "table.tsv").read_bytes()


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(
    tmp_path: Path,
) -> None:
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from dxjudge.files.bytes import writing\n"
        "with writing(Path(sys.argv[1])) as file:\n"
        "    file.write(b'half')\n"
        "    file.flush()\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    target = tmp_path / "out.csv"
    subprocess.run([sys.executable, "-c", program, str(target)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".part")
    with writing(target) as first:
        first.write(b"first")
        assert not left.exists()
        with writing(target) as second:
            second.write(b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["out.csv"]
