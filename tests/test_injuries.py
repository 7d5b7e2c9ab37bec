"""Names of injuries, as emergency rooms write them, in the words of the release."""

import re

import pytest

from dxjudge import Mapper
from dxjudge.ontology.packaged import packaged_rows
from dxjudge.ontology.reading import any_of, injuries
from dxjudge.ontology.reading.injuries import in_words_of_release


def test_each_row_changes_its_own_text() -> None:
    _, patterns = injuries._table()
    written = [text for *_, text in packaged_rows("injuries.tsv")]
    assert len(written) == len(patterns) > 40
    rows = zip(written, patterns, strict=True)
    assert [text for text, (pattern, _) in rows if not pattern.search(text)] == []
    assert [text for text in written if in_words_of_release(text) == text] == []


@pytest.mark.parametrize(
    "text",
    [
        "splinter hemorrhage",
        "tick-borne fever",
        "cat scratch disease",
        "nontraumatic rotator cuff tear right",
        "herpetic felon",
        "internal hordeolum",
        "scalded skin syndrome",
        "left hip fracture, repaired hernia",
        "nontraumatic compartment syndrome left leg",
    ],
)
def test_other_conditions_stay(text: str) -> None:
    assert in_words_of_release(text) == text


def test_a_vertebra_is_named_as_in_the_release() -> None:
    words = in_words_of_release("L1 compression fracture, fall")
    assert words == "wedge compression fracture of first lumbar vertebra, fall"
    assert in_words_of_release("L14 fracture") == "fracture of L14 vertebra"
    assert in_words_of_release("T6 fracture") == "fracture of T5-T6 vertebra"
    assert in_words_of_release("T12 fracture") == "fracture of T11-T12 vertebra"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("boxers fx R hand", "S62.336A"),
        ("tick embedded scalp", "S00.06XA"),
        ("bug in L ear", "T16.2XXA"),
        ("fish bone in throat", "T17.228A"),
        ("subungual hematoma L thumb", "S60.112A"),
        ("scald burn L forearm, partial thickness", "T22.212A"),
        ("forehead lac, 3 cm, repaired", "S01.81XA"),
        # Of a fracture and of a poisoning, the guidelines say what is meant without a word for it.
        ("bimall ankle fx R", "S82.841A"),
        ("nondisplaced bimall ankle fx R", "S82.844A"),
        ("black widow bite", "T63.311A"),
        ("benzo OD, SI", "T42.4X2A"),
        ("accidental ingestion of bleach", "T54.91XA"),
        ("gabapentin OD, intentional", "T42.6X2A"),
        ("PVD OS", "H43.812"),
        ("PVD with claudication", "I73.9"),
        ("rust ring OS", "T15.02XA"),
        ("C7 fx", "S12.600A"),
        ("R 4th MC fx", "S62.304A"),
        ("R shoulder dislocation, ant, reduced", "S43.014A"),
        ("compartment syndrome R forearm", "T79.A11A"),
        ("took too many tylenol", "T39.1X1A"),
        ("glass in R foot", "S90.851A"),
    ],
)
def test_an_entry_of_an_emergency_room_has_its_code(text: str, code: str) -> None:
    assert Mapper(specificity="billable").map(text).code == code


def test_no_row_holds_a_group_by_name() -> None:
    assert all("(?P<" not in written for written, *_ in packaged_rows("injuries.tsv"))
    assert re.compile(any_of._unnumbered(r"\b(a|b) (?:c)\(")).groups == 0
