"""The report: complete in itself, safe against what models write, small, and readable."""

import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.evaluation.cases import Case, Diagnosis, Response
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judging import Panel
from dxjudge.evaluation.pages.judges import judges_page
from dxjudge.evaluation.pages.overview import overview_of
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.report.case_pages import highlight
from dxjudge.evaluation.report.figures import all_figures
from dxjudge.evaluation.report.html import LARGEST, case_views, render, write_report
from dxjudge.evaluation.report.judge_figures import judge_figures
from dxjudge.evaluation.result import Evaluation

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")

EVIL = '</p><script>document.title="owned"</script><img src=x onerror=alert(1)> "q" & \'a\''


def make(
    folder: Path, judges: int = 2, cases: int = 12, text: str = EVIL, *, kind: int = 0
) -> Evaluation:
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
        ProtocolServer(make_judge(kind)) as first,
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


def data_of(page: str) -> dict[str, Any]:
    """The data inside a report, by the paths that its pages load."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_nothing_that_a_model_wrote_is_markup(page: tuple[Evaluation, Path, str]) -> None:
    outline = Outline(page[2])
    assert [held.get("id") for tag, held in outline.tags if tag == "script"] == ["data", None]
    assert not any(tag == "img" for tag, _ in outline.tags)
    assert not any(name.startswith("on") for _, held in outline.tags for name in held)
    assert "&lt;script&gt;document.title" in page[2] and "\\u003cscript>document.title" in page[2]


def test_the_page_is_well_formed_and_needs_no_network(page: tuple[Evaluation, Path, str]) -> None:
    outline = Outline(page[2])
    assert outline.open == []
    for tag, held in outline.tags:
        assert "src" not in held, tag
        if "href" in held:
            assert held["href"] == "data:,"
    (policy,) = [held["content"] for _, held in outline.tags if "http-equiv" in held]
    assert policy and "default-src 'none'" in policy and "unsafe" not in policy
    style = re.search(r"<style>(.*?)</style>", page[2], re.DOTALL)
    assert style and "url(" not in style[1] and "@import" not in style[1]


def test_the_policy_names_the_style_and_the_script_that_are_inside(
    page: tuple[Evaluation, Path, str],
) -> None:
    for kind in ("style", "script"):
        text = re.findall(rf"<{kind}>(.*?)</{kind}>", page[2], re.DOTALL)
        digest = b64encode(hashlib.sha256(text[0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in page[2]


def test_verdicts_quotes_and_attempts_are_there(page: tuple[Evaluation, Path, str]) -> None:
    made, _, text = page
    samples = data_of(text)["samples?run=0"]
    assert len(samples) == 12
    responses = [one for sample in samples for one in sample["responses"]]
    assert sum(bool(piece["note"]) for one in responses for piece in one["segments"]) > 5
    verdicts = [verdict for one in responses for verdict in one["verdicts"]]
    attempts = [attempt for verdict in verdicts for attempt in verdict["attempts"]]
    assert {(one["turn"], one["status"]) for one in attempts} >= {(0, "valid")}
    steps = {verdict["step"] for verdict in verdicts}
    assert {"grade_ddx", "score_rubric", "label_errors", "judge_equivalence_ddx 2"} <= steps
    assert made.signature["id"] in text


def test_a_page_without_its_script_has_the_main_table_and_says_where_the_numbers_are(
    page: tuple[Evaluation, Path, str],
) -> None:
    made, folder, text = page
    plain = re.search(r"<main>(.*?)</main>", text, re.DOTALL)
    assert plain and "summary.csv" in plain[1]
    with (folder / "overview.json").open(encoding="utf-8") as file:
        rows = json.load(file)["main"]["rows"]
    cells = [cell["text"] for row in rows for cell in row["cells"]]
    assert cells and all(f"<td>{cell}</td>" in plain[1] for cell in cells)
    assert plain[1].count("<tr>") == 1 + len(made.judged.judges) * len(made.judged.models)


def test_the_figures_that_people_expect(page: tuple[Evaluation, Path, str]) -> None:
    made, folder, text = page
    names = {figure.name for figure in all_figures(made)}
    assert {"rubric_1", "rubric_2", "errors_1", "ddx_grades_1"} <= names
    names |= {figure.name for figure in judge_figures(made)}
    pairs = data_of(text)["judges?run=0"]["pairs"]
    assert {"judge_equivalence", "grade_ddx"} <= {one["step"] for one in pairs}
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


def shapes(made: Evaluation, attempts: Path, shown: int) -> tuple[Any, Any, Any]:
    return overview_of(made, []), judges_page(made, []), case_views(made, attempts, shown)


def test_many_long_cases_stay_under_the_limit_and_the_page_knows_how_many(tmp_path: Path) -> None:
    made = make(tmp_path, judges=1, cases=40)
    held = {"turn": 0, "status": "invalid", "text": "é" * 9000, "error": "x" * 9000}
    keys = {v.outcome.key for vs in made.judged.outcomes.values() for v in vs if v.outcome.key}
    with (tmp_path / "attempts.jsonl").open("w") as file:
        for key in keys:
            file.write((json.dumps({"key": key, **held}) + "\n") * 20)
    most = 4_800_000
    text = render(*shapes(made, tmp_path / "attempts.jsonl", 200), most)
    data = data_of(text)
    assert 0 < len(data["samples?run=0"]) < 40 == data["overview?run=0"]["cases"]
    assert most - 1_000_000 < len(text.encode()) <= most < LARGEST < 10_000_000


def test_asking_for_fewer_cases_draws_them_with_the_seed(tmp_path: Path) -> None:
    made = make(tmp_path, judges=1)
    first, second = (render(*shapes(made, tmp_path / "none", 4)) for _ in range(2))
    assert first == second
    assert len(data_of(first)["samples?run=0"]) == 4


def test_quotes_that_overlap_share_their_pieces() -> None:
    pieces = highlight("abcdefgh", [(1, 4, "x"), (3, 6, "y"), (9, 12, "gone"), (3, 6, "y")])
    assert "".join(piece.text for piece in pieces) == "abcdefgh"
    assert [(p.text, p.note) for p in pieces if p.note] == [("bc", "x"), ("d", "x; y"), ("ef", "y")]
