"""Votes, and the long table that they are kept in."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dxjudge.agents.steps import find_verdict
from dxjudge.errors import InputError, UsageError
from dxjudge.graphs.jury.votes_file import read_verdict, read_votes, verdict_text, write_votes
from dxjudge.scoring.votes import STATUSES, Vote, identity

FORMATS = ("csv", "tsv", "jsonl", "parquet")
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)
WORD = TEXT.map(str.strip).filter(bool)
NUMBER = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**15), 10**15)
# A verdict of a listed step is read as that step's kind.
OWN_STEP = WORD.filter(lambda name: find_verdict(name)[0] is None)
VERDICT = st.booleans() | NUMBER | TEXT.filter(str.strip)


@st.composite
def votes(draw: st.DrawFn) -> Vote:
    status = draw(st.sampled_from(STATUSES))
    return Vote(
        case=draw(WORD),
        step=draw(OWN_STEP),
        judge=draw(WORD),
        repeat=draw(st.integers(0, 9)),
        variant=draw(st.just("") | WORD),
        status=status,
        verdict=draw(VERDICT) if status == "done" else None,
        explanation=draw(st.just("") | WORD),
        reason=draw(st.just("") | WORD),
        tokens_in=draw(st.none() | st.integers(0, 10**6)),
        cost=draw(st.none() | st.floats(0, 10)),
        groups=draw(st.dictionaries(st.sampled_from(["model", "sex"]), WORD)),
    )


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30
)
@given(held=st.lists(votes(), max_size=5, unique_by=lambda vote: vote.key))
@pytest.mark.parametrize("format", FORMATS)
def test_votes_are_read_back_as_they_were_written(
    tmp_path: Path, format: str, held: list[Vote]
) -> None:
    path = tmp_path / f"votes.{format}"
    write_votes(path, held)
    if not held and format == "jsonl":
        return  # no line, no column: an empty file is no table
    found = read_votes(path)
    assert found == held
    kinds = [type(vote.verdict) for vote in found]
    assert kinds == [type(vote.verdict) for vote in held]


@given(VERDICT)
def test_a_verdict_survives_its_text(verdict: Any) -> None:
    text = verdict_text(verdict)
    assert text is not None
    assert identity(read_verdict(text)) == identity(verdict)


def table(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_by_hand_needs_four_columns(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "case,step,judge,verdict,hospital\n1,grade_ddx,Ann,4,north\n2,grade_ddx,Ann,,north\n"
        "1,judge_equivalence,Ann,TRUE,\n",
    )
    first, second, third = read_votes(path)
    assert first == Vote("1", "grade_ddx", "Ann", verdict=4, groups={"hospital": "north"})
    assert (second.status, second.reason) == ("failed", "the table has no verdict")
    assert third.verdict is True and third.groups == {}


def test_verdicts_of_other_programs_keep_their_types(tmp_path: Path) -> None:
    columns = {"case": [1, 2], "step": ["s", "s"], "judge": ["a", "a"]}
    path = tmp_path / "votes.parquet"
    pq.write_table(pa.table({**columns, "verdict": [True, False]}), path)
    assert [vote.verdict for vote in read_votes(path)] == [True, False]
    pq.write_table(pa.table({**columns, "verdict": [1.5, None]}), path)
    assert [vote.verdict for vote in read_votes(path)] == [1.5, None]
    rows = [{"case": "1", "step": "s", "judge": "a", "verdict": "2"}]
    lines = "\n".join(map(json.dumps, rows))
    assert read_votes(table(tmp_path, lines, "votes.jsonl"))[0].verdict == "2"


def test_the_verdict_of_a_known_step_is_read_as_that_step_has_it(tmp_path: Path) -> None:
    lines = (
        "case,step,judge,verdict",
        "1,match_option,a,2",
        "1,extract_final_diagnosis,a,true",
        "1,judge_equivalence,a,yes",
        "1,judge_equivalence,b,0",
        "1,grade_ddx,a,+4",
        "1,score_rubric.knowledge,a,3",
        "1,label_errors.other,a,1",
        "1,somebody_elses,a,1",
    )
    found = read_votes(table(tmp_path, "\n".join(lines) + "\n"))
    told = [vote.verdict for vote in found]
    assert told == ["2", "true", True, False, 4, 3, True, 1]
    assert [type(verdict) for verdict in told[2:4]] == [bool, bool]
    assert type(told[-2]) is bool and type(told[-1]) is int
    typed = {"case": "1", "step": "match_option", "judge": "a", "verdict": 2}
    assert read_votes(table(tmp_path, json.dumps(typed), "v.jsonl"))[0].verdict == "2"


HEAD = "case,step,judge,repeat,variant,status,verdict,cost\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("case,judge,verdict\n1,a,2\n", "has no column step; a table of votes has case, step,"),
        ("case,step,judge,verdict,verdict\n1,s,a,2,2\n", "has two columns 'verdict'"),
        (HEAD + "1,s,a,0,,done,2,\n,s,a,0,,done,2,\n", "row 2, column 'case': is empty"),
        (HEAD + "1,s,a,x,,done,2,\n", "row 1, column 'repeat': 'x' is not a whole number"),
        (HEAD + "1,s,a,1.5,,done,2,\n", "row 1, column 'repeat': '1.5' is not a whole"),
        (HEAD + "1,s,a,-1,,done,2,\n", "row 1, column 'repeat': repeat -1 is below 0"),
        (
            HEAD + "1,grade_ddx,a,0,,done,good,\n",
            "row 1, column 'verdict': 'good' is not a number, as verdicts of grade_ddx are",
        ),
        (HEAD + "1,s,a,0,,ok,2,\n", "column 'status': status 'ok' is not one of done, abstained"),
        (HEAD + "1,s,a,0,,done,,\n", "column 'verdict': verdict is empty, but the status is"),
        (HEAD + "1,s,a,0,,failed,2,\n", "column 'verdict': the status is failed, but there"),
        (HEAD + "1,s,a,0,,done,2,-1\n", "column 'cost': cost -1.0 is not a number of 0"),
        (
            HEAD + "1,s,a,0,,done,2,\n2,s,a,0,,done,2,\n1,s,a,0,,failed,,\n",
            "row 3: the same case, step, judge, repeat and variant as row 1",
        ),
    ],
)
def test_a_bad_table_is_said_by_row_and_column(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        read_votes(table(tmp_path, text))
    assert told in str(error.value)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    vote = Vote("1", "s", "a", verdict=1)
    with pytest.raises(UsageError, match="there are two votes"):
        write_votes(tmp_path / "v.csv", [vote, vote])
    named = Vote("1", "s", "a", verdict=1, groups={"status": "x"})
    with pytest.raises(UsageError, match="a group cannot be named 'status'"):
        write_votes(tmp_path / "v.csv", [named])
    with pytest.raises(UsageError, match="what format"):
        write_votes(tmp_path / "v.doc", [vote])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": None},
        {"verdict": float("nan")},
        {"verdict": 10**400},
        {"verdict": ["a"]},
        {"status": "failed", "verdict": 1},
        {"case": " ", "verdict": 1},
        {"cost": float("inf"), "verdict": 1},
    ],
)
def test_a_vote_that_contradicts_itself_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Vote(**{"case": "1", "step": "s", "judge": "a", **wrong})
