"""A release of one's own: read, shown, searched, mapped, exported and scored like ours."""

import csv
import io
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.cli.main import run
from dxjudge.errors import InputError, UnknownCode, UsageError
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology import Node, Release, Rows, load_tree, read_obo, read_table
from dxjudge.ontology.table import read_table as read_canonical
from dxjudge.scoring.hierarchical import hierarchical_scores

FOLDER = Path(__file__).parent / "data" / "releases"
OWN = f"{FOLDER}/own.py"
ICD11, NUMBERS, MONDO = (f"{OWN}:{name}" for name in ("ICD11", "NUMBERS", "MONDO"))


@pytest.mark.parametrize(
    ("release", "written", "code"),
    [
        (ICD11, "BA41.0", "BA41.0"),
        (ICD11, "ba410", "BA41.0"),
        (ICD11, "ICD11:8A80.Z", "8A80.Z"),
        (ICD11, "1a00–1a0z", "1A00-1A0Z"),
        (ICD11, "01", "01"),
        (NUMBERS, "007", "007"),
        (NUMBERS, " 0070 ", "0070"),
        (NUMBERS, "NUMBERS:0123", "0123"),
        (MONDO, "MONDO:0005148", "MONDO:0005148"),
        (MONDO, "mondo_0005148", "MONDO:0005148"),
        (MONDO, "0005148", "MONDO:0005148"),
    ],
)
def test_codes_of_any_grammar_are_read_as_people_write_them(
    release: str, written: str, code: str
) -> None:
    assert load_tree(release).node(written).code == code


@pytest.mark.parametrize(
    ("release", "written", "nearest"),
    [
        (ICD11, "BA42", "BA41"),
        (ICD11, "8A80.Y", "8A80"),
        (NUMBERS, "7", None),  # a spreadsheet took the zeros away: 007 or 0070, nobody knows
        (NUMBERS, "0124", "0123"),
        (MONDO, "MONDO:0099999", None),  # obsolete
        (MONDO, "UBERON:0000955", None),
    ],
)
def test_an_unknown_code_names_the_nearest(release: str, written: str, nearest: str | None) -> None:
    with pytest.raises(UnknownCode) as unknown:
        load_tree(release).node(written)
    assert unknown.value.nearest == nearest


@pytest.mark.parametrize("release", [ICD11, NUMBERS, MONDO])
def test_every_code_is_found_and_stands_below_its_parent(release: str) -> None:
    tree = load_tree(release)
    for node in tree.nodes:
        assert tree.node(node.code) == node
        for child in tree.children(node):
            assert tree.parent(child) == node
            assert tree.nodes.index(child) > tree.nodes.index(node)
        assert set(tree.descendants(node)) == {
            other for other in tree.nodes if node in tree.ancestors(other)
        }


def test_levels_are_called_as_the_release_says_or_by_depth() -> None:
    tree = load_tree(ICD11)
    line = [(node.kind, node.code) for node in (tree.node("BA41.0"), *tree.ancestors("BA41.0"))]
    assert line == [
        ("subcategory", "BA41.0"),
        ("category", "BA41"),
        ("block", "BA40-BA6Z"),
        ("chapter", "11"),
    ]
    assert [tree.level(code) for _, code in line] == [3, 2, 1, 0]
    assert not tree.is_code("11") and not tree.is_code("BA40-BA6Z") and tree.is_code("BA41")
    assert load_tree(MONDO).nodes == (
        Node("level 1", "MONDO:0000001"),
        Node("level 2", "MONDO:0005015"),
        Node("level 3", "MONDO:0005148"),
    )
    assert load_tree(NUMBERS).levels == ("level 1", "level 2")


def test_a_reader_may_be_a_function_of_ones_own(tmp_path: Path) -> None:
    def read(release: Release) -> Rows:
        rows = Rows("2030")
        rows.add(1, "x", "Itching", rows.add(0, "X", "Skin", -1))
        return rows

    release = Release(name="mine", read=read, levels=("part", "code"), headings=("part",))
    tree = load_tree(release)
    assert [(node.kind, node.code) for node in tree.nodes] == [("part", "X"), ("code", "x")]
    assert tree.version.startswith("2030, sha256 ")
    assert Mapper(release, folder=tmp_path).map("itching").code == "x"


@pytest.mark.parametrize(
    ("specificity", "shown"), [("billable", {"x", "y"}), ("category", {"Itches", "y"})]
)
def test_codes_of_one_name_are_one_where_one_is_above_the_other_whatever_their_length(
    tmp_path: Path, specificity: str, shown: set[str]
) -> None:
    def read(release: Release) -> Rows:
        rows = Rows("2030")
        rows.add(1, "x", "Itching", rows.add(0, "Itches", "Itching", -1))
        rows.add(1, "y", "Itching", rows.add(0, "Mind", "Mental", -1))
        return rows

    release = Release(name="mine", read=read, levels=("part", "code"))
    found = Mapper(release, specificity=specificity, folder=tmp_path).map("itching").candidates
    assert {candidate.code for candidate in found if candidate.name == "Itching"} == shown


def test_the_edition_says_what_was_read_and_what_was_left_out() -> None:
    assert re.fullmatch(r"2025-01, sha256 [0-9a-f]{12}", load_tree(ICD11).version)
    edition = "2026-01-05, of several parents the first, for 1 codes, sha256 "
    assert load_tree(MONDO).version.startswith(edition)


# errors


def table(folder: Path, content: str) -> Release:
    (folder / "codes.tsv").write_text(content.replace(" / ", "\t"), encoding="utf-8")
    return Release(name="own", read=read_table("codes.tsv"), folder=folder)


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ("A / one / B", r"row 1 \(line 2\): the parent 'B' of A is not in the file"),
        ("A / one / \nA / two / ", r"row 2 \(line 3\): the code A occurs twice, first in .*row 1"),
        ("A / one / B\nB / two / A", r"row 1 \(line 2\): A lies below itself: A below B below A"),
        ("A / one / A", r"row 1 \(line 2\): A lies below itself: A below A"),
        ("R / root / \nA / one / B\nB / two / A", r"row 2 \(line 3\): A lies below itself"),
        (" / one / ", r"row 1 \(line 2\): no code"),
        ("A /  / ", r"row 1 \(line 2\): the code A has no name"),
        ("A B / one / ", r"row 1 \(line 2\): the code 'A B' holds a blank"),
        ("", r"codes.tsv has no row with a code"),
    ],
)
def test_what_is_no_tree_is_refused_with_file_and_row(
    tmp_path: Path, rows: str, fault: str
) -> None:
    with pytest.raises(InputError, match=rf"codes\.tsv.*{fault}|{fault}") as error:
        load_tree(table(tmp_path, f"code / name / parent\n{rows}\n"))
    assert str(error.value).partition(", first")[0].count("codes.tsv") == 1


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[Term]\nid: MONDO:1\nname: gout\n", r"no id starts with OWN: \(the first is MONDO:1\)"),
        ("[Typedef]\nid: x\n", r"own\.obo has no \[Term\] with an id"),
    ],
)
def test_an_obo_file_without_the_prefix_is_refused(
    tmp_path: Path, content: str, fault: str
) -> None:
    (tmp_path / "own.obo").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=fault):
        load_tree(Release(name="own", read=read_obo("own.obo"), folder=tmp_path))


def test_a_level_that_the_release_does_not_name_is_refused(tmp_path: Path) -> None:
    release = table(tmp_path, "code / name / parent / level\nA / one /  / kingdom\n")
    release = replace(release, levels=("chapter", "code"))
    with pytest.raises(InputError, match=r"row 1.*'kingdom'; the levels of own are chapter, code"):
        load_tree(release)
    release = table(
        tmp_path, "code / name / parent / level\nA / one /  / code\nB / two / A / chapter\n"
    )
    with pytest.raises(InputError, match=r"row 2.*B, a chapter, lies below A, a code"):
        load_tree(replace(release, levels=("chapter", "code")))


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("no/such.py:X", "there is no file no/such.py"),
        (f"{OWN}:ICD12", "no release 'ICD12' in .*own.py; it has ICD11, "),
        (OWN, "name a release in .*, as own.py:NAME; it has ICD11, "),
        (f"{OWN}:Release", "no release 'Release'"),
    ],
)
def test_a_reference_to_nothing_is_refused(reference: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        load_tree(reference)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("x = (", r"line 1: the file fails: SyntaxError"),
        ("\n\nprint(1 / 0)", r"line 3: the file fails: ZeroDivisionError: division by zero"),
        ("", "it defines no Release"),
        (
            "from dxjudge.ontology import Release\nX = Release(name='icd10', read=print)",
            "icd10 is the name of a release that comes with dxjudge",
        ),
        (
            "from dxjudge.ontology import Release\nX = Release(name='ICD 11', read=print)",
            "line 2: .*'ICD 11' cannot be the name of a release",
        ),
        (
            "from dxjudge.ontology import Release, read_table\n"
            "X = Release(name='x', read=read_table('missing.tsv'))",
            "missing.tsv",
        ),
    ],
)
def test_a_file_that_fails_is_named_with_its_line(tmp_path: Path, content: str, fault: str) -> None:
    path = tmp_path / "release.py"
    path.write_text(content, encoding="utf-8")
    with pytest.raises((UsageError, InputError), match=fault):
        load_tree(f"{path}:X")


CODE = st.text("AB01.:-/'\"é", min_size=1, max_size=5)


@given(
    st.lists(st.tuples(CODE, st.integers(0, 9)), min_size=1, max_size=12, unique_by=lambda x: x[0])
)
def test_any_codes_make_a_tree_that_finds_them_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int]]
) -> None:
    codes = [code for code, _ in rows]
    # A parent is some earlier code; the rows then stand in the file in the opposite order.
    content = [
        {"code": code, "name": f"name {code}", "parent": codes[place % at] if at else ""}
        for at, (code, place) in enumerate(rows)
    ]
    file = io.StringIO()
    writer = csv.DictWriter(file, ["code", "name", "parent"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(reversed(content))
    folder = tmp_path_factory.getbasetemp()
    (folder / "any.csv").write_text(file.getvalue(), encoding="utf-8")
    tree = load_tree(Release(name="any", read=read_table("any.csv"), folder=folder))
    assert sorted(node.code for node in tree.nodes) == sorted(codes)
    for row in content:
        parent = tree.parent(row["code"])
        assert tree.node(row["code"]).code == row["code"]
        assert (parent.code if parent else "") == row["parent"]


# mapping


@pytest.fixture(scope="module")
def icd11(tmp_path_factory: pytest.TempPathFactory) -> Mapper:
    return Mapper(ICD11, scope="chapters", folder=tmp_path_factory.mktemp("index"))


@pytest.mark.parametrize(
    ("text", "code", "by"),
    [
        ("heart attack", "BA41", "exact"),
        ("sick headache", "8A80", "exact"),
        ("migrane without aura", "8A80.0", "embedded"),
        ("Hx of cholera", "1A00", "exact"),
        ("paracetamol 500 mg", None, "none"),
        ("broken leg", None, "none"),
    ],
)
def test_texts_have_codes_of_the_own_release(
    icd11: Mapper, text: str, code: str | None, by: str
) -> None:
    mapping = icd11.map(text)
    assert (mapping.code, mapping.decided_by) == (code, by)
    assert {candidate.code for candidate in mapping.candidates} <= {
        node.code for node in icd11.tree.nodes if icd11.tree.is_code(node)
    }


def test_what_is_left_out_is_searched_only_when_asked_for(icd11: Mapper, tmp_path: Path) -> None:
    assert icd11.map("migraine").code == "8A80"
    without = Mapper(ICD11, folder=tmp_path).map("migraine")
    assert not any(candidate.code.startswith("8A80") for candidate in without.candidates)
    assert without.band in (None, "low")


@pytest.mark.parametrize(
    ("specificity", "codes"),
    [("category", ["8A80", "BA41"]), ("billable", ["8A80.0", "BA41.0"])],
)
def test_codes_are_as_specific_as_asked_for(
    icd11: Mapper, tmp_path: Path, specificity: str, codes: list[str]
) -> None:
    mapper = Mapper(ICD11, scope="chapters", specificity=specificity, folder=tmp_path)
    assert [each.code for each in mapper.map_many(["migraine without aura", "STEMI"])] == codes


def test_codes_with_zeros_and_colons_are_mapped_to(tmp_path: Path) -> None:
    numbers = Mapper(NUMBERS, folder=tmp_path).map_many(["pyrexia", "FUO", "chronic coughing"])
    assert [each.code for each in numbers] == ["007", "0070", "1230"]
    mondo = Mapper(MONDO, folder=tmp_path).map_many(["adult onset diabetes", "diabetes"])
    assert [each.code for each in mondo] == ["MONDO:0005148", "MONDO:0005015"]


def test_the_signature_says_that_nothing_was_fitted_to_the_release(icd11: Mapper) -> None:
    assert icd11.signature["ontology"] == "icd11-toy"
    assert icd11.signature["edition"] == icd11.tree.version
    assert icd11.signature["fitted"] is False


def test_an_index_is_kept_until_the_content_changes(
    tmp_path: Path, copied: Callable[[], str]
) -> None:
    reference = copied()
    before = Mapper(reference, folder=tmp_path)
    again = Mapper(reference, folder=tmp_path)
    assert before.signature["index"] == again.signature["index"]
    assert len(list((tmp_path / "index").glob("*/manifest.json"))) == 1
    table = Path(reference.partition(":")[0]).with_name("icd11.tsv")
    table.write_text(table.read_text("utf-8").replace("Cholera", "Cholera, all kinds"), "utf-8")
    changed = Mapper(reference, folder=tmp_path)
    assert changed.signature["index"] != before.signature["index"]
    assert changed.signature["edition"] != before.signature["edition"]


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[], str]:
    """Copies the release's files to a folder and returns the reference."""

    def copy() -> str:
        folder = tmp_path / "a folder's copy"
        folder.mkdir()
        for path in FOLDER.iterdir():
            if path.is_file():
                (folder / path.name).write_bytes(path.read_bytes())
        return f"{folder}/own.py:ICD11"

    return copy


# commands


def test_show_and_search_know_an_own_release(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "ba410", "--ontology", ICD11, "--json"]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert (shown["kind"], shown["code"], shown["curie"]) == (
        "subcategory",
        "BA41.0",
        "ICD11:BA41.0",
    )
    assert [each["code"] for each in shown["ancestors"]] == ["11", "BA40-BA6Z", "BA41"]
    assert run(["show", "mondo:0005148", "--ontology", MONDO]) == 0
    assert "level 3" in capfd.readouterr().out
    assert run(["search", "heart attack", "--ontology", ICD11, "-k", "1", "--json"]) == 0
    assert [each["code"] for each in json.loads(capfd.readouterr().out)["candidates"]] == ["BA41"]


def mapped(tmp_path: Path, output: str, *more: str) -> str:
    texts = tmp_path / "texts.csv"
    texts.write_text("id,diagnosis\n1,heart attack\n2,E. coli enteritis\n3,broken leg\n", "utf-8")
    arguments = ["map", str(texts), "-o", str(tmp_path / output), "--ontology", ICD11, *more]
    assert run(arguments) == 0
    return (tmp_path / output).read_text("utf-8")


def test_map_writes_rows_and_says_what_was_not_fitted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = list(csv.DictReader(io.StringIO(mapped(tmp_path, "out.csv"))))
    assert [row["code"] for row in rows] == ["BA41", "1A03", ""]
    assert "not fitted to ICD-11 (16 nodes)" in capfd.readouterr().err


def test_a_canonical_table_holds_codes_of_an_own_release(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    mapped(tmp_path, "out.csv", "--table", str(path))
    edited = path.read_text("utf-8").replace("\tBA41\t", "\tba410\t")
    path.write_text(edited, encoding="utf-8")
    entry = read_canonical(path, load_tree(ICD11)).entries["heart attack"]
    assert (entry.mapping.code, entry.reviewed) == ("BA41.0", True)
    assert "heart attack,BA41.0," in mapped(tmp_path, "again.csv", "--table", str(path))


@pytest.mark.parametrize(
    ("release", "text", "curie"),
    [
        (ICD11, "heart attack", "ICD11:BA41"),
        (NUMBERS, "pyrexia", "NUMBERS:007"),
        (MONDO, "diabetes", "MONDO:0005015"),
    ],
)
def test_sssom_has_curies_of_the_own_prefix(
    tmp_path: Path, release: str, text: str, curie: str
) -> None:
    (tmp_path / "texts.txt").write_text(f"{text}\n", encoding="utf-8")
    output = tmp_path / "out.sssom.tsv"
    assert run(["map", str(tmp_path / "texts.txt"), "-o", str(output), "--ontology", release]) == 0
    lines = output.read_text("utf-8").splitlines()
    (row,) = csv.DictReader([line for line in lines if line[0] != "#"], delimiter="\t")
    assert row["object_id"] == curie
    assert any(line.startswith(f"#   {curie.partition(':')[0]}: ") for line in lines)


def test_hierarchical_scores_run_over_an_own_tree() -> None:
    tree = load_tree(ICD11)
    # C: BA41.0, BA41, BA40-BA6Z, 11; P: BA41, BA40-BA6Z, 11: all 3 right, 3 of 4 found.
    scores = hierarchical_scores([["BA41.0"]], [["ba41"]], tree)
    assert (scores.precision, scores.recall) == (1.0, 0.75)
    assert hierarchical_scores([["BA41.0"]], [["BA41"]], tree, level="block").f1 == 1.0
    assert hierarchical_scores([["BA41.0"]], [["1A00"]], tree, chapter="11").recall == 0.0
    mondo = load_tree(MONDO)
    deep = hierarchical_scores([["MONDO:0005148"]], [["MONDO:0005015"]], mondo, level="level 2")
    assert deep.f1 == 1.0
    with pytest.raises(UsageError, match="choose one of level 1, level 2, level 3"):
        hierarchical_scores([["MONDO:0005148"]], [["MONDO:0005015"]], mondo, level="chapter")


def test_an_evaluation_scores_over_an_own_tree(tmp_path: Path) -> None:
    truth = [{"diagnosis": "STEMI", "codes": ["ba410"]}, "cholera"]
    case = {"id": "1", "diagnosis": "heart attack", "codes": ["BA41"], "ddx": truth}
    response = {"id": "1", "predicted_ddx": ["heart attack", "cholera"]}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case), encoding="utf-8")
    (tmp_path / "model.jsonl").write_text(json.dumps(response), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("cases.jsonl", "model.jsonl")]
    out = tmp_path / "out"
    assert run(["evaluate", *files, "-o", str(out), "--preset", "hddx", "--ontology", ICD11]) == 0
    (row,) = csv.DictReader(io.StringIO((out / "main_table.csv").read_text("utf-8")))
    # C: the lines of BA41.0 (4 nodes) and 1A00 (3); P: those of BA41 (3) and 1A00 (3), all right.
    assert float(row["HDP"]) == 1.0
    assert float(row["HDR"]) == pytest.approx(6 / 7)


PAGE = (Path(__file__).parents[1] / "docs" / "own_ontology.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_on_own_ontologies_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (table, output), (release, python), (console,) = map(blocks, ("csv", "python", "console"))
    Path("codes.csv").write_text(table, encoding="utf-8")
    Path("release.py").write_text(release, encoding="utf-8")
    for line in console.splitlines():
        words = shlex.split(line.removeprefix("$ "))
        if words[0] == "printf":
            Path(words[-1]).write_text(words[1].replace("\\n", "\n"), encoding="utf-8")
        else:
            assert run(words[1:]) == 0, line
    assert "8A80.Z" in capfd.readouterr().out
    exec(python, {})
    wanted = list(csv.DictReader(io.StringIO(output)))
    written = csv.DictReader(io.StringIO(Path("mapped.csv").read_text("utf-8")))
    assert [{name: row[name] for name in wanted[0]} for row in written] == wanted
