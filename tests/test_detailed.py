"""Of codes near the first candidate, that counts which says more of the text and nothing else."""

import pytest

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.search.detailed import read_details


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # Brackets: a term equals the text without them.
        ("Urticaria [cold]", "L50.2"),
        ("Verruca (plantar)", "B07.0"),
        ("Trigger finger [right middle]", "M65.331"),
        ("C. difficile colitis [recurrent]", "A04.71"),
        ("Chalazion (R upper lid)", "H00.11"),
        ("Breast cancer [left, upper outer quadrant, female]", "C50.412"),
        ("pneumonia (MRSA)", "J15.212"),  # another category, by a term of the same words
        # Words anywhere.
        ("Ulcer, decubitus, sacrum, stage 3", "L89.153"),
        ("Decubitus R hip grade II", "L89.212"),
        ("DVT left popliteal", "I82.432"),
        ("normal-tension glaucoma OS [mild]", "H40.122"),
        ("Hemoglobin S disease without crisis", "D57.1"),
        ("stroke, thrombotic, right MCA", "I63.311"),
        # What is absent is not said, whatever the language.
        ("epilepsy, no status epilepticus", "G40.909"),
        ("empiema pleural derecho sin fístula", "J86.9"),
    ],
)
def test_details_of_a_text_are_in_the_code(mapper: Mapper, text: str, code: str) -> None:
    assert (mapper.map(text).code or "").startswith(code)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("migraine with or without aura", "G43"),
        ("pain in left shoulder and right knee", "M25.51"),
        ("ulcer of left foot, fracture of right hip", "L97.5"),  # two sides: of either, none
        ("asthma, allergic rhinitis", "J45"),
        ("gout; trigger finger of right middle finger", "M"),
        ("diabetes without retinopathy", "E11.9"),
        ("chronic erythremia", "D45"),  # no erythroblastopenia
        ("Infection by Echinochasmus", "B66.8"),  # no echinococcosis
        ("cryptorchidism, bilateral", "Q53.2"),  # nobody says ectopic
        ("sigmoid diverticulitis, no bleeding", "K57.32"),  # no diverticulosis
        # Words of a second condition are none of the first.
        ("AF (CKD)", "I48.91"),
        ("AF (permanent pacemaker)", "I48.91"),
        ("anxiety with generalized rash", "F41.9"),
        ("pressure ulcer of left heel (stage 3 CKD)", "L89.62"),
        ("left arm pain, lung cancer", "M79.602"),
        ("stroke (family history of stroke)", "I63"),
        # A category names several things, a side no kind, and a beginning no word.
        ("arm pain [left]", "M79.602"),
        ("gastritis [bleeding]", "K29.7"),
        ("iritis OD", "H20"),
        ("glaucoma OS", "H40"),
        ("AS with hearing loss", "H91.9"),
    ],
)
def test_no_code_says_what_the_text_does_not(mapper: Mapper, text: str, code: str) -> None:
    assert (mapper.map(text).code or "").startswith(code)


def test_words_are_compared_by_their_beginning_but_not_opposites() -> None:
    assert read_details("ulcers, stage II") == read_details("ulcer grade 2")
    assert read_details("second degree") != read_details("secondary degree")
    assert read_details("diverticulitis") != read_details("diverticulosis")
    assert "-fistul" in read_details("empyema without fistula")
