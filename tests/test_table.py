"""The canonical table: what settles a text, what survives a run, what is refused."""

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.errors import InputError, OutputError
from dxjudge.ontology.mapping import Mapping
from dxjudge.ontology.reading.several import split_diagnoses
from dxjudge.ontology.table import (
    CanonicalTable,
    entry_of,
    read_table,
    short_signature,
    write_table,
)
from dxjudge.ontology.table_row import COLUMNS, text_key
from dxjudge.ontology.tree import load_tree

TREE = load_tree()
RUN = short_signature({"ontology": "icd10cm", "top_k": 15})
GOUT = Mapping(
    "gouty toe",
    "mapped",
    "M10.9",
    "Gout, unspecified",
    term="Gout NOS",
    source="inclusion",
    score=0.8123,
    decided_by="embedded",
    band="high",
)
NOTHING = Mapping("unwell", "unmapped", reason="nothing is close")


def table_of(*mappings: Mapping, run: str = RUN) -> CanonicalTable:
    return CanonicalTable().merged(entry_of(mapping, run) for mapping in mappings)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize("name", ["t.tsv", "t.csv"])
def test_what_was_computed_is_used_again_as_it_was(tmp_path: Path, name: str) -> None:
    write_table(table_of(GOUT, NOTHING), tmp_path / name, TREE)
    table = read_table(tmp_path / name, TREE)
    assert table.settled("gouty toe", RUN) == GOUT
    assert table.settled("unwell", RUN) == NOTHING
    assert table.settled("new", RUN) is None


def test_another_signature_computes_again() -> None:
    other = short_signature({"ontology": "icd10cm", "top_k": 5})
    assert table_of(GOUT).settled("gouty toe", other) is None


def test_a_failure_is_recorded_and_tried_again(tmp_path: Path) -> None:
    failed = Mapping("flu", "failed", reason="no answer")
    write_table(table_of(failed), tmp_path / "t.tsv", TREE)
    table = read_table(tmp_path / "t.tsv", TREE)
    assert table.entries["flu"].mapping == failed
    assert table.settled("flu", RUN) is None


def test_a_reviewed_row_wins_over_every_run(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    write_table(table_of(GOUT), path, TREE)
    edit(path, "\tno\t", "\tYES\t")
    reviewed = read_table(path, TREE)
    settled = reviewed.settled("gouty toe", "another run")
    assert settled is not None
    assert (settled.code, settled.decided_by, settled.score) == ("M10.9", "reviewed", 1.0)
    newer = replace(GOUT, code="M10", name="Gout")
    assert reviewed.merged([entry_of(newer, RUN)]).settled("gouty toe", RUN) == settled


@pytest.mark.parametrize(
    ("code", "wins"), [("m1009", "M10.09"), ("M10.-", "M10"), ("", None)], ids=str
)
def test_an_edited_code_is_a_decision_without_a_mark(
    tmp_path: Path, code: str, wins: str | None
) -> None:
    path = tmp_path / "t.tsv"
    write_table(table_of(GOUT), path, TREE)
    edit(path, "gouty toe\tM10.9\t", f"gouty toe\t{code}\t")
    settled = read_table(path, TREE).settled("gouty toe", "another run")
    assert settled is not None
    assert (settled.code, settled.decided_by) == (wins, "reviewed")
    assert (settled.status, settled.score) == (("mapped", 1.0) if wins else ("unmapped", 0.0))
    write_table(read_table(path, TREE), path, TREE)
    assert "\tyes\t" in path.read_text("utf-8")


def test_a_reviewer_gives_a_text_several_codes(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    write_table(table_of(GOUT, NOTHING), path, TREE)
    edit(path, "gouty toe\tM10.9\t", "gouty toe\tM10.9; n18.30 ;E119;M10.9\t")
    settled = read_table(path, TREE).settled("gouty toe", "another run")
    assert settled is not None
    assert (settled.code, settled.decided_by) == ("M10.9", "reviewed")
    assert settled.additional_codes == "N18.30; E11.9"
    write_table(read_table(path, TREE), path, TREE)
    assert read_table(path, TREE).settled("gouty toe", "another run") == settled
    rows = "flu\tJ11; R50.9\nFLU\tJ11\n"
    path.write_text(f"text\tcode\n{rows}", "utf-8")
    assert read_table(path, TREE).settled("Flu", RUN) is None  # the two decisions differ
    path.write_text("text\tcode\nflu\tJ11; NOPE\n", "utf-8")
    with pytest.raises(InputError, match="'NOPE' is not a code"):
        read_table(path, TREE)


def test_a_table_by_hand_needs_text_and_code_only(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("Code;TEXT\nj449;smoker's lung\n;not decided yet\n", "utf-8")
    table = read_table(path, TREE)
    settled = table.settled("smoker's lung", RUN)
    assert settled is not None
    assert settled.name == "Chronic obstructive pulmonary disease, unspecified"
    assert table.settled("not decided yet", RUN) is None


def test_what_a_spreadsheet_does_to_a_file_does_no_harm(tmp_path: Path) -> None:
    # UTF-16 with tabs, a byte order mark, all cells quoted, columns moved, one added,
    # a decimal comma, CRLF: what spreadsheets in several countries write.
    write_table(table_of(GOUT, replace(GOUT, text="ménière, left")), tmp_path / "t.tsv", TREE)
    lines = (tmp_path / "t.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    moved = [[*reversed(row), f"mine {n}"] for n, row in enumerate(rows)]
    text = "\r\n".join("\t".join(f'"{cell}"' for cell in row) for row in moved)
    path = tmp_path / "sheet.csv"
    path.write_bytes(text.replace("0.8123", "0,8123").encode("utf-16"))
    table = read_table(path, TREE)
    assert table.settled("gouty toe", RUN) == GOUT
    write_table(table.merged([entry_of(NOTHING, RUN)]), path, TREE)
    header, first, _, last = path.read_text("utf-8-sig").splitlines()
    assert header.split("\t") == [*reversed(COLUMNS), "mine 0"]
    assert first.split("\t")[-1] == "mine 1"
    assert "unwell" in last.split("\t")


def test_csv_gets_the_mark_by_which_spreadsheets_know_utf8(tmp_path: Path) -> None:
    write_table(table_of(GOUT), tmp_path / "t.csv", TREE)
    assert (tmp_path / "t.csv").read_bytes().startswith(b"\xef\xbb\xbftext,code")


def test_edits_made_during_a_run_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    write_table(table_of(GOUT), path, TREE)
    at_start = read_table(path, TREE)
    edit(path, "gouty toe\tM10.9\t", "gouty toe\tM10\t")
    write_table(at_start.merged([entry_of(NOTHING, RUN)]), path, TREE)
    after = read_table(path, TREE)
    assert after.entries["gouty toe"].mapping.code == "M10"
    assert after.settled("unwell", RUN) == NOTHING


def test_nothing_is_lost_where_the_file_broke_during_a_run(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("text\tcode\ngout\tNOPE\n", "utf-8")
    with pytest.raises(OutputError, match=r"t\.unmerged\.tsv"):
        write_table(table_of(GOUT), path, TREE)
    assert read_table(tmp_path / "t.unmerged.tsv", TREE).settled("gouty toe", RUN) == GOUT
    assert "NOPE" in path.read_text("utf-8")


def test_notes_and_columns_of_others_stay_with_a_new_mapping() -> None:
    entry = replace(entry_of(GOUT, "old"), note="ask again", other={"priority": "2"})
    newer = CanonicalTable({"gouty toe": entry}).merged([entry_of(GOUT, RUN)])
    kept = newer.entries["gouty toe"]
    assert (kept.note, kept.other, kept.signature) == (
        "ask again",
        {"priority": "2"},
        f"{RUN}=M10.9",
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("text\tcode\nflu\tJ11\ngout\tM1O.9\n", "row 2 (line 3): 'M1O.9' is not a code"),
        ("text\tcode\treviewed\ngout\tM10\tmaybe\n", "row 1 (line 2): reviewed is 'maybe'"),
        ("text\tcode\tscore\ngout\tM10\thigh\n", "row 1 (line 2): score is 'high'"),
        ("text\tcode\tscore\ngout\tM10\t7\n", "row 1 (line 2): score is '7'"),
        ("text\tcode\tdecided_by\ngout\tM10\tme\n", "row 1 (line 2): decided_by is 'me'"),
        ("text\tcode\n\tM10\n", "row 1 (line 2): has a code but no text"),
        ("text\tcode\ngout\tM10\n gout \tM11\n", "reviewed twice, as M10 and as M11"),
        ("text\tname\ngout\tGout\n", "needs a column 'code'"),
        ("text\tcode\tx\tx\ngout\tM10\t1\t2\n", "two columns 'x'"),
        ("text\tcode\ngout\n", "row 1 (line 2) has 1 cell, the header 2"),
    ],
)
def test_a_wrong_row_is_an_error_that_names_it(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        read_table(path, TREE)
    assert said in str(caught.value)
    assert "t.tsv" in str(caught.value)


def test_all_wrong_rows_are_named_at_once(tmp_path: Path) -> None:
    # Before, a table with many wrong codes was corrected one run a code.
    path = tmp_path / "t.tsv"
    path.write_text("text\tcode\nflu\tNOPE\ngout\tM10\nasthma\tJ4S\n", "utf-8")
    with pytest.raises(InputError, match=r"row 1 .*'NOPE'.*; .*row 3 .*'J4S'"):
        read_table(path, TREE)
    path.write_text("text\tcode\n" + "".join(f"t{n}\tNOPE\n" for n in range(23)), "utf-8")
    with pytest.raises(InputError, match="and 3 more such rows") as caught:
        read_table(path, TREE)
    assert len(str(caught.value).split("; ")) == 21


def test_a_decision_stands_for_other_case_and_spaces(tmp_path: Path) -> None:
    # Before, "Gouty  toe" was mapped again although "gouty toe" was reviewed.
    path = tmp_path / "t.tsv"
    rows = "gouty toe\tM10.9\nALL\tC91.0\nall\tT78.40\nflu\tJ11\nFLU\tJ11\n"
    path.write_text("Text\tCODE\n" + rows, "utf-8")
    table = read_table(path, TREE)
    settled = table.settled("Gouty  TOE\t", RUN)
    assert settled is not None
    assert (settled.text, settled.code, settled.decided_by) == ("Gouty  TOE\t", "M10.9", "reviewed")
    assert table.settled("All", RUN) is None  # the two decisions differ
    assert [getattr(table.settled(text, RUN), "code", "") for text in ("all", "ALL", "Flu")] == [
        "T78.40",
        "C91.0",
        "J11",
    ]
    # A row that nobody reviewed stands for its own text alone: case can change what is computed.
    assert table_of(GOUT).settled("Gouty toe", RUN) is None


def test_no_file_or_an_empty_one_is_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("\n")
    assert read_table(tmp_path / "t.tsv", TREE).entries == {}
    assert read_table(tmp_path / "none.tsv", TREE).entries == {}


def several(text: str) -> tuple[str, ...]:
    parts = split_diagnoses(text_key(text))
    return parts if len(parts) > 1 else ()


words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.strip)


@given(st.lists(words, min_size=1, max_size=5), st.sampled_from(["t.tsv", "t.csv"]))
def test_any_texts_survive_the_file(texts: list[str], name: str) -> None:
    mappings = {text: replace(GOUT, text=text, parts=several(text)) for text in texts}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_table(table_of(*mappings.values()), path, TREE)
        table = read_table(path, TREE)
        assert [entry.mapping.text for entry in table.entries.values()] == list(
            dict.fromkeys(text_key(text) for text in texts)
        )
        assert all(table.settled(text, RUN) == mappings[text] for text in texts)


def test_a_table_lies_in_a_workbook_too(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    write_table(table_of(GOUT, replace(GOUT, text="=gout")), path, TREE)
    book = openpyxl.load_workbook(path)
    assert book.active["A3"].value == "=gout" and book.active["A3"].data_type == "s"
    place = COLUMNS.index("reviewed") + 1
    book.active.cell(2, place).value = True
    book.active.cell(2, COLUMNS.index("score") + 1).value = 0.5
    book.save(path)
    table = read_table(path, TREE)
    settled = table.settled("gouty toe", "another run")
    assert settled is not None and settled.decided_by == "reviewed"
    assert table.settled("=gout", RUN) == replace(GOUT, text="=gout")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
@pytest.mark.parametrize("text", ["=1+1", "+gout", "-gout", "@gout", "'=gout", "'+", "''gout"])
def test_a_spreadsheet_takes_no_text_for_a_formula(tmp_path: Path, name: str, text: str) -> None:
    # Before, a spreadsheet that opened the table computed the cell.
    write_table(table_of(replace(GOUT, text=text)), tmp_path / name, TREE)
    line = (tmp_path / name).read_text("utf-8-sig").splitlines()[1]
    assert line[0] not in "=+-@"
    assert list(read_table(tmp_path / name, TREE).entries) == [text]


def test_runs_that_write_one_table_lose_nothing(tmp_path: Path) -> None:
    # Before, 4 runs that merged 30 times each left 56 of 120 rows.
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from dxjudge.ontology.mapping import Mapping\n"
        "from dxjudge.ontology.table import CanonicalTable, entry_of, write_table\n"
        "from dxjudge.ontology.tree import load_tree\n"
        "tree = load_tree()\n"
        "for number in range(10):\n"
        "    entry = entry_of(Mapping(f'{sys.argv[1]} {number}', 'unmapped'), 'run')\n"
        "    write_table(CanonicalTable().merged([entry]), Path('t.tsv'), tree)\n"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", program, str(run)], cwd=tmp_path)
        for run in range(4)
    ]
    assert [run.wait(120) for run in runs] == [0] * 4
    assert len(read_table(tmp_path / "t.tsv", TREE).entries) == 40
    assert [path.name for path in tmp_path.iterdir()] == ["t.tsv"]
