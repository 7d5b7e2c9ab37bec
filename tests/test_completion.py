"""The tab key completes names of steps, presets, releases, and columns of the file on the line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dxjudge.agents.steps import STEPS
from dxjudge.cli.main import run
from dxjudge.evaluation.presets import PRESETS

TABLE = "case,step,judge,verdict,spécialité,two words\n1,grade_ddx,a,1,ward,x\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.csv").write_text(TABLE, "utf-8")
    (tmp_path / "s.tsv").write_text("truth\tpredicted\ngout\tgout\n", "utf-8")
    return tmp_path


def completed(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """What bash is offered for the last word of a line; a blank at its end begins a new word."""
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - (not line.endswith(" "))))
    monkeypatch.setenv("_DXJUDGE_COMPLETE", "complete_bash")
    assert run([]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return [line for line in said.out.splitlines() if line]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("dxjudge judge grade_f", ["grade_final_diagnosis"]),
        ("dxjudge stress match", ["match_option"]),
        ("dxjudge steps --schema label", ["label_errors"]),
        ("dxjudge cache export out.jsonl --step label", ["label_errors"]),
        ("dxjudge evaluate --preset med", ["medsyn", "mediconfusion", "medlesionvqa"]),
        ("dxjudge check-table t.csv --preset derm", ["dermcase"]),
        ("dxjudge map v.csv --ontology ", ["icd10cm", "icd10"]),
        ("dxjudge evaluate v.csv r.csv --ontology icd10c", ["icd10cm"]),
        ("dxjudge map v.csv --column ", ["case", "step", "judge", "verdict", "spécialité",
                                         "two words"]),
        ("dxjudge map s.tsv --column tr", ["truth"]),
        ("dxjudge map v.csv -q --column=ju", ["judge"]),
        ("dxjudge agree v.csv --by sp", ["spécialité"]),
        ("dxjudge agree v.csv --by step --by ju", ["judge"]),
        ("dxjudge strengths v.csv --case c", ["case"]),
        ("dxjudge power v.csv --first ver", ["verdict"]),
        ("dxjudge evaluate v.csv r.csv --group sp", ["spécialité"]),
        ("dxjudge sources add v.csv --term-column sp", ["spécialité"]),
        ("dxjudge curate dedupe v.csv --column ca", ["case"]),
        ("dxjudge judge judge_equivalence s.tsv --set t", ["truth="]),
        ("dxjudge judge judge_equivalence s.tsv --set truth=", ["truth=truth", "truth=predicted"]),
        ("dxjudge judge no_step s.tsv --set t", []),
        ("dxjudge map none.csv --column ", []),
        ("dxjudge map --column ", []),
    ],
)  # fmt: skip
def test_names_are_offered(
    line: str,
    offered: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert completed(line, monkeypatch, capsys) == offered


def test_all_steps_and_presets_are_offered(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = completed("dxjudge judge ", monkeypatch, capsys)
    assert {step.prompt_name for step in STEPS} <= set(steps)
    presets = completed("dxjudge evaluate --preset ", monkeypatch, capsys)
    assert presets == [preset.name for preset in PRESETS]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_real_bash_is_offered_them(folder: Path) -> None:
    command = shutil.which("dxjudge", path=str(Path(sys.executable).parent))
    assert command, "the tests run against an installed package"
    script = (
        'eval "$(_DXJUDGE_COMPLETE=source_bash "$0")"; COMP_WORDS=("$@"); '
        'COMP_CWORD=$(($# - 1)); _dxjudge_completion "$0"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    words = ["dxjudge", "agree", "v.csv", "--by", "ver"]
    done = subprocess.run(
        ["bash", "--norc", "-c", script, command, *words],
        capture_output=True, text=True, cwd=folder, env=dict(os.environ), check=True,
    )  # fmt: skip
    assert done.stdout == "verdict\n" and done.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        ["map", "v.csv", "--column", "jugde"],
        ["judge", "judge_equivalence", "v.csv", "-o", "o.csv", "--set", "truth=jugde"],
        ["agree", "v.csv", "--by", "ntoe"],
        ["agree", "v.csv", "--item", "ntoe"],
        ["agree", "v.csv", "--human", "ntoe"],
        ["strengths", "v.csv", "--case", "jugde"],
        ["power", "v.csv", "--first", "jugde", "--second", "verdict"],
        ["power", "v.csv", "--first", "case", "--second", "case", "--cluster", "jugde"],
        ["sources", "add", "v.csv", "--term-column", "jugde", "--code-column", "case"],
        ["curate", "dedupe", "v.csv", "-o", "o.csv", "--column", "jugde"],
        ["curate", "dedupe", "v.csv", "-o", "o.csv", "--column", "case", "--codes", "jugde"],
    ],
)
def test_a_misspelt_column_is_answered_with_the_one_that_was_meant(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "v.csv").write_text("case,step,judge,verdict,note\n1,s,a,1,x\n1,s,b,1,y\n", "utf-8")
    assert run(words) in (2, 4)
    meant = "note" if "ntoe" in words else "judge"
    assert f"did you mean {meant}?" in capsys.readouterr().err
