"""DermCase from report to preference pairs: each planted fault is caught, named and bounded."""

import asyncio
import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.curation.dermcase import report_graph
from dxjudge.curation.item import Item
from dxjudge.curation.settings import Settings

from .protocol_server import ProtocolServer, Seen, say

REPORTS = {
    row["id"]: row["report"]
    for row in map(
        json.loads,
        (Path(__file__).parent / "data" / "case_reports.jsonl").read_text("utf-8").splitlines(),
    )
}
RECORD: dict[str, list[str]] = {
    "age_sex": ["34-year-old woman"],
    "complaint": ["a three-week history of burning on both palms"],
    "present_illness": ["She had started hydroxychloroquine five weeks earlier for joint pain."],
    "past_history": [],
    "family_history": [],
    "allergies": ["no known allergies"],
    "lesion_morphology": ["coin-shaped plaques", "a paler rim"],
    "lesion_colour": ["dusky red"],
    "lesion_distribution": ["both palms"],
    "lesion_size": ["up to 2 cm"],
    "diagnostic_process": [
        "Fixed drug eruption and erythema multiforme were considered.",
        "A biopsy showed vacuolar change of the basal layer and few necrotic keratinocytes.",
        "A swab was positive for herpes simplex virus 1.",
    ],
    "final_diagnosis": ["erythema multiforme"],
}
QUESTION = (
    "A 34-year-old woman has had burning palms for three weeks; five weeks ago she started "
    "hydroxychloroquine. She has no known allergies. The images show her hands. What is it?"
)
REASONING: dict[str, Any] = {
    "presentation": "A 34-year-old woman with burning palms for three weeks, five weeks after "
    "the start of hydroxychloroquine. A drug and an infection both come to mind.",
    "examination": "Coin-shaped, dusky red plaques up to 2 cm with a paler rim on both palms are "
    "target-like.",
    "tests": [
        {"name": "biopsy", "result": "vacuolar change and few necrotic keratinocytes"},
        {"name": "swab", "result": "positive for herpes simplex virus 1"},
    ],
    "differential": [
        {
            "diagnosis": "erythema multiforme",
            "support": "target-like plaques, herpes simplex virus 1 in the swab",
            "contradiction": "",
            "weight": "high",
        },
        {
            "diagnosis": "fixed drug eruption",
            "support": "a new drug, dusky plaques",
            "contradiction": "many lesions on both palms at once",
            "weight": "low",
        },
    ],
    "pathophysiology": "T cells against viral antigen in keratinocytes of the palms kill basal "
    "cells, which gives the vacuolar change.",
    "final_diagnosis": "erythema multiforme",
}


def rejected(kind: str) -> dict[str, Any]:
    """Parts 2 to 5 with three faults, of the length of the chosen ones."""
    parts = {name: copy.deepcopy(REASONING[name]) for name in REASONING if name != "presentation"}
    wrong = kind == "wrong diagnosis"
    parts["examination"] = (
        "Coin-shaped, dusky red plaques up to 2 cm with a paler rim on both palms mean a drug."
        if wrong
        else "Coin-shaped, dusky red plaques up to 2 cm on both palms: such plaques are targets."
    )
    parts["tests"][1]["result"] = "positive for herpes simplex virus 1, by chance, as so often"
    parts["pathophysiology"] = (
        "T cells that know the drug sit in the palms and kill basal cells there, which is all the "
        "vacuolar change can be."
        if wrong
        else "It is this disease since T cells attack keratinocytes, and they attack since it is "
        "this disease: vacuolar change."
    )
    names = (
        ("anchoring", "confirmation bias", "overconfidence")
        if wrong
        else ("hasty generalisation", "non sequitur", "circular reasoning")
    )
    flaws = [
        {"name": name, "part": part, "explanation": "does not follow"}
        for name, part in zip(names, (2, 3, 5), strict=True)
    ]
    if wrong:
        parts["final_diagnosis"] = "fixed drug eruption"
    return {**parts, "flaws": flaws}


def stage_of(seen: Seen) -> str:
    """Which step asks, by the form of the answer that it wants."""
    fields = (seen.schema or {})["properties"]
    if "borders_are_clear" in fields:
        return "split"
    if "age_sex" in fields:
        return "record" if fields["age_sex"].get("type") == "array" else "verify"
    if "flaws" in fields:
        return "wrong diagnosis" if "anchoring" in json.dumps(seen.schema) else "flawed reasoning"
    for name, stage in (("diagnoses", "considered"), ("question", "question")):
        if name in fields:
            return stage
    for name, stage in (("unsupported", "unsupported"), ("same_disease", "same")):
        if name in fields:
            return stage
    return "reasoning"


SUPPORTED = {name: {"fault": "", "supported": True} for name in RECORD}
GOOD: dict[str, Any] = {
    "split": {
        "borders_are_clear": True,
        "cases": [
            {"begins": "A 34-year-old woman presented", "ends": "erythema multiforme was made."}
        ],
    },
    "record": RECORD,
    "verify": SUPPORTED,
    "considered": {"diagnoses": ["fixed drug eruption", "erythema multiforme"]},
    "question": {"question": QUESTION},
    "unsupported": {"unsupported": []},
    "reasoning": REASONING,
    "same": {"same_disease": "yes"},
    "wrong diagnosis": rejected("wrong diagnosis"),
    "flawed reasoning": rejected("flawed reasoning"),
}


def curate(
    report: str, played: dict[str, list[Any]] | None = None, settings: Settings | None = None
) -> tuple[list[Item], list[str], list[Seen]]:
    """The items of a report, the stages asked in order, and the requests.

    played: stage -> answers in turn, the last one repeated; other stages answer well.
    """
    stages: list[str] = []

    def answer(seen: Seen) -> Any:
        stage = stage_of(seen)
        stages.append(stage)
        acts = (played or {}).get(stage, [GOOD[stage]])
        return say(acts[min(stages.count(stage), len(acts)) - 1])

    with ProtocolServer(answer) as server, Run(mode="off") as run:
        graph = report_graph(server.judge(), run=run, settings=settings)
        state = asyncio.run(graph.ainvoke({"id": "r", "report": report}))
        return [Item.model_validate(item) for item in state["items"]], stages, server.seen


def change(stage: str, **fields: Any) -> dict[str, Any]:
    """A good answer with other fields."""
    return {**copy.deepcopy(GOOD[stage]), **fields}


def test_a_report_becomes_a_record_a_question_a_reasoning_and_two_pairs() -> None:
    (item,), stages, _ = curate(REPORTS["lesser-hand"])
    assert (item.ending.status, item.id) == ("accepted", "r/1")
    record = item.data["record"]
    assert record["lesion_size"] == ["up to 2 cm"]
    assert record["family_history"] == "not documented"
    assert item.data["considered"] == ["fixed drug eruption"]
    kinds = [pair["kind"] for pair in item.data["pairs"]]
    assert kinds == ["wrong diagnosis", "flawed reasoning"]
    for pair in item.data["pairs"]:
        chosen, other = pair["chosen"], pair["rejected"]
        assert chosen.split("2. Examination")[0] == other.split("2. Examination")[0]
        assert abs(len(other) - len(chosen)) <= 0.1 * len(chosen)
    assert stages == [
        "split", "record", "verify", "considered", "question", "unsupported",
        "reasoning", "unsupported", "wrong diagnosis", "flawed reasoning",
    ]  # fmt: skip
    # The diagnosis is worded as in the record: that it is the same needs no model.
    assert [step.decided_by for step in item.trail if step.step == "judge_equivalence"] == ["rules"]


def planted() -> Iterator[Any]:
    """Stage, a faulty answer, and words of the problem that the model is shown."""
    other_case = change("record", complaint=["Small skin-coloured papules"])
    yield "record", change("record", lesion_size=["up to 3 cm"]), "does not occur in the case"
    yield "record", other_case, "does not occur in the case"
    yield "question", change("question", question=QUESTION.replace("34", "35")), "number 35"
    leak = QUESTION.replace("her hands", "erythema multiforme")
    yield "question", change("question", question=leak), "names 'erythema multiforme'"
    ddx = QUESTION.replace("her hands", "a fixed drug eruption")
    yield "question", change("question", question=ddx), "names 'fixed drug eruption'"
    lesion = QUESTION.replace("her hands", "dusky red coin-shaped plaques with a paler rim")
    yield "question", change("question", question=lesion), None
    blind = QUESTION.replace("The images show her hands.", "Her hands burn.")
    yield "question", change("question", question=blind), "does not point to the images"
    sexless = QUESTION.replace("woman", "patient").replace("she", "they").replace("She", "They")
    sexless = sexless.replace("her", "the")
    yield "question", change("question", question=sexless), "female is missing"
    yield "reasoning", change("reasoning", examination="Plaques up to 4 cm."), "number 4"
    invented = [*REASONING["tests"], {"name": "tryptase", "result": "normal"}]
    yield "reasoning", change("reasoning", tests=invented), "'tryptase' is no test of the record"
    for kind in ("wrong diagnosis", "flawed reasoning"):
        good = GOOD[kind]
        long = good["pathophysiology"] + " This is known from many other patients." * 12
        yield kind, change(kind, pathophysiology=long), "it may differ from"
        yield kind, change(kind, flaws=good["flaws"][:2]), "3 to 4 different ones"
        named = good["pathophysiology"] + " (anchoring)"
        yield kind, change(kind, pathophysiology=named), "names its fault"
        yield kind, change(kind, tests=good["tests"][:1]), "must name the same tests"
        size = good["examination"].replace("2 cm", "7 cm")
        yield kind, change(kind, examination=size), "number 7 is not in the case"
        moved = [{**flaw, "part": 4} for flaw in good["flaws"]]
        yield kind, change(kind, flaws=moved), "which is as before"
    truth = change("wrong diagnosis", final_diagnosis="erythema multiforme")
    yield "wrong diagnosis", truth, "must be one of fixed drug eruption"
    drug = change("flawed reasoning", final_diagnosis="fixed drug eruption")
    yield "flawed reasoning", drug, "must stay as it is"


@pytest.mark.parametrize(("stage", "faulty", "words"), list(planted()))
def test_a_planted_fault_goes_back_to_the_writer_with_its_name(
    stage: str, faulty: dict[str, Any], words: str | None
) -> None:
    if words is None:
        words = "describes the lesion"
        record = change("record", lesion_morphology=["coin-shaped plaques with a paler rim"])
        report = REPORTS["lesser-hand"].replace(
            "plaques up to 2 cm with a paler rim", "plaques with a paler rim, up to 2 cm,"
        )
        played: dict[str, list[Any]] = {"record": [record]}
    else:
        report, played = REPORTS["lesser-hand"], {}
    (item,), stages, seen = curate(report, {**played, stage: [faulty, GOOD[stage]]})
    assert item.ending.status == "accepted"
    again = [request for request in seen if stage_of(request) == stage][1]
    assert words in again.texts[-1]
    assert stages.count(stage) == 2


def test_a_quote_of_another_case_of_the_report_is_outside_this_one() -> None:
    report = REPORTS["two-brothers"]
    spans = [
        {"begins": "The first, a 9-year-old boy", "ends": "Lichen nitidus was diagnosed."},
        {"begins": "The second, an 11-year-old boy", "ends": "keratoderma was diagnosed."},
    ]
    empty: dict[str, list[str]] = {name: [] for name in RECORD}
    first = {**empty, "age_sex": ["9-year-old boy"], "final_diagnosis": ["Lichen nitidus"]}
    stolen = {**first, "complaint": ["scaling of his soles since infancy"]}
    answers: dict[str, list[Any]] = {
        "split": [{"borders_are_clear": True, "cases": spans}],
        "record": [stolen, stolen, stolen, stolen, stolen, stolen],
    }
    items, _, seen = curate(report, answers)
    assert [(item.id, item.ending.status) for item in items] == [
        ("r/1", "rejected"),
        ("r/2", "rejected"),
    ]
    first_item = items[0]
    assert report[first_item.data["start"] : first_item.data["end"]].startswith("The first")
    shown = [text for request in seen for text in request.texts if "outside this case" in text]
    assert shown


def test_more_than_four_cases_and_unclear_borders_are_rejected() -> None:
    words = REPORTS["two-brothers"].split(". ")
    five = [{"begins": text, "ends": text} for text in words[:5]]
    (item,), _, _ = curate(
        REPORTS["two-brothers"], {"split": [{"borders_are_clear": True, "cases": five}]}
    )
    assert item.ending.status == "rejected"
    assert "more than 4 are excluded" in item.ending.reasons[0]
    (item,), _, _ = curate(
        REPORTS["two-brothers"], {"split": [{"borders_are_clear": False, "cases": []}]}
    )
    assert item.ending.reasons == ("the borders between the cases are not clear",)


def test_what_the_verifier_objects_to_is_written_again_and_then_rejected() -> None:
    objection = {**SUPPORTED, "allergies": {"fault": "of another visit", "supported": False}}
    (item,), stages, seen = curate(REPORTS["lesser-hand"], {"verify": [objection, SUPPORTED]})
    assert item.ending.status == "accepted"
    assert stages[:5] == ["split", "record", "verify", "record", "verify"]
    assert "of another visit" in seen[3].user
    (item,), stages, _ = curate(REPORTS["lesser-hand"], {"verify": [objection]}, Settings(tries=2))
    assert (item.ending.status, item.ending.stage) == ("rejected", "record")
    assert item.ending.reasons == ("allergies: of another visit",)
    assert stages.count("record") == 2


def test_a_diagnosis_that_is_not_the_records_is_rejected() -> None:
    listed = [{**REASONING["differential"][0], "diagnosis": "granuloma annulare"}]
    listed += REASONING["differential"]
    other = change("reasoning", final_diagnosis="granuloma annulare", differential=listed)
    (item,), _, _ = curate(
        REPORTS["lesser-hand"],
        {"reasoning": [other], "same": [{"same_disease": "no"}]},
        Settings(tries=1),
    )
    assert (item.ending.status, item.ending.stage) == ("rejected", "reasoning")
    assert item.ending.reasons == ("'granuloma annulare' is not the record's diagnosis",)


def test_a_server_that_fails_is_no_rejection() -> None:
    def answer(seen: Seen) -> Any:
        from .protocol_server import fail

        return fail(400, "no") if stage_of(seen) == "question" else say(GOOD[stage_of(seen)])

    with ProtocolServer(answer) as server, Run(mode="off") as run:
        graph = report_graph(server.judge(), run=run)
        state = asyncio.run(graph.ainvoke({"id": "r", "report": REPORTS["lesser-hand"]}))
    item = Item.model_validate(state["items"][0])
    assert (item.ending.status, item.ending.stage) == ("failed", "question")
    assert "record" in item.data and "question" not in item.data


@pytest.mark.parametrize("make", [lambda: Settings(tries=0)])
def test_settings_are_checked(make: Callable[[], Settings]) -> None:
    with pytest.raises(Exception, match="must be at least 1"):
        make()
