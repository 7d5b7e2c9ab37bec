"""Two confidences of a mapping: of its code and of its category; what is accepted, and on what."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.cli.main import run as dxjudge
from dxjudge.errors import InputError, UsageError
from dxjudge.graphs.accept import acceptance, bins_of, threshold_of, unlike
from dxjudge.graphs.calibrate import Reviewed, check_drawn, fit_calibration
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.confidence import Confidence, shared_out
from dxjudge.ontology.mapping import Mapping
from dxjudge.ontology.recalibrated import (
    Calibration,
    Curve,
    calibration_path,
    read_calibration,
    write_calibration,
)

SHARES = st.floats(0, 1, allow_nan=False)


@given(SHARES, SHARES, st.lists(st.tuples(SHARES, st.sampled_from("ABC")), min_size=1, max_size=9))
def test_scores_stay_probabilities(
    code: float, category: float, others: list[tuple[float, str]]
) -> None:
    scale = max(sum(score for score, _ in others), 1.0)
    scores = [score / scale for score, _ in others]
    categories = [name for _, name in others]
    shares = shared_out(Confidence(code, category), scores, categories)
    own, wide = shares[0]
    assert wide >= own and all(score <= own for score, _ in shares)
    assert sum(score for score, _ in shares) <= 1 + 1e-9
    near = zip(shares, categories, strict=True)
    assert sum(score for (score, _), name in near if name == categories[0]) <= wide + 1e-9
    assert all(total >= score - 1e-9 for score, total in shares)


def test_others_share_what_the_first_leaves() -> None:
    # The first goes from 0.5 to 0.6, so the others have 0.4 / 0.5 of before: 0.24 and 0.08, where
    # the category (0.9) leaves the sibling 0.3 and the other category 0.1.
    shares = shared_out(Confidence(0.6, 0.9), [0.5, 0.3, 0.1], ["A", "A", "B"])
    assert shares == [(0.6, 0.9), (0.24, 0.9), (0.08, 0.08)]


def test_the_category_is_at_least_as_sure_as_the_code() -> None:
    texts = ["heart attack", "pnuemonia", "GERD (reflux)", "unrelated to asthma", "gout"]
    for mapping in Mapper(added="none").map_many(texts):
        assert 0 <= mapping.score <= mapping.category_score <= 1
        for candidate in mapping.candidates:
            assert candidate.score <= candidate.category_score


def test_an_official_term_is_sure_and_a_misspelt_one_is_not() -> None:
    named, misspelt = Mapper(added="none").map_many(["Whooping cough", "whoping cuogh"])
    assert (named.score, named.category_score) == (1.0, 1.0)
    assert misspelt.score < 0.8


def test_a_category_is_as_sure_as_a_category() -> None:
    mapping = Mapper(added="none", specificity="category").map("heart attack")
    assert mapping.score == mapping.category_score


def test_the_threshold_is_the_lowest_whose_bound_keeps_the_promise() -> None:
    # 100 of 100 right from bin 180 on: Wilson's bound at 90 % is 100 / (100 + 1.645^2) = 0.9737.
    # With bin 100 it is that of 190 of 200 (0.95): below 0.95.
    counts = [[180, 100, 100], [100, 100, 90]]
    at = threshold_of([counts], 0.95)
    assert at and (at.lowest, at.right, at.share) == (0.9, 1.0, 0.5)
    assert at.bound == pytest.approx(0.9737, abs=1e-4)
    assert threshold_of([counts], 0.98) is None
    low = threshold_of([counts], 0.9)
    assert low and (low.lowest, low.right) == (0.5, 0.95)


def test_each_style_weighs_the_same() -> None:
    # Shares right of 0.9 (1,000 texts) and 0.7 (100): their mean is 0.8, not 970 / 1,100.
    at = threshold_of([[[150, 1000, 900]], [[150, 100, 70]]], 0.5)
    assert at and at.right == pytest.approx(0.8)


def test_a_lower_precision_accepts_more() -> None:
    lowest = [acceptance(precision).threshold for precision in (0.9, 0.95, 0.98)]
    assert all(lowest) and [at.lowest for at in lowest if at] == sorted(
        at.lowest for at in lowest if at
    )
    sure = Mapping("a", "mapped", "A00", score=0.2, category_score=0.2, decided_by="reviewed")
    unmapped = Mapping("b", "unmapped")
    rule = acceptance(0.95)
    assert rule.accepts(sure) and not rule.accepts(unmapped)
    with pytest.raises(UsageError, match="above 0 and below 1"):
        acceptance(1.0)


def test_confidences_unlike_the_development_sets_are_noticed() -> None:
    def of(scores: list[float]) -> list[Mapping]:
        return [Mapping(str(n), "mapped", "A00", category_score=s) for n, s in enumerate(scores)]

    def told(scores: list[float]) -> float | None:
        return unlike(bins_of(of(scores), "category"), "category")

    assert (told([0.2] * 40) or 0) < -0.5
    assert told([0.2] * 20) is None  # too few to say
    assert told([1.0] * 40) is None  # no text is to be estimated


def planted(seed: int, count: int, shift: float = -1.0, slope: float = 0.8) -> list[Reviewed]:
    """Rows whose true shares of right ones lie on a curve of the scores."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(4, 1, count).round(4)
    truth = Curve(shift, slope)
    right = rng.random(count) < [truth(float(score)) for score in scores]
    return [
        Reviewed(float(score), float(score), bool(mark), bool(mark))
        for score, mark in zip(scores, right, strict=True)
    ]


def test_the_promised_precision_holds_on_planted_columns() -> None:
    truth, broken, accepted = Curve(-0.5, 1.2), 0, 0.0
    column = np.random.default_rng(0).beta(4, 1, 2000).round(4).tolist()
    for seed in range(12):
        calibration = fit_calibration(planted(seed, 200, -0.5, 1.2), "x").calibration
        at = threshold_of([calibration.counts("code")], 0.9)
        taken = [truth(score) for score in column if at and calibration.code(score) >= at.lowest]
        broken += bool(taken) and sum(taken) / len(taken) < 0.9
        accepted += len(taken) / len(column)
    assert broken <= 2  # 5 % of 12, with what chance adds
    assert accepted / 12 > 0.1


def test_reviewed_rows_mend_confidences_that_are_too_high() -> None:
    fitted = fit_calibration(planted(3, 200), "x")
    before, after = fitted.brier[0]
    assert after < before and fitted.gain[0].high < 0
    assert fitted.calibration.code(0.9) < 0.85  # the truth there: logistic(-1 + 0.8 * 2.2) = 0.68


def test_right_confidences_stay_as_they_are() -> None:
    calibration = fit_calibration(planted(5, 150, 0.0, 1.0), "x").calibration
    assert calibration.code(0.9) == pytest.approx(0.9, abs=0.06)


def test_rows_that_cannot_calibrate_are_refused() -> None:
    rows = planted(1, 49)
    with pytest.raises(UsageError, match="49 reviewed rows; a calibration needs 50"):
        check_drawn(rows, [], 0)
    best = [Reviewed(0.99, 0.99, n > 2, True) for n in range(60)]
    with pytest.raises(UsageError, match="not drawn at random"):
        check_drawn(best, [row.score for row in planted(2, 200)], 0)
    wrong = [row._replace(code_is_right=False) for row in planted(2, 60)]
    with pytest.raises(UsageError, match="every reviewed row has a corrected code"):
        check_drawn(wrong, [row.score for row in planted(3, 200)], 0)
    check_drawn(planted(2, 60), [row.score for row in planted(3, 200)], 0)


def test_a_calibration_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = calibration_path(tmp_path / "my.table.tsv")
    assert path.name == "my.table.calibration.json"
    calibration = Calibration("icd10cm-1", 60, Curve(0.1, 0.9), Curve(), ((3.0, 2.0, 1.0),), ())
    write_calibration(calibration, path)
    assert read_calibration(path) == calibration
    path.write_text("{}")
    with pytest.raises(InputError, match="is not a calibration"):
        read_calibration(path)


def test_a_column_is_mapped_reviewed_calibrated_and_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, table, out = (tmp_path / name for name in ("in.txt", "t.tsv", "out.csv"))
    names = ["gout", "asthma", "sepsis", "pneumonia", "migraine", "anemia", "cellulitis", "stroke"]
    source.write_text("\n".join(f"{name} of {n}th ward" for name in names for n in range(9)))
    mapping = ["map", str(source), "-o", str(out), "--table", str(table), "--accept", "0.9"]
    assert dxjudge(mapping) == 0
    said = capsys.readouterr().err
    assert re.search(r"accepted at a precision of 0.9 of the category: \d+ of 72", said)
    assert "the 5 development sets" in said
    assert {row["accepted"] for row in csv.DictReader(out.open())} <= {"true", "false"}
    assert dxjudge(["table", "calibrate", str(table)]) == 2
    assert "0 reviewed rows; a calibration needs 50" in capsys.readouterr().err
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for n, row in enumerate([row for row in rows if row["code"]][:52]):
        row["reviewed"] = "yes"
        if n % 3 == 0:  # a third of the codes is wrong, also in category
            row["code"] = "Z23"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    assert dxjudge(["table", "calibrate", str(table)]) == 0
    printed = capsys.readouterr().out
    assert "52 reviewed rows" in printed and "category at 0.95" in printed
    assert json.loads(calibration_path(table).read_text())["reviewed"] == 52
    assert dxjudge(mapping) == 0
    said = capsys.readouterr().err
    assert "confidences fitted to 52 reviewed rows" in said and "the 52 reviewed rows" in said
    assert not list(tmp_path.glob("*.journal*"))  # all texts came from the table
    before = table.read_bytes()
    assert dxjudge([*mapping, "--top-k", "3"]) == 2
    assert "fitted to scores of other settings" in capsys.readouterr().err
    assert table.read_bytes() == before, "it was said before any text was mapped again"
