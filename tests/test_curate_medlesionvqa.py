"""MedLesionVQA from annotation records to a data set: plan, questions, places, and each fault."""

import asyncio
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dxjudge.agents.engine.run import Run
from dxjudge.agents.making.annotation import Annotation, annotation_faults
from dxjudge.cli.main import run as dxjudge
from dxjudge.curation.item import Ending, Item
from dxjudge.curation.medlesionvqa.ability_settings import AbilitySettings
from dxjudge.curation.medlesionvqa.question_graph import as_item, question_graph
from dxjudge.curation.medlesionvqa.question_plan import (
    Planned,
    apportion,
    next_batch,
    pools_of,
    wanted_counts,
)
from dxjudge.curation.medlesionvqa.read_annotations import read_annotations
from dxjudge.curation.medlesionvqa.subjects import subjects_of, wrong_terms
from dxjudge.errors import UsageError
from dxjudge.prompts.annotations import load_ability_rules, load_value_lists
from dxjudge.scoring import Placed, uniform_positions

from .accounts import assert_near
from .medlesionvqa_model import RULES, answer, solved, step_of, written
from .protocol_server import ProtocolServer, Seen, say

EXAMPLES = Path(__file__).parent.parent / "examples" / "curate"
LISTS = load_value_lists("medlesionvqa")
RECORDS = read_annotations(str(EXAMPLES / "annotations.jsonl"), LISTS).records
PLAQUE = RECORDS[0]


@pytest.fixture(scope="module")
def server() -> Iterator[ProtocolServer]:
    with ProtocolServer(lambda seen: say(answer(seen))) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLES, tmp_path / "in")
    return tmp_path


def curate(folder: Path, server: ProtocolServer, *options: str) -> int:
    given = ["--judge", server.judge(), "--cache", str(folder / "c.sqlite"), *options]
    source = str(folder / "in" / "annotations.jsonl")
    return dxjudge(["curate", "medlesionvqa", source, "-o", str(folder / "out"), *given])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_ten_records_become_questions_that_answer_and_evaluate_read(
    folder: Path, server: ProtocolServer
) -> None:
    account, solving = folder / "account.json", ("--solver", server.judge("solver"))
    assert curate(folder, server, *solving, "--estimate") == 0 and not server.seen
    assert curate(folder, server, *solving, "--account", str(account)) == 0
    assert_near(account, 0.25)  # code scores all open answers of this solver
    by_solver = {"letters" in str(seen.schema) or "answer" in str(seen.schema)
                 for seen in server.seen if seen.body["model"] == "solver"}  # fmt: skip
    assert by_solver == {True}
    out = folder / "out"
    assert "ability: region" in (out / "balance.svg").read_text("utf-8")
    rows, summary = (
        lines(out / "questions.jsonl"),
        json.loads((out / "summary.json").read_text("utf-8")),
    )
    assert {row["record"] for row in rows} == {record.id for record in RECORDS}
    counts = Counter(row["ability"] for row in rows)
    assert {name: own["wanted"] for name, own in summary["abilities"].items()} == counts
    for row in rows:
        letters = [letter for letter in "ABCD" if letter in row]
        assert letters == ([] if row["type"] == "open" else list("ABCD"))
        if letters:
            right = row["answer"].split(",")
            assert len(right) == 1 if row["type"] == "single" else len(right) > 1
        assert (out / row["images"][0]).resolve().exists()
    # rec1 and rec8 are of one patient.
    by_patient = {row["patient"]: set[str]() for row in rows}
    for row in rows:
        by_patient[row["patient"]].add(row["split"])
    assert all(len(splits) == 1 for splits in by_patient.values())
    assert set(summary["splits"]) == {"validation", "test"}
    # The solver without the record always says A; it is right where A happens to be right.
    single = [row for row in rows if row["type"] == "single"]
    assert [row["text_only"] for row in single] == [row["answer"] == "A" for row in single]
    assert summary["text_only"]["single"]["share"] == sum(r["answer"] == "A" for r in single) / len(
        single
    )
    assert 0.05 < summary["right_positions"]["p_value"] <= 1
    with (out / "sample.csv").open(encoding="utf-8", newline="") as file:
        sample = list(csv.DictReader(file))
    assert len(sample) == 20 and "regions: " in sample[0]["source"]

    def sees(seen: Seen) -> Any:
        return say("C" if "Options:" in seen.user else "red")

    with ProtocolServer(sees) as model:
        said, report = folder / "said.jsonl", folder / "report"
        words = ["answer", str(out / "questions.jsonl"), "-o", str(said), "--form", "medlesionvqa"]
        replies = ["--cache", str(folder / "a.sqlite")]
        assert dxjudge([*words, "--model", model.judge(), *replies]) == 0
        assert all(len(request.images) == 1 for request in model.seen)
    words = ["evaluate", str(out / "questions.jsonl"), str(said), "-o", str(report)]
    code = dxjudge([*words, "--preset", "medlesionvqa", "--judge", server.judge(), *replies])
    assert code in (0, 3)  # labels of errors are not scripted
    scores = {
        (row["unit"], row["metric"]): float(row["value"])
        for row in csv.DictReader((report / "scores.csv").open(encoding="utf-8"))
        if row["value"]
    }
    for row in single:
        assert scores[row["id"], "choice_score"] == (row["answer"] == "C"), row["id"]


def planned(ability: str, kind: str, record: Annotation = PLAQUE) -> Planned:
    """The question that asks the first subject of an ability in this type."""
    text = yaml.safe_load(
        (Path(__file__).parents[1] / "prompts/abilities_medlesionvqa.yaml").open()
    )
    for one in text["abilities"]:
        one["types"] = [kind] if one["name"] == ability else one["types"]
    rules = type(RULES).model_validate(text)
    pools = pools_of([record], AbilitySettings(rules=rules))
    return min(pools[ability], key=lambda one: one.id)


def run_question(
    question: Planned, script: Callable[[Seen], Any], tries: int = 3
) -> tuple[Item, list[Seen]]:
    with ProtocolServer(lambda seen: say(script(seen))) as server, Run(mode="off") as run:
        graph = question_graph(server.judge(), settings=AbilitySettings(tries=tries), run=run)
        state: Any = question.state()
        return as_item(asyncio.run(graph.ainvoke(state))), server.seen


LESION = ("lesion", "single")
FAULTS: list[tuple[tuple[str, str], dict[str, Any], str]] = [
    (LESION, {"question": "Which kind of lesion is seen in the image?"}, "does not name 'elbow'"),
    (LESION, {"question": "Is a plaque on the elbow?"}, "names 'plaque', which is an option"),
    (LESION, {"question": "Is a nodule on the elbow?"}, "names 'nodule', which is an option"),
    (LESION, {"question": "What does the record say of the elbow?"}, "says 'record'"),
    (LESION, {"question": "Name the lesion of the elbow."}, "must ask exactly one question"),
    (LESION, {"question": "What is 7 cm wide on the elbow?"}, "the number 7 is not in the"),
    (LESION, {"question": "What " * 41 + "elbow?"}, "has 42 words; 1 to 40 fit"),
    (LESION, {"wrong": ["papule", "nodule"]}, "options are wanted, not 2"),
    (LESION, {"wrong": ["papule", "nodule", "papule"]}, "'papule' is empty or occurs twice"),
    (LESION, {"wrong": ["papule", "nodule", "rash"]}, "'rash' is none of the wrong options"),
    (LESION, {"wrong": ["papule", "nodule", "desquamation"]}, "'desquamation' is right for this"),
    (("advice", "single"), {"wrong": ["No.", "Wait a little.", "Go."]}, "the longest may have at"),
    (("advice", "single"), {"wrong": [PLAQUE.advice[0], PLAQUE.advice[1], "x" * 80]},
     "is right for this image"),
    (("advice", "single"), {"wrong": [f"<right-c392b807660c> {'x' * 50} {n}" for n in range(3)]},
     "has a mark of this prompt"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "changes", "words"), FAULTS)
def test_a_planted_fault_of_a_question_goes_back_to_the_writer_with_its_name(
    asked: tuple[str, str], changes: dict[str, Any], words: str
) -> None:
    writes: list[str] = []

    def script(seen: Seen) -> Any:
        if step_of(seen) == "write":
            writes.append(seen.texts[-1])
            return {**written(seen), **(changes if len(writes) == 1 else {})}
        return answer(seen)

    item, _ = run_question(planned(*asked), script)
    assert item.ending.status == "accepted"
    assert len(writes) == 2 and words in writes[1]


def test_a_size_is_asked_with_sizes_as_options() -> None:
    question = next(
        one
        for one in pools_of(RECORDS, AbilitySettings())["attribute"]
        if one.about[-1] == "size" and one.type == "single"
    )
    writes: list[str] = []

    def script(seen: Seen) -> Any:
        if step_of(seen) == "write":
            writes.append(seen.texts[-1])
            wrong = ["big", "7 cm", "9 cm"] if len(writes) == 1 else ["5 cm", "7 cm", "9 cm"]
            return {**written(seen), "wrong": wrong}
        return answer(seen)

    item, _ = run_question(question, script)
    assert item.ending.status == "accepted" and "'big' is not a number with mm or cm" in writes[1]


def test_what_a_solver_with_the_record_does_not_find_is_written_again_and_then_rejected() -> None:
    def wrong(seen: Seen) -> Any:
        if step_of(seen) == "solve" and "(nothing)" not in seen.user:
            return {"letters": []}
        return answer(seen)

    item, seen = run_question(planned(*LESION), wrong, tries=2)
    assert (item.ending.status, item.ending.stage) == ("rejected", "question")
    assert "a solver who has the annotation answers 'nothing'" in item.ending.reasons[0]
    writes = [request for request in seen if step_of(request) == "write"]
    assert len(writes) == 2 and "answers 'nothing'" in writes[1].user


def test_an_open_answer_without_the_image_is_scored_like_any_other() -> None:
    question = planned("diagnosis", "open")

    def knows(seen: Seen) -> Any:
        if step_of(seen) == "solve":
            return {"answer": "Psoriasis"}
        return {"score": 0, "explanation": "no"} if step_of(seen) == "score" else answer(seen)

    item, seen = run_question(question, knows)
    assert item.data["answer"] == "psoriasis" and item.data["options"] == {}
    assert item.data["text_only"] is True
    assert "score" not in {step_of(request) for request in seen}  # the same words: no model


PLACED = {"id": "a", "name": "plaque", "region": "elbow"}


def change(**fields: Any) -> dict[str, Any]:
    return {
        **json.loads((EXAMPLES / "annotations.jsonl").read_text("utf-8").splitlines()[0]),
        **fields,
    }


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"regions": ["elbow", "knee", "tail"]}, "regions: 'tail' is not in the list region"),
        ({"regions": ["elbow"]}, "lesion c: its region 'knee' is not in regions"),
        ({"diseases": [["psoriasis"], ["acne"]]}, "diseases: 'acne' is not in the list disease"),
        ({"diseases": [["psoriasis"]] * 3}, "diseases: 3 physicians; at most 2 fit"),
        ({"diseases": [["psoriasis", "psoriasis"]]}, "physician 1: a disease occurs twice"),
        (
            {"diseases": [["psoriasis", "lipoma", "melasma", "vitiligo"]]},
            "a physician ranks at most 3",
        ),
        (
            {"relations": [{"first": "a", "relation": "lies on", "second": "z"}]},
            "a and z are not two lesions",
        ),
        (
            {"relations": [], "lesions": [{**PLACED, "attributes": {"smell": "x"}}]},
            "lesion a: there is no attribute 'smell'",
        ),
        (
            {"relations": [], "lesions": [{**PLACED, "attributes": {"size": "big"}}]},
            "lesion a, size: 'big' is not a number with mm or cm",
        ),
    ],
)  # fmt: skip
def test_a_record_that_its_lists_do_not_allow_is_a_failed_item(
    tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    record = change(**fields)
    faults = annotation_faults(Annotation.model_validate(record), LISTS)
    assert any(words in fault for fault in faults)
    (tmp_path / "r.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    read = read_annotations(str(tmp_path / "r.jsonl"), LISTS)
    assert not read.records and read.failed[0].ending.reasons == tuple(faults)


def test_a_record_of_another_form_fails_alone_and_the_others_are_asked_about(
    folder: Path, server: ProtocolServer
) -> None:
    path = folder / "in" / "annotations.jsonl"
    path.write_text(path.read_text("utf-8") + '{"id": "odd", "lesions": "none"}\n', "utf-8")
    assert curate(folder, server, "--questions", "9") == 3
    items = lines(folder / "out" / "items.jsonl")
    assert (items[0]["id"], items[0]["ending"]["status"]) == ("odd", "failed")
    assert {item["ending"]["status"] for item in items[1:]} == {"accepted"}
    # 9 questions by 0.12, 0.18, 0.22, 0.08, 0.14, 0.16, 0.10: 1.08, 1.62, 1.98, 0.72, 1.26, 1.44,
    # 0.9; the floors sum to 5, and attribute, advice, relation and lesion have the largest rests.
    counts = Counter(row["ability"] for row in lines(folder / "out" / "questions.jsonl"))
    assert counts == {
        "region": 1, "lesion": 2, "attribute": 2, "relation": 1, "reasoning": 1, "diagnosis": 1,
        "advice": 1,
    }  # fmt: skip


def test_a_rejected_question_is_replaced_by_another_of_its_ability(
    folder: Path, server: ProtocolServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(seen: Seen) -> Any:
        if step_of(seen) == "solve" and "(nothing)" not in seen.user and "advised" in seen.user:
            return {"letters": []} if "Options:\n(none)" not in seen.user else {"answer": ""}
        return answer(seen)

    with ProtocolServer(lambda seen: say(script(seen))) as stern:
        assert curate(folder, stern, "--questions", "20", "--tries", "1") == 0
    summary = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
    # All 10 records are asked for advice, and each question is rejected; the others are as wanted.
    assert summary["rejected"] == 10
    assert summary["abilities"]["advice"] == {
        "wanted": 2, "questions": 0, "wanted_share": 0.1, "share": 0.0,
    }  # fmt: skip
    assert "ability advice: 0 of 2 questions are accepted" in capsys.readouterr().err


def test_subjects_have_one_right_answer_where_one_is_asked_for() -> None:
    # Two physicians with opposite orders: 1 + 1/2 each, so no disease is the best.
    (tied,) = subjects_of(RECORDS[9], "disease")
    assert not tied.best and tied.types(4) == ("multiple",)
    (clear,) = subjects_of(PLAQUE, "disease")
    assert clear.best and clear.true[0] == "psoriasis"
    # rec7 has a purple papule on the wrist and one on the forearm: each is alone in its region.
    twice = PLAQUE.model_copy(update={"lesions": (*PLAQUE.lesions, PLAQUE.lesions[0])})
    about = [subject.about for subject in subjects_of(twice, "attribute")]
    assert ("plaque", "elbow") not in about and ("plaque", "knee") in about


def test_wrong_terms_are_alike_and_never_synonyms_of_what_is_right() -> None:
    (subject,) = [s for s in subjects_of(PLAQUE, "lesion") if s.about == ("elbow",)]
    near = wrong_terms(subject, ("scale",), 2, LISTS)
    assert near == ("crust", "lichenification", "hyperkeratosis", "maceration")
    many = wrong_terms(subject, ("scale",), 5, LISTS)
    assert many is not None and "plaque" not in many and "ulcer" in many
    assert wrong_terms(subject, ("scale",), 99, LISTS) is None


def test_shares_divide_a_total_and_the_pools_bound_it() -> None:
    assert apportion(0, {"a": 0.5, "b": 0.5}) == {"a": 0, "b": 0}
    assert apportion(3, {"a": 0.5, "b": 0.5}) == {"a": 2, "b": 1}
    settings = AbilitySettings()
    pools = pools_of(RECORDS, settings)
    wanted = wanted_counts(pools, settings)
    assert all(wanted[name] <= len(pool) for name, pool in pools.items())
    assert wanted == wanted_counts(pools_of(RECORDS[::-1], settings), settings)


def test_a_failed_question_keeps_its_place_and_a_rejected_one_does_not() -> None:
    pools = {"advice": pools_of(RECORDS, AbilitySettings())["advice"]}

    def ended(place: int, status: Any) -> Item:
        ending = Ending(status=status, stage="question")
        return Item(
            id=pools["advice"][place].id, ending=ending, data={"ability": "advice"}, trail=()
        )

    items = [ended(0, "failed"), ended(1, "rejected"), ended(2, "accepted")]
    assert next_batch(pools, {"advice": 3}, items) == [pools["advice"][3]]
    assert next_batch(pools, {"advice": 2}, items) == []


def test_places_are_tested_within_each_number_of_options_and_of_right_ones() -> None:
    # Four options, two right: A and B in both questions. Expected 1 each; 4 * 1 * (4-1)/(4-2) = 6.
    pairs = uniform_positions([Placed((0, 1), 4)] * 2)
    assert (pairs.statistic, pairs.degrees, pairs.smallest) == (6.0, 3, 1.0)
    # Three options, one right, each place once: 0. The sums add: 6 with 3 + 2 degrees.
    both = [Placed((0, 1), 4)] * 2 + [Placed((place,), 3) for place in range(3)]
    assert uniform_positions(both)[:2] == (6.0, 5)
    assert uniform_positions([]).p_value is None
    with pytest.raises(UsageError, match="do not fit 2 options"):
        uniform_positions([Placed((0, 1), 2)])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"share": 0.5}, "the shares sum to 1.38, not to 1"),
        ({"name": "lesion"}, "the ability lesion occurs twice"),
        ({"types": ["riddle"]}, "Input should be 'single', 'multiple' or 'open'"),
    ],
)
def test_abilities_of_your_own_are_checked(
    tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    path = Path(__file__).parents[1] / "prompts/abilities_medlesionvqa.yaml"
    text = yaml.safe_load(path.read_text("utf-8"))
    text["abilities"][0] |= fields
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(text), "utf-8")
    with pytest.raises(UsageError, match=words):
        load_ability_rules(tmp_path / "own.yaml")


def test_a_killed_run_goes_on_to_the_same_bytes(folder: Path) -> None:
    seen_so_far = 0

    def script(seen: Seen) -> Any:
        nonlocal seen_so_far
        seen_so_far += 1
        if seen_so_far == 20:
            os.kill(process.pid, signal.SIGKILL)
        return say(answer(seen))

    with ProtocolServer(script) as server:
        words = ["curate", "medlesionvqa", str(folder / "in" / "annotations.jsonl"), "-o", "OUT"]
        words += ["--judge", server.judge(), "--questions", "14", "--concurrency", "2", "--cache"]
        first = [str(folder / "out") if word == "OUT" else word for word in words]
        first.append(str(folder / "c.sqlite"))
        process = subprocess.Popen([sys.executable, "-m", "dxjudge", *first])
        assert process.wait() == -signal.SIGKILL
        assert dxjudge(first) == 0
        whole = [str(folder / "whole") if word == "OUT" else word for word in words]
        assert dxjudge([*whole, str(folder / "other.sqlite")]) == 0
    names = {path.name for path in (folder / "out").iterdir()}
    assert names == {
        "balance.svg", "card.md",
        "items.jsonl", "questions.jsonl", "summary.json", "votes.csv", "sample.csv",
    }  # fmt: skip
    for name in names:
        kept, made = (folder / place / name for place in ("out", "whole"))
        assert kept.read_bytes() == made.read_bytes(), name


def test_the_scripted_solver_knows_what_the_writer_was_told() -> None:
    item, seen = run_question(planned("region", "multiple"), answer)
    solves = [request for request in seen if step_of(request) == "solve"]
    assert item.data["answer"] == ",".join(solved(solves[0])["letters"])
