"""How many cases a difference needs: by hand, against statsmodels, by simulation, by command."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower
from typer.testing import CliRunner, Result

import dxjudge
from dxjudge.cli.power_command import power as power_command
from dxjudge.errors import InputError, UsageError
from dxjudge.scoring import (
    Columns,
    Plan,
    detectable_difference,
    paired_differences,
    pilot_of,
    power_of,
    units_needed,
)

from .test_evaluation_run import rows_of


def test_cases_by_hand() -> None:
    # ((1.960 + 0.8416) x 0.5 / 0.1)^2 = 14.008^2 = 196.2; the t distribution adds about 2: 199.
    assert units_needed(0.1, 0.5) == 199
    # Half the difference needs four times as many: 784.9 + 2.
    assert units_needed(0.05, 0.5) == 787
    assert power_of(0.1, 0.5, 199) >= 0.8 > power_of(0.1, 0.5, 198)
    assert power_of(0.0, 0.5, 50) == pytest.approx(0.05)
    assert power_of(0.1, 0.5, 1) == 0.0
    assert detectable_difference(0.5, 199) == pytest.approx(0.1, abs=0.0003)


@pytest.mark.parametrize("n", [5, 20, 200, 5000])
@pytest.mark.parametrize("effect", [0.01, 0.1, 0.5, 2.0])
def test_statsmodels_has_the_same_power(n: int, effect: float) -> None:
    theirs = TTestPower().power(effect_size=effect, nobs=n, alpha=0.01, alternative="two-sided")
    expected = 1.0 if math.isnan(theirs) else theirs  # NaN: the difference is certain to be seen
    assert power_of(effect * 0.4, 0.4, n, alpha=0.01) == pytest.approx(expected, abs=2e-5)


@given(st.floats(0.02, 0.5), st.floats(0.1, 1.0), st.floats(0.5, 0.95))
def test_the_two_questions_are_each_others_inverse(
    difference: float, deviation: float, power: float
) -> None:
    n = units_needed(difference, deviation, power=power)
    assert detectable_difference(deviation, n, power=power) <= difference * (1 + 1e-9)
    if n > 2:
        assert detectable_difference(deviation, n - 1, power=power) > difference * (1 - 1e-9)


def test_a_pilot_by_hand() -> None:
    # Differences 1 0 0 -1 and one unresolved: mean 0, variance 2 / 3, deviation .8165.
    pilot = pilot_of([1, 1, 0, 0, math.nan], [0, 1, 0, 1, 1])
    assert (pilot.difference, pilot.cases, pilot.unresolved, pilot.clusters) == (0, 4, 1, 4)
    assert pilot.deviation == pytest.approx(math.sqrt(2 / 3))
    assert pilot.design_effect == pytest.approx(1)
    assert pilot.low <= pilot.deviation <= pilot.high
    # Two cases that always agree: 1 1 -1 -1 0 0 in three clusters. Sums 2 -2 0, N = 6, k = 3:
    # 9 / 2 x 8 / 36 = 1. Variance of the six: 4 / 5; the effect is (1 / 3) / (.8 / 6) = 2.5.
    pair = pilot_of([1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1], clusters=list("aabbcc"))
    assert (pair.clusters, pair.size) == (3, 2)
    assert pair.deviation == pytest.approx(1)
    assert pair.design_effect == pytest.approx(2.5)


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(UsageError, match="difference of 0"):
        units_needed(0, 0.5)
    with pytest.raises(UsageError, match="more than 1,000,000,000"):
        units_needed(1e-9, 0.5)
    with pytest.raises(UsageError, match="alpha is 0"):
        power_of(0.1, 0.5, 10, alpha=0)
    with pytest.raises(UsageError, match="two cases or more"):
        pilot_of([1], [0])
    with pytest.raises(UsageError, match="same length"):
        pilot_of([1, 0], [0])


def test_the_planned_number_has_the_power_in_simulations() -> None:
    # The first model is right on .80 of the cases, the second on .65, so that the difference is
    # .15: only the first on .25, only the second on .10. Variance .35 - .0225, deviation .5723.
    n = units_needed(0.15, math.sqrt(0.35 - 0.15**2))
    rng = np.random.default_rng(11)
    shown = 0
    for seed in range(300):
        kind = rng.choice(3, size=n, p=[0.25, 0.10, 0.65])
        sides = [Columns.of_scores((kind != lost).astype(float)) for lost in (1, 0)]
        difference = paired_differences(sides, plan=Plan("percentile", resamples=400, seed=seed))
        shown += difference[0, 1].p_value < 0.05
    # The standard error of a share of .8 over 300 runs is .023; three of them are .07.
    assert abs(shown / 300 - 0.8) < 0.07


def test_the_design_effect_holds_in_simulations() -> None:
    # Clusters of two cases that share half of their variance: the effect is 1 + (2 - 1) x .5.
    rng = np.random.default_rng(5)
    shared = np.repeat(rng.normal(size=4000), 2) + rng.normal(size=8000)
    clusters = [str(n // 2) for n in range(8000)]
    pilot = pilot_of(shared.tolist(), [0.0] * 8000, clusters=clusters, plan=Plan(resamples=20))
    assert pilot.design_effect == pytest.approx(1.5, abs=0.05)
    needed = units_needed(0.3, pilot.deviation)
    means = [(np.repeat(rng.normal(size=needed), 2) + rng.normal(size=2 * needed) + 0.3)
             .reshape(needed, 2).mean(axis=1) for _ in range(400)]  # fmt: skip
    power = np.mean([abs(m.mean()) / m.std(ddof=1) * math.sqrt(needed) > 1.98 for m in means])
    assert power == pytest.approx(0.8, abs=0.06)


def pilot_table(folder: Path, rows: list[list[str]]) -> Path:
    path = folder / "pilot.csv"
    path.write_text("\n".join(",".join(row) for row in [["a", "b", "pair"], *rows]) + "\n")
    return path


def power(*arguments: Any) -> Result:
    app = typer.Typer()
    app.command()(power_command)
    return CliRunner().invoke(app, [str(each) for each in arguments])


def test_a_pilot_of_few_cases_has_no_range_but_the_reason(tmp_path: Path) -> None:
    # Before, two cases gave "2 to 2,455".
    path = pilot_table(tmp_path, [["0.5", "1", "1"], ["0", "1", "2"]])
    out = tmp_path / "power.csv"
    done = power(path, "--first", "a", "--second", "b", "--difference", "0.1", "-o", out)
    assert "2 clusters are too few for a range (at least 10)" in done.output
    (row,) = rows_of(out)
    assert (row["cases_low"], row["cases_high"]) == ("", "")
    assert row["warning"].startswith("2 clusters are too few")


def test_the_command_plans_with_two_columns_of_a_table(tmp_path: Path) -> None:
    # Differences +1 x 10, 0 x 20, -1 x 10: variance 20 / 39, deviation .7161; 10 more unresolved.
    cells = [["1", "0"]] * 10 + [["true", "right"]] * 20 + [["0", "yes"]] * 10 + [["", "1"]] * 10
    path = pilot_table(tmp_path, [[*row, str(n)] for n, row in enumerate(cells)])
    out = tmp_path / "power.csv"
    done = power(path, "--first", "a", "--second", "b", "--difference", "0.1,0.2", "-o", out)
    assert done.exit_code == 0, done.output
    rows = rows_of(out)
    deviation = math.sqrt(20 / 39)
    assert [int(row["cases"]) for row in rows] == [
        units_needed(0.1, deviation), units_needed(0.2, deviation)
    ]  # fmt: skip
    # 40 of 50 cases are resolved: collect 50 / 40 times as many.
    assert int(rows[0]["collect"]) == math.ceil(int(rows[0]["cases"]) * 50 / 40)
    assert all(int(row["cases_low"]) <= int(row["cases"]) <= int(row["cases_high"]) for row in rows)
    assert float(rows[0]["detectable"]) == pytest.approx(detectable_difference(deviation, 40))
    told = " ".join(done.output.split())
    assert "10 unresolved" in told and "noncentral t" in told
    pairs = [[*row, str(n // 2)] for n, row in enumerate(cells)]
    done = power(pilot_table(tmp_path, pairs), "--first", "a", "--second", "b", "--cluster", "pair",
                 "--difference", "0.1", "--json")  # fmt: skip
    (row,) = json.loads(done.stdout)["rows"]
    # Neighbours have the same difference: two cases of a pair say what one says.
    assert row["pilot_clusters"] == 20
    assert row["design_effect"] == pytest.approx(2, abs=0.1)
    assert row["cases"] > 1.9 * int(rows[0]["cases"])


def test_the_command_reads_a_finished_evaluation(tmp_path: Path) -> None:
    cases = [{"id": f"c{n}", "question": "?", "A": "x", "B": "y", "answer": "A"} for n in range(40)]
    answers = {
        model: [{"id": f"c{n}", "answered": "A" if n % k else "B"} for n in range(40)]
        for model, k in (("m", 4), ("k", 3))
    }
    dxjudge.evaluate(cases, answers, preset="choice", resamples=50).write(tmp_path / "out")
    done = power(tmp_path / "out", "--difference", "0.1", "--json", "--tests", 3)
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["rows"]
    # m is wrong on 10 of 40, k on 14: difference .1; both on the 4 multiples of 12.
    d = np.array([(n % 4 > 0) - (n % 3 > 0) for n in range(40)], dtype=float)
    assert row["pilot_difference"] == pytest.approx(0.1)
    assert row["pilot_deviation"] == pytest.approx(d.std(ddof=1))
    assert row["cases"] == units_needed(0.1, float(d.std(ddof=1)), alpha=0.05 / 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--first", "a"], "name two columns"),
        (["--first", "a", "--second", "x"], "no column 'x'"),
        (["--first", "a", "--second", "b", "--difference", "0"], "numbers above 0"),
        (["--first", "a", "--second", "b", "--models", "m,k"], "--models is not for a table"),
        (["--first", "a", "--second", "pair"], "row 1: pair is 'p0', not a number"),
        (["--first", "a", "--second", "a"], "no variance to plan with"),
    ],
)
def test_a_plan_that_cannot_be_made_is_an_error(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    path = pilot_table(tmp_path, [["1", "0", f"p{n}"] for n in range(12)])
    done = power(path, *arguments)
    assert isinstance(done.exception, UsageError | InputError)
    assert message in str(done.exception)
