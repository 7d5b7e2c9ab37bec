"""With `billable`, the 7th character is the one that the text names, else the initial encounter."""

import pytest

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.specificity import at_specificity
from dxjudge.ontology.tree import load_tree

TREE = load_tree()


@pytest.mark.parametrize(
    ("code", "text", "billable"),
    [
        ("S61.431", "Pnctr wnd w/o fb of right hand", "S61.431A"),
        ("S61.431", "Pnctr wnd w/o fb of right hand, init", "S61.431A"),
        ("S61.431", "Pnctr wnd w/o fb of right hand, subs encntr", "S61.431D"),
        ("S61.431", "Pnctr wnd w/o fb of right hand, sequela", "S61.431S"),
        ("S62.346", "Nondisp fx of base of 5th MC bone, right hand, sqla", "S62.346S"),
        ("S62.346", "open nondisp fx of base of 5th MC bone, right hand", "S62.346B"),
        ("O36.591", "Maternal care for oth or susp poor fetl grth, 1st tri, fts3", "O36.5913"),
        ("O36.591", "Maternal care for oth or susp poor fetl grth, 1st tri", "O36.5910"),
        ("H40.111", "Primary open-angle glaucoma, right eye, severe stage", "H40.1113"),
        ("H40.111", "Primary open-angle glaucoma, right eye", "H40.1110"),
        ("H40.113", "POAG mod OU", "H40.1132"),
        ("O36.60", "LGA fetus", "O36.60X0"),  # a fetus without a number is not the first
        ("Z96.659", "s/p R TKA", "Z96.651"),
        ("L03.019", "paronychia of thumb", "L03.019"),
        ("G56.00", "CTS bilat", "G56.03"),
        ("O30.009", "twins 20w", "O30.002"),
        ("O41.0", "oligo 34w", "O41.03X0"),
        ("O36.6", "LGA fetus 27w6d", "O36.62X0"),
        ("O09.52", "elderly multigravida, 13w6d", "O09.521"),
        ("O09.52", "elderly multigravida, last seen 13 weeks ago", "O09.529"),
        ("O09.52", "elderly multigravida, 30w, second trimester", "O09.522"),
    ],
)
def test_the_variant_that_the_text_names_is_taken(code: str, text: str, billable: str) -> None:
    assert at_specificity(code, "billable", TREE, text=text) == billable


@pytest.mark.parametrize(
    ("code", "text", "billable"),
    [
        ("N52", "Erectile Dysfunction", "N52.9"),  # named "Male erectile dysfunction, unspecified"
        ("K40.9", "Unil inguinal hernia w/o obstruction or gangrene", "K40.90"),
        ("E11", "type 2 diabetes", "E11.9"),  # without complications, not with unspecified ones
        ("F10.2", "alcohol dependence", "F10.20"),  # uncomplicated
        ("A41", "sepsis", "A41.9"),  # not that by an unspecified staphylococcus
        ("G93", "brain disorder", "G93.9"),
        ("G40.9", "epilepsy", "G40.909"),  # not intractable, without status epilepticus
    ],
)
def test_the_unspecified_child_is_taken(code: str, text: str, billable: str) -> None:
    ranked = ["N52.2", "K40.91", "K40.90"]
    assert at_specificity(code, "billable", TREE, ranked, text) == billable


@pytest.mark.parametrize(
    ("text", "billable"),
    [
        ("left hemiparesis", "G81.94"),  # the left side is not dominant where nothing is said
        ("R hemiplegia", "G81.91"),
        ("left hemiplegia, left-handed", "G81.92"),
        ("right hemiplegia in a left-handed man", "G81.93"),
        ("right hemiplegia, non-dominant side", "G81.93"),
        ("left hemiplegia of an ambidextrous woman", "G81.92"),
        ("hemiplegia", "G81.90"),
    ],
)
def test_a_side_is_dominant_as_the_guidelines_say(text: str, billable: str) -> None:
    ranked = ["G81.93", "G81.92"]
    assert at_specificity("G81.9", "billable", TREE, ranked, text) == billable


def test_a_concept_has_no_seventh_character() -> None:
    assert at_specificity("S61.431", "concept", TREE, text="wound of hand, sequela") == "S61.431"


def test_a_later_encounter_that_the_code_lacks_is_in_the_reason(mapper: Mapper) -> None:
    later = mapper.map("Puncture wound w/o foreign body of right hand, sequela")
    assert later.code == "S61.431"
    assert later.reason == "'sequela' is not in the code; --specificity billable adds it"
    assert mapper.map("Puncture wound w/o foreign body of right hand, init").reason is None
