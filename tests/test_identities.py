"""Identities of tables: kept by our own numbers, and broken ones are found in a reader's table."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from dxjudge.cli.main import app
from dxjudge.errors import InputError, UsageError
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.paper import load_paper
from dxjudge.evaluation.published import check_published
from dxjudge.evaluation.read import load_cases, load_responses
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.scoring import Identity, ddx_scores, micro_ddx, violations

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer

EXAMPLES = Path(__file__).parents[1] / "examples"
F1 = Identity("harmonic", ("p", "r"), "f")
JACCARD = Identity("jaccard", ("f",), "j")
OVERLAP = Identity("overlap", ("p", "r"), "j")
LAWS = [F1, JACCARD, OVERLAP]


def test_the_laws_by_hand() -> None:
    # 2 * 0.5 * 0.8 / 1.3 = 0.61538; 0.61538 / (2 - 0.61538) = 0.44444
    row = {"p": 0.5, "r": 0.8, "f": 0.8 / 1.3, "j": 0.8 / 1.8}
    assert violations(row, LAWS) == []
    # 0.5 * 0.8 / (1.3 - 0.4) = 0.44444
    broken = violations({**row, "j": 0.5}, LAWS)
    assert [one.identity for one in broken] == [JACCARD, OVERLAP]
    assert [one.lowest for one in broken] == pytest.approx([4 / 9, 4 / 9])
    # 4 + 20 + 10 = 34
    total = Identity("sum", ("a", "b", "c"), "t")
    assert violations({"a": 4.0, "b": 20.0, "c": 10.0, "t": 34.0}, [total]) == []
    assert len(violations({"a": 4.0, "b": 20.0, "c": 10.0, "t": 33.0}, [total])) == 1
    # 10 pairs: 3 sets right, 4 confused: 2 * 3 + 4 = 10 of 20 items right
    pairs = Identity("pairs", ("set", "confused"), "individual")
    assert violations({"set": 0.3, "confused": 0.4, "individual": 0.5}, [pairs]) == []
    assert len(violations({"set": 0.3, "confused": 0.4, "individual": 0.6}, [pairs])) == 1


def test_what_a_number_leaves_of_the_whole_is_a_limit(tmp_path: Path) -> None:
    rest = Identity("rest", ("set",), "confused")
    assert violations({"set": 0.25, "confused": 0.75}, [rest]) == []
    (broken,) = violations({"set": 0.25, "confused": 0.76}, [rest])
    assert (broken.lowest, broken.highest) == (0, 0.75)
    # Three rows that the authors of MediConfusion print: the second fits no count of pairs,
    # because 98.30 % and 4.55 % are more than all.
    table = tmp_path / "leaderboard.csv"
    table.write_text(
        "Model,Set acc. (%),Confusion (%)\nJanus,4.55,92.05\nMed-Flamingo,4.55,98.30\n"
        "LLaVA-Med,1.14,97.16\n"
    )
    done = CliRunner().invoke(app, ["check-table", str(table), "--preset", "mediconfusion"])
    assert done.exit_code == 3
    assert "row 2 (Med-Flamingo): Confusion (%) is 98.3, but what set accuracy" in done.stdout
    assert "3 identities checked in 3 rows, 1 broken" in done.stdout


def test_a_rounded_number_stands_for_all_that_round_to_it() -> None:
    half = {"p": 0.005, "r": 0.005, "f": 0.005}
    # p from 0.325 to 0.335, r from 0.495 to 0.505: F1 from 0.3924 to 0.4028; 0.39 is 0.385 to 0.395
    assert violations({"p": 0.33, "r": 0.5, "f": 0.39}, [F1], half_units=half) == []
    assert violations({"p": 0.33, "r": 0.5, "f": 0.41}, [F1], half_units=half) != []


def test_percentages_and_rows_without_the_columns() -> None:
    # 60 / (200 - 60) = 42.857 %
    assert (
        violations({"f": 60.0, "j": 42.857143}, [JACCARD], whole=100.0, half_units={"j": 1e-5})
        == []
    )
    assert violations({"f": 60.0}, LAWS) == []
    with pytest.raises(UsageError, match="harmonic does not take 1"):
        violations({"p": 1.0, "f": 1.0}, [Identity("harmonic", ("p",), "f")])


COUNTS = st.tuples(st.integers(0, 8), st.integers(1, 8)).flatmap(
    lambda one: st.tuples(st.integers(0, min(one)), st.just(one[0]), st.just(one[1]))
)


@given(st.lists(COUNTS, min_size=1, max_size=6), st.integers(1, 4))
def test_micro_scores_keep_the_identities_at_every_rounding(
    cases: list[tuple[int, int, int]], digits: int
) -> None:
    if not any(n for _, n, _ in cases):
        return
    made = micro_ddx(ddx_scores([(at, at) for at in range(k)], n, m) for k, n, m in cases)
    exact = {"p": made.precision, "r": made.recall, "f": made.f1, "j": made.jaccard}
    row = {name: round(value, digits) for name, value in exact.items()}
    half = dict.fromkeys(row, 0.5 * 10.0**-digits)
    assert violations(row, LAWS, half_units=half) == []


def test_our_own_tables_keep_the_identities() -> None:
    cases = load_cases(str(EXAMPLES / "cases.jsonl"))
    folder = EXAMPLES / "evaluate"
    responses = load_responses([str(folder / "careful.jsonl"), str(folder / "hasty.jsonl")], cases)
    with ProtocolServer(make_judge()) as server:
        settings = read_settings(None, preset="dermcase", resamples=20)
        made = evaluate(cases, responses, settings, judges=(server.judge(),))
    paper = load_paper("dermcase")
    assert paper is not None
    for model in made.judged.models:
        values = {
            one.metric: one.value
            for one in made.numbers
            if one.model == model and not one.slice and not one.group_by
        }
        assert all({*law.of, law.gives} <= {*values} for law in paper.identities)
        assert violations(values, paper.identities) == []


TABLE = """Model,Micro Precision,Micro Recall,Micro F1,Micro Jaccard,Macro F1
good,62.5,50.0,55.6,38.5,10.0
bad,62.5,50.0,57.6,40.5,99.0
"""


def test_the_command_finds_the_row_that_breaks_an_identity(tmp_path: Path) -> None:
    table = tmp_path / "it's.csv"
    table.write_text(TABLE, "utf-8")
    result = CliRunner().invoke(app, ["check-table", str(table), "--preset", "dermcase"])
    assert result.exit_code == 3, result.output
    # 2 * 62.5 * 50 / 112.5 = 55.56; its ends 55.45 and 55.65 are far from 57.6
    assert "row 2 (bad): Micro F1 is 57.6" in result.output
    # 57.6 / (200 - 57.6) = 40.45, which rounds to 40.5: this identity is kept
    # from precision and recall it is .3125 / (1.125 - .3125) = 38.46 %, not 40.5 %
    assert "row 2 (bad): Micro Jaccard is 40.5" in result.output
    assert "6 identities checked in 2 rows, 2 broken" in result.output
    assert "not checked: rubric_total" in result.output


def test_a_row_without_a_number_is_named_and_not_counted(tmp_path: Path) -> None:
    # Before, the row was left out without a word, and alone it said "the columns of no identity".
    table = tmp_path / "t.csv"
    check = ["check-table", str(table), "--preset", "hddx"]
    table.write_text("Model,HDP,HDR,HDF1\na,0.5,0.5,0.5\nb,,0.5,x\n", "utf-8")
    result = CliRunner().invoke(app, check)
    assert result.exit_code == 3, result.output
    assert "not checked: row 2 (b): no number in HDP, HDF1" in result.output
    table.write_text("Model,HDP,HDR,HDF1\nb,,0.5,0.5\n", "utf-8")
    result = CliRunner().invoke(app, check)
    assert isinstance(result.exception, InputError)
    assert "row 1 (b): no number in HDP" in str(result.exception)


def test_a_table_with_other_columns_is_an_error() -> None:
    paper = load_paper("dermcase")
    assert paper is not None
    with pytest.raises(InputError, match="has the columns of no identity; they need rubric_diff"):
        check_published([{"model": "a", "accuracy": "0.5"}], paper, "t.csv")


def test_the_first_number_of_a_cell_counts_with_its_digits() -> None:
    paper = load_paper("dermcase")
    assert paper is not None
    rows = [{"m": "a", "Micro F1": "0.60 [0.50, 0.70]", "semantic_micro_jaccard": "0.43 ± 0.1"}]
    check = check_published(rows, paper, "t.csv")
    assert check.broken == () and sum(check.checked.values()) == 1
    rows[0]["semantic_micro_jaccard"] = "0.4"  # 0.35 to 0.45 has 3/7 = 0.4286 too
    assert check_published(rows, paper, "t.csv").broken == ()
    rows[0]["semantic_micro_jaccard"] = "0.400"
    assert len(check_published(rows, paper, "t.csv").broken) == 1
