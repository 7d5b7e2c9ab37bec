"""A table of every form, through the commands: read for sure or not at all, written as it came."""

import contextlib
import csv
import gzip
import io
import json
import re
import shlex
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest
import typer
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxjudge.cli.main import app, run
from dxjudge.errors import DxjudgeError, InputError, UsageError
from dxjudge.evaluation.read import read_rows
from dxjudge.files.cells import cell_text
from dxjudge.files.delimited import Style
from dxjudge.files.forms import SUFFIXES, Form, OutputFormat, output_format
from dxjudge.files.rows_in import Sheet, read_sheet
from dxjudge.files.rows_out import write_sheet, write_table

COLUMNS = ["id", "predicted", "truth"]
PAIRS = [["1", "gout", "Gout"], ["2", "flu", "flu"]]


def write_pairs(path: Path) -> Path:
    """PAIRS in the form that the name says; pipes for .csv."""
    format = output_format(str(path), None, "csv")
    write_table(str(path), format, Sheet("pairs", "csv", COLUMNS, PAIRS, style=Style("|")))
    return path


def cells(path: Path, *columns: str) -> list[list[str]]:
    sheet = read_sheet(str(path))
    places = [sheet.columns.index(name) for name in columns]
    return [[cell_text(row[place]) for place in places] for row in sheet.rows]


@pytest.mark.parametrize(
    ("came", "goes"),
    [
        ("csv", "xlsx"),
        ("tsv.gz", "parquet"),
        ("json", "csv.gz"),
        ("json.gz", "jsonl.gz"),
        ("jsonl", "json"),
        ("parquet", "tsv"),
        ("xlsx", "csv"),
        ("xlsx", "xlsx"),
    ],
)
def test_judge_reads_and_writes_every_form(tmp_path: Path, came: str, goes: str) -> None:
    path = write_pairs(tmp_path / f"in.{came}")
    out = tmp_path / f"out.{goes}"
    command = ["judge", "judge_equivalence", str(path), "--engine", "rules", "-q", "-o", str(out)]
    assert run(command) == 0
    got = cells(out, "id", "predicted", "truth", "status")
    assert got == [["1", "gout", "Gout", "done"], ["2", "flu", "flu", "done"]]
    assert out.read_bytes().startswith(b"\x1f\x8b") == goes.endswith(".gz")


def test_map_takes_excel_to_excel_and_an_array_of_texts(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["id", "diagnosis"])
    book.active.append([7, "Whooping cough"])
    book.active.append([8, "=gout"])
    book.active["B3"].data_type = "s"
    book.save(tmp_path / "cases.xlsx")
    assert run(["map", str(tmp_path / "cases.xlsx"), "-o", str(tmp_path / "out.xlsx"), "-q"]) == 0
    rows = list(openpyxl.load_workbook(tmp_path / "out.xlsx").active.values)
    assert rows[0][:4] == ("id", "diagnosis", "code", "name")
    assert rows[1][:3] == (7, "Whooping cough", "A37")
    assert rows[1][4] == 1.0
    assert rows[2][1] == "=gout"
    # Before, the array was mapped as one line of text, with exit code 0.
    (tmp_path / "list.json").write_text('["Whooping cough", "gout"]')
    assert run(["map", str(tmp_path / "list.json"), "-o", str(tmp_path / "out.json"), "-q"]) == 0
    listed = json.loads((tmp_path / "out.json").read_text())
    assert [row["text"] for row in listed] == ["Whooping cough", "gout"]
    assert [row["code"] for row in listed] == ["A37", "M10"]


def test_votes_and_agreement_go_through_every_form(tmp_path: Path, capsys: Any) -> None:
    votes = tmp_path / "votes.xlsx"
    pairs = write_pairs(tmp_path / "in.json.gz")
    command = ["judge", "judge_equivalence", str(pairs), "--judge", "rules", "--votes", str(votes)]
    assert run([*command, "-q", "-o", str(tmp_path / "out.csv")]) == 0
    doctor = tmp_path / "doctor.csv"
    doctor.write_text("case^step^judge^verdict\n1^judge_equivalence^doctor^true\n"
                      "2^judge_equivalence^doctor^true\n")  # fmt: skip
    out = tmp_path / "agreement.parquet"
    assert run(["agree", str(votes), str(doctor), "-o", str(out), "--boot", "20"]) == 0
    assert pq.read_table(out).num_rows > 0


# The separator


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", "^", "~", "\x1f"])
def test_a_separator_is_found_where_only_one_fits(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'id{mark}dx\n1{mark}"gout, acute; left"\n2{mark}"a {mark} b"\n')
    sheet = read_sheet(str(path))
    assert sheet.columns == ["id", "dx"]
    assert sheet.rows == [["1", "gout, acute; left"], ["2", f"a {mark} b"]]
    assert sheet.style.delimiter == mark


def test_decimal_commas_do_not_separate(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("dx;score\nGicht;0,5\nGrippe;1,25\n")
    assert read_sheet(str(tmp_path / "a.csv")).rows == [["Gicht", "0,5"], ["Grippe", "1,25"]]


@pytest.mark.parametrize(
    ("name", "content", "advice"),
    [
        ("a.csv", "a,b;c\n1,2;3\n", "--delimiter ','"),
        ("a.csv", "id:dx\n1:gout\n", "--delimiter ':'"),
        ("a.tsv", "id,dx\n1,gout\n", "--delimiter ','"),
        ("a.json", '{"rows": [{"dx": "gout"}]}', "--input-format jsonl"),
        ("a.json", '["gout", {"dx": "flu"}]', "row 1 is a text, not an object"),
        ("a.jsonl", '[{"dx": "gout"}]', "--input-format json"),
        ("pipe", "id,label\n1,gout\n2,flu\n", "--input-format txt"),
    ],
)
def test_what_can_be_read_in_two_ways_is_an_error_that_says_what_to_give(
    tmp_path: Path, name: str, content: str, advice: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(content)
    assert run(["map", str(tmp_path / name), "-o", str(tmp_path / "out.csv"), "-q"]) == 4
    assert advice in capfd.readouterr().err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("asked", "mark"), [("tab", "\t"), ("\\t", "\t"), (":", ":"), ("#", "#")])
def test_any_one_character_can_be_asked_for(tmp_path: Path, asked: str, mark: str) -> None:
    (tmp_path / "a.csv").write_text(f"id{mark}dx\n1{mark}a,b\n")
    sheet = read_sheet(str(tmp_path / "a.csv"), Form(delimiter=asked))
    assert sheet.rows == [["1", "a,b"]]


@pytest.mark.parametrize("mark", ["||", "", '"', "\n"])
def test_a_separator_that_cannot_be_one_is_refused(mark: str) -> None:
    with pytest.raises(UsageError, match="--delimiter"):
        Form(delimiter=mark)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.json", Form(delimiter=";")),
        ("a.csv", Form(sheet="Cases")),
        ("a.parquet", Form(encoding="cp1252")),
    ],
)
def test_what_a_file_cannot_have_is_refused_where_it_is_said(
    tmp_path: Path, name: str, form: Form
) -> None:
    write_pairs(tmp_path / name)
    with pytest.raises(UsageError, match="is read as"):
        read_sheet(str(tmp_path / name), form)


def test_an_option_that_an_error_advises_is_there(tmp_path: Path) -> None:
    options = {
        command: {name for option in held.params for name in option.opts}
        for command, held in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
    }
    for command in ("map", "judge", "stress", "agree", "evaluate"):
        assert {"--encoding", "--delimiter", "--sheet"} <= options[command], command
    cases = tmp_path / "cases.csv"
    cases.write_bytes("id;diagnosis\n1;Morbus Ménière\n".encode("cp1252"))
    answers = tmp_path / "model.csv"
    answers.write_bytes("id;predicted_diagnosis\n1;Morbus Ménière\n".encode("cp1252"))
    evaluate = ["evaluate", str(cases), str(answers), "-o", str(tmp_path / "run"), "-q"]
    assert run(evaluate) == 4
    assert run([*evaluate, "--encoding", "cp1252", "--delimiter", ";"]) in (0, 3)


# Excel


def test_a_sheet_is_asked_for_where_several_are_filled(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Ward 1"
    book.active.append(["dx"])
    book.active.append(["gout"])
    other = book.create_sheet("Ward 2")
    other.append(["dx"])
    other.append(["flu"])
    path = tmp_path / "a.xlsx"
    book.save(path)
    with pytest.raises(UsageError, match="--sheet: Ward 1, Ward 2"):
        read_sheet(str(path))
    assert read_sheet(str(path), Form(sheet="Ward 2")).rows == [["flu"]]
    with pytest.raises(UsageError, match="no sheet 'Ward 3'"):
        read_sheet(str(path), Form(sheet="Ward 3"))


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [("B2", "=A2", "cell B2: the value of its formula"), ("D2", "x", "row 2 has a cell beyond")],
)
def test_a_cell_that_would_be_lost_is_an_error(
    tmp_path: Path, place: str, value: str, said: str
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["dx", "n"])
    book.active.append(["gout", 1])
    book.active[place] = value
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match=said):
        read_sheet(str(tmp_path / "a.xlsx"))


@pytest.mark.parametrize("content", [b"PK\x03\x04broken", b"", b"no workbook"])
def test_a_damaged_workbook_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.xlsx").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.xlsx"):
        read_sheet(str(tmp_path / "a.xlsx"))


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_workbook_that_is_damaged_behind_its_first_row_is_an_error(
    tmp_path: Path, packing: int
) -> None:
    book = openpyxl.Workbook()
    for n in range(3_000):
        book.active.append(["dx", f"{n:x}"])
    packed, broken = io.BytesIO(), io.BytesIO()
    book.save(packed)
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(broken, "w", packing) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        sheet = new.getinfo("xl/worksheets/sheet1.xml")
    data = bytearray(broken.getvalue())
    flipped = sheet.header_offset + sheet.compress_size * 3 // 4
    data[flipped : flipped + 40] = bytes(byte ^ 0x15 for byte in data[flipped : flipped + 40])
    (tmp_path / "a.xlsx").write_bytes(data)
    with pytest.raises(InputError, match=r"a\.xlsx cannot be read as a spreadsheet"):
        read_sheet(str(tmp_path / "a.xlsx"))


def test_a_damaged_archive_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"dx\ngout\n")[:-6])
    with pytest.raises(InputError, match="cannot be decompressed"):
        read_sheet(str(tmp_path / "a.csv.gz"))


def test_zero_bytes_are_text_only_where_the_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"dx\n" + b"\0\1\2\n" * 20)
    with pytest.raises(InputError, match="binary file, not text; if it is text.*--encoding"):
        read_sheet(str(path))
    assert read_sheet(str(path), Form(encoding="utf-8")).rows == [["\0\1\2"]] * 20


# Out and in again

# A file full of zero bytes is read only where its encoding is named.
characters = st.characters(codec="utf-8", exclude_characters="\0")
texts = st.text(characters, max_size=8) | st.sampled_from(
    ['"', "a\r\nb", "=1+1", "_x000D_", "\ufeff", " x ", "1.0", "NA", "null", "a;b,c\td|e"]
)
ends = st.sampled_from(["\n", "\r\n", "\r"])
styles = st.builds(Style, st.sampled_from(",;\t|^:é"), st.booleans(), ends)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    columns = draw(st.lists(texts.filter(bool), min_size=1, max_size=4, unique=True))
    row = st.lists(texts, min_size=len(columns), max_size=len(columns))
    return columns, draw(st.lists(row, min_size=1, max_size=5))


def round_trip(folder: Path, sheet: Sheet, format: OutputFormat, form: Form) -> tuple[Sheet, bytes]:
    path = folder / f"t.{format}"
    write_table(str(path), format, sheet)
    return read_sheet(str(path), form), path.read_bytes()


@settings(max_examples=60, deadline=None)
@given(tables(), styles)
@example((["dx"], [[""], [""]]), Style())
@example((["\ufeffdx"], [["a\r"]]), Style(";", False, "\r"))
@example((["dx"], [["\x1f\x1f\x08"]] * 3), Style())
def test_delimited_text_goes_out_and_in_and_out_the_same(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[list[str], list[list[str]]], style: Style
) -> None:
    folder = tmp_path_factory.mktemp("t", numbered=True)
    columns, rows = table
    sheet = Sheet("t", "csv", columns, rows, style=style)
    back, content = round_trip(folder, sheet, "csv", Form(delimiter=style.delimiter))
    assert (back.columns, back.rows) == (columns, rows)
    # Its separator, byte order mark and line ends come out as they went in.
    again = io.BytesIO()
    write_sheet(again, "csv", back, {})
    assert again.getvalue() == content


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from(["json", "jsonl", "parquet"]))
def test_other_forms_go_out_and_in_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[str], list[list[str]]],
    format: OutputFormat,
) -> None:
    columns, rows = table
    sheet = Sheet("t", "csv", columns, rows)
    back, _ = round_trip(tmp_path_factory.mktemp("t", numbered=True), sheet, format, Form())
    assert (back.columns, back.rows) == (columns, rows)


@settings(max_examples=15, deadline=None)
@given(tables())
def test_excel_goes_out_and_in_the_same_but_for_empty_texts(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[list[str], list[list[str]]]
) -> None:
    columns, rows = table
    rows = [*rows, ["end"] * len(columns)]  # rows without a cell at the end are no rows
    sheet = Sheet("t", "csv", columns, rows)
    back, _ = round_trip(tmp_path_factory.mktemp("t", numbered=True), sheet, "xlsx", Form())
    assert back.columns == columns
    assert [["" if cell is None else cell for cell in row] for row in back.rows] == rows


# A spreadsheet keeps 15 digits of a number.
floats = st.floats(-1e300, 1e300).map(lambda number: float(f"{number:.15g}"))
numbers = st.integers(-(10**15), 10**15) | floats


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(numbers, st.booleans(), st.none() | texts.filter(bool)), min_size=1))
def test_excel_keeps_numbers_and_truth_values(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]]
) -> None:
    sheet = Sheet("t", "xlsx", ["n", "b", "t"], list(map(list, rows)))
    back, _ = round_trip(tmp_path_factory.mktemp("t", numbered=True), sheet, "xlsx", Form())
    assert [tuple(row) for row in back.rows] == rows


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_input_comes_out_as_it_went_in(tmp_path: Path, encoding: str, end: str) -> None:
    lines = ["id;predicted;truth", '1;"gout; ""acute""";Gicht', '2;"a\nb";Grippe', ""]
    path = tmp_path / "in.csv"
    path.write_bytes(end.join(lines).encode(encoding))
    out = tmp_path / "out.csv"
    command = ["judge", "judge_equivalence", str(path), "--engine", "rules", "-q", "-o", str(out)]
    assert run(command) in (0, 3)
    content = out.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf") == (encoding != "utf-8")
    text = content.decode("utf-8-sig")
    first, *rest = text.split(end)
    assert first.startswith("id;predicted;truth;status")
    assert rest[0].startswith('1;"gout; ""acute""";Gicht;')
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=";"))
    assert [row[1] for row in rows] == ["predicted", 'gout; "acute"', "a\nb"]


def test_nan_is_never_written_as_json(tmp_path: Path) -> None:
    rows: list[list[Any]] = [[float("nan"), {"a": [float("nan"), 1]}]]
    write_table(str(tmp_path / "a.jsonl"), "jsonl", Sheet("t", "jsonl", ["n", "o"], rows))
    assert (tmp_path / "a.jsonl").read_text() == '{"n": null, "o": {"a": [null, 1]}}\n'


def test_gzip_of_the_same_rows_is_the_same_bytes(tmp_path: Path) -> None:
    first, second = write_pairs(tmp_path / "a.csv.gz"), write_pairs(tmp_path / "b.csv.gz")
    assert first.read_bytes() == second.read_bytes()


def test_every_error_of_reading_is_one_of_ours(tmp_path: Path) -> None:
    for name in ("a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "a.xlsx", "a"):
        for content in (b"\0", b"{", b"[", b'"', b"\xff\xfe", b"\x1f\x8b", b"PK\x03\x04", b"PAR1"):
            (tmp_path / name).write_bytes(content)
            with contextlib.suppress(DxjudgeError):
                read_sheet(str(tmp_path / name), list_allowed=False)


def test_the_page_on_files_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parent.parent / "docs" / "files.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    write_pairs(Path("pairs.csv.gz"))
    Path("bars.csv").write_text("id|diagnosis\n1|gout\n")
    Path("list.json").write_text('["gout"]')
    book = openpyxl.Workbook()
    for title in ("Ward 2", "Ward 3"):
        sheet = book.create_sheet(title)
        sheet.append(["diagnosis"])
        sheet.append(["gout"])
    book.save("cases.xlsx")
    blocks = re.findall(r"```(bash|python)\n(.*?)```", page, re.DOTALL)
    assert [language for language, _ in blocks] == ["bash", "python"]
    for line in blocks[0][1].splitlines():
        assert run([*shlex.split(line)[1:], "-q"]) == 0, line
    exec(blocks[1][1], {})
    assert read_sheet("copy.xlsx").rows == [["1", "gout", 4]]
    for suffix in SUFFIXES:
        assert f"`{suffix}`" in page
    assert read_sheet("mapped.csv").style.delimiter == "|"


def test_objects_by_id_are_a_table_and_one_object_is_none(tmp_path: Path) -> None:
    table = tmp_path / "by_id.json"
    table.write_text('{"x 1": {"a": 1}, "it\'s": {"a": 2, "b": "c"}}')
    assert read_rows(table) == [{"id": "x 1", "a": 1}, {"id": "it's", "a": 2, "b": "c"}]
    for text in ('{"data": {"a": 1}}', '{"x": {"id": 1}, "y": {"id": 2}}', '{"x": {}, "y": 3}'):
        table.write_text(text)
        with pytest.raises(InputError, match="does not hold an array"):
            read_rows(table)
