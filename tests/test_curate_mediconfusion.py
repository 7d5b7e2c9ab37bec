"""MediConfusion from images to a data set: pairs, questions, scores, splits, and each fault."""

import asyncio
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.cli.main import run as dxjudge
from dxjudge.curation.item import Item
from dxjudge.curation.mediconfusion.found import pairs_of_images
from dxjudge.curation.mediconfusion.images import read_images
from dxjudge.curation.mediconfusion.pair_graph import as_item, pair_graph
from dxjudge.curation.mediconfusion.pair_settings import PairSettings
from dxjudge.curation.mediconfusion.pair_stages import PairIn
from dxjudge.curation.mediconfusion.vectors import vectors_of
from dxjudge.prompts.load_data import load_categories

from .accounts import assert_near, calls_by_judge
from .mediconfusion_model import ANSWERS, EXAMPLES, LISTED, answer, step_of, written
from .protocol_server import ProtocolServer, Seen, fail, say

CHEST = "chest1+chest2"
CATEGORIES = load_categories("mediconfusion")


@pytest.fixture(scope="module")
def server() -> Iterator[ProtocolServer]:
    with ProtocolServer(lambda seen: say(answer(seen))) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLES, tmp_path / "in")
    return tmp_path


def curate(folder: Path, server: ProtocolServer, *options: str, out: str = "out") -> int:
    files = [str(folder / "in" / name) for name in ("images.csv", "medical.npz", "general.parquet")]
    given = ["--medical", files[1], "--general", files[2], "--cache", str(folder / "c.sqlite")]
    words = ["curate", "mediconfusion", files[0], "-o", str(folder / out), *given]
    return dxjudge([*words, "--judge", server.judge(), *options])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_ten_pairs_become_questions_that_answer_and_evaluate_read(
    folder: Path, server: ProtocolServer, capsys: pytest.CaptureFixture[str]
) -> None:
    account, solving = folder / "account.json", ("--solver", server.judge("solver"))
    assert curate(folder, server, *solving, "--estimate") == 0 and not server.seen
    assert curate(folder, server, *solving, "--account", str(account)) == 0
    assert_near(account, 0.1)
    by_solver = {step_of(one) for one in server.seen if one.body["model"] == "solver"}
    assert by_solver == {"solve"}
    out = folder / "out"
    assert "category: chest" in (out / "balance.svg").read_text("utf-8")
    rows = lines(out / "questions.jsonl")
    assert len(rows) == 20 and {row["pair"] for row in rows} == set(ANSWERS)
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert {first["answer"], second["answer"]} == {"A", "B"}
        assert first[first["answer"]] == ANSWERS[first["pair"]]["first_option"]
        assert (first["split"], first["question"]) == (second["split"], second["question"])
    assert {row["answer"] for row in rows[::2]} == {"A", "B"}  # the order is drawn
    assert rows[0]["category"] == ["chest"]
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert (summary["accepted"], summary["found_pairs"]) == (10, 10)
    # Strata: the pairs of "chest" and those of "elsewhere"; 20 % of 10 pairs are 2.
    assert summary["splits"] == {"validation": 2, "test": 8}
    assert {name: sum(of.values()) for name, of in summary["categories"].items()} == {
        "validation": 2,
        "test": 8,
    }
    capsys.readouterr()

    def sees(seen: Seen) -> Any:
        return say("A")  # always A: each pair is confused

    with ProtocolServer(sees) as model:
        replies = ["--cache", str(folder / "a.sqlite")]
        said = folder / "said.jsonl"
        words = ["answer", str(out / "questions.jsonl"), "-o", str(said), "--form", "mediconfusion"]
        assert dxjudge([*words, "--model", model.judge(), *replies]) == 0
        assert len(model.seen) == 20
        assert all(len(request.images) == 1 for request in model.seen)  # paths still lead there
    report = folder / "report"
    words = ["evaluate", str(out / "questions.jsonl"), str(said), "-o", str(report)]
    assert dxjudge([*words, "--preset", "mediconfusion"]) == 0
    with (report / "main_table.csv").open(encoding="utf-8") as file:
        numbers = next(csv.DictReader(file))
    got = [float(numbers[name]) for name in ("Set accuracy", "Individual accuracy", "Confusion")]
    assert got == [0, 0.5, 1]
    assert find_patterns(folder, GOOD_PATTERNS) == 0
    (pattern,) = lines(folder / "patterns.jsonl")
    assert pattern["pairs"] == ["chest1+chest2", "kidney1+kidney2"]
    for patterns, fault in BAD_PATTERNS:
        assert find_patterns(folder, GOOD_PATTERNS, first=patterns, words=fault) == 0


GOOD_PATTERNS = [
    {"name": "side", "description": "left or right", "pairs": [CHEST, "kidney1+kidney2"]}
]
BAD_PATTERNS: list[tuple[Any, str]] = [
    ([{**GOOD_PATTERNS[0], "pairs": [CHEST, "eye1+eye2"]}], "there is no pair 'eye1+eye2'"),
    ([{**GOOD_PATTERNS[0], "pairs": [CHEST, CHEST]}], "at least 2 pairs are needed"),
    (GOOD_PATTERNS * 2, "'side' occurs twice"),
]


def find_patterns(folder: Path, good: Any, first: Any = None, words: str = "") -> int:
    """Run the command; the first answer may have a fault, which the second request must name."""
    asked: list[Seen] = []

    def script(seen: Seen) -> Any:
        asked.append(seen)
        return {"patterns": good if first is None or len(asked) > 1 else first}

    with ProtocolServer(script) as server:
        given = ["--judge", server.judge(), "--cache", str(folder / "p.sqlite"), "--failed-by", "1"]
        files = [str(folder / "out" / "questions.jsonl"), str(folder / "report")]
        output = ["-o", str(folder / "patterns.jsonl")]
        assert dxjudge(["curate", "patterns", *files, *output, *given, "--estimate"]) == 0
        assert not asked
        account = folder / "patterns.json"
        given += ["--account", str(account)]
        code = dxjudge(["curate", "patterns", *files, *output, *given])
        estimated, made = calls_by_judge(account)
        assert estimated == {server.judge(): 1} and made == {server.judge(): len(asked)}
    assert "Pair chest1+chest2\nQuestion: On which side" in asked[0].user
    assert "Caption 2: Frontal chest radiograph of a 61-year-old" in asked[0].user
    assert words in asked[-1].texts[-1] and len(asked) == (1 if first is None else 2)
    return code


def run_pair(
    name: str, script: Callable[[Seen], Any], settings: PairSettings | None = None
) -> tuple[Item, list[Seen]]:
    """Run the graph on one pair of the examples."""
    images = read_images(str(EXAMPLES / "images.csv"))
    ids, paths = [image.id for image in images], [image.image for image in images]
    vectors = [
        vectors_of(str(EXAMPLES / file), ids, paths) for file in ("medical.npz", "general.parquet")
    ]
    found = pairs_of_images(images, vectors[0], vectors[1], PairSettings())
    pair = next(pair for pair in found.pairs if pair["id"] == name)
    return run_one(pair, script, settings)


def run_one(
    pair: PairIn, script: Callable[[Seen], Any], settings: PairSettings | None = None
) -> tuple[Item, list[Seen]]:
    def categorised(seen: Seen) -> Any:
        return {"categories": ["pulmonary"]} if step_of(seen) == "assign" else script(seen)

    with ProtocolServer(categorised) as server, Run(mode="off") as run:
        graph = pair_graph(server.judge(), CATEGORIES, run=run, settings=settings)
        return as_item(asyncio.run(graph.ainvoke(pair))), server.seen


FAULTS = [
    ({"question": "On which side of image 1 does it run?"}, "says 'image 1'"),
    ({"question": "What is the difference of the pleural lines?"}, "says 'difference'"),
    ({"question": "Where does it run in the second image?"}, "says 'second image'"),
    ({"question": "Where does it run in both radiographs?"}, "says 'radiographs'"),
    ({"question": "Which side does the caption name?"}, "says 'caption'"),
    ({"second_option": "On the left side."}, "must be another answer than first_option"),
    ({"second_option": "On the right side, with an effusion and a drain in place"},
     "the longer may have at most 3 times as many"),
    ({"question": "Does it run on the left side or not?"}, "names 'On the left side' and not"),
    ({"question": "The pleural line runs where."}, "must ask exactly one question"),
    ({"first_quote": "the line runs on the right"}, "does not occur in the caption of its image"),
    ({"first_quote": "the pleural line runs along the right upper zone"}, "does not occur in the"),
    ({"second_quote": "Frontal chest radiograph"}, "occurs in both captions"),
    ({"second_option": "On the right, 4 cm"}, "the number 4 is not in the caption"),
    ({"first_option": "On the left " + "side " * 20}, "has 23 words; 1 to 20 fit"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), FAULTS)
def test_a_planted_fault_of_a_question_goes_back_to_the_writer_with_its_name(
    changes: dict[str, str], words: str
) -> None:
    asked: list[str] = []

    def script(seen: Seen) -> Any:
        if step_of(seen) == "write":
            asked.append(seen.texts[-1])
            return written(CHEST, **(changes if len(asked) == 1 else {}))
        return answer(seen)

    item, _ = run_pair(CHEST, script)
    assert item.ending.status == "accepted"
    assert len(asked) == 2 and words in asked[1]


def test_a_question_whose_captions_do_not_answer_it_is_written_again_and_then_rejected() -> None:
    def wrong(seen: Seen) -> Any:
        if step_of(seen) == "solve" and "right upper zone" in seen.user:
            return {"letters": []}
        return answer(seen)

    item, seen = run_pair(CHEST, wrong, PairSettings(tries=2))
    assert (item.ending.status, item.ending.stage) == ("rejected", "question")
    assert item.ending.reasons == (
        "a solver who has caption 2 chooses neither option, but 'On the right side' is meant to be "
        "right",
    )
    writes = [request for request in seen if step_of(request) == "write"]
    assert len(writes) == 2 and "a solver who has caption 2" in writes[1].user


def test_without_captions_both_items_are_one_question_and_its_guess_is_kept() -> None:
    def guesses(seen: Seen) -> Any:
        if step_of(seen) == "solve" and "(nothing)" in seen.user:
            return {"letters": ["B"]}
        return answer(seen)

    item, seen = run_pair(CHEST, guesses)
    assert (item.ending.status, item.data["guess"]) == ("accepted", "B")
    blind = [request for request in seen if "(nothing)" in request.user]
    assert len(blind) == 1 and "pleural line runs along" not in blind[0].user


@pytest.mark.parametrize(
    ("captions", "words"),
    [
        (["Chest radiograph.", "x" * 100], "the caption of a has 17 characters; at least 100"),
        (["Same  words " * 10, "same words " * 10], "both images have the same caption"),
    ],
)
def test_captions_that_cannot_separate_images_are_rejected_before_anything_is_asked(
    captions: list[str], words: str
) -> None:
    pair: PairIn = {
        "id": "a+b",
        "images": ["a", "b"],
        "paths": ["a.png", "b.png"],
        "captions": captions,
        "similarity": {"medical": 1.0, "general": 0.0},
    }
    item, seen = run_one(pair, answer)
    assert (item.ending.status, item.ending.stage) == ("rejected", "captions")
    assert words in item.ending.reasons[0] and not seen


def test_experts_decide_and_a_pair_without_scores_is_failed(
    folder: Path, server: ProtocolServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert curate(folder, server) == 0
    table = folder / "out" / "to_rate.csv"
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = {"brain1+brain2-1": ["4", "5"], "liver1+liver2-2": [], "knee1+knee2-1": ["4", "6"]}
    rated = [
        {**row, "rater": f"r{number}", "score": score}
        for row in rows
        for number, score in enumerate(scores.get(row["id"], ["9"]))
    ]
    with (folder / "rated.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rated)
    asked = len(server.seen)
    assert curate(folder, server, "--scores", str(folder / "rated.csv"), out="kept") == 3
    assert len(server.seen) == asked  # the replies were kept
    items = {item["id"]: item["ending"] for item in lines(folder / "kept" / "items.jsonl")}
    # 4 and 5 have the mean 4.5, below 5; 4 and 6 have the mean 5.
    assert items["brain1+brain2"]["status"] == "rejected"
    assert items["brain1+brain2"]["reasons"][0].startswith("brain1+brain2-1 has the score 4.5")
    assert items["liver1+liver2"] == {
        "status": "failed", "stage": "scores", "reasons": ["liver1+liver2-2 has no score"],
    }  # fmt: skip
    assert items["knee1+knee2"]["status"] == "accepted"
    kept = {row["pair"] for row in lines(folder / "kept" / "questions.jsonl")}
    assert kept == set(ANSWERS) - {"brain1+brain2", "liver1+liver2"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("nobody-1,9,", "row 1 (line 2): no item has the id 'nobody-1'"),
        ("chest1+chest2-1,11,", "the score is '11'; write 1 to 10"),
        ("chest1+chest2-1,9,Another question?", "the question of chest1+chest2-1 is another one"),
        ("chest1+chest2-1,9,\nchest1+chest2-1,8,", "a second score of chest1+chest2-1"),
    ],
)
def test_scores_that_do_not_fit_are_refused_by_row(
    folder: Path, server: ProtocolServer, capsys: pytest.CaptureFixture[str], row: str, words: str
) -> None:
    (folder / "rated.csv").write_text(f"id,score,question\n{row}\n", "utf-8")
    assert curate(folder, server, "--scores", str(folder / "rated.csv")) == 4
    assert words in " ".join(capsys.readouterr().err.split())


def test_a_set_without_categories_is_failed_and_says_why(folder: Path) -> None:
    def script(seen: Seen) -> Any:
        return fail(400, "too long") if step_of(seen) == "list" else say(answer(seen))

    with ProtocolServer(script) as server:
        assert curate(folder, server) == 3
    endings = {json.dumps(i["ending"]) for i in lines(folder / "out" / "items.jsonl")}
    assert len(endings) == 1 and '"categories"' in endings.pop()


@pytest.mark.parametrize(
    ("categories", "words"),
    [
        (LISTED[:1], "has 1; 2 to 9 are wanted"),
        ([LISTED[0], {**LISTED[1], "name": "Chest"}], "'Chest' occurs twice"),
        ([LISTED[0], {**LISTED[1], "captions": []}], "needs at least one caption"),
        ([LISTED[0], {**LISTED[1], "captions": [21]}], "there is no caption 21"),
    ],
)
def test_a_list_of_categories_with_a_fault_is_repaired(
    folder: Path, categories: list[dict[str, Any]], words: str
) -> None:
    asked: list[str] = []

    def script(seen: Seen) -> Any:
        if step_of(seen) == "list":
            asked.append(seen.texts[-1])
            return {"categories": categories if len(asked) == 1 else LISTED}
        return answer(seen)

    with ProtocolServer(script) as server:
        assert curate(folder, server, "--pairs", "10") == 0
    assert len(asked) == 2 and words in asked[1]
    shown = json.loads((folder / "out" / "categories.json").read_text("utf-8"))
    assert [category["name"] for category in shown["categories"]] == ["chest", "elsewhere"]


def test_a_killed_run_goes_on_to_the_same_bytes(folder: Path) -> None:
    """Killed while it waits for an answer; then the same command writes what a whole run does."""
    waiting = 0

    def slow(seen: Seen) -> Any:
        nonlocal waiting
        waiting += 1
        if waiting == 25 and not killed:
            os.kill(process.pid, signal.SIGKILL)
        return say(answer(seen))

    killed = False
    with ProtocolServer(slow) as server:
        files = [
            str(folder / "in" / name) for name in ("images.csv", "medical.npz", "general.parquet")
        ]
        words = ["curate", "mediconfusion", files[0], "-o", str(folder / "out"), "--judge"]
        words += [server.judge(), "--medical", files[1], "--general", files[2]]
        words += ["--cache", str(folder / "c.sqlite"), "--concurrency", "2"]
        process = subprocess.Popen([sys.executable, "-m", "dxjudge", *words])
        assert process.wait() == -signal.SIGKILL
        killed = True
        assert not (folder / "out" / "questions.jsonl").exists()
        assert dxjudge(words) == 0
        whole = folder / "whole"
        words[words.index(str(folder / "out"))] = str(whole)
        words[words.index(str(folder / "c.sqlite"))] = str(folder / "other.sqlite")
        assert dxjudge(words) == 0
    for path in whole.iterdir():
        assert path.read_bytes() == (folder / "out" / path.name).read_bytes(), path.name
    assert {path.name for path in (folder / "out").iterdir()} == {
        "balance.svg", "card.md",
        "items.jsonl", "questions.jsonl", "summary.json", "to_rate.csv", "categories.json",
        "votes.csv", "sample.csv",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ("unit,metric,value,status\np,set_accuracy,1.0,done\n", "0 of 1 pairs are failed by 100%"),
        ("unit,metric,value,status\np,final_accuracy,1.0,done\n", "has no set_accuracy"),
        ("a,b\n1,2\n", "is not the scores.csv of an evaluation"),
        (
            "unit,metric,value,status\np,set_accuracy,0,done\nq,set_accuracy,0,done\n",
            "has no pair 'p', which the report has",
        ),
    ],
)
def test_a_report_without_failed_pairs_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scores: str, words: str
) -> None:
    (tmp_path / "scores.csv").write_text(scores, "utf-8")
    questions = str(EXAMPLES.parent / "evaluate" / "mediconfusion_questions.csv")
    given = ["-o", str(tmp_path / "p.jsonl"), "--judge", "openai:m@http://127.0.0.1:9/v1"]
    assert dxjudge(["curate", "patterns", questions, str(tmp_path), *given]) == 4
    assert words in " ".join(capsys.readouterr().err.split())
