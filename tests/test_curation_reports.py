"""DermCase on ten whole reports: every item ends with a reason, and a killed run goes on."""

import asyncio
import csv
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge_equivalence import MappedCode
from dxjudge.cli.main import run as dxjudge
from dxjudge.curation.dermcase import report_graph
from dxjudge.curation.item import Item
from dxjudge.curation.length_figure import draw_lengths
from dxjudge.curation.sample import draw_sample

from .accounts import assert_near
from .protocol_server import ProtocolServer, Seen
from .scripted_dermcase import REPORTS, good, script
from .test_curation_dermcase import REPORTS as SHORT
from .test_curation_dermcase import change, stage_of
from .test_curation_dermcase import curate as curate_short

ACCEPTED = [
    "a-boy-who-does-not-thrive/1",
    "a-fever-after-a-cold/1",
    "a-numb-plaque/1",
    "an-old-scar/1",
    "brown-patches/1",
    "cold-ulcers/1",
    "itching-blisters/1",
    "two-sisters/1",
    "two-sisters/2",
]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def arguments(
    folder: Path, server: ProtocolServer, cache: Path, reports: Path = REPORTS
) -> list[str]:
    given = ["--judge", server.judge(), "--cache", str(cache), "--no-codes", "--concurrency", "2"]
    return ["curate", "dermcase", str(reports), "-o", str(folder), *given]


def kill_after(command: list[str], server: ProtocolServer, requests: int) -> None:
    """Run a command in a process of its own, and kill it after so many requests to the server."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dxjudge", *command], stderr=subprocess.DEVNULL
    )
    while len(server.seen) < requests:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def curated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody disturbed."""
    out = tmp_path_factory.mktemp("dermcase") / "out"
    with ProtocolServer(script()) as server:
        given = arguments(out, server, out.parent / "replies.sqlite")
        assert dxjudge([*given, "--estimate"]) == 0 and not server.seen and not out.exists()
        assert dxjudge([*given, "--account", str(out.parent / "account.json")]) == 0
    return out


def test_the_estimate_is_near_the_account_and_the_card_counts_the_kinds(curated: Path) -> None:
    # Two of ten reports are excluded at the split, one has two cases, and the diagnoses of nine
    # cases are written as in the record, so that no model is asked whether they are the same.
    assert_near(curated.parent / "account.json", 0.25)
    assert "| wrong diagnosis | 9 | 50.0% |" in (curated / "card.md").read_text("utf-8")
    assert "kind: wrong diagnosis" in (curated / "balance.svg").read_text("utf-8")


def test_ten_reports_end_accepted_or_rejected_with_the_check(curated: Path) -> None:
    items = {item["id"]: item for item in lines(curated / "items.jsonl")}
    assert [name for name, item in items.items() if item["ending"]["status"] == "accepted"] == (
        ACCEPTED
    )
    assert items["five-workers"]["ending"]["reasons"] == [
        "the report has 5 cases; more than 4 are excluded"
    ]
    assert items["mixed-twins"]["ending"]["reasons"] == [
        "the borders between the cases are not clear"
    ]
    blisters = items["itching-blisters/1"]["data"]
    # Tabs, line breaks and runs of spaces: the passage is in the words of the report.
    assert blisters["record"]["present_illness"] == ["He had\ttaken linagliptin\nfor 7 months."]
    assert blisters["record"]["allergies"] == "not documented"
    numb = items["a-numb-plaque/1"]["data"]
    assert numb["record"]["lesion_size"] == ["6 × 4 cm"]  # &times; and &nbsp; in the page
    assert numb["record"]["diagnostic_process"][-1].endswith("“tuberculoid in type”.")
    fever = items["a-fever-after-a-cold/1"]["data"]
    assert "edema" in fever["record"]["diagnostic_process"][2]  # the file has decomposed letters
    brown = items["brown-patches/1"]["data"]
    assert "hepatitis C antibodies negative" in brown["record"]["diagnostic_process"]
    assert "track()" not in brown["case"] and "Journal" not in brown["case"]
    sisters = [items[f"two-sisters/{number}"]["data"] for number in (1, 2)]
    assert sisters[0]["case"].startswith("Case 1.") and sisters[1]["case"].startswith("Case 2.")
    assert sisters[0]["end"] <= sisters[1]["start"]


def test_the_pairs_are_those_that_datasets_and_a_dpo_trainer_want(curated: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    cache = str(curated.parent / "datasets")
    path = str(curated / "pairs.jsonl")
    table = datasets.load_dataset("json", data_files=path, split="train", cache_dir=cache)
    assert table.num_rows == 18
    assert set(table.column_names) == {"id", "prompt", "chosen", "rejected", "kind", "errors"}
    for name in ("prompt", "chosen", "rejected"):
        assert table.features[name].dtype == "string"
    assert all(row["chosen"] != row["rejected"] for row in table)


def test_each_pair_has_texts_that_differ_by_a_tenth_at_most(curated: Path) -> None:
    pairs = lines(curated / "pairs.jsonl")
    assert len(pairs) == 18
    for pair in pairs:
        assert abs(len(pair["rejected"]) - len(pair["chosen"])) <= 0.1 * len(pair["chosen"])
        assert 3 <= len(pair["errors"]) <= 4
        parts = [text.split("2. Examination")[0] for text in (pair["chosen"], pair["rejected"])]
        assert parts[0] == parts[1]
    assert (curated / "lengths.svg").read_text("utf-8").startswith("<svg")


def test_the_figure_has_the_share_of_pairs_in_each_range() -> None:
    # Differences of +1 %, +3 %, -9 % and +2 %: ranges 0 to 2, 2 to 4, -10 to -8 and 2 to 4.
    texts = [("wrong", 101), ("wrong", 103), ("flawed", 91), ("wrong", 102)]
    pairs = [{"kind": kind, "chosen": "x" * 100, "rejected": "x" * n} for kind, n in texts]
    drawing = draw_lengths(pairs)
    assert [drawing.count(f">{share}  (") for share in ("0.33", "0.67", "1.00")] == [1, 1, 1]
    assert "+2 to +4 %" in drawing


def test_a_person_rates_a_sample_that_agree_reads(
    curated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (curated / "votes.csv").open(encoding="utf-8", newline="") as file:
        votes = list(csv.DictReader(file))
    assert [vote["verdict"] for vote in votes].count("yes") == 9 and len(votes) == 11
    with (curated / "sample.csv").open(encoding="utf-8", newline="") as file:
        sample = list(csv.DictReader(file))
    # The two rejected reports have no case that a person could rate.
    assert [row["case"] for row in sample] == ACCEPTED
    assert set(sample[0]) == {"case", "step", "judge", "verdict", "comment", "source", "item"}
    assert {(row["judge"], row["verdict"]) for row in sample} == {("human", "")}
    assert "lichen planus pigmentosus" in sample[4]["source"] and "question:" in sample[4]["item"]
    rated = tmp_path / "rated.csv"
    with rated.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, sample[0])
        writer.writeheader()
        for number, row in enumerate(sample[:8]):
            writer.writerow({**row, "verdict": "no" if number == 3 else "yes"})
        writer.writerow(sample[8])  # not rated yet
    given = ["--human", "human", "--sampling", "verdict", "--json"]
    # 3: a row without a verdict is left out of every measure, and counts as a failed vote.
    assert dxjudge(["agree", str(curated / "votes.csv"), str(rated), *given]) == 3
    row = json.loads(capsys.readouterr().out)["rows"][0]
    # Of 11 items a person rated 8; one of the sample is not rated yet, two have nothing to rate.
    assert (row["second"], row["n"], row["failed"], row["absent"]) == ("human", 8, 1, 2)


def test_a_sample_has_up_to_twenty_items_of_each_verdict() -> None:
    def item(number: int) -> Item:
        status = "accepted" if number < 30 else "rejected" if number < 60 else "failed"
        ending = {"status": status, "stage": "pairs"}
        return Item.model_validate(
            {"id": str(number), "ending": ending, "data": {"case": "x"}, "trail": ()}
        )

    places = draw_sample([item(number) for number in range(70)], seed=1)
    assert [sum(place < 30 for place in places), sum(place >= 30 for place in places)] == [20, 20]
    assert len(set(places)) == 40 and max(places) < 60


def test_a_killed_run_goes_on_to_the_same_bytes_and_pays_no_call_twice(tmp_path: Path) -> None:
    def no_age(seen: Seen, number: int) -> Any:
        """One item is rejected: its question never has the age."""
        asked = good(seen)["question"]
        return {"question": asked.replace("47", "many")} if "47-year" in asked else None

    reports = tmp_path / "reports"
    reports.mkdir()
    for name in ("brown-patches.html", "cold-ulcers.html", "mixed-twins.txt"):
        shutil.copy(REPORTS / name, reports)
    plays: dict[str, Callable[[Seen, int], Any]] = {"question": no_age}
    with ProtocolServer(script(plays)) as server:
        whole = arguments(tmp_path / "whole", server, tmp_path / "a.sqlite", reports)
        assert dxjudge(whole) == 0
        paid = len(server.seen)
        command = arguments(tmp_path / "out", server, tmp_path / "b.sqlite", reports)
        kill_after(command, server, paid + paid * 2 // 3)
        assert not (tmp_path / "out" / "items.jsonl").exists()
        before = len(server.seen) - paid
        assert dxjudge(arguments(tmp_path / "out", server, tmp_path / "b.sqlite", reports)) == 0
        after = len(server.seen) - paid - before
    # Only the calls that were under way when it died may be made again: a question that is
    # repaired twice counts as three.
    assert paid <= before + after <= paid + 4
    names = ["balance.svg", "card.md", "items.jsonl", "lengths.svg", "pairs.jsonl",
             "questionnaire.jsonl", "sample.csv", "summary.json", "votes.csv"]  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    for name in names:
        left, right = (tmp_path / folder / name for folder in ("whole", "out"))
        assert left.read_bytes() == right.read_bytes(), name
    (item,) = [i for i in lines(tmp_path / "out/items.jsonl") if i["id"] == "brown-patches/1"]
    assert (item["ending"]["status"], item["ending"]["stage"]) == ("rejected", "question")
    assert "the age (47) is missing" in item["ending"]["reasons"][0]


def test_a_diagnosis_is_copied_as_a_bare_name() -> None:
    sentence = change("record", final_diagnosis=["The diagnosis of erythema multiforme was made."])
    (item,), _, seen = curate_short(SHORT["lesser-hand"], {"record": [sentence, change("record")]})
    assert item.ending.status == "accepted"
    assert any("copy the name of the disease alone" in one.texts[-1] for one in seen)


def test_an_answer_without_all_five_parts_is_asked_again() -> None:
    parts = change("reasoning")
    del parts["pathophysiology"]
    (item,), _, seen = curate_short(
        SHORT["lesser-hand"], {"reasoning": [parts, change("reasoning")]}
    )
    assert item.ending.status == "accepted"
    assert any("pathophysiology: Field required" in one.texts[-1] for one in seen)


@pytest.mark.parametrize(
    ("stage", "changes", "words"),
    [
        (
            "reasoning",
            {"final_diagnosis": "targetoid erythema"},
            "differential: the final diagnosis is missing",
        ),
        (
            "flawed reasoning",
            {"tests": [
                {"name": "biopsy", "result": "vacuolar change and few necrotic keratinocytes"},
                {"name": "swab", "result": "negative for herpes simplex virus 1"},
            ]},
            "the result of swab must stay",
        ),
    ],
)  # fmt: skip
def test_another_planted_fault_goes_back_with_its_name(
    stage: str, changes: dict[str, Any], words: str
) -> None:
    plays = {stage: [change(stage, **changes), change(stage)]}
    (item,), _, seen = curate_short(SHORT["lesser-hand"], plays)
    assert item.ending.status == "accepted"
    assert any(words in request.texts[-1] for request in seen)


def test_a_part_without_documented_facts_says_limited_information() -> None:
    lesions = [name for name in change("record") if name.startswith("lesion")]
    bare = change("record", **dict.fromkeys(lesions, []))
    good_answer = change("reasoning", examination="There is limited information on the skin.")
    plays = {"record": [bare], "reasoning": [change("reasoning"), good_answer]}
    (_, *_), _, seen = curate_short(SHORT["lesser-hand"], plays)
    words = "examination: the record documents nothing for it; say 'limited information'"
    assert any(words in request.texts[-1] for request in seen)


def test_a_question_that_names_the_truth_in_other_words_is_caught_by_its_code() -> None:
    def code_of(text: str) -> MappedCode | None:
        codes = {"sweet syndrome": "L98.2", "acute febrile neutrophilic dermatosis": "L98.2"}
        return MappedCode(codes.get(text.lower(), text), text)

    def leaky(seen: Seen, number: int) -> Any:
        if number > 1:
            return None
        text = good(seen)["question"].replace("the skin.", "acute febrile neutrophilic dermatosis.")
        return {"question": text}

    def listed(seen: Seen, number: int) -> Any:
        name = "acute febrile neutrophilic dermatosis"
        return {"diagnoses": [name]} if name in seen.user else None

    report = (REPORTS / "a-fever-after-a-cold.txt").read_text("utf-8")
    plays = {"question": leaky, "considered": listed}
    with ProtocolServer(script(plays)) as server, Run(mode="off") as run:
        graph = report_graph(server.judge(), run=run, code_of=code_of)
        state = asyncio.run(graph.ainvoke({"id": "r", "report": report}))
    assert [item["ending"]["status"] for item in state["items"]] == ["accepted"]
    again = [request for request in server.seen if stage_of(request) == "question"][1]
    assert "has a code of 'Sweet syndrome', which is to be found" in again.user
