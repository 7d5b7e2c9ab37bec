"""Leaderboards of several runs: the same cases, the same conditions, or the reason why not."""

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

import dxjudge
from dxjudge.cli.leaderboard_command import leaderboard
from dxjudge.errors import InputError, UsageError

from .test_evaluation_run import rows_of

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once", "one_picture")


def cases_of(numbers: range) -> list[dict[str, Any]]:
    return [{"id": f"c{n:02}", "question": "?", "A": "x", "B": "y", "answer": "A"} for n in numbers]


def answers(numbers: range, wrong: range, silent: range = range(0)) -> list[dict[str, Any]]:
    return [
        {"id": f"c{n:02}", "answered": "B" if n in wrong else "A"}
        for n in numbers
        if n not in silent
    ]


def run_of(folder: Path, numbers: range, models: dict[str, Any], **settings: Any) -> Path:
    dxjudge.evaluate(
        cases_of(numbers), models, preset="choice", resamples=60, **settings
    ).write(folder)  # fmt: skip
    return folder


def board(*arguments: Any) -> Result:
    app = typer.Typer()
    app.command()(leaderboard)
    return CliRunner().invoke(app, [str(each) for each in arguments])


def test_models_of_two_runs_are_ranked_over_the_cases_of_both(tmp_path: Path) -> None:
    # The first run has c00 to c39, the second c20 to c59: c20 to c39 are common.
    all_of = range(40)
    first = run_of(tmp_path / "a", all_of, {
        "m": answers(all_of, range(20)), "k": answers(all_of, range(25))})  # fmt: skip
    second = run_of(tmp_path / "b", range(20, 60), {"z": answers(range(20, 60), range(20, 35))})
    out = tmp_path / "board.csv"
    done = board(first, second, "-o", out)
    assert done.exit_code == 3, done.output  # cases are left out
    assert "20 of its 40 cases cannot count, because not every run has them" in done.stderr
    rows = {row["model"]: row for row in rows_of(out)}
    # Of c20 to c39 m is right on 20, k on 15 (wrong 20 to 24), z on 5 (wrong 20 to 34).
    assert {name: (float(row["value"]), row["rank"], row["n"]) for name, row in rows.items()} == {
        "m": (1.0, "1", "20"), "k": (0.75, "2", "20"), "z": (0.25, "3", "20")
    }  # fmt: skip
    assert rows["z"]["run"].endswith("b")
    assert rows["z"]["not_apart"] == ""
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


@pytest.mark.parametrize("wrong", [range(5), range(0)])
def test_a_share_has_the_interval_of_its_own_run(tmp_path: Path, wrong: range) -> None:
    # Nothing failed, so that no bound shows the scale. All 30 right: Wilson gives [0.886, 1].
    numbers = range(30)
    first = run_of(tmp_path / "a", numbers, {"m": answers(numbers, wrong)})
    out = tmp_path / "board.csv"
    assert board(first, "-o", out).exit_code == 0
    (row,) = rows_of(out)
    (own,) = [
        r
        for r in rows_of(first / "summary.csv")
        if r["metric"] == row["metric"] and not (r["slice"] or r["group_by"])
    ]
    assert own["interval"] == "wilson"
    assert [float(row[name]) for name in ("low", "high")] == pytest.approx(
        [float(own[name]) for name in ("low", "high")]
    )


def test_equal_models_share_a_rank_and_are_not_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    numbers = range(30)
    first = run_of(tmp_path / "a", numbers, {"m": answers(numbers, range(10))})
    second = run_of(tmp_path / "b", numbers, {"m": answers(numbers, range(5, 15), range(28, 30))})
    out = tmp_path / "board.html"
    done = board(first, second, "-o", out, "--quiet")
    assert done.exit_code == 3, done.output  # two cases failed
    page = out.read_text()
    assert f"m ({first})" in page and f"m ({second})" in page
    table = tmp_path / "board.jsonl"
    assert board(first, second, "-o", table, "-q").exit_code == 3
    done = board(first, second)
    # 28 cases of both: 18 right for each, so that both are first; the two others could change it.
    assert done.stdout.count("1*") == 2
    assert "(2 failed)" in done.stdout


def test_runs_under_other_conditions_are_refused_with_the_difference(tmp_path: Path) -> None:
    numbers = range(12)
    models = {"m": answers(numbers, range(3))}
    first = run_of(tmp_path / "a", numbers, models)
    second = run_of(tmp_path / "b", numbers, models, multiple=True)
    done = board(first, second)
    assert isinstance(done.exception, UsageError)
    assert f"the setting multiple is False in {first} and True in {second}" in str(done.exception)
    out = tmp_path / "board.csv"
    done = board(first, second, "--separate", "-o", out)
    assert done.exit_code == 0, done.output
    assert {row["board"] for row in rows_of(out)} == {"1", "2"}
    # Another seed and other groups change no number over the same cases.
    third = run_of(tmp_path / "c", numbers, {"k": answers(numbers, range(4))}, seed=5)
    assert board(first, third).exit_code == 0


def test_a_case_with_another_content_is_left_out(tmp_path: Path) -> None:
    numbers = range(15)
    first = run_of(tmp_path / "a", numbers, {"m": answers(numbers, range(3))})
    changed = cases_of(numbers)
    changed[4]["question"] = "Another?"
    dxjudge.evaluate(
        changed, {"k": answers(numbers, range(3))}, preset="choice", resamples=60
    ).write(tmp_path / "b")  # fmt: skip
    done = board(first, tmp_path / "b")
    assert done.exit_code == 3
    assert "1 case with the same id but another content, the first is c04" in done.stderr


def test_hdf1_is_the_harmonic_mean_over_the_common_cases(tmp_path: Path) -> None:
    names = ["asthma", "gout", "acute appendicitis", "migraine"]
    cases = [
        {"id": f"c{n:02}", "diagnosis": names[n % 4], "ddx": [names[n % 4]]} for n in range(12)
    ]

    def guesses(step: int) -> list[dict[str, Any]]:
        return [{"id": case["id"], "predicted_ddx": [names[(n // step) % 4], "gout"][:step]}
                for n, case in enumerate(cases) if n or step == 1]  # fmt: skip

    for name, step in (("a", 1), ("b", 2)):
        dxjudge.evaluate(cases, {name: guesses(step)}, preset="hddx", resamples=60).write(
            tmp_path / name
        )
    out = tmp_path / "board.csv"
    done = board(tmp_path / "a", tmp_path / "b", "--metric", "hdf1", "-o", out)
    assert done.exit_code == 3, done.output
    for row in rows_of(out):
        (own,) = [r for r in rows_of(tmp_path / row["model"] / "summary.csv")
                  if r["metric"] == "hdf1" and not (r["slice"] or r["group_by"])]  # fmt: skip
        for name in ("value", "worst", "best"):  # one case has no response from b
            assert float(row[name]) == pytest.approx(float(own[name])), name


def test_what_cannot_be_a_leaderboard_is_an_error(tmp_path: Path) -> None:
    numbers = range(12)
    first = run_of(tmp_path / "a", numbers, {"m": answers(numbers, range(3))})
    other = run_of(tmp_path / "b", range(20, 32), {"k": answers(range(20, 32), range(22))})
    for arguments, message in (
        ([first, first], "the same run is named twice; name it once"),
        ([first, other], "no case in common"),
        ([first, "--metric", "hdf1"], "no scores of it"),
    ):
        done = board(*arguments)
        assert isinstance(done.exception, UsageError), done.output
        assert message in str(done.exception)
    assert isinstance(board(tmp_path).exception, InputError)


def test_runs_of_two_presets_are_refused_in_one_short_message(tmp_path: Path) -> None:
    numbers = range(12)
    first = run_of(tmp_path / "a", numbers, {"m": answers(numbers, range(3))})
    dxjudge.evaluate(
        [{"id": f"c{n}", "diagnosis": "gout", "ddx": ["gout"]} for n in numbers],
        {"m": [{"id": f"c{n}", "predicted_ddx": ["gout"]} for n in numbers]},
        preset="hddx",
        resamples=60,
    ).write(tmp_path / "b")
    message = str(board(first, tmp_path / "b").exception)
    presets = f"{first} has the preset choice and {tmp_path / 'b'} the preset hddx; "
    assert presets in message and "more differences)" in message
    assert len(message.replace(str(tmp_path), "")) < 400


def test_the_scale_of_a_metric_is_read_from_the_summary(tmp_path: Path) -> None:
    numbers = range(12)
    first = run_of(tmp_path / "a", numbers, {"m": answers(numbers, range(3))})
    summary = first / "summary.csv"
    scales = {(row["scale_low"], row["scale_high"]) for row in rows_of(summary)}
    assert scales == {("0.0", "1.0")}
    summary.write_text(summary.read_text().replace("scale_low", "lowest", 1))
    done = board(first)
    assert isinstance(done.exception, InputError)
    assert "no column scale_low or scale_high: it is of an earlier version" in str(done.exception)
