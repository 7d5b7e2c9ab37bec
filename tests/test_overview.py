"""The report and the pages of `dxjudge view` in a real browser: every number held to its table."""

import csv
import io
import json
import shutil
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader
from starlette.requests import Request

from dxjudge.errors import OutputError
from dxjudge.evaluation.pages.items import Items
from dxjudge.evaluation.pages.opened import open_cases
from dxjudge.evaluation.pages.progress import Progress, progress_kept
from dxjudge.evaluation.report.write import write_everything
from dxjudge.evaluation.result import Evaluation
from dxjudge.web.local import Job
from dxjudge.web.view.api import make_view_api
from dxjudge.web.view.cases import wanted_of
from dxjudge.web.view.open_runs import OpenRuns

from .browser import chromium, faults_of, fits, inaccessible, looks, served
from .test_evaluation_report import EVIL, cases_of, data_of, make
from .test_report_judges import write_trials

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")

PAPER = 718  # pixels between the margins of A4


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evaluation, Path]:
    folder = tmp_path_factory.mktemp("run")
    made = make(folder, text=f"{EVIL} \u202egnirts")
    write_trials(folder)
    write_everything(made, folder, shown=8)
    return made, folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def opened(browser: Browser, run: tuple[Evaluation, Path], width: int = 1140) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((run[1] / "report.html").as_uri())
    page.wait_for_selector(".chart svg")
    return page


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_cell(path: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    """The rows over all units, by metric, model and judge."""
    rows = [row for row in rows_of(path) if not row["slice"] + row["group_by"]]
    return {(row["metric"], row["model"], row["judge"]): row for row in rows}


def test_the_main_table_shows_the_numbers_of_the_summary(
    browser: Browser, run: tuple[Evaluation, Path]
) -> None:
    page = opened(browser, run, 1900)
    shown = {
        tuple(row.locator("th bdi").all_inner_texts()): row.locator("td").all_inner_texts()
        for row in page.locator("table.main tbody tr").all()
    }
    overview = json.loads((run[1] / "overview.json").read_text("utf-8"))
    names = {one["name"]: one["short"] for one in overview["judges"]}
    metrics = [column["metric"] for column in overview["main"]["columns"]]
    numbers = by_cell(run[1] / "summary.csv")
    ranks = by_cell(run[1] / "ranks.csv")
    assert len(shown) == 4
    for judge, short in names.items():
        for model in run[0].judged.models:
            cells = shown[model, short]
            for cell, metric in zip(cells, metrics, strict=True):
                number = numbers[metric, model, judge]
                lines = cell.split()
                assert lines[0] == f"{float(number['value']):.3f}"
                assert lines[1].rstrip("?") == f"#{ranks[metric, model, judge]['rank']}"
                limits = f"[{float(number['low']):.3f}, {float(number['high']):.3f}]"
                assert limits in cell and f"n {number['n']}" in cell
    page.close()


def test_a_click_on_a_heading_sorts_and_a_judge_can_be_chosen(
    browser: Browser, run: tuple[Evaluation, Path]
) -> None:
    page = opened(browser, run, 1900)
    column = page.locator("table.main th").filter(has_text="Rubric total")
    column.get_by_role("button").click()
    place = page.locator("table.main thead th").all_inner_texts().index(column.inner_text())
    cells = page.locator(f"table.main tbody tr > :nth-child({place + 1}) .figure")
    values = [float(text) for text in cells.all_inner_texts()]
    assert (
        values == sorted(values, reverse=True) and column.get_attribute("aria-sort") == "descending"
    )
    column.get_by_role("button").click()
    assert [float(text) for text in cells.all_inner_texts()] == sorted(values)
    page.locator("label.choice", has_text="Judge").locator("select").select_option(index=1)
    assert page.locator("table.main tbody tr").count() == 2
    page.close()


def test_every_fact_of_the_report_is_on_the_page(
    browser: Browser, run: tuple[Evaluation, Path]
) -> None:
    made, folder = run
    page = opened(browser, run)
    data = data_of((folder / "report.html").read_text("utf-8"))
    words = page.evaluate("document.body.textContent")
    for line in data["samples?run=0"]["cases"]:
        page.evaluate("id => { location.hash = new URLSearchParams({case: id}) }", line["id"])
        expect(page.locator("article.one-case > h2")).to_have_text(line["id"])
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        page.wait_for_function("() => !document.querySelector('.verdict [aria-busy]')")
        words += page.evaluate("document.querySelector('article.one-case').textContent")
    overview, judges = data["overview?run=0"], data["judges?run=0"]
    names = {one["name"]: one["short"] for one in overview["judges"]}
    facts = [
        overview["title"], "2 models on 12 cases", overview["version"], overview["id"],
        *made.judged.judges, *(one.reason for one in made.left_out), *made.notes,
        overview["caption"], *overview["rank_notes"],
        *(one["sentence"] for one in overview["conclusions"]), overview["family_note"],
        *(one["caption"] for one in (*overview["figures"], *judges["figures"])),
        *(one["title"] for one in (*overview["figures"], *judges["figures"])),
        *judges["notes"], str(made.settings.seed),
        "8 of 12 cases are shown, drawn at random with seed 0",
    ]  # fmt: skip
    for section in overview["sections"]:
        facts += [section["title"], *(one["caption"] for one in section["grids"])]
        facts += [cell for one in section["grids"] for row in one["rows"] for cell in row]
    for grid in (*judges["swap"], *judges["agreement"]):
        facts += [grid["title"], grid["caption"], *(cell for row in grid["rows"] for cell in row)]
    for one in judges["contested"]:
        facts += [one["step"], one["case"], one["about"], one["truth"], one["text"]]
        facts += [
            fact for vote in one["votes"] for fact in (vote["judge"], vote["words"], vote["why"])
        ]
    for case in cases_of((folder / "report.html").read_text("utf-8")):
        facts += [case["id"], *(one for values in case["groups"].values() for one in values)]
        facts += [one["text"] for one in (*case["text"], *case["reference"], *case["truth"])]
        for model in case["models"]:
            facts += [piece["text"] for one in model["responses"] for piece in one["text"]]
            facts += [one[name] for one in model["diagnoses"] for name in ("text", "code", "name")]
            for verdict in model["verdicts"]:
                facts += [verdict["task"], verdict["said"], names[verdict["judge"]]]
                facts += [part["words"] for part in verdict["parts"]]
                facts += [attempt["text"] for attempt in verdict["sent"]["attempts"]]
                facts += [verdict["sent"]["system"], verdict["sent"]["user"]]
    assert len(facts) > 1000
    assert [fact for fact in dict.fromkeys(facts) if fact not in words] == []
    assert page.title() != "owned" and page.locator("img").count() == 0
    holds = Counter(row["holds"] for row in rows_of(folder / "swap_conclusions.csv"))
    counted = (f"Of {holds.total()} comparisons of two models, {holds['every judge']} are clear "
               f"under every judge, {holds['some judges']} under some judges only, and "
               f"{holds['no judge']} under none.")  # fmt: skip
    assert counted in words
    page.close()


def test_the_page_asks_no_machine_and_axe_finds_nothing(
    browser: Browser, run: tuple[Evaluation, Path]
) -> None:
    page = browser.new_page()
    faults = faults_of(page)
    page.goto((run[1] / "report.html").as_uri())
    page.wait_for_selector(".chart svg")
    for width in looks(page):
        fits(page, width)
    assert faults == []
    page.close()


def test_figures_have_tooltips_numbers_and_the_colours_of_the_page(
    browser: Browser, run: tuple[Evaluation, Path]
) -> None:
    page = opened(browser, run)
    figure = page.locator("#figure-rubric_1")
    tips = page.evaluate(
        "[...document.querySelectorAll('#figure-rubric_1 path > title')].map(t => t.textContent)"
    )
    overview = json.loads((run[1] / "overview.json").read_text("utf-8"))
    rows = next(one["rows"] for one in overview["figures"] if one["name"] == "rubric_1")
    assert [any(row[2] in tip for tip in tips) for row in rows] == [True] * len(rows)
    figure.get_by_text("Numbers").click()
    assert figure.locator("tbody tr").count() == len(rows)
    text = figure.locator("svg text").first
    ink = "element => getComputedStyle(element).fill"
    page.emulate_media(color_scheme="dark")
    dark = text.evaluate(ink)
    page.get_by_label("Colours").select_option("light")
    expect(text).not_to_have_css("fill", dark)
    page.close()


def test_nothing_is_cut_on_paper(browser: Browser, run: tuple[Evaluation, Path]) -> None:
    page = opened(browser, run)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER, "height": 1000})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_timeout(100)
    cut = page.evaluate(
        "[...document.querySelectorAll('th, td, svg, p, li, summary, pre')].filter(one => "
        f"one.getBoundingClientRect().right > {PAPER} + 1).map(one => one.outerHTML.slice(0, 120))"
    )
    assert cut == []
    columns = len(json.loads((run[1] / "overview.json").read_text("utf-8"))["main"]["columns"])
    assert page.locator("table.main thead th:not(:first-child)").count() == columns
    assert page.locator("details:not([open], .cases *)").count() == 0
    printed = PdfReader(io.BytesIO(page.pdf(format="A4")))
    text = "".join(one.extract_text() for one in printed.pages)
    words = "".join(unicodedata.normalize("NFKC", text).split())  # without ligatures
    overview = json.loads((run[1] / "overview.json").read_text("utf-8"))
    judges = json.loads((run[1] / "judges.json").read_text("utf-8"))
    wanted = [cell[name] for row in overview["main"]["rows"] for cell in row["cells"]
              for name in ("value", "low", "high") if cell and cell[name] is not None]  # fmt: skip
    facts = [f"{number:.3f}" for number in wanted]
    facts += [one["title"] for one in (*overview["sections"], *judges["figures"])]
    facts += [f"the same verdict on {one['same']} of {one['n']} items" for one in judges["pairs"]]
    facts += [column["title"] for column in overview["main"]["columns"]]
    assert len(facts) > 60
    assert [fact for fact in facts if "".join(fact.split()) not in words] == []
    page.close()


_STATES: tuple[dict[str, list[str]], ...] = (
    {}, {"right": ["wrong"]}, {"model": ["alpha"], "judges": ["disagree"]},
    {"status": ["failed", "done"]}, {"task": ["score_rubric"], "score": ["20..50"]},
    {"metric": ["final_accuracy"], "score": ["1.."]}, {"metric": ["hdf1"], "sort": ["-score"]},
    {"group.ward": ["east"], "repaired": ["not repaired"]}, {"cost": ["..0.5"]},
    {"people": ["no person"], "sort": ["model"]}, {"q": ["FINDING 3"]}, {"sort": ["-case"]},
    {"q": ["the reference of 7"], "right": ["right"]}, {"q": ["zzqqx"]},
)  # fmt: skip
_TITLES = {"model": "Model", "judge": "Judge", "task": "Step", "right": "Right or wrong",
           "status": "Outcome", "judges": "The judges", "people": "People and the judge",
           "repaired": "Repaired"}  # fmt: skip
_LOOK = """() => ({
  summary: document.querySelector(".cases-summary").textContent,
  counts: Object.fromEntries([...document.querySelectorAll("fieldset.facet:not(.range)")].map(
    box => [box.querySelector("legend").textContent,
      [...box.querySelectorAll(".number")].map(one => Number(one.textContent))])),
  rows: [...document.querySelectorAll(".big-row.placed")].slice(0, 5).map(row =>
    [0, 1, 4, 7].map(at => row.children[at].textContent)),
})"""


def test_the_filters_of_the_report_find_what_those_of_the_view_do(
    browser: Browser, run: tuple[Evaluation, Path]
) -> None:
    page = opened(browser, run)
    faults = faults_of(page)
    inside = data_of((run[1] / "report.html").read_text("utf-8"))["samples?run=0"]["cases"]
    cases = open_cases(run[1])
    first = cases.items.rows_of_case[inside[0]["id"]][0]
    reply = cases.exchange(first).attempts[0].text[:40]  # what stands in a judge's reply alone
    for state in (*_STATES, {"q": [reply]}):
        address = urlencode({name: "\n".join(values) for name, values in state.items()})
        page.evaluate("state => { location.hash = state || 'cases' }", address)
        query = urlencode(state, doseq=True).encode()
        asked = wanted_of(Request({"type": "http", "query_string": query}))
        ids = {"case": frozenset(one["id"] for one in inside)}
        wanted = replace(asked, chosen={**asked.chosen, **ids})
        found = cases.table.found(wanted)
        counts = {
            _TITLES.get(name, name.removeprefix("group.")): [one.count for one in values][:10]
            for name, values in found.facets.items()
            if len(values) > 1
        }
        rows = [
            _cells(cases.items, int(at), wanted.metric) for at in cases.table.places(wanted)[:5]
        ]
        for _ in range(200):
            shown = page.evaluate(_LOOK)
            if (shown["counts"], shown["rows"]) == (counts, rows):
                break
            page.wait_for_timeout(25)
        assert (shown["counts"], shown["rows"]) == (counts, rows), state
        for part in (f"{found.total} of ", f" rows, {found.cases} cases.", *found.left_out):
            assert part in shown["summary"], state
        assert (found.total > 0) == (state != {"q": ["zzqqx"]}), state
    assert faults == []
    page.close()


def _cells(items: Items, at: int, metric: str) -> list[str]:
    row, score = items.rows[at], items.score_of(metric)[at]
    shown = "" if score != score else f"{round(score, 3):g}"
    return [row.case, row.model, items.words_of(at), shown]


def test_a_case_of_the_report_is_the_case_page_of_the_view(
    browser: Browser, run: tuple[Evaluation, Path]
) -> None:
    page = opened(browser, run)
    line = data_of((run[1] / "report.html").read_text("utf-8"))["samples?run=0"]["cases"][2]
    page.evaluate("id => { location.hash = new URLSearchParams({case: id}) }", line["id"])
    report = page.locator("article.one-case .models").inner_text()
    with served(Job(job="view", title="one"), make_view_api(OpenRuns([run[1]]))) as address:
        page.goto(address)
        page.goto(f"{address.partition('?')[0]}#tab=cases&case={quote(line['id'])}")
        page.wait_for_selector("article.one-case")
        assert page.inner_text("article.one-case .models") == report
    assert len(report) > 500
    page.close()


def test_without_javascript_the_main_table_is_there(
    browser: Browser, run: tuple[Evaluation, Path]
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((run[1] / "report.html").as_uri())
    assert "summary.csv" in page.inner_text("body")
    assert page.locator("tbody tr").count() == 4
    context.close()


def test_view_shows_the_same_pages_and_links_contested_cases(
    browser: Browser, run: tuple[Evaluation, Path], tmp_path: Path
) -> None:
    (tmp_path / "going").mkdir()
    runs = OpenRuns((run[1], tmp_path / "going"))
    with served(Job(job="view", title="runs"), make_view_api(runs)) as address:
        page = browser.new_page()
        faults = faults_of(page)
        page.goto(address)
        page.wait_for_selector(".chart svg")
        assert page.locator("table.main").count() >= 1
        page.goto(f"{address.partition('?')[0]}#tab=judges&run=0")
        page.wait_for_selector("#contested")
        first = page.locator("details.contested").first
        link = first.get_by_role("link").get_attribute("href") or ""
        assert link.startswith("#tab=cases&run=0&case=")
        assert inaccessible(page) == [] and faults == []
        page.locator(".view-run select").select_option(index=1)
        page.wait_for_function("() => !document.querySelector('table.main, #contested')")
        refused = page.evaluate("fetch('api/overview?run=1').then(reply => reply.json())")
        assert "is still going" in refused["error"]
        page.close()


def test_without_the_built_pages_the_report_says_how_to_build_them(
    run: tuple[Evaluation, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dxjudge.evaluation.report import page

    monkeypatch.setattr(page, "BUILT", "not_there")
    write_everything(run[0], tmp_path, shown=2)
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "make pages" in text and "<noscript>" not in text and "<td>" in text
    assert (tmp_path / "figures" / "rubric_1.svg").exists()


def test_a_run_is_finished_only_when_everything_is_written(
    run: tuple[Evaluation, Path], tmp_path: Path
) -> None:
    for name in ("inputs.json", "signature.json", "overview.json"):
        shutil.copy(run[1] / name, tmp_path)
    opened = OpenRuns([tmp_path]).runs[0]
    states: list[str] = [opened.state]
    with progress_kept(tmp_path, None) as noted:
        noted("judging", 1, 2)
        states.append(opened.state)
    assert states == ["finished", "running"]
    nobody = Progress(process=2**22 + 1, started=0, at=time.time(), stages=[])  # in a container
    for silent, state in ((0, "running"), (60, "finished"), (-3600, "finished")):
        at = nobody.model_copy(update={"at": nobody.at - silent})
        (tmp_path / "progress.json").write_text(at.model_dump_json())
        assert opened.state == state
    (tmp_path / "summary.csv").mkdir()
    with pytest.raises(OutputError):
        write_everything(run[0], tmp_path, shown=1)
    assert opened.state == "stopped" and not (tmp_path / "progress.json").exists()


def _of_score(score: tuple[str, str]) -> str:
    value, status = score
    return f"{float(value):g}" if value else status


def test_two_runs_show_what_differs_what_moved_and_the_cases_behind_it(
    browser: Browser, tmp_path: Path
) -> None:
    folders = tmp_path / "a", tmp_path / "b"
    for kind, folder in enumerate(folders):
        folder.mkdir()
        write_everything(make(folder, judges=1, kind=kind), folder, shown=1)
    values = [by_cell(folder / "summary.csv") for folder in folders]
    sides = [{(metric, model): float(row["value"] or "nan")
              for (metric, model, _), row in rows.items()} for rows in values]  # fmt: skip
    ns = [{(metric, model): row["n"] for (metric, model, _), row in rows.items()}
          for rows in values]  # fmt: skip
    scores = [
        {(row["metric"], row["model"], row["unit"]): (row["value"], row["status"])
         for row in rows_of(folder / "scores.csv")} for folder in folders
    ]  # fmt: skip
    changed = {key for key, score in scores[0].items() if scores[1][key] != score}
    assert changed
    with served(Job(job="view", title="two"), make_view_api(OpenRuns(folders))) as address:
        page = browser.new_page(viewport={"width": 1900, "height": 900})
        faults = faults_of(page)
        page.goto(address)
        page.wait_for_selector("table.main")
        page.goto(f"{address.partition('?')[0]}#tab=compare")
        page.wait_for_selector("table.changed")
        assert "judge" in page.get_by_text("The runs differ in").inner_text()
        table = page.get_by_role("group", name="What moved")
        rows = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
        for metric, model, _, first, second, change, *counts in rows:
            before, after = (side[metric, model] for side in sides)
            own = [{unit: score for (*key, unit), score in one.items() if key == [metric, model]}
                   for one in scores]  # fmt: skip
            both = own[0].keys() & own[1].keys()
            other = sum(own[0][unit] != own[1][unit] for unit in both)
            assert counts == [*(n[metric, model] for n in ns), f"{other} of {len(both)}"]
            if before == before and after == after:
                assert float(first) == pytest.approx(before, abs=0.0006)
                assert float(second) == pytest.approx(after, abs=0.0006)
                assert float(change) == pytest.approx(after - before, abs=0.0006)
        moved = {(row[0], row[1]) for row in rows}
        assert {(metric, model) for metric, model, _ in changed} <= moved
        lines = [row.locator("th, td").all_inner_texts()
                 for row in page.locator("table.changed tbody tr").all()]  # fmt: skip
        shown = {(metric, model, unit): sides for unit, metric, model, _, *sides in lines}
        assert shown == {key: [_of_score(side[key]) for side in scores] for key in changed}
        assert len(lines) == len(changed)
        assert inaccessible(page) == [] and faults == []
        page.close()
