"""From cases to a report with two commands, for each of the five systems, over a real socket."""

import base64
import csv
import json
import math
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.models import PROVIDERS
from dxjudge.agents.images import MAX_BYTES
from dxjudge.cli.main import run

from .evaluation_judge import make_judge
from .protocol_server import Act, ProtocolServer, Seen, fail, say
from .scripted import EXAMPLES

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(100))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(__file__).parents[1] / "build" / "test-cache"
    cache = tmp_path / "cache"
    cache.mkdir()
    for shared in ("index", "ontology"):
        (source / shared).mkdir(parents=True, exist_ok=True)
        (cache / shared).symlink_to(source / shared)
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(cache))
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def answered(*arguments: Any) -> int:
    return run([str(argument) for argument in ("answer", *arguments)])


def evaluated(cases: Any, responses: Path, folder: Path, preset: str, *more: Any) -> int:
    words = ("evaluate", cases, responses, "-o", folder, "--preset", preset, *more)
    return run([str(word) for word in (*words, "--resamples", 50)])


def main_table(folder: Path) -> list[dict[str, Any]]:
    return rows_of(folder / "main_table.csv")


DISEASES = ["Bronchitis", "Pneumonia", "Tuberculosis", "Anemia", "Pulmonary embolism"]


def test_hddx_from_patients_to_a_report(tmp_path: Path, capsys: Any) -> None:
    folder = EXAMPLES / "evaluate"
    files = ("--conditions", folder / "ddxplus_conditions.json")
    more = (*files, "--evidences", folder / "ddxplus_evidences.json")
    out = tmp_path / "r.jsonl"
    with ProtocolServer(lambda seen: {"diagnoses": DISEASES}) as server:
        cases = folder / "ddxplus_patients.csv"
        options = ("--form", "hddx", "--model", f"lung={server.judge()}")
        assert answered(cases, "-o", out, *options, *more) == 0
        assert any("Is your temperature raised? yes" in seen.user for seen in server.seen)
        assert server.seen[0].body["temperature"] == 0.1
        assert server.seen[0].body["max_tokens"] == 1024
    rows = rows_of(out)
    assert [row["id"] for row in rows] == [str(n) for n in range(len(rows_of(cases)))]
    assert rows[0]["predicted_ddx"] == DISEASES
    capsys.readouterr()
    assert evaluated(cases, out, tmp_path / "report", "hddx", *more) in (0, 3)
    assert "nothing reads" not in capsys.readouterr().err
    # The first patient has bronchitis, the first of the answers.
    [row] = main_table(tmp_path / "report")
    assert row["model"] == "lung"


def test_dermcase_from_cases_to_a_report(tmp_path: Path, capsys: Any) -> None:
    asked = ("id", "case", "reference", "diagnosis", "ddx")
    rows = [{name: row[name] for name in asked} for row in rows_of(EXAMPLES / "cases.jsonl")]
    cases, out = write_rows(tmp_path / "cases.jsonl", rows), tmp_path / "r.csv"

    def reason(seen: Seen) -> Any:
        if "plaque psoriasis" in seen.user:
            return say("Pustules, no new drug.\n\nFinal diagnosis: generalized pustular psoriasis")
        return say("")

    with ProtocolServer(reason) as server, ProtocolServer(make_judge()) as judging:
        options = ("--form", "dermcase", "--model", server.judge("skin"))
        assert answered(cases, "-o", out, *options) == 0
        assert server.seen[0].form == "text"
        assert "JSON" not in "".join(server.seen[0].texts)
        judge = ("--judge", judging.judge())
        capsys.readouterr()
        assert evaluated(cases, out, tmp_path / "report", "dermcase", *judge) in (0, 3)
        assert "nothing reads" not in capsys.readouterr().err
    rows = rows_of(out)
    assert rows[0]["response"].endswith("Final diagnosis: generalized pustular psoriasis")
    assert {row["status"] for row in rows} == {"done"}
    assert rows[1]["response"] == ""  # an empty answer is an answer
    [row] = main_table(tmp_path / "report")
    assert row["model"] == server.judge("skin")


def medsyn_cases(tmp_path: Path) -> Path:
    (tmp_path / "ct.png").write_bytes(PNG)
    diagnoses = ["Pulmonary embolism", "Pneumonia"]
    rows = [
        {
            "id": f"syn-{number}",
            "specialty": "Pneumology",
            "case": f"Patient {number} is short of breath.",
            "evidence": [
                {"type": "history", "text": "Flight of ten hours."},
                {
                    "type": "imaging",
                    "text": f"A filling defect in case {number}.",
                    "image": "ct.png",
                },
            ],
            "diagnosis": diagnoses[number],
            "options": dict(zip("ABCD", [*diagnoses, "Asthma", "Pericarditis"], strict=True)),
            "answer": "AB"[number],
        }
        for number in range(2)
    ]
    return write_rows(tmp_path / "cases.jsonl", rows)


def test_medsyn_from_cases_to_a_report(tmp_path: Path, capsys: Any) -> None:
    cases, out = medsyn_cases(tmp_path), tmp_path / "r.jsonl"

    def answer(seen: Seen) -> Any:
        if not seen.body.get("logprobs"):
            return {"diagnoses": DISEASES}
        sure = 0.7 if "defect" in seen.user or seen.images else 0.4
        rest = [(letter, math.log((1 - sure) / 3)) for letter in "BCD"]
        return Act("A", first_tokens=[("A", math.log(sure)), *rest])

    with ProtocolServer(answer) as server, ProtocolServer(make_judge()) as judging:
        assert answered(
            cases, "-o", out, "--form", "medsyn-probabilities", "--model", f"m={server.judge()}",
            "--withhold", "imaging", "--presented-as", "image", "--presented-as", "text",
        ) == 0  # fmt: skip
        as_image = [seen for seen in server.seen if seen.images]
        assert as_image and all(seen.images == [PNG] for seen in as_image)
        assert all("defect" not in seen.user for seen in as_image)
        capsys.readouterr()
        judge = ("--judge", judging.judge())
        assert evaluated(cases, out, tmp_path / "report", "medsyn", *judge) in (0, 3)
        assert "nothing reads" not in capsys.readouterr().err
    rows = rows_of(out)
    # Two cases, each as an image and as text, each with all evidence and without imaging.
    assert [(row["withheld"], row["presented_as"]) for row in rows[:4]] == [
        ("", "image"), ("imaging", "image"), ("", "text"), ("imaging", "text")
    ]  # fmt: skip
    assert len(rows) == 8 and rows[0]["predicted_ddx"] == DISEASES
    assert rows[0]["probabilities"] == {"A": 0.7, "B": 0.1, "C": 0.1, "D": 0.1}
    assert rows[0]["answered"] == "A"
    [row] = main_table(tmp_path / "report")
    # The first answer names the first case's diagnosis, and A is right for one of two cases.
    assert float(row["FDx accuracy"]) == 0.5


def pairs_file(tmp_path: Path) -> Path:
    (tmp_path / "a.png").write_bytes(PNG + b"a")
    (tmp_path / "b.png").write_bytes(PNG + b"b")
    rows = [
        {
            "id": f"p{pair}-{side}",
            "pair": f"p{pair}",
            "question": "Is the mass in the cerebrum or in the cerebellum?",
            "A": "In the cerebrum",
            "B": "In the cerebellum",
            "answer": "AB"[side],
            "images": ["a.png", "b.png"][side],
        }
        for pair in range(2)
        for side in range(2)
    ]
    return write_rows(tmp_path / "pairs.jsonl", rows)


def sees(seen: Seen) -> str:
    """The right letter: the image ends with the letter a or b."""
    [picture] = seen.images
    assert isinstance(picture, bytes)
    return picture[-1:].decode().upper()


def letter(seen: Seen) -> Any:
    return say(sees(seen))


def free(seen: Seen) -> Any:
    assert "Options" not in seen.user
    return say("It lies in the " + {"A": "cerebrum", "B": "cerebellum"}[sees(seen)])


def greedy(seen: Seen) -> Any:
    right, wrong = sees(seen), "BA"["BA".index(sees(seen)) - 1]
    # " a" and "A" are one letter: 0.3 + 0.2 against 0.3.
    tokens = [(wrong, math.log(0.3)), (right, math.log(0.3)), (f" {right.lower()}", math.log(0.2))]
    return Act("The", first_tokens=tokens, finish="length")


def prefix(seen: Seen) -> Any:
    assert seen.body["continue_final_message"] and not seen.body["add_generation_prompt"]
    option = seen.body["messages"][-1]["content"]
    is_right = ("cerebrum" in option) == (sees(seen) == "A")
    words = re.findall(r" ?\S+", option)
    return Act("", prompt_tokens=[("?", -9.0), *((word, -1 - (not is_right)) for word in words)])


@pytest.mark.parametrize(
    ("form", "script", "calls"),
    [
        ("mediconfusion", letter, 4),
        ("mediconfusion-free", free, 4),
        ("mediconfusion-greedy", greedy, 4),
        ("mediconfusion-prefix", prefix, 8),  # one call for each option
    ],
)
def test_mediconfusion_from_pairs_to_a_report(
    tmp_path: Path, capsys: Any, form: str, script: Any, calls: int
) -> None:
    cases, out = pairs_file(tmp_path), tmp_path / "r.jsonl"
    judging = ProtocolServer(
        lambda seen: (
            {"closeness_a": 9, "closeness_b": 2}
            if re.search(r"lies in the cerebrum", seen.user)
            else {"closeness_a": 2, "closeness_b": 9}
        )
    )
    with ProtocolServer(script) as server, judging:
        options = ("--form", form, "--model", f"m={server.judge()}")
        assert answered(cases, "-o", out, *options, "--cache-mode", "off") == 0
        assert len(server.seen) == 2 * calls // 2
        judge = ("--judge", judging.judge()) if form.endswith("free") else ()
        capsys.readouterr()
        assert evaluated(cases, out, tmp_path / "report", "mediconfusion", *judge) == 0
        assert "nothing reads" not in capsys.readouterr().err
    [row] = main_table(tmp_path / "report")
    assert float(row["Set accuracy"]) == 1.0
    if form.endswith("prefix"):
        assert rows_of(out)[0]["scores"] == {"A": -1.0, "B": -2.0}
    if form.endswith("greedy"):
        assert rows_of(out)[0]["probabilities"] == {"A": 0.625, "B": 0.375}  # 0.5 and 0.3 of 0.8


def test_medlesionvqa_from_questions_to_a_report(tmp_path: Path, capsys: Any) -> None:
    cases, out = EXAMPLES / "evaluate" / "medlesionvqa_questions.csv", tmp_path / "r.jsonl"

    def answer(seen: Seen) -> Any:
        return say("A, C" if "Options" in seen.user else "psoriasis")

    with ProtocolServer(answer) as server, ProtocolServer(make_judge()) as judging:
        options = ("--form", "medlesionvqa", "--model", f"m={server.judge()}")
        assert answered(cases, "-o", out, *options) == 0
        assert [row["response"] for row in rows_of(out)][:2] == ["A, C", "psoriasis"]
        judge = ("--judge", judging.judge())
        capsys.readouterr()
        assert evaluated(cases, out, tmp_path / "report", "medlesionvqa", *judge) in (0, 3)
        assert "nothing reads" not in capsys.readouterr().err
    [row] = main_table(tmp_path / "report")
    assert row["model"] == "m"


def test_a_failed_answer_is_a_row_that_counts_as_failed(tmp_path: Path, capsys: Any) -> None:
    cases = pairs_file(tmp_path)
    (tmp_path / "b.png").unlink()
    for name in ("r.jsonl", "r.csv"):
        out = tmp_path / name
        with ProtocolServer(letter) as server:
            options = ("--form", "mediconfusion", "--model", f"m={server.judge()}")
            assert answered(cases, "-o", out, *options) == 3
            assert len(server.seen) == 1  # two questions are the same, and two have no image
        rows = rows_of(out)
        assert [row["status"] for row in rows] == ["done", "failed"] * 2
        assert "b.png" in rows[1]["reason"] and rows[1]["reason"].startswith("input")
        capsys.readouterr()
        evaluated(cases, out, tmp_path / f"report-{name}", "mediconfusion")
        kept = rows_of(tmp_path / f"report-{name}" / "summary.csv")
        [row] = [row for row in kept if row["metric"] == "individual_accuracy"]
        assert (row["value"], row["n"], row["failed"]) == ("1.0", "4", "2")
        (tmp_path / f"{name}.journal").unlink()


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path, capsys: Any) -> None:
    cases, out = pairs_file(tmp_path), tmp_path / "r.jsonl"
    with ProtocolServer(lambda seen: fail(400) if sees(seen) == "B" else letter(seen)) as server:
        options = ("--form", "mediconfusion", "--model", f"m={server.judge()}", "--samples", 2)
        words = (cases, "-o", out, *options, "--cache-mode", "off")
        assert answered(*words) == 3
        asked = len(server.seen)
        server.script = letter
        capsys.readouterr()
        assert answered(*words, "--estimate", "--json") == 0
        left = json.loads(capsys.readouterr().out)
        assert (left["finished_in_the_journal"], left["models"][0]["questions"]) == (4, 4)
        assert answered(*words) == 0
        assert len(server.seen) - asked == 4  # two questions with two samples; the others are kept
    rows = rows_of(out)
    assert [(row["id"], row["sample"]) for row in rows[:3]] == [
        ("p0-0", "1"), ("p0-0", "2"), ("p0-1", "1")
    ]  # fmt: skip
    assert not out.with_name("r.jsonl.journal").exists()


def test_the_budget_ends_a_run_and_the_estimate_sends_nothing(tmp_path: Path, capsys: Any) -> None:
    cases, out = pairs_file(tmp_path), tmp_path / "r.jsonl"
    with ProtocolServer(letter) as server:
        options = ("--form", "mediconfusion", "--model", server.judge(), "--samples", 2)
        assert answered(cases, "-o", out, *options, "--estimate") == 0
        assert not server.seen and not out.exists()
        told = capsys.readouterr().out
        # Four questions in two samples; of two pairs with equal questions each is asked once.
        assert re.search(r"questions +8\n", told) and re.search(r"calls +4\n", told)
        assert answered(cases, "-o", out, *options, "--max-calls", 1) == 7
    assert sum(row["status"] == "done" for row in rows_of(out)) >= 1


def test_a_form_may_write_columns_that_were_not_asked_for(tmp_path: Path) -> None:
    cases, out, form = pairs_file(tmp_path), tmp_path / "r.jsonl", tmp_path / "own.yaml"
    mine = {"variant": "mine", "sample": "pilot", "status": "mine"}
    asks = [{"prompt": "answer_letter", "reply": "text", "writes": "response"}]
    form.write_text(json.dumps({"asks": asks, "adds": mine}))
    with ProtocolServer(letter) as server:
        options = ("--form", form, "--model", server.judge(), "--samples", 2)
        assert answered(cases, "-o", out, *options) == 0
    [row, *_] = rows_of(out)
    assert (row["variant"], row["sample"], row["status"]) == ("mine", "1", "done")


def test_variants_are_rows_of_their_own(tmp_path: Path) -> None:
    cases, out = pairs_file(tmp_path), tmp_path / "r.jsonl"
    with ProtocolServer(letter) as server:
        options = ("--form", "mediconfusion", "--model", server.judge(), "--variants", "shorten")
        assert answered(cases, "-o", out, *options) == 0
    rows = rows_of(out)
    assert [row["variant"] for row in rows] == ["", "shorten"] * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--form", "medsin"), "did you mean medsyn"),
        (("--form", "mediconfusion", "--variants", "shorter"), "did you mean shorten"),
        (("--form", "mediconfusion", "--withhold", "ct"), "no case has evidence of type 'ct'"),
        (("--form", "mediconfusion", "--presented-as", "video"), "write image or text"),
        (
            ("--form", "mediconfusion-greedy", "--model", "anthropic:x"),
            "probabilities of its tokens",
        ),
        (("--form", "mediconfusion-prefix", "--model", "openai:x"), "vllm:MODEL"),
        (("--form", "mediconfusion", "--extra-body", "[1]"), "is not a JSON object"),
        (("--form", "mediconfusion", "--extra-body", '{"model": "y"}'), "dxjudge sets itself"),
    ],
)
def test_a_run_that_cannot_work_ends_before_anything_is_asked(
    tmp_path: Path, capsys: Any, options: tuple[str, ...], message: str
) -> None:
    models = () if "--model" in options else ("--model", "openai:m@http://127.0.0.1:9/v1")
    assert answered(pairs_file(tmp_path), "-o", tmp_path / "r.jsonl", *options, *models) == 2
    assert message in capsys.readouterr().err


def test_cases_about_which_nothing_can_be_asked_are_an_error(tmp_path: Path, capsys: Any) -> None:
    cases = write_rows(tmp_path / "c.jsonl", [{"id": 1, "text": "A toe."}])
    words = (cases, "-o", tmp_path / "r.jsonl", "--form", "dermcase", "--model", "openai:x")
    assert answered(*words) not in (0, 3)
    assert (
        "the case lacks the field case" in (told := capsys.readouterr().err)
        and "it has id, text" in told
    )


def test_evidence_that_the_case_has_is_not_shown_twice(tmp_path: Path) -> None:
    row = {"id": 1, "case": "Fever since Monday.", "evidence": ["Fever", "A rash"], "sex": "F"}
    cases = write_rows(tmp_path / "c.jsonl", [row])
    with ProtocolServer(lambda seen: say("measles")) as server:
        words = (cases, "-o", tmp_path / "r.jsonl", "--form", "dermcase", "--model", server.judge())
        assert answered(*words) == 0
    assert "Fever since Monday.\nA rash\n" in server.seen[0].user
    assert server.seen[0].user.count("Fever") == 1


def test_your_own_form_is_a_file_with_prompts_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ask.md").write_text("# System\nYou are a nurse.\n\n# User\n{{note}}\n", "utf-8")
    form = tmp_path / "triage.yaml"
    form.write_text(
        "asks:\n  - prompt: ask.md\n    reply: text\n    writes: predicted_diagnosis\n", "utf-8"
    )
    cases = write_rows(tmp_path / "c.jsonl", [{"id": 1, "note": "Toe."}, {"id": 2, "note": ""}])
    with ProtocolServer(lambda seen: say("gout")) as server:
        out = tmp_path / "r.jsonl"
        assert answered(cases, "-o", out, "--form", form, "--model", server.judge()) == 3
        assert "Toe." in server.seen[0].user
    assert rows_of(out)[0]["predicted_diagnosis"] == "gout"
    assert rows_of(out)[1]["reason"] == (
        "input: the case lacks the field note, which the form triage asks about"
    )


def test_the_tables_of_vlmevalkit_have_images_as_base64(tmp_path: Path) -> None:
    cases, out = tmp_path / "q.tsv", tmp_path / "r.jsonl"
    picture = base64.b64encode(PNG + b"b").decode()
    lines = [
        "index\tquestion\tA\tB\tanswer\timage",
        f"7\tLeft or right?\tLeft\tRight\tB\t{picture}",
    ]
    cases.write_text("\n".join(lines) + "\n", "utf-8")
    with ProtocolServer(letter) as server:
        options = ("--form", "mediconfusion", "--model", server.judge())
        assert answered(cases, "-o", out, *options) == 0
        assert server.seen[0].images == [PNG + b"b"]
    [row] = rows_of(out)
    assert (row["id"], row["response"]) == ("7", "B")


@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_the_bytes_of_an_image_reach_every_provider(tmp_path: Path, provider: str) -> None:
    cases, out = pairs_file(tmp_path), tmp_path / "r.jsonl"
    with ProtocolServer(letter) as server:
        url = server.root if provider == "anthropic" else server.url
        options = ("--form", "mediconfusion", "--model", f"m={provider}:eyes@{url}")
        assert answered(cases, "-o", out, *options) == 0
        assert sorted(map(str, (seen.images for seen in server.seen))) == [
            str([PNG + b"a"]), str([PNG + b"b"])
        ]  # fmt: skip
    assert [row["response"] for row in rows_of(out)] == ["A", "B"] * 2


def test_an_image_may_be_a_url_a_data_url_or_a_list(tmp_path: Path) -> None:
    data = "data:image/png;base64," + base64.b64encode(PNG).decode()
    (tmp_path / "c.png").write_bytes(PNG + b"c")
    cells = ["https://example.org/x.png", data, ["c.png", {"url": "https://example.org/y.png"}]]
    sent = [["https://example.org/x.png"], [PNG], [PNG + b"c", "https://example.org/y.png"]]
    rows = [{"id": n, "question": f"Q{n}?", "images": cell} for n, cell in enumerate(cells)]
    cases = write_rows(tmp_path / "c.jsonl", rows)
    with ProtocolServer(lambda seen: say("red")) as server:
        options = ("--form", "medlesionvqa", "--model", server.judge())
        assert answered(cases, "-o", tmp_path / "r.jsonl", *options) == 0
        by_question = {re.search(r"Q\d", seen.user)[0]: seen.images for seen in server.seen}  # type: ignore[index]
    assert [by_question[f"Q{n}"] for n in range(3)] == sent


def test_an_image_that_cannot_be_sent_fails_its_row_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "large.png").write_bytes(PNG + bytes(MAX_BYTES))
    (tmp_path / "text.png").write_text("no image")
    (tmp_path / "good.png").write_bytes(PNG)
    names = ["large.png", "text.png", "gone.png", "good.png"]
    rows = [{"id": name, "question": "What is it?", "images": name} for name in names]
    cases, out = write_rows(tmp_path / "c.jsonl", rows), tmp_path / "r.jsonl"
    with ProtocolServer(lambda seen: say("red")) as server:
        options = ("--form", "medlesionvqa", "--model", server.judge())
        assert answered(cases, "-o", out, *options) == 3
        assert [seen.images for seen in server.seen] == [[PNG]]
    reasons = [row["reason"] for row in rows_of(out)]
    assert f"large.png) has {MAX_BYTES + len(PNG):,} bytes; at most {MAX_BYTES:,}" in reasons[0]
    assert "text.png) is not PNG, JPEG, GIF or WebP" in reasons[1]
    assert "gone.png) cannot be read" in reasons[2]
    assert reasons[3] == ""


def test_a_judge_step_of_your_own_reads_images_from_rows(tmp_path: Path) -> None:
    (tmp_path / "good.png").write_bytes(PNG)
    (tmp_path / "look.py").write_text(
        "from pydantic import BaseModel\n"
        "from dxjudge.agents.images import Image\n"
        "from dxjudge.agents.step import Step\n"
        "from dxjudge.prompts.load import Prompt\n"
        "class Look(BaseModel):\n    claim: str\n    images: tuple[Image, ...] = ()\n"
        "class Seen(BaseModel):\n    seen: bool\n"
        "LOOK = Step(name='look', version=1, input=Look, output=Seen, images=True,\n"
        "    prompt=Prompt(system='Look.', user='{{claim}}'))\n",
        "utf-8",
    )
    cells = [f"{tmp_path}/good.png;https://example.org/x.png", f"{tmp_path}/gone.png", "", 7]
    rows = [{"claim": f"claim {n}", "images": cell} for n, cell in enumerate(cells)]
    cases, out = write_rows(tmp_path / "c.jsonl", rows), tmp_path / "r.jsonl"
    with ProtocolServer(lambda seen: {"seen": True}) as server:
        step = f"{tmp_path}/look.py:LOOK"
        assert run(["judge", step, str(cases), "-o", str(out), "--judge", server.judge()]) == 3
        sent = {seen.user.split("claim ")[-1][0]: seen.images for seen in server.seen}
    assert sent == {"0": [PNG, "https://example.org/x.png"], "2": []}
    assert [row["status"] for row in rows_of(out)] == ["done", "failed", "done", "failed"]
    assert "gone.png" in rows_of(out)[1]["reason"]


def test_an_interruption_loses_no_answer(tmp_path: Path) -> None:
    rows = [{"id": n, "question": f"Question {n}?"} for n in range(40)]
    cases, out = write_rows(tmp_path / "c.jsonl", rows), tmp_path / "r.jsonl"

    def stop_at_20(seen: Seen) -> Any:
        if seen.number == 20:
            running.send_signal(signal.SIGTERM)
        return say("red")

    with ProtocolServer(stop_at_20) as server:
        words = ["answer", str(cases), "-o", str(out), "--form", "medlesionvqa"]
        words += ["--model", server.judge(), "--cache-mode", "off", "--concurrency", "2"]
        running = subprocess.Popen([sys.executable, "-m", "dxjudge", *words])
        assert running.wait(timeout=120) == 130
        assert not out.exists()
        kept = len((tmp_path / "r.jsonl.journal").read_text("utf-8").splitlines()) - 1
        before = len(server.seen)
        assert run(words) == 0
        # Only what was not kept is asked.
        assert len(server.seen) - before == 40 - kept and kept > 5
    assert [row["response"] for row in rows_of(out)] == ["red"] * 40
