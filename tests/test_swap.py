"""The swap report: an evaluation whose answer under each judge is known by construction."""

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dxjudge.agents.judge import parse_judge
from dxjudge.agents.judge_equivalence import JUDGE_EQUIVALENCE
from dxjudge.agents.outcome import Done, Failed, Outcome
from dxjudge.cli.main import app
from dxjudge.cli.runs.compare_judges_run import families_by, find_judges
from dxjudge.errors import InputError, UsageError
from dxjudge.evaluation.cases import Case, Diagnosis, Response
from dxjudge.evaluation.evaluate import evaluate as run_evaluation
from dxjudge.evaluation.judges.conclusions import conclude, side_of
from dxjudge.evaluation.judges.side import Side
from dxjudge.evaluation.judges.swap_rows import Conclusion, SharedErrorRow, Swap
from dxjudge.evaluation.judging import Panel, RecordKey
from dxjudge.evaluation.measures.standings import Gap
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.scoring import Difference, Interval

from .protocol_server import ProtocolServer, Seen, fail

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once", "one_picture")

CASES = 20
MODELS = ("qwen-new", "plain")


def fair(seen: Seen) -> Any:
    """Says yes to what holds the word right."""
    return {"same_disease": "yes" if "right" in seen.user else "no"}


def partial(seen: Seen) -> Any:
    """Says yes to all that qwen-new wrote, and to nothing else."""
    return {"same_disease": "yes" if "qwen" in seen.user else "no"}


def broken(seen: Seen) -> Any:
    """Fair, but half of the cases fail."""
    return fail(400, "no") if "odd" in seen.user else fair(seen)


def write_run(folder: Path) -> tuple[Path, list[Path]]:
    """plain is right on 15 of 20 cases, qwen-new on 5."""
    cases = folder / "cases.jsonl"
    lines = [{"id": f"c{n:02}", "diagnosis": f"true {n} {'odd' if n % 2 else 'even'}"}
             for n in range(CASES)]  # fmt: skip
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    paths = []
    for model, most in zip(MODELS, (5, 15), strict=True):
        path = folder / f"{model}.jsonl"
        said = [{"id": f"c{n:02}",
                 "predicted_diagnosis": f"{model} says {'right' if n < most else 'wrong'} {n}"}
                for n in range(CASES)]  # fmt: skip
        path.write_text("".join(json.dumps(line) + "\n" for line in said))
        paths.append(path)
    return cases, paths


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_text("tasks: [judge_equivalence, extract_final_diagnosis]\nresamples: 200\n")
    return path


Evaluate = Callable[..., tuple[Result, Path]]


@pytest.fixture
def evaluated(tmp_path: Path, settings: Path) -> Evaluate:
    cases, models = write_run(tmp_path)

    def evaluate(*judges: str) -> tuple[Result, Path]:
        out = tmp_path / "out"
        named = [part for judge in judges for part in ("--judge", judge)]
        done = run("evaluate", cases, *models, "-o", out, "--config", settings, *named,
                   "--cache-mode", "off", "-q")  # fmt: skip
        return done, out

    return evaluate


def test_a_new_judge_is_asked_and_the_old_one_is_not(evaluated: Evaluate) -> None:
    with ProtocolServer(fair) as first, ProtocolServer(partial) as second:
        done, out = evaluated(first.judge())
        assert done.exit_code == 0, done.stderr
        before = len(first.seen)
        assert before == 2 * CASES
        judges = f"{first.judge()},{second.judge()}"
        done = run("compare-judges", out, "--judges", judges, "--cache-mode", "off")
        assert done.exit_code == 0, done.output + str(done.exception)
        assert (len(first.seen), len(second.seen)) == (before, 2 * CASES)
        again = run("compare-judges", out, "--judges", judges, "--cache-mode", "off", "--json")
        assert (len(first.seen), len(second.seen)) == (before, 2 * CASES)  # the journal has them
        names = first.judge(), second.judge()
    held = json.loads(again.stdout)
    scores = {(row["judge"], row["model"]): (row["value"], row["rank"]) for row in held["scores"]}
    assert scores == {
        (names[0], "qwen-new"): (0.25, 2),
        (names[0], "plain"): (0.75, 1),
        (names[1], "qwen-new"): (1.0, 1),
        (names[1], "plain"): (0.0, 2),
    }
    assert [row["tau"] for row in held["taus"]] == [-1.0]
    # By the mean over judges qwen-new is ahead: (0.25 + 1) / 2 against 0.75 / 2.
    (conclusion,) = held["conclusions"]
    assert (conclusion["better"], conclusion["worse"]) == ("qwen-new", "plain")
    assert conclusion["holds"] == "some judges"
    assert conclusion["clear_for"] == names[1] and conclusion["clear_against"] == names[0]
    assert "the judges contradict each other" in conclusion["sentence"]
    # The means over the judges are (0.25 + 1) / 2 and 0.75 / 2.
    assert conclusion["difference"] == pytest.approx(0.25)
    changes = {(r["left_out"], r["model"]): r["change"] for r in held["left_out"]}
    # Without the fair judge plain falls from 0.375 to 0, qwen-new climbs from 0.625 to 1.
    assert changes[names[0], "plain"] == pytest.approx(-0.375)
    assert changes[names[0], "qwen-new"] == pytest.approx(0.375)
    rates = {row["kind"]: row["share"] for row in held["flip_rates"]}
    # plain: 15 of 20 differ (fair yes, partial no); qwen-new: 15 of 20: 30 of 40.
    assert rates["score"] == pytest.approx(30 / 40)
    # fair puts plain first where only plain is right (c05 to c14); partial never does.
    assert rates["order of two models"] == pytest.approx(10 / 20)
    sentence = conclusion["sentence"]
    assert sentence in " ".join(done.stdout.split())
    report = (out / "judges" / "swap.md").read_text()
    assert "## Conclusions" in report and "qwen-new beats plain clearly under" in report
    assert {p.name for p in (out / "judges").glob("swap*.csv")} == {
        "swap_scores.csv", "swap_conclusions.csv", "swap_tau.csv", "swap_leave_one_out.csv",
        "swap_flips.csv", "swap_flip_rates.csv", "swap_judges.csv",
        "swap_shared_errors.csv",
    }  # fmt: skip


def test_another_comparison_is_answered_from_the_cache_it_names(
    evaluated: Evaluate, tmp_path: Path
) -> None:
    kept = tmp_path / "replies.sqlite"
    with ProtocolServer(fair) as first, ProtocolServer(partial) as second:
        _, out = evaluated(first.judge())
        judges = f"{first.judge()},{second.judge()}"
        for folder in ("one", "two"):  # each with a journal of its own
            done = run("compare-judges", out, "--judges", judges, "--cache", kept,
                       "-o", tmp_path / folder)  # fmt: skip
            assert done.exit_code == 0, done.output + str(done.exception)
            assert len(second.seen) == 2 * CASES
    assert kept.stat().st_size
    tables = [(tmp_path / folder / "swap_scores.csv").read_text() for folder in ("one", "two")]
    assert tables[0] == tables[1]


def test_verdicts_of_an_older_step_are_asked_for_again(evaluated: Evaluate) -> None:
    with ProtocolServer(fair) as first, ProtocolServer(partial) as second:
        _, out = evaluated(first.judge(), second.judge())
        before = len(first.seen), len(second.seen)
        path = out / "outcomes.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            if line["judge"] == first.judge():
                line["outcome"]["version"] = 0  # as of an earlier release, with another prompt
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        (out / "journal.jsonl").unlink()
        done = run("compare-judges", out, "--cache-mode", "off")
        assert done.exit_code == 0, done.output + str(done.exception)
        assert (len(first.seen), len(second.seen)) == (before[0] + 2 * CASES, before[1])


def test_a_judge_of_the_models_family_is_held_against_the_others(evaluated: Evaluate) -> None:
    with ProtocolServer(fair) as first, ProtocolServer(partial) as second:
        done, out = evaluated(first.judge(), second.judge())
        assert done.exit_code == 0, done.stderr
        family = f"{second.judge()}=qwen"
        done = run("compare-judges", out, "--json", "--family", family)
        name = second.judge()
    (row,) = json.loads(done.stdout)["families"]
    # (1 - 0) under its own judge, (0.25 - 0.75) under the other: 1 - -0.5 = 1.5.
    assert (row["judge"], row["family"], row["own"]) == (name, "qwen", "qwen-new")
    assert row["raw"] == pytest.approx(1.5)
    # One other judge: it could be strict, or this one lenient.
    assert row["advantage"] is None and "two judges can" in row["warning"]


def test_failures_of_the_run_stay_failures_and_are_counted(evaluated: Evaluate) -> None:
    with ProtocolServer(fair) as first, ProtocolServer(broken) as second:
        done, out = evaluated(first.judge(), second.judge())
        assert done.exit_code == 3
        asked = len(second.seen)
        done = run("compare-judges", out, "--json")
        assert done.exit_code == 3
        assert len(second.seen) == asked
        name = second.judge()
    held = json.loads(done.stdout)
    costs = {row["judge"]: row for row in held["costs"]}
    assert (costs[name]["verdicts"], costs[name]["failed"]) == (40, 20)
    assert costs[name]["failure_rate"] == 0.5
    assert costs[name]["calls"] >= 20
    # Both agree where both spoke, so nothing flips and plain leads under both.
    (conclusion,) = held["conclusions"]
    assert (conclusion["better"], conclusion["holds"]) == ("plain", "some judges")
    # Half of the second judge's verdicts are missing: it cannot be clear, and that is said.
    assert conclusion["clear_for"] != name and conclusion["unresolved"] == 10
    assert (
        "with the missing verdicts at their worst it would not be clear under"
        in conclusion["sentence"]
    )
    assert {row["share"] for row in held["flip_rates"]} == {0.0}


def test_an_evaluation_with_two_judges_has_the_swap_report(evaluated: Evaluate) -> None:
    with ProtocolServer(fair) as first, ProtocolServer(partial) as second:
        done, out = evaluated(first.judge(), second.judge())
        assert done.exit_code == 0, done.stderr
        names = first.judge(), second.judge()
    page = (out / "swap.md").read_text()
    assert "beats" in page
    block = page.partition("## Differences of two models by judge\n\n")[2]
    header, _, *lines = block.partition("\n\n")[0].splitlines()
    assert header == "| metric | judge | models | difference | p | Holm | BH |"
    # One pair of models under each judge: nothing to correct.
    assert len(lines) == 2 and all(len(set(line.split(" | ")[4:6])) == 1 for line in lines)
    votes = rows_of(out / "votes.csv")
    assert {row["judge"] for row in votes} == set(names)
    assert {row["verdict"] for row in votes} == {"true", "false"}
    done = run("agree", out, "--json", "--boot", 50)
    assert done.exit_code == 0, done.output + str(done.exception)
    mine = {r["measure"]: r["value"] for r in json.loads(done.stdout)["rows"]
            if r["between"] == "pair"}  # fmt: skip
    theirs = {r["measure"]: r["value"] for r in rows_of(out / "agreement.csv")
              if r["between"] == "pair" and not r["group_by"]}  # fmt: skip
    assert mine["share_identical"] == float(theirs["share_identical"]) == 0.25
    assert mine.keys() == theirs.keys()


def test_too_few_cases_are_null_in_json(tmp_path: Path, settings: Path) -> None:
    cases, models = write_run(tmp_path)
    for path in (cases, *models):
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:4]))
    with ProtocolServer(fair) as first, ProtocolServer(partial) as second:
        named = [part for judge in (first, second) for part in ("--judge", judge.judge())]
        done = run("evaluate", cases, *models, "-o", tmp_path / "few", "--config", settings,
                   *named, "--cache-mode", "off", "-q")  # fmt: skip
        assert done.exit_code == 0, done.output + str(done.exception)
        done = run("compare-judges", tmp_path / "few", "--json")
    assert "NaN" not in done.stdout
    assert json.loads(done.stdout)["scores"][0]["low"] is None
    table = (tmp_path / "few" / "swap.md").read_text().partition("Differences of two models")[2]
    assert "2 differences without interval and p-value: 4 cases are too few" in table


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    done = run("compare-judges", tmp_path)
    assert isinstance(done.exception, InputError)
    assert "has no inputs.json" in str(done.exception)
    absent = run("compare-judges", tmp_path / "absent")
    assert str(absent.exception).endswith("absent: there is no such folder")
    known = (parse_judge("openai:one"), parse_judge("openai:two@http://127.0.0.1:1/v1"))
    assert find_judges(None, known) == known
    assert find_judges("two, anthropic:three", known)[0] == known[1]
    for given, message in (
        ("one", "there is 1"),
        ("one,openai:one", "is named twice; name it once"),
    ):
        with pytest.raises(UsageError, match=message):
            find_judges(given, known)
    with pytest.raises(UsageError, match="write NAME=FAMILY"):
        families_by(["qwen"])
    assert families_by(["a=b=QWEN"])("a=b") == {"qwen"}


def side(judge: str, value: float, reach: float = 0.0, missing: float = 0.0) -> Side:
    low, high = value - reach, value + reach
    return Side(judge, value, low, high, low - missing, high + missing, int(100 * missing))


def concluded(sides: list[Side], judges: str, mean: float | None = None) -> Conclusion:
    value = sum(one.value for one in sides) / len(sides) if mean is None else mean
    interval = Interval(value, value - 0.1, value + 0.1, 0.95, "bca", 20, 100, 0)
    joint = Difference(interval, 0.5, 20)
    return conclude("m", "M", ("A", "B"), sides, judges.split(), joint)


def test_a_difference_of_rounding_is_a_tie_in_the_sentence() -> None:
    about = ("m", "x", "", "", "", "A", "B")
    rounding = 0.1 + 0.2 + 0.3 - 0.6
    gap = Gap(
        *about, rounding, rounding, rounding, 1.0, 1.0, 1.0, 1, 20, 0, 0.0, rounding, rounding, ""
    )
    one = concluded([side_of(gap, 1.0, (rounding, rounding)), side("y", 0.0)], "x y")
    assert (one.holds, one.judges_for, one.clear_for) == ("no judge", "", "")
    assert one.sentence == (
        "M: A minus B is 0.000 [-0.100, 0.100] (mean over the judges, 20 cases), a tie under every "
        "judge that gave verdicts."
    )


def test_every_judge_speaks_of_what_is_clear() -> None:
    ahead = concluded([side("x", 0.1, 0.2), side("y", 0.1, 0.2)], "x y")
    assert ahead.holds == "no judge"
    assert ahead.sentence == (
        "M: A is ahead of B by 0.100 [0.000, 0.200] (mean over the judges, 20 cases), clear under "
        "no judge (A is ahead under 2 of 2)."
    )
    clear = concluded([side("x", 0.3, 0.1), side("y", 0.3, 0.2)], "x y")
    assert clear.holds == "every judge"
    assert clear.sentence == (
        "M: A beats B by 0.300 [0.200, 0.400] (mean over the judges, 20 cases), clear under every "
        "judge (2 of 2)."
    )


def test_a_silent_judge_counts_and_is_named() -> None:
    one = concluded([side("x", 0.3, 0.1), side("y", 0.3, 0.1)], "x y z")
    assert (one.holds, one.silent) == ("some judges", "z")
    assert "clear under 2 of 3 judges (x and y)" in one.sentence
    assert one.sentence.endswith("; z gave no verdict.")


def test_missing_verdicts_stand_in_the_sentence_and_keep_it_from_being_clear() -> None:
    one = concluded([side("x", 0.3, 0.1, missing=0.4), side("y", 0.3, 0.1)], "x y")
    assert (one.holds, one.clear_for, one.unresolved) == ("some judges", "y", 40)
    assert "cases without both verdicts: 40 under x" in one.sentence
    assert "with the missing verdicts at their worst it would not be clear under x" in one.sentence


def test_the_direction_is_that_of_most_judges_not_of_the_mean() -> None:
    # One judge is far off: the mean says B, two of three judges say A.
    one = concluded([side("x", 0.1, 0.2), side("y", 0.1, 0.2), side("z", -0.9, 0.1)], "x y z")
    assert (one.better, one.worse) == ("A", "B")
    assert one.clear_against == "z"
    assert "the judges contradict each other" in one.sentence
    assert one.difference == pytest.approx(-0.7 / 3)
    assert one.sentence.startswith("M: A minus B is -0.233 [-0.333, -0.133]")


def planted(right: dict[str, set[int]], failed: dict[str, set[int]], cases: int) -> Swap:
    """Two judges give the same verdicts on the models, and fail on the same cases."""
    verdicts = {
        model: [None if n in failed.get(model, ()) else n in marks for n in range(cases)]
        for model, marks in right.items()
    }
    return judged({"x": verdicts, "y": verdicts})


def judged(verdicts: dict[str, dict[str, list[bool | None]]]) -> Swap:
    """Return the report on recorded verdicts, judge -> model -> by case; None has failed."""
    about: dict[str, Any] = {"step": JUDGE_EQUIVALENCE.name, "version": JUDGE_EQUIVALENCE.version}
    by_model = next(iter(verdicts.values()))
    ids = [f"c{n:03}" for n in range(len(next(iter(by_model.values()))))]
    failure = Failed(**about, kind="refused", reasons=("no",))
    records: dict[RecordKey, Outcome] = {
        (f"openai:{judge}", JUDGE_EQUIVALENCE.name, model, case, 0, 0): failure
        if mark is None
        else Done(**about, value={"equivalent": mark})
        for judge, table in verdicts.items()
        for model, marks in table.items()
        for case, mark in zip(ids, marks, strict=True)
    }
    responses = {
        model: {case: (Response(case, diagnosis=f"{model} {case}"),) for case in ids}
        for model in by_model
    }
    tasks = ["extract_final_diagnosis", JUDGE_EQUIVALENCE.name]
    settings = read_settings(None, tasks=tasks, columns=["final_accuracy"], resamples=50)
    evaluation = run_evaluation(
        [Case(case, diagnosis=Diagnosis(f"true {case}")) for case in ids], responses, settings,
        Panel(tuple(parse_judge(f"openai:{judge}") for judge in verdicts), records=records),
    )  # fmt: skip
    assert evaluation.swap is not None
    return evaluation.swap


def test_a_judge_that_favours_its_family_does_not_make_the_others_suspect() -> None:
    # The qwen judge says yes to half of the wrong answers of qwen-a; all else is independent luck.
    rng = random.Random(1)
    accuracy = {"qwen-a": 0.6, "b": 0.6, "c": 0.7, "d": 0.5}
    right = {model: [rng.random() < p for _ in range(300)] for model, p in accuracy.items()}

    def verdicts(judge: str, reliable: float) -> dict[str, list[bool | None]]:
        return {
            model: [mark == (rng.random() < reliable)
                    or (judge == model[:4] == "qwen" and rng.random() < 0.5) for mark in marks]
            for model, marks in right.items()
        }  # fmt: skip

    swap = judged({"one": verdicts("one", 0.95), "two": verdicts("two", 0.9),
                   "qwen": verdicts("qwen", 0.9)})  # fmt: skip
    assert [row.first for row in swap.shared_errors if row.shared] == []
    (family,) = swap.families
    assert family.low is not None and family.low > 0


def test_judges_that_make_the_same_errors_are_named_where_they_agree() -> None:
    shared = [SharedErrorRow("m", "x", "y", 0.6, 0.5, 0.7, 0.001, True, "")]
    sides = [side("x", 0.3, 0.1), side("y", 0.3, 0.1), side("z", 0.3, 0.1)]
    interval = Interval(0.3, 0.2, 0.4, 0.95, "bca", 20, 100, 0)
    joint = Difference(interval, 0.5, 20)
    one = conclude("m", "M", ("A", "B"), sides, ["x", "y", "z"], joint, 1.0, shared)
    assert one.same_errors == "x + y"
    assert one.sentence.endswith(
        "; x and y make the same errors (correlation 0.600 [0.500, 0.700]), so that their "
        "agreement counts for less."
    )
    sides[1] = side("y", -0.1, 0.2)
    one = conclude("m", "M", ("A", "B"), sides, ["x", "y", "z"], joint, 1.0, shared)
    assert one.same_errors == "" and "errors" not in one.sentence


def test_missing_verdicts_at_their_worst_keep_a_conclusion_from_being_clear() -> None:
    right = {"one": set(range(20)), "two": {*range(10), *range(20, 27)}}
    # Over the 20 common cases one is right on 20 and two on 10: 11 / 22 - 1 / 22 = 0.455 by Bonett
    # and Price, half width 1.96 sqrt((12 / 22 - 0.455 ^ 2) / 22) = 0.243: clear. If one is wrong on
    # its 10 missing cases, it is ahead in 10 of 30 cases and behind in 7: 11 / 32 - 8 / 32 = 0.094,
    # half width 1.96 sqrt((19 / 32 - 0.094 ^ 2) / 32) = 0.265: not clear, though 10 - 7 > 0.
    (conclusion,) = planted(right, {"one": set(range(20, 30))}, 30).conclusions
    assert (conclusion.better, conclusion.holds, conclusion.clear_for) == ("one", "no judge", "")
    assert "10 under x and 10 under y" in conclusion.sentence
    assert "at their worst it would not be clear under x and y" in conclusion.sentence
    # Without failures, 10 of 20 cases ahead and none behind are clear.
    (conclusion,) = planted({"one": set(range(20)), "two": set(range(10))}, {}, 20).conclusions
    assert conclusion.holds == "every judge"
