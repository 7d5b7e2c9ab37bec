"""What people are asked about: an evaluation's questions, samples of them, and unbiased numbers."""

import json
import random
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from dxjudge.agents.steps import find_step
from dxjudge.cli.main import run
from dxjudge.curation.item import Ending, Item
from dxjudge.curation.questionnaire import images_of_reports, questions_of_items
from dxjudge.curation.reports import Report
from dxjudge.curation.sample import write_sample
from dxjudge.curation.settings import Settings
from dxjudge.errors import UsageError
from dxjudge.evaluation.judges.agreement_rows import Terms
from dxjudge.evaluation.judges.agreement_table import agree
from dxjudge.evaluation.people.from_run import run_to_rate
from dxjudge.evaluation.people.from_table import Reading, read_to_rate
from dxjudge.evaluation.people.kept import Kept
from dxjudge.evaluation.people.rating import Rating, open_rating
from dxjudge.evaluation.people.sample import Design, draw
from dxjudge.evaluation.people.to_rate import Found, ToRate
from dxjudge.graphs.jury.votes_file import read_votes, write_votes
from dxjudge.scoring import Plan, draw_by_strata, judged_chances
from dxjudge.scoring.votes import Vote

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer

STEP = find_step("judge_equivalence")
TASK = STEP.name


def evaluated(folder: Path) -> Path:
    """Run an evaluation of two models under two judges, one of which fails at times."""
    cases = folder / "cases.jsonl"
    rows = [{"id": f"c{n}", "diagnosis": f"disease {n}", "group": "ab"[n % 2]} for n in range(12)]
    cases.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for model in ("m-one", "m-two"):
        said = [{"id": row["id"], "predicted_diagnosis": f"{model} {n % 3} of disease {n}",
                 "predicted_ddx": [f"{model} {n}", f"other {n}"]}
                for n, row in enumerate(rows)]  # fmt: skip
        (folder / f"{model}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in said), encoding="utf-8"
        )
    out, settings = folder / "out", folder / "settings.yaml"
    settings.write_text("tasks: [judge_equivalence, grade_ddx]\nresamples: 100\n", "utf-8")
    with ProtocolServer(make_judge()) as one, ProtocolServer(make_judge(lean=1)) as two:
        code = run([
            "evaluate", str(cases), str(folder / "m-one.jsonl"), str(folder / "m-two.jsonl"),
            "-o", str(out), "--config", str(settings), "--judge", one.judge("j-one"),
            "--judge", two.judge("j-two"), "--cache-mode", "off", "-q",
        ])  # fmt: skip
    assert code == 0
    return out


def rated(
    found: Found, folder: Path, name: str, design: Design | None = None, seed: int = 0
) -> Rating:
    kept = Kept(folder / f"{name}.answers.jsonl")
    return open_rating(found, kept, folder / f"{name}.csv", design=design or Design(), seed=seed)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    return evaluated(tmp_path_factory.mktemp("run"))


def unit_of(vote: Vote) -> tuple[str, ...]:
    return (vote.step, vote.case, *(vote.groups[name] for name in ("model", "response", "place")))


def key_of(item: ToRate) -> tuple[str, ...]:
    places = (item.groups[name] for name in ("model", "response", "place"))
    return (item.name, item.case, *places)


def test_an_evaluation_gives_every_question_of_its_judges_once(folder: Path) -> None:
    found = run_to_rate(folder)
    units = {unit_of(vote) for vote in read_votes(folder / "votes.csv", by_groups=True)}
    assert {key_of(one) for one in found.items} == units
    assert len(found.items) == len(units) == 2 * 12 * 2  # two tasks, twelve cases, two models
    assert {"m-one", "m-two"} <= found.hidden and any("j-one" in name for name in found.hidden)
    only = run_to_rate(folder, ("grade_ddx",))
    assert {one.name for one in only.items} == {"grade_ddx"}
    with pytest.raises(UsageError, match="did you mean grade_ddx"):
        run_to_rate(folder, ("grade_dx",))


def answers_of(item: ToRate) -> dict[str, Any]:
    """What the person of these tests says: m-one is right, and its differential is a 5."""
    is_one = item.groups["model"] == "m-one"
    if item.name == "grade_ddx":
        return {"score": 5 if is_one else 2}
    return {"same_disease": "yes" if is_one else "no"}


def test_votes_on_an_evaluation_are_compared_with_its_judges(
    folder: Path, tmp_path: Path, capsys: Any
) -> None:
    rating = rated(run_to_rate(folder), tmp_path, "ann")
    for place, item in enumerate(rating.items):
        rating.give(place, "ann", "done", answers_of(item))
    assert rating.write() == 48
    arguments = ["agree", str(folder), str(tmp_path / "ann.csv"), "--human", "ann", "--json"]
    assert run([*arguments, "--boot", "50"]) == 0
    out = json.loads(capsys.readouterr().out)
    judges = [vote for vote in read_votes(folder / "votes.csv", by_groups=True)
              if vote.step == "judge_equivalence" and "j-one" in vote.judge]  # fmt: skip
    same = fmean((vote.groups["model"] == "m-one") == vote.verdict for vote in judges)
    row = next(
        row for row in out["rows"]
        if row["step"] == "judge_equivalence" and row["measure"] == "share_identical"
        and not row["group_by"] and "ann" in (row["first"], row["second"])
        and any("j-one" in row[side] for side in ("first", "second"))
    )  # fmt: skip
    assert row["value"] == pytest.approx(same) and row["n"] == 12


def test_half_of_the_sample_is_where_judges_disagree(folder: Path, tmp_path: Path) -> None:
    found = run_to_rate(folder, (TASK,))
    verdicts: dict[Any, set[Any]] = {}
    for vote in read_votes(folder / "votes.csv", by_groups=True):
        verdicts.setdefault(unit_of(vote), set()).add(vote.verdict)
    contested = {unit for unit, of in verdicts.items() if len(of) > 1 and unit[0] == TASK}
    assert 4 <= len(contested) <= 20, "the judges of this test must differ on some units"
    design = Design(8, votes=(folder,))
    rating = rated(found, tmp_path, "half", design, seed=3)
    drawn = [key_of(one) for one in rating.items]
    assert len(drawn) == 8 and sum(unit in contested for unit in drawn) == 4
    rating.give(0, "ann", "done", answers_of(rating.items[0]))
    rating.give(1, "ann", "skipped", {})
    again = rated(found, tmp_path, "other", design, seed=4)
    assert [key_of(one) for one in again.items] != drawn
    for place, item in enumerate(rating.items):
        rating.give(place, "ann", "done", answers_of(item))
    rest = 24 - len(contested)
    for vote in rating.votes():
        size = len(contested) if unit_of(vote) in contested else rest
        assert float(vote.groups["chance"]) == pytest.approx(4 / size)


def test_a_sample_by_column_has_as_many_of_each_value(folder: Path, tmp_path: Path) -> None:
    found = run_to_rate(folder, ("judge_equivalence",))
    rating = rated(found, tmp_path, "by", Design(6, by="model"))
    assert sorted(one.groups["model"] for one in rating.items) == ["m-one"] * 3 + ["m-two"] * 3
    with pytest.raises(UsageError, match="did you mean model"):
        rated(found, tmp_path, "by2", Design(6, by="modle"))
    with pytest.raises(UsageError, match="cannot hold one of each"):
        rated(found, tmp_path, "by3", Design(1, by="model"))
    with pytest.raises(UsageError, match="another sample"):
        rating.kept.close()
        rated(found, tmp_path, "by", Design(7, by="model"))


def synthetic(count: int, seed: int) -> tuple[list[ToRate], list[Vote], dict[str, bool]]:
    """Items, the votes of two judges, and what a person would say; contested items are harder."""
    draw = random.Random(seed)
    items, votes, truth = [], [], {}
    for n in range(count):
        case = f"c{n}"
        contested = draw.random() < 0.15
        truth[case] = draw.random() < (0.3 if contested else 0.9)
        first = truth[case] if draw.random() < 0.8 else not truth[case]
        inputs = STEP.read_input({"predicted": f"p{n}", "truth": f"t{n}"})
        items.append(ToRate(STEP, STEP.name, case, inputs))
        for judge, verdict in (("j1", first), ("j2", first != contested)):
            votes.append(Vote(case=case, step=STEP.name, judge=judge, verdict=verdict))
    return items, votes, truth


def test_the_weights_make_a_contested_sample_unbiased(tmp_path: Path) -> None:
    """300 samples of 60 of 600 items, of which a person does the first 45 and stops.

    The votes are read once, and three whole ratings have the weights of this arithmetic.

    The plain share of the sample is far from the truth, since half of it is contested; the
    weighted share is the truth on average. Its standard error over 300 samples is about 0.004.
    """
    items, votes, truth = synthetic(600, seed=1)
    table = tmp_path / "judges.csv"
    write_votes(table, votes)
    right = fmean(truth.values())
    design = Design(60, votes=(table,))
    strata = draw(items, design, 0).strata
    plain, weighted = [], []
    for seed in range(300):
        order = list(draw_by_strata(strata, 60, seed))
        random.Random(f"order {seed}").shuffle(order)
        done = {at: truth[items[at].case] for at in order[:45]}
        weights = judged_chances(strata, done)
        whole = sum(1 / chance for chance in weights.values())
        assert whole == pytest.approx(600)
        plain.append(fmean(done.values()))
        weighted.append(sum(is_right / weights[at] for at, is_right in done.items()) / whole)
        if seed < 3:
            rating = rated(Found(tuple(items)), tmp_path, str(seed), design, seed)
            assert [one.case for one in rating.items] == [items[at].case for at in order]
            for place, one in enumerate(rating.items[:45]):
                answer = {"same_disease": "yes" if truth[one.case] else "no"}
                rating.give(place, "ann", "done", answer)
            chances = {vote.case: float(vote.groups["chance"]) for vote in rating.votes()}
            assert chances == pytest.approx({items[at].case: weights[at] for at in done})
            rating.kept.close()
    assert abs(fmean(plain) - right) > 0.15
    assert fmean(weighted) == pytest.approx(right, abs=0.013)


def test_agree_weights_by_chance_and_says_so(tmp_path: Path, capsys: Any) -> None:
    items, votes, truth = synthetic(600, seed=2)
    table = tmp_path / "judges.csv"
    write_votes(table, votes)
    rating = rated(Found(tuple(items)), tmp_path, "ann", Design(120, votes=(table,)), seed=1)
    for place, one in enumerate(rating.items):
        answer = {"same_disease": "yes" if truth[one.case] else "no"}
        rating.give(place, "ann", "done", answer)
    rating.write()
    files = [str(table), str(tmp_path / "ann.csv")]
    assert run(["agree", *files, "--human", "ann", "--json", "--boot", "50"]) == 0
    done = capsys.readouterr()
    out = json.loads(done.out)
    rows = {row["judge"]: row for row in out["corrected"] if row["method"].startswith("prediction")}
    assert set(rows) == {"j1", "j2"}
    for row in rows.values():
        assert row["method"] == "prediction-powered, weighted" and row["n_calibration"] == 120
        assert row["low"] < fmean(truth.values()) < row["high"]
    assert any("1 / chance" in note and "without weights" in note for note in out["notes"])
    assert run(["agree", *files, "--json", "--boot", "50"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("the column chance is not used" in note for note in notes)


def test_another_column_chance_is_no_weight(tmp_path: Path) -> None:
    votes = [Vote(case=f"c{n}", step="s", judge=judge, verdict=bool(n % 2), groups={"chance": "hi"})
             for n in range(20) for judge in ("a", "b")]  # fmt: skip
    made = agree(votes, Terms(human="a", plan=Plan(resamples=50)))
    assert not any("chance" in note for note in made.notes)


def test_the_sample_of_a_curated_data_set_is_read_by_rate(tmp_path: Path, capsys: Any) -> None:
    items = [
        Item(id=f"i{n}", ending=Ending(status=status, stage="pairs"), trail=(),
             data={"case": f"case {n}", "question": f"What is it? {n}"})
        for n in range(12) for status in ("accepted" if n % 3 else "rejected",)
    ]  # fmt: skip
    write_sample(tmp_path, items, "openai:maker", seed=0)
    found = read_to_rate(str(tmp_path / "sample.csv"), Reading())
    assert {one.case for one in found.items} == {f"i{n}" for n in range(12)}
    rating = rated(found, tmp_path, "ann")
    for place, one in enumerate(rating.items):
        rating.give(place, "ann", "done", {"right": one.case != "i1"})
    rating.write()
    files = [str(tmp_path / "votes.csv"), str(tmp_path / "ann.csv")]
    arguments = ["--human", "ann", "--sampling", "verdict", "--json", "--boot", "50"]
    assert run(["agree", *files, *arguments]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    same = next(row for row in rows if row["measure"] == "share_identical")
    # The procedure says yes to 8 of 12; ann to all but i1, one of these 8: 7 of 12 are the same.
    assert same["value"] == pytest.approx(7 / 12)


def accepted(name: str, truth: str, others: list[str], status: Any = "accepted") -> Item:
    data = {"record": {"final_diagnosis": [truth]}, "considered": others}
    return Item(id=name, ending=Ending(status=status, stage="pairs"), data=data, trail=())


def test_the_questionnaire_of_curated_cases_is_read_by_rate(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    from PIL import Image

    Image.new("RGB", (8, 8), "red").save(tmp_path / "skin.png")
    out = tmp_path / "made"
    out.mkdir()
    items = [
        accepted("one/1", "gout", ["lupus", "sarcoidosis", "psoriasis"]),
        accepted("two/1", "eczema", ["tinea"]),
        accepted("two/2", "acne", []),
        accepted("three/1", "scabies", ["lice"], "rejected"),
    ]
    reports = [Report(name, "text", {"images": "skin.png"}, tmp_path) for name in ("one", "two")]
    rows = list(questions_of_items(items, Settings(), images_of_reports(reports, out)))
    path = out / "questionnaire.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = read_to_rate(str(path), Reading())
    assert found.left_out == ()
    counts: dict[str, int] = {}
    for one in found.items:
        counts[one.name] = counts.get(one.name, 0) + 1
    # one: 3 others, 3 pairs of them, 4 labels for its image; two: 1 other, and its image may show
    # either case.
    assert counts == {"grade_likeness": 4, "choose_closer_pair": 3, "grade_image_label": 4}
    image: Any = next(one for one in found.items if one.name == "grade_image_label").inputs
    assert image.images[0].path.resolve() == (tmp_path / "skin.png").resolve()
    again = list(questions_of_items(items, Settings(), images_of_reports(reports, out)))
    assert rows == again
    other = list(questions_of_items(items, Settings(seed=1), images_of_reports(reports, out)))
    assert rows != other, "the order of the pairs is not that of the seed"


def test_the_table_of_people_is_read_by_agree_by_a_jury_and_by_calibration(
    tmp_path: Path, capsys: Any
) -> None:
    """Ann rates 20 of 40 pairs, and says that c00 to c29 are the same; a judge says c04 to c39."""
    rows = [{"id": f"c{n:02}", "predicted": f"tinea {n}", "truth": f"ringworm {n}"}
            for n in range(40)]  # fmt: skip
    table, judges, out = (tmp_path / name for name in ("in.jsonl", "judges.csv", "out.jsonl"))
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    write_votes(judges, [Vote(case=row["id"], step=TASK, judge="j", verdict=row["id"] >= "c04")
                         for row in rows])  # fmt: skip
    rating = rated(read_to_rate(str(table), Reading(TASK)), tmp_path, "ann", Design(20), seed=1)
    said = {item.case: item.case < "c30" for item in rating.items}
    for place, item in enumerate(rating.items):
        same = {"same_disease": "yes" if said[item.case] else "no"}
        rating.give(place, "ann", "done", same, 'why "it\'s" so')
    rating.write()
    people = str(tmp_path / "ann.csv")
    equal = {case for case, verdict in said.items() if verdict == (case >= "c04")}
    assert len(said) == 20 and 8 < len(equal) < 20
    assert run(["agree", str(judges), people, "--human", "ann", "--json", "--boot", "50"]) == 0
    found = json.loads(capsys.readouterr().out)
    alike = next(row for row in found["rows"] if row["measure"] == "share_identical")
    assert (alike["n"], alike["value"]) == (20, pytest.approx(len(equal) / 20))
    (corrected,) = (row for row in found["corrected"] if row["method"].startswith("prediction"))
    # The judge's share of all, 36 of 40, and the mean difference of ann's verdicts on the sample.
    shift = sum(verdict - (case >= "c04") for case, verdict in said.items()) / 20
    assert corrected["n_calibration"] == 20
    assert corrected["value"] == pytest.approx(36 / 40 + shift)
    jury = ["judge", TASK, str(table), "--human", people, "--human", _as(judges, "bob"),
            "--case", "id", "--votes", str(tmp_path / "votes.csv"), "-o", str(out)]  # fmt: skip
    assert run(jury) == 3  # ann has no vote on half of the pairs
    voted = {vote.case: vote for vote in read_votes(tmp_path / "votes.csv")
             if vote.judge == "human:ann" and vote.status == "done"}  # fmt: skip
    assert {case: vote.verdict for case, vote in voted.items()} == said
    assert {vote.explanation for vote in voted.values()} == {'why "it\'s" so'}
    ended = {row["id"]: row for row in map(json.loads, out.read_text("utf-8").splitlines())}
    tied = {case for case in said if ended[case]["status"] == "tied"}
    assert tied == said.keys() - equal


def _as(votes: Path, name: str) -> str:
    """Write the same votes as those of somebody else."""
    path = votes.with_name(f"{name}.csv")
    write_votes(path, [replace(vote, judge=name) for vote in read_votes(votes)])
    return str(path)
