"""A table is carried to another edition, and each changed code is said."""

import csv
from pathlib import Path

import pytest

from dxjudge.cli.main import run
from dxjudge.ontology.exchange.carry import carry_row
from dxjudge.ontology.table import read_table
from dxjudge.ontology.table_row import read_row
from dxjudge.ontology.tree import load_tree

# An edition of 2020 in the form of the official files: one category, and one code of another name.
TABULAR = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular><version>2020</version>
<chapter><name>13</name><desc>Diseases of the musculoskeletal system (M00-M99)</desc>
<section id="M50-M54"><desc>Other dorsopathies (M50-M54)</desc>
<diag><name>M54</name><desc>Dorsalgia</desc>
<diag><name>M54.2</name><desc>Pain in the neck</desc></diag>
<diag><name>M54.5</name><desc>Low back pain</desc></diag>
<diag><name>M54.89</name><desc>Other dorsalgia</desc></diag>
</diag></section></chapter>
<chapter><name>19</name><desc>Injury (S00-T88)</desc>
<section id="T80-T88"><desc>Complications (T80-T88)</desc>
<diag><name>T99</name><desc>Gone</desc>
<sevenChrDef><extension char="A">initial encounter</extension>
<extension char="D">subsequent encounter</extension></sevenChrDef>
<diag><name>T99.1</name><desc>Gone for good</desc></diag>
</diag></section></chapter>
</ICD10CM.tabular>
"""
ORDER = """00001 M54     0 Dorsalgia
00002 M542    1 Cervicalgia
00003 M545    1 Low back pain
00004 M5489   1 Other dorsalgia
00005 T991XXA 1 Gone for good, initial encounter
"""
TABLE = """text,code,name,reviewed,note,Ward,signature
neck pain,M54.2,Pain in the neck,yes,seen,4,
lumbago,M54.5,Low back pain,yes,,5,
sore back,M54.89,Other dorsalgia,no,,6,icd10cm-2020-0123456789ab=M54.89
gone,T99.1XXA,,yes,,7,
not a diagnosis,,,yes,,8,
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "2020").mkdir()
    Path("2020/icd10cm_tabular_2020.xml").write_text(TABULAR, "utf-8")
    Path("2020/icd10cm-order-2020.txt").write_text(ORDER, "utf-8")
    Path("2020/icd10cm-order-addenda-2020.txt").write_text("Add: M545", "utf-8")
    Path("t.csv").write_text(TABLE, "utf-8")
    return tmp_path


def test_another_edition_is_read_from_the_official_files(folder: Path) -> None:
    tree = load_tree("icd10cm@2020")
    assert tree.release == "icd10cm-2020"
    assert tree.name("M54.2") == "Pain in the neck"
    # The list of codes has no subsequent encounter.
    assert tree.contains("T99.1XXA") and not tree.contains("T99.1XXD")


def test_each_changed_code_is_said_and_asked_about_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--from", "icd10cm@2020", "--changes", "changes.csv"]
    assert run(["table", "carry", "t.csv", "-o", "new.csv", *arguments]) == 3
    said = capsys.readouterr().err
    assert "2 kept, 1 renamed, 1 split, 1 deleted" in said
    assert "2 rows need a new decision; the column note says why" in said
    entries = read_table(Path("new.csv"), load_tree()).entries
    assert {text: (row.mapping.code, row.reviewed) for text, row in entries.items()} == {
        "neck pain": ("M54.2", True),
        "lumbago": ("M54.5", False),
        "sore back": ("M54.89", False),
        "gone": (None, False),
        "not a diagnosis": (None, True),
    }
    assert entries["neck pain"].note == "seen; M54.2 was 'Pain in the neck'"
    assert "M54.50" in entries["lumbago"].note and "M54.59" in entries["lumbago"].note
    assert entries["gone"].other["Ward"] == "7"
    fates = [row["fate"] for row in csv.DictReader(Path("changes.csv").open(encoding="utf-8"))]
    assert fates == ["renamed", "split", "deleted"]


def test_a_table_carried_to_its_own_edition_keeps_every_row(folder: Path) -> None:
    Path("t.csv").write_text("text,code,reviewed\ngout,M10.9,yes\nflu,J11.1,\n", "utf-8")
    assert run(["table", "carry", "t.csv", "-o", "same.csv", "--quiet"]) == 0
    same = read_table(Path("same.csv"), load_tree()).entries
    own = read_table(Path("t.csv"), load_tree()).entries
    assert [(row.mapping.code, row.reviewed) for row in same.values()] == [
        (row.mapping.code, row.reviewed) for row in own.values()
    ]


def test_equivalences_of_the_official_form_carry_icd_9(folder: Path) -> None:
    # Flags: approximate, no map, combination, scenario, choice list.
    Path("gem.txt").write_text(
        "2749  M109    10000\n7242  M5450   10000\n7242  M5459   10000\n"
        "99702 I97810  10111\n99702 I639    10112\nV690  NoDx    11000\n",
        "utf-8",
    )
    Path("icd9.csv").write_text(
        "text,code,name,reviewed\ngout,274.9,Gout NOS,yes\nlumbago,724.2,Lumbago,yes\n"
        "stroke at surgery,997.02,Iatrogenic infarction,yes\n"
        "couch potato,V69.0,Lack of exercise,yes\n",
        "utf-8",
    )
    options = ["-o", "new.csv", "--equivalences", "gem.txt", "--quiet"]
    assert run(["table", "carry", "icd9.csv", *options]) == 3
    entries = read_table(Path("new.csv"), load_tree()).entries
    edition = load_tree().version.partition(",")[0]
    seen = {text: (row.mapping.code, row.reviewed, row.note) for text, row in entries.items()}
    assert seen == {
        "gout": ("M10.9", True, "274.9 became M10.9, which is only near"),
        "lumbago": (None, False, "724.2 becomes one of M54.50, M54.59"),
        "stroke at surgery": (None, False, "997.02 becomes only together I97.810, I63.9"),
        "couch potato": (None, False, f"V69.0 has no equivalent in ICD-10-CM, {edition}"),
    }


def test_a_code_that_becomes_itself_is_kept_and_a_row_without_a_code_has_no_score(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pairs.csv").write_text("old,new\nM10.9,M109\nJ11.1,J10.1\nJ11.1,J09.X2\n", "utf-8")
    Path("t.csv").write_text(
        "text,code,name,reviewed,score,category_score\n"
        'gout,M10.9,"Gout, unspecified",yes,1.0,1.0\nflu,J11.1,,yes,0.9,0.95\n',
        "utf-8",
    )
    assert run(["table", "carry", "t.csv", "-o", "new.csv", "--equivalences", "pairs.csv"]) == 3
    assert "1 row needs a new decision; the column note says why" in capsys.readouterr().err
    gout, flu = csv.DictReader(Path("new.csv").open(encoding="utf-8"))
    assert (gout["code"], gout["score"], gout["note"]) == ("M10.9", "1.0", "")
    assert (flu["code"], flu["score"], flu["category_score"]) == ("", "", "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-o", "t.csv"], 2, "must be different files"),
        (["-o", "bad.txt"], 2, "exists already"),
        (["-o", "n.csv", "--changes", "t.csv"], 2, "must be different files"),
        (["-o", "n.csv", "--from", "icd10cm@nowhere"], 2, "there is no folder"),
        (["-o", "n.csv", "--from", "icd10cm@."], 4, "has no file *tabular*.xml"),
        (["-o", "n.csv", "--equivalences", "bad.txt"], 4, "bad.txt, line 2"),
    ],
)
def test_what_cannot_be_read_is_said(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    Path("bad.txt").write_text("2749  M109    10000\nnonsense\n", "utf-8")
    assert run(["table", "carry", "t.csv", *arguments]) == code
    assert message in " ".join(capsys.readouterr().err.split())


def test_every_code_of_a_row_is_carried(folder: Path) -> None:
    old = load_tree("icd10cm@2020")
    new = load_tree("icd10cm")
    signed = {"signature": "icd10cm-2020-0123456789ab=M54.2", "reviewed": "no"}

    def carried(code: str, further: str = "", **cells: str) -> tuple[str, ...]:
        row = carry_row({"text": "x", "code": code, "additional_codes": further, **cells}, new, old)
        return row.fate, row.cells["code"], row.cells["additional_codes"], row.cells["reviewed"]

    yes = {"reviewed": "yes"}
    assert carried("M54.89; M54.2", **yes) == ("renamed", "M54.89; M54.2", "", "yes")
    assert carried("M54.89", "M54.2", **yes) == ("renamed", "M54.89", "M54.2", "yes")
    # M54.5 is divided and T99.1 is gone: a person decides again about the whole row.
    assert carried("M54.89; M54.5", **yes) == ("split", "M54.89; M54.5", "", "no")
    assert carried("M54.2", "M54.89; T99.1", **signed) == ("deleted", "M54.2", "M54.89", "no")
    assert carried("T99.1; M54.2", **yes) == ("deleted", "", "", "no")
    row = carry_row({"text": "x", "code": "M54.89; T99.1", "note": "seen", **yes}, new, old)
    assert row.cells["note"] == f"seen; {row.why}" and "has no T99.1" in row.why
    # Several codes count as a person's decision, unless the signature names them all.
    split = carry_row({"text": "x", "code": "M54.89; M54.5", **yes}, new, old).cells
    entry = read_row(split, new, "row 1")
    assert entry and not entry.reviewed and entry.mapping.codes == ("M54.89", "M54.5")
