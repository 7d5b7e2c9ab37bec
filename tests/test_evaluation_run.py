"""Whole evaluations through the command: judges, failures, resuming, files, exit codes."""

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from dxjudge.cli.evaluate_command import evaluate
from dxjudge.errors import InputError, UsageError

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer, Seen

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once", "one_picture")

EXAMPLES = Path(__file__).parents[1] / "examples"
CASES = EXAMPLES / "cases.jsonl"
MODELS = [str(EXAMPLES / "evaluate" / f"{name}.jsonl") for name in ("careful", "hasty")]


APP = typer.Typer()
APP.command()(evaluate)


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(APP, [str(each) for each in arguments])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def few_cases(folder: Path, count: int = 6) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("".join(CASES.read_text(encoding="utf-8").splitlines(True)[:count]))
    return path


def responses(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def some_responses(folder: Path, count: int = 6) -> list[Path]:
    """The example responses to the first cases; the texts are extracted, not given."""
    made = []
    for path in MODELS:
        rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
        ids = {json.loads(line)["id"] for line in few_cases(folder, count).open()}
        kept = [{"id": r["id"], "response": r["response"]} for r in rows if r["id"] in ids]
        made.append(responses(folder, Path(path).stem, kept))
    return made


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """The example cases and two models without a judge."""
    folder = tmp_path_factory.mktemp("unjudged")
    return run(CASES, *MODELS, "-o", folder, "--resamples", 50), folder


def test_without_a_judge_everything_decidable_runs_and_the_rest_is_named(
    unjudged: tuple[Result, Path],
) -> None:
    result, folder = unjudged
    assert result.exit_code == 3  # texts that no rule decides, and six missing responses
    for name in ("grade_ddx", "score_rubric", "label_errors"):
        assert f"left out: {name}: it needs a model: pass --judge" in result.stderr
    table = rows_of(folder / "main_table.csv")
    assert [row["model"] for row in table] == ["careful", "hasty"]
    assert all(0 <= float(row["HDF1"]) <= 1 and row["signature"] for row in table)
    missing = next(row for row in table if row["model"] == "hasty")
    assert int(missing["failed"]) == 6  # the responses that hasty does not have


def test_all_models_go_through_one_canonical_table(unjudged: tuple[Result, Path]) -> None:
    codes: dict[str, set[str]] = {}
    for row in rows_of(unjudged[1] / "predictions.csv"):
        if row["kind"] != "truth" and row["text"]:
            codes.setdefault(row["text"], set()).add(row["code"])
    assert len(codes) > 100
    assert all(len(found) == 1 for found in codes.values())


def test_a_reviewed_row_of_the_table_wins(tmp_path: Path) -> None:
    cases = responses(
        tmp_path,
        "gold",
        [{"id": f"c{n}", "diagnosis": "asthma", "codes": ["J45.909"]} for n in range(3)],
    )
    model = responses(
        tmp_path, "m", [{"id": f"c{n}", "predicted_ddx": ["wheezy thing"]} for n in range(3)]
    )
    table = tmp_path / "table.tsv"
    table.write_text("text\tcode\treviewed\nwheezy thing\tJ45.909\tyes\n")
    result = run(cases, model, "-o", tmp_path / "out", "--table", table)
    assert result.exit_code == 0, result.stderr
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    assert (row["HDF1"], row["Top-1"]) == ("1.0", "1.0")


def test_judges_judge_every_item_and_their_agreement_is_reported(tmp_path: Path) -> None:
    cases, models = few_cases(tmp_path), some_responses(tmp_path)
    with (
        ProtocolServer(make_judge(0)) as first,
        ProtocolServer(make_judge(1)) as second,
    ):
        result = run(
            cases, *models, "-o", tmp_path / "out", "--judge", first.judge(),
            "--judge", second.judge(), "--resamples", 50, "--cache-mode", "off",
        )  # fmt: skip
        names = [first.judge(), second.judge()]
    assert result.exit_code in (0, 3), result.stderr + str(result.exception)
    verdicts = rows_of(tmp_path / "out" / "verdicts.csv")
    graded = [row for row in verdicts if row["step"] == "grade_ddx"]
    assert {row["judge"] for row in graded} == set(names)
    # Extraction is the first judge's, so that both judge the same diagnoses.
    extracted = [row for row in verdicts if row["step"] == "extract_ddx"]
    assert {row["judge"] for row in extracted} == {names[0]}
    agreement = rows_of(tmp_path / "out" / "agreement.csv")
    assert {"share_identical", "cohen_kappa"} <= {row["measure"] for row in agreement}
    assert (tmp_path / "out" / "stability.csv").exists()
    signature = json.loads((tmp_path / "out" / "signature.json").read_text())
    assert [judge["model"] for judge in signature["judges"]] == ["double", "double"]
    assert signature["prompts"]["grade_ddx"]["hash"] and signature["dxjudge"]


def test_a_jury_is_scored_as_one_more_judge_and_agrees_with_nobody(tmp_path: Path) -> None:
    out = tmp_path / "out"
    servers = [ProtocolServer(make_judge(lean)) for lean in range(3)]
    with servers[0], servers[1], servers[2]:
        judges = [each for server in servers for each in ("--judge", server.judge())]
        done = run(
            few_cases(tmp_path), *some_responses(tmp_path), "-o", out, "--preset", "dermcase",
            *judges, "--jury", "majority", "--resamples", "20", "--seed", "1",
        )  # fmt: skip
        names = [server.judge() for server in servers]
    assert done.exit_code in (0, 3), done.output
    held: dict[Any, dict[str, str]] = {}
    for row in rows_of(out / "verdicts.csv"):
        if row["step"] == "judge_equivalence":
            key = (row["model"], row["case"], row["response"], row["place"])
            held.setdefault(key, {})[row["judge"]] = row["value"]
    assert held
    for said in held.values():
        counted = [said[name] for name in names if said[name]]
        most = max(set(counted), key=counted.count)
        if counted.count(most) > len(counted) / 2 and len(counted) >= 2:
            assert said["jury:majority"] == most
    scored = {row["judge"] for row in rows_of(out / "summary.csv")}
    assert {"jury:majority", *names} <= scored
    agreed = {row["judge"] for row in rows_of(out / "votes.csv")}
    assert agreed == set(names)


def test_a_weighted_jury_follows_the_judge_with_most_weight(tmp_path: Path) -> None:
    out, weights = tmp_path / "out", tmp_path / "weights.csv"
    servers = [ProtocolServer(make_judge(lean)) for lean in range(2)]
    with servers[0], servers[1]:
        names = [server.judge() for server in servers]
        weights.write_text(f'judge,weight\n"{names[0]}",1\n"{names[1]}",9\n')
        judges = [part for name in names for part in ("--judge", name)]
        done = run(
            few_cases(tmp_path), *some_responses(tmp_path), "-o", out, "--preset", "dermcase",
            *judges, "--weights", weights, "--resamples", "20",
        )  # fmt: skip
    assert done.exit_code in (0, 3), done.output
    told: dict[Any, dict[str, str]] = {}
    for row in rows_of(out / "verdicts.csv"):
        if row["step"] == "judge_equivalence":
            key = (row["model"], row["case"], row["response"], row["place"])
            told.setdefault(key, {})[row["judge"]] = row["value"]
    apart = [one for one in told.values() if one[names[0]] and one[names[0]] != one[names[1]] != ""]
    assert apart
    # 9 of 10 parts of the weight are more than half.
    assert all(one["jury:weighted"] == one[names[1]] for one in apart)


def test_help_says_why_an_evaluation_has_no_replacements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = " ".join(word for word in run("--help").stdout.split() if word != "│")
    assert "Every judge judges every item" in shown
    assert "--escalate and --replacement of dxjudge judge do not exist here" in shown


def test_a_jury_needs_judges_and_a_rule(tmp_path: Path) -> None:
    both = ("--judge", "openai:a", "--judge", "openai:b")
    for flags, told in [
        (("--jury", "weighted", *both), "needs weights"),
        (("--quorum", "2", *both), "name its rule with --jury"),
        (("--jury", "majority", "--quorum", "3", *both), "cannot be met by 2 judges"),
        (("--jury", "majority"), "at least two judges"),
        (("--jury", "most", "--judge", "openai:a", "--judge", "openai:b"), "jury: Input should be"),
    ]:
        done = run(few_cases(tmp_path), *some_responses(tmp_path), "-o", tmp_path / "o", *flags)
        assert isinstance(done.exception, UsageError) and told in str(done.exception)


def test_a_second_run_asks_nothing_again(tmp_path: Path) -> None:
    cases, models = few_cases(tmp_path), some_responses(tmp_path)
    with ProtocolServer(make_judge()) as server:
        command = (
            cases, *models, "-o", tmp_path / "out", "--judge", server.judge(),
            "--resamples", 20, "--cache-mode", "off",
        )  # fmt: skip
        run(*command)
        asked = len(server.seen)
        first = (tmp_path / "out" / "summary.csv").read_text()
        run(*command)
        assert asked > 30
        assert len(server.seen) == asked
    assert (tmp_path / "out" / "summary.csv").read_text() == first


def test_the_reply_cache_may_be_a_file_of_ones_own(tmp_path: Path) -> None:
    cases, models = few_cases(tmp_path), some_responses(tmp_path)
    with ProtocolServer(make_judge()) as server:
        command = (cases, *models, "--judge", server.judge(), "--resamples", 20)
        run(*command, "-o", tmp_path / "out", "--cache", tmp_path / "replies.sqlite")
        asked = len(server.seen)
        run(*command, "-o", tmp_path / "again", "--cache", tmp_path / "replies.sqlite")
        assert asked > 30
        assert len(server.seen) == asked


def test_a_budget_ends_the_run_with_7_and_a_later_run_goes_on(tmp_path: Path) -> None:
    cases, models = few_cases(tmp_path, 4), some_responses(tmp_path, 4)
    with ProtocolServer(make_judge()) as server:
        command = (
            cases, *models, "-o", tmp_path / "out", "--judge", server.judge(),
            "--resamples", 20, "--cache-mode", "off",
        )  # fmt: skip
        assert run(*command, "--max-calls", 5).exit_code == 7
        assert len(server.seen) == 5
        table = rows_of(tmp_path / "out" / "verdicts.csv")
        assert sum(row["failure"] == "budget" for row in table) > 0
        assert run(*command).exit_code in (0, 3)
        # The last message tells the repair of an answer from its first question.
        bodies = [seen.texts[-1] + seen.user + str(seen.schema) for seen in server.seen]
    assert len(bodies) == len(set(bodies))  # the five were not asked again


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_an_interruption_keeps_the_verdicts(tmp_path: Path) -> None:
    cases, models = few_cases(tmp_path), some_responses(tmp_path)
    answer = make_judge()

    def interrupt(seen: Seen) -> Any:
        if seen.number == 20:
            first.send_signal(signal.SIGINT)
        return answer(seen)

    with ProtocolServer(interrupt) as server:
        command = [
            sys.executable, "-m", "dxjudge", "evaluate", str(cases), *map(str, models),
            "-o", str(tmp_path / "out"), "--judge", server.judge(), "--resamples", "20",
            "--cache-mode", "off", "--concurrency", "2",
        ]  # fmt: skip
        first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        _, said = first.communicate(timeout=120)
        assert first.returncode == 130
        assert "run the same command again" in said
        assert "Traceback" not in said
        assert not (tmp_path / "out" / "summary.csv").exists()
        asked = len(server.seen)
        server.script = answer
        assert run(*command[4:]).exit_code in (0, 3)
        bodies = [seen.texts[-1] + seen.user + str(seen.schema) for seen in server.seen]
    # What was in flight when the signal took effect may be asked a second time, the rest not.
    assert len(bodies) - len(set(bodies)) <= 6
    assert asked >= 20


def test_a_failing_item_is_a_row_and_widens_the_bounds(tmp_path: Path) -> None:
    cases = responses(
        tmp_path,
        "gold",
        [{"id": f"c{n}", "diagnosis": f"disease number {n}"} for n in range(12)],
    )
    model = responses(
        tmp_path,
        "m",
        [{"id": f"c{n}", "predicted_diagnosis": f"guess {n}", "predicted_ddx": []}
         for n in range(12)],
    )  # fmt: skip
    config = tmp_path / "c.yaml"
    config.write_text("tasks: [extract_final_diagnosis, judge_equivalence]\n")
    with ProtocolServer(make_judge(broken="guess 7")) as server:
        result = run(
            cases, model, "-o", tmp_path / "out", "--judge", server.judge(), "--config", config,
            "--cache-mode", "off", "--resamples", 20,
        )  # fmt: skip
    assert result.exit_code == 3
    failed = [r for r in rows_of(tmp_path / "out" / "verdicts.csv") if r["status"] == "failed"]
    assert [(r["case"], r["failure"], r["decided_by"]) for r in failed] == [
        ("c7", "rejected", "none")
    ]
    number = next(r for r in rows_of(tmp_path / "out" / "summary.csv") if not r["group_by"])
    right = round(float(number["value"]) * 11)
    assert float(number["value"]) == pytest.approx(right / 11)
    assert float(number["worst"]) == pytest.approx(right / 12)
    assert float(number["best"]) == pytest.approx((right + 1) / 12)
    assert (number["n"], number["failed"]) == ("12", "1")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "nobody", "response": "x"}], "row 1: no case has the id 'nobody'"),
        ([{"id": "derm-01", "response": "x"}] * 2, "row 2: a second response to 'derm-01'"),
        ([{"response": "x"}], "row 1: the id is missing"),
        ([{"id": "derm-01", "predicted_ddx": "[oops"}], "predicted_ddx: '[oops' begins like"),
    ],
)
def test_bad_responses_name_their_row(
    tmp_path: Path, rows: list[dict[str, Any]], message: str
) -> None:
    result = run(CASES, responses(tmp_path, "m", rows), "-o", tmp_path / "out")
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_a_preset_that_the_cases_do_not_fit_says_what_is_needed(tmp_path: Path) -> None:
    result = run(CASES, *MODELS, "-o", tmp_path / "out", "--preset", "mediconfusion")
    assert isinstance(result.exception, UsageError)
    assert "needs cases with pair, question, answer; no case has the field pair" in str(
        result.exception
    )


def test_an_unknown_preset_setting_or_task_is_a_usage_error(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    for text, message in (
        ("preset: hdx", "did you mean hddx"),
        ("taus: 0.5", "there is no setting taus; did you mean tau?"),
        ("tasks: [grade]", "no task 'grade'; did you mean grade_ddx?"),
        ("columns: [hdf2]", "no task fills the column 'hdf2'; did you mean hdf1?"),
        ("{tasks: [grade_ddx], columns: [hdf1]}", "no task fills the column 'hdf1'"),
        ("tau: 3", "tau: Input should be less"),
    ):
        config.write_text(text)
        result = run(CASES, *MODELS, "-o", tmp_path / "out", "--config", config)
        assert isinstance(result.exception, UsageError), text
        assert message in str(result.exception)


def test_how_judges_are_asked_and_priced_is_an_option(tmp_path: Path) -> None:
    cases, models = few_cases(tmp_path, 2), some_responses(tmp_path, 2)
    with ProtocolServer(make_judge()) as server:
        prices = tmp_path / "prices.yaml"
        name = server.judge().removeprefix("openai:")
        listed = {"openai": {name: {"input": 1, "output": 1}}}
        prices.write_text(json.dumps({"date": "2026-01-01", "source": "us", "models": listed}))
        asked = ("--judge-temperature", 0.3, "--judge-seed", 7, "--max-tokens", 900)
        budget = ("--max-cost", 100, "--rpm", 100000, "--timeout", 60)
        options = ("--judge", server.judge(), "--resamples", 50, *asked, *budget)
        refused = run(cases, *models, "-o", tmp_path / "a", *options)
        assert isinstance(refused.exception, UsageError) and not server.seen
        result = run(cases, *models, "-o", tmp_path / "b", *options, "--prices", prices)
        assert result.exit_code in (0, 3), result.exception
        bodies = [seen.body for seen in server.seen]
    assert bodies
    assert {(body["temperature"], body["seed"], body["max_tokens"]) for body in bodies} == {
        (0.3, 7, 900)
    }


def test_options_of_models_without_a_model_are_named(tmp_path: Path) -> None:
    cases, models = few_cases(tmp_path, 2), some_responses(tmp_path, 2)
    result = run(cases, *models, "-o", tmp_path / "a", "--max-cost", 5, "--judge-seed", 1)
    assert "warning: --judge-seed, --max-cost have no effect: no model is asked" in result.stderr


def test_a_model_that_writes_is_no_embedding_model_and_chooses_codes(tmp_path: Path) -> None:
    cases, models = few_cases(tmp_path, 1), some_responses(tmp_path, 1)
    refused = run(cases, *models, "-o", tmp_path / "a", "--encoder", "openai:gpt-4o")
    assert "not an embedding model: write --model openai:gpt-4o to let it choose codes" in str(
        refused.exception
    )


def test_an_estimate_says_what_waits_for_an_extraction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from dxjudge.cli.main import run as main

    cases = few_cases(tmp_path)
    files = some_responses(tmp_path)
    with ProtocolServer(make_judge()) as server:
        arguments = ["evaluate", cases, *files, "-o", tmp_path / "out", "--judge", server.judge(),
                     "--cache-mode", "off", "--estimate"]  # fmt: skip
        assert main(list(map(str, arguments))) == 0
        assert not server.seen
    out = capsys.readouterr().out
    assert "6 cases; nothing is sent" in out and "for extract_ddx" in out
    assert "diagnoses that a model must extract first" in out
    assert main(["evaluate", str(cases), str(files[0]), "-o", "out", "--estimate"]) == 2
    assert "no judge to estimate" in capsys.readouterr().err
