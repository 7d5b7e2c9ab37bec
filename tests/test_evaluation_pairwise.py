"""Models compared two at a time: win rates, strengths, position bias, and what is unresolved."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dxjudge
from dxjudge.cli.main import run as main
from dxjudge.errors import UsageError
from dxjudge.scoring import bradley_terry

from .protocol_server import ProtocolServer, Seen, fail
from .test_evaluation_run import responses, rows_of, run

pytestmark = pytest.mark.usefixtures("one_picture")

CASES = [{"id": f"c'{n}", "case": f"Case {n}."} for n in range(12)]
QUALITY = {
    "a": [3] * 12,
    "b": [1] * 6 + [5] * 4 + [3] * 2,
    "c": [1] * 9 + [5] * 3,
}
# a and b: a wins 6, loses 4, 2 ties: 7 points of 12. a and c: 9 and 3. b and c: ties on 6 cases
# (1 and 1) and on one (5 and 5), b wins 3 and loses 2: 6.5 of 12.
POINTS = np.array([[0, 7, 9], [5, 0, 6.5], [3, 5.5, 0]])


def answers(**changes: Any) -> dict[str, list[dict[str, Any]]]:
    return {
        model: [
            {"id": case["id"], "response": f"By {model}, quality {level}."}
            for case, level in zip(CASES, levels, strict=True)
        ]
        for model, levels in {**QUALITY, **changes}.items()
    }


def fair(seen: Seen) -> Any:
    """The better quality wins, wherever it stands."""
    first, second = (int(level) for level in re.findall(r"quality (\d)", seen.user))
    better = "tie" if first == second else "A" if first > second else "B"
    return {"reason": f"{first} and {second}.", "better": better}


def first_shown(seen: Seen) -> Any:
    return {"reason": "The first.", "better": "A"}


def evaluated(script: Any = fair, rows: Any = None, judges: int = 1, **settings: Any) -> Any:
    with ProtocolServer(script) as server, dxjudge.Run(mode="off", attempts=1) as using:
        made = dxjudge.evaluate(
            CASES, rows or answers(), preset="pairwise", resamples=100, run=using,
            judges=[server.judge(name) for name in "xyz"[:judges]], **settings,
        )  # fmt: skip
        return made, len(server.seen)


def number(made: Any, metric: str, model: str, judge: str = "") -> Any:
    return made.number(metric, model, judge or made.evaluation.judged.judges[0])


def test_win_rates_and_strengths_by_hand() -> None:
    made, asked = evaluated()
    assert asked == 72  # 12 cases, 3 pairs, 2 orders
    rates = [number(made, "win_rate", model).value for model in "abc"]
    assert rates == pytest.approx([16 / 24, 11.5 / 24, 8.5 / 24])
    fitted = bradley_terry(POINTS)
    for model, strength in zip("abc", fitted, strict=True):
        one = number(made, "strength", model)
        assert one.value == pytest.approx(strength)
        assert one.low < one.value < one.high
        assert (one.worst, one.best) == pytest.approx((strength, strength))
        assert number(made, "order_flips", model).value == 0
    wins = made.table("wins")
    assert wins[["first", "second", "wins", "losses", "ties"]].values.tolist() == [
        ["a", "b", 6, 4, 2], ["a", "c", 9, 3, 0], ["b", "c", 3, 2, 7],
    ]  # fmt: skip
    ranks = made.table("strengths").set_index("model")["rank"]
    assert ranks.to_dict() == {"a": 1, "b": 2, "c": 3}
    apart = made.table("strength_differences")
    assert apart["difference"].tolist() == pytest.approx(
        [fitted[0] - fitted[1], fitted[0] - fitted[2], fitted[1] - fitted[2]]
    )
    assert (apart["low"] < apart["difference"]).all()


def test_a_judge_of_places_is_seen_and_decides_nothing() -> None:
    made, _ = evaluated(first_shown)
    for model in "abc":
        assert number(made, "win_rate", model).value == 0.5
        assert number(made, "order_flips", model).value == 1.0
        assert number(made, "strength", model).value == pytest.approx(0)
    (bias,) = made.table("position_bias").to_dict("records")
    assert (bias["flipped"], bias["comparisons"], bias["flips"]) == (1.0, 36, 36)
    assert (bias["to_first"], bias["to_second"]) == (36, 0)
    comparisons = made.table("comparisons")
    assert set(comparisons["winner"]) == {"tie"} and comparisons["flipped"].all()
    assert (comparisons["first_shown"] == comparisons["first"]).all()


def test_what_has_no_verdict_is_counted_and_bounded() -> None:
    def broken(seen: Seen) -> Any:  # c's good answers cannot be judged: 3 cases, against a and b
        return fail(400, "no") if "By c, quality 5" in seen.user else fair(seen)

    made, _ = evaluated(broken)
    c = number(made, "win_rate", "c")
    # Left for c: 0 of 9 against a; against b 6 ties, and 3 losses: 3 of 18. With the 6 unresolved
    # lost 3 of 24, won 9 of 24.
    assert c.value == pytest.approx(3 / 18) and c.failed == 3
    assert (c.worst, c.best) == pytest.approx((3 / 24, 9 / 24))
    # Only b drew with c, and c won nothing against a: c still has a way to a, through b.
    assert number(made, "strength", "c").value == pytest.approx(
        bradley_terry(np.array([[0, 7, 9], [5, 0, 6], [0, 3, 0]]))[2]
    )
    strength = number(made, "strength", "c")
    lost = bradley_terry(np.array([[0, 7, 12], [5, 0, 9], [0, 3, 0]]))[2]
    won = bradley_terry(np.array([[0, 7, 9], [5, 0, 6], [3, 6, 0]]))[2]
    assert (strength.worst, strength.best) == pytest.approx((lost, won))
    unresolved = made.table("strengths").set_index("model")["unresolved"].to_dict()
    assert unresolved == {"a": 3, "b": 3, "c": 6}
    rows = made.table("comparisons")
    assert set(rows[rows["status"] == "failed"]["winner"]) == {""}


def test_one_order_alone_is_no_verdict() -> None:
    def half(seen: Seen) -> Any:
        if seen.user.index("By a") > seen.user.index("By b"):
            return {"wrong": 1}
        return fair(seen)

    made, _ = evaluated(half, {name: rows for name, rows in answers().items() if name != "c"})
    assert math.isnan(number(made, "win_rate", "a").value)
    assert number(made, "win_rate", "a").failed == 12
    assert "no comparison has a verdict" in number(made, "strength", "a").warning


def test_a_missing_response_is_unresolved_and_an_empty_one_loses() -> None:
    rows = answers()
    rows["c"] = rows["c"][1:]
    rows["b"][0]["response"] = ""
    rows["a"][1]["response"] = rows["b"][1]["response"] = " "
    made, _ = evaluated(rows=rows)
    comparisons = made.table("comparisons")
    first = comparisons[comparisons["case"] == "c'0"].set_index(["first", "second"])
    assert first.loc[("a", "b")]["winner"] == "a" and first.loc[("a", "b")]["flipped"] is None
    assert first.loc[("a", "c")]["status"] == "failed"
    assert "no response to this case" in first.loc[("a", "c")]["reason"]
    second = comparisons[comparisons["case"] == "c'1"].set_index(["first", "second"])
    assert second.loc[("a", "b")]["status"] == "abstained"
    assert second.loc[("a", "b")]["winner"] == "tie"
    assert number(made, "win_rate", "c").failed == 1


def test_a_model_that_wins_everything_has_a_win_rate_and_no_strength() -> None:
    made, _ = evaluated(rows=answers(a=[9] * 12))
    assert number(made, "win_rate", "a").value == 1
    strength = number(made, "strength", "a")
    assert math.isnan(strength.value) and "no finite strengths" in strength.warning


def test_drawn_pairs_are_fewer_and_do_not_depend_on_the_order_of_files() -> None:
    made, asked = evaluated(pairs=1, seed=3)
    assert asked == 24
    turned, _ = evaluated(rows=dict(reversed(answers().items())), pairs=1, seed=3)
    for model in "abc":
        one, other = number(made, "win_rate", model), number(turned, "win_rate", model)
        assert one.value == pytest.approx(other.value, nan_ok=True)
    names = ["case", "first", "second", "winner"]
    assert made.table("comparisons")[names].equals(turned.table("comparisons")[names])
    other, _ = evaluated(pairs=1, seed=4)
    assert not made.table("comparisons")[names].equals(other.table("comparisons")[names])


def test_one_model_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="at least two"):
        evaluated(rows={"a": answers()["a"]})


def test_several_judges_and_their_jury_have_rows_of_their_own() -> None:
    made, _ = evaluated(judges=3, jury="majority")
    judges = made.evaluation.judged.judges
    assert len(judges) == 4 and set(made.table("strengths")["judge"]) == {*judges}
    fitted = bradley_terry(POINTS)
    assert number(made, "strength", "a", "jury:majority").value == pytest.approx(fitted[0])
    agreement = made.table("agreement")
    assert set(agreement["step"]) == {"choose_better"}


def test_the_command_its_folder_and_other_judges(tmp_path: Path) -> None:
    cases = responses(tmp_path, "cases", CASES)
    files = [responses(tmp_path, name, rows) for name, rows in answers().items()]
    command = [cases, *files, "--preset", "pairwise", "--cache-mode", "off", "--resamples", 50]
    out = tmp_path / "out"
    with ProtocolServer(fair) as server:
        done = run(*command, "-o", out, "--judge", server.judge())
        assert done.exit_code == 0, done.output
        asked = len(server.seen)
        again = run(*command, "-o", out, "--judge", server.judge())
        assert again.exit_code == 0 and len(server.seen) == asked
        names = f"{server.judge()},{server.judge('other')}"
        other = main(["compare-judges", str(out), "--judges", names, "-o",
                      str(tmp_path / "other"), "--cache-mode", "off"])  # fmt: skip
        assert other == 0 and len(server.seen) == 2 * asked
    row = rows_of(out / "main_table.csv")[0]
    assert float(row["Strength"]) == pytest.approx(bradley_terry(POINTS)[0])
    assert float(row["Win rate"]) == pytest.approx(16 / 24)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Who beats whom" in page and "Position bias" in page
    assert {row["step"] for row in rows_of(out / "votes.csv")} == {"choose_better"}


def test_the_estimate_of_a_run_that_did_not_end_leaves_out_what_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [responses(tmp_path, "cases", CASES)]
    files += [responses(tmp_path, name, rows) for name, rows in answers().items()]
    account = tmp_path / "account.json"
    with ProtocolServer(fair) as server:
        words = ["evaluate", *files, "--preset", "pairwise", "-o", tmp_path / "out",
                 "--judge", server.judge(), "--cache-mode", "off"]  # fmt: skip
        assert main([*map(str, words), "--max-calls", "10"]) == 7
        judged = len((tmp_path / "out" / "journal.jsonl").read_text().splitlines()) - 1
        capsys.readouterr()
        assert main([*map(str, words), "--estimate", "--json"]) == 0
        left = json.loads(capsys.readouterr().out)
        assert left["finished_in_the_journal"] == judged > 0
        assert left["models"][0]["calls"] == 72 - judged
        before = len(server.seen)
        assert main([*map(str, words), "--quiet", "--account", str(account)]) == 0
        assert len(server.seen) - before == 72 - judged
    assert sum(line["calls"] for line in json.loads(account.read_text())["estimate"]) == 72 - judged


def test_the_estimate_counts_both_orders_and_sends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [responses(tmp_path, "cases", CASES)]
    files += [responses(tmp_path, name, rows) for name, rows in answers().items()]
    config = tmp_path / "settings.yaml"
    with ProtocolServer(fair) as server:
        for settings, calls in (("seed: 0", 72), ("pairs: 1", 24)):
            config.write_text(settings, encoding="utf-8")
            arguments = ["evaluate", *files, "--preset", "pairwise", "-o", tmp_path / "out",
                         "--config", config, "--judge", server.judge(), "--judge",
                         server.judge("y"), "--cache-mode", "off", "--estimate"]  # fmt: skip
            assert main(list(map(str, arguments))) == 0
            assert f"{calls} calls of {server.judge('y')} for choose_better" in (
                capsys.readouterr().out
            )
        assert not server.seen and not (tmp_path / "out").exists()
