"""What the tables and the report of an evaluation say of a jury that comes to no verdict."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from .protocol_server import ProtocolServer, fail
from .test_evaluation_report import cases_of
from .test_evaluation_run import responses, rows_of, run


def summary(
    folder: Path, settings: str, case: dict[str, Any], answer: dict[str, Any], *replies: Any
) -> dict[str, str]:
    """Evaluate one case with a judge for each reply, and return the jury's row of summary.csv."""
    cases = responses(folder, "cases", [{"id": "c1", **case}])
    answers = responses(folder, "one", [{"id": "c1", **answer}])
    config = folder / "settings.yaml"
    config.write_text(f"{settings}\nresamples: 20\n")
    with ExitStack() as servers:
        judges = [servers.enter_context(ProtocolServer([reply])).judge() for reply in replies]
        named = [part for judge in judges for part in ("--judge", judge)]
        done = run(
            cases, answers, "--config", config, "-o", folder / "out", "--jury", "majority",
            *named, "--cache-mode", "off",
        )  # fmt: skip
    assert done.exit_code == 3, done.output  # a case without a verdict is not counted
    has_failed = any(not isinstance(reply, dict) for reply in replies)
    assert ("failed: " in done.stderr) == has_failed
    assert ("without a verdict: 1 " in done.stderr) != has_failed
    rows = rows_of(folder / "out" / "summary.csv")
    (row,) = [row for row in rows if row["judge"] == "jury:majority" and not row["group_by"]]
    return row


FINAL = "tasks: [extract_final_diagnosis, judge_equivalence]"
GOUT = {"diagnosis": "gout"}
PODAGRA = {"predicted_diagnosis": "podagra"}
YES, NO = {"same_disease": "yes"}, {"same_disease": "no"}


def test_a_tied_jury_is_undecided_and_nobody_has_failed(tmp_path: Path) -> None:
    row = summary(tmp_path, FINAL, GOUT, PODAGRA, YES, NO)
    assert (row["n"], row["failed"], row["undecided"]) == ("1", "0", "1")
    assert (row["value"], row["worst"], row["best"]) == ("", "0.0", "1.0")
    ended = {row["judge"]: row["status"] for row in rows_of(tmp_path / "out" / "verdicts.csv")}
    assert ended["jury:majority"] == "undecided"
    assert set(ended.values()) == {"done", "undecided"}
    kinds = {row["failure"] for row in rows_of(tmp_path / "out" / "verdicts.csv")}
    assert kinds == {"", "tied"}
    main = {row["judge"]: row for row in rows_of(tmp_path / "out" / "main_table.csv")}
    assert (main["jury:majority"]["failed"], main["jury:majority"]["undecided"]) == ("0", "1")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    said = json.dumps(cases_of(page))
    assert "undecided" in said and "tied: no verdict has more than half" in said
    assert "& Undecided &" in (tmp_path / "out" / "main_table.tex").read_text()


def test_a_jury_without_its_quorum_has_failed(tmp_path: Path) -> None:
    # One of three answers; the quorum is two.
    row = summary(tmp_path, FINAL, GOUT, PODAGRA, YES, fail(400, "no"), fail(400, "no"))
    assert (row["failed"], row["undecided"]) == ("1", "0")
    kinds = {row["judge"]: row["failure"] for row in rows_of(tmp_path / "out" / "verdicts.csv")}
    assert kinds["jury:majority"] == "no_quorum"


@pytest.mark.parametrize(
    ("settings", "case", "answer", "replies"),
    [
        (
            "tasks: [extract_ddx, judge_equivalence_ddx]\ntop: [1]\ncolumns: [top_1]",
            GOUT,
            {"predicted_ddx": ["podagra"]},
            (YES, NO),
        ),
        (
            "preset: choice",
            {"question": "Which?", "A": "gout", "B": "asthma", "answer": "A"},
            {"response": "The first or the second, it is hard to say."},
            ({"letters": ["A"]}, {"letters": ["B"]}),
        ),
        (
            "tasks: [{step: judge_equivalence, name: same, set: {truth: case.diagnosis, "
            "predicted: response.predicted_diagnosis}}]\ncolumns: [same]",
            GOUT,
            PODAGRA,
            (YES, NO),
        ),
    ],
)
def test_a_tie_is_undecided_in_every_measure(
    tmp_path: Path, settings: str, case: Any, answer: Any, replies: Any
) -> None:
    row = summary(tmp_path, settings, case, answer, *replies)
    assert (row["failed"], row["undecided"]) == ("0", "1")
