"""`dxjudge review` in a real browser, over real tables: what is seen, and what the files hold."""

import csv
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from dxjudge.cli.main import run
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.table import CanonicalTable, read_table
from dxjudge.ontology.tree import load_tree
from dxjudge.web.local import Job
from dxjudge.web.reviewing.api import make_review_api
from dxjudge.web.reviewing.finder import Finder
from dxjudge.web.reviewing.opened import Opening, open_review

from .browser import check_widths, chromium, faults_of, served

TREE = load_tree()
EXAMPLES = Path(__file__).parent.parent / "examples/diagnoses.csv"
TEXT, CHOSEN = "[data-testid=text]", "[data-testid=chosen]"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def finder(mapper: Mapper) -> Finder:
    loaded = Finder(mapper, TREE)
    loaded.start()
    loaded.ready.wait(120)
    return loaded


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table that `dxjudge map` makes of the examples."""
    folder = tmp_path_factory.mktemp("mapped")
    table = folder / "t.tsv"
    assert (
        run(["map", str(EXAMPLES), "-o", str(folder / "o.csv"), "--table", str(table), "-q"]) == 0
    )
    return table


@pytest.fixture
def table(mapped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(mapped, tmp_path / "t.tsv"))


@contextmanager
def review(finder: Finder, table: Path, **options: object) -> Iterator[str]:
    session = open_review(Opening(table, "icd10cm", **options)).session  # type: ignore[arg-type]
    with served(
        Job(job="review", title=f"Review {table.name}"), make_review_api(session, finder)
    ) as url:
        yield url


def open_page(browser: Browser, url: str, state: str = "") -> Page:
    page = browser.new_context(viewport={"width": 1140, "height": 900}).new_page()
    page.goto(f"{url}#{state}")
    page.wait_for_selector(TEXT)
    return page


def press_on(page: Page, key: str) -> str:
    """Press a key that goes on to another row, and return the text of the row that was left."""
    left = page.inner_text(TEXT)
    page.keyboard.press(key)
    page.wait_for_function(
        f"""text => (document.querySelector("{TEXT}")?.textContent ?? "") !== text""", arg=left
    )
    return left


def saved(page: Page) -> None:
    page.wait_for_function("""() => document.querySelector(".saving")?.textContent === "" """)


def wait_for_candidates(page: Page) -> None:
    page.wait_for_selector("[role=group][aria-label=Candidates]")


def rows_of(table: Path) -> CanonicalTable:
    return read_table(table, TREE)


def test_ten_rows_by_keys_alone(browser: Browser, finder: Finder, table: Path) -> None:
    before = table.read_bytes().splitlines()
    with review(finder, table, reviewer="Ana O'Neil") as url:
        page = open_page(browser, url, "order=-score")
        faults = faults_of(page)
        surest = sorted(rows_of(table).entries.values(), key=lambda one: -one.mapping.score)
        of_text = {one.mapping.text: one for one in surest}
        for row in page.locator(".list .big-row.placed").all()[:20]:
            _, text, *cells = row.locator("[role=cell]").all_inner_texts()
            one = of_text[text]
            score = f"{one.mapping.score:.2f}" if one.mapping.code else "–"
            assert cells == [one.mapping.code or "–", str(one.rows), score]
        kept = [press_on(page, "Enter") for _ in range(6)]
        wait_for_candidates(page)
        second = page.inner_text(".option .code >> nth=1")
        page.keyboard.press("2")
        assert second in page.inner_text(CHOSEN) and "not saved" in page.inner_text(CHOSEN)
        picked = press_on(page, "Enter")
        page.keyboard.press("n")
        none = press_on(page, "Enter")
        page.keyboard.press("/")
        page.keyboard.type("M10.9")
        page.wait_for_selector("#found-0")
        page.keyboard.press("Enter")
        page.keyboard.press("a")
        page.keyboard.press("/")
        page.keyboard.type("E11.9")
        page.wait_for_selector("#found-0 >> text=E11.9")
        page.keyboard.press("Enter")
        page.keyboard.press("m")
        page.keyboard.type("said 'gout'")
        page.keyboard.press("Enter")
        searched = press_on(page, "Enter")
        wait_for_candidates(page)
        page.keyboard.press("t")
        place = page.locator("[role=group][aria-label='Beside it'] .code").first.inner_text()
        for _ in range(60):
            if place in page.inner_text(CHOSEN).split():
                break
            page.keyboard.press("ArrowDown")
        wider = press_on(page, "Enter")
        saved(page)
        page.wait_for_function(
            "() => document.querySelector('[data-testid=progress]').innerText.includes('(10 of')"
        )
        assert faults == []
    rows = rows_of(table)
    own = {text: rows.entries[text] for text in (*kept, picked, none, searched, wider)}
    assert len(own) == 10
    assert all(row.reviewed and row.reviewer == "Ana O'Neil" for row in own.values())
    assert all(own[text].signature.endswith(f"={own[text].mapping.code}") for text in kept)
    assert own[picked].mapping.code == second
    assert own[none].mapping.code is None
    found = own[searched]
    assert (found.mapping.code, found.mapping.additional_codes, found.note) == (
        "M10.9", "E11.9", "said 'gout'",
    )  # fmt: skip
    assert own[wider].mapping.code == place
    after = table.read_bytes().splitlines()
    changed = {
        old.split(b"\t")[0].decode() for old, new in zip(before, after, strict=True) if old != new
    }
    assert changed == {text.replace('"', '""') for text in own}, "only the decided rows differ"


def test_the_tree_comes_to_the_eye_and_is_walked_by_keys(
    browser: Browser, finder: Finder, table: Path
) -> None:
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url, "order=-score")
        wait_for_candidates(page)
        code = page.locator("[data-testid=chosen] .code").inner_text()
        page.keyboard.press("t")
        at = page.locator("[aria-label='In the tree'] .option.at")
        expect(at).to_be_in_viewport()
        expect(at.locator(".code")).to_have_text(code)
        page.keyboard.press("ArrowDown")
        under = page.locator(".option.at .code")
        expect(under).not_to_have_text(code)
        child = under.inner_text()
        expect(page.get_by_test_id("chosen")).to_contain_text(f"{child}")
        expect(page.get_by_test_id("chosen")).to_contain_text("not saved yet")
        page.keyboard.press("?")
        page.keyboard.press("Escape")
        expect(page.locator(".keys-line")).to_be_visible()
        expect(page.get_by_test_id("chosen")).to_contain_text("not saved yet")
        page.emulate_media(media="print")
        printed = page.locator(".option.at .what").bounding_box()
        assert printed and printed["width"] > 400, (
            "on paper there is no key, and its column neither"
        )
        page.emulate_media(media="screen")
        press_on(page, "j")
        expect(page.locator(".big-row.placed").first).to_contain_text("not saved yet")
        press_on(page, "k")
        text = press_on(page, "Enter")
        saved(page)
        expect(page.locator(".big-row.placed").first).to_contain_text("reviewed")
    assert rows_of(table).entries[text].mapping.code == child


def test_a_reviewer_goes_on_under_the_same_name(
    browser: Browser, finder: Finder, table: Path
) -> None:
    with review(finder, table, reviewer="Ana O'Neil") as url:
        press_on(open_page(browser, url), "Enter")
    with review(finder, table) as url:
        page = browser.new_page()
        page.goto(url)
        page.get_by_role("button", name="Ana O'Neil").click()
        page.wait_for_selector(TEXT)
        expect(page.get_by_test_id("progress")).to_contain_text("(1 of 58 texts)")


def test_undo_and_flags_by_keys(browser: Browser, finder: Finder, table: Path) -> None:
    before = table.read_bytes()
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url)
        first = press_on(page, "Enter")
        second = press_on(page, "Enter")
        saved(page)
        assert rows_of(table).entries[second].reviewed
        for text in (second, first):
            page.keyboard.press("u")
            page.wait_for_function(
                f"""text => document.querySelector("{TEXT}").textContent === text""", arg=text
            )
        assert table.read_bytes() == before
        page.keyboard.press("u")
        page.wait_for_selector("[role=alert] >> text=nothing of Ana to take back")
        page.keyboard.press("f")
        page.wait_for_selector("text=flagged by Ana")
        flags = page.locator(".big-row.placed", has_text="flagged by Ana")
        expect(flags).to_contain_text(first)
        expect(flags).to_have_count(1)
        page.get_by_label("flagged").check()
        expect(page.locator(".big-row.placed")).to_have_count(1)
        expect(page.get_by_test_id("text")).to_have_text(first)


def test_after_a_filter_by_mouse_the_keys_belong_to_the_rows(
    browser: Browser, finder: Finder, table: Path
) -> None:
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url, "order=-score")
        state = page.get_by_label("State")
        state.focus()
        page.keyboard.press("ArrowDown")  # by keys one goes on to the next value
        expect(state).to_be_focused()
        page.keyboard.press("n")
        expect(page.get_by_test_id("chosen")).not_to_contain_text("No code fits")
        state.dispatch_event("pointerdown")
        with page.expect_response("**/api/review/queue*"):
            state.select_option("reviewed")
        page.wait_for_selector(".end")
        with page.expect_response("**/api/review/rows*"):
            state.select_option("open")
        page.wait_for_selector(TEXT)
        page.keyboard.press("n")
        expect(page.get_by_test_id("chosen")).to_contain_text("No code fits")
        with page.expect_response("**/api/review/rows*"):
            page.get_by_role("button", name="Load the list again").click()
        text = press_on(page, "Enter")
        saved(page)
    assert rows_of(table).entries[text].mapping.code is None


def test_a_late_answer_does_not_bring_back_a_decided_row(
    browser: Browser, finder: Finder, table: Path
) -> None:
    seen: set[str] = set()
    held: list[Route] = []

    def hold(route: Route) -> None:
        """Let the first question about a row pass; keep what asks again, and news after that."""
        is_news = route.request.url.endswith("/changes")
        if (is_news and held) or (not is_news and route.request.url in seen):
            held.append(route)
        else:
            seen.add(route.request.url)
            route.continue_()

    with review(finder, table, reviewer="Ana") as url:
        page = browser.new_context().new_page()
        page.route("**/api/review/row/*", hold)
        page.route("**/api/review/changes", hold)
        page.goto(url)
        page.wait_for_selector(TEXT)
        decided = [press_on(page, "Enter")]
        while not held:  # the page asks again for the row on the screen, since the table changed
            page.wait_for_timeout(20)
        decided.append(press_on(page, "Enter"))
        saved(page)
        with page.expect_response(held[0].request.url):
            held[0].continue_()
        page.evaluate("() => fetch('api/job').then(reply => reply.text())")
        decided.append(press_on(page, "Enter"))
        saved(page)
        page.unroute_all(behavior="ignoreErrors")
        page.context.close()
    assert len({*decided}) == 3
    entries = rows_of(table).entries.values()
    assert {one.mapping.text for one in entries if one.reviewed} == {*decided}


def test_two_reviewers_on_one_row(browser: Browser, finder: Finder, table: Path) -> None:
    with review(finder, table) as url:
        pages = [browser.new_context().new_page() for _ in range(2)]
        for page, name in zip(pages, ("Ana", "Ben"), strict=True):
            page.goto(url)
            page.get_by_label("Your name").fill(name)
            page.keyboard.press("Enter")
            page.wait_for_selector(TEXT)
        ana, ben = pages
        ben.keyboard.press("m")
        ben.keyboard.type("mine")
        ben.keyboard.press("Enter")  # he has begun, so the page keeps what he sees
        text = press_on(ana, "Enter")
        saved(ana)
        assert press_on(ben, "Enter") == text
        alert = ben.wait_for_selector("[role=alert] >> text=changed meanwhile")
        assert alert and "reviewed by Ana" in alert.inner_text()
        assert rows_of(table).entries[text].reviewer == "Ana", "nothing is overwritten silently"
        ben.keyboard.press("o")
        ben.wait_for_selector("text=reviewed by Ana")
        assert ben.input_value("#note") == "mine", "what he had decided is still there"
        press_on(ben, "Enter")
        saved(ben)
        row = rows_of(table).entries[text]
        assert (row.reviewer, row.note) == ("Ben", "mine")


def test_a_program_writes_in_between(
    browser: Browser, finder: Finder, table: Path, tmp_path: Path
) -> None:
    (tmp_path / "more.csv").write_text("diagnosis\nwhooping cough\nwhooping cough\n", "utf-8")
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url)
        first = press_on(page, "Enter")
        saved(page)
        more = ["map", str(tmp_path / "more.csv"), "-o", str(tmp_path / "o.csv"), "-q"]
        assert run([*more, "--table", str(table)]) == 0
        second = press_on(page, "Enter")
        saved(page)
        page.wait_for_function(
            "() => document.querySelector('[data-testid=progress]').innerText.includes('61 rows')"
        )
    entries = rows_of(table).entries
    assert entries[first].reviewed and entries[second].reviewed
    assert entries["whooping cough"].rows == 2


def test_a_spreadsheet_saves_in_between(
    browser: Browser, finder: Finder, mapped: Path, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    with mapped.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    head = rows[0]
    with table.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows(rows)
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url, "order=-score")
        page.keyboard.press("j")
        for row in rows[1:]:  # as a German Excel saves it, with a column of its own
            row[head.index("score")] = row[head.index("score")].replace(".", ",")
        with table.open("w", newline="", encoding="utf-8-sig") as file:
            writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
            writer.writerows([*row, "Bemerkung" if row is head else "ä; ö"] for row in rows)
        saved_by_excel = table.read_bytes().splitlines()
        page.wait_for_selector("text=Bemerkung")
        text = press_on(page, "Enter")
        saved(page)
    data = table.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf") and b"\r\n" in data and b'"\xc3\xa4; \xc3\xb6"' in data
    changed = [
        new for old, new in zip(saved_by_excel, data.splitlines(), strict=True) if old != new
    ]
    assert len(changed) == 1
    entry = rows_of(table).entries[text]
    assert entry.reviewed and entry.other["Bemerkung"] == "ä; ö"


PAYLOADS = [
    "<script>window.hit = 1</script>", '"><img src=x onerror="window.hit=1">', "=cmd|' /C calc'!A0",
    "\u202eevil\u2066 text", "a 'quoted' \"text\"", "{{7*7}} ${7*7}", "line one\nline two",
]  # fmt: skip


def test_payloads_are_text_everywhere(browser: Browser, finder: Finder, tmp_path: Path) -> None:
    table = tmp_path / "<b>t.tsv"
    columns = [
        "text",
        "code",
        "name",
        "score",
        "term",
        "source",
        "reason",
        "note",
        "reviewer",
        "own <i>",
    ]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow([*columns, "signature"])
        for payload in PAYLOADS:
            guard = "'" if payload.startswith("=") else ""
            cell = guard + payload
            writer.writerow([cell, "J18.9", cell, "0.5", *[cell] * 6, "s=J18.9"])
    with review(finder, table, reviewer=PAYLOADS[0]) as url:
        page = open_page(browser, url, "state=all&order=file")
        faults = faults_of(page)
        page.on("dialog", lambda _: faults.append("a dialog"))
        for payload in PAYLOADS:
            assert page.text_content(TEXT) == payload
            assert page.locator(f"{TEXT} bdi").count() == 1, "signs of direction are isolated"
            page.keyboard.press("m")
            page.keyboard.press("ControlOrMeta+a")
            page.keyboard.type("=1+1")
            page.keyboard.press("Enter")
            if payload != PAYLOADS[-1]:
                press_on(page, "Enter")
        page.keyboard.press("Enter")
        page.wait_for_selector(".end")
        saved(page)
        assert page.evaluate("window.hit") is None
        assert faults == []
    entries = rows_of(table).entries
    assert [entry.mapping.text for entry in entries.values()] == PAYLOADS
    assert all(entry.note == "=1+1" and entry.reviewer == PAYLOADS[0] for entry in entries.values())
    assert [entry.other["own <i>"] for entry in entries.values()] == PAYLOADS
    assert (
        b"\t'=1+1\t" in table.read_bytes()
        and b",'=1+1," in (tmp_path / "<b>t.reviews.csv").read_bytes()
    )


def test_a_full_disk_is_told_and_nothing_is_lost(
    browser: Browser, finder: Finder, table: Path
) -> None:
    before = table.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url)
        wait_for_candidates(page) if page.locator("[aria-label=Candidates]").count() else None
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            text = press_on(page, "Enter")
            page.wait_for_selector("[role=alert] >> text=cannot write")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert table.read_bytes() == before
        assert [path.name for path in table.parent.iterdir() if path.suffix == ".part"] == []
        page.keyboard.press("o")
        page.wait_for_function(
            f"""text => document.querySelector("{TEXT}").textContent === text""", arg=text
        )
        press_on(page, "Enter")
        saved(page)
    assert rows_of(table).entries[text].reviewed


def test_the_rest_of_a_sample_is_accepted_with_its_precision(
    browser: Browser, finder: Finder, table: Path
) -> None:
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url)
        page.goto(f"{url.partition('?')[0]}#tab=accept")
        every = rows_of(table).entries.values()
        steps = page.locator(".accept tbody tr")
        steps.first.wait_for()
        for lowest, cells in ((0.8, steps.nth(3)), (0.5, steps.last)):
            above = [one for one in every if one.mapping.code and one.mapping.score >= lowest]
            weight = sum(one.rows for one in above)
            right = sum(one.rows * one.mapping.score for one in above) / weight
            assert cells.locator("th, td").all_inner_texts()[:4] == [
                f"{lowest:.2f}", str(len(above)), str(weight), f"{100 * right:.1f} %"
            ], right  # fmt: skip
        page.get_by_label("Texts to look at").fill("12")
        page.get_by_role("button", name="Draw from 0.90").click()
        page.wait_for_selector(TEXT)
        page.wait_for_function("() => document.querySelector('.big-table').ariaRowCount === '13'")
        drawn = []
        for number in range(12):
            if number == 3:
                page.keyboard.press("n")
            if number < 11:
                drawn.append(press_on(page, "Enter"))
        drawn.append(page.inner_text(TEXT))
        page.keyboard.press("Enter")
        page.wait_for_selector(".end")
        saved(page)
        page.goto(f"{url.partition('?')[0]}#tab=accept")
        sample = page.get_by_test_id("sample-1")
        sample.get_by_role("button", name="Accept the others").click()
        page.wait_for_selector("[data-testid=unseen]")
        words = page.inner_text("[data-testid=unseen]")
        entries = rows_of(table).entries
        weight = sum(entries[text].rows for text in drawn)
        right = weight - entries[drawn[3]].rows
        assert f"{100 * right / weight:.1f} %" in words and "11 right of 12 texts" in words
        accepted = [entry for entry in entries.values() if entry.accepted]
        assert accepted and all(
            entry.mapping.score >= 0.9 and not entry.reviewed for entry in accepted
        )
        assert not [entry for entry in entries.values() if not entry.reviewed and not entry.accepted
                    and entry.mapping.score >= 0.9]  # fmt: skip
        shown = page.inner_text("[data-testid=progress]")
        rows = sum(entry.rows for entry in entries.values())
        done = weight + sum(entry.rows for entry in accepted)
        assert f"{100 * done / rows:.1f} % of {rows} rows done" in shown
        settled = read_table(table, TREE).settled(accepted[0].mapping.text, "another run")
        assert settled and settled.score == accepted[0].mapping.score, (
            "used again with its own score"
        )
        sample.get_by_role("button", name="again").click()
        page.wait_for_selector("[data-testid=unseen]", state="detached")
        assert not any(entry.accepted for entry in rows_of(table).entries.values())


def test_the_same_rows_twice_blind_and_settled(
    browser: Browser, finder: Finder, table: Path
) -> None:
    before = table.read_bytes()
    for name, keys in (("Ana", ("Enter", "Enter", "n")), ("Ben", ("Enter", "Enter", "Enter"))):
        with review(finder, table, reviewer=name, blind=True) as url:
            page = open_page(browser, url, "order=-score")
            assert "Ana" not in page.inner_text("main") or name == "Ana", "blind"
            texts = []
            for key in keys:
                if key != "Enter":
                    page.keyboard.press(key)
                texts.append(press_on(page, "Enter"))
            saved(page)
            expect(page.get_by_test_id("progress")).to_contain_text("done by you: 3 of 58 texts")
    assert table.read_bytes() == before, "blind reviews are not in the table"
    with review(finder, table, reviewer="Cem") as url:
        page = open_page(browser, url)
        expect(page.get_by_test_id("progress")).to_contain_text("0 of 58 texts")
        page.goto(f"{url.partition('?')[0]}#tab=agreement")
        pair = page.locator("[data-testid=pairs] tbody tr").locator("th, td")
        pair.first.wait_for()
        names, both, same, _, _, of_rows = [" ".join(one.split()) for one in pair.all_inner_texts()]
        weights = [rows_of(table).entries[text].rows for text in texts]
        share = 100 * sum(weights[:2]) / sum(weights)
        assert (names, both) == ("Ana and Ben", "3") and same.startswith("66.7 % ")
        assert of_rows == f"{share:.1f} % {sum(weights)} rows"
        page.get_by_role("button", name="Write what they agree on").click()
        page.wait_for_selector("text=On 0 open texts the reviewers agree")
        page.get_by_role("link", name="Settle the 1 difference").click()
        page.wait_for_selector("[aria-label='What reviewers chose']")
        assert page.inner_text(TEXT) == texts[2]
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_selector(".end")
        saved(page)
    entries = rows_of(table).entries
    assert [entries[text].reviewer for text in texts] == ["Ana + Ben", "Ana + Ben", "Cem"]


def test_what_a_release_changed_stands_at_the_row(
    browser: Browser, finder: Finder, tmp_path: Path
) -> None:
    old, new = tmp_path / "old.tsv", tmp_path / "new.tsv"
    old.write_text(
        "text\tcode\tname\treviewed\nflu\tJ11\tOld name\tyes\nlost\tJ99.77\tGone\tyes\n", "utf-8"
    )
    run(["table", "carry", str(old), "-o", str(new), "-q"])
    with review(finder, new, reviewer="Ana", earlier=old) as url:
        page = open_page(browser, url, "state=all&changed=true&order=file")
        assert page.inner_text(TEXT) == "flu"
        assert "J11: J11 was 'Old name'" in page.inner_text(".lines")
        press_on(page, "j")
        assert "Changed release (deleted)" in page.inner_text(".lines")


def test_every_part_is_accessible(browser: Browser, finder: Finder, table: Path) -> None:
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url, "order=-score")
        press_on(page, "Enter")
        wait_for_candidates(page)
        page.keyboard.press("?")
        for tab in ("accept", "agreement", "review"):
            page.goto(f"{url.partition('?')[0]}#tab={tab}&order=-score")
            page.wait_for_selector(TEXT if tab == "review" else ".accept h2")
            check_widths(page, f"review-{tab}")
        page.keyboard.press("/")
        page.keyboard.type("gout")
        page.wait_for_selector("#found-0")
        check_widths(page, "review-search")


def test_ten_thousand_rows_open_and_scroll(
    browser: Browser, finder: Finder, tmp_path: Path
) -> None:
    table = tmp_path / "big.tsv"
    with table.open("w", encoding="utf-8") as file:
        file.write("text\tcode\tname\tscore\trows\tsignature\n")
        for number in range(10_000):
            file.write(
                f"cough number {number}\tR05\tCough\t0.{number % 100:02}\t{number + 1}\ts=R05\n"
            )
    with review(finder, table, reviewer="Ana") as url:
        page = open_page(browser, url, "order=file")
        assert page.inner_text(TEXT) == "cough number 0"
        assert page.locator(".big-row").count() < 100, "only rows on the screen are in the document"
        page.eval_on_selector(".big-table", "box => box.scrollTop = box.scrollHeight")
        page.wait_for_selector("text=cough number 9999")
        press_on(page, "Enter")
        saved(page)
        page.fill("#filter", "number 4321")
        page.wait_for_function("() => document.querySelector('.big-table').ariaRowCount === '2'")
    assert rows_of(table).entries["cough number 0"].reviewed
