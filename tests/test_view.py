"""The pages of `dxjudge view`, driven in a real browser and held against the tables of the runs."""

import io
import json
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader
from starlette.requests import Request

import dxjudge
from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge_equivalence import JUDGE_EQUIVALENCE
from dxjudge.cli.main import run as dxjudge_command
from dxjudge.evaluation.pages import columns_file
from dxjudge.evaluation.pages.columns_file import read_columns
from dxjudge.evaluation.pages.opened import open_cases
from dxjudge.graphs.jury.votes_file import read_votes
from dxjudge.web.local import Job
from dxjudge.web.view.api import make_view_api
from dxjudge.web.view.cases import wanted_of
from dxjudge.web.view.open_runs import OpenRuns

from .browser import TOKEN, chromium, faults_of, fits, inaccessible, looks, served, sideways
from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer, Seen, fail
from .test_evaluation_run import rows_of
from .view_runs import EVIL, Judged, evil_run, example_run

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    # The name is wider than a telephone: a run is shown by its folder.
    return example_run(tmp_path_factory.mktemp("view") / "-".join(["plain"] * 12))


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    return evil_run(tmp_path_factory.mktemp("view") / "evil")


@pytest.fixture(scope="module")
def people(plain: Judged) -> Path:
    """Ann agrees with judge-a once and contradicts it once; Ben stands in the run's folder."""
    verdicts = [row for row in rows_of(plain.folder / "votes.csv")
                if row["step"] == "judge_equivalence" and row["judge"] == plain.judges[0]
                and row["verdict"]]  # fmt: skip
    same, other = verdicts[:2]
    turned = {"true": "false", "false": "true"}[other["verdict"]]
    path = plain.folder.parent / "people.csv"
    said = [(same, same["verdict"], "sure"), (other, turned, "I disagree")]
    lines = ["case,step,judge,verdict,model,explanation"]
    for row, verdict, words in said:
        lines.append(f"{row['case']},judge_equivalence,ann,{verdict},{row['model']},{words}")
    path.write_text("\n".join(lines) + "\n")
    own = [
        lines[0],
        *(f"{r['case']},judge_equivalence,ben,false,{r['model']}," for r in verdicts[1:4]),
    ]
    (plain.folder / "ratings.csv").write_text("\n".join(own) + "\n")
    return path


@pytest.fixture(scope="module")
def address(plain: Judged, evil: Judged, people: Path) -> Iterator[str]:
    runs = OpenRuns([plain.folder, evil.folder], read_votes(people, by_groups=True))
    with served(Job(job="view", title=f"{EVIL} runs"), make_view_api(runs)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    faults = faults_of(page)
    page.goto(address)
    yield page
    assert faults == []
    context.close()


def go(page: Page, address: str, state: str) -> None:
    page.goto("about:blank")
    page.goto(f"{address.partition('?')[0]}#{state}")


def counts(page: Page, facet: str) -> dict[str, int]:
    """What the page says of each value of a filter."""
    box = page.locator("fieldset.facet").filter(has=page.locator("legend", has_text=facet))
    labels = [label.inner_text().split("\n") for label in box.locator("label").all()]
    return {name.strip(): int(count.replace(",", "")) for name, count in labels}


def total(page: Page) -> int:
    expect(page.locator(".cases-summary")).to_have_attribute("aria-busy", "false")
    text = page.inner_text(".cases-summary strong")
    return int(text.replace(",", ""))


def right(row: dict[str, str]) -> str:
    if row["step"] != "judge_equivalence" or not row["score"]:
        return "no right or wrong"
    return {1.0: "right", 0.0: "wrong"}[float(row["score"])]


def test_every_count_of_a_filter_is_that_of_the_table(
    page: Page, address: str, plain: Judged
) -> None:
    rows = rows_of(plain.folder / "verdicts.csv")
    inputs = json.loads((plain.folder / "inputs.json").read_text())
    unjudged = [
        (model, case["id"]) for model in inputs["responses"] for case in inputs["cases"]
        if (model, case["id"]) not in {(row["model"], row["case"]) for row in rows}
    ]  # fmt: skip
    go(page, address, "tab=cases&run=0")
    page.wait_for_selector(".filters")
    assert total(page) == len(rows) + len(unjudged)
    steps = Counter(row["step"] for row in rows)
    assert {k: v for k, v in counts(page, "Step").items() if k != "(none)"} == steps
    models = Counter(row["model"] for row in rows) + Counter(model for model, _ in unjudged)
    assert counts(page, "Model") == models
    rights = Counter(map(right, rows)) + Counter({"no right or wrong": len(unjudged)})
    assert {k: v for k, v in counts(page, "Right or wrong").items() if v} == rights
    outcomes = counts(page, "Outcome")
    for status in {row["status"] for row in rows}:
        assert outcomes[status] == sum(row["status"] == status for row in rows)
    repaired = sum(int(row["repairs"] or 0) > 0 for row in rows)
    assert counts(page, "Repaired")["repaired"] == repaired


def test_filters_combine_and_say_what_they_leave_out(
    page: Page, address: str, plain: Judged
) -> None:
    rows = rows_of(plain.folder / "verdicts.csv")
    wanted = [r for r in rows if r["model"] == "hasty" and right(r) == "wrong"]
    assert wanted, "the run has no wrong verdict on hasty"
    go(page, address, "tab=cases&run=0")
    page.wait_for_selector(".filters")
    everything = total(page)
    page.get_by_label("hasty").check()
    page.get_by_label(re.compile("^wrong")).check()
    expect(page.locator(".cases-summary strong")).to_have_text(str(len(wanted)))
    assert f"leave out {everything - len(wanted)}" in page.inner_text(".cases-summary")
    # The counts of a filter are those under all other filters: models among the wrong ones.
    assert counts(page, "Model") == Counter(r["model"] for r in rows if right(r) == "wrong")
    in_order = sorted(
        (r["case"] for r in wanted), key=[r["case"] for r in _in_order(plain, wanted)].index
    )
    # The rows come after the counts.
    expect(page.locator(".big-row.placed")).to_contain_text(in_order)
    # The same address shows the same rows.
    here = page.url
    page.goto("about:blank")
    page.goto(here)
    page.wait_for_selector(".filters")
    assert total(page) == len(wanted)
    page.get_by_role("button", name="Clear all filters").click()
    expect(page.locator(".cases-summary strong")).to_have_text(str(everything))


def _in_order(run: Judged, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    cases = [case["id"] for case in json.loads((run.folder / "inputs.json").read_text())["cases"]]
    return sorted(rows, key=lambda row: cases.index(row["case"]))


def test_each_cell_of_the_table_is_that_of_its_row(page: Page, address: str, plain: Judged) -> None:
    seconds: dict[str, float] = {}
    for line in (plain.folder / "attempts.jsonl").open():
        one = json.loads(line)
        seconds[one["key"]] = seconds.get(one["key"], 0.0) + one["latency"]
    wanted = [r for r in rows_of(plain.folder / "verdicts.csv")
              if (r["step"], r["model"]) == ("judge_equivalence", "hasty")]  # fmt: skip
    page.set_viewport_size({"width": 1900, "height": 2400})
    go(page, address, "tab=cases&run=0&model=hasty&task=judge_equivalence&sort=judge")
    page.wait_for_selector(".big-row.placed a")
    shown = sorted(
        tuple(row.locator("[role=cell]").all_inner_texts())
        for row in page.locator(".big-row.placed").all()
    )
    said = JUDGE_EQUIVALENCE.demand_verdict()
    assert shown and len(shown) == len(wanted) == total(page)
    by_row = {(cells[0], cells[2]): cells for cells in shown}
    for row in wanted:
        judge = row["judge"].removeprefix("openai:").partition("@")[0]
        cells = by_row[row["case"], judge]
        told = [row["reason"] or row["status"], "", row["status"], ""]
        if row["score"]:
            is_right = float(row["score"]) == 1.0
            told = [said.word(is_right), "right" if is_right else "wrong", "done", f"{is_right:d}"]
        assert cells[1:8] == ("hasty", judge, row["step"], *told)
        assert cells[9] == ("" if row["repairs"] in ("", "0") else row["repairs"])
        assert float(cells[10] or 0) == round(float(row["cost"] or 0), 5)
        assert float(cells[11] or 0) == pytest.approx(seconds.get(row["key"], 0.0), abs=0.006)


def test_judges_that_disagree_are_those_of_the_votes(
    page: Page, address: str, plain: Judged
) -> None:
    said: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for vote in rows_of(plain.folder / "votes.csv"):
        task, _, part = vote["step"].partition(".")
        unit = (task, vote["model"], vote["case"], vote["response"], vote["place"])
        if vote["verdict"] and not vote["judge"].startswith("jury:"):
            said.setdefault(unit, {}).setdefault(vote["judge"], {})[part] = vote["verdict"]
    contested = {
        unit for unit, judges in said.items()
        if len(judges) > 1 and len({json.dumps(one, sort_keys=True) for one in judges.values()}) > 1
    }  # fmt: skip
    rows = rows_of(plain.folder / "verdicts.csv")
    unit_of = ("step", "model", "case", "response", "place")
    wanted = [row for row in rows if tuple(row[name] for name in unit_of) in contested]
    assert wanted
    go(page, address, "tab=cases&run=0&judges=disagree")
    page.wait_for_selector(".filters")
    assert total(page) == len(wanted)


def confusions(page: Page) -> dict[tuple[str, str, str], tuple[list[str], list[list[int]], str]]:
    """The grids of two judges on the page: step, first, second -> labels, counts, the sentence."""
    grids = {}
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for figure in page.locator("figure.confusion").all():
        names = str(figure.locator(".grid").get_attribute("aria-label"))
        pair, _, step = names.rpartition(" on ")
        first, second = pair.split(" and ")
        labels = figure.locator("thead th").all_inner_texts()
        rows = [row.locator("td").all_inner_texts() for row in figure.locator("tbody tr").all()]
        counts = [[int(cell) for cell in row] for row in rows]
        grids[step, first, second] = labels, counts, figure.locator("figcaption").inner_text()
    return grids


def test_every_pair_of_judges_and_people_stands_as_in_the_tables(
    page: Page, address: str, plain: Judged, people: Path
) -> None:
    tables = (plain.folder / "votes.csv", people, plain.folder / "ratings.csv")
    votes = [row for table in tables for row in rows_of(table) if row["verdict"]]
    shown_as = {"true": "yes", "false": "no"}
    said: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
    for row in votes:
        name = row["judge"].removeprefix("openai:").partition("@")[0]
        verdict = shown_as.get(row["verdict"], row["verdict"])
        said.setdefault((row["step"], name), {})[row["case"], row["model"]] = verdict
    go(page, address, "tab=judges&run=0")
    page.get_by_text("that a person contradicts").wait_for()
    grids = confusions(page)
    wanted = {
        (step, "judge-a", "judge-b") for step, name in said
        if name == "judge-a" and (step, "judge-b") in said
    }  # fmt: skip
    wanted |= {("judge_equivalence", *pair) for pair in (
        ("judge-a", "ann"), ("judge-b", "ann"), ("judge-a", "ben"), ("judge-b", "ben"),
        ("ann", "ben"))}  # fmt: skip
    assert {*grids} == wanted
    for (step, first, second), (labels, counts, sentence) in grids.items():
        one, other = said[step, first], said[step, second]
        both = Counter((one[item], other[item]) for item in one.keys() & other.keys())
        assert {(a, b): counts[x][y] for x, a in enumerate(labels) for y, b in enumerate(labels)
                if counts[x][y]} == both  # fmt: skip
        same = sum(count for (a, b), count in both.items() if a == b)
        assert f"the same verdict on {same} of {both.total()} items" in sentence
        if (first, second) == ("judge-a", "judge-b"):
            stated = re.search(r"%\), (.+?) (-?\d\.\d{3}|-)( \[.*\])?\.$", sentence)
            assert stated is not None
            measure, value, _ = stated.groups()
            (row,) = [r for r in rows_of(plain.folder / "agreement.csv")
                      if (r["step"], r["between"]) == (step, "pair") and not r["group_by"]
                      and r["measure"].replace("_", " ") == measure]  # fmt: skip
            assert value == (f"{float(row['value']):.3f}" if row["value"] else "-")
    differ = len(contradicted(plain, people))
    assert page.get_by_text(f"{differ} verdicts that a person contradicts").count() == 1
    assert page.locator("h2", has_text="Self-preference").count() == 1
    assert inaccessible(page) == []


def test_kept_columns_say_what_the_tables_say_and_are_made_again_after_a_change(
    plain: Judged, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(plain.folder, folder)  # with the times of the files
    votes = read_votes(people, by_groups=True)
    assert read_columns(folder) is not None, "the evaluation has kept them"
    with monkeypatch.context() as another:
        another.setattr(columns_file, "version", lambda package: "0.0.0")
        assert read_columns(folder) is None, "another version may make other columns"
        assert columns_file.stamp_of(tmp_path)[-1] is None, "a table that is not there"
    kept = open_cases(folder, votes)
    (folder / "columns.npz").write_bytes(b"PK damaged")
    made = open_cases(folder, votes)
    states = ("", "right=wrong", "judges=disagree&metric=hdf1", "people=differ", "sort=-seconds",
              "group.specialty=Dermatology&score=..40", "q=generalized")  # fmt: skip
    for state in states:
        wanted = wanted_of(Request({"type": "http", "query_string": state.encode()}))
        assert kept.table.found(wanted) == made.table.found(wanted)
        assert [*kept.table.places(wanted)] == [*made.table.places(wanted)]
    assert kept.items.rows == made.items.rows
    assert kept.alone("derm-01") == made.alone("derm-01")
    assert [kept.items.words_of(at) for at in range(len(kept.items.rows))] == [
        kept.items.in_words(row.task, kept.items.said.get((row.unit, row.judge), {})) or row.reason
        for row in kept.items.rows
    ]
    table = folder / "verdicts.csv"
    table.write_text(table.read_text("utf-8").replace("careful", "carefuI"), "utf-8")
    assert "carefuI" in open_cases(folder).items.facets["model"].values
    assert read_columns(folder) is not None


def contradicted(plain: Judged, people: Path) -> list[dict[str, str]]:
    """The verdicts on equivalence that a person contradicts."""
    said: dict[tuple[str, str], set[str]] = {}
    for table in (people, plain.folder / "ratings.csv"):
        for row in rows_of(table):
            said.setdefault((row["case"], row["model"]), set()).add(row["verdict"])
    return [
        row for row in rows_of(plain.folder / "verdicts.csv")
        if row["step"] == "judge_equivalence" and row["status"] == "done"
        and said.get((row["case"], row["model"]), set())
        - {str(json.loads(row["value"])["equivalent"]).lower()}
    ]  # fmt: skip


def test_people_that_contradict_a_judge_are_found(
    page: Page, address: str, plain: Judged, people: Path
) -> None:
    differ = contradicted(plain, people)
    go(page, address, "tab=cases&run=0&people=differ&judge=" + quote("openai:judge-a", safe=""))
    page.wait_for_selector(".filters")
    assert counts(page, "People and the judge")["no person"] == 0  # no judge has that name
    go(page, address, "tab=cases&run=0&people=differ")
    page.wait_for_selector(".filters")
    assert total(page) == len(differ) > 0
    (case,) = [row["case"] for row in rows_of(people) if row["explanation"] != "sure"]
    page.locator(".big-row.placed a", has_text=case).first.click()
    page.wait_for_selector("article.one-case")
    assert "I disagree" in page.inner_text("article.one-case")


@pytest.mark.parametrize("metric", ["hdf1", "rubric_total"])
def test_a_score_range_counts_as_the_scores_do(
    page: Page, address: str, plain: Judged, metric: str
) -> None:
    scores = {
        (row["judge"], row["model"], row["unit"]): float(row["value"])
        for row in rows_of(plain.folder / "scores.csv")
        if row["metric"] == metric and row["value"]
    }
    assert scores, f"no score of {metric}"
    middle = sorted(scores.values())[len(scores) // 2]
    of_row = [
        scores.get((row["judge"], row["model"], row["case"]),
                   scores.get(("", row["model"], row["case"])))
        for row in rows_of(plain.folder / "verdicts.csv")
    ]  # fmt: skip
    within = sum(score is not None and score >= middle for score in of_row)
    go(page, address, f"tab=cases&run=0&metric={metric}&score={middle}..")
    page.wait_for_selector(".filters")
    # A case without a verdict has a row too, with the scores that need no judge.
    unjudged = counts(page, "Outcome").get("not judged", 0)
    assert within <= total(page) <= within + unjudged
    lacking = sum(score is None for score in of_row)
    if lacking and metric == "rubric_total":
        assert "without a score" in page.inner_text(".cases-summary")


def test_words_are_found_in_responses_prompts_and_replies(
    page: Page, address: str, plain: Judged
) -> None:
    rows = rows_of(plain.folder / "verdicts.csv")
    inputs = json.loads((plain.folder / "inputs.json").read_text())
    given = {case["id"]: json.dumps(case) for case in inputs["cases"]}
    sent: dict[str, str] = {}
    for line in (plain.folder / "prompts.jsonl").open():
        one = json.loads(line)
        messages = sent.setdefault(one["messages"], one.get("system", "") + one.get("user", ""))
        sent[one["key"]] = messages
    for line in (plain.folder / "attempts.jsonl").open():
        one = json.loads(line)
        sent[one["key"]] = sent.get(one["key"], "") + one["text"] + one["error"]
    unit = ("case", "model", "step", "judge")
    texts: dict[tuple[str, ...], str] = {}
    for vote in rows_of(plain.folder / "votes.csv"):
        step = vote["step"].partition(".")[0]
        key = (vote["case"], vote["model"], step, vote["judge"])
        texts[key] = texts.get(key, "") + vote["explanation"]
    response = inputs["responses"]["hasty"]["derm-01"][0]["text"]
    system = next(text for text in sent.values() if text)
    for wanted in (response[:25], "As far as the reference goes", "this request is rejected",
                   system[10:40], "prednisolone ten days ago", "zzqqx"):  # fmt: skip
        hits = 0
        for row in rows:
            answers = inputs["responses"][row["model"]].get(row["case"], ())
            everything = [
                given[row["case"]], *(one["text"] or "" for one in answers),
                sent.get(row["key"], ""),
                texts.get(tuple(row[name] for name in unit), ""), row["reason"], row["value"],
            ]  # fmt: skip
            hits += any(wanted.casefold() in text.casefold() for text in everything)
        go(page, address, f"tab=cases&run=0&q={quote(wanted)}")
        page.wait_for_selector(".filters")
        assert total(page) == hits, wanted
        assert (hits > 0) == (wanted != "zzqqx")


def test_images_of_a_case_are_shown_and_nothing_else_is_served(
    page: Page, address: str, plain: Judged
) -> None:
    go(page, address, "tab=cases&run=0&case=derm-01")
    images = page.locator("[aria-label=Images] figure")
    expect(images).to_have_count(2)
    image = images.first.locator("img")
    assert image.get_attribute("alt") == "skin 'x'.png"
    page.wait_for_function("() => document.querySelector('.case-images img').naturalWidth === 1")
    assert "https://example.org/a.png" in images.nth(1).inner_text()
    assert images.nth(1).locator("img, a").count() == 0
    root = address.partition("?")[0]
    headers = {"Authorization": f"Bearer {TOKEN}"}
    ids = [case["id"] for case in json.loads((plain.folder / "inputs.json").read_text())["cases"]]
    first, inside = ids.index("derm-01"), 1
    for case, number, words in (
        (len(ids) - 1, 0, "is not PNG"), (first, 1, "is an address"),
        (first, 2, "has no image 3"), (len(ids), 0, "has no image 1"),
    ):  # fmt: skip
        reply = httpx.get(f"{root}api/image?run=0&case={case}&number={number}", headers=headers)
        assert reply.status_code == 422 and words in reply.json()["error"]
    for case in (first, inside):  # a file beside the cases, and an image inside their table
        reply = httpx.get(f"{root}api/image?run=0&case={case}&number=0", headers=headers)
        assert reply.headers["content-type"] == "image/png"
        assert reply.content == (plain.folder / "skin 'x'.png").read_bytes()
    assert [path.suffix for path in (plain.folder / "images").iterdir()] == [".png"]


def test_a_case_shows_its_verdicts_and_the_prompt_that_the_server_saw(
    page: Page, address: str, plain: Judged
) -> None:
    go(page, address, "tab=cases&run=0&case=derm-01")
    page.wait_for_selector("article.one-case")
    article = page.inner_text("article.one-case")
    for vote in rows_of(plain.folder / "votes.csv"):
        if vote["case"] == "derm-01" and vote["explanation"]:
            assert vote["explanation"] in article
    for row in rows_of(plain.folder / "verdicts.csv"):
        if row["case"] == "derm-01" and row["step"] == "score_rubric" and row["score"]:
            assert f"{float(row['score']):g} in all: knowledge " in article
    jury = page.locator(".verdict", has_text="jury:majority").filter(has_text="right").first
    lines = jury.inner_text().split("\n")
    said = JUDGE_EQUIVALENCE.verdict.word(True) if JUDGE_EQUIVALENCE.verdict else ""
    assert lines[0].startswith(f"jury:majority {said}")
    assert {f"judge-a: {said}", f"judge-b: {said}"} <= {*lines}
    verdict = page.locator(".model").first.locator(".verdict").first
    verdict.locator("summary").click()
    message = verdict.locator("pre[aria-label=Message]").inner_text()
    sent = {seen.user.strip() for seen in plain.seen[plain.judges[0]]}
    assert message.strip() in sent
    reply = json.loads(verdict.locator("pre[aria-label=Reply]").first.inner_text())
    kept = [json.loads(line)["text"] for line in (plain.folder / "attempts.jsonl").open()]
    assert reply in [json.loads(text) for text in kept if text.startswith("{")]
    quoted = page.locator("article.one-case mark").first.inner_text()
    assert quoted and quoted in article


def test_a_failed_item_shows_every_attempt_and_its_fault(
    page: Page, address: str, plain: Judged
) -> None:
    failed = next(r for r in rows_of(plain.folder / "verdicts.csv")
                  if r["status"] == "failed" and r["judge"] == plain.judges[1])  # fmt: skip
    go(page, address, f"tab=cases&run=0&status=failed&judge={quote(plain.judges[1], safe='')}")
    page.wait_for_selector(".big-row.placed a")
    page.locator(".big-row.placed a").first.click()
    chosen = page.locator(".verdict.chosen")
    chosen.wait_for()
    assert failed["case"] in page.inner_text("article.one-case h2")
    chosen.locator("summary").click()
    expect(chosen.locator(".sent .failure").first).to_contain_text("this request is rejected")


def test_the_tree_has_the_true_codes_and_the_hits(page: Page, address: str, plain: Judged) -> None:
    rows = [r for r in rows_of(plain.folder / "predictions.csv") if r["case"] == "derm-01"]
    truth = {code for r in rows if r["kind"] == "truth" for code in r["code"].split()}
    go(page, address, "tab=cases&run=0&case=derm-01")
    page.wait_for_selector(".tree")
    assert {one.inner_text() for one in page.locator(".true-code > code").all()} == truth
    for model in ("careful", "hasty"):
        named = {
            r["code"] for r in rows if r["model"] == model and r["kind"] == "ddx" and r["code"]
        }
        drawn = page.locator(".tree span").filter(has=page.locator(".chip", has_text=model))
        assert {one.locator("> code").inner_text() for one in drawn.all() if
                one.locator("> code").count()} == named  # fmt: skip
    header = [cell.inner_text() for cell in page.locator(".case-tree thead th").all()]
    assert header[1:3] == ["chapter", "block"]
    # By hand: the chapters of the true codes are those whose letters the tree gives for them.
    cells = page.locator(".case-tree tbody tr").first.locator("td").all_inner_texts()
    assert all(re.fullmatch(r"\d+ of \d+", cell) for cell in cells)
    tree = dxjudge.load_tree("icd10cm")
    predicted = {r["code"] for r in rows
                 if r["model"] == "careful" and r["kind"] == "ddx" and r["code"]}  # fmt: skip
    chapters = {tree.chapter(code) for code in truth}
    hit = chapters & {tree.chapter(code) for code in predicted}
    assert cells[0] == f"{len(hit)} of {len(chapters)}"


def test_keys_go_to_the_next_case_and_back_to_the_table(page: Page, address: str) -> None:
    go(page, address, "tab=cases&run=0&model=hasty")
    page.wait_for_selector(".big-row.placed a")
    cases = list(dict.fromkeys(a.inner_text() for a in page.locator(".big-row.placed a").all()))
    page.locator(".big-row.placed a").first.focus()
    page.keyboard.press("Enter")
    heading = page.locator("article.one-case h2").first
    expect(heading).to_have_text(cases[0])
    page.keyboard.press("v")  # to the verdict whose row was opened
    expect(page.locator(".verdict.chosen")).to_be_in_viewport()
    page.keyboard.press("j")
    expect(heading).to_have_text(cases[1])
    page.keyboard.press("k")
    expect(heading).to_have_text(cases[0])
    page.keyboard.press("u")
    page.wait_for_selector(".filters")
    assert "model=hasty" in page.url and "case=" not in page.url


def test_planted_payloads_are_shown_as_text_in_every_field(
    page: Page, address: str, evil: Judged
) -> None:
    case = json.loads((evil.folder / "inputs.json").read_text())["cases"][1]["id"]
    go(page, address, "tab=cases&run=1")
    page.wait_for_selector(".big-row.placed a")
    assert EVIL in page.inner_text(".filters") and EVIL in page.inner_text("header h1")
    go(page, address, f"tab=cases&run=1&case={quote(case, safe='')}")
    page.wait_for_selector("article.one-case")
    text = page.inner_text("article.one-case")
    for place in ("case 1", "response of 0", "guess"):
        assert f"{EVIL} {place}" in text
    assert text.count(EVIL) > 12
    assert page.locator("article.one-case img, article.one-case script").count() == 0
    assert "owned" not in page.title().replace(EVIL, "")
    for words in page.locator("article.one-case .said").all():
        assert words.locator("bdi").count(), "words of a judge are not isolated"
    page.locator("article.one-case details summary").first.click()
    page.wait_for_selector(".sent pre")


def test_pages_fit_and_axe_finds_nothing(page: Page, address: str) -> None:
    for state, there in (
        ("tab=cases&run=0", ".big-row.placed a"),
        ("tab=cases&run=0&case=derm-01", "article.one-case"),
    ):
        go(page, address, state)
        page.wait_for_selector(there)
        for width in looks(page):
            fits(page, width)
            assert width > 640 or not sideways(page)


def test_paper_has_the_rows_of_the_screen_and_no_empty_sheets(page: Page, address: str) -> None:
    go(page, address, "tab=cases&run=0")
    page.wait_for_selector(".big-row.placed a")
    printed = PdfReader(io.BytesIO(page.pdf(format="A4")))
    words = ["".join(sheet.extract_text().split()) for sheet in printed.pages]
    said = re.search(r"Onlytherowsthatwereonthescreenareprinted:1to(\d+)of(\d+)", words[0])
    assert said and int(said[1]) < int(said[2]) == total(page)
    assert len(words) <= 4 and all(words) and "judge_equivalence" in "".join(words)


def test_a_run_that_still_goes_shows_itself_and_then_its_tables(
    browser: Browser, tmp_path: Path
) -> None:
    wait = threading.Event()

    def judge(seen: Seen) -> object:
        if len(server.seen) == 2:
            return fail(400, "this one is rejected")
        if len(server.seen) > 6:
            wait.wait(30)
        return make_judge(0)(seen)

    cases = [{"id": f"c{n}", "case": "?", "diagnosis": "gout"} for n in range(12)]
    model = [{"id": f"c{n}", "predicted_diagnosis": f"guess {n}"} for n in range(12)]
    folder = tmp_path / "going"
    folder.mkdir()

    def evaluate() -> None:
        with Run(mode="off", ledger=folder / "attempts.jsonl", concurrency=1) as run:
            dxjudge.evaluate(
                cases, {"m": model}, judges=[server.judge()], run=run, folder=folder,
                resamples=20, tasks=["judge_equivalence"],
            ).write(folder)  # fmt: skip

    with ProtocolServer(judge) as server:
        work = threading.Thread(target=evaluate)
        work.start()
        try:
            runs = OpenRuns([folder])
            with served(Job(job="view", title="going"), make_view_api(runs)) as address:
                page = browser.new_page()
                page.goto(f"{address}#tab=cases")
                page.wait_for_selector(".faults .failure", timeout=20_000)
                assert "this one is rejected" in page.inner_text(".faults")
                assert "of 12" in page.inner_text(".stage")
                assert inaccessible(page) == []
                wait.set()
                page.wait_for_selector(".filters", timeout=30_000)
                verdicts = rows_of(folder / "verdicts.csv")
                assert total(page) == len(verdicts) == 12
                page.close()
        finally:
            wait.set()
            work.join()
    assert not (folder / "progress.json").exists()


def test_the_command_prints_an_address_that_answers(plain: Judged, people: Path) -> None:
    command = [sys.executable, "-m", "dxjudge", "view", str(plain.folder), "--people", str(people),
               "--no-open"]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            found = re.search(r"http://\S+", line)
            assert found, line
            token = found[0].partition("token=")[2]
            root = found[0].partition("?")[0]
            headers = {"Authorization": f"Bearer {token}"}
            assert token != TOKEN
            assert httpx.get(f"{root}api/runs", headers=headers).json()[0]["state"] == "finished"
            assert httpx.get(f"{root}api/found?run=0&score=a", headers=headers).status_code == 422
        finally:
            process.terminate()


def test_a_folder_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dxjudge_command(["view", str(tmp_path / "no 'such'"), "--no-open"]) == 4
    assert "there is no such folder" in capsys.readouterr().err
