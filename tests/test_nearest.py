"""Every command names the column that a misspelt one was likely meant to be."""

from pathlib import Path

import pytest

from dxjudge.cli.main import run
from dxjudge.files.nearest import nearest, no_such

NOBODY = "openai:m@http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("header", "command", "message"),
    [
        ("id,diagnsis", "map", "name it with --column (did you mean diagnsis?); there are: id"),
        (
            "id,diagnosis",
            "map --column Diagnosys",
            "no column 'Diagnosys'; did you mean diagnosis? there are: id, diagnosis",
        ),
        (
            "predcted,truth",
            "judge judge_equivalence",
            "did you mean --set predicted=predcted? in.csv has predcted, truth",
        ),
        (
            "dx,truth",
            "judge judge_equivalence --set predicted=dy",
            "no column 'dy'; there are: dx, truth",
        ),
        (
            "predicted,gold",
            "judge judge_equivalence --set truth=golden",
            "no column 'golden'; did you mean gold? there are: predicted, gold",
        ),
        (
            "predicted,truht",
            f"stress judge_equivalence --judge {NOBODY}",
            "did you mean --set truth=truht?",
        ),
        (
            "predicted,truth,number",
            f"stress judge_equivalence --judge {NOBODY} --case nummer",
            "no column 'nummer'; did you mean number?",
        ),
        ("case,step,judge,verdct", "agree", "no column verdict (did you mean verdct?); a table"),
        (
            "case,step,judge,verdict,group",
            "agree --by gruop",
            "the group column 'gruop'; did you mean group?",
        ),
        (
            "case,step,judge,verdict,clinician",
            "agree --human Clinican",
            "nor a column of the votes; did you mean clinician?",
        ),
    ],
)
def test_a_misspelt_column_is_answered_with_the_likely_one(
    header: str, command: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = ",".join(map(str, range(1, len(header.split(",")) + 1)))
    Path("in.csv").write_text(f"{header}\n{cells}\n", encoding="utf-8")
    name, *options = command.split()
    step, options = (options[:1], options[1:]) if name in ("judge", "stress") else ([], options)
    output = [] if name == "agree" else ["-o", "out.csv"]
    assert run([name, *step, "in.csv", *output, *options]) in (2, 4)
    assert message in " ".join(capsys.readouterr().err.split())


def test_judge_says_which_unread_column_was_likely_meant(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("in.csv").write_text("text,resonse\na,b\n", encoding="utf-8")
    step = ["judge", "extract_final_diagnosis", "in.csv", "-o", "out.csv", "--engine", "rules"]
    assert run([*step, "--set", "response=text"]) in (0, 3)
    assert "not read: resonse\n" in capsys.readouterr().err
    Path("in.csv").write_text("question,options,answer,multipel\nQ?,[],A,no\n", encoding="utf-8")
    run(["judge", "match_option", "in.csv", "-o", "options.csv", "--engine", "rules"])
    assert "not read: multipel (did you mean multiple?)" in capsys.readouterr().err


def test_agree_warns_of_a_group_that_is_likely_a_misspelt_column(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = "1,s,a,yes,done,x\n1,s,b,yes,done,x\n2,s,a,no,done,y\n2,s,b,no,done,y\n"
    Path("in.csv").write_text(f"case,step,judge,verdict,stauts,ward\n{rows}", encoding="utf-8")
    assert run(["agree", "in.csv"]) == 0
    warning = "dxjudge: warning: in.csv: read as a group: stauts (did you mean status?)\n"
    assert capsys.readouterr().err.startswith(warning)


def test_a_right_column_that_is_needed_is_not_taken_for_a_misspelt_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("in.csv").write_text("predicted,predicted_by\na,b\n", encoding="utf-8")
    assert run(["judge", "judge_equivalence", "in.csv", "-o", "out.csv", "--judge", NOBODY]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_a_file_that_is_named_without_its_suffix_is_recognised(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("judge_urgency.py").write_text("", encoding="utf-8")
    Path("in.csv").write_text("text\na\n", encoding="utf-8")
    assert run(["judge", "judge_urgency", "in.csv", "-o", "out.csv", "--judge", NOBODY]) == 2
    message = "no step 'judge_urgency'; a step of the file judge_urgency.py is named judge_urgency"
    assert f"{message}.py:NAME\n" in capsys.readouterr().err


def test_the_nearest_name_is_found_in_any_case_and_the_first_wins() -> None:
    assert nearest("VERDCT", ["case", "Verdict", "verdict"]) == "Verdict"
    assert nearest("weight", ["case", "judge"]) == ""


def test_a_name_that_does_not_exist_is_compared_with_those_beside_it_only() -> None:
    known = ["tasks", "tau"]
    assert no_such("setting", ("taks",), known) == "there is no setting taks; did you mean tasks?"
    assert no_such("field", ("zzz",), known) == "there is no field zzz; there are tasks, tau"
    assert no_such("field", ("tasks", 0, "taus"), known) == "there is no field tasks.0.taus"
