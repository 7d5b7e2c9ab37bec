"""What the tables and the report of an evaluation say of a jury that comes to no verdict."""

from pathlib import Path

from .protocol_server import ProtocolServer
from .test_evaluation_run import responses, rows_of, run


def test_a_tied_jury_is_undecided_and_nobody_has_failed(tmp_path: Path) -> None:
    cases = responses(tmp_path, "cases", [{"id": "c1", "diagnosis": "gout"}])
    answers = responses(tmp_path, "one", [{"id": "c1", "predicted_diagnosis": "podagra"}])
    config = tmp_path / "settings.yaml"
    config.write_text("tasks: [extract_final_diagnosis, judge_equivalence]\nresamples: 20\n")
    with ProtocolServer([{"same_disease": "yes"}]) as a:
        with ProtocolServer([{"same_disease": "no"}]) as b:
            done = run(
                cases, answers, "--config", config, "-o", tmp_path / "out", "--jury", "majority",
                "--judge", a.judge(), "--judge", b.judge(), "--cache-mode", "off",
            )  # fmt: skip
    assert done.exit_code == 3, done.output  # a case without a verdict is not counted
    ended = {row["judge"]: row["status"] for row in rows_of(tmp_path / "out" / "verdicts.csv")}
    assert ended["jury:majority"] == "undecided"
    assert set(ended.values()) == {"done", "undecided"}
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "undecided" in page and "tied: no verdict has more than half" in page
