"""The terms of ICD-10-CM are searched for the WHO's ICD-10, with the codes that they have there."""

from dataclasses import replace

import pytest

from dxjudge.ontology.base import COMMUNITY, default_terms, recipe
from dxjudge.ontology.carried import NOWHERE, carried_code, carried_terms
from dxjudge.ontology.release import Release, Rows
from dxjudge.ontology.terms import Term
from dxjudge.ontology.tree import Tree, load_tree

CM, WHO = load_tree("icd10cm"), load_tree("icd10")
LISTED = dict(WHO.descriptor.differing_codes())


@pytest.mark.parametrize(
    ("code", "carried"),
    [
        ("I10", "I10"),
        ("K35.80", "K35.8"),  # the nearest code above that WHO has
        ("S82.841", "S82.8"),
        ("I82.401", "I80.2"),  # listed, for what lies below it too
        ("E08.9", "E13"),
        ("C7A.020", "C18.1"),
        ("C7A.021", "C18"),
        ("R65.21", "R57.2"),
        ("L89.152", "L89"),  # WHO has L89.1, where it is a stage and not a place
        ("L49.1", None),
    ],
)
def test_a_code_is_kept_where_it_means_the_same_or_else_the_nearest_above(
    code: str, carried: str | None
) -> None:
    assert carried_code(code, CM, WHO, LISTED) == carried


def test_every_category_is_carried_or_said_to_be_nowhere() -> None:
    unlisted = [
        node.code
        for node in CM.nodes
        if node.kind == CM.levels[CM.category_level]
        and CM.chapter(node).code not in WHO.descriptor.left_out
        and carried_code(node.code, CM, WHO, LISTED) is None
        and LISTED.get(node.code) != NOWHERE
    ]
    assert unlisted == []


def test_the_table_names_codes_of_both_releases() -> None:
    for code, target in LISTED.items():
        assert CM.contains(code)
        assert target == NOWHERE or WHO.is_code(target)
        assert code != target


def test_a_text_that_the_release_names_itself_is_not_carried_to_another_code() -> None:
    lent = [
        Term("Stroke", "I63.9", COMMUNITY),
        Term("high blood pressure", "I10", COMMUNITY),
        Term("asthma", "J45", COMMUNITY),
    ]
    own = [Term("stroke", "I64", COMMUNITY), Term("Asthma", "J45", "official")]
    assert list(carried_terms(lent, CM, WHO, own)) == lent[1:]


def _rows(release: Release) -> Rows:
    rows = Rows("1")
    rows.add(0, "A", "Diseases", -1)
    rows.add(1, "A1", "Gout", 0)
    return rows


def test_the_base_of_a_release_holds_the_terms_lent_to_it_and_says_whose_they_are() -> None:
    levels = {"levels": ("chapter", "category"), "headings": ("chapter",)}
    own = Release("own", _rows, **levels, lender=f"{__file__}:LENDER")  # type: ignore[arg-type]
    tree = Tree(own, _rows(own))
    # The lender's own name of A1, its inclusion term, and nothing of A2, which `own` lacks.
    assert default_terms(tree) == [
        Term("Gout", "A1", "official"),
        Term("Podagra", "A1", f"{__file__}:LENDER/inclusion"),
    ]
    alone = Tree(replace(own, lender=None), _rows(own))
    assert recipe(tree) != recipe(alone)


def _lent_rows(release: Release) -> Rows:
    rows = _rows(release)
    rows.notes[1] = {"inclusion": ["Podagra"]}
    rows.add(1, "A2", "Scurvy", 0)
    return rows


LENDER = Release("lender", _lent_rows, levels=("chapter", "category"), headings=("chapter",))
