"""`dxjudge map` from file to file, as a person runs it."""

import csv
import json
import os
import shlex
import signal
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest

from dxjudge.cli.main import run
from dxjudge.cli.terminal import progress
from dxjudge.graphs import mapper
from dxjudge.ontology.table_row import COLUMNS

EXAMPLES = Path(__file__).parent.parent / "examples" / "diagnoses.csv"
# The index of this release is small, so that a process starts soon.
SMALL = ("--ontology", f"{Path(__file__).parent / 'data' / 'releases' / 'own.py'}:ICD11")
ADDED = [
    *("code", "name", "score", "category_score", "decided_by", "status"),
    *("additional_codes", "additional_names", "reason"),
]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def map_file(path: Path, *options: object) -> int:
    return run(["map", str(path), *map(str, options)])


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example file mapped, with a canonical table beside it."""
    folder = tmp_path_factory.mktemp("mapped")
    code = map_file(EXAMPLES, "-o", folder / "out.csv", "--table", folder / "table.tsv")
    assert code == 0
    return folder


def test_keeps_rows_and_columns_and_adds_its_own(mapped: Path) -> None:
    before, after = rows_of(EXAMPLES), rows_of(mapped / "out.csv")
    assert list(after[0]) == [*before[0], *ADDED]
    assert [{name: row[name] for name in before[0]} for row in after] == before


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_table_of_the_front_pages_is_what_comes(mapped: Path, page: str) -> None:
    lines = (EXAMPLES.parent.parent / page).read_text("utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("| diagnosis | → code |"))
    header, _, *shown = (
        [cell.strip(" →") for cell in line.strip("|").split("|")]
        for line in takewhile(lambda line: line.startswith("|"), lines[start:])
    )
    row_of = {row["diagnosis"]: row for row in rows_of(mapped / "out.csv")}
    assert len(shown) > 3
    for cells in shown:
        assert cells == [row_of[cells[0]][name] for name in header]


def test_maps_what_anybody_would_map(mapped: Path) -> None:
    row_of = {row["diagnosis"]: row for row in rows_of(mapped / "out.csv")}
    for text, code in {
        "Acute appendicitis": "K35",
        "NSTEMI": "I21.4",
        "Iron deficiency anaemia": "D50",
        "Whooping cough": "A37",
        "Guillain-Barré syndrome": "G61.0",
        "Bell's palsy": "G51.0",
    }.items():
        assert row_of[text]["code"].startswith(code), text
        assert row_of[text]["status"] == "mapped"
    for text in ("no diagnosis", "Hb 9.2 g/dL", "???", ""):
        row = row_of[text]
        assert [row[name] for name in ADDED[:6]] == ["", "", "", "", "none", "unmapped"], text
        assert row["reason"]


def test_sums_up_on_standard_error(
    mapped: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "table.tsv"
    copy.write_bytes((mapped / "table.tsv").read_bytes())
    assert map_file(EXAMPLES, "-o", tmp_path / "again.csv", "--table", copy) == 0
    said = capfd.readouterr()
    assert said.out == ""
    # 60 rows; one text stands twice and one cell is empty: 58 distinct texts.
    assert "60 rows, 58 distinct texts, 58 of them from the canonical table" in said.err
    assert "unmapped 4 · failed 0" in said.err
    assert "several diagnoses in one cell: 2 rows; --split" in said.err
    assert f"rows: {tmp_path / 'again.csv'}" in said.err
    assert (tmp_path / "again.csv").read_text() == (mapped / "out.csv").read_text()
    assert copy.read_bytes() == (mapped / "table.tsv").read_bytes()


def test_a_review_wins_and_only_new_texts_are_mapped(
    mapped: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.tsv"
    text = (mapped / "table.tsv").read_text("utf-8")
    table.write_text(text + "Broken toe\ts92919a" + "\t" * (len(COLUMNS) - 2) + "\n", "utf-8")
    (tmp_path / "in.txt").write_text("Broken toe\nNSTEMI\nabscess of the liver\n")
    options = ("--candidates", "-o", tmp_path / "out.jsonl", "--table", table)
    assert map_file(tmp_path / "in.txt", *options) == 0
    assert "reviewed 1" in capfd.readouterr().err
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    toe, infarct, abscess = found
    assert (toe["code"], toe["decided_by"], toe["score"]) == ("S92.919A", "reviewed", 1.0)
    assert (infarct["code"], abscess["code"]) == ("I21.4", "K75.0")
    assert toe["candidates"] == []
    assert len(infarct["candidates"]) == 15
    scores = {"score", "category_score"}
    assert set(infarct["candidates"][0]) == {"code", "name", "term", "source", "why", *scores}
    kept = table.read_text("utf-8").splitlines()
    assert len(kept) == len(text.splitlines()) + 2
    assert kept[-1].startswith("abscess of the liver\tK75.0\t")


def test_split_gives_each_diagnosis_of_a_cell_its_code(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    cells = ["whooping cough; Bell's palsy", "shingles; ???", "gout", ""]
    lines = [{"id": [n], "dx": cell, "code": "own"} for n, cell in enumerate(cells)]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert map_file(path, "--split", "-o", tmp_path / "out.jsonl", "-q") == 0
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["id"] for row in found] == [[0], [1], [2], [3]]
    assert [row["code"] for row in found] == ["own"] * 4
    assert [row["code_dxjudge"] for row in found] == ["A37; G51.0", "B02", "M10", None]
    assert [row["status"] for row in found] == ["mapped", "mapped", "mapped", "unmapped"]
    parts = found[0]["parts"]
    assert [(part["text"], part["code"]) for part in parts] == [
        ("whooping cough", "A37"),
        ("Bell's palsy", "G51.0"),
    ]
    assert found[0]["score"] == min(part["score"] for part in parts)


def test_parquet_and_options_reach_the_mapper(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Whooping cough\nwozzle heart disorder\n")
    options = ("--specificity", "category", "--min-score", "0.9", "--top-k", "3", "--candidates")
    out = tmp_path / "out.parquet"
    assert map_file(tmp_path / "in.txt", *options, "-o", out, "-q") == 0
    table = pq.read_table(out).to_pylist()
    assert [row["code"] for row in table] == ["A37", None]
    assert [row["score"] for row in table] == [1.0, None]
    assert "below 0.9" in table[1]["reason"]
    assert len(json.loads(table[0]["candidates"])) == 3


def test_what_no_diagnosis_looks_like_does_no_harm(tmp_path: Path) -> None:
    cells = [
        "gout " * 2_000_000,
        "a\x00b\x01\x02\x03\x04",
        "\x1b[31mgout",
        "(" * 50_000,
        "\ufffe",
        "🤒",
    ]
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["dx", "n"], *([cell, "1"] for cell in cells)])
    assert map_file(tmp_path / "in.csv", "-o", tmp_path / "out.jsonl", "-q") == 0
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [row["dx"] for row in found] == cells
    assert {row["status"] for row in found} <= {"mapped", "unmapped"}
    assert found[0]["code"] == "M10"
    assert "only the first 2,000 of 9,999,999 characters were read" in found[0]["reason"]
    assert found[1]["status"] == "unmapped"


def test_a_header_without_rows_gives_a_header_without_rows(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.csv").write_text("id,dx\n")
    assert map_file(tmp_path / "in.csv", "-o", tmp_path / "out.csv") == 0
    assert (tmp_path / "out.csv").read_text() == ",".join(["id", "dx", *ADDED]) + "\n"
    assert "0 rows" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("content", "options", "code", "said"),
    [
        (b"a,b\n1,2\n", [], 2, "--column; there are: a, b"),
        (b"a,b\n1,2\n", ["--column", "c"], 2, "no column 'c'; there are: a, b"),
        (b"dx\ngout\n", ["--ontology", "icd11"], 2, "icd10cm and icd10"),
        (b"dx\ngout\n", ["-o", "out.docx"], 2, "what format is out.docx"),
        (b"dx\ngout\n", ["-o", "in.csv"], 2, "must be different files"),
        (b"dx\ngout\n", ["--table", "in.csv"], 2, "must be different files"),
        (b"dx\ngout\n", ["--specificity", "exact"], 2, "concept"),
        (b"", [], 4, "in.csv is empty"),
        (b"dx\nm\xe9ni\xe8re\n", [], 4, "in.csv, line 2: byte 0xE9 is not UTF-8"),
        (bytes(range(256)) * 9, [], 4, "in.csv is a binary file"),
        (b"dx,n\ngout\n", [], 4, "row 1 (line 2) has 1 cell"),
        (b"dx\ngout\n", ["--table", "bad.tsv"], 4, "bad.tsv, row 1 (line 2): 'XXX'"),
        (b"dx\ngout\n", ["-o", "none/out.csv"], 5, "cannot write none/out.csv"),
        (b"dx\ngout\n", ["-o", "folder.csv"], 5, "it is a folder"),
        (b"dx\ngout\n", ["--table", "none/t.tsv"], 5, "cannot write none/t.tsv"),
        (b"dx,n,n\ngout,1,2\n", ["-o", "out.jsonl"], 5, "two columns 'n'"),
    ],
)
def test_bad_input_is_one_line_and_an_exit_code_before_any_work(
    content: bytes,
    options: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_bytes(content)
    Path("bad.tsv").write_text("text\tcode\ngout\tXXX\n")
    Path("folder.csv").mkdir()
    assert run(["map", "in.csv", *options]) == code
    output = capfd.readouterr()
    assert output.out == ""
    assert said in output.err
    assert len(output.err.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.tsv", "folder.csv", "in.csv"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_keeps_the_table(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.txt").write_text("gout\n" + "x" * 10_000)
    table = tmp_path / "t.tsv"
    journal = tmp_path / "in.journal"  # by default it would be in /dev, and shared by all runs
    options = ("-o", "/dev/full", "--output-format", "csv", "--table", table, "--journal", journal)
    assert map_file(tmp_path / "in.txt", *options) == 5
    assert "cannot write /dev/full: No space left" in capfd.readouterr().err
    assert table.read_text().splitlines()[1].startswith("gout\tM10")


def test_a_pipe_in_and_a_pipe_out_that_closes(tmp_path: Path) -> None:
    # 3,000 rows of one text are more than a pipe holds.
    command = shlex.join([sys.executable, "-m", "dxjudge", "map", "-", *SMALL])
    script = (
        '(echo dx; yes "the same old cholera on every line" | head -3000)'
        f' | {command} | head -2; echo "${{PIPESTATUS[@]}}"'
    )
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    header, first, status = done.stdout.splitlines()
    assert header == ",".join(["dx", *ADDED])
    assert first.startswith("the same old cholera on every line,1A00")
    assert status == "0 141 0"
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_an_interruption_keeps_what_was_mapped(tmp_path: Path) -> None:
    import pty

    (tmp_path / "in.txt").write_text("".join(f"gout of toe {n}\n" for n in range(3_000)))
    command = [sys.executable, "-m", "dxjudge", "map", "in.txt", "-o", "out.csv", *SMALL]
    terminal, other_end = pty.openpty()
    process = subprocess.Popen([*command, "--table", "t.tsv"], cwd=tmp_path, stderr=other_end)
    os.close(other_end)
    seen = read_until(terminal, b"a minute")
    process.send_signal(signal.SIGINT)
    seen += read_until(terminal, None)
    assert process.wait(60) == 130
    assert b"mapping" in seen
    assert b"newly mapped texts are kept in t.tsv" in seen
    assert b"Traceback" not in seen
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["in.txt", "out.csv.journal", "t.tsv"]
    rows = (tmp_path / "t.tsv").read_text().splitlines()
    assert 8 <= len(rows) - 1 < 3_000  # so many are mapped before the workers start


def read_until(terminal: int, wanted: bytes | None) -> bytes:
    """What a process writes to a terminal, up to a word or to its end."""
    seen = b""
    while wanted is None or wanted not in seen:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not piece:
            break
        seen += piece
    return seen


def test_standard_input_of_json_lines_comes_back_as_json_lines() -> None:
    lines: list[dict[str, Any]] = [{"dx": "Epidemic cholera", "n": 1}, {"dx": None}]
    done = subprocess.run(
        [sys.executable, "-m", "dxjudge", "map", "-", "--quiet", *SMALL],
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found[0] | {"name": None} == {
        **lines[0],
        "code": "1A00",
        "name": None,
        "score": 1.0,
        "category_score": 1.0,
        "decided_by": "exact",
        "status": "mapped",
        "additional_codes": None,
        "additional_names": None,
        "reason": None,
    }
    assert (found[1]["dx"], found[1]["status"]) == (None, "unmapped")


def test_off_a_terminal_map_says_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr(mapper, "_BATCH", 64)
    source, target = tmp_path / "in.txt", tmp_path / "out.csv"
    source.write_text("".join(f"gout of toe {n}\n" for n in range(130)), "utf-8")
    map_file(source, "-o", target, *SMALL)
    lines = [line for line in capsys.readouterr().err.splitlines() if "dxjudge: mapping" in line]
    assert [line.split(",")[0] for line in lines] == [
        f"dxjudge: mapping: {done} of 130" for done in (0, 64, 128, 130)
    ]
    assert [" left" in line for line in lines] == [False, True, True, False]
    map_file(source, "-o", target, "-q", *SMALL)
    assert capsys.readouterr().err == ""


def test_the_pace_counts_this_run_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Before, texts of the journal made a run that went on look fast, and no line had a time left.
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    now = progress.Now(done=100)
    for clock[0], done in ((29.0, 200), (60.0, 400), (91.0, 1000)):
        now.say("mapping", done, 1000)
    # after 60 s: 300 new, so 300 a minute, and 600 / 300 = 2 minutes left
    assert capsys.readouterr().err.splitlines() == [
        "dxjudge: mapping: 400 of 1,000, 2 min left, 300 a minute",
        "dxjudge: mapping: 1,000 of 1,000, 593 a minute",  # 60 * 900 / 91
    ]


def test_the_output_keeps_cells_that_look_like_formulas(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("dx\n=gout\n+gout\n-gout\n@gout\n", "utf-8")
    assert map_file(source, "-o", tmp_path / "out.csv", "-q") == 0
    assert [row["dx"] for row in rows_of(tmp_path / "out.csv")] == [f"{c}gout" for c in "=+-@"]
    assert map_file(source, "-o", tmp_path / "out.xlsx", "-q") == 0
    cells = openpyxl.load_workbook(tmp_path / "out.xlsx").active["A"][1:]
    assert [(cell.value, cell.data_type) for cell in cells] == [(f"{c}gout", "s") for c in "=+-@"]
