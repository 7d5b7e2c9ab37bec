"""The rows of a large file are read from it, and come out as those that were in memory."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dxjudge.cli.main import run
from dxjudge.errors import InputError
from dxjudge.files import file_rows, large
from dxjudge.files.file_rows import FileRows
from dxjudge.files.forms import Form
from dxjudge.files.large import open_sheet
from dxjudge.files.rows_in import column_texts, read_sheet

OWN = f"{Path(__file__).parent / 'data' / 'releases' / 'own.py'}:ICD11"
CELLS = ["gout", 'of "toe",\nleft', "", "asthma\r\nand more", "1,5", "é — ü", "=1"]


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LARGE", 1)
    monkeypatch.setattr(large, "_LARGE_PACKED", 1)
    monkeypatch.setattr(file_rows, "_SLICE", 3)


def write(folder: Path, name: str) -> Path:
    """A file of seven rows in the form of its name."""
    path = folder / name
    quoted = [cell.replace('"', '""') for cell in CELLS]
    if path.suffix == ".parquet":
        table = pa.table({"n": range(len(CELLS)), "dx": CELLS, "a.b": [None, *CELLS[1:]]})
        pq.write_table(table, path)
    elif path.suffix == ".txt":
        path.write_bytes(b"\xef\xbb\xbfgout\r\n\r\nasthma\rcholera\n\n\r\n")
    elif name.startswith("one"):
        path.write_text("\ufeff\ufeffdx\ngout\n\nasthma\n\n\n", "utf-8", newline="")
    else:
        mark = "\t" if ".tsv" in name else ";"
        lines = [f'{n}{mark}"{cell}"' for n, cell in enumerate(quoted)]
        text = "\r\n".join([f"n{mark}dx", *lines, ""])
        data = text.encode("utf-16" if "wide" in name else "utf-8")
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize(
    "name",
    ["a.csv", "a.tsv", "a.csv.gz", "wide.csv", "one.csv", "list.txt", "a.parquet", "dx-no-suffix"],
)
def test_rows_of_the_file_are_those_in_memory(tmp_path: Path, name: str) -> None:
    path = str(write(tmp_path, name))
    whole = read_sheet(path)
    sheet = open_sheet(path, Form())
    assert isinstance(sheet.rows, FileRows)
    assert (sheet.format, sheet.columns, sheet.style) == (whole.format, whole.columns, whole.style)
    assert list(sheet.rows) == list(sheet.rows) == whole.rows
    assert (len(sheet.rows), sheet.rows[-1], sheet.rows[1:3]) == (
        len(whole.rows), whole.rows[-1], whole.rows[1:3],
    )  # fmt: skip
    for place in range(len(sheet.columns)):
        assert column_texts(sheet, place) == column_texts(whole, place)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize("out", ["csv", "parquet", "jsonl"])
def test_the_output_is_that_of_a_small_file(
    tmp_path: Path, name: str, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, name)
    command = ["map", str(path), "--column", "dx", "--ontology", OWN, "--candidates", "-q"]
    assert run([*command, "-o", str(tmp_path / f"large.{out}")]) == 0
    monkeypatch.setattr(large, "LARGE", 10**9)
    assert run([*command, "-o", str(tmp_path / f"small.{out}")]) == 0
    if out == "parquet":
        tables = [pq.read_table(tmp_path / f"{size}.parquet") for size in ("large", "small")]
        assert tables[0].equals(tables[1])
        return
    assert (tmp_path / f"large.{out}").read_bytes() == (tmp_path / f"small.{out}").read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"n,dx\n1,gout\n2,a,b\n", r"row 2 \(line 3\) has 3 cells, the header 2"),
        (b'n,dx\n1,"gout\n2,a\n', "line 2: a quote is opened and never closed"),
        (b"n,dx\n1,gout\n2,\xe9t\xe9\n", "line 3: byte 0xE9 is not UTF-8; if it was saved by"),
        (b"n,dx\n" + b"1,gout\n" * 3000 + b"2,\xe9t\xe9\n", "line 3002: byte 0xE9"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(InputError, match=said):
        list(open_sheet(str(tmp_path / "a.csv"), Form()).rows)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content)[:-5])
    with pytest.raises(InputError, match=r"a\.csv\.gz"):
        list(open_sheet(str(tmp_path / "a.csv.gz"), Form()).rows)


def test_parquet_and_packed_files_are_large_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "LARGE", 10**6)
    kinds = [open_sheet(str(write(tmp_path, name)), Form()).rows for name in
             ("a.csv", "a.csv.gz", "a.parquet")]  # fmt: skip
    assert [isinstance(rows, FileRows) for rows in kinds] == [False, True, True]


def test_a_file_that_changes_between_two_readings_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv")
    sheet: Any = open_sheet(str(path), Form())
    assert len(sheet.rows) == len(CELLS)
    path.write_text("n,dx\n1,other\n")
    with pytest.raises(InputError, match="changed while it was read"):
        list(sheet.rows)
