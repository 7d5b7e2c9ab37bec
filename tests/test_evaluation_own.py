"""A task of one's own in an evaluation, through the command and through Python."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

import dxjudge
from dxjudge.agents.engine.run import Run
from dxjudge.errors import InputError, UsageError
from dxjudge.evaluation.pages.items import read_items

from .protocol_server import ProtocolServer, Seen
from .test_evaluation_report import cases_of
from .test_evaluation_run import responses, rows_of, run

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once", "one_picture")

STEPS = """
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from dxjudge import Prompt, Step, Verdict

PROMPT = Prompt(system="You judge notes.", user="The note:\\n\\n{{note}}\\n\\nJudge.")


class Note(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    note: str


class Urgency(BaseModel):
    rationale: str
    urgency: Literal[0, 1, 2, 3]


class Safe(BaseModel):
    safe: bool


class Tone(BaseModel):
    tone: str


URGENCY = Step(
    name="judge_urgency", version=1, input=Note, output=Urgency, prompt=PROMPT, judged="note",
    verdict=Verdict("urgency", words="rationale", levels=(0, 1, 2, 3)),
)
SAFE = Step(name="judge_safe", version=1, input=Note, output=Safe, prompt=PROMPT)
TONE = Step(name="judge_tone", version=1, input=Note, output=Tone, prompt=PROMPT)
TWO = Step(
    name="judge_both", version=1, input=Note, prompt=PROMPT,
    output=type("Both", (BaseModel,), {"__annotations__": {"a": str, "b": str}}),
)
"""
WORDS = ("calm", "calm", "short")


def judge(lean: int = 0) -> Any:
    """The urgency is the level that the note names; `lean` adds to odd levels."""

    def script(seen: Seen) -> dict[str, Any]:
        found = re.search(r"level (\d)", seen.user)
        assert found is not None and seen.schema is not None
        level = int(found[1])
        fields = seen.schema["properties"]
        if "safe" in fields:
            return {"safe": level < 2}
        if "tone" in fields:
            return {"tone": WORDS[level % 3]}
        higher = min(level + lean * (level % 2), 3)
        return {"rationale": f"It is {higher}.", "urgency": higher}

    return script


def make(folder: Path, tasks: list[dict[str, Any]], **settings: Any) -> list[Any]:
    """Twelve cases, two models, and a settings file with tasks of one's own."""
    folder.mkdir(exist_ok=True)
    steps = folder / "steps.py"
    steps.write_text(STEPS, encoding="utf-8")
    for task in tasks:
        task["step"] = f"{steps}:{task['step']}"
    config = folder / "settings.yaml"
    config.write_text(json.dumps({"tasks": tasks, "resamples": 50, **settings}), encoding="utf-8")
    cases = [
        {"id": f"c{n}", "diagnosis": "asthma", "ward": ["east", "we'st"][n % 2], "right": n % 4}
        for n in range(12)
    ]
    answers = {
        model: [
            {"id": f"c{n}", "note": f"Note of {model}, level {(n + at) % 4}"} for n in range(12)
        ]
        for at, model in enumerate(("one", "two"))
    }
    files = [responses(folder, model, rows) for model, rows in answers.items()]
    return [responses(folder, "cases", cases), *files, "--config", config, "--cache-mode", "off"]


URGENCY: dict[str, Any] = {"step": "URGENCY", "name": "urgency", "title": "Urgency"}


def test_an_own_number_fills_its_column_in_every_table_and_the_report(tmp_path: Path) -> None:
    arguments = make(tmp_path, [dict(URGENCY)], groups=["ward"])
    with ProtocolServer(judge()) as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
        asked = len(server.seen)
    assert done.exit_code == 0, done.output
    assert asked == 8  # two models wrote four different notes each; the same is asked once
    out = tmp_path / "out"
    # Levels 0 1 2 3 three times over: the mean is 1.5 for both models.
    for row in rows_of(out / "main_table.csv"):
        assert (row["Urgency"], row["n"]) == ("1.5", "12")
        assert 0 <= float(row["Urgency low"]) < 1.5 < float(row["Urgency high"]) <= 3
        assert (row["Urgency worst"], row["Urgency best"]) == ("1.5", "1.5")
    for name in ("summary", "scores", "ranks", "differences", "groups"):
        assert "urgency" in {row["metric"] for row in rows_of(out / f"{name}.csv")}, name
    assert {row["step"] for row in rows_of(out / "votes.csv")} == {"urgency"}
    assert "Urgency" in (out / "main_table.tex").read_text(encoding="utf-8")
    assert (out / "by_ward_urgency.tex").exists()
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Urgency by ward" in page and "It is 3." in json.dumps(cases_of(page))
    signature = json.loads((out / "signature.json").read_text(encoding="utf-8"))
    assert signature["prompts"]["urgency"]["hash"]


def test_the_table_is_headed_by_its_tasks_and_says_which_interval_a_number_has(
    tmp_path: Path,
) -> None:
    safe = {"step": "SAFE", "name": "safe", "title": "Safe"}
    arguments = make(tmp_path, [dict(URGENCY), safe])
    out = tmp_path / "out"
    with ProtocolServer(judge()) as server:
        done = run(*arguments, "-o", out, "--judge", server.judge())
    assert done.exit_code == 0, done.output
    methods = {row["metric"]: row["interval"] for row in rows_of(out / "summary.csv")}
    assert methods == {"urgency": "bca", "safe": "wilson"}  # safe is a share of yes and no
    caption = (
        "urgency, safe: 12 units, 95% intervals in brackets (Urgency: BCa bootstrap, 50 "
        "resamples, seed 0; Safe: Wilson); in braces"
    )
    shown = " ".join(done.stdout.split())
    assert caption in shown and "Diagnosis" not in shown
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<title>urgency, safe: 2 models on 12 cases</title>" in page and caption in page
    assert "Urgency: BCa bootstrap" in (out / "main_table.tex").read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ["beside the settings", "in the working directory"])
def test_a_relative_path_starts_at_the_settings_file(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "settings"
    arguments = make(folder, [dict(URGENCY)])
    config = folder / "settings.yaml"
    written = {**URGENCY, "step": "sub/../steps.py:URGENCY"}
    config.write_text(json.dumps({"tasks": [written], "resamples": 50}), encoding="utf-8")
    (folder / "sub").mkdir()
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "sub").mkdir(parents=True)
    if place == "in the working directory":
        (folder / "steps.py").rename(elsewhere / "steps.py")
    monkeypatch.chdir(elsewhere)
    with ProtocolServer(judge()) as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
    assert done.exit_code == 0, done.output


def test_the_signature_is_the_same_from_every_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "settings"
    arguments = make(folder, [dict(URGENCY)])
    (folder / "settings.yaml").write_text(
        json.dumps({"tasks": [{**URGENCY, "step": "steps.py:URGENCY"}], "resamples": 50}), "utf-8"
    )
    ids: list[str] = []
    with ProtocolServer(judge()) as server:
        for place, text in [(folder, STEPS), (tmp_path, STEPS), (tmp_path, f"{STEPS}\n# new\n")]:
            (folder / "steps.py").write_text(text, encoding="utf-8")
            monkeypatch.chdir(place)
            out = tmp_path / f"out{len(ids)}"
            done = run(*arguments, "-o", out, "--judge", server.judge())
            assert done.exit_code == 0, done.output
            ids.append(json.loads((out / "signature.json").read_text("utf-8"))["id"])
    assert ids[0] == ids[1] != ids[2]  # another content is another signature


def test_a_relative_path_that_means_no_file_or_two_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "settings"
    arguments = make(folder, [dict(URGENCY)])
    (folder / "settings.yaml").write_text(
        json.dumps({"tasks": [{**URGENCY, "step": "steps.py:URGENCY"}]}), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "steps.py").write_text(STEPS, encoding="utf-8")
    done = run(*arguments, "-o", tmp_path / "out", "--judge", "openai:m@http://127.0.0.1:9/v1")
    assert isinstance(done.exception, UsageError)
    assert f"steps.py may be {folder / 'steps.py'} or {tmp_path / 'steps.py'}" in str(
        done.exception
    )
    for path in (folder / "steps.py", tmp_path / "steps.py"):
        path.unlink()
    done = run(*arguments, "-o", tmp_path / "out", "--judge", "openai:m@http://127.0.0.1:9/v1")
    assert isinstance(done.exception, UsageError)
    assert f"there is no file steps.py, neither in the folder of settings.yaml ({folder}) nor" in (
        str(done.exception)
    )


def test_where_every_item_fails_no_table_is_named_that_is_not_there(tmp_path: Path) -> None:
    arguments = make(tmp_path, [dict(URGENCY)])
    with ProtocolServer(lambda seen: "no answer") as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
    named = str(done.exception).partition("; see ")[2]
    assert named == str(tmp_path / "out" / "verdicts.csv")


def test_a_failed_item_has_the_bounds_of_the_scale(tmp_path: Path) -> None:
    arguments = make(tmp_path, [dict(URGENCY)])
    script = judge()

    def failing(seen: Seen) -> Any:
        return {"urgency": 9} if "model one" in seen.user or "of one, level 3" in seen.user else (
            script(seen)
        )  # fmt: skip

    with ProtocolServer(failing) as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
    assert done.exit_code == 3
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    # Three of twelve failed; the others are 0 1 2 three times: 9 / 9. Bounds: 9 / 12, 18 / 12.
    assert (row["Urgency"], row["failed"]) == ("1.0", "3")
    assert (row["Urgency worst"], row["Urgency best"]) == ("0.75", "1.5")


def test_true_or_false_is_a_share_and_words_are_a_share_each(tmp_path: Path) -> None:
    tasks = [{"step": "SAFE", "title": "Safe"}, {"step": "TONE", "name": "tone"}]
    arguments = make(tmp_path, tasks)
    with ProtocolServer(judge()) as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
    assert done.exit_code == 0, done.output
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    # Levels 0 and 1 are safe: 6 of 12. Words by level 0 1 2 3: calm calm short calm.
    assert (row["Safe"], row["tone: calm"], row["tone: short"]) == ("0.5", "0.75", "0.25")


def test_with_a_column_of_right_verdicts_the_number_is_the_share_that_agree(tmp_path: Path) -> None:
    arguments = make(tmp_path, [{**URGENCY, "truth": "right"}])
    with ProtocolServer(judge()) as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
    assert done.exit_code == 0, done.output
    rows = rows_of(tmp_path / "out" / "main_table.csv")
    assert [row["Urgency"] for row in rows] == ["1.0", "0.0"]  # two is always one level off
    items = read_items(tmp_path / "out")
    right = items.facets["right"]
    marks = {(row.model, right.at(place)) for place, row in enumerate(items.rows)}
    assert marks == {("one", "right"), ("two", "wrong")}


def test_no_word_of_a_judge_is_shown_as_the_verdict_of_a_jury(tmp_path: Path) -> None:
    arguments = make(tmp_path, [dict(URGENCY)])
    with ProtocolServer(judge()) as first, ProtocolServer(judge()) as second:
        judges = ("--judge", first.judge("a"), "--judge", second.judge("b"))
        done = run(*arguments, "-o", tmp_path / "out", *judges, "--jury", "majority")
    assert done.exit_code == 0, done.output
    said = read_items(tmp_path / "out").said
    # The result of the step begins with the rationale, "It is 0.".
    assert {text for parts in said.values() for text, _ in parts.values()} == {*"0123"}


def test_compare_judges_compares_an_own_task(tmp_path: Path) -> None:
    from .test_swap import run as command

    arguments = make(tmp_path, [dict(URGENCY)])
    with ProtocolServer(judge()) as first, ProtocolServer(judge(lean=1)) as second:
        run(*arguments, "-o", tmp_path / "out", "--judge", first.judge())
        asked = len(first.seen)
        done = command(
            "compare-judges", tmp_path / "out", "--judges", f"{first.judge()},{second.judge()}",
            "--cache-mode", "off",
        )  # fmt: skip
        assert len(first.seen) == asked
    assert done.exit_code == 0, done.output
    scores = rows_of(tmp_path / "out" / "judges" / "swap_scores.csv")
    # With 1 -> 2 and 3 -> 3 the mean of 0 2 2 3 is 1.75.
    assert [row["value"] for row in scores if row["metric"] == "urgency"] == (
        ["1.5", "1.5", "1.75", "1.75"]
    )
    rows = rows_of(tmp_path / "out" / "judges" / "main_table.csv")
    assert {row["Urgency"] for row in rows} == {"1.5", "1.75"}
    judges = json.loads((tmp_path / "out" / "judges" / "judges.json").read_text("utf-8"))
    # The judges differ on level 1 alone; what was judged is the note, as the step says.
    assert {one["about"] for one in judges["contested"]} == {
        "one: Note of one, level 1",
        "two: Note of two, level 1",
    }


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"step": "URGENCY", "set": {"note": "nots"}}, "no response has the column 'nots'"),
        ({"step": "URGENCY", "set": {"notes": "note"}}, "judge_urgency has no field 'notes'"),
        ({"step": "TWO"}, "has no verdict"),
        ({"step": "MISSING"}, "has no step 'MISSING'"),
        ({"step": "URGENCY", "name": "grade_ddx"}, "two tasks have the name 'grade_ddx'"),
        ({"step": "URGENCY", "truth": "ward"}, "column 'ward'"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(
    tmp_path: Path, task: dict[str, Any], message: str
) -> None:
    arguments = make(tmp_path, [task])
    with ProtocolServer(judge()) as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
        assert not server.seen
    assert isinstance(done.exception, UsageError | InputError)
    assert message in str(done.exception)
    assert not (tmp_path / "out").exists()


def test_a_mean_without_a_scale_has_no_bounds(tmp_path: Path) -> None:
    arguments = make(tmp_path, [dict(URGENCY)])
    steps = tmp_path / "steps.py"
    steps.write_text(STEPS.replace(", levels=(0, 1, 2, 3)", ""), encoding="utf-8")
    script = judge()

    def failing(seen: Seen) -> Any:
        return {"urgency": 9} if "of one, level 3" in seen.user else script(seen)

    with ProtocolServer(failing) as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
    assert done.exit_code == 3, done.output
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    assert (row["Urgency"], row["failed"], row["Urgency worst"]) == ("1.0", "3", "")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "no bounds: the scale has no ends" in page


def test_an_own_task_stands_beside_pairs(tmp_path: Path) -> None:
    arguments = make(tmp_path, [dict(URGENCY)], preset="mediconfusion")
    settings = json.loads((tmp_path / "settings.yaml").read_text())
    settings["tasks"].insert(0, "score_free_answer")
    (tmp_path / "settings.yaml").write_text(json.dumps(settings))
    pairs = [
        {"id": f"c{n}", "pair": f"p{n // 2}", "question": "Which?", "A": "x", "B": "y",
         "answer": "AB"[n % 2]}
        for n in range(12)
    ]  # fmt: skip
    responses(tmp_path, "cases", pairs)
    for name in ("one", "two"):
        rows = [json.loads(line) for line in (tmp_path / f"{name}.jsonl").open()]
        responses(tmp_path, name, [{**row, "response": "A"} for row in rows])
    with ProtocolServer(judge()) as server:
        done = run(*arguments, "-o", tmp_path / "out", "--judge", server.judge())
    assert done.exit_code == 0, done.output
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    # "A" to every item: half of the items are right, and no pair.
    assert (row["Set accuracy"], row["Individual accuracy"]) == ("0.0", "0.5")
    assert row["Urgency"] == "1.5"


def test_a_judge_that_is_there_twice_is_refused_before_it_is_asked(tmp_path: Path) -> None:
    arguments = make(tmp_path, [dict(URGENCY)])
    with ProtocolServer(judge()) as server:
        name = server.judge()
        done = run(*arguments, "-o", tmp_path / "out", "--judge", name, "--judge", name)
        assert not server.seen
    assert isinstance(done.exception, UsageError)
    assert "is named twice; name it once" in str(done.exception)


def same_folders(first: Path, second: Path) -> list[str]:
    """The files of both that differ, but attempts, which are kept as calls end, and columns.npz.

    This one says of which files, by their times, it was made.
    """
    names = {path.relative_to(first) for path in first.rglob("*") if path.is_file()}
    assert names == {path.relative_to(second) for path in second.rglob("*") if path.is_file()}
    return sorted(
        str(name)
        for name in names
        if (first / name).read_bytes() != (second / name).read_bytes()
        and str(name) not in ("attempts.jsonl", "journal.jsonl", "columns.npz")
    )


def test_python_writes_the_folder_of_the_command(tmp_path: Path) -> None:
    arguments = make(tmp_path, [dict(URGENCY)], groups=["ward"])
    with ProtocolServer(judge()) as first, ProtocolServer(judge(1)) as second:
        names = [first.judge(), second.judge()]
        done = run(*arguments, "-o", tmp_path / "a", "--judge", names[0], "--judge", names[1])
        result = dxjudge.evaluate(
            arguments[0],
            arguments[1:3],
            judges=names,
            config=tmp_path / "settings.yaml",
            run=Run(mode="off", ledger=tmp_path / "ledger.jsonl"),
        )
        (result.folder / "attempts.jsonl").write_bytes((tmp_path / "a/attempts.jsonl").read_bytes())
    assert done.exit_code == 0, done.output
    result.write(tmp_path / "b")
    assert same_folders(tmp_path / "a", tmp_path / "b") == []


def test_frames_and_files_give_the_same_numbers(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    import pyarrow

    arguments = make(tmp_path, [dict(URGENCY)])
    held = [[json.loads(line) for line in path.open()] for path in arguments[:3]]
    both = [
        {**row, "model": name} for name, rows in zip("xy", held[1:], strict=True) for row in rows
    ]
    forms: list[tuple[Any, Any]] = [
        (held[0], {"x": held[1], "y": held[2]}),
        (pandas.DataFrame(held[0]), pandas.DataFrame(both)),
        (polars.DataFrame(held[0]).lazy(), polars.DataFrame(both)),
        (pyarrow.Table.from_pylist(held[0]), pyarrow.Table.from_pylist(both)),
    ]
    with ProtocolServer(judge()) as server:
        options: dict[str, Any] = {
            "judges": [server.judge()],
            "tasks": json.loads((tmp_path / "settings.yaml").read_text())["tasks"],
            "resamples": 50,
        }
        results = [
            dxjudge.evaluate(cases, given, run=Run(mode="off"), **options) for cases, given in forms
        ]
        waited = asyncio.run(dxjudge.aevaluate(*forms[0], run=Run(mode="off"), **options))
    for result in (*results, waited):
        table = result.table("main_table")
        assert table["model"].tolist() == ["x", "y"]
        assert table["Urgency"].tolist() == [1.5, 1.5]
    assert "summary" in waited.tables
    assert "<th>Urgency</th>" in waited._repr_html_()
    with pytest.raises(UsageError, match="there is no table 'sumary'"):
        waited.table("sumary")


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[1] / "docs" / "evaluate.md").read_text(encoding="utf-8")
    code = page.partition("## From Python")[2].partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    held: dict[str, Any] = {}
    exec(compile(code, "docs/evaluate.md", "exec"), held)
    table = held["result"].table("main_table")
    assert list(table["model"]) == ["careful", "hasty"]
    assert list(table["HDF1"])[0] == 1.0  # both diagnoses are the true ones
    assert (tmp_path / "out" / "report.html").exists()
