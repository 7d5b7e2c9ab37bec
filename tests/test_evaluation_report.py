"""The report: complete in itself, safe against what models write, small, and readable."""

import hashlib
import json
import random
import re
import xml.etree.ElementTree as ElementTree
import zlib
from base64 import b64decode, b64encode
from dataclasses import replace
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
from dxjudge.evaluation.report.case_pages import ReportCases
from dxjudge.evaluation.report.figures import all_figures
from dxjudge.evaluation.report.html import LARGEST, render
from dxjudge.evaluation.report.judge_figures import judge_figures
from dxjudge.evaluation.report.write import write_everything, write_tables
from dxjudge.evaluation.result import Evaluation

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer
from .view_runs import PIXEL

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
    write_everything(made, folder, shown=200)
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
    """The data inside a report, by the paths that its pages load; cases are unpacked."""
    data: dict[str, Any] = {}
    for name in ("data", "packed"):
        wanted = rf'<script type="application/json" id="{name}">(.*?)</script>'
        found = re.search(wanted, page, re.DOTALL)
        assert found
        for path, value in json.loads(found[1]).items():
            is_block = name == "packed"
            data |= json.loads(zlib.decompress(b64decode(value))) if is_block else {path: value}
    return data


def cases_of(page: str) -> list[dict[str, Any]]:
    """The cases inside a report; each verdict with what was sent and received."""
    data = data_of(page)
    cases = [data[f"case?run=0&place={one['place']}"] for one in data["samples?run=0"]["cases"]]
    for case in cases:
        texts = data[f"texts?run=0&place={case['place']}"]["texts"]
        assert len(texts) == len({*texts})
        for verdict in (one for model in case["models"] for one in model["verdicts"]):
            verdict["sent"] = sent = data[f"exchange?run=0&row={verdict['row']}"]
            for told, names in (
                (sent, ("system", "user", "reply")),
                *((one, ("text", "error")) for one in sent["attempts"]),
            ):
                told |= {name: texts[told[name]] for name in names}
    return cases


def test_nothing_that_a_model_wrote_is_markup(page: tuple[Evaluation, Path, str]) -> None:
    outline = Outline(page[2])
    scripts = [held.get("id") for tag, held in outline.tags if tag == "script"]
    assert scripts == ["data", "packed", None]
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


def test_verdicts_quotes_and_attempts_are_there(
    page: tuple[Evaluation, Path, str],
) -> None:
    made, _, text = page
    cases = cases_of(text)
    assert [case["id"] for case in cases] == [case.id for case in made.judged.cases]
    models = [model for case in cases for model in case["models"]]
    pieces = [piece for one in models for given in one["responses"] for piece in given["text"]]
    assert sum(bool(piece["notes"]) for piece in pieces) > 5
    verdicts = [verdict for model in models for verdict in model["verdicts"]]
    attempts = [attempt for verdict in verdicts for attempt in verdict["sent"]["attempts"]]
    assert {(one["turn"], one["status"]) for one in attempts} >= {(0, "valid")}
    steps = {(verdict["task"], verdict["place"]) for verdict in verdicts}
    assert {("grade_ddx", 0), ("score_rubric", 0), ("label_errors", 0)} <= steps
    assert ("judge_equivalence_ddx", 1) in steps
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


def rendered(made: Evaluation, folder: Path, shown: int, most: int = LARGEST) -> str:
    write_tables(made, folder)
    return render(
        overview_of(made, []), judges_page(made, []), ReportCases(folder), shown, most=most
    )


def test_cases_are_left_out_where_they_do_not_fit_and_the_rest_is_a_sample(tmp_path: Path) -> None:
    made = make(tmp_path, judges=1, cases=40)
    draw = random.Random(1)
    keys = {v.outcome.key for vs in made.judged.outcomes.values() for v in vs if v.outcome.key}
    with (tmp_path / "attempts.jsonl").open("w") as file:
        for key in sorted(keys):
            text = "".join(chr(draw.randrange(0x4E00, 0x9000)) for _ in range(4000))
            file.write(json.dumps({"key": key, "status": "invalid", "text": text}) + "\n")
    every = data_of(rendered(made, tmp_path, 200))
    assert len(every["samples?run=0"]["cases"]) == 40
    most = len(rendered(made, tmp_path, 0).encode()) + 1_500_000
    text = rendered(made, tmp_path, 200, most)
    shown = [one["place"] for one in data_of(text)["samples?run=0"]["cases"]]
    assert 5 < len(shown) < 35 and shown == sorted(shown) and shown != list(range(len(shown)))
    assert most - 300_000 < len(text.encode()) <= most < LARGEST < 10_000_000


def test_asking_for_fewer_cases_draws_them_with_the_seed(tmp_path: Path) -> None:
    made = make(tmp_path, judges=1, cases=24)
    first, second = (rendered(made, tmp_path, 4) for _ in range(2))
    assert first == second
    assert len(data_of(first)["samples?run=0"]["cases"]) == 4
    # Where the rows of all cases would fill the page, fewer cases have room.
    cases = ReportCases(tmp_path)
    most = len(rendered(made, tmp_path, 0).encode()) + len(cases.rows(range(24)))
    tight = rendered(made, tmp_path, 24, most)
    shown = [one["place"] for one in data_of(tight)["samples?run=0"]["cases"]]
    assert shown and set(shown) < set(cases.drawn(12, made.settings.seed))
    assert len(tight.encode()) <= most


def test_images_are_inside_while_there_is_room_and_the_others_are_counted(tmp_path: Path) -> None:
    made = make(tmp_path, judges=1, cases=3)
    pixel = f"data:image/png;base64,{PIXEL}"
    images = [(pixel, "https://example.org/a.png"), (str(tmp_path / "none.png"),), (pixel,)]
    cases = tuple(
        replace(case, images=named) for case, named in zip(made.judged.cases, images, strict=True)
    )
    made = replace(made, judged=replace(made.judged, cases=cases))
    data = data_of(rendered(made, tmp_path, 3))
    inside = {path: url for path, url in data.items() if path.startswith("image?")}
    assert inside == {f"image?run=0&case={at}&number=0": pixel for at in (0, 2)}
    assert data["samples?run=0"]["images_left_out"] == 1
    (tmp_path / "ratings.csv").write_text("no table of votes\n")  # a person's fault ends no run
    size = len(rendered(made, tmp_path, 3).encode())
    assert data_of(rendered(made, tmp_path, 3, size - 20))["samples?run=0"]["images_left_out"] == 2
