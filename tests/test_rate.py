"""`dxjudge rate`: people give a step's verdict in a real browser, and votes come out."""

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from dxjudge.agents.steps import STEPS, VARIANTS, find_step
from dxjudge.cli.main import run
from dxjudge.errors import InputError, OutputError, UsageError
from dxjudge.evaluation.people.from_table import Reading, read_to_rate
from dxjudge.evaluation.people.kept import Kept
from dxjudge.evaluation.people.rating import Rating, open_rating
from dxjudge.evaluation.people.sample import Design
from dxjudge.graphs.jury.votes_file import read_votes, write_votes
from dxjudge.scoring.votes import Vote
from dxjudge.web.local import Job
from dxjudge.web.rating import Writer, make_rating_api

from .browser import TOKEN, check_widths, chromium, faults_of, inaccessible, served

EVIL = "<script>alert(1)</script> \"&' \u202eevil\u2069"
JUDGES = ("secret-judge-1", "secret-judge-2")
MODEL = "secret-model-9"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a73000000164944415478da63"
    "fccfc0c0c0c4c0c0c0c0c0c0c000000d1d01038a6a5a960000000049454e44ae426082"
)


@dataclass
class Desk:
    """A rating that is served: its page, its files and its address."""

    rating: Rating
    output: Path
    address: str
    page: Page

    @property
    def root(self) -> str:
        return self.address.partition("?")[0].rstrip("/")

    def begin(self, name: str = "ann") -> Page:
        self.page.goto(self.address)
        self.page.get_by_label("Your name").fill(name)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".rate-form")
        return self.page

    def votes(self, steps: tuple[Any, ...] = ()) -> dict[tuple[str, str, str], Vote]:
        self.rating.write()
        read = read_votes(self.output, by_groups=True, steps=steps)
        return {(vote.judge, vote.case, vote.step): vote for vote in read}

    def place_of(self, case: str) -> int:
        return next(at for at, one in enumerate(self.rating.items) if one.case == case)

    def shown_case(self) -> str:
        """The case of the item on the screen, which the page itself does not know."""
        text = self.page.inner_text(".rate-task strong")
        number = re.search(r"Item (\d+)", text)
        assert number is not None
        return self.rating.items[int(number[1]) - 1].case


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@contextmanager
def rating_of(
    folder: Path,
    rows: list[dict[str, Any]],
    step: str | None = None,
    *,
    design: Design = Design(),  # noqa: B008
    seed: int | None = None,
    given: tuple[str, ...] = (),
) -> Iterator[Rating]:
    table = folder / "items.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    output = folder / "votes-of-people.csv"
    found = read_to_rate(str(table), Reading(step, given=given))
    kept = Kept(Path(f"{output}.answers.jsonl"))
    try:
        yield open_rating(found, kept, output, design=design, seed=seed)
    finally:
        kept.close()


@contextmanager
def desk(browser: Browser, folder: Path, *arguments: Any, **options: Any) -> Iterator[Desk]:
    context = browser.new_context(viewport={"width": 1140, "height": 900})
    with (
        closing(context),
        rating_of(folder, *arguments, **options) as rating,
        Writer(rating.write, lambda fault: None) as writer,
    ):
        api = make_rating_api(rating, changed=writer.changed)
        with served(Job(job="rate", title="Your verdicts"), api) as address:
            page = context.new_page()
            faults = faults_of(page)
            yield Desk(rating, rating.output, address, page)
            assert faults == []


def judged(folder: Path, votes: list[tuple[str, str, str, Any]]) -> Path:
    """Write the votes of judges: (case, step, judge, verdict)."""
    path = folder / "judges.csv"
    write_votes(path, [Vote(case=c, step=s, judge=j, verdict=v) for c, s, j, v in votes])
    return path


def agreement(*arguments: str, capsys: Any) -> dict[str, Any]:
    assert run(["agree", *arguments, "--json", "--boot", "50"]) == 0, capsys.readouterr().err
    read: dict[str, Any] = json.loads(capsys.readouterr().out)
    return read


def pairs(count: int) -> list[dict[str, Any]]:
    return [
        {"id": f"c{n}", "predicted": f"tinea {n} {EVIL}", "truth": f"ringworm {n} {EVIL}",
         "model": MODEL}
        for n in range(count)
    ]  # fmt: skip


def press_through(desk: Desk, keys: dict[str, str], name: str = "ann") -> None:
    """Answer every item by the keys of its case."""
    desk.begin(name)
    for at in range(len(desk.rating.items)):
        _waits_at(desk.page, at)
        for key in keys[desk.shown_case()].split():
            desk.page.keyboard.press(key)
    expect(desk.page.get_by_text("Every item has an answer")).to_be_visible()


def _waits_at(page: Page, place: int) -> None:
    expect(page.locator(".rate-task strong")).to_contain_text(f"Item {place + 1} of")


def test_yes_and_no_by_keys_alone_become_votes_that_agree_reads(
    browser: Browser, tmp_path: Path, capsys: Any
) -> None:
    keys = {f"c{n}": ("y Enter" if n % 3 else "n Enter") for n in range(12)}
    with desk(browser, tmp_path, pairs(12), "judge_equivalence") as at:
        press_through(at, keys)
        votes = at.votes()
        assert {case: vote.verdict for (_, case, _), vote in votes.items()} == {
            f"c{n}": n % 3 != 0 for n in range(12)
        }
        assert {vote.judge for vote in votes.values()} == {"ann"}
    judges = judged(tmp_path, [(f"c{n}", "judge_equivalence", JUDGES[0], n % 2 == 0)
                               for n in range(12)])  # fmt: skip
    out = agreement(str(judges), str(at.output), "--human", "ann", capsys=capsys)
    share = next(row for row in out["rows"] if row["measure"] == "share_identical"
                 and {row["first"], row["second"]} == {"ann", JUDGES[0]})  # fmt: skip
    # n % 3 != 0 equals n % 2 == 0 for 0..11: 2, 3, 4, 8, 9, 10 are identical, 6 of 12.
    assert share["value"] == pytest.approx(0.5)
    step = find_step("judge_equivalence")
    for vote in votes.values():
        assert step.demand_verdict().read_person(vote.verdict, step.known_result) == vote.verdict


def test_a_graded_scale_is_clicked_with_the_meaning_of_its_levels(
    browser: Browser, tmp_path: Path, capsys: Any
) -> None:
    rows = [{"id": f"g{n}", "truth": f"gout {EVIL}", "ddx": [f"lupus {n}", EVIL]} for n in range(4)]
    grades = {"g0": 0, "g1": 2, "g2": 4, "g3": 5}
    with desk(browser, tmp_path, rows, "grade_ddx") as at:
        page = at.begin()
        for number in range(len(rows)):
            _waits_at(page, number)
            case = at.shown_case()
            options = page.get_by_role("radio")
            assert options.count() == 5
            assert "The true diagnosis itself is on the list" in options.last.inner_text()
            page.get_by_role("radio", name=re.compile(f"^{grades[case]}")).click()
            page.get_by_label("Rationale").fill(f"why {case} {EVIL}")
            page.get_by_role("button", name="Save and next").click()
        expect(page.get_by_text("Every item has an answer")).to_be_visible()
        votes = at.votes()
    assert {case: vote.verdict for (_, case, _), vote in votes.items()} == grades
    assert votes["ann", "g2", "grade_ddx"].explanation.startswith("why g2")


def test_a_rubric_has_its_dimensions_levels_and_marked_quotes(
    browser: Browser, tmp_path: Path, capsys: Any
) -> None:
    text = f"Blue-white veil is seen. {EVIL} It is melanoma."
    row = {"id": "r", "case": f"A spot. {EVIL}", "reference": "Melanoma.", "response": text}
    step = find_step("score_rubric")
    names = step.demand_verdict().names(
        step.read_input({k: v for k, v in row.items() if k != "id"})
    )
    with desk(browser, tmp_path, [row], "score_rubric") as at:
        page = at.begin()
        groups = page.locator(".rate-form > fieldset")
        assert groups.count() == len(names) == 5
        _drag(page, "Blue-white veil")
        page.get_by_role("button", name="Knowledge: Quotes").click()
        assert groups.first.locator("blockquote").inner_text().startswith("Blue-white veil")
        for level, group in zip("40312", groups.all(), strict=True):
            # The options that the next key chooses are on the screen, and the button says them.
            expect(group.locator(".rate-question.active .option").last).to_be_in_viewport()
            title = group.locator("legend").inner_text()
            expect(page.locator(".rate-buttons")).to_contain_text(
                f"Still open: {title} \u203a Level"
            )
            page.keyboard.press(level)
        expect(page.locator(".rate-buttons")).not_to_contain_text("Still open")
        _drag(page, "It is melanoma")
        page.keyboard.press("Escape")
        expect(page.locator(".marked-bar")).to_have_count(0)
        _drag(page, "It is melanoma")
        page.keyboard.press("m")  # to the dimension at which the rater is
        expect(groups.last.locator("blockquote")).to_contain_text("It is melanoma")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Every item has an answer")).to_be_visible()
        votes = at.votes()
    assert [votes["ann", "r", f"score_rubric.{name}"].verdict for name in names] == [4, 0, 3, 1, 2]
    judges = judged(tmp_path, [("r", f"score_rubric.{name}", JUDGES[0], 4) for name in names])
    out = agreement(str(judges), str(at.output), "--human", "ann", capsys=capsys)
    assert {row["step"] for row in out["rows"]} >= {f"score_rubric.{name}" for name in names}
    kept = json.loads(Path(f"{at.output}.answers.jsonl").read_text("utf-8").splitlines()[1])
    assert kept["answer"][names[0]]["quotes"] == ["Blue-white veil"]
    assert kept["answer"][names[4]]["quotes"] == ["It is melanoma"]


def _drag(page: Page, words: str) -> None:
    """Select words of a text with the mouse, from before the first letter to after the last."""
    ends = page.evaluate(
        """words => {
          for (const box of document.querySelectorAll('.markable')) {
            const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
            for (let node = walk.nextNode(); node; node = walk.nextNode()) {
              const at = node.data.indexOf(words);
              if (at < 0) continue;
              const range = document.createRange();
              range.setStart(node, at); range.setEnd(node, at + words.length);
              scrollBy({top: range.getBoundingClientRect().top - innerHeight / 3,
                        behavior: 'instant'});
              const boxes = range.getClientRects();
              const first = boxes[0], last = boxes[boxes.length - 1];
              return [first.left + 1, first.top + first.height / 2,
                      last.right, last.top + last.height / 2];
            }
          }
          throw new Error(`no text ${words}`);
        }""",
        words,
    )
    page.mouse.move(ends[0] - 1, ends[1])
    page.mouse.down()
    page.mouse.move((ends[0] + ends[2]) / 2, ends[3], steps=4)
    page.mouse.move(ends[2], ends[3], steps=4)
    page.mouse.up()


def test_error_labels_have_quotes_marked_by_mouse_and_by_keys(
    browser: Browser, tmp_path: Path, capsys: Any
) -> None:
    row = {
        "id": "e",
        "reference": f"The border is sharp. {EVIL}",
        "response": f"{EVIL} The border is blurred, so it is a melanoma of the nail.",
    }
    with desk(browser, tmp_path, [row], "label_errors") as at:
        page = at.begin()
        response = page.locator(".rate-passage", has=page.locator("h2", has_text="Response"))
        _drag(page, "border is blurred")
        page.get_by_role("button", name=re.compile("new entry")).click()
        page.get_by_role("radio", name=re.compile("^1?visual interpretation")).click()
        box = response.locator(".markable")
        box.focus()
        words = row["response"].split()
        for _ in range(words.index("melanoma") + 1):
            page.keyboard.press("ArrowRight")
        for _ in range(3):
            page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Enter")
        # Whoever presses Enter once more does not lose the words that they have just marked.
        expect(page.get_by_role("button", name="Save and next")).to_be_disabled()
        page.keyboard.press("Enter")
        expect(page.locator(".rate-entry")).to_have_count(2)
        second = page.locator(".rate-entry").nth(1)
        assert second.locator("blockquote").inner_text() == "melanoma of the nail."
        page.keyboard.press("3")  # the third category: factual medical error
        page.keyboard.press("Enter")
        expect(page.get_by_text("Every item has an answer")).to_be_visible()
        votes = at.votes()
        value = at.rating.kept.of("ann", at.rating.items[0].key)
    assert value is not None
    assert [one["quote"] for one in value.answer["errors"]] == [
        "border is blurred", "melanoma of the nail."
    ]  # fmt: skip
    yes = {step for (_, _, step), vote in votes.items() if vote.verdict is True}
    assert yes == {"label_errors.visual interpretation", "label_errors.factual medical error"}
    assert len(votes) == 10


def test_a_quote_that_is_not_in_the_text_is_refused_with_the_steps_own_words(
    browser: Browser, tmp_path: Path
) -> None:
    row = {"id": "e", "reference": "Sharp.", "response": "It is blurred and it is red."}
    with desk(browser, tmp_path, [row], "label_errors") as at:
        entry = {"quote": "never said", "category": "other"}
        body = {"place": 0, "rater": "ann", "status": "done", "answer": {"errors": [entry]}}
        reply = httpx.post(f"{at.root}/api/rating/answers", json=body, headers=BEARER).json()
        assert "does not occur in the response" in reply["problems"][0]
        assert at.rating.statuses("ann") == [None]


def test_a_likert_rating_of_an_image_and_its_label(browser: Browser, tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    from PIL import Image

    Image.new("RGB", (40, 30), "red").save(tmp_path / f"{MODEL}.png")
    rows = [{"id": "i", "step": "grade_image_label", "label": EVIL, "images": f"{MODEL}.png"}]
    with desk(browser, tmp_path, rows) as at:
        page = at.begin()
        picture = page.locator("img.rate-image")
        expect(picture).to_be_visible()
        size = "async one => { await one.decode(); return [one.naturalWidth, one.naturalHeight] }"
        assert picture.evaluate(size) == [40, 30]
        assert page.get_by_role("radio").count() == 7
        page.keyboard.press("6")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Every item has an answer")).to_be_visible()
        assert at.votes()["ann", "i", "grade_image_label"].verdict == 6
        for path in ("1", "-1", "..%2f..%2fetc%2fpasswd", "0%2f..%2f..%2f"):
            answer = httpx.get(f"{at.root}/api/rating/items/0/images/{path}", headers=BEARER)
            assert answer.status_code in (404, 422), path


@pytest.mark.parametrize(
    ("image", "content"),
    [("notes.txt", b"secret"), ("big.png", None), ("https://example.org/a.png", b"")],
)
def test_what_is_no_small_local_image_is_not_sent(
    browser: Browser, tmp_path: Path, image: str, content: bytes | None
) -> None:
    if "//" not in image:
        data = b"\x89PNG\r\n\x1a\n" + bytes(30_000_000) if content is None else content
        (tmp_path / image).write_bytes(data)
    rows = [{"id": "i", "step": "grade_image_label", "label": "a", "images": image}]
    with desk(browser, tmp_path, rows) as at:
        reply = httpx.get(f"{at.root}/api/rating/items/0/images/0", headers=BEARER)
        assert reply.status_code == 422
        assert "secret" not in reply.text and image not in reply.text
        assert httpx.get(f"{at.root}/api/rating/items/0/images/0").status_code == 401


def test_the_three_tasks_of_the_questionnaire_stand_in_one_file(
    browser: Browser, tmp_path: Path, capsys: Any
) -> None:
    rows = [
        {"id": f"p{n}", "step": "choose_closer_pair", "pair_a": [f"near {n}", "near"],
         "pair_b": [f"far {n}", EVIL]}
        for n in range(8)
    ] + [{"id": "l", "step": "grade_likeness", "first": "gout", "second": EVIL}]  # fmt: skip
    with desk(browser, tmp_path, rows, seed=5) as at:
        page = at.begin()
        sides = set()
        for number in range(len(rows)):
            _waits_at(page, number)
            if at.shown_case() == "l":
                page.keyboard.press("3")
            else:
                on_the_left = "near" in page.locator(".rate-passage").first.inner_text()
                sides.add(on_the_left)
                page.keyboard.press("1" if on_the_left else "2")  # always the near pair
            page.keyboard.press("Enter")
        expect(page.get_by_text("Every item has an answer")).to_be_visible()
        votes = at.votes()
    assert sides == {True, False}, "left and right are never exchanged"
    assert {votes["ann", f"p{n}", "choose_closer_pair"].verdict for n in range(8)} == {"A"}
    assert votes["ann", "l", "grade_likeness"].verdict == 3


def test_two_responses_that_are_compared_stand_beside_each_other(
    browser: Browser, tmp_path: Path
) -> None:
    row = {
        "id": "b",
        "case": " ".join(f"Finding {n} of the case." for n in range(30)),
        "reference": "Gout.",
        "response_a": "short",
        "response_b": " ".join(f"Step {n} of the answer." for n in range(30)),
    }
    with desk(browser, tmp_path, [row], "choose_better") as at:
        page = at.begin()
        boxes = [
            page.locator(".rate-passage", has=page.locator("h2", has_text=title)).bounding_box()
            for title in ("Response A", "Response B")
        ]
    assert boxes[0] and boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]


def test_the_better_of_two_responses_whatever_their_order(browser: Browser, tmp_path: Path) -> None:
    rows = [
        {
            "id": f"b{n}",
            "question": f"What is it? {n} {EVIL}",
            "answers": [f"gout {EVIL}", "no idea"],
        }
        for n in range(6)
    ]
    with desk(browser, tmp_path, rows, "choose_best") as at:
        page = at.begin()
        firsts = set()
        for number in range(len(rows)):
            _waits_at(page, number)
            items = page.locator(".rate-list li")
            first_is_gout = "gout" in items.first.inner_text()
            firsts.add(first_is_gout)
            page.keyboard.press("1" if first_is_gout else "2")
            page.keyboard.press("Enter")
        expect(page.get_by_text("Every item has an answer")).to_be_visible()
        votes = at.votes()
    assert firsts == {True, False}
    assert {vote.verdict for vote in votes.values()} == {0} and len(votes) == 6


OWN = """
from typing import Literal
from pydantic import BaseModel
from dxjudge import Prompt, Step, Verdict

class Text(BaseModel):
    text: str

class Urgency(BaseModel):
    rationale: str
    urgency: Literal[0, 1, 2, 3]

URGENT = Step(
    name="urgent", version=1, input=Text, output=Urgency,
    prompt=Prompt(system="You judge how urgent a text is, from 0 to 3.", user="Text:\\n{{text}}"),
    verdict=Verdict("urgency", words="rationale", levels=(0, 1, 2, 3)),
)
"""


def test_a_users_own_step_needs_nothing_more(browser: Browser, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    name = f"{tmp_path / 'own.py'}:URGENT"
    rows = [{"id": "u", "text": f"Chest pain. {EVIL}"}]
    with desk(browser, tmp_path, rows, name) as at:
        page = at.begin()
        assert "how urgent a text is" in page.inner_text(".rate-task")
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Every item has an answer")).to_be_visible()
        assert at.votes((find_step(name),))["ann", "u", "urgent"].verdict == 2
    judges = judged(tmp_path, [("u", "urgent", JUDGES[0], 2)])
    agreement(str(judges), str(at.output), "--human", "ann", "--step", name, capsys=capsys)


def test_a_table_cannot_name_a_program_to_run(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN + "\nraise SystemExit('it ran')\n", encoding="utf-8")
    table = tmp_path / "t.jsonl"
    row = {"id": "u", "step": f"{tmp_path / 'own.py'}:URGENT", "text": "Chest pain."}
    table.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputError, match="row 1: no step"):
        read_to_rate(str(table), Reading())


def test_cannot_tell_is_recorded_where_the_step_has_it_and_skipped_is_no_vote(
    browser: Browser, tmp_path: Path
) -> None:
    rows = [{"id": f"m{n}", "question": "Which?", "options": {"A": "gout", "B": "lupus"},
             "answer": f"some {n}"} for n in range(3)]  # fmt: skip
    with desk(browser, tmp_path, rows, "match_option") as at:
        page = at.begin()
        cases = []
        for number, key in enumerate(("t", "s", "1")):
            _waits_at(page, number)
            cases.append(at.shown_case())
            page.keyboard.press(key)
            if key == "1":
                page.keyboard.press("Enter")
        expect(page.get_by_text("Skipped items have no verdict")).to_be_visible()
        votes = at.votes()
        assert at.rating.skipped("ann") == [cases[1]]
    ended = {case: (vote.status, vote.verdict, vote.reason) for (_, case, _), vote in votes.items()}
    assert ended == {
        cases[0]: ("abstained", None, "cannot tell"),
        cases[2]: ("done", "A", ""),
    }


def test_the_digit_of_a_level_is_its_key(browser: Browser, tmp_path: Path) -> None:
    rows = [{"id": f"o{n}", "kind": "color", "question": "What color?", "reference": "red",
             "answer": f"shade {n}"} for n in range(3)]  # fmt: skip
    with desk(browser, tmp_path, rows, "score_open_answer") as at:
        press_through(at, {"o0": "0 Enter", "o1": "1 Enter", "o2": "5 Enter"})
        said = {case: vote.verdict for (_, case, _), vote in at.votes().items()}
    assert said == {"o0": 0, "o1": 1, "o2": 0.5}


def test_none_of_them_is_what_the_step_says_and_agree_counts_it_so(
    browser: Browser, tmp_path: Path, capsys: Any
) -> None:
    rows = [{"id": f"m{n}", "question": "Which?", "options": {"A": "gout", "B": "lupus"},
             "answer": f"some {n}"} for n in range(12)]  # fmt: skip
    none = {"m3", "m7"}
    with desk(browser, tmp_path, rows, "match_option") as at:
        keys = {f"m{n}": f"{'-' if f'm{n}' in none else n % 2 + 1} Enter" for n in range(12)}
        press_through(at, keys)
        votes = at.votes()
        assert at.rating.ended("ann") == {"verdict": 10, "none": 2}
    abstained = {case: vote for (_, case, _), vote in votes.items() if vote.status == "abstained"}
    assert {*abstained} == none
    assert {vote.reason for vote in abstained.values()} == {"the answer means none of the options"}
    # The judge contradicts the person once, and has a letter for one case that she calls none.
    said = {f"m{n}": "AB"[n % 2] for n in range(12) if n != 7} | {"m0": "B"}
    judges = judged(tmp_path, [(case, "match_option", "judge", one) for case, one in said.items()])
    read = agreement(str(judges), str(at.output), "--human", "ann", capsys=capsys)
    exact = next(row for row in read["rows"] if row["measure"] == "share_identical")
    assert (exact["n"], exact["abstained"]) == (10, 2) and exact["value"] == pytest.approx(0.9)


def test_a_step_without_an_open_verdict_refuses_cannot_tell(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path, pairs(1), "judge_equivalence") as at:
        page = at.begin()
        assert page.get_by_role("button", name="Cannot tell").count() == 0
        body = {"place": 0, "rater": "ann", "status": "abstained"}
        reply = httpx.post(f"{at.root}/api/rating/answers", json=body, headers=BEARER).json()
        assert "skip the item" in reply["problems"][0]


def test_no_name_of_a_model_a_judge_a_case_or_a_file_reaches_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    rows = [{**row, "id": f"case-of-{MODEL}-{n}", "judge": JUDGES[0]}
            for n, row in enumerate(pairs(3))]  # fmt: skip
    with desk(browser, tmp_path, rows, "judge_equivalence") as at:
        seen: list[str] = []
        at.page.on(
            "response", lambda reply: seen.append(f"{reply.url} {reply.headers} {_body(reply)}")
        )
        press_through(at, {row["id"]: "y Enter" for row in rows})
        everything = "\n".join(seen)
        assert len(seen) > 8 and "ringworm 1" in everything
        for name in (MODEL, *JUDGES, "items.jsonl", "votes-of-people", str(tmp_path)):
            assert name not in everything, name
        assert at.votes()["ann", f"case-of-{MODEL}-1", "judge_equivalence"].groups["model"] == MODEL


def _body(reply: Any) -> str:
    return str(reply.text()) if reply.status == 200 else ""


def test_nobody_takes_the_name_of_a_judge(tmp_path: Path) -> None:
    rows = [{**row, "judge": JUDGES[0]} for row in pairs(1)]
    with rating_of(tmp_path, rows, "judge_equivalence") as rating:
        for name in (JUDGES[0], "  ", "a\nb\u0007", "x" * 81):
            with pytest.raises(UsageError):
                rating.rater(name)
        assert rating.rater("  Ann  Bo ") == "Ann Bo"


def test_the_order_is_that_of_the_seed_and_stays_after_a_restart(
    browser: Browser, tmp_path: Path
) -> None:
    orders = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        (tmp_path / name).mkdir()
        with rating_of(tmp_path / name, pairs(9), "judge_equivalence", seed=seed) as rating:
            orders[name] = [one.case for one in rating.items]
    assert orders["a"] == orders["b"] != orders["c"]
    assert orders["a"] != sorted(orders["a"])
    (tmp_path / "d").mkdir()
    with desk(browser, tmp_path / "d", pairs(9), "judge_equivalence", seed=7) as at:
        page = at.begin()
        first = [one.case for one in at.rating.items]
        page.keyboard.press("y")
        page.keyboard.press("Enter")
        expect(page.locator(".rate-progress")).to_contain_text("1 of 9")
    with desk(browser, tmp_path / "d", pairs(9), "judge_equivalence") as at:
        assert [one.case for one in at.rating.items] == first
        page = at.page
        page.goto(at.address)
        page.get_by_role("button", name="ann").click()
        expect(page.locator(".rate-progress")).to_contain_text("1 of 9")
        expect(page.locator(".rate-task strong")).to_have_text("Item 2 of 9.")
    with (
        pytest.raises(UsageError, match="--seed 7"),
        rating_of(tmp_path / "d", pairs(9), "judge_equivalence", seed=8),
    ):
        pass
    with (
        pytest.raises(InputError, match="answers to other data"),
        rating_of(tmp_path / "d", pairs(8), "judge_equivalence"),
    ):
        pass


def test_two_raters_at_once_and_one_rater_in_two_windows(browser: Browser, tmp_path: Path) -> None:
    with desk(browser, tmp_path, pairs(2), "judge_equivalence") as at:
        ann = at.begin("ann")
        case = at.shown_case()
        other = at.page.context.new_page()
        other.goto(f"{at.root}/#rater=bob")
        other.wait_for_selector(".rate-form")
        again = at.page.context.new_page()
        again.goto(f"{at.root}/#rater=ann")
        again.wait_for_selector(".rate-form")
        for page, key in ((ann, "y"), (other, "n")):
            page.keyboard.press(key)
            page.keyboard.press("Enter")
            expect(page.locator(".rate-progress")).to_contain_text("1 of 2")
        assert ann.locator(".rate-notice").count() == 0
        again.keyboard.press("n")
        again.keyboard.press("Enter")
        expect(again.locator(".rate-notice")).to_contain_text("another window of yours")
        votes = at.votes()
        assert votes["ann", case, "judge_equivalence"].verdict is False
        assert votes["bob", case, "judge_equivalence"].verdict is False
        assert len(votes) == 2
        lines = Path(f"{at.output}.answers.jsonl").read_text("utf-8").splitlines()
        assert len(lines) == 4, "an earlier answer is gone from the file"


def test_back_shows_the_answer_and_undo_withdraws_it(browser: Browser, tmp_path: Path) -> None:
    with desk(browser, tmp_path, pairs(3), "judge_equivalence") as at:
        page = at.begin()
        page.keyboard.press("y")
        page.keyboard.press("Enter")
        expect(page.locator(".rate-task strong")).to_have_text("Item 2 of 3.")
        page.keyboard.press("b")
        expect(page.locator(".rate-task strong")).to_have_text("Item 1 of 3.")
        expect(page.get_by_role("radio", name="yes")).to_have_attribute("aria-checked", "true")
        page.keyboard.press("u")
        expect(page.locator(".rate-notice")).to_contain_text("item 1 is withdrawn")
        assert at.votes() == {}
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        expect(page.locator(".rate-progress")).to_contain_text("1 of 3")
        assert [vote.verdict for vote in at.votes().values()] == [False]


def test_nothing_is_inaccessible_and_nothing_is_wider_than_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    words = (f"Finding {n} of the lesion is {n * n} mm from its {n}th border." for n in range(60))
    text = f"Blue-white veil is seen. {EVIL} {' '.join(words)}"
    rows: list[dict[str, Any]] = [
        {"id": "r", "step": "score_rubric", "case": "A spot.", "reference": EVIL, "response": text},
        {"id": "e", "step": "label_errors", "reference": EVIL, "response": text},
        {"id": "p", "step": "choose_closer_pair", "pair_a": ["a", EVIL], "pair_b": ["c", "d" * 99]},
        {"id": "m", "step": "match_option", "question": "Which?", "options": {"A": "x", "B": EVIL},
         "answer": EVIL},
        {"id": "x", "step": "extract_ddx", "text": text},
    ]  # fmt: skip
    with desk(browser, tmp_path, rows) as at:
        page = at.page
        page.goto(at.address)
        page.get_by_label("Your name").wait_for()
        check_widths(page, "rate-name")
        page.get_by_label("Your name").fill("ann")
        page.keyboard.press("Enter")
        assert len(at.rating.items) == len(rows)
        for place, one in enumerate(at.rating.items):
            page.goto(f"{at.root}/#rater=ann&item={place + 1}")
            expect(page.locator(".rate-task strong")).to_contain_text(f"Item {place + 1} of")
            page.locator("details summary").click()
            if one.case in ("e", "r"):
                _drag(page, "Blue-white veil")
                page.locator(".marked-bar").wait_for()
                assert inaccessible(page) == []
                page.locator(".marked-bar button").first.click()
            check_widths(page, f"rate-{one.case}")


@pytest.mark.parametrize("name", [one.prompt_name for one in (*STEPS, *VARIANTS)])
def test_every_listed_step_takes_the_answer_of_a_person_as_that_of_a_model(name: str) -> None:
    from dxjudge.agents.people.form import questions_of
    from dxjudge.agents.people.given import outcome_of
    from dxjudge.agents.people.shown import show

    path = Path(__file__).parent / "data" / "steps" / f"{name}.json"
    if not path.exists():
        pytest.skip("the step has no example")
    example = json.loads(path.read_text("utf-8"))
    step = find_step(name)
    inputs = step.read_input(example["inputs"])
    outcome = outcome_of(step, inputs, example["answer"])
    assert not isinstance(outcome, list) and outcome.status == "done"
    output = step.output_model(inputs).model_validate(example["answer"])
    assert outcome.value == (step.finish(inputs, output) if step.finish else output)
    assert questions_of(step, inputs) and show(step, inputs).material


def test_words_may_be_left_out_and_verdicts_may_not() -> None:
    from dxjudge.agents.people.given import outcome_of

    step = find_step("grade_ddx")
    inputs = step.read_input({"truth": "gout", "ddx": ["lupus"]})
    outcome = outcome_of(step, inputs, {"score": 2})
    assert not isinstance(outcome, list) and outcome.status == "done"
    assert outcome_of(step, inputs, {"rationale": "near"}) == ["score: Field required"]
    assert isinstance(outcome_of(step, inputs, {"score": 1}), list)


def test_a_kill_loses_no_answer_and_the_next_start_writes_the_table(
    tmp_path: Path, capsys: Any
) -> None:
    table, output = tmp_path / "it's.csv", tmp_path / "votes.csv"
    table.write_text("id,predicted,truth\na,gout,podagra\nb,lupus,gout\n", encoding="utf-8")
    command = [sys.executable, "-m", "dxjudge", "rate", str(table), "--step", "judge_equivalence",
               "-o", str(output), "--no-open", "--rater", "ann"]  # fmt: skip
    process, address = _started(command)
    root, _, token = address.partition("/?token=")
    head = {"Authorization": f"Bearer {token}"}
    statuses = httpx.get(f"{root}/api/rating", headers=head).json()
    assert statuses == {"rater": "ann", "statuses": [None, None], "raters": []}
    for place in (0, 1):
        body = {"place": place, "rater": "ann", "status": "done", "answer": {"same_disease": "yes"}}
        reply = httpx.post(f"{root}/api/rating/answers", json=body, headers=head)
        assert reply.json()["seen"] == place + 2
    assert run(command[3:]) == 5
    assert "several people can use its pages" in " ".join(capsys.readouterr().err.split())
    process.send_signal(signal.SIGKILL)
    process.wait()
    output.unlink(missing_ok=True)
    with open(f"{output}.answers.jsonl", "ab") as file:
        file.write(b'{"rater": "ann", "item')  # a line that a kill cut off
    again, address = _started(command)
    assert {vote.case for vote in read_votes(output)} == {"a", "b"}
    again.send_signal(signal.SIGINT)
    _, said = again.communicate(timeout=30)
    assert again.returncode == 0, said
    assert "ann: 2 verdicts, 0 none, 0 cannot tell, 0 skipped" in said
    assert "dxjudge agree VOTES-OF-JUDGES" in said
    last, _ = _started([*command, "--json"])
    last.send_signal(signal.SIGINT)
    told = json.loads(last.communicate(timeout=30)[0])
    ends = {"verdict": 2, "none": 0, "cannot_tell": 0, "skipped": 0, "no_vote": []}
    assert told["raters"] == [{"rater": "ann", **ends}]
    assert (told["items"], told["drawn"], told["votes"]) == (2, 2, 2)
    assert [file["path"] for file in told["files"]] == [str(output), f"{output}.answers.jsonl"]


def _started(command: list[str]) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    timer = threading.Timer(60, process.kill)
    timer.start()
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "token=" in line:
            timer.cancel()
            return process, line.split()[-1]
    raise AssertionError("".join(lines))


def test_a_damaged_file_of_answers_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "v.csv.answers.jsonl"
    path.write_text('{"format": "something else"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1 is not a file of ratings"):
        Kept(path)
    Kept(tmp_path / "new.jsonl").close()
    assert not (tmp_path / "new.jsonl").exists()
    one = Kept(tmp_path / "new.jsonl")
    with pytest.raises(OutputError):
        Kept(tmp_path / "new.jsonl")
    one.close()


def test_options_that_do_not_fit_are_refused(tmp_path: Path, capsys: Any) -> None:
    table = tmp_path / "t.csv"
    table.write_text("predicted,truth\na,b\n", encoding="utf-8")
    for arguments, words in [
        (("rate", str(table)), "has no column 'step'"),
        (("rate", str(table), "--step", "judge_equivalence", "--by", "x"), "need --sample"),
        (
            ("rate", str(table), "--step", "judge_equivalence", "--by", "x", "--sample", "1"),
            "--by x",
        ),
        (("rate", str(table), "--task", "x"), "--task is for the folder"),
        (("rate", str(tmp_path / "no.csv"), "--step", "grade_ddx"), "no.csv"),
        (("rate", "-", "--step", "grade_ddx"), "standard input"),
        (("rate", str(tmp_path)), "inputs.json"),
    ]:
        assert run([*arguments, "--no-open"]) != 0
        assert words in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv"]
