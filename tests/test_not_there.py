"""What a text says is not there, not there yet, or only measured gets no code of a disease."""

import doctest

import pytest

from dxjudge import Mapper
from dxjudge.ontology.reading import absent, conditional
from dxjudge.ontology.reading.conditional import is_conditional, is_possible
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.reading.values import is_lab_value


@pytest.mark.parametrize("module", [absent, conditional])
def test_docstrings_show_what_the_functions_do(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "PRN nausea",
        "return if seizure recurs",
        "If fever, return to ED",
        "to prevent gout flares",
        "could become septic",
        "consider Kawasaki if fever >5d",
        "ortho to follow",
        "contact your doctor if fever",
        "return to ED if chest pain",
        "if chest pain",
    ],
)
def test_what_to_do_is_told_from_what_is_there(text: str) -> None:
    assert is_conditional(text)


@pytest.mark.parametrize(
    "text",
    [
        "If I eat milk I get diarrhea",
        "return of symptoms",
        "unable to follow commands",
        "alert but confused",
        "could be asthma",
        "contact dermatitis",
        "ring finger fracture",
        "high risk pregnancy",
        "Contact urticaria when exposed to latex",
        "contact bleeding when having sex",
        "ring finger pain when gripping",
        "Return of angina when walking",
        "If standing, dizzy",
        "if he runs he wheezes",
        "if walking, chest pain",
        "considering suicide if discharged",
        "workup for anemia showed iron deficiency",
        "aphasia unable to follow",
    ],
)
def test_complaints_are_no_instructions(text: str) -> None:
    assert not is_conditional(text) and not is_possible(text)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Hypoglycemia, non-diabetic", "E16"),
        ("Non-pressure ulcer, heel", "L97"),
        ("Headache, non migrainous", "R51"),
        ("Hepatitis, non-viral", "K75"),
        ("Dysuria; UTI excluded", "R30"),
        ("non-Hodgkin lymphoma", "C85"),
        ("migraine without aura", "G43"),
        ("HTN w/o heart failure or CKD", "I11"),
    ],
)
def test_a_code_does_not_name_what_the_text_says_is_absent(
    mapper: Mapper, text: str, category: str
) -> None:
    assert (mapper.map(text).code or "")[:3] == category


@pytest.mark.parametrize(
    "text",
    [
        "HTN (-)",
        "GERD (ruled out by pH study)",
        "DM: no; CAD: no",
        "may need dialysis",
        "Ø fever",
        "eval for OSA",
        "At risk of pressure ulcers",
    ],
)
def test_signs_and_looks_for_a_condition_are_unmapped(mapper: Mapper, text: str) -> None:
    assert mapper.map(text).code is None


def test_brackets_with_another_matter_leave_little_of_an_equal_term(mapper: Mapper) -> None:
    assert mapper.map("mole (spy)").score < 0.5 <= mapper.map("mole (left cheek)").score


def test_another_matter_leaves_little_of_the_category_too(mapper: Mapper) -> None:
    assert mapper.map("IBS conference").category_score < 0.5


@pytest.mark.parametrize(
    ("text", "code"),
    [("PICC line", "Z95.828"), ("G-tube", "Z93.1"), ("s/p MI", "I25.2"), ("s/p CVA", "Z86.73")],
)
def test_a_device_alone_and_a_past_event_are_states(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


def test_a_text_whose_category_is_near_is_not_refused_for_its_code(mapper: Mapper) -> None:
    assert (mapper.map("hyperbili newborn, phototherapy").code or "")[:3] == "P59"


@pytest.mark.parametrize(
    ("text", "is_value"),
    [
        ("Cancer antigen 125: 11 U/mL", True),
        ("Hyperkalemia: 6.8 mmol/L", False),
        ("Vit D def 12 ng/ml", False),
        ("BP 140/90 mmHg", True),
        ("CK 40,000 rhabdo", False),
        ("serum ferritin: 5 ng/ml", True),
        ("Ceruloplasmin: 12 mg/dl", True),
        ("prostate cancer PSA: 40 ng/ml", False),
        ("rhabdomyolysis CK: 40000 U/L", False),
        ("iron deficiency ferritin: 5 ng/ml", False),
        ("polycythemia hgb: 20 g/dl", False),
        ("raised PSA: 12 ng/ml", False),
        ("hyperkalemia K: 6.8 mmol/L", False),
        ("Wilson disease ceruloplasmin: 12 mg/dl", False),
    ],
)
def test_a_value_is_told_from_the_finding_it_stands_for(text: str, is_value: bool) -> None:
    assert is_lab_value(text) is is_value


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("severe AS, AVA 0.7", "severe aortic stenosis ava 0 7"),
        ("CP r/o ACS", "chest pain"),
        ("MS with fatigue", "ms with fatigue"),
        ("ASD with shunt", "atrial septal defect"),
        ("HIV follow up with PCP", "human immunodeficiency virus follow up with pcp"),
        ("PCP with low CD4", "pneumocystis pneumonia"),
        ("ED sent for drug restrict", "ed sent"),
        ("PVD OS", "posterior vitreous detachment left eye"),
        ("PVD with claudication", "peripheral vascular disease with"),
        ("AR, seasonal", "allergic rhinitis seasonal"),
        ("AR with MR", "aortic regurgitation with"),
        ("DES OU", "dry eye syndrome both eyes"),
    ],
)
def test_words_beside_an_abbreviation_say_which_of_its_meanings_is_meant(
    text: str, first: str
) -> None:
    assert read_query(text).forms[0].text.startswith(first)


def test_a_meaning_taken_from_the_words_beside_it_is_told(mapper: Mapper) -> None:
    mapping = mapper.map("CP r/o ACS")
    assert mapping.code == "R07.9"
    assert (mapping.reason or "").startswith("CP was read as chest pain")
    assert mapper.map("AR w allergic conj").codes == ("J30.9", "H10.1")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("VRE UTI", {"N39.0", "B95.2"}),
        ("MSSA endocarditis", {"I33.0", "B95.61"}),
        ("ESBL UTI", {"N39.0", "Z16.12"}),
        ("MRSA carrier", {"Z22.322"}),
        ("strep throat", {"J02.0"}),
    ],
)
def test_an_organism_before_its_infection_stands_beside_it(
    mapper: Mapper, text: str, codes: set[str]
) -> None:
    assert {*mapper.map(text).codes} == codes


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("chronic hepatitis B HBeAg (-)", "B18.1"),
        ("pulmonary TB smear (-)", "A15.0"),
        ("sore throat strep (-)", "J02.0"),
        ("RA RF (-)", "M06.9"),
        ("DCIS stage: 0", "D05.1"),
        ("Suspected child sexual abuse, ruled out", "Z04.42"),
        ("fever but sepsis ruled out", "R50.9"),
        ("chest pain with MI ruled out", "R07.9"),
        ("(-) SOB; pneumonia", "J18"),
        ("low suspicion for ACS, likely GERD", "K21"),
        ("wheezing prn albuterol", "R06.2"),
        ("rash after malaria prophylaxis", "R21"),
        ("PCP prophylaxis", "Z29.89"),
        ("h/o ASD repaired", "Z87.74"),
        ("history of retained foreign body removed", "Z87.821"),
    ],
)
def test_a_condition_beside_what_is_denied_or_given_keeps_its_code(
    mapper: Mapper, text: str, code: str
) -> None:
    assert mapper.map(text).code == code


@pytest.mark.parametrize(
    "text",
    [
        "diabetes mellitus (-)",
        "heart failure: N",
        "no fever; no chills",
        "Pt with PE ruled out",
        "admitted with sepsis ruled out",
        "no PR bleeding",
        "no effort angina",
        "zofran prn nausea",
        "TB test negative",
        "malaria smear negative",
        "HIV Ab (-)",
        "DVT left leg (-)",
        "nausea vomiting (-)",
    ],
)
def test_what_is_denied_or_only_treated_in_a_case_has_no_code(mapper: Mapper, text: str) -> None:
    assert mapper.map(text).code is None


@pytest.mark.parametrize("text", ["asthma in a baker", "lung disease, welder", "CKD 3.5"])
def test_a_disease_before_an_occupation_or_a_stage_is_no_other_matter(
    mapper: Mapper, text: str
) -> None:
    assert mapper.map(text).score > 0.5 > mapper.map("coal miner").score


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("flu A/B (-)", None),
        ("hepatitis A/B/C (-)", None),
        ("celiac disease tTG (-)", "K90"),
        ("strep A pharyngitis", "J02"),
        ("hypertension without CKD", "I10"),
        ("IBS without diarrhea", "K58"),
        ("migraine without aura", "G43"),
        ("HIV PEP", "Z20"),
        ("PEP for HIV", "Z20"),
        ("HIV PrEP", "Z29"),
        ("pre-exposure prophylaxis for HIV", "Z29"),
        ("RSV prophylaxis", "Z29"),
    ],
)
def test_kinds_in_a_denial_lacks_and_prophylaxis(
    mapper: Mapper, text: str, category: str | None
) -> None:
    code = mapper.map(text).code
    assert (code and code[:3]) == category
