"""What every form of the report says of unresolved items and of numbers without an interval."""

from pathlib import Path
from typing import Any

from .protocol_server import ProtocolServer
from .test_evaluation_run import responses, rows_of, run
from .test_jury_report import NO


def evaluated(folder: Path, cases: int, lacking: int) -> Any:
    """Two models that are always right; `short` has no response to the last cases."""
    truth = responses(
        folder, "cases", [{"id": f"c{n:02}", "diagnosis": "gout"} for n in range(cases)]
    )
    right = [{"id": f"c{n:02}", "predicted_diagnosis": "gout"} for n in range(cases)]
    models = [responses(folder, "whole", right)]
    models.append(responses(folder, "short", right[: cases - lacking]))
    config = folder / "settings.yaml"
    config.write_text("tasks: [extract_final_diagnosis, judge_equivalence]\nresamples: 50\n")
    return run(truth, *models, "--config", config, "-o", folder / "out")


def test_every_form_says_what_holds_if_everything_unresolved_were_wrong(tmp_path: Path) -> None:
    done = evaluated(tmp_path, 14, 3)
    assert done.exit_code == 3, done.output
    # Over the 11 common cases both are right on all: a tie. If the 3 cases without a response
    # were wrong, `short` would be right on 11 of 14. Its bounds, 11 / 14 to 1, meet those of
    # `whole`, 1 to 1.
    note = (
        "Accuracy, stand-ins: ranks are over 11 cases that all models resolved; if every "
        "unresolved item were wrong, short would be 2 (now 1); the unresolved items could turn the "
        "order of short and whole."
    )
    assert note in done.stderr.replace("\n", " ")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert note.split(": ")[1] in page
    assert '"1 *"' in page
    # The difference over all 14 cases is 1 - 11 / 14 = 3 / 14 = 0.214, at most that, at least 0.
    assert '"0.214","0.000 to 0.214"' in page
    latex = (tmp_path / "out" / "ranks.tex").read_text()
    assert "short & 1.000 & 1 * & 11 & 2 & whole" in latex
    assert "* marks a rank that the unresolved items could change" in latex


def test_nothing_is_said_of_ranks_when_everything_is_resolved(tmp_path: Path) -> None:
    done = evaluated(tmp_path, 12, 0)
    assert done.exit_code == 0, done.output
    assert "unresolved" not in done.stderr
    assert " * &" not in (tmp_path / "out" / "ranks.tex").read_text()


def test_a_number_without_an_interval_has_the_reason_beside_it(tmp_path: Path) -> None:
    done = evaluated(tmp_path, 6, 0)
    assert done.exit_code == 0, done.output
    reason = "6 cases are too few for an interval (at least 10)"
    assert reason in " ".join(done.stdout.replace("│", " ").split())
    out = tmp_path / "out"
    assert f"1.000 ({reason})" in (out / "report.html").read_text(encoding="utf-8")
    assert f"1.000 ({reason})" in (out / "main_table.tex").read_text()
    for row in rows_of(out / "main_table.csv"):
        assert row["no interval"].endswith(f": {reason}")
    for row in rows_of(out / "summary.csv"):
        assert row["warning"] == reason


def test_the_tables_of_judges_have_the_reason_too(tmp_path: Path) -> None:
    truth = responses(tmp_path, "cases", [{"id": f"c{n}", "diagnosis": "gout"} for n in range(6)])
    answers = [{"id": f"c{n}", "predicted_diagnosis": "podagra"} for n in range(6)]
    models = [responses(tmp_path, name, answers) for name in ("one", "two")]
    config = tmp_path / "settings.yaml"
    config.write_text("tasks: [extract_final_diagnosis, judge_equivalence]\nresamples: 50\n")
    with ProtocolServer([{"same_disease": "yes"}]) as a, ProtocolServer([NO]) as b:
        done = run(
            truth, *models, "--config", config, "-o", tmp_path / "out", "--judge", a.judge(),
            "--judge", b.judge(), "--cache-mode", "off",
        )  # fmt: skip
    assert done.exit_code == 0, done.output
    reason = "6 cases are too few for an interval (at least 10)"
    page = (tmp_path / "out" / "swap.md").read_text(encoding="utf-8")
    assert f"1.000 ({reason}) #1" in page  # a score
    assert f"0.500 ({reason})" in page  # what the mean of the judges gains without the other one
    latex = (tmp_path / "out" / "agreement.tex").read_text()
    assert "- (6 cases with two verdicts are too few (at least 10))" in latex
