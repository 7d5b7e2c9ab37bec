"""Histories, relatives, screenings and contacts go to their codes; words of coders are read."""

import doctest
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from dxjudge.errors import InputError
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.factors import factor_of, is_factor
from dxjudge.ontology.packaged import packaged
from dxjudge.ontology.reading import coders, denial, frames
from dxjudge.ontology.reading.denial import denies_in_another_language, what_is_not_there
from dxjudge.ontology.reading.frames import read_frame
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.releases.icd10cm import ICD10CM
from dxjudge.ontology.tree import load_tree


@pytest.mark.parametrize("module", [coders, denial, frames])
def test_the_examples_of_the_readers_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("code", "kind", "factor"),
    [
        ("C50.911", "past", "Z85.3"),
        ("I63.9", "past", "Z86.73"),
        ("I21.4", "past", "I25.2"),
        ("E11.9", "past", "E11.9"),  # a chronic disease stays
        ("C18", "relative", "Z80.0"),
        ("S72.001", "relative", "Z84.89"),  # the row for all others
        ("C50", "screening", "Z12.39"),
        ("U07.1", "contact", "Z20.822"),
        ("E11.9", "contact", None),
        ("C50", "status", None),
    ],
)
def test_a_condition_has_the_factor_of_its_first_row(
    code: str, kind: str, factor: str | None
) -> None:
    assert factor_of(code, kind, load_tree()) == factor


def test_every_factor_is_a_code_and_every_frame_is_read() -> None:
    tree = load_tree()
    rows = list(ICD10CM.factor_rows())
    assert [row for row in rows if row[2] and not tree.contains(row[2])] == []
    assert {kind for kind, _, _ in rows} == {
        "past",
        "relative",
        "screening",
        "contact",
        "vaccination",
        "prevention",
        "status",
    }
    assert is_factor("Z85.3", tree) and is_factor("I25.2", tree) and not is_factor("C50", tree)


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        ("Prsnl hx of malig neoplm of lung", "past", "malig neoplm of lung"),
        ("FH: ovarian cancer", "relative", "ovarian cancer"),
        ("sister had breast ca", "relative", "breast ca"),
        ("HIV contact", "contact", "HIV"),
        ("Respiratory Tuberculosis Screen", "screening", "Respiratory Tuberculosis"),
        ("s/p CABG", "status", "CABG"),
        ("previous stroke", "past", "stroke"),
        ("old MI", "past", "MI"),
        ("prostate ca survivor", "past", "prostate ca"),
        ("son with autism", "relative", "autism"),
        ("mother hepatitis B positive", "relative", "hepatitis B positive"),
        ("wife has TB", "contact", "TB"),
        ("HPV vaccine #2", "vaccination", "HPV"),
        ("IMMUNIZATION, INFLUENZA", "vaccination", "INFLUENZA"),
        ("lung cancer screen, LDCT", "screening", "lung cancer"),
        ("MMR #2", "vaccination", "MMR"),
        ("Tdap/IPV given today", "vaccination", "Tdap/IPV"),
        ("due for Shingrix", "vaccination", "Shingrix"),
        ("here for flu shot", "vaccination", "flu shot"),
        ("hx of melanoma excised '99", "past", "melanoma"),
        ("recovered from COVID", "past", "COVID"),
        ("asthma as child, outgrown", "past", "asthma"),
        ("maternal aunt - Huntington's", "relative", "Huntington's"),
        ("brother schizophrenic", "relative", "schizophrenic"),
        ("household contact has scabies", "contact", "scabies"),
        ("malaria prophylaxis", "prevention", "malaria"),
        ("PEP for HIV", "contact", "HIV"),
        ("HIV PrEP", "prevention", "HIV"),
        ("h/o breast removed", "past", "breast removed"),
        ("h/o colon polyp removed", "past", "colon polyp"),
        ("two sisters with ovarian ca", "relative", "ovarian ca"),
        ("father-in-law has TB", "contact", "TB"),
        ("status na CVA", "past", "CVA"),
        ("moeder heeft borstkanker", "relative", "borstkanker"),
        ("glaucoma in a first-degree relative", "relative", "glaucoma"),
        ("stroke in both parents", "relative", "stroke"),
        ("depression on mother's side", "relative", "depression"),
        ("maternal side: ovarian cancer", "relative", "ovarian cancer"),
        ("melanoma excised ten years ago", "past", "melanoma"),
        ("bladder tumour resected 2011, clear since", "past", "bladder tumour"),
        ("lung cancer 2015, lobectomy, no evidence of recurrence", "past", "lung cancer"),
        ("stroke 2014, full recovery", "past", "stroke"),
        ("cleft lip repaired in infancy", "past", "cleft lip"),
        ("gestational diabetes in earlier pregnancy", "past", "gestational diabetes"),
        ("old treated TB", "past", "TB"),
        ("treated latent TB in the past", "past", "latent TB"),
        ("survivor of cardiac arrest", "past", "cardiac arrest"),
        ("skull fracture in childhood, healed", "past", "skull fracture"),
        ("postpartum depression after previous pregnancy", "past", "postpartum depression"),
    ],
)
def test_words_around_a_condition_are_its_frame(text: str, kind: str, rest: str) -> None:
    frame = read_frame(text)
    assert frame is not None and (frame.kind, frame.rest) == (kind, rest)


@pytest.mark.parametrize(
    "text",
    [
        "breast cancer",
        "FH",
        "contact dermatitis",
        "natural history",
        "fever after vaccination",
        "vaccine refused",
        "got pneumonia",
        "shingles 2nd episode",
        "needs tetanus immune globulin",
        "past pointing",
        "mother anxious",
        "sexual abuse as a child",
        "remote memory impairment",
        "HIT due to DVT prophylaxis",
        "bleeding on DVT prophylaxis",
        "melanoma excised yesterday",
        "melanoma excised, margins clear",
        "recurrence of breast cancer resected 2012",
        "colon cancer resected 2012, liver metastases 2020",
        "thyroid cancer treated 2010, new neck mass",
        "TIA, fully recovered",
        "stroke 2014, residual aphasia",
        "diabetes diagnosed 2012",
        "epilepsy treated since childhood",
        "breast cancer treated since 2022",
        "prostate cancer, successfully treated since 2021",
        "chronic subdural hematoma without recurrence",
        "scalp haematoma, no tumor",
        "trachoma, no recurrence",
        "heart failure after stroke 2009",
        "fever in my daughter",
        "puerperal fever in mother",
        "gestational diabetes in mother",
        "mesothelioma after asbestos exposure",
        "preterm birth in mother",
        "nodules in both lungs",
        "leukaemia in child",
    ],
)
def test_other_words_are_no_frame(text: str) -> None:
    frame = read_frame(text)
    assert frame is None or frame.rest == "natural"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Headache NEC", "other headache"),
        ("NEC", "necrotizing enterocolitis"),
        ("suspected NEC", "necrotizing enterocolitis"),
        ("Fx of Sacrum,Init for Closed Fx", "fracture of sacrum"),
        ("Pnctr wnd w/o fb, R hand", "puncture wound without foreign body right hand"),
        ("Mal Neo breast, unsp", "malignant neoplasm breast unspecified"),
    ],
)
def test_words_of_coders_are_written_out(text: str, first: str) -> None:
    assert read_query(text).forms[0].text == first


def test_a_word_between_slashes_is_read_in_its_place() -> None:
    forms = {form.text for form in read_query("Strain of Muscle/Tendon").forms}
    assert {"strain of muscle", "strain of tendon"} <= forms


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("not septic", "septic"),
        ("ruled out for MI", "MI"),
        ("no longer depressed", "depressed"),
        ("cancer free", "cancer"),
        ("pt does not have asthma", "asthma"),
        ("no appetite", None),
        ("not eating", None),
        ("no wheezing", "wheezing"),
        ("niega asma", "asma"),
        ("sin signos de sepsis", "sepsis"),
        ("pas d'asthme", "asthme"),
        ("Herzinfarkt ausgeschlossen", "Herzinfarkt"),
        ("kein Anhalt für Pneumonie", "Pneumonie"),
        ("senza febbre", "febbre"),
        ("não tem diabetes", "diabetes"),
        ("sin apetito", None),
        ("geen tekenen van een infectie", "infectie"),
        ("patiënt ontkent pijn op de borst", "pijn op de borst"),
        ("longembolie uitgesloten", "longembolie"),
        ("geen eetlust", None),
        ("inga tecken på infektion", "infektion"),
        ("brak gorączki", "gorączki"),
        ("sans abri", None),
        ("без лихорадки", "лихорадки"),
        ("láz nincs", "láz"),
        ("无糖尿病", "糖尿病"),
        ("无痛性血尿", None),
        ("発熱なし", "発熱"),
        ("당뇨병 없음", "당뇨병"),
        ("HTN (-)", "HTN"),
        ("DM: N", "DM"),
        ("Stroke=FALSE", "Stroke"),
        ("Ø fever", "fever"),
        ("MI excluded by serial ECG", "MI"),
        ("Crohn's - entered in error", "Crohn's"),
        ("misdiagnosed as bipolar", "bipolar"),
        ("low suspicion for ectopic", "ectopic"),
        ("HIV non-reactive", "HIV"),
        ("chest pain - MI ruled out", None),
        ("chest pain with MI ruled out", None),
        ("patient with cancer excluded", "cancer"),
        ("no PR bleeding", "PR bleeding"),
        ("no bleeding PR", "bleeding PR"),
        ("no reflex sympathetic dystrophy", "reflex sympathetic dystrophy"),
        ("no pupil defect", "pupil defect"),
        ("no strength in arm", None),
        ("DCIS stage: 0", None),
        ("no fever; pneumonia", None),
        ("no fever, likely viral URI", None),
        ("no fever, chills or cough", "fever, chills or cough"),
        ("Cholera, not confirmed", None),
        ("breast cancer ER (-)", None),
        ("Pupils non-reactive", None),
        ("Diabetes - non-compliant", None),
        ("EI bleed", None),
        ("ausencia de testículo", None),
        ("sense organ disorder", None),
        ("sense of impending doom", None),
        ("Sin Nombre virus infection", None),
        ("SANS-related Usher syndrome", None),
        ("brak miesiączki", None),
        ("geen eetlust", None),
        ("ingen aptit", None),
        ("нет аппетита", None),
        ("без сознания", None),
        ("без потери сознания", "потери сознания"),
        ("식욕 없음", None),
        ("意識なし", None),
        ("iştah yok", None),
        ("भूख नहीं है", None),
        ("眠れない", None),
        ("力が入らない", None),
        ("không thở được", None),
        ("không có kinh nguyệt", None),
        ("không có sốt", "sốt"),
        ("无纤维蛋白原血症", None),
        ("无β脂蛋白血症", None),
        ("无骨折脱位型颈髓损伤", None),
        ("无败血症", "败血症"),
        ("无低蛋白血症", "低蛋白血症"),
        ("linfoma no Hodgkin", None),
        ("gout", None),
    ],
)
def test_denials_are_read(text: str, denied: str | None) -> None:
    assert what_is_not_there(text) == denied


def test_each_language_has_words_for_denials_and_for_what_one_should_have() -> None:
    lines = packaged("denials.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t")[:2] for line in lines if not line.startswith("#")][1:]
    deny = ("before", "after", "joined before", "joined after")
    denying, wanted = (
        {language for languages, place in rows if place in places for language in languages.split()}
        for places in (deny, ("wanted",))
    )
    assert denying == wanted and len(wanted) > 30


def test_no_word_of_another_language_that_denies_is_a_word_of_the_terms(mapper: Mapper) -> None:
    index = mapper.parts.retriever.index
    written = re.findall(r"\w+", packaged("denials.tsv").read_text("utf-8").lower())
    words = {word[:end] for word in written for end in (None, -1)}  # "aucune?" has two forms
    denying = {
        word
        for word in words & index.rows.spelling.counts.keys()
        if any(map(denies_in_another_language, (f"{word} disease", f"disease {word}")))
    }
    assert denying <= {"sin", "sans"}  # they begin a virus's name and that of a gene
    begun = re.compile(rf"(?:{'|'.join(denying)})\b", re.IGNORECASE)
    named = [term.text for term in index.terms if begun.match(term.text)]
    assert not any(map(denies_in_another_language, named))


def test_a_line_of_factors_without_all_cells_names_the_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "own.tsv").write_text("frame\tconditions\tfactor\npast\tC50\n", "utf-8")
    release = replace(ICD10CM, folder=tmp_path, factors="own.tsv")
    with pytest.raises(InputError, match="line 2: must be a frame, a tab and conditions"):
        list(release.factor_rows())


@pytest.mark.parametrize(
    ("text", "category"),
    [("mother DM2", "Z83"), ("dad MI at 45", "Z82"), ("father colon cancer age 50", "Z80")],
)
def test_a_condition_right_after_a_relative_is_that_of_the_relative(
    text: str, category: str
) -> None:
    mapping = Mapper(added="none").map(text)
    assert mapping.code is not None and mapping.code[:3] == category
