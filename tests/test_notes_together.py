"""What two things of a note mean together, burns, and the later care of injuries."""

import re

import pytest

from dxjudge import Mapper
from dxjudge.ontology.notes.burns import burn_in
from dxjudge.ontology.notes.parts import read_note
from dxjudge.ontology.notes.stage import injury_cared_for
from dxjudge.ontology.notes.together import told_together
from dxjudge.ontology.packaged import packaged_rows

_LINES = [row for row in packaged_rows("together.tsv") if row[0] != "list"]


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none", specificity="billable")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # Complications of care are coded by organ system or device (guidelines, I.C.19.g).
        ("OGD dilatation yest, chest pain, oesophageal perf on CT", "K91.71"),
        ("TLH D2, bladder injury repaired", "N99.71"),
        ("hemithyroidectomy tonight, expanding neck haematoma", "E89.820"),
        ("R brachiocephalic AVF no thrill, thrombosed", "T82.868A"),
        ("L THA popped out at yoga", "T84.021A"),
        ("OLT 4/12, ALT 400, bx ACR", "T86.41"),
        ("cholecystectomy wound infected, pus, cx MRSA", "T81.41XA"),
        # A word of the operation's harm that is denied, or an operation still to come.
        ("L THA check, no dislocation", None),
        ("DU perf, for laparotomy", None),
        # Accidents, and bones that break without one (I.C.13.d).
        ("tripped, known osteoporosis, R distal radius #", "M80.031A"),
        ("MVA, bilateral rib fractures, L pneumothorax", "S27.0XXA"),
        ("myeloma, path # R humerus", "M84.521A"),
        ("tall thin smoker, L pneumothorax", None),
        # What histology names, and complications of tumors (I.C.2.c).
        ("PMB, hysteroscopy + curettings: endometrioid adenoca G2", "C54.1"),
        ("L breast lump, core bx fibroadenoma", "D24.2"),
        ("kidney ca with bone mets, hypercalcaemia 3.1, pamidronate", "E83.52"),
        ("PAD, R heel ulcer, ABPI 0.4", "I70.234"),
        # Classifications of fractures, skin tears, bites.
        ("fell, Schatzker 6 L, ex fix", "S82.142A"),
        ("skin tear L forearm, steristrips", "S51.812A"),
        ("stray dog bite L calf cat 3, ARV", "S81.852A"),
        # Burns by depth and site, and injuries that are cared for later (I.C.19.a, I.C.19.d).
        ("kettle, blisters R forearm", "T22.211A"),
        ("sutures out today, L hand lac", "S61.412D"),
        ("acute lymphoblastic leukaemia in CR", "C91.01"),
    ],
)
def test_what_a_note_tells_together(mapper: Mapper, text: str, code: str | None) -> None:
    if code is None:
        assert told_together(text, read_note(text)) == ()
    else:
        assert mapper.map(text).code == code


@pytest.mark.parametrize("line", _LINES, ids=lambda line: line[-1])
def test_each_line_is_the_first_that_fits_its_text(line: list[str]) -> None:
    *_, words, codes, _, text = line
    (told,) = told_together(text, read_note(text))
    said = re.escape(words).replace(re.escape("{side}"), r"\w+")
    assert re.fullmatch(said, told.words) and told.codes == tuple(codes.split())


@pytest.mark.parametrize(
    "text",
    ["SJS 12% BSA, burns unit", "heartburn", "sunburn shoulders, blisters", "old burn scar L hand"],
)
def test_no_burn(text: str) -> None:
    assert burn_in(text) is None


def test_care_of_no_injury() -> None:
    assert injury_cared_for("wound check, surgical") == ""
