"""The rows of a large file are read from it, and come out as those that were in memory."""

import contextlib
import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge.cli.main import run
from dxjudge.cli.terminal import progress
from dxjudge.errors import InputError
from dxjudge.evaluation.pages.coded import rows_of
from dxjudge.files import content, file_rows, large
from dxjudge.files.cells import cell_text
from dxjudge.files.delimited import allow_long_cells
from dxjudge.files.file_rows import FileRows
from dxjudge.files.forms import Form
from dxjudge.files.json_stream import array_values
from dxjudge.files.large import open_sheet
from dxjudge.files.parquet import arrow_table
from dxjudge.files.rows_in import Sheet, column_texts, read_sheet
from dxjudge.files.rows_out import write_sheet

OWN = f"{Path(__file__).parent / 'data' / 'releases' / 'own.py'}:ICD11"
CELLS = ["gout", 'of "toe",\nleft', "", "asthma\r\nand more", "1,5", "é — ü", "=1"]


OBJECTS = [
    {
        "n": n,
        "dx": cell,
        **({"more": {"a": [n, 'a "']}} if n > 2 else {}),
        "v": [1, 2.5, "x"][n // 3],
        "t": [2.5, True, None][n // 3],
        # Of the first slice and the others, no number has the values.
        "w": [2**53 + 1, 0.5, 2.0][n // 3],
        "in": {"w": [2**53 + 1, 0.5, 2.0][n // 3]},
    }
    for n, cell in enumerate(CELLS)
]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=4,
)


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LARGE", 1)
    monkeypatch.setattr(large, "_LARGE_PACKED", 1)
    monkeypatch.setattr(large, "_HEAD", 64)
    monkeypatch.setattr(file_rows, "_SLICE", 3)
    monkeypatch.setattr(content, "_AT_ONCE", 32)
    monkeypatch.setattr(content, "_KEPT", 16)


def workbook() -> bytes:
    """A sheet that begins below an empty row and has empty rows within and at its end."""
    book = openpyxl.Workbook()
    date = datetime(2020, 1, 2)
    rows: list[list[Any]] = [
        [], ["n", "dx", "v"], [1, "gout", date], [], [None, "asthma", 7], [2.5], [], [None],
    ]  # fmt: skip
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def parquet() -> bytes:
    file = io.BytesIO()
    table = pa.table({"n": range(len(CELLS)), "dx": CELLS, "a.b": [None, *CELLS[1:]]})
    pq.write_table(table, file)
    return file.getvalue()


def delimited(mark: str) -> str:
    quoted = [cell.replace('"', '""') for cell in CELLS]
    return "\r\n".join([f"n{mark}dx", *(f'{n}{mark}"{cell}"' for n, cell in enumerate(quoted)), ""])


LINES = "\n\n".join(map(json.dumps, OBJECTS))
FILES: dict[str, bytes | str] = {
    "a.csv": delimited(";"),
    "a.tsv": delimited("\t"),
    "a.csv.gz": gzip.compress(delimited(";").encode()),
    "wide.csv": delimited(";").encode("utf-16"),
    "one.csv": "\ufeff\ufeffdx\ngout\n\n\nasthma\n\n\n",
    "list.txt": b"\xef\xbb\xbfgout\r\n\r\nasthma\rcholera\n\n\r\n",
    "dx-no-suffix": delimited(";"),
    # The first lines end within the quoted cell; only the row tells the separator.
    "long.csv": 'n;b,dx\n1;"' + "long, text\n" * 30 + '"\n2;"x, y"\n',
    "blank-first": "\n" * 100 + "gout\n\nflu\n",
    "blank-before-array": "\n" + json.dumps(OBJECTS),
    "a.jsonl": LINES,
    "lines.json": LINES,
    "lines-no-suffix": LINES,
    "a.json": json.dumps(OBJECTS, indent=1),
    "array-no-suffix": "\ufeff" + json.dumps(OBJECTS),
    "wide.json": json.dumps(OBJECTS).encode("utf-16"),
    "texts.json": json.dumps(CELLS),
    "bracket-list": "[R] knee pain\n[L] gout\n",
    "a.xlsx": workbook(),
    "book-no-suffix": workbook(),
    "a.xlsx.gz": gzip.compress(workbook()),
    "a.parquet": parquet(),
    "a.parquet.gz": gzip.compress(parquet()),
}


def write(folder: Path, name: str) -> Path:
    """Write one of the files."""
    path, data = folder / name, FILES[name]
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def assert_same(sheet: Sheet, whole: Sheet) -> None:
    assert isinstance(sheet.rows, FileRows)
    assert (sheet.format, sheet.columns, sheet.style) == (whole.format, whole.columns, whole.style)
    assert list(sheet.rows) == list(sheet.rows) == whole.rows
    assert (len(sheet.rows), sheet.rows[-1], sheet.rows[1:3]) == (
        len(whole.rows), whole.rows[-1], whole.rows[1:3],
    )  # fmt: skip
    for place in range(len(sheet.columns)):
        if sheet.columns[place] not in ("more", "in"):
            assert column_texts(sheet, place) == column_texts(whole, place)


@pytest.mark.parametrize("name", FILES)
def test_rows_of_the_file_are_those_in_memory(tmp_path: Path, name: str) -> None:
    path = str(write(tmp_path, name))
    assert_same(open_sheet(path, Form()), read_sheet(path))


@pytest.mark.parametrize("name", FILES)
def test_rows_from_a_pipe_are_those_of_the_file(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, name)
    form = Form(Form().kind_of(name))
    with path.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=file))
        sheet = open_sheet("-", form)
    assert sheet.name == "standard input"
    assert_same(sheet, read_sheet(str(path), form))


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.json", "a.xlsx"])
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
    "cells", [[2.5, True], [datetime(2020, 1, 2), 7], [datetime(2020, 1, 2), 0.5], [1, "x"]]
)
def test_a_column_of_several_types_becomes_text_in_which_no_value_changes(cells: list[Any]) -> None:
    """Arrow makes 1.0 of true beside a decimal number, and a time of a number beside a date."""
    table = arrow_table(["v"], [[cell] for cell in cells])
    assert table["v"].to_pylist() == [cell_text(cell) for cell in cells]


@pytest.mark.parametrize(
    "name", ["a.csv", "a.jsonl", "a.parquet", "a.parquet.gz", "a.xlsx", "a.xlsx.gz"]
)
def test_reading_and_writing_say_how_far_they_are(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr(progress, "_MEGABYTE", 1)
    path = write(tmp_path, name)
    options = ["--column", "dx", "--ontology", OWN, "-o", str(tmp_path / "out.csv")]
    assert run(["map", str(path), *options]) == 0
    said = capsys.readouterr().err
    told = re.findall(r"dxjudge: (reading|writing).*, MB[^:]*: ([\d,]+) of ([\d,]+)", said)
    assert len(told) == said.count(", MB")
    (distinct,) = re.findall(r"(\d+) distinct text", said)
    assert {distinct} == set(re.findall(r"mapping: \d+ of (\d+)", said))
    for stage in ("reading", "writing"):
        places = [(int(done.replace(",", "")), int(size.replace(",", "")))
                  for of, done, size in told if of == stage]  # fmt: skip
        assert places and all(done <= size for done, size in places)
        assert any(done == size for done, size in places)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=path.open("rb")))
    form = Form().kind_of(name)
    assert form and run(["map", "-", "--input-format", form, *options]) == 0
    told = re.findall(r"dxjudge: reading the input, MB: ([\d,]+)", capsys.readouterr().err)
    assert f"{path.stat().st_size:,}" in told
    assert run(["map", str(path), *options, "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_only_bytes_are_called_megabytes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    with progress.stages(quiet=False) as show:
        for stage in ("reading", "writing"):  # the files of a job on a cluster
            show(stage, 3, 10)
    said = capsys.readouterr().err
    assert "dxjudge: reading: 3 of 10" in said and "dxjudge: writing: 3 of 10" in said


_COPYING = """
import sys, tempfile
from dxjudge.files import content
if len(sys.argv) > 2:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
tempfile.tempdir = sys.argv[1]
try:
    copy = content.open_content("-")
except Exception as fault:
    sys.exit(f"{type(fault).__name__}: {fault}")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals and limits")
@pytest.mark.parametrize("ends", ["killed", "full"])
def test_a_copy_of_a_pipe_leaves_nothing_behind(tmp_path: Path, ends: str) -> None:
    command = [sys.executable, "-c", _COPYING, str(tmp_path), *(["full"] if ends == "full" else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin and process.stderr
        if ends == "killed":
            process.stdin.write(b"gout\n" * 2_000_000)  # more than a pipe holds, so it is read
            process.stdin.flush()
            process.kill()
        else:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(b"gout\n" * 2_000_000)
            said = process.stderr.read().decode()
            assert "OutputError: cannot write a temporary file: File too large" in said
            assert "TMPDIR" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"n,dx\n1,gout\n2,a,b\n", r"row 2 \(line 3\) has 3 cells, the header 2"),
        (b'n,dx\n1,"gout\n2,a\n', "line 2: a quote is opened and never closed"),
        (b"n,dx\n1,gout\n2,\xe9t\xe9\n", "line 3: byte 0xE9 is not UTF-8; if it was saved by"),
        (b"n,dx\n" + b"1,gout\n" * 3000 + b"2,\xe9t\xe9\n", "line 3002: byte 0xE9"),
    ],
)
def test_a_fault_is_told_with_its_line(
    tmp_path: Path, content: bytes, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(InputError, match=said):
        list(open_sheet(str(tmp_path / "a.csv"), Form()).rows)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content)[:-5])
    with pytest.raises(InputError, match=r"a\.csv\.gz"):
        list(open_sheet(str(tmp_path / "a.csv.gz"), Form()).rows)
    with (tmp_path / "a.csv.gz").open("rb") as file:  # a pipe that ends early
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=file))
        with pytest.raises(InputError, match="standard input"):
            list(open_sheet("-", Form("csv")).rows)


def test_parquet_and_packed_files_are_large_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "LARGE", 10**6)
    kinds = [open_sheet(str(write(tmp_path, name)), Form()).rows for name in
             ("a.csv", "a.csv.gz", "a.parquet")]  # fmt: skip
    assert [isinstance(rows, FileRows) for rows in kinds] == [False, True, True]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize(
    "reading", [iter, lambda rows: rows.cells(1), lambda rows: rows.tables(["n", "dx"])]
)
def test_a_file_that_changes_is_an_error_after_the_last_row_too(
    tmp_path: Path, name: str, reading: Callable[[Any], Any]
) -> None:
    path = write(tmp_path, name)
    sheet = open_sheet(str(path), Form())
    rows = iter(reading(sheet.rows))
    next(rows)
    os.utime(path, ns=(1, 1))
    with pytest.raises(InputError, match="changed while it was read"):
        list(rows)
    with pytest.raises(InputError, match="changed while it was read"):
        next(iter(reading(sheet.rows)))


def test_rows_that_are_not_those_of_the_first_reading_are_an_error(tmp_path: Path) -> None:
    rows: Any = open_sheet(str(write(tmp_path, "a.csv")), Form()).rows
    for more in ([], [["0", "x"], ["1", "y"]]):
        read = iter([[["0", "x"]], more])
        changing = FileRows(rows.content, lambda read=read: iter(next(read)))  # type: ignore[misc]
        assert len(changing) == 1
        with pytest.raises(InputError, match="has other rows"):
            list(changing)


@pytest.mark.parametrize("out", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("values", [6, 8])
def test_columns_of_another_length_are_never_written(tmp_path: Path, out: Any, values: int) -> None:
    sheet = open_sheet(str(write(tmp_path, "a.csv")), Form())
    with pytest.raises(ValueError, match="added column has more or fewer"):
        write_sheet(io.BytesIO(), out, sheet, {"code": ["x"] * values})


def test_readings_that_take_turns_allow_long_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n,dx\n" + "1,gout\n" * 40 + f"2,{'x' * 200_000}\n")
    rows = open_sheet(str(path), Form()).rows
    first, second = iter(rows), iter(rows)
    next(first), next(second)
    del first
    assert len(list(second)) == 40


def test_tables_of_an_evaluation_do_not_lower_the_limit_of_cells(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("case,judge\n1,a\n")
    allow_long_cells()
    limit = csv.field_size_limit()
    assert list(rows_of(path, ["case", "judge"])) == [("1", "a")]
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"a": 1}, {"a": }]', "row 2 is not JSON: Expecting value"),
        ('[{"a": 1} {"a": 2}]', "row 1 is not JSON: neither a comma nor ] is after it"),
        ('[{"a": 1},]', "row 2 is not JSON: Expecting value"),
        ('[{"a": 1}] []', "row 1 is not JSON: the text goes on after the array"),
        ('[{"a": "\\u00e9", "a": 2}]', "row 1 is not JSON: the key 'a' occurs twice"),
        ('[{"a": 1}, {"a": "cut of', "row 2 is not JSON: Unterminated string"),
        ('[{"a": 1}, 7]', "row 2 is a number, not an object"),
        ('["a", {"a": 1}]', "row 1 is a text, not an object"),
        ("[" * 100_000, "row 1 is not JSON: brackets are nested too deeply"),
    ],
)
def test_a_fault_of_an_array_is_told_with_its_row(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError, match=said):
        open_sheet(str(tmp_path / "a.json"), Form())


@pytest.mark.parametrize("end", [', {"dx": "a", "dx": "b"}]', ""])
@pytest.mark.parametrize("sheet_of", [open_sheet, read_sheet])
def test_a_damaged_array_of_objects_is_no_list_of_its_lines(
    tmp_path: Path, end: str, sheet_of: Callable[..., Sheet]
) -> None:
    (tmp_path / "a").write_text("[\n" + ",\n".join(['{"dx": "gout"}'] * 40) + end)
    with pytest.raises(InputError, match="is not JSON"):
        sheet_of(str(tmp_path / "a"), Form())


def test_a_fault_of_a_line_is_told_in_that_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"dx": "gout"}\n{"dx":\n')
    for sheet_of in (open_sheet, read_sheet):
        with pytest.raises(InputError, match=r"line 2 is not JSON: .* line 1 column 7 "):
            sheet_of(str(tmp_path / "a.jsonl"), Form())


def test_an_array_that_is_broken_early_is_not_read_to_its_end() -> None:
    read = 0

    def parts() -> Iterator[str]:
        nonlocal read
        for read in range(1000):
            yield '[{"a": 1}, {"a": b}, ' if not read else '{"a": "long"},' * 50

    with pytest.raises(InputError, match="row 2 is not JSON"):
        list(array_values(parts(), "a.json"))
    assert read < 10


@settings(max_examples=25)
@given(st.lists(values), st.integers(1, 7), st.sampled_from([None, 1]))
def test_an_array_is_read_in_parts_of_any_size(
    rows: list[Any], size: int, indent: int | None
) -> None:
    text = json.dumps(rows, indent=indent)
    parts = (text[place : place + size] for place in range(0, len(text), size))
    assert list(array_values(parts, "a.json")) == rows


def test_of_a_text_without_line_ends_the_beginning_is_enough_to_know_its_form() -> None:
    read = 0

    def parts() -> Iterator[str]:
        nonlocal read
        for _ in range(1000):
            read += 1
            yield '{"dx": "gout"}, '

    assert large._first(parts()).startswith('{"dx"')
    assert read < 100


def test_a_large_file_of_blank_lines_is_empty(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\n" * 100)
    with pytest.raises(InputError, match="is empty"):
        open_sheet(str(tmp_path / "a"), Form())


def test_a_file_that_cannot_be_read_is_an_error_wherever_it_fails(tmp_path: Path) -> None:
    class Failing(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    broken = content.Content("a.csv", Failing(write(tmp_path, "a.csv")))
    with pytest.raises(InputError, match="a.csv cannot be read: Input/output error"):
        broken.begins(b"PAR1")
