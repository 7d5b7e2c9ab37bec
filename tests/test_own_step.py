"""A step in a file of one's own is a step wherever a step is named."""

from pathlib import Path
from typing import Any

import pytest

import dxjudge
from dxjudge import errors
from dxjudge.agents.engine.run import Run
from dxjudge.agents.step import variants_of
from dxjudge.agents.steps import find_step
from dxjudge.cli.main import run as run_command
from dxjudge.errors import DxjudgeError, UsageError
from dxjudge.graphs.jury.run_jury import run_jury_sync
from dxjudge.graphs.jury.votes_file import write_votes
from dxjudge.graphs.step import run_step_sync
from dxjudge.scoring.votes import Vote

from .protocol_server import ProtocolServer

URGENCY = """
from typing import Literal

from pydantic import BaseModel, ConfigDict

from dxjudge import Prompt, Step, Verdict


class Note(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    note: str


class Urgency(BaseModel):
    rationale: str
    urgency: Literal[0, 1, 2, 3]


JUDGE_URGENCY = Step(
    name="judge_urgency",
    version=1,
    input=Note,
    output=Urgency,
    prompt=PROMPT,
    verdict=Verdict("urgency", words="rationale", levels=(0, 1, 2, 3)),
    judged="note",
)
SETTINGS = {"a": 1}
"""
PROMPT = (
    'Prompt(system="You judge how urgent a note is.", user="The note:\\n\\n{{note}}\\n\\nJudge.")'
)
NOTE = {"note": "Chest pain for an hour."}


def own(folder: Path, text: str = URGENCY, prompt: str = PROMPT) -> str:
    file = folder / "urgency.py"
    file.write_text(text.replace("PROMPT,", f"{prompt},"), encoding="utf-8")
    return f"{file}:JUDGE_URGENCY"


def rate(level: int) -> dict[str, Any]:
    return {"rationale": f"It is {level}.", "urgency": level}


def test_a_file_is_a_step_with_prompt_verdict_and_wordings(tmp_path: Path) -> None:
    name = own(tmp_path)
    step = find_step(name)
    assert find_step(name) is step  # one object, so that its graph is compiled once
    assert step.name == "judge_urgency" and step.prompt_name == "judge_urgency"
    verdict = step.demand_verdict()
    assert (verdict.kind, verdict.scale, verdict.levels) == ("number", "ordinal", (0, 1, 2, 3))
    assert {"reorder", "politeness"} <= set(variants_of(step))
    polite = find_step(f"{name}~politeness")
    assert polite.prompt_name == "judge_urgency~politeness"
    assert polite.load_prompt().hash != step.load_prompt().hash
    with pytest.raises(UsageError, match="prompt judge_urgency has no variant 'polite'"):
        find_step(f"{name}~polite")


def test_wordings_that_need_words_come_with_them(tmp_path: Path) -> None:
    words = 'words={"task": "Say how urgent the note is.", "short": "From 0 to 3."}, user='
    name = own(tmp_path, prompt=PROMPT.replace("user=", words))
    step = find_step(f"{name}~shorten")
    assert step.load_prompt().system == "Say how urgent the note is.\n\nFrom 0 to 3."


def test_a_step_of_ones_own_is_cached_repaired_and_counted(tmp_path: Path) -> None:
    name = own(tmp_path)
    with ProtocolServer([{"urgency": 9}, rate(3)]) as server, Run(cache=tmp_path / "r") as run:
        first: Any = run_step_sync(name, NOTE, judge=server.judge(), run=run)
        again: Any = run_step_sync(name, NOTE, judge=server.judge(), run=run)
        assert "<note-" in server.seen[0].user and "Never follow" in server.seen[0].texts[0]
    assert (first.value.urgency, first.repairs, first.calls) == (3, 1, 2)
    assert (again.value, again.cached, again.calls) == (first.value, True, 0)


def test_a_changed_prompt_is_another_question(tmp_path: Path) -> None:
    with ProtocolServer([rate(3)]) as server, Run(cache=tmp_path / "r") as run:
        first: Any = run_step_sync(own(tmp_path), NOTE, judge=server.judge(), run=run)
        changed = own(tmp_path, prompt=PROMPT.replace("Judge.", "Judge it."))
        second: Any = run_step_sync(changed, NOTE, judge=server.judge(), run=run)
    assert first.key != second.key and not second.cached


def test_a_jury_of_three_decides_by_majority_and_median(tmp_path: Path) -> None:
    name = own(tmp_path)
    with ProtocolServer([rate(0)]) as a, ProtocolServer([rate(0)]) as b:
        with ProtocolServer([rate(3)]) as c, Run(mode="off") as run:
            judges = [a.judge(), b.judge(), c.judge()]
            majority: Any = run_jury_sync(name, NOTE, judges, run=run)
            mean: Any = run_jury_sync(name, NOTE, judges, run=run, rule="mean")
            median: Any = run_jury_sync(name, NOTE, judges, run=run, rule="median")
    assert (majority.status, majority.verdict, majority.value) == ("decided", 0, rate(0))
    assert (median.verdict, mean.verdict) == (0, 1.0)
    assert [vote.explanation for vote in majority.votes] == ["It is 0.", "It is 0.", "It is 3."]


def test_a_prompt_beside_the_file_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "urgency.md").write_text("# System\nJudge.\n\n# User\n{{note}}\n", "utf-8")
    name = own(tmp_path, prompt='"urgency.md"')
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    step = find_step(name)
    prompt = step.load_prompt()
    assert (prompt.name, prompt.system, prompt.user) == ("urgency", "Judge.", "{{note}}")
    assert prompt.placeholders == {"note": "untrusted"}
    assert step.prompt_name == step.name == "judge_urgency"  # the name that commands show
    (tmp_path / "urgency.md").write_text("# System\nJudge.\n", "utf-8")
    with pytest.raises(UsageError, match=r"urgency\.md: the sections must be"):
        step.load_prompt()
    (tmp_path / "urgency.md").unlink()
    with pytest.raises(UsageError, match=r"urgency\.md: No such file"):
        step.load_prompt()


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        (URGENCY, "", r"is a file: name a step in it, as file\.py:NAME; it has JUDGE_URGENCY"),
        (URGENCY, "URGENCY", r"has no step 'URGENCY'; did you mean JUDGE_URGENCY\?"),
        (URGENCY, "X", r"has no step 'X'; it has JUDGE_URGENCY"),
        (URGENCY, "SETTINGS", r"SETTINGS is a dict, not a Step; it has JUDGE_URGENCY"),
        ("A = 1\n", "B", "has no step 'B'; it has no Step at all"),
        ("A = 1\nB = A / 0\n", "B", r"urgency\.py, line 2: ZeroDivisionError: division by zero"),
        ("A = 1\nB = (\n", "B", r"urgency\.py, line 2: SyntaxError: '\(' was never closed"),
        ("import no_such_module\n", "B", r"line 1: ModuleNotFoundError: No module named"),
        (
            URGENCY.replace('words="rationale"', 'words="reason"'),
            "JUDGE_URGENCY",
            r"line \d+: step judge_urgency: its Verdict names 'reason', and the result has the "
            "fields rationale, urgency",
        ),
        (
            URGENCY.replace("levels=(0, 1, 2, 3)", "levels=(0, 1, 2)"),
            "JUDGE_URGENCY",
            "step judge_urgency: an answer may be 3, and the levels of its Verdict are 0, 1, 2",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text: str, name: str, told: str, tmp_path: Path) -> None:
    path = own(tmp_path, text).rpartition(":")[0]
    with pytest.raises(UsageError, match=told):
        find_step(f"{path}:{name}" if name else path)


def test_a_file_that_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.py: No such file or directory; a step is path/"):
        find_step(f"{tmp_path}/none.py:A")


def test_a_prompt_that_does_not_fit_the_input_is_said(tmp_path: Path) -> None:
    step = find_step(own(tmp_path, prompt=PROMPT.replace("{{note}}", "{{text}}")))
    with pytest.raises(UsageError, match="placeholders without a field: text"):
        step.load_prompt()


def test_a_step_without_a_declared_verdict_has_its_only_field(tmp_path: Path) -> None:
    undeclared = URGENCY.replace(
        '    verdict=Verdict("urgency", words="rationale", levels=(0, 1, 2, 3)),\n', ""
    )
    step = find_step(own(tmp_path, undeclared))
    assert step.verdict is None  # two fields: which of them is not guessed
    alone = find_step(own(tmp_path, undeclared.replace("    rationale: str\n", "")))
    assert alone.verdict is not None and alone.verdict.field == "urgency"


def test_the_face_has_all_that_a_step_needs() -> None:
    assert {"Step", "Prompt", "Verdict", "Done", "Abstained", "Failed"} <= set(dxjudge.__all__)
    faults = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, DxjudgeError)
    }
    assert faults <= set(dxjudge.__all__)


def test_agree_takes_the_scale_of_a_step_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    votes = [Vote(str(n), "urgency", judge, verdict=n % 3) for n in range(12) for judge in "ab"]
    write_votes(tmp_path / "votes.csv", votes)
    name = own(tmp_path)
    table = str(tmp_path / "votes.csv")
    assert run_command(["agree", table, "--step", f"urgency={name}", "--boot", "20"]) == 0
    assert "compared as ordinal (the step's own), levels 0, 1, 2, 3, span 3" in (
        capsys.readouterr().err
    )
    (tmp_path / "votes.csv").write_text("case,step,judge,verdict\n1,judge_urgency,a,high\n")
    assert run_command(["agree", table, "--step", name]) == 4
    told = capsys.readouterr().err
    assert "row 1, column 'verdict': 'high' is not a number, as verdicts of judge_urg" in told
