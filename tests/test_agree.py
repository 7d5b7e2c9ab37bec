"""The agreement table: hand-computed votes, alignment, humans, repeats, and the command."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from dxjudge.cli.main import app
from dxjudge.errors import DxjudgeError, InputError, UsageError
from dxjudge.evaluation.judges.agreement_rows import Agreement, AgreementRow, Terms
from dxjudge.evaluation.judges.agreement_table import agree
from dxjudge.evaluation.judges.agreement_text import blocks_of
from dxjudge.evaluation.judges.agreement_units import units_of
from dxjudge.scoring.bootstrap import Plan
from dxjudge.scoring.raters.coefficients import krippendorff_alpha
from dxjudge.scoring.votes import Vote

QUICK = Plan(resamples=100, fewest=1)


def votes(table: str, step: str = "s", **groups: str) -> list[Vote]:
    """A line a judge: its name, then a verdict a case (- failed, ~ abstained, . never asked)."""
    made = []
    for line in table.strip().splitlines():
        judge, *cells = line.split()
        for case, cell in enumerate(cells):
            if cell == ".":
                continue
            status: Any = {"-": "failed", "~": "abstained"}.get(cell, "done")
            verdict = _verdict(cell) if status == "done" else None
            made.append(Vote(f"c{case}", step, judge, status=status, verdict=verdict,
                             reason="" if verdict is not None else "why not",
                             explanation=f"{judge} thought so", groups=groups))  # fmt: skip
    return made


def _verdict(cell: str) -> Any:
    return {"T": True, "F": False}.get(cell, int(cell) if cell.isdigit() else cell)


def row(made: Agreement, measure: str, **where: str) -> AgreementRow:
    wanted = {"group_by": "", "between": "pair", **where}
    found = [
        one
        for one in made.rows
        if one.measure == measure and all(getattr(one, k) == v for k, v in wanted.items())
    ]
    assert len(found) == 1, (measure, wanted, found)
    return found[0]


def test_two_judges_by_hand() -> None:
    # Five cases with two verdicts: TT TF FF FF TT, four the same: 0.8. Margins of a: T 3/5, of
    # b: T 2/5; by chance 3/5 * 2/5 + 2/5 * 3/5 = 0.48; kappa (0.8 - 0.48) / 0.52 = 8/13.
    made = agree(votes("a T T F F T - T\nb T F F F T T ~"), Terms(plan=QUICK))
    assert row(made, "share_identical").value == pytest.approx(0.8)
    kappa = row(made, "cohen_kappa")
    assert kappa.value == pytest.approx(8 / 13)
    assert (kappa.n, kappa.failed, kappa.abstained, kappa.absent) == (5, 1, 1, 0)
    assert made.notes == (
        "s: the verdicts are yes or no, compared as nominal (--scale changes it)",
    )
    assert [(c.judge, c.votes, c.done, c.abstained, c.failed) for c in made.counts] == [
        ("a", 7, 6, 0, 1),
        ("b", 7, 6, 1, 0),
    ]


def test_numbers_are_ordinal_and_consistency_is_over_the_span() -> None:
    # |1-1|, |5-3|, |2-4|, |1-1| = 4 over 4 cases: 1.0; the span is 5 - 1: 1 - 1 / 4 = 0.75.
    made = agree(votes("a 1 5 2 1\nb 1 3 4 1"), Terms(plan=QUICK))
    assert row(made, "mean_absolute_difference").value == pytest.approx(1.0)
    assert row(made, "consistency").value == pytest.approx(0.75)
    assert "compared as ordinal" in made.notes[0] and "span 4" in made.notes[0]
    wide = agree(votes("a 1 5 2 1\nb 1 3 4 1"), Terms(span=10, scale="interval", plan=QUICK))
    assert row(wide, "consistency").value == pytest.approx(0.9)
    assert row(wide, "krippendorff_alpha_interval").value is not None


def test_a_step_of_ours_has_its_own_levels() -> None:
    made = agree(votes("a 0 5 2\nb 0 4 2", step="grade_ddx"), Terms(plan=QUICK))
    assert "levels 0, 2, 3, 4, 5, span 5" in made.notes[0]
    assert row(made, "consistency").value == pytest.approx(1 - 1 / 3 / 5)


def test_the_jury_is_krippendorffs_matrix() -> None:
    # Krippendorff (2011): four observers, twelve units, missing verdicts: 0.743 and 0.815.
    table = """a 1 2 3 3 2 1 4 1 2 . . .
    b 1 2 3 3 2 2 4 1 2 5 . 3
    c . 3 3 3 2 3 4 2 2 5 1 .
    d 1 2 3 3 2 4 4 1 2 5 1 ."""
    made = agree(votes(table), Terms(plan=QUICK))
    nominal = row(made, "krippendorff_alpha_nominal", between="jury")
    assert nominal.value == pytest.approx(0.743, abs=5e-4)
    assert row(made, "krippendorff_alpha_ordinal", between="jury").value == pytest.approx(
        0.815, abs=5e-4
    )
    assert nominal.absent == 7  # of 4 x 12 votes 41 were cast


def test_models_of_one_case_are_told_apart_and_resampled_together() -> None:
    made_votes = [
        *votes("a 1 2 3\nb 1 2 1", model="m1"),
        *votes("a 2 1 1\nb 2 1 2", model="m2"),
    ]
    assert len(units_of(made_votes)) == 6
    made = agree(made_votes, Terms(plan=QUICK, by=("model",)))
    assert row(made, "share_identical").value == pytest.approx(4 / 6)
    assert row(made, "share_identical").n == 3
    in_one = row(made, "share_identical", group_by="model", group="m1")
    assert in_one.value == pytest.approx(2 / 3)
    # a prefers m2, m1, m1; b prefers m2, m1, m2: two of three comparisons alike.
    assert row(made, "preference_agreement").value == pytest.approx(2 / 3)


def test_repeats_give_self_consistency_and_meet_the_others_one_by_one() -> None:
    again = [
        Vote(f"c{case}", "s", "a", repeat=repeat, verdict=verdict)
        for repeat, line in enumerate(("TTFF", "TFFF"))
        for case, verdict in enumerate(mark == "T" for mark in line)
    ]
    made = agree([*again, *votes("b T T T F")], Terms(plan=QUICK))
    alone = row(made, "share_identical", between="repeats")
    assert (alone.first, alone.second, alone.value) == ("a", "", 0.75)
    # b's one vote stands beside both of a's: first repeat 3 of 4, second 2 of 4.
    assert row(made, "share_identical").value == pytest.approx(5 / 8)
    assert row(made, "share_identical").n == 4


def test_a_human_may_be_a_judge_or_a_column() -> None:
    as_judge = [*votes("a T T F F\nb T F F F"), *votes("doctor T T T F")]
    marked = [
        Vote(v.case, v.step, v.judge, verdict=v.verdict, groups={"gold": human})
        for v, human in zip(votes("a T T F F\nb T F F F"), ["true", "true", "True", "no"] * 2,
                            strict=True)
    ]  # fmt: skip
    for held, name in ((as_judge, "doctor"), (marked, "gold")):
        made = agree(held, Terms(human=name, plan=QUICK))
        assert row(made, "share_identical", between="human", first="a").value == 0.75
        assert row(made, "share_identical", between="human", first="b").value == 0.5
        assert row(made, "share_identical", between="pair").value == 0.75
        # The human is no member of the jury.
        assert row(made, "fleiss_kappa", between="jury").first == "a, b"
        assert {one.method for one in made.corrected} == {"none needed"}


def test_a_human_on_some_cases_corrects_the_share_of_right_verdicts() -> None:
    # 100 unchecked cases, the judge says right to 60. On 40 checked ones: 20 are right and the
    # judge says so to 18 (sensitivity 0.9), 20 wrong and it says so to 16 (specificity 0.8).
    # Rogan-Gladen: (0.6 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.4 / 0.7.
    judge = ["T"] * 60 + ["F"] * 40 + ["T"] * 18 + ["F"] * 2 + ["T"] * 4 + ["F"] * 16
    human = ["."] * 100 + ["T"] * 20 + ["F"] * 20
    made = agree(votes(f"a {' '.join(judge)}\nh {' '.join(human)}"), Terms(human="h"))
    rogan, powered = made.corrected
    assert (rogan.judged, rogan.sensitivity, rogan.specificity) == (0.6, 0.9, 0.8)
    assert rogan.value == pytest.approx(0.4 / 0.7)
    assert rogan.low is not None and rogan.high is not None and rogan.low < 0.571 < rogan.high
    assert powered.method == "prediction-powered" and powered.value is not None
    assert (rogan.n, rogan.n_calibration, rogan.warning) == (100, 40, "")


def test_a_failed_vote_of_the_human_is_a_case_that_no_human_checked() -> None:
    judge = (["T"] * 3 + ["F"]) * 10 + (["T"] * 4 + ["F"]) * 20
    human = (["T", "T", "F", "F"] * 10) + ["-"] * 100
    made = agree(votes(f"a {' '.join(judge)}\nh {' '.join(human)}"), Terms(human="h"))
    assert {one.method for one in made.corrected} == {"rogan-gladen", "prediction-powered"}
    assert {(one.n, one.n_calibration, one.judged) for one in made.corrected} == {(100, 40, 0.8)}
    none = agree(votes(f"a {'T ' * 12}\nh {'T ' * 11} ~"), Terms(human="h")).corrected
    assert [(one.method, one.n_calibration, one.unresolved) for one in none] == [
        ("none needed", 11, 1)
    ]


def test_units_that_were_not_drawn_at_random_correct_nothing() -> None:
    # The human looked at what the judge called right, and at little else.
    judge = ["T"] * 60 + ["F"] * 60
    human = ["T"] * 30 + ["F"] * 15 + ["."] * 15 + ["F"] * 12 + ["."] * 48
    made = agree(votes(f"a {' '.join(judge)}\nh {' '.join(human)}"), Terms(human="h"))
    assert {one.value for one in made.corrected} == {None}
    assert {one.warning for one in made.corrected} == {
        "the checked units are not like the rest by this judge's verdicts: check units drawn at "
        "random"
    }


def test_checks_of_one_model_alone_or_of_the_contested_correct_nothing() -> None:
    judge, second = ["T", "F"] * 60, ["T", "F"] * 40 + ["F", "T"] * 20
    half = ["T", "F"] * 30 + ["."] * 60
    one_model = [
        replace(vote, groups={"model": "m1" if int(vote.case[1:]) < 60 else "m2"})
        for vote in votes(f"a {' '.join(judge)}\nh {' '.join(half)}")
    ]
    made = agree(one_model, Terms(human="h", plan=QUICK)).corrected
    assert made and all("by the models" in one.warning for one in made)
    # The judges differ on the last 40 cases, and these were checked first.
    first = ["."] * 80 + ["T", "F"] * 20
    text = f"a {' '.join(judge)}\nb {' '.join(second)}\nh {' '.join(first)}"
    made = agree(votes(text), Terms(human="h", plan=QUICK)).corrected
    (mine,) = {one.warning for one in made if one.judge == "a"}
    assert "by the units on which judges differ" in mine
    assert {one.value for one in made} == {None}


def test_grades_count_as_right_from_a_level_on() -> None:
    grades = ["5", "4", "2", "0"] * 20
    human = (["5"] * 2 + ["0"] * 2) * 10 + ["."] * 40
    made = agree(votes(f"a {' '.join(grades)}\nh {' '.join(human)}"), Terms(human="h", positive=4))
    assert made.corrected[0].judged == 0.5
    assert made.corrected[0].value == pytest.approx(0.5)


@pytest.mark.parametrize("grades", ["5 1 2 4", "0 5 1 0"])
def test_grades_without_a_level_are_no_yes_and_no(grades: str) -> None:
    # 1 and 0 are grades like the others here: 1 is not "right" and the rest not unresolved.
    line = " ".join([grades] * 20)
    human = " ".join([grades] * 10) + " ." * 40
    step = "grade_final_diagnosis"
    assert not agree(votes(f"a {line}\nh {human}", step), Terms(human="h", plan=QUICK)).corrected


def test_false_may_be_the_verdict_that_counts_as_right() -> None:
    judge = " ".join(["T", "F", "F", "F"] * 20)
    human = " ".join(["T", "F", "F", "F"] * 10) + " ." * 40
    held = votes(f"a {judge}\nh {human}")
    (rogan, _) = agree(held, Terms(human="h", positive=False, plan=QUICK)).corrected
    assert rogan.judged == 0.75 and rogan.value == pytest.approx(0.75)


def test_the_most_contested_come_first_with_every_vote() -> None:
    made = agree(votes("a 1 1 5 3\nb 1 2 1 3\nc 1 - 5 3"), Terms(plan=QUICK))
    # c2: |5-1| + |5-5| + |1-5| = 8 / 3 pairs / span 4 = 2/3; c1: 1 / 4.
    assert [(one.case, one.disagreement) for one in made.contested] == [
        ("c2", pytest.approx(2 / 3)),
        ("c1", 0.25),
    ]
    failed = made.contested[1].votes[2]
    assert (failed.status, failed.reason) == ("failed", "why not")


def test_preferences_without_two_models_judged_by_both_say_so() -> None:
    # Judge b has verdicts on m1 only: 12 cases with two verdicts, none with a preference.
    made = agree([
        *votes("a 1 2 3 1 2 3 1 2 3 1 2 3\nb 1 2 1 1 2 1 1 2 1 1 2 1", model="m1"),
        *votes("a 2 1 1 2 1 1 2 1 1 2 1 1", model="m2"),
    ], Terms(plan=QUICK))  # fmt: skip
    one = row(made, "preference_agreement")
    assert (one.value, one.n) == (None, 12)
    assert one.warning == "no case where both judges have verdicts on two models"


def test_too_few_cases_give_a_warning_in_place_of_a_number() -> None:
    one = row(agree(votes("a T T F\nb T F F")), "cohen_kappa")
    assert (one.value, one.low, one.high) == (None, None, None)
    assert one.warning == "3 cases with two verdicts are too few (at least 10)"


def test_a_measure_for_which_no_judges_have_enough_cases_has_no_line_in_the_text() -> None:
    few = agree(votes("a T T F\nb T F F"))
    block = blocks_of(few)[0]
    assert [line[0] for line in block.rows] == ["cases", "left out: failed, abstained"]
    assert block.notes[0] == "a / b: 3 cases with two verdicts are too few (at least 10)"
    enough = blocks_of(agree(votes("a T T F T T F T T F T\nb T F F T F F T F F T\nc T")))
    lines = {line[0]: line[1:] for line in enough[0].rows}
    assert lines["share identical"][1:3] == ("-", "-") and lines["cases"][:3] == ("10", "1", "1")


def test_steps_that_share_a_scale_have_a_table_over_all() -> None:
    both = [*votes("a T T\nb T F", step="s1"), *votes("a F F\nb F F", step="s2")]
    made = agree(both, Terms(plan=QUICK))
    assert row(made, "share_identical", step="").value == 0.75
    mixed = agree([*votes("a T T\nb T F"), *votes("a 1 2\nb 1 2", step="n")], Terms(plan=QUICK))
    assert "different scales" in mixed.notes[-1]
    # Both nominal, but true and a letter have no order in which a table could list them.
    letters = agree([*votes("a T F\nb T T"), *votes("a A B\nb A A", "t")], Terms(plan=QUICK))
    assert "different scales" in letters.notes[-1] and all(one.step for one in letters.rows)
    assert all(one.step for one in mixed.rows)


def test_a_case_with_several_steps_is_one_case_for_preferences_too() -> None:
    # On every third of 30 cases the judges prefer different models, and alike in both steps:
    # the second step tells nothing new, so the interval over both is that of one.
    held = [
        Vote(f"c{n}", step, judge, groups={"model": model},
             verdict=at if judge == "a" or n % 3 else 3 - at)
        for n in range(30) for step in "st" for judge in "ab" for at, model in ((1, "x"), (2, "y"))
    ]  # fmt: skip
    made = agree(held, Terms(plan=QUICK))
    every, one = (
        next(r for r in made.rows if r.step == step and r.measure == "preference_agreement")
        for step in ("", "s")
    )
    assert (every.value, every.low, every.high, every.n) == (one.value, one.low, one.high, one.n)
    assert one.n == 30 and one.value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("given", "terms", "message"),
    [
        ([], Terms(), "there are no votes"),
        (votes("a T"), Terms(human="h"), "'h' is neither a judge \\(a\\) nor a column"),
        (votes("a T"), Terms(by=("ward",)), "no vote has the group column 'ward'"),
        (votes("a T"), Terms(item=("model",)), "no vote has the column 'model'"),
        (votes("a low high\nb low mid"), Terms(scale="ordinal"), "words have no order"),
        (votes("a low\nb up"), Terms(categories=("low", "high")), "outside the categories: 'up'"),
        (votes("a T F\nb 1 0"), Terms(), "both true or false \\(a\\) and numbers \\(b\\)"),
        (votes("b 1 0\na T F"), Terms(), "both true or false \\(a\\) and numbers \\(b\\)"),
        (votes("a T") * 2, Terms(), "a has two votes on case 'c0', step 's', repeat 0"),
    ],
)
def test_what_cannot_be_compared_is_named(given: Any, terms: Terms, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        agree(given, terms)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from("123-"), min_size=24, max_size=24), st.randoms(use_true_random=False)
)
def test_the_order_of_the_votes_does_not_matter(cells: list[str], random: Any) -> None:
    lines = [" ".join(cells[at : at + 8]) for at in (0, 8, 16)]
    given_votes = votes(
        "\n".join(f"{name} {line}" for name, line in zip("abc", lines, strict=True))
    )
    shuffled = list(given_votes)
    random.shuffle(shuffled)
    few = Terms(plan=Plan(resamples=5, fewest=1))
    first, second = agree(given_votes, few), agree(shuffled, few)

    def held(made: Agreement) -> dict[Any, Any]:
        return {
            (one.measure, frozenset((one.first, one.second))): one.value
            for one in made.rows
            if one.between == "pair"
        }

    assert held(first) == pytest.approx(held(second), nan_ok=True)
    contested = [(one.case, one.disagreement) for one in first.contested]
    assert contested == [(one.case, one.disagreement) for one in second.contested]


# The command


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, ["agree", *map(str, arguments)])


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [
        {"case": f"c{n}", "step": "grade_ddx", "judge": judge, "verdict": (0, 2, 3, 4, 5)[at % 5],
         "explanation": f"because {n}", "ward": "east" if n % 2 else "west", "model": model}
        for n in range(24) for model in ("m1", "m2")
        for judge, at in (("a", n), ("b", n + (n % 4 == 0)), ("c", n + (model == "m2")))
    ]  # fmt: skip
    return write(tmp_path / "votes.csv", rows)


def test_the_command_prints_and_writes_the_table(table: Path, tmp_path: Path) -> None:
    out, contested = tmp_path / "agreement.csv", tmp_path / "contested.jsonl"
    done = run(table, "-o", out, "--contested", contested, "--by", "ward", "--boot", 50)
    assert done.exit_code == 0, done.output
    assert "a / b" in done.stdout and "all judges" in done.stdout
    assert "grade_ddx by ward: krippendorff alpha interval" in done.stdout
    assert "Most contested (10 of 30" in done.stdout  # 6 of m1 (n % 4 == 0), 24 of m2
    assert "because" in done.stdout
    rows = list(csv.DictReader(out.open()))
    pair = [r for r in rows if (r["measure"], r["second"], r["group_by"]) ==
            ("share_identical", "b", "")]  # fmt: skip
    assert float(pair[0]["value"]) == 0.75  # 18 of 24 cases, both models alike
    assert len(contested.read_text().splitlines()) == 3 * 30
    assert "compared as interval (the step's own)" in done.stderr


def test_people_in_a_table_of_their_own_meet_the_judges_of_an_evaluation(
    table: Path, tmp_path: Path
) -> None:
    # The folder's votes.csv is `table`; the doctor says what judge a says, but on case c0.
    doctor = [
        {"case": f"c{n}", "step": "grade_ddx", "judge": "doctor", "model": model,
         "verdict": (0, 2, 3, 4, 5)[n % 5] if n else 5}
        for n in range(24) for model in ("m1", "m2")
    ]  # fmt: skip
    human = write(tmp_path / "doctor.csv", doctor)
    out = tmp_path / "agreement.csv"
    done = run(table.parent, human, "--human", "doctor", "-o", out, "--boot", 50)
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(out.open()))
    (share,) = [
        r for r in rows
        if r["measure"] == "share_identical" and {r["first"], r["second"]} == {"a", "doctor"}
        and not r["group_by"]
    ]  # fmt: skip
    assert float(share["value"]) == pytest.approx(46 / 48)  # 48 responses, the 2 of c0 differ
    copy = tmp_path / "copy.csv"
    copy.write_bytes(human.read_bytes())
    twice = run(human, copy)
    assert twice.exit_code != 0
    assert "both hold the vote of doctor on case c0" in str(twice.exception)


def test_one_judge_alone_has_nobody_to_agree_with(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("case,step,judge,verdict\n1,s,a,yes\n2,s,a,no\n", "utf-8")
    assert "all votes are of a: there is no other judge to agree with" in run(path).output


def test_the_same_seed_gives_the_same_json(table: Path) -> None:
    first, second = (run(table, "--json", "--boot", 50, "--seed", 3).stdout for _ in range(2))
    assert first == second
    held = json.loads(first)
    assert set(held) == {"rows", "counts", "corrected", "contested", "notes"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"case": "1", "judge": "a", "verdict": "1"}], "has no column step"),
        ([{"case": "1", "step": "s", "judge": "", "verdict": "1"}], "row 1, column 'judge'"),
        (
            [{"case": "1", "step": "s", "judge": "a", "repeat": "x", "verdict": "1"}],
            "row 1, column 'repeat': 'x' is not a whole number",
        ),
        ([{"case": "1", "step": "s", "judge": "a", "verdict": "1"}] * 2, "row 2: the same case"),
    ],
)
def test_a_bad_table_is_named_by_row_and_column(
    rows: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    done = run(write(tmp_path / "votes.csv", rows))
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)


@pytest.mark.parametrize(
    "arguments", [["--scale", "ratio"], ["-o", "table.docx"], ["--by", "nothing"]]
)
def test_bad_options_stop_before_any_work(table: Path, arguments: list[str]) -> None:
    done = run(table, *arguments)
    assert isinstance(done.exception, DxjudgeError)


def test_alpha_of_the_table_is_that_of_the_function() -> None:
    made = agree(votes("a 1 2 2 5\nb 1 2 3 5\nc 2 2 3 4"), Terms(plan=QUICK))
    held = krippendorff_alpha([[1, 1, 2], [2, 2, 2], [2, 3, 3], [5, 5, 4]], "ordinal")
    assert row(made, "krippendorff_alpha_ordinal", between="jury").value == pytest.approx(held)


def test_errors_in_common_are_measured_where_a_human_checked() -> None:
    # Of 40 units 20 are right. On right ones each judge errs on 8, on 4 together: covariance sum
    # 4 - 64 / 20 = 0.8, variances 4.8. On wrong ones both err on the same 10: 5 and 5. 5.8 / 9.8.
    first = [0] * 8 + [1] * 12 + [1] * 10 + [0] * 10
    second = [1] * 4 + [0] * 8 + [1] * 8 + [1] * 10 + [0] * 10
    truth = [1] * 20 + [0] * 20
    rows = {"a": first, "b": second, "doctor": truth}
    cast = [Vote(f"c{n}", "s", judge, verdict=bool(mark))
            for judge, marks in rows.items() for n, mark in enumerate(marks)]  # fmt: skip
    agreement = agree(cast, Terms(human="doctor", plan=Plan(resamples=50)))
    (row,) = [row for row in agreement.rows if row.measure == "error_correlation"]
    assert (row.first, row.second, row.n) == ("a", "b", 40)
    assert row.value == pytest.approx(5.8 / 9.8)
    assert row.low is not None and row.low < 5.8 / 9.8
    alone = agree(cast[:80], Terms(plan=Plan(resamples=50)))
    assert "error_correlation" not in {row.measure for row in alone.rows}


def drawn_apart(chance: dict[str, str], column: str = "chance") -> list[Vote]:
    """40 units of m1, 20 of them checked, and 40 of m2, 10 checked; the judge says yes to all.

    Right are 10 of the 20 and 2 of the 10. The column holds `chance` of the model in the rows of
    the human alone.
    """
    truth = [True] * 10 + [False] * 10 + [True] * 2 + [False] * 8
    places = [*range(20), *range(40, 50)]
    model = {n: "m1" if n < 40 else "m2" for n in range(80)}
    judge = [Vote(f"c{n}", "s", "a", verdict=True, groups={"model": model[n]}) for n in range(80)]
    return judge + [
        Vote(f"c{n}", "s", "h", verdict=mark, groups={"model": model[n], column: chance[model[n]]})
        for n, mark in zip(places, truth, strict=True)
    ]


@pytest.mark.parametrize("names", [("chance",), ("model",)])
def test_checked_units_weigh_by_how_they_were_drawn(names: tuple[str, ...]) -> None:
    cast = drawn_apart({"m1": "0.5", "m2": "0.25"})
    rows = agree(cast, Terms(human="h", plan=QUICK, sampling=names)).corrected
    (share,) = [row for row in rows if row.method == "prediction-powered, weighted"]
    # Each checked unit of m1 stands for 2 units and each of m2 for 4: (10 x 2 + 2 x 4) / 80. The
    # judge says yes to all, so that it tells nothing more.
    assert share.value == pytest.approx(28 / 80)
    assert (share.n, share.n_calibration) == (80, 30)
    assert share.low is not None and share.low < 28 / 80


def test_a_column_that_cannot_be_the_sampling_is_refused() -> None:
    # By these probabilities the checked units of m2 stand for 10 / 0.9 = 11 of 40 units: z =
    # -28.9 / sqrt(40 x 0.1 / 0.9) = -13.7.
    rows = agree(drawn_apart({"m1": "0.5", "m2": "0.9"}),
                 Terms(human="h", plan=QUICK, sampling=("chance",))).corrected  # fmt: skip
    assert {row.value for row in rows} == {None}
    assert all("stand for" in row.warning and "cannot hold the prob" in row.warning for row in rows)
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        agree(drawn_apart({"m1": "0.5", "m2": "2"}), Terms(human="h", sampling=("chance",)))
    with pytest.raises(UsageError, match="no vote has this column"):
        agree(drawn_apart({"m1": "0.5", "m2": "0.5"}), Terms(human="h", sampling=("odds",)))
    grades = [replace(vote, verdict="xyz"[at % 3]) for at, vote in enumerate(
        drawn_apart({"m1": "0.5", "m2": "0.5"}))]  # fmt: skip
    with pytest.raises(UsageError, match="--sampling odds: no vote has this column"):
        agree(grades, Terms(human="h", sampling=("odds",)))  # nothing can be corrected
    assert agree(grades, Terms(human="h", plan=QUICK, sampling=("chance",))).corrected == ()
    with pytest.raises(UsageError, match="name the human"):
        agree(drawn_apart({"m1": "0.5", "m2": "0.5"}), Terms(sampling=("chance",)))


def test_a_stratum_that_nobody_checked_is_named() -> None:
    cast = [vote for vote in drawn_apart({"m1": "1", "m2": "1"})
            if vote.judge == "a" or vote.groups["model"] == "m1"]  # fmt: skip
    rows = agree(cast, Terms(human="h", plan=QUICK, sampling=("model",))).corrected
    assert {row.value for row in rows} == {None}
    assert {row.warning for row in rows if "weighted" in row.method} == {
        "no unit with model 'm2' was checked: check some of every stratum"
    }


def test_the_human_s_own_table_holds_the_probability(tmp_path: Path) -> None:
    cast = drawn_apart({"m1": "0.5", "m2": "0.25"})
    paths = []
    for judge in ("a", "h"):
        mine = [vote for vote in cast if vote.judge == judge]
        rows = [{"case": v.case, "step": v.step, "judge": v.judge, "verdict": v.verdict, **v.groups}
                for v in mine]  # fmt: skip
        path = tmp_path / f"{judge}.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        paths.append(str(path))
    options = ("--human", "h", "--sampling", "chance", "--json", "--boot", "50")
    done = CliRunner().invoke(app, ["agree", *paths, *options])
    assert done.exit_code == 0, done.output
    methods = {row["method"]: row["value"] for row in json.loads(done.stdout)["corrected"]}
    assert methods["prediction-powered, weighted"] == pytest.approx(28 / 80)


def test_a_judge_without_any_verdict_is_named_and_not_one_of_all_judges() -> None:
    votes = [
        Vote(case=str(n), judge=judge, step="s", verdict=None if judge == "c" else True,
             status="failed" if judge == "c" else "done")
        for n in range(12)
        for judge in "abc"
    ]  # fmt: skip
    note = 'no verdict of s by c: "all judges" are the other 2 of 3'
    assert note in agree(votes, Terms()).notes
    assert all("no verdict" not in line for line in agree(votes[:2], Terms()).notes)
