"""A note that tells complaints, an accident or the work-up first gets the code of its diagnosis."""

import pytest

from dxjudge import Mapper


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("dysuria x3d, UA LE+, macrobid, UTI", "N39"),
        ("fell down stairs, subdural hematoma, no LOC", "S06"),
        ("RUQ pain -> acute cholecystitis", "K81"),
        ("cough, h/o pneumonia", "R05"),
        ("fever, COVID exposure", "R50"),
        ("fever, fundal tenderness, gent/clinda, endometritis", "N71"),
    ],
)
def test_the_diagnosis_of_a_note_counts(mapper: Mapper, text: str, category: str) -> None:
    mapping = mapper.map(text)
    assert mapping.code is not None and mapping.code[:3] == category
    assert mapping.reason is not None and "is the code of" in mapping.reason
    assert mapping.score < 0.8 and mapping.category_score < 0.8
    assert sum(candidate.score for candidate in mapping.candidates) <= 1


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("chest pain, HTN, DM2", "R07"),  # chronic conditions beside a complaint
        ("dysuria, no UTI", "R30"),  # what is denied is not the diagnosis
        ("headache, r/o meningitis", "R51"),  # nor what is looked for
        ("well child, eczema", "Z00"),  # a contact that the note begins with
    ],
)
def test_what_does_not_explain_a_complaint_leaves_it(
    mapper: Mapper, text: str, category: str
) -> None:
    mapping = mapper.map(text)
    assert mapping.code is not None and mapping.code[:3] == category


def test_a_list_is_no_condition_that_it_does_not_name(mapper: Mapper) -> None:
    for text, code in (("pneumonia, fever", "J18"), ("pneumonia, cough", "J18")):
        mapping = mapper.map(text)
        assert mapping.code == code, text  # as one text they are near to Q fever and pertussis


def test_lists_of_drugs_and_remarks_stay_refused(mapper: Mapper) -> None:
    for text in ("metformin, lisinopril, atorvastatin", "colonoscopy, 2019", "CBC, BMP, UA"):
        assert mapper.map(text).code is None, text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("58M w/ pneumonia", "pneumonia"),
        ("72yo female, CHF exacerbation", "CHF exacerbation"),
        ("pt is a 35 yo F with SLE", "SLE"),
        ("a 45-year-old woman with lupus nephritis", "lupus nephritis"),
    ],
)
def test_the_patient_before_a_diagnosis_changes_no_code(
    mapper: Mapper, text: str, plain: str
) -> None:
    assert mapper.map(text).code == mapper.map(plain).code


def test_an_age_that_names_a_condition_stays(mapper: Mapper) -> None:
    mapping = mapper.map("16 year old pregnant")
    assert mapping.code is not None and mapping.code.startswith(("O", "Z3"))
    assert mapper.map("12 man").code is None
