"""The files of a review: what stands after kills, faults, other writers, and odd content."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dxjudge.cli.main import run
from dxjudge.errors import InputError, UsageError
from dxjudge.ontology.table import read_table
from dxjudge.ontology.table_edit import open_edited, write_edited
from dxjudge.ontology.tree import load_tree
from dxjudge.scoring import weighted_share_interval
from dxjudge.web.reviewing.blind import blind_reviews
from dxjudge.web.reviewing.edited import Conflict
from dxjudge.web.reviewing.log import Log, Review
from dxjudge.web.reviewing.opened import Opening, open_review, read_share
from dxjudge.web.reviewing.order import Wanted, queue
from dxjudge.web.reviewing.rows import in_share, row_id
from dxjudge.web.reviewing.samples import accept, draw, progress
from dxjudge.web.reviewing.session import Decision, Session
from dxjudge.web.reviewing.shown import briefs, detail

TREE = load_tree()
HEAD = "text\tcode\tname\tscore\trows\tsignature\town\n"


def table_of(path: Path, rows: int = 30) -> Path:
    lines = (
        f"text {number}\tR05\tCough\t0.{99 - number:02}\t{rows - number}\ts=R05\tmine {number}\n"
        for number in range(rows)
    )
    path.write_text(HEAD + "".join(lines), "utf-8")
    return path


def session_of(path: Path, **options: object) -> Session:
    return open_review(Opening(path, "icd10cm", **options)).session  # type: ignore[arg-type]


def decide(
    session: Session, text: str, code: str = "R05", reviewer: str = "Ana", **more: str
) -> None:
    row = session.row(row_id(text))
    session.decide(Decision(row.id, session.table.version(row), reviewer, code, **more))  # type: ignore[arg-type]


def test_further_codes_of_a_cell_are_codes_of_the_release_each_once(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(
        "text\tcode\tadditional_codes\n"
        "one\tr05; i10; R05;I10\tE119; I10\n"
        "two\tR05; XYZ9\t\n"
        "three\tR05\tXYZ9\n"
    )
    session = session_of(path)
    one, two, three = (session.row(row_id(text)) for text in ("one", "two", "three"))
    assert (one.code, one.additional, one.fault) == ("R05", ("I10", "E11.9"), "")
    assert "XYZ9" in two.fault and "XYZ9" in three.fault and two.state == "open"


def test_only_the_decided_row_is_written_again(tmp_path: Path) -> None:
    path = table_of(tmp_path / "t.tsv")
    session = session_of(path)
    decide(session, "text 3")  # adds the columns that the table lacks
    before = path.read_bytes().splitlines()
    decide(session, "text 4", "")
    after = path.read_bytes().splitlines()
    assert [old != new for old, new in zip(before, after, strict=True)].count(True) == 1
    entry = read_table(path, TREE).entries["text 4"]
    assert (entry.mapping.code, entry.reviewed, entry.other["own"]) == (None, True, "mine 4")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_of_other_rows_stay(tmp_path: Path, end: str, mark: bytes) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(HEAD, "utf-8")
    columns = "\t".join(open_edited(path).columns)
    rows = [f'"a ""b"" {n}"{chr(9) * columns.count(chr(9))}' for n in range(4)]
    rows[1] = '"two' + end + 'lines"' + "\t" * columns.count("\t")
    path.write_bytes(mark + (end.join([columns, *rows])).encode())  # without a last line end
    file = open_edited(path)
    changed = list(file.rows[3])
    changed[1] = "R05"
    file = write_edited(file, {3: changed})
    data = path.read_bytes()
    kept = mark + (end.join([columns, *rows[:3]]) + end).encode()
    assert (
        data.startswith(kept)
        and data[len(kept) :] == f'"a ""b"" 3"\tR05{chr(9) * 15}{end}'.encode()
    )
    assert open_edited(path).rows == file.rows


def test_a_row_that_somebody_changed_is_not_overwritten(tmp_path: Path) -> None:
    path = table_of(tmp_path / "t.tsv")
    one, other = session_of(path), session_of(path)
    row = other.row(row_id("text 1"))
    seen = other.table.version(row)
    decide(one, "text 1", "J18.9")
    with pytest.raises(Conflict, match="reviewed by Ana: J18.9; nothing was saved"):
        other.decide(Decision(row.id, seen, "Ben", "R05"))
    assert read_table(path, TREE).entries["text 1"].mapping.code == "J18.9"
    decide(other, "text 2", reviewer="Ben")  # other rows can be decided
    with pytest.raises(UsageError, match="nothing of Cem"):
        one.undo("Cem")


def test_undo_refuses_what_others_changed_since(tmp_path: Path) -> None:
    path = table_of(tmp_path / "t.tsv")
    one, other = session_of(path), session_of(path)
    decide(one, "text 1", "J18.9")
    other.refresh()
    decide(other, "text 1", "R05", "Ben")
    with pytest.raises(Conflict, match="changed since, by Ben"):
        one.undo("Ana")
    other.undo("Ben")
    assert one.undo("Ana") == row_id("text 1")
    assert not read_table(path, TREE).entries["text 1"].reviewed


_WRITER = """
import sys
from pathlib import Path
from dxjudge.web.reviewing.opened import Opening, open_review
from dxjudge.web.reviewing.session import Decision
session = open_review(Opening(Path(sys.argv[1]), "icd10cm")).session
for row in list(session.table.rows.values()):
    session.decide(Decision(row.id, session.table.version(row), "Ana", "J18.9"))
    print(row.text, flush=True)
"""


def test_a_kill_in_the_middle_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    path = table_of(tmp_path / "t.tsv", 99)
    with path.open("a", encoding="utf-8") as file:  # so large that writing takes a while
        file.writelines(f"more {n}\tR05\tCough\t0.5\t1\ts=R05\t{'x' * 500}\n" for n in range(2000))
    for wait in (0.05, 0.21):
        with subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout
            saved = [writer.stdout.readline().strip() for _ in range(3)]
            time.sleep(wait)
            os.kill(writer.pid, signal.SIGKILL)
            saved += [line.strip() for line in writer.stdout if line.endswith("\n")]
        entries = read_table(path, TREE).entries
        assert len(entries) == 2099
        assert all(entries[text].mapping.code == "J18.9" for text in saved)
        log = Log(path.with_name("t.reviews.csv"))
        log.refresh()
        assert {review.text for review in log.reviews} >= set(saved)
    decide(
        session_of(path), "text 98"
    )  # the lock and unfinished files of the killed are no hindrance
    assert list(tmp_path.glob(".*.part")) == []


def test_a_line_that_was_cut_short_is_left_out_and_replaced(tmp_path: Path) -> None:
    log = Log(tmp_path / "t.reviews.csv")
    log.append([Review("Ana", "decided", "=a\nb", "R05", note="x")])
    whole = log.path.read_bytes()
    act = whole[whole.index(b"\n") + 1 :]
    for cut in range(1, len(act) - 1):
        log.path.write_bytes(whole + act[:cut])
        again = Log(log.path)
        again.refresh()
        assert again.reviews[0].text == "=a\nb"
    for cut in range(1, 60, 9):
        log.path.write_bytes(whole[:cut])
        again = Log(log.path)
        again.append([Review("Ben", "flagged", "b")])
        fresh = Log(log.path)
        fresh.refresh()
        assert [review.reviewer for review in fresh.reviews] == ["Ben"]
    for wrong, words in (
        (b"a,b\n1,2\n", "no column 'time'"),
        (whole.replace(b"decided", b"chosen"), "act is 'chosen'"),
    ):
        log.path.write_bytes(wrong)
        with pytest.raises(InputError, match=words):
            Log(log.path).refresh()
        assert log.path.read_bytes() == wrong


def test_shares_divide_the_rows(tmp_path: Path) -> None:
    ids = [row_id(f"text {number}") for number in range(3000)]
    parts = [{id for id in ids if in_share(id, (which, 3), 7)} for which in (1, 2, 3)]
    assert sum(map(len, parts)) == 3000 and len(set().union(*parts)) == 3000
    assert all(900 < len(part) < 1100 for part in parts)
    assert parts[0] != {id for id in ids if in_share(id, (1, 3), 8)}
    assert read_share(" 2/3 ") == (2, 3)
    for wrong in ("3/2", "0/2", "a", "1/0"):
        with pytest.raises(UsageError, match="is not a share"):
            read_share(wrong)


def test_the_queue_begins_where_most_rows_may_be_wrong(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    rows = [
        "often sure\tR05\t0.99\t1000",
        "seldom unsure\tR05\t0.20\t2",
        "often unsure\tR05\t0.60\t500",
        "none\t\t\t20",
    ]
    path.write_text(
        "text\tcode\tscore\trows\tsignature\n"
        + "".join(f"{row}\ts={row.split(chr(9))[1]}\n" for row in rows),
        "utf-8",
    )
    session = session_of(path)
    names = [session.row(id).text for id in queue(session, Wanted(), "")]
    # 500 x 0.4 = 200, 20 x 1 = 20, 1000 x 0.01 = 10, 2 x 0.8 = 1.6
    assert names == ["often unsure", "none", "often sure", "seldom unsure"]
    low = queue(session, Wanted(band="low", words="UNSURE"), "")
    assert [session.row(id).text for id in low] == ["seldom unsure"]


def test_a_code_of_another_release_is_told_at_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("text\tcode\treviewed\nodd\tQ99.99\tyes\nfine\tR05\tyes\n", "utf-8")
    session = session_of(path)
    row = session.row(row_id("odd"))
    assert "Q99.99" in row.fault and row.state == "open"
    decide(session, "odd", "Q99.9")
    assert read_table(path, TREE).entries["odd"].mapping.code == "Q99.9"


def test_blind_reviews_hide_others_and_can_be_taken_back(tmp_path: Path) -> None:
    path = table_of(tmp_path / "t.tsv")
    ana, ben = session_of(path, blind=True), session_of(path, blind=True)
    decide(ana, "text 1", "J18.9", note="secret")
    ben.refresh()
    plain = json.dumps(detail(ben, row_id("text 1"), "Ben"))
    assert "J18.9" not in plain and "secret" not in plain and "Ana" not in plain
    assert row_id("text 1") in queue(ben, Wanted(state="open"), "Ben")
    assert row_id("text 1") not in queue(ana, Wanted(state="open"), "Ana")
    ana.undo("Ana")
    assert blind_reviews(ana.log.reviews) == {}


def test_a_flag_is_of_everybody_and_in_a_blind_review_of_its_reviewer(tmp_path: Path) -> None:
    path = table_of(tmp_path / "t.tsv")
    blind, plain = session_of(path, blind=True), session_of(path)
    one, other = row_id("text 1"), row_id("text 2")

    def seen(session: Session, reviewer: str) -> tuple[list[str], list[str], str]:
        session.refresh()
        flags = [row["flagged"] for row in briefs(session, [one, other], reviewer) if row]
        listed = queue(session, Wanted(flagged=True, order="file"), reviewer)
        return flags, listed, detail(session, one, reviewer)["flagged"]

    blind.flag(one, "Ana", on=True)
    blind.flag(one, "Ben", on=True)
    blind.flag(other, "Ben", on=True)
    assert seen(blind, "Ana") == (["Ana", ""], [one], "Ana")
    assert seen(blind, "Ben") == (["Ben", "Ben"], [one, other], "Ben")
    assert seen(plain, "Cem") == (["Ben", "Ben"], [one, other], "Ben")
    plain.flag(other, "Cem", on=False)
    assert seen(plain, "Ana") == (["Ben", ""], [one], "Ben")


def test_acceptance_needs_the_whole_sample_and_the_same_rows(tmp_path: Path) -> None:
    path = table_of(tmp_path / "t.tsv")
    session = session_of(path)
    sample = draw(session, 0.8, 10, "Ana", 1)
    assert (sample.texts, len(sample.drawn)) == (20, 10)  # scores 0.99 down to 0.80
    with pytest.raises(UsageError, match="10 are left"):
        accept(session, "1", "Ana")
    for number, id in enumerate(sample.drawn):
        decide(session, session.row(id).text, "R05" if number else "J18.9")
    text = path.read_text("utf-8")
    path.write_text(text + "new\tR05\tCough\t0.95\t1\ts=R05\tx" + "\t" * 10 + "\n", "utf-8")
    with pytest.raises(UsageError, match="rows were added"):
        accept(session, "1", "Ana")
    path.write_text(text, "utf-8")
    assert accept(session, "1", "Ana") == 10
    told = progress(session)
    weights = [session.row(id).weight for id in sample.drawn]
    interval = weighted_share_interval([bool(n) for n in range(10)], weights)
    unseen = told["unseen"]
    assert unseen["share"] == pytest.approx(1 - weights[0] / sum(weights))
    assert (unseen["low"], unseen["high"]) == pytest.approx((interval.low, interval.high))
    assert told["accepted"] == {"texts": 10, "rows": sum(range(11, 31)) - sum(weights)}
    merged = tmp_path / "merged.tsv"
    other = table_of(tmp_path / "other.tsv")
    assert run(["table", "merge", str(other), str(path), "-o", str(merged), "-q"]) == 0
    assert sum(entry.accepted for entry in read_table(merged, TREE).entries.values()) == 10


def test_what_cannot_be_opened_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of(tmp_path / "t.tsv")
    (tmp_path / "no.tsv").write_text("a\tb\n1\t2\n", "utf-8")
    for arguments, code, words in (
        ([str(tmp_path / "missing.tsv")], 4, "there is no table"),
        ([str(tmp_path / "no.tsv")], 4, "needs a column 'text'"),
        ([str(table), "--share", "4/3"], 2, "is not a share"),
        ([str(table), "--from", "icd10cm"], 2, "--earlier"),
    ):
        assert run(["review", *arguments, "--no-open"]) == code
        assert words in capsys.readouterr().err
