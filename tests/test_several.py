"""Texts that name several conditions: combination codes, further codes, and what they leave out."""

import csv
import json
from pathlib import Path

import pytest

from dxjudge.cli.main import run
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.chosen import chosen_by_model
from dxjudge.ontology.mapping import read_mapping
from dxjudge.ontology.reading.joined import read_parts
from dxjudge.ontology.table import read_table
from dxjudge.ontology.tree import load_tree

TEXTS = {
    "hypertensive CKD stage 3": ("I12.9", ["N18.3"]),
    "diabetic CKD stage 4": ("E11.22", ["N18.4"]),
    "hypertensive heart failure with CKD 3": ("I13.0", ["I50", "N18.3"]),
    "cirrhosis with ascites": ("K74.6", ["R18.8"]),
    "alcoholic cirrhosis with ascites": ("K70.31", []),
    "UTI due to E. coli": ("N39.0", ["B96.20"]),
    "ESRD due to diabetes": ("E11.22", ["N18.6"]),
    "COPD with acute exacerbation": ("J44.1", []),
    "family history of diabetes with CKD": ("Z83.3", []),
    "heart attack": ("I21", []),
    "septic shock due to pneumonia": ("A41.9", ["R65.21", "J18"]),
    "stroke with left hemiparesis": ("I63", ["G81"]),
    "stroke with residual left hemiparesis": ("I69.35", []),
    "hemiparesis due to old CVA": ("I69.35", []),
    "CVA with residual aphasia": ("I69.320", []),
    "old CVA with aphasia": ("I69.320", []),
    "hemiparesis due to prior stroke": ("I69.35", []),
    "aphasia s/p CVA": ("I69.320", []),
    "AKI s/p CVA": ("N17.9", []),
    "GI bleed due to gastric ulcer": ("K25.4", []),
    "UGIB 2/2 duodenal ulcer": ("K26.4", []),
    "delirium 2/2 UTI": ("F05", []),
    "old stroke with hypertension": ("Z86.73", ["I10"]),
    "diabetes with old CVA": ("E11", ["Z86.73"]),
    "cerebral infarction with residual aphasia": ("I69.320", []),
    "stroke with persistent atrial fibrillation": ("I63", ["I48.1"]),
    "stroke with residual aphasia and persistent atrial fibrillation": ("I69.320", ["I48.1"]),
    "myocardial infarction with persistent atrial fibrillation": ("I21", ["I48.1"]),
    "subarachnoid hemorrhage with late onset asthma": ("I60", ["J45.90"]),
    "gastrointestinal hemorrhage with old age osteoporosis": ("K92.2", ["M81.0"]),
    "colon cancer with liver and lung metastases": ("C18", ["C78.7", "C78.0"]),
    "prostate cancer with bone and liver mets": ("C61", ["C79.51", "C78.7"]),
    "pancreatic cancer with peritoneal and liver mets": ("C25", ["C78.6", "C78.7"]),
    "liver and lung mets from colon cancer": ("C78.7", ["C78.0", "C18"]),
    "subarachnoid hemorrhage with residual hemiparesis": ("I69.05", []),
    "h/o ICH with residual aphasia": ("I69.120", []),
    "pt with AKI on CKD 4": ("N17.9", ["N18.4"]),
    "PPROM 31 wks": ("O42", ["Z3A.31"]),
    "morbid obesity, BMI 45": ("E66.01", ["Z68.42"]),
    "obesity with BMI 45": ("E66", ["Z68.42"]),
    "preterm labor with 31 weeks gestation": ("O60", ["Z3A.31"]),
    "breast cancer with bone and spine mets": ("C50", ["C79.51"]),
    "lung cancer with diabetes and liver mets": ("C34", ["E11", "C78.7"]),
    "lung cancer with liver mets and bone mets": ("C34", ["C78.7", "C79.51"]),
    "heat stroke with persistent confusion": ("T67.0", []),
    "type 2 diabetes with neuropathy and retinopathy": ("E11.40", ["E11.319"]),
    "hypertensive heart and kidney disease with heart failure": ("I13.0", ["I50"]),
    "pyelonephritis due to E. coli": ("N12", ["B96.20"]),
    "breast cancer metastatic to lung": ("C50", ["C78.0"]),
    "infection spread to bone": ("M86", []),
    "persistent atrial fibrillation with heart failure": ("I48.1", ["I50"]),
    "hypertension and chronic kidney disease": ("I12.9", ["N18"]),
    "HTN, CKD stage 5": ("I12.0", ["N18.5"]),
    "diabetes and CKD": ("E11.22", ["N18"]),
    "hypertensive heart disease with heart failure": ("I11.0", ["I50"]),
    "NASH cirrhosis": ("K75.81", ["K74.6"]),
    "Alzheimer's with behavioral disturbance": ("G30", ["F02.818"]),
    "Lewy body dementia with behavioral disturbance": ("G31.83", ["F02.818"]),
    "diabetes with peripheral neuropathy and CKD 3a": ("E11.40", ["E11.22", "N18.31"]),
    "diabetes mellitus with hypoglycemia without coma": ("E11.649", []),
    "type 2 diabetes on insulin": ("E11", ["Z79.4"]),
    "GI bleed due to warfarin": ("K92.2", ["T45.515"]),
    "steroid-induced diabetes": ("E09.9", ["T38.0X5"]),
    "rash due to amoxicillin": ("L27.0", ["T36.0X5"]),
    "anemia due to chemotherapy": ("D64.81", ["T45.1X5"]),
    "heparin-induced thrombocytopenia": ("D75.82", ["T45.515"]),
    "withdrawal from opioids": ("F11.23", []),
    "overdose from acetaminophen": ("T39.1", []),
    "pain due to bone metastases": ("G89.3", ["C79.51"]),
    "sepsis due to MRSA pneumonia": ("A41.02", ["J15.212"]),
    "cellulitis of left leg due to group A strep": ("L03.116", ["B95.0"]),
    "hip fracture following fall": ("S72.00", ["W19"]),
    "fever after vaccination": ("R50.9", []),
    "iron deficiency anemia in pregnancy": ("O99.01", ["D50"]),
    "pulmonary hypertension, CKD": ("I27.20", []),
    "cirrhosis due to hepatitis C": ("K74.69", ["B19.2"]),
    "hyponatremia due to diuretics": ("E87.1", ["T50.2X5"]),
    "diabetic on insulin with CKD": ("E11.22", ["Z79.4", "N18"]),
    "COPD on home oxygen": ("J44", ["Z99.81"]),
    "hypokalemia due to vomiting": ("E87.6", []),
    "edema following knee surgery": ("R60.9", []),
    "osteomyelitis due to diabetic foot ulcer": ("E11.69", ["M86", "E11.621", "L97.5"]),
    "rash on face": ("R21", []),
    "stroke, gout": ("I63", []),
    "asthma, eczema": ("J45", []),
    "heart failure and CKD": ("I50", []),
    "stress-induced cardiomyopathy": ("I51.81", []),
    "severe sepsis with septic shock due to cholecystitis": ("A41.9", ["R65.21", "K81"]),
    "breast cancer with pain": ("C50", ["G89.3"]),
    "breast cancer with malignant pleural effusion": ("C50", ["J91.0"]),
    "pain due to breast cancer": ("G89.3", ["C50"]),
    "type 2 diabetes with hyperglycemia due to steroids": ("E11.65", ["T38.0X5"]),
    "type 2 diabetes with acne due to steroids": ("E11", ["L70", "T38.0X5"]),
    "type 2 diabetes, osteoporosis due to steroids": ("E11", ["T38.0X5"]),
    "type 2 diabetes due to steroids": ("E09.9", ["T38.0X5"]),
    "hypertension due to steroids": ("I15.2", ["T38.0X5"]),
    "liver failure due to acetaminophen": ("K71.1", ["T39.1X5"]),
    "AKI due to iodinated contrast": ("N14.11", ["T50.8X5"]),
    "neonatal withdrawal from opioids": ("P96.1", []),
    "frostbite due to cold exposure": ("T33.9", []),
    "silicosis from occupational exposure": ("J62.8", []),
    "assault by gunshot": ("X95.9", []),
    "autism and behavioral disturbance": ("F84.0", []),
    "car accident, neck pain": ("M54.2", ["V49.9"]),
}


def codes(text: str, mapper: Mapper) -> tuple[str | None, list[str]]:
    mapping = mapper.map(text)
    return mapping.code, [further.code for further in mapping.additional]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_gets_the_code_of_all_its_conditions_or_further_codes(
    text: str, mapper: Mapper
) -> None:
    assert codes(text, mapper) == TEXTS[text]


def test_a_code_of_newborns_is_of_a_text_about_one(mapper: Mapper) -> None:
    grown, newborn = mapper.map_many(
        ["respiratory depression due to opioids", "respiratory depression in newborn"]
    )
    assert grown.code and not grown.code.startswith("P")
    assert newborn.code == "P28.9"


def test_a_further_code_has_words_of_the_text_a_reason_and_a_score(mapper: Mapper) -> None:
    for mapping in mapper.map_many(list(TEXTS)):
        for further in mapping.additional:
            assert further.text in mapping.text
            assert further.why
            assert further.score >= 0.5
        assert sum(candidate.score for candidate in mapping.candidates) <= 1.0001
        assert read_mapping(json.loads(json.dumps(mapping.as_json()))) == mapping
    cirrhosis = mapper.map("cirrhosis with ascites")
    assert cirrhosis.additional[0].text == "ascites"
    assert "'cirrhosis'" in str(cirrhosis.reason)


def test_the_codes_do_not_depend_on_the_texts_beside(mapper: Mapper) -> None:
    together = mapper.map_many(list(reversed(TEXTS)))
    alone = Mapper()
    assert together[-2:] == [alone.map(text) for text in list(TEXTS)[1::-1]]


def test_a_model_that_chooses_another_code_takes_the_further_codes_away(mapper: Mapper) -> None:
    mapping = mapper.map("diabetic CKD stage 4")
    policy = mapper.parts.policy
    assert chosen_by_model(mapping, 0, policy).additional == mapping.additional
    other = next(n for n, one in enumerate(mapping.candidates) if one.code == "N18.4")
    assert chosen_by_model(mapping, other, policy).additional == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Disp fx w/o nonunion", ()),
        ("labor within 24 h", ()),
        ("type 1 diabetic with retinopathy", ("type 1 diabetes mellitus", "retinopathy")),
        ("cellulitis of left leg d/t MRSA", ("cellulitis of leg", "MRSA")),
    ],
)
def test_joints_are_words_of_their_own(text: str, parts: tuple[str, ...]) -> None:
    assert tuple(part.text for part in read_parts(text)) == parts


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("cellulitis of left leg due to MRSA", None),
        ("breast cancer stage IIIB", "'stage iiib' is not in the code"),
        ("left knee pain", None),
        ("CKD stage 3", None),
        ("right heart failure", None),
    ],
)
def test_what_the_code_leaves_out_is_said(text: str, remark: str | None, mapper: Mapper) -> None:
    assert mapper.map(text).reason == remark


def test_rows_table_and_exports_hold_the_further_codes(tmp_path: Path) -> None:
    texts, table = tmp_path / "texts.txt", tmp_path / "table.tsv"
    texts.write_text("diabetic CKD stage 4\nheart attack\n")

    def mapped(name: str) -> Path:
        out = tmp_path / name
        assert run(["map", str(texts), "-o", str(out), "--table", str(table), "--quiet"]) == 0
        return out

    first = mapped("out.csv").read_bytes()
    assert mapped("again.csv").read_bytes() == first
    row, plain = csv.DictReader(first.decode().splitlines())
    assert row["additional_codes"] == "N18.4"
    assert row["additional_names"] == "Chronic kidney disease, stage 4 (severe)"
    assert plain["additional_codes"] == ""

    assert "|additional=N18.4" in mapped("out.sssom.tsv").read_text()
    concept_map = json.loads(mapped("out.fhir.json").read_text())
    targets = concept_map["group"][0]["element"][0]["target"]
    assert [target["code"] for target in targets] == ["E11.22", "N18.4"]
    assert targets[1]["comment"].startswith("further code beside E11.22")
    back, active = tmp_path / "back.tsv", tmp_path / "active.json"
    active.write_text(json.dumps({**concept_map, "status": "active"}))
    assert run(["table", "import", str(active), "-o", str(back)]) == 0
    entry = read_table(back, load_tree()).row_of("diabetic CKD stage 4")
    assert entry
    assert (entry.mapping.code, entry.mapping.additional_codes) == ("E11.22", "N18.4")
