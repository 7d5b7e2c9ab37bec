"""MEDSYN from report to question: ten reports in full, and each planted fault is caught."""

import asyncio
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge_equivalence import MappedCode
from dxjudge.agents.making.extract_evidence import EXTRACT_EVIDENCE
from dxjudge.agents.making.summarise_evidence import SUMMARISE_EVIDENCE
from dxjudge.agents.making.write_distractors import WRITE_DISTRACTORS
from dxjudge.agents.step import Step
from dxjudge.cli.main import run as dxjudge
from dxjudge.curation.item import Item
from dxjudge.curation.medsyn.graph import as_item, medsyn_graph
from dxjudge.curation.medsyn.stages import MedsynSettings, shuffle_options
from dxjudge.curation.report_text import report_text

from .accounts import assert_near
from .pages import ROOT, valid_answer
from .protocol_server import ProtocolServer, Seen, fail, say
from .scripted_medsyn import CASES, REPORTS, Answers, evidence, script, shown, stage_of
from .test_curation_reports import kill_after

ARMS = "arms-of-different-pressure"
TEXT = (REPORTS / f"{ARMS}.txt").read_text("utf-8").strip()
EVIDENCE = evidence(TEXT, CASES[ARMS])
OPTIONS = [{"considered": name, "option": name} for name in CASES[ARMS]["chosen"]]
CODES = {  # invented: the first two have one code
    "takayasu arteritis": "I1.1",
    "fibromuscular dysplasia": "I2.0",
    "giant cell arteritis": "I1.2",
    "polyarteritis nodosa": "I1.3",
    "coarctation of the aorta": "Q2",
}


def code_of(text: str) -> MappedCode | None:
    code = CODES.get(text.lower())
    return MappedCode(code, text) if code else None


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def curate(folder: Path, server: ProtocolServer, *options: str, reports: Path = REPORTS) -> int:
    cache = str(folder.parent / "replies.sqlite")
    given = ["--judge", server.judge(), "--cache", cache, "--no-codes", *options]
    return dxjudge(["curate", "medsyn", str(reports), "-o", str(folder), *given])


def curate_one(
    answers: Answers, settings: MedsynSettings | None = None, **codes: Any
) -> tuple[Item, list[Seen]]:
    """The item of one report, and the requests."""
    with ProtocolServer(script(answers)) as server, Run(mode="off") as run:
        graph = medsyn_graph(server.judge(), run=run, settings=settings, **codes)
        state = asyncio.run(graph.ainvoke({"id": "r", "report": TEXT}))
        return as_item(state, {}), server.seen


def problems_of(step: Step[Any, Any], inputs: Any, answer: Any) -> list[str]:
    """The problems that the step's checks report in an answer."""
    typed = step.read_input(inputs)
    return step.problems(typed, step.output_model(typed).model_validate(answer))


def first(answer: Any) -> Callable[[Seen, int], Any]:
    """This answer to the first request of a stage, good answers to the others."""
    return lambda seen, number: answer if number == 1 else None


def test_ten_reports_become_cases_that_answer_and_evaluate_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, account = tmp_path / "out", tmp_path / "account.json"
    with ProtocolServer(script()) as server:
        solving = ("--solver", server.judge("solver"))
        assert curate(out, server, *solving, "--estimate") == 0
        assert not server.seen and not out.exists()
        assert "10 reports; nothing is sent" in capsys.readouterr().out
        assert curate(out, server, *solving, "--account", str(account)) == 0
        asked = len(server.seen)
        files = {path.name: path.read_bytes() for path in out.iterdir()}
        assert curate(out, server, *solving) == 0
        assert len(server.seen) == asked
    assert_near(account, 0.1)
    by_solver = {stage_of(one) for one in server.seen if one.body["model"] == "solver"}
    by_judge = {stage_of(one) for one in server.seen if one.body["model"] != "solver"}
    assert by_solver == {"guess"} and not by_judge & by_solver
    assert {path.name: path.read_bytes() for path in out.iterdir()} == files
    items = {item["id"]: item for item in lines(out / "items.jsonl")}
    assert {name: item["ending"]["reasons"] for name, item in items.items()} == {
        name: [] for name in CASES
    }
    summary = json.loads(files["summary.json"])
    assert (summary["accepted"], summary["options_alone"]["n"]) == (10, 10)
    assert summary["signature"]["solver"]["model"] == "solver"
    card = files["card.md"].decode().splitlines()
    assert card[2] == "- 10 rows; 10 with options, 3 images"
    assert "| CT | 5 | 50.0% |" in card, card
    assert "evidence_types: CT" in files["balance.svg"].decode()
    text = items[ARMS]["data"]["case"]
    for modal in items[ARMS]["data"]["evidence"]["evidence"]:
        for quote in modal["passages"]:
            assert text[quote["start"] : quote["end"]] == quote["text"]
    rows = {row["id"]: row for row in lines(out / "cases.jsonl")}
    page = (ROOT / "docs/curation.md").read_text("utf-8")
    (shown_row,) = [
        block for text in re.findall(r"```json\n(.*?)```", page, re.DOTALL)
        if (block := json.loads(text))["id"] == ARMS
    ]  # fmt: skip
    assert shown_row == rows[ARMS]
    form = ["--form", "inspect", "-o", str(tmp_path / "inspect")]
    assert dxjudge(["curate", "export", str(out / "cases.jsonl"), *form]) == 0
    samples = {sample["id"]: sample for sample in lines(tmp_path / "inspect" / "samples.jsonl")}
    *pictures, text = samples["a-sudden-breathlessness"]["input"][0]["content"]
    assert [(tmp_path / "inspect" / one["image"]).is_file() for one in pictures] == [True] * 3
    assert text["text"].endswith("Which diagnosis is right?") and "\n\nCT: " in text["text"]
    assert samples[ARMS]["choices"] == list(rows[ARMS]["options"].values())
    breathless = rows["a-sudden-breathlessness"]
    assert breathless["evidence_types"] == ["laboratory", "medication", "electrophysiology", "CT"]
    ct = breathless["evidence"][-1]
    assert [(out / path).is_file() for path in ct["images"]] == [True, True]
    assert "D-dimer 4.8 mg/L" in breathless["evidence"][0]["text"]
    assert sorted(breathless["options"]) == ["A", "B", "C", "D"]
    assert breathless["options"][breathless["answer"]] == breathless["diagnosis"]

    def model(seen: Seen) -> Any:
        if seen.schema is not None:
            return say(valid_answer(seen.schema))
        row = next(row for row in rows.values() if row["case"] in seen.user)
        return say(row["answer"] if "laboratory" in seen.user else "A")

    cases, answers, report = (str(tmp_path / name) for name in ("out/cases.jsonl", "a.jsonl", "r"))
    with ProtocolServer(model) as server:
        shared = ["--cache", str(tmp_path / "b")]
        asking = ["--model", server.judge("m"), "--withhold", "laboratory", *shared]
        assert dxjudge(["answer", cases, "-o", answers, "--form", "medsyn", *asking]) == 0
        assert any(seen.images for seen in server.seen)
        judging = ["--preset", "medsyn", "--judge", server.judge("j"), *shared]
        assert dxjudge(["evaluate", cases, answers, "-o", report, *judging]) == 0
    assert "without laboratory" in capsys.readouterr().out


def planted_evidence() -> Iterator[Any]:
    """A faulty extraction, and words of the problem that the model is shown."""
    ct, angiogram = EVIDENCE["evidence"]
    changed = {**ct, "passages": [ct["passages"][0].replace("6 mm", "8 mm")]}
    yield {"evidence": [changed, angiogram]}, "does not occur in the report"
    other = (REPORTS / "a-painter-with-chills.txt").read_text("utf-8")
    yield {"background": [other.splitlines()[0]]}, "does not occur in the report"
    both = {**angiogram, "figures": ["1", "2A", "2B"]}
    yield {"evidence": [ct, both]}, "figure 1 is in 2 modalities"
    yield {"evidence": [ct, {**angiogram, "figures": ["2A"]}]}, "figure 2B is in no modality"
    invented = {**angiogram, "figures": ["2A", "2B", "7"]}
    yield {"evidence": [ct, invented]}, "figure 7 is not in the report"
    yield {"background": [*EVIDENCE["background"], "6 mm"]}, "also stands in"
    yield {"evidence": [ct, angiogram, {**ct, "figures": []}]}, "CT has 2 entries"
    yield {"evidence": [{**ct, "passages": []}, angiogram]}, "CT has no passage"
    yield {"evidence": []}, "evidence: is empty"
    yield {"diagnosis": ["She was found to have Takayasu arteritis."]}, "name of the disease alone"
    yield {"background": []}, "background: is empty"
    names = ["X-ray", "MRI", "ultrasound", "endoscopy", "echocardiography", "histopathology"]
    more = [{"modality": name, "passages": ["CT"], "figures": []} for name in names]
    yield {"evidence": [ct, angiogram, *more]}, "has 8 modalities; at most 7 fit"


@pytest.mark.parametrize(("fields", "words"), list(planted_evidence()))
def test_a_fault_of_the_extraction_is_named(fields: dict[str, Any], words: str) -> None:
    problems = problems_of(EXTRACT_EVIDENCE, {"report": TEXT}, {**EVIDENCE, **fields})
    assert words in "; ".join(problems)


def test_a_good_extraction_has_no_fault() -> None:
    assert problems_of(EXTRACT_EVIDENCE, {"report": TEXT}, EVIDENCE) == []


def test_evidence_in_the_wrong_place_is_found_by_the_verifying_step_and_sorted_again() -> None:
    def objects(seen: Seen, number: int) -> Any:
        names = (seen.schema or {})["properties"]
        fields = {name: {"fault": "", "supported": True} for name in names}
        missing = {"fault": "the pressures are not there", "supported": False}
        return {**fields, "background": missing} if number < 2 else None

    item, seen = curate_one({"verify": objects})
    assert item.ending.status == "accepted"
    sheet = next(shown(one, "record") for one in seen if stage_of(one) == "verify")
    assert "ct: CT showed a thickened wall" in sheet and "x_ray: not documented" in sheet
    again = [one for one in seen if stage_of(one) == "evidence"][1]
    assert "background: the pressures are not there" in shown(again, "objections")

    def always(seen: Seen, number: int) -> Any:
        return objects(seen, 1)

    item, _ = curate_one({"verify": always}, MedsynSettings(tries=2))
    assert (item.ending.status, item.ending.stage) == ("rejected", "evidence")
    assert item.ending.reasons == ("background: the pressures are not there",)


def planted_summaries() -> Iterator[Any]:
    """A section, a faulty paragraph, and words of the problem."""
    woman = "A 22-year-old woman had tired arms for 5 months"
    yield "background", f"{woman.replace('5', '6')}.", "the number 6 is not in the passages"
    yield "background", f"{woman}: Takayasu arteritis.", "names the diagnosis 'Takayasu arteritis'"
    yield "background", f"{woman}, perhaps giant cell arteritis.", "names the diagnosis 'giant cell"
    yield "background", f"{woman}; CT showed a thick wall.", "'ct' belongs to CT, not to background"
    yield "background", f"{woman}, with 38 mg/L.", "'mg/l' belongs to laboratory"
    yield "laboratory", "The rate was 74 mm.\n\nThe protein was 38 mg/L.", "several paragraphs"
    yield "CT", "A wall of 6 mm. " * 20, "at most"
    yield "CT", " ", "is empty"


@pytest.mark.parametrize(("section", "paragraph", "words"), list(planted_summaries()))
def test_a_fault_of_a_paragraph_is_named(section: str, paragraph: str, words: str) -> None:
    hidden = [CASES[ARMS]["diagnosis"], *CASES[ARMS]["considered"]]
    passages = EVIDENCE.get(section) or EVIDENCE["evidence"][0]["passages"]
    inputs = {"section": section, "passages": passages, "hidden": hidden}
    assert problems_of(SUMMARISE_EVIDENCE, inputs, {"paragraph": " ".join(passages)}) == []
    problems = problems_of(SUMMARISE_EVIDENCE, inputs, {"paragraph": paragraph})
    assert words in "; ".join(problems)


def test_a_fault_goes_back_to_the_writer_with_its_name() -> None:
    thick = {"paragraph": "CT showed a thickened wall of the aortic arch of up to 9 mm."}
    item, seen = curate_one(
        {"summary": first(thick), "evidence": first({**EVIDENCE, "background": []})}
    )
    assert item.ending.status == "accepted"
    repairs = [one.texts[-1] for one in seen if "background: is empty" in one.texts[-1]]
    repairs += [one.texts[-1] for one in seen if "the number 9 is not in" in one.texts[-1]]
    assert len(repairs) == 2


def test_a_paragraph_that_adds_a_statement_is_written_again_alone() -> None:
    def objects(seen: Seen, number: int) -> Any:
        if number != 1:
            return None
        quote = {"quote": "A 22-year-old woman", "reason": "the age is not documented"}
        return {"unsupported": [quote]}

    item, seen = curate_one({"unsupported": objects})
    assert item.ending.status == "accepted"
    sections = [shown(one, "passages") for one in seen if stage_of(one) == "summary"]
    counts = Counter(section.splitlines()[0][:10] for section in sections)
    assert counts["- A 22-yea"] == 2 and len(counts) == 5 and len(sections) == 6
    assert "the age is not documented" in next(
        one.user for one in seen if stage_of(one) == "summary" and "is not documented" in one.user
    )


def planted_options() -> Iterator[Any]:
    """Faulty options, and words of the problem that the model is shown."""

    def other(**fields: str) -> list[dict[str, str]]:
        return [{**OPTIONS[0], **fields}, *OPTIONS[1:]]

    yield other(option="Takayasu’s arteritis"), "is the truth"
    asthma = {"considered": "asthma", "option": "asthma"}
    yield [asthma, *OPTIONS[1:]], "'asthma' is not in the differential"
    yield other(option="asthma"), "'asthma' is not 'fibromuscular dysplasia'"
    yield [OPTIONS[0], *OPTIONS[:2]], "occurs twice"
    yield OPTIONS[:2], "3 are wanted"
    long = "fibromuscular dysplasia of the medium-sized arteries of neck, kidney and gut"
    yield other(option=long), "characters, the truth 18"
    yield other(option="most likely fibromuscular dysplasia"), "starts with 'most likely'"
    heads = [{"considered": n, "option": n} for n in CASES[ARMS]["considered"] if "cell" not in n]
    yield heads, "one must be a arteritis too"
    aorta = {"considered": "coarctation of the aorta", "option": "coarctation of the aorta"}
    yield [aorta, *OPTIONS[1:]], "2 are of the truth's chapter; the differential has 3"


@pytest.mark.parametrize(("options", "words"), list(planted_options()))
def test_a_fault_of_the_options_is_named(options: list[dict[str, str]], words: str) -> None:
    truth, *candidates = [
        {"name": name, "code": CODES[name.lower()], "chapter": CODES[name.lower()][0]}
        for name in (CASES[ARMS]["diagnosis"], *CASES[ARMS]["considered"])
    ]
    inputs = {"truth": truth, "candidates": candidates}
    assert problems_of(WRITE_DISTRACTORS, inputs, {"distractors": OPTIONS}) == []
    problems = problems_of(WRITE_DISTRACTORS, inputs, {"distractors": options})
    assert words in "; ".join(problems)


def test_an_option_that_is_the_truth_by_the_step_is_written_again_and_then_rejected() -> None:
    def same(seen: Seen, number: int) -> Any:
        return {"same_disease": "yes"} if "polyarteritis" in seen.user else None

    item, seen = curate_one({"same": same}, MedsynSettings(tries=2))
    assert (item.ending.status, item.ending.stage) == ("rejected", "options")
    assert item.ending.reasons == ("'polyarteritis nodosa' is the truth in other words",)
    assert sum(stage_of(one) == "options" for one in seen) == 2


def test_options_have_four_codes() -> None:
    def one_code(text: str) -> MappedCode | None:
        same = {"giant cell arteritis": "polyarteritis nodosa"}
        return code_of(same.get(text.lower(), text))

    item, _ = curate_one({}, code_of=one_code)
    assert item.ending.status == "rejected"  # of the pair with one code the first is a candidate
    assert "'polyarteritis nodosa' is not in the differential" in item.ending.reasons[0]
    item, _ = curate_one({}, code_of=lambda text: MappedCode("I1", text))
    assert item.ending.reasons == (
        "the differential has 0 diagnoses of another code; 3 are wanted",
    )
    worded = [{**OPTIONS[0], "option": "fibromuscular artery dysplasia"}, *OPTIONS[1:]]
    item, _ = curate_one({"options": lambda seen, number: {"distractors": worded}}, code_of=code_of)
    assert "'fibromuscular artery dysplasia' has no code" in item.ending.reasons


def test_a_report_without_diagnosis_is_rejected_and_a_server_that_fails_is_no_rejection() -> None:
    item, _ = curate_one({"evidence": lambda seen, number: {**EVIDENCE, "diagnosis": []}})
    assert item.ending.reasons == ("the report documents no final diagnosis",)
    item, _ = curate_one({"summary": lambda seen, number: fail(400, "no")})
    assert (item.ending.status, item.ending.stage) == ("failed", "summary")


def test_options_that_give_the_answer_away_are_drawn_again_and_then_rejected(
    tmp_path: Path,
) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    for path in sorted(REPORTS.glob("*.txt")):
        shutil.copy(path, reports)
    truths = {case["diagnosis"] for case in CASES.values()}
    first_draws = [set(case["chosen"]) for case in CASES.values()]

    def knows_first(seen: Seen, number: int) -> Any:
        options = dict(line.split(". ", 1) for line in shown(seen, "options").splitlines())
        if any(chosen <= set(options.values()) for chosen in first_draws):
            return always(seen, number)
        return None

    def always(seen: Seen, number: int) -> Any:
        options = dict(line.split(". ", 1) for line in shown(seen, "options").splitlines())
        letter = next(name for name, text in options.items() if text in truths)
        return {"reason": "It is the longest.", "option": letter}

    with ProtocolServer(script({"guess": knows_first})) as server:
        assert curate(tmp_path / "out", server, reports=reports) == 0
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    # All five were solved at the first draw: [57 %, 100 %] is above 25 %, so all are drawn again.
    assert summary["options_alone"]["drawn_again"] == summary["options_alone"]["n"] == 5
    assert summary["options_alone"]["interval"][0] <= 0.25

    with ProtocolServer(script({"guess": always})) as server:
        assert curate(tmp_path / "all", server, "--tries", "2", reports=reports) == 0
    items = lines(tmp_path / "all" / "items.jsonl")
    assert {item["ending"]["stage"] for item in items} == {"options alone"}
    assert "at each of 2 draws" in items[0]["ending"]["reasons"][0]
    assert (tmp_path / "all" / "cases.jsonl").read_bytes() == b""


def test_a_background_that_has_the_code_of_the_truth_is_written_again() -> None:
    def aorta(seen: Seen, number: int) -> Any:
        return {"diagnoses": ["pulseless disease"]} if "left wrist" in seen.user else None

    def codes(text: str) -> MappedCode:
        return MappedCode({**CODES, "pulseless disease": "I1.1"}.get(text.lower(), text), text)

    item, seen = curate_one({"considered": aorta}, MedsynSettings(tries=2), code_of=codes)
    assert (item.ending.status, item.ending.stage) == ("rejected", "summary")
    assert item.ending.reasons == (
        "background: 'pulseless disease' has a code of 'Takayasu arteritis', which is to be found",
    )
    assert sum(stage_of(one) == "summary" for one in seen) == 6  # five, and the background again


def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    for name in (f"{ARMS}.txt", "red-shins.md"):
        shutil.copy(REPORTS / name, reports)
    given = ["curate", "medsyn", str(reports), "--no-codes", "--concurrency", "2", "-o"]
    with ProtocolServer(script()) as server:
        model = ["--judge", server.judge(), "--cache"]
        assert dxjudge([*given, str(tmp_path / "a"), *model, str(tmp_path / "a.sqlite")]) == 0
        paid = len(server.seen)
        again = [*given, str(tmp_path / "b"), *model, str(tmp_path / "b.sqlite")]
        kill_after(again, server, paid + paid // 2)
        before = len(server.seen)
        assert dxjudge(again) == 0
        assert len(server.seen) - before <= 2 * paid - before + 2  # two were under way
    for path in sorted((tmp_path / "a").iterdir()):
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


def test_the_answer_stands_at_each_letter_equally_often() -> None:
    answers = Counter(shuffle_options("t", ("a", "b", "c"), f"0/{n}/0")[1] for n in range(2000))
    # 500 expected at each letter, standard deviation sqrt(2000 x 1/4 x 3/4) = 19.4
    assert all(abs(answers[letter] - 500) < 4 * 19.4 for letter in "ABCD")


def test_the_cells_of_a_table_stay_apart() -> None:
    page = "<table><tr><th>Test</th><th>Result</th></tr><tr><td>CRP</td><td>5</td></tr></table>"
    assert report_text(f"<div>{page}</div>") == "Test Result\nCRP 5"


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"1": "none.png"}, "report a, figure 1: there is no file"),
        ("[", "the column figures is not JSON"),
        ([1], "is not an object of figure and path"),
    ],
)
def test_figures_that_cannot_be_used_are_refused_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], figures: Any, words: str
) -> None:
    table = tmp_path / "reports.jsonl"
    table.write_text(json.dumps({"id": "a", "text": TEXT, "figures": figures}), "utf-8")
    with ProtocolServer(script()) as server:
        given = ["-o", str(tmp_path / "out"), "--judge", server.judge(), "--no-codes"]
        assert dxjudge(["curate", "medsyn", str(table), *given]) == 4
        assert not server.seen
    assert words in " ".join(capsys.readouterr().err.split())


def test_a_table_carries_language_specialty_and_figures(tmp_path: Path) -> None:
    row = {"id": "a", "text": TEXT, "language": "en", "specialty": "Cardiology"}
    (tmp_path / "1.png").write_bytes((REPORTS / "figures/ct.png").read_bytes())
    address = "https://example.org/2.png"
    row |= {"figures": {"Figure 1": "1.png", "2a": address}}  # type: ignore[dict-item]
    table = tmp_path / "reports.jsonl"
    table.write_text(json.dumps(row), "utf-8")
    with ProtocolServer(script()) as server:
        given = ["-o", str(tmp_path / "out"), "--judge", server.judge(), "--no-codes"]
        assert dxjudge(["curate", "medsyn", str(table), *given, "--cache-mode", "off"]) == 0
    (case,) = lines(tmp_path / "out" / "cases.jsonl")
    assert (case["language"], case["specialty"]) == ("en", "Cardiology")
    images = {one["type"]: one.get("images") for one in case["evidence"]}
    assert images == {
        "laboratory": None, "medication": None, "CT": ["../1.png"], "angiography": [address]
    }  # fmt: skip
