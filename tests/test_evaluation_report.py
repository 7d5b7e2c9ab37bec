"""The report: complete in itself, safe against what models write, small, and readable."""

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.evaluation.cases import Case, Diagnosis, Response
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judging import Panel
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.report.case_pages import highlight
from dxjudge.evaluation.report.figures import all_figures
from dxjudge.evaluation.report.html import LARGEST, render, write_report
from dxjudge.evaluation.report.judge_figures import judge_figures
from dxjudge.evaluation.result import Evaluation

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer

EVIL = '</p><script>document.title="owned"</script><img src=x onerror=alert(1)> "q" & \'a\''
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def make(folder: Path, judges: int = 2, cases: int = 12, text: str = EVIL) -> Evaluation:
    held = tuple(
        Case(
            id=f"c{n}{EVIL if n == 0 else ''}",
            case=f"A patient with finding {n}. {text}",
            reference=f"The reference of {n}. {text}",
            diagnosis=Diagnosis(f"disease {n}"),
            groups={"ward": ("east" if n % 2 else EVIL,)},
        )
        for n in range(cases)
    )
    responses = {
        model: {
            case.id: (
                Response(case.id, text=f"I think so because of {model}. {text}",
                         diagnosis=f"{model} guess {EVIL}", ddx=(EVIL, f"disease {n}")),
            )
            for n, case in enumerate(held)
        }
        for model in ("alpha", EVIL)
    }  # fmt: skip
    with (
        ProtocolServer(make_judge(0)) as first,
        ProtocolServer(make_judge(1)) as second,
        Run(mode="off", ledger=folder / "attempts.jsonl") as run,
    ):
        named = (first.judge(), second.judge())[:judges]
        settings = read_settings(None, judges=named, resamples=50)
        return evaluate(held, responses, settings, Panel(named, run))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evaluation, Path, str]:
    folder = tmp_path_factory.mktemp("report")
    made = make(folder)
    write_report(made, folder, shown=200)
    return made, folder, (folder / "report.html").read_text(encoding="utf-8")


class Outline(HTMLParser):
    """Tags with their attributes, and the tags that are open at the end."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br", "input", "img", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"


def test_nothing_that_a_model_wrote_is_markup(page: tuple[Evaluation, Path, str]) -> None:
    outline = Outline(page[2])
    assert sum(tag == "script" for tag, _ in outline.tags) == 1
    assert not any(tag == "img" for tag, _ in outline.tags)
    assert not any(name.startswith("on") for _, held in outline.tags for name in held)
    assert "&lt;script&gt;document.title" in page[2]


def test_the_page_is_well_formed_and_needs_no_network(page: tuple[Evaluation, Path, str]) -> None:
    outline = Outline(page[2])
    assert outline.open == []
    for tag, held in outline.tags:
        assert "src" not in held, tag
        if "href" in held:
            assert (held["href"] or "").startswith("#")
    assert "default-src 'none'" in page[2]
    style = re.search(r"<style>(.*?)</style>", page[2], re.DOTALL)
    assert style and "url(" not in style[1] and "@import" not in style[1]


def test_every_link_within_the_page_has_its_place(page: tuple[Evaluation, Path, str]) -> None:
    outline = Outline(page[2])
    ids = [held["id"] for _, held in outline.tags if held.get("id")]
    assert len(ids) == len(set(ids))
    links = {(held["href"] or "")[1:] for tag, held in outline.tags if tag == "a"}
    assert links <= set(ids)
    labels = [held for tag, held in outline.tags if tag == "svg"]
    assert labels and all(held.get("role") == "img" and held.get("aria-label") for held in labels)


def test_verdicts_quotes_and_attempts_are_there(page: tuple[Evaluation, Path, str]) -> None:
    made, _, text = page
    assert text.count('class="case"') == 12
    assert text.count("<mark") > 5
    assert "first answer, valid" in text
    for task in ("grade_ddx", "score_rubric", "label_errors", "judge_equivalence_ddx 2"):
        assert f"<td>{task}</td>" in text
    assert made.signature["id"] in text


def test_the_figures_that_people_expect(page: tuple[Evaluation, Path, str]) -> None:
    made, folder, _ = page
    names = {figure.name for figure in all_figures(made)}
    assert {"rubric_1", "rubric_2", "errors_1", "ddx_grades_1"} <= names
    names |= {figure.name for figure in judge_figures(made)}
    assert {"confusion_judge_equivalence", "confusion_grade_ddx"} <= names
    for name in names:
        path = folder / "figures" / f"{name}.svg"
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))  # else not XML
        assert root.tag.endswith("svg")


def test_figures_come_in_every_form(page: tuple[Evaluation, Path, str]) -> None:
    drawings = list((page[1] / "figures").glob("*.svg"))
    assert drawings
    for path in drawings:
        assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
        spec = json.loads(path.with_suffix(".vl.json").read_text(encoding="utf-8"))
        assert "vega-lite" in spec["$schema"]


def test_many_long_cases_stay_under_five_megabytes(tmp_path: Path) -> None:
    made = make(tmp_path, judges=1, cases=40)
    held = {"turn": 0, "status": "invalid", "text": "é" * 9000, "error": "x" * 9000}
    keys = {v.outcome.key for vs in made.judged.outcomes.values() for v in vs if v.outcome.key}
    with (tmp_path / "attempts.jsonl").open("w") as file:
        for key in keys:
            file.write((json.dumps({"key": key, **held}) + "\n") * 20)
    text = render(made, [], tmp_path / "attempts.jsonl", shown=200)
    shown = text.count('class="case"')
    assert 0 < shown < 40
    assert f"{shown} of 40 cases are shown" in text
    assert LARGEST - 1_000_000 < len(text.encode()) < 5_000_000


def test_asking_for_fewer_cases_draws_them_with_the_seed(tmp_path: Path) -> None:
    made = make(tmp_path, judges=1)
    first, second = (render(made, [], tmp_path / "none", shown=4) for _ in range(2))
    assert first == second
    assert first.count('class="case"') == 4


def test_quotes_that_overlap_share_their_pieces() -> None:
    pieces = highlight("abcdefgh", [(1, 4, "x"), (3, 6, "y"), (9, 12, "gone"), (3, 6, "y")])
    assert "".join(piece.text for piece in pieces) == "abcdefgh"
    assert [(p.text, p.note) for p in pieces if p.note] == [("bc", "x"), ("d", "x; y"), ("ef", "y")]


def browse(path: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a headless browser with a profile of its own."""
    assert CHROMIUM
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
        "--disable-background-networking --disable-component-update --disable-sync"
    ).split()
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [CHROMIUM, *flags, profile, *options, path.as_uri()]
    env = os.environ | {"HOME": str(folder)}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_a_browser_runs_the_page_and_only_its_own_script(
    page: tuple[Evaluation, Path, str], tmp_path: Path
) -> None:
    done = browse(page[1] / "report.html", tmp_path, "--dump-dom", "--enable-logging=stderr")
    assert "12 of 12 cases</span>" in done.stdout  # the filter has run
    assert "<title>owned" not in done.stdout
    assert '<th scope="col"><button' in done.stdout  # headers can be reached by keyboard
    assert "Refused to" not in done.stderr and "Uncaught" not in done.stderr


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_a_browser_prints_the_page(page: tuple[Evaluation, Path, str], tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    browse(page[1] / "report.html", tmp_path, f"--print-to-pdf={path}")
    assert path.read_bytes().startswith(b"%PDF")


def test_the_page_tells_light_from_dark(page: tuple[Evaluation, Path, str]) -> None:
    assert "prefers-color-scheme:dark" in page[2] and "@media print" in page[2]
    values: Any = re.findall(r"--ink:(#\w+);--ground:(#\w+)", page[2])
    assert len(set(values)) == 3  # light, dark, print
    assert "base64" not in page[2]
