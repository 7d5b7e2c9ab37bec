"""`dxjudge curate` on real files, with a server as its model."""

import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run as dxjudge
from dxjudge.curation.report_text import report_text

from .protocol_server import ProtocolServer, Seen, fail, say
from .test_curation_dermcase import GOOD, REPORTS, stage_of

BROTHERS = REPORTS["two-brothers"]


def answer(seen: Seen) -> Any:
    """Good answers for the one report; the other one has no clear borders."""
    if stage_of(seen) == "split" and "Two brothers" in seen.user:
        return say({"borders_are_clear": False, "cases": []})
    return say(GOOD[stage_of(seen)])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def curate(source: Path, folder: Path, server: ProtocolServer, *options: str) -> int:
    cache = str(folder.parent / "replies.sqlite")
    given = ["--judge", server.judge(), "--cache", cache, "--no-codes", *options]
    return dxjudge(["curate", "dermcase", str(source), "-o", str(folder), *given])


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    sentences = REPORTS["lesser-hand"].replace(". ", ".</p><p>")
    page = f"<html><head><title>x</title></head><body><p>{sentences}</p></body></html>"
    (folder / "a.html").write_text(page, "utf-8")
    (folder / "b.txt").write_text(BROTHERS, "utf-8")
    return folder


def test_a_folder_of_reports_becomes_items_pairs_and_a_summary(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    with ProtocolServer(answer) as server:
        assert curate(reports, out, server) == 0
        asked = len(server.seen)
        first = {path.name: path.read_bytes() for path in out.iterdir()}
        assert curate(reports, out, server) == 0
        assert len(server.seen) == asked  # the replies were kept
    assert {path.name: path.read_bytes() for path in out.iterdir()} != {}
    items = lines(out / "items.jsonl")
    assert [(item["id"], item["ending"]["status"]) for item in items] == [
        ("a/1", "accepted"),
        ("b", "rejected"),
    ]
    case = items[0]["data"]["case"]
    assert case.startswith("A 34-year-old woman") and "<p>" not in case
    pairs = lines(out / "pairs.jsonl")
    assert [pair["kind"] for pair in pairs] == ["wrong diagnosis", "flawed reasoning"]
    assert set(pairs[0]) == {"id", "prompt", "chosen", "rejected", "kind", "errors"}
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert (summary["accepted"], summary["rejected"], summary["failed"]) == (1, 1, 0)
    # Wilson, n = 2, p = 1/2, z = 1.96: middle 1/2, reach 1.96 sqrt(1/8 + 0.2401) / 2.9208 = 0.4055
    assert summary["pass_rate_interval"] == pytest.approx([0.0945, 0.9055], abs=1e-3)
    assert summary["stopped_at"] == {"rejected at split": 1}
    assert first["pairs.jsonl"] == (out / "pairs.jsonl").read_bytes()
    assert "1 accepted" not in capsys.readouterr().out  # the summary goes to standard error


def test_a_failed_report_is_told_and_the_others_stay(tmp_path: Path) -> None:
    table = tmp_path / "reports.jsonl"
    rows = [{"id": "x", "text": ""}, {"id": "y", "text": REPORTS["lesser-hand"]}]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with ProtocolServer(answer) as server:
        assert curate(table, tmp_path / "out", server) == 3
    items = lines(tmp_path / "out" / "items.jsonl")
    assert [item["ending"]["status"] for item in items] == ["failed", "accepted"]
    assert items[0]["ending"]["reasons"] == ["the report holds no text"]


def test_a_server_that_gives_up_on_one_stage_leaves_the_stages_before_it(
    reports: Path, tmp_path: Path
) -> None:
    def breaking(seen: Seen) -> Any:
        return fail(400, "too long") if stage_of(seen) == "reasoning" else answer(seen)

    with ProtocolServer(breaking) as server:
        assert curate(reports, tmp_path / "out", server) == 3
    item = lines(tmp_path / "out" / "items.jsonl")[0]
    assert (item["ending"]["status"], item["ending"]["stage"]) == ("failed", "reasoning")
    assert "question" in item["data"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"id": "a", "body": "x"}\n', "needs one column of report, html, text; it has id, body"),
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', "two reports have one name: a"),
        ('{"id": "", "text": "x"}\n', "row 1: the id is empty"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, words: str
) -> None:
    table = tmp_path / "reports.jsonl"
    table.write_text(content, "utf-8")
    with ProtocolServer(answer) as server:
        assert curate(table, tmp_path / "out", server) in (2, 4)
        assert not server.seen
    assert words in " ".join(capsys.readouterr().err.split())


def test_markup_and_entities_are_taken_off_and_plain_text_stays() -> None:
    page = (
        "<div>Fever of 39&deg;C&nbsp;for 3&#160;days<br>and <i>itch</i><script>x()</script></div>"
    )
    assert report_text(page) == "Fever of 39°C for 3 days\nand itch"
    assert report_text("a < b and\n\nc > d ") == "a < b and\n\nc > d"
