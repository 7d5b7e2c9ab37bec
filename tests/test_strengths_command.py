"""Strengths from a table of comparisons: the forms of tables, judges, and what is wrong in one."""

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run
from dxjudge.errors import InputError

from .test_evaluation_run import rows_of


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def votes(winners: list[str], first: str = "a", second: str = "b") -> list[dict[str, Any]]:
    return [
        {"case": f"c'{n}", first: "o'ne", second: "two", "winner": winner}
        for n, winner in enumerate(winners)
    ]


# 6 wins, 4 losses, 2 ties and 2 without a verdict: 7 points of 12, log(7 / 5) / 2.
@pytest.mark.parametrize(
    ("winners", "columns"),
    [
        (["o'ne"] * 6 + ["two"] * 4 + ["tie"] * 2 + [""] * 2, ("a", "b")),
        (["a"] * 6 + ["b"] * 4 + ["Tie"] * 2 + [""] * 2, ("a", "b")),
        (["o'ne"] * 6 + ["second"] * 4 + ["tie"] * 2 + [""] * 2, ("first", "second")),
        (
            ["model_a"] * 6 + ["model_b"] * 4 + ["tie", "tie (bothbad)"] + [""] * 2,
            ("model_a", "model_b"),
        ),
    ],
)
def test_every_form_of_the_table_gives_the_same_strengths(
    winners: list[str], columns: tuple[str, str], tmp_path: Path
) -> None:
    source = table(tmp_path / "votes.csv", votes(winners, *columns))
    out, apart = tmp_path / "strengths.csv", tmp_path / "apart.csv"
    code = run(["strengths", str(source), "-o", str(out), "--differences", str(apart),
                "--boot", "100"])  # fmt: skip
    assert code == 3
    one, two = rows_of(out)
    assert (one["model"], one["rank"], one["points"], one["comparisons"], one["unresolved"]) == (
        "o'ne", "1", "7.0", "12", "2",
    )  # fmt: skip
    assert float(one["strength"]) == pytest.approx(math.log(7 / 5) / 2)
    assert float(two["strength"]) == pytest.approx(-math.log(7 / 5) / 2)
    # Both lost: 7 of 14. Both won: 9 of 14.
    assert (float(one["worst"]), float(one["best"])) == pytest.approx((0, math.log(9 / 5) / 2))
    (row,) = rows_of(apart)
    assert float(row["difference"]) == pytest.approx(math.log(7 / 5))


def test_every_judge_has_strengths_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{**row, "judge": judge} for judge, one in (("x", "a"), ("y", "b"))
            for row in votes([one] * 2 + ["tie"] * 10)]  # fmt: skip
    out = tmp_path / "out.jsonl"
    assert run(["strengths", str(table(tmp_path / "v.csv", rows)), "-o", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "strength" in shown and "o'ne" in shown
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4 and '"judge": "x"' in lines[0] and '"judge": "y"' in lines[2]


def test_the_table_of_an_evaluation_is_read_again(tmp_path: Path) -> None:
    rows = [
        {"case": f"c{n}", "judge": "j", "first": "p", "second": "q", "status": "done",
         "first_shown": "p", "second_shown": "p", "winner": winner, "flipped": "false",
         "reason": ""}
        for n, winner in enumerate(["p"] * 3 + ["q"])
    ]  # fmt: skip
    out = tmp_path / "out.csv"
    assert run(["strengths", str(table(tmp_path / "c.csv", rows)), "-o", str(out)]) == 0
    assert float(rows_of(out)[0]["strength"]) == pytest.approx(math.log(3) / 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"winner": "three"}, "row 1: the winner is 'three'"),
        ({"b": "o'ne"}, 'row 1: "o\'ne" is compared with itself'),
        ({"a": ""}, "row 1: a is empty"),
        ({"case": " "}, "row 1: case is empty"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(
    change: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = table(tmp_path / "votes.csv", [{**votes(["a"])[0], **change}])
    assert run(["strengths", str(source)]) == InputError.exit_code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("case", "a", "b", "winer"), "winer"),
        (("case", "x", "y", "winner"), "two models (a and b, first and second"),
        (("id", "a", "b", "winner"), "no column 'case'"),
    ],
)
def test_missing_columns_are_named(
    columns: tuple[str, ...],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = table(tmp_path / "votes.csv", [dict.fromkeys(columns, "1")])
    assert run(["strengths", str(source)]) == InputError.exit_code
    assert message in capsys.readouterr().err


def test_numbers_that_do_not_exist_are_empty_cells_and_the_reason_is_true(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = table(tmp_path / "votes.csv", votes([""] * 12))
    out = tmp_path / "strengths.csv"
    assert run(["strengths", str(source), "-o", str(out), "--boot", "100"]) == 3
    one, _ = rows_of(out)
    assert [one[name] or "" for name in ("strength", "low", "high", "worst", "win_rate")] == [
        ""
    ] * 5
    assert one["warning"] == "no comparison has a verdict"
    shown = capsys.readouterr().out
    assert "o'ne, two: no comparison has a verdict" in shown


def test_the_table_fits_in_eighty_columns_with_whole_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = votes(["a"] * 6 + ["b"] * 4 + ["tie"] * 2 + [""] * 2)
    assert run(["strengths", str(table(tmp_path / "votes.csv", rows)), "--boot", "100"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    # 7 points of 12: log(7 / 5) / 2 = 0.168; both lost: 7 of 14; both won: 9 of 14, log(9 / 5) / 2.
    (at,) = [at for at, line in enumerate(lines) if "o'ne" in line]
    assert "0.168 [" in lines[at] and "7 of 12" in lines[at] and "{0.000, 0.294}" in lines[at + 1]
