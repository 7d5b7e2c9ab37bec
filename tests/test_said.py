"""The code in front says what the text says: its side, what is absent, an organism alone."""

import pytest

from dxjudge.graphs.mapper import Mapper


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("cellulitis of right leg", "L03.115"),  # not L03.119, of an unspecified limb
        ("abscess of right leg", "L02.415"),
        ("LAC FACE", "S01.81"),  # "lac" is laceration, also where all letters are capitals
        ("Tolosa-Hunt", "H49.40"),
        ("old CVA", "Z86.73"),
        ("DVT right leg", "I82.401"),  # the only code of this side below I82.40
        ("left ventricular failure", "I50.1"),  # the name holds the side already
        ("IBS w/o diarrhea", "K58.9"),  # not K58.0, with diarrhea
        ("IBS w/ diarrhea", "K58.0"),
        ("lac L index finger, no FB", "S61.211"),  # without a foreign body, without damage
        ("lac L index finger, nail intact, no FB", "S61.211"),
        ("gallstones w/ biliary colic, no cholecystitis", "K80.2"),
        ("ERM OS", "H35.372"),  # in a code of an eye, OS is the left one
        ("POAG, APAP OD", "H40.11"),  # beside a drug, OD is an overdose
        ("paronychia R thumb", "L03.011"),  # the twin of L03.019
        ("ulcerative colitis with rectal bleeding", "K51.911"),  # not K51.811, other
        ("Other ulcerative colitis with rectal bleeding", "K51.811"),
        ("Staphylococcus aureus, methicillin-resistant", "B95.62"),
        ("Enterococcus spp.", "B95.2"),
        ("Streptococcus pneumoniae", "B95.3"),
        ("FIBROADENOMA, BREAST, LEFT", "D24.2"),  # not N60.22, of another disease and this side
        ("fibroadenoma of right breast", "D24.1"),
        ("AC joint arthritis", "M19.01"),  # not a dislocation of this joint
        ("AC joint arthritis left", "M19.012"),
        ("Streptococcus pneumoniae pneumonia", "J13"),  # a disease, not the organism alone
        ("Personality Disorder NEC", "F60.89"),  # not F60.9, unspecified
        ("metastatic colon cancer", "C18"),  # not C78.5, which began elsewhere
        ("metastatic cancer to colon", "C78.5"),
        ("metastatic liver cancer", "C78.7"),
        ("Cancer of connective tissue", "C49.9"),  # not D49.2, of unspecified behavior
        ("hemangiosarcoma of spleen", "C26.1"),  # not D18.03, a hemangioma
        ("breast ca Tis", "D05"),  # in situ, not C50
        ("cervical cancer stage 0", "D06"),
        ("cellulitis Rt leg", "L03.115"),  # "Rt", "RT" before a part of the body are sides
        ("knee pain, Lt", "M25.562"),
        ("RT breast mass", "N63.1"),
        ("breast ca s/p RT", "C50"),  # a radiotherapy
        ("MVC w/ neck pain", "M54.2"),  # an event before the condition
        ("osteomyelitis, chronic, tibia", "M86.66"),
        ("hip fracture", "S72.00"),  # as the inclusion term "Fracture of hip NOS"
        ("malignant ovarian cancer with Klinefelter syndrome", "C56"),
        ("hearing aids", "Z97.4"),  # not a foreign body by them
        ("epidermoid cyst", "L72.0"),  # only one of the mouth is K09.8
        ("oral epidermoid cyst", "K09.8"),
    ],
)
def test_what_the_text_says_is_first(mapper: Mapper, text: str, code: str) -> None:
    mapping = mapper.map(text)
    assert mapping.code == code
    scores = [candidate.score for candidate in mapping.candidates]
    assert scores == sorted(scores, reverse=True) and sum(scores) <= 1 + 1e-9
    assert len({candidate.code for candidate in mapping.candidates}) == len(scores)


def test_a_procedure_that_is_a_factor_passes_and_a_dose_does_not(mapper: Mapper) -> None:
    assert mapper.map("Surveillance of Contraceptives NEC").code == "Z30.49"
    assert mapper.map("metformin 500 mg").status == "unmapped"


@pytest.mark.parametrize(
    "text",
    ["rabies tag for dog", "tumor necrosis factor", "CHF 200", "asthmatix", "acute angle"],
)
def test_what_a_text_is_about_stands_at_its_head(mapper: Mapper, text: str) -> None:
    assert mapper.map(text).score < 0.5


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("acute angle closure attack", "H40"),
        ("positive rheumatoid factor", "R76"),
        ("CHF 2019", "I50"),
        ("AAA 5.6 cm", "I71"),
    ],
)
def test_a_diagnosis_with_such_words_keeps_its_category(
    mapper: Mapper, text: str, category: str
) -> None:
    assert (mapper.map(text).code or "").startswith(category)
