"""What the rows of a command came to is on disk: memory does not grow with them."""

import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from dxjudge.agents.judge import JudgeSpec
from dxjudge.agents.judge_equivalence import JUDGE_EQUIVALENCE, Equivalence
from dxjudge.agents.outcome import Done, Failed, Outcome, read_outcome, write_outcome
from dxjudge.cache.key import fingerprint
from dxjudge.cli.runs.outcomes import Outcomes
from dxjudge.errors import OutputError
from dxjudge.files.forms import Form
from dxjudge.files.frames import with_added
from dxjudge.files.journal import Journal
from dxjudge.files.rows_in import read_sheet, records
from dxjudge.files.rows_out import write_columns
from dxjudge.files.sequences import Lazy
from dxjudge.graphs.jury.columns import jury_columns, votes_cast
from dxjudge.graphs.jury.result import JuryOutcome
from dxjudge.graphs.jury.votes_file import read_votes, write_votes
from dxjudge.scoring.jury import combine
from dxjudge.scoring.votes import Vote

JUDGE = JudgeSpec(provider="openai", model="double", base_url="http://127.0.0.1:8000/v1")


def done(equivalent: bool) -> Outcome:
    return Done(step="s", version=1, decided_by="llm", judge=JUDGE, calls=1, tokens_in=9,
                value=Equivalence(equivalent=equivalent).model_dump())  # fmt: skip


def failed(reason: str) -> Outcome:
    return Failed(step="s", version=1, decided_by="none", kind="refused", reasons=(reason,))


def open_outcomes(path: Path | None) -> Journal[Outcome]:
    return Journal(path, read=read_outcome, write=write_outcome)


def test_each_row_has_its_own_outcome_and_only_final_ones_are_there_after_the_run(
    tmp_path: Path,
) -> None:
    path, keys = tmp_path / "out.journal", ["same", "same", "", "other"]
    given = [done(True), done(False), failed("no \ud800"), failed("x" * 20_000)]
    with open_outcomes(path) as journal, Outcomes(keys, journal) as outcomes:
        assert list(outcomes.open_rows()) == [0, 1, 2, 3] and outcomes.resumed == 0
        for row in (3, 1, 0, 2):
            outcomes.keep(row, given[row], is_final=row < 2)
        assert list(outcomes) == given == outcomes[:] and not outcomes.all_final
    with open_outcomes(path) as journal, Outcomes(keys, journal) as outcomes:
        assert (outcomes.resumed, list(outcomes.open_rows())) == (2, [2, 3])
        assert outcomes[0] == outcomes[1] == given[0], "the last one with this key"


def test_without_a_journal_they_are_all_there_until_the_end() -> None:
    with Outcomes(["one", "two"], open_outcomes(None)) as outcomes:
        outcomes.keep(1, done(False), is_final=True)
        outcomes.keep(0, done(True), is_final=True)
        assert list(outcomes) == [done(True), done(False)] and outcomes.all_final


def test_the_columns_and_votes_of_a_jury_are_read_when_they_are_written_each_row_once(
    tmp_path: Path,
) -> None:
    name, read = JUDGE_EQUIVALENCE.name, Counter[int]()

    def outcome(row: int) -> JuryOutcome:
        read[row] += 1
        judges = "abc"[: 2 + row % 2]  # not as many votes on each row
        votes = tuple(Vote(str(row), name, judge, verdict=row > 1) for judge in judges)
        verdicts = {name: combine(votes)}
        return JuryOutcome(str(row), name, verdicts, votes, {"equivalent": row > 1})

    outcomes = Lazy(4, outcome)
    columns = jury_columns(JUDGE_EQUIVALENCE, outcomes)
    assert not read
    for form in ("csv", "parquet"):
        write_columns(str(tmp_path / f"rows.{form}"), form, columns)
        assert read == Counter(range(4))
        read.clear()
    framed = with_added([{"n": row} for row in range(4)], columns)
    assert read == Counter(range(4)) and [row["verdict"] for row in framed][2:] == [True, True]
    read.clear()
    rows = records(read_sheet(str(tmp_path / "rows.csv"), Form()))
    assert [row["verdict"] for row in rows] == ["false", "false", "true", "true"]
    write_votes(tmp_path / "votes.csv", votes_cast(outcomes))
    assert set(read.values()) == {3}  # to count the votes, to look for repeated ones, to write
    kept = read_votes(tmp_path / "votes.csv")
    assert kept == [vote for row in range(4) for vote in outcome(row).votes]
    assert not votes_cast([])


def test_without_a_place_for_a_temporary_file_a_run_says_so_and_a_journal_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    with open_outcomes(tmp_path / "journal") as journal, Outcomes(["one"], journal) as outcomes:
        outcomes.keep(0, done(True), is_final=True)
        assert outcomes[0] == done(True)
        with pytest.raises(OutputError, match="TMPDIR"):
            outcomes.keep(0, failed("no"), is_final=False)


def test_a_row_more_takes_less_than_half_a_kilobyte_of_memory(tmp_path: Path) -> None:
    rows = 1500
    tracemalloc.start()
    keys = [fingerprint(str(row)) for row in range(rows)]
    with open_outcomes(tmp_path / "journal") as journal, Outcomes(keys, journal) as outcomes:
        for row in range(rows):
            outcomes.keep(row, done(row % 3 == 0), is_final=row % 2 == 0)
        used, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert outcomes[1499] == done(False)
    assert used / rows < 512, used / rows
