"""Rows in and out: every format, every encoding, every kind of broken file."""

import datetime
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.errors import InputError, OutputError, UsageError
from dxjudge.files.bytes import check_writable, writing
from dxjudge.files.cells import MISSING
from dxjudge.files.delimited import Style, parse_delimited, write_delimited
from dxjudge.files.forms import Form, output_format
from dxjudge.files.rows_in import Sheet, column_texts, read_sheet, text_column
from dxjudge.files.rows_out import added_names, check_columns, write_sheet


def read(
    folder: Path, name: str, content: bytes | str, column: str | None = None, **said: str
) -> Sheet:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_sheet(str(path), Form(**said), column=column)


def written(sheet: Sheet, format: str, added: dict[str, list[object]]) -> bytes:
    file = io.BytesIO()
    write_sheet(file, output_format("-", format, sheet.format), sheet, added)
    return file.getvalue()


# Reading


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id,dx\n1,gout\n2,\n"),
        ("a.tsv", "id\tdx\n1\tgout\n2\t\n"),
        ("semicolons.csv", "id;dx\n1;gout\n2;\n"),
        ("a.jsonl", '{"id": "1", "dx": "gout"}\n\n{"id": "2", "dx": ""}\n'),
        ("crlf.csv", "id,dx\r\n1,gout\r\n\r\n2,\r\n"),
        ("mark.csv", "\ufeffid,dx\n1,gout\n2,\n"),
        ("utf16.csv", "id,dx\n1,gout\n2,\n".encode("utf-16")),
        ("no_suffix", "id,dx\n1,gout\n2,\n"),
        ("no_suffix", "id\tdx\n1\tgout\n2\t\n"),
        ("no_suffix", '{"id": "1", "dx": "gout"}\n{"id": "2", "dx": ""}\n'),
    ],
)
def test_every_form_of_text_gives_the_same_rows(
    tmp_path: Path, name: str, content: bytes | str
) -> None:
    sheet = read(tmp_path, name, content)
    assert sheet.columns == ["id", "dx"]
    assert sheet.rows == [["1", "gout"], ["2", ""]]


def test_a_list_keeps_line_n_as_row_n(tmp_path: Path) -> None:
    sheet = read(tmp_path, "a.txt", "gout, acute\n\n  asthma\x0b\u2028x\r\nGERD\n\n")
    assert sheet.rows == [["gout, acute"], [""], ["  asthma\x0b\u2028x"], ["GERD"]]


def test_a_pipe_of_lines_is_a_list_and_of_named_columns_a_table(tmp_path: Path) -> None:
    assert read(tmp_path, "x", "pneumonia, viral\ngout\n").columns == ["text"]
    assert read(tmp_path, "x", "a,b\n1,2\n", column="b").columns == ["a", "b"]


def test_cells_hold_quotes_and_line_breaks(tmp_path: Path) -> None:
    sheet = read(tmp_path, "a.csv", 'dx,n\n"gout,\n""acute""",1\n')
    assert sheet.rows == [['gout,\n"acute"', "1"]]


def test_one_column_keeps_blank_lines_as_empty_cells(tmp_path: Path) -> None:
    assert read(tmp_path, "a.csv", "dx\ngout\n\nflu\n\n").rows == [["gout"], [""], ["flu"]]


def test_ten_megabytes_fit_in_a_cell(tmp_path: Path) -> None:
    sheet = read(tmp_path, "a.csv", "dx,n\n" + "x" * 10_000_000 + ",1\n")
    assert len(sheet.rows[0][0]) == 10_000_000


def test_control_characters_and_nul_inside_a_cell_pass(tmp_path: Path) -> None:
    content = "dx,n\n" + "".join(f"gout of toe {i},1\n" for i in range(20)) + "a\x00\x07b,2\n"
    assert read(tmp_path, "a.csv", content).rows[-1] == ["a\x00\x07b", "2"]


def test_parquet_keeps_its_types_through_parquet(tmp_path: Path) -> None:
    day = datetime.date(2026, 4, 1)
    table = pa.table({"dx": ["gout", None], "day": [day, None], "n": [1, 2]})
    pq.write_table(table, tmp_path / "a.parquet")
    sheet = read_sheet(str(tmp_path / "a.parquet"))
    back = pq.read_table(io.BytesIO(written(sheet, "parquet", {"score": [0.5, None]})))
    assert back.select(["dx", "day", "n"]).equals(table)
    assert back.column("score").to_pylist() == [0.5, None]
    assert b"gout,2026-04-01,1,0.5\n,,2,\n" in written(sheet, "csv", {"score": [0.5, None]})


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "is empty"),
        ("a.txt", b" \n\n", "is empty"),
        ("a.jsonl", b"", "is empty"),
        ("a.parquet", b"", "is empty"),
        ("a.csv", "dx\ngicht\nmorbus m\u00e9ni\u00e8re\n".encode("cp1252"), "line 3: byte 0xE9"),
        ("a.csv", "dx\nm\u00e9\n".encode("cp1252"), "--encoding cp1252"),
        ("a.csv", "dx,n\nm\u00e9,1\n".encode("utf-16-le"), "--encoding utf-16-le"),
        ("a.csv", "dx,n\nm\u00e9,1\n".encode("utf-16-be"), "--encoding utf-16-be"),
        ("a.csv", bytes(range(8)) * 40, "binary"),
        ("a.csv", b"PK\x03\x04" + bytes(60), "spreadsheet"),
        ("a.csv", b"PAR1" + bytes(60), "Parquet"),
        ("a.csv", b"dx,n\ngout,1\nflu\n", "row 2 (line 3) has 1 cell, the header 2"),
        ("a.csv", b'dx,n\n"a\nb",1\nflu,2,3\n', "row 2 (line 4) has 3 cells, the header 2"),
        ("a.csv", b'dx,n\ngout,1\n"flu,2\nx,3\n', "line 3: a quote is opened and never"),
        ("a.jsonl", b'{"dx": "gout"}\n{"dx": \n', "line 2 is not JSON"),
        ("a.jsonl", b'["gout"]\n', "line 1 is not an object"),
        ("a.jsonl", b'{"dx": "gout", "dx": "flu"}\n', "'dx' occurs twice"),
        ("a.jsonl", b"[" * 100_000, "line 1 is not JSON"),
        ("a.parquet", b"dx,n\n1,2\n", "cannot be read as Parquet"),
    ],
)
def test_a_broken_file_is_an_error_that_names_the_place(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, content)
    assert said in str(caught.value)
    assert name in str(caught.value)


def test_a_file_that_is_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_sheet(str(tmp_path / "none.csv"))
    with pytest.raises(InputError, match="is a folder"):
        read_sheet(str(tmp_path))


def test_a_named_encoding_is_used(tmp_path: Path) -> None:
    content = "dx\nm\u00e9ni\u00e8re\n".encode("cp1252")
    assert read(tmp_path, "a.csv", content, encoding="cp1252").rows == [["ménière"]]
    with pytest.raises(UsageError, match="no encoding"):
        read(tmp_path, "a.csv", content, encoding="cp99999")


# The column of the diagnoses


@pytest.mark.parametrize(
    ("columns", "wanted", "place"),
    [
        (["id", "Diagnosis"], None, 1),
        (["id", "DX"], None, 1),
        (["text", "diagnosis"], None, 1),
        (["id", "Condition"], None, 1),
        (["whatever"], None, 0),
        (["id", "note"], "note", 1),
        (["id", "Free Note"], "free_note", 1),
    ],
)
def test_finds_the_column(columns: list[str], wanted: str | None, place: int) -> None:
    assert text_column(Sheet("x", "csv", columns, []), wanted) == place


@pytest.mark.parametrize(
    ("columns", "wanted", "said"),
    [
        (["id", "note"], None, "--column; there are: id, note"),
        (["id", ""], None, "--column; there are: id, ''"),
        (["id", "Diagnóstico"], None, "(did you mean Diagnóstico?)"),
        (
            ["Nr.", "Entlassungs-Diagnose (Text)"],
            None,
            "(did you mean Entlassungs-Diagnose (Text)?)",
        ),
        (["dx", "diagnosis"], None, "--column; there are: dx, diagnosis"),
        (["id", "dx"], "diag", "no column 'diag'; there are: id, dx"),
        (["dx", "dx"], "dx", "2 columns 'dx'"),
    ],
)
def test_lists_the_columns_where_none_is_obvious(
    columns: list[str], wanted: str | None, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        text_column(Sheet("x", "csv", columns, []), wanted)
    assert said in str(caught.value)


def test_cells_become_text_and_a_list_is_an_error() -> None:
    cells = ["gout", None, MISSING, 12, float("nan"), "half \ud800"]
    sheet = Sheet("x", "jsonl", ["dx"], [[cell] for cell in cells])
    assert column_texts(sheet, 0) == ["gout", "", "", "12", "", "half ?"]
    with pytest.raises(InputError, match="row 2: column 'dx' holds a list"):
        column_texts(Sheet("x", "jsonl", ["dx"], [["a"], [["b"]]]), 0)


# Writing

cells = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.lists(st.tuples(cells, cells), min_size=1), st.sampled_from([",", "\t", ";"]))
def test_delimited_text_reads_back_as_it_was(rows: list[tuple[str, str]], delimiter: str) -> None:
    file = io.BytesIO()
    write_delimited(file, ["a", "b"], map(list, rows), Style(delimiter))
    table = parse_delimited(file.getvalue().decode(), "x", delimiter)
    assert table.rows == [list(row) for row in rows]


def test_json_lines_keep_objects_and_absent_keys(tmp_path: Path) -> None:
    lines = ['{"dx": "gout", "more": {"a": [1, null]}}', '{"dx": "half \\ud800", "n": 2}']
    sheet = read(tmp_path, "a.jsonl", "\n".join(lines))
    back = written(sheet, "jsonl", {"code": ["M10.9", None]}).decode().splitlines()
    assert [json.loads(line) for line in back] == [
        {"dx": "gout", "more": {"a": [1, None]}, "code": "M10.9"},
        {"dx": "half \ud800", "n": 2, "code": None},
    ]


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
def test_columns_of_mixed_kinds_go_into_every_format(tmp_path: Path, format: str) -> None:
    sheet = read(tmp_path, "a.jsonl", '{"dx": "gout", "v": 1}\n{"dx": "flu", "v": "x"}\n')
    assert b"gout" in written(sheet, format, {"code": ["M10.9", None]})


def test_added_columns_make_way_for_the_inputs() -> None:
    sheet = Sheet("x", "csv", ["code", "code_dxjudge", "dx"], [])
    assert added_names(sheet, ["code", "name"]) == {"code": "code_dxjudge2", "name": "name"}


def test_two_columns_of_one_name_stay_in_csv_and_are_refused_elsewhere() -> None:
    sheet = Sheet("x", "csv", ["dx", "n", "n"], [["gout", "1", "2"]])
    check_columns(sheet, "csv")
    assert written(sheet, "csv", {"code": ["M10.9"]}) == b"dx,n,n,code\ngout,1,2,M10.9\n"
    with pytest.raises(OutputError, match="two columns 'n'"):
        check_columns(sheet, "jsonl")


@pytest.mark.parametrize(
    ("output", "wanted", "came_as", "format"),
    [
        ("x.csv", None, "jsonl", "csv"),
        ("x.sssom.tsv", None, "csv", "sssom"),
        ("x.tsv", None, "csv", "tsv"),
        ("x.PARQUET", None, "csv", "parquet"),
        ("-", None, "jsonl", "jsonl"),
        ("-", None, "txt", "csv"),
        ("x.dat", "tsv", "csv", "tsv"),
    ],
)
def test_the_suffix_says_the_format(
    output: str, wanted: str | None, came_as: str, format: str
) -> None:
    assert output_format(output, wanted, came_as) == format


@pytest.mark.parametrize(("output", "wanted"), [("x.txt", None), ("x", None), ("x.csv", "xml")])
def test_an_unknown_format_is_an_error(output: str, wanted: str | None) -> None:
    with pytest.raises(UsageError):
        output_format(output, wanted, "csv")


# Replacing a file at one stroke


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), writing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]
    assert path.read_text() == "old"


def test_a_new_file_keeps_the_rights_and_the_link_of_the_old(tmp_path: Path) -> None:
    path, link = tmp_path / "a.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with writing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["none/a.csv", ".", "a.csv/b.csv"])
def test_an_output_that_cannot_be_is_found_out_before(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("x")
    with pytest.raises(OutputError):
        check_writable(tmp_path / name)
    check_writable(tmp_path / "a.csv")
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_device_is_an_output_error() -> None:
    with pytest.raises(OutputError, match="[Nn]o space"), writing(Path("/dev/full")) as file:
        file.write(b"x" * 100_000)


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_full_disk_leaves_no_output(tmp_path: Path) -> None:
    # A limit on the size of files fails a write just as a full disk does.
    program = """
import resource, sys
from pathlib import Path
from dxjudge.files.rows_in import Sheet
from dxjudge.files.rows_out import write_sheet
from dxjudge.errors import OutputError
from dxjudge.files.bytes import writing
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
sheet = Sheet("x", "csv", ["dx"], [["gout " * 10]] * 10_000)
for format in ("csv", "jsonl", "parquet"):
    try:
        with writing(Path("out." + format)) as file:
            write_sheet(file, format, sheet, {"n": [str(i) for i in range(10_000)]})
    except OutputError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("cannot write out.") == 3
    assert list(tmp_path.iterdir()) == []
