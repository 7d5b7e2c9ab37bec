"""How fast the pages of `dxjudge view` are: 22 models, 5 judges, 730 cases, 80,300 verdicts.

    python -m benchmarks.pages [--keep FOLDER]

Makes the folder of such an evaluation with the code that writes every evaluation (the verdicts are
drawn from a seed, no model is asked), serves it as `dxjudge view` does, and measures in a Chromium:
the first picture of each page, also from the start of the command, each filter until its rows stand
on the page, scrolling, the memory, and the size of the self-contained report.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

from dxjudge.agents.engine.judges import as_judge
from dxjudge.agents.engine.ledger import Attempt, Ledger
from dxjudge.agents.judge_equivalence import JUDGE_EQUIVALENCE_CORRECT as STEP
from dxjudge.agents.outcome import Done, Failed, Outcome
from dxjudge.agents.watching.prompt_log import PromptLog
from dxjudge.evaluation.cases import Case, Diagnosis, Response
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judging import Panel, RecordKey
from dxjudge.evaluation.pages.kept import ATTEMPTS, PROMPTS
from dxjudge.evaluation.pages.wanted import Wanted
from dxjudge.evaluation.report.write import make_folder, write_everything
from dxjudge.evaluation.settings import Settings
from dxjudge.web.local import Job
from dxjudge.web.view.api import make_view_api
from dxjudge.web.view.open_runs import OpenRuns
from tests.browser import chromium, served

MODELS, JUDGES, CASES = 22, 5, 730
_WORDS = (
    "fever rash cough pustules erythema leukocytes biopsy lesion culture sterile chest pain "
    "dyspnea edema acute chronic left right lobe nodule therapy steroid history onset"
).split()
_NAMES = ("gout", "asthma", "psoriasis", "pneumonia", "migraine", "sepsis", "eczema", "sarcoidosis")


def _text(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(_WORDS, k=words))


def make_run(folder: Path) -> None:
    """Write the folder of an evaluation with verdicts drawn from a seed."""
    draw = random.Random(18)
    judges = [as_judge(f"openai:judge-{n}") for n in range(JUDGES)]
    cases = tuple(
        Case(f"case-{n:03}", case=_text(draw, 180), reference=_text(draw, 60),
             diagnosis=Diagnosis(draw.choice(_NAMES)), groups={"specialty": (f"s{n % 20:02}",)})
        for n in range(CASES)
    )  # fmt: skip
    responses = {
        f"model-{n:02}": {
            case.id: (Response(case.id, _text(draw, 150), draw.choice(_NAMES), ()),)
            for case in cases
        }
        for n in range(MODELS)
    }
    settings = Settings(tasks=("judge_equivalence",), style="correct", resamples=50)
    labels = [judge.spec.label for judge in judges]
    records = dict(_records(draw, labels, responses))
    evaluation = evaluate(cases, responses, settings, Panel(tuple(judges), records=records))
    make_folder(folder)
    _write_calls(folder, records, draw)  # before the report, which shows them
    write_everything(evaluation, folder, shown=200)


def _records(
    draw: random.Random, labels: list[str], responses: dict[str, dict[str, tuple[Response, ...]]]
) -> Iterator[tuple[RecordKey, Outcome]]:
    for judge in labels:
        for model, by_case in responses.items():
            for case in by_case:
                key = f"{judge} {model} {case}"
                about: dict[str, Any] = {"step": STEP.name, "version": STEP.version, "key": key}
                about |= {"repairs": int(draw.random() < 0.03), "cost": draw.random() / 100}
                value = {"equivalent": draw.random() < 0.6}
                outcome: Outcome = Done(**about, value=value)
                if draw.random() < 0.01:
                    outcome = Failed(**about, kind="invalid", reasons=("invalid: no JSON",))
                yield (judge, "judge_equivalence", model, case, 0, 0), outcome


def _write_calls(folder: Path, records: dict[RecordKey, Outcome], draw: random.Random) -> None:
    """Write prompts and attempts as a run does; judges of the same item got the same prompt."""
    ledger = Ledger(folder / ATTEMPTS)
    prompts: dict[tuple[str, str], str] = {}
    with PromptLog(folder / PROMPTS) as log:
        for (judge, _, model, case, *_), outcome in records.items():
            user = prompts.setdefault((model, case), _text(draw, 120))
            key = outcome.key or ""
            log.note(key, {"system": _text(random.Random(1), 300), "user": user, "images": []})
            ledger.record(
                Attempt("2026-01-01", STEP.name, STEP.version, judge, "json_schema", key, 0, 0, 1,
                        "valid" if outcome.status == "done" else "invalid", _text(draw, 12), "",
                        900, 30, None, outcome.cost, draw.random() * 3)
            )  # fmt: skip
    ledger.close()


def _timed(page: Page, act: Callable[[], object]) -> float:
    """Seconds from an act until the page shows its rows, none of them still loading."""
    page.evaluate("document.querySelector('.cases-summary')?.setAttribute('data-old', '1')")
    started = time.perf_counter()
    act()
    page.wait_for_function(
        """() => { const s = document.querySelector('.cases-summary');
        if (!s || s.getAttribute('aria-busy') === 'true') return false;
        const rows = [...document.querySelectorAll('.big-row.placed')];
        const none = s.textContent.startsWith('0 of');
        return (none || rows.length > 0) && rows.every((r) => !r.textContent.includes('…'))
          && window.shownFor !== s.textContent + (rows[0]?.textContent ?? ''); }""",
        polling=5,
    )
    took = time.perf_counter() - started
    _remember(page)
    return took


def _remember(page: Page) -> None:
    page.evaluate(
        """() => { window.shownFor = document.querySelector('.cases-summary').textContent
        + (document.querySelector('.big-row.placed')?.textContent ?? ''); }"""
    )


def _go(page: Page, state: str) -> Callable[[], object]:
    return lambda: page.evaluate(f"location.hash = {state!r}")


FILTERS = {
    "a model": "model=model-03",
    "a judge": "judge=openai%3Ajudge-1",
    "wrong": "right=wrong",
    "failed": "status=failed",
    "judges disagree, wrong, a group": "judges=disagree&right=wrong&group.specialty=s03",
    "repaired": "repaired=repaired",
    "score 1": "score=1..1",
    "score of final_accuracy": "metric=final_accuracy&score=0..0",
    "cost": "cost=0.002..0.004",
    "seconds": "seconds=1..2",
    "a frequent word": "q=fever",
    "a rare phrase": "q=chest+pain+dyspnea+edema",
    "words of no text": "q=zzzz",
    "sorted by cost": "sort=-cost",
    "sorted by case": "sort=-case",
}


def measure(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what was measured, and the number with its unit."""
    yield from _commanded(folder)
    yield "report.html", f"{(folder / 'report.html').stat().st_size / 1e6:.1f} MB"
    started = time.perf_counter()
    runs = OpenRuns([folder])
    cases = runs.runs[0].cases
    yield "reading the tables of the run, once", f"{time.perf_counter() - started:.2f} s"
    cases.table.places(Wanted(text="fever"))
    yield "reading its texts too", f"{time.perf_counter() - started:.2f} s"
    with served(Job(job="view", title="benchmark"), make_view_api(runs)) as address:
        with chromium() as browser:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            session = page.context.new_cdp_session(page)
            root = address.partition("?")[0]
            page.goto(address)  # gives the cookie
            page.goto("about:blank")
            for name, mark in (("overview", "table.main"), ("judges", "figure.confusion")):
                took = _pictured(page, f"{root}#tab={name}", mark)
                yield f"first picture of the page {name}", f"{took:.2f} s"
                page.goto("about:blank")
            first = _timed(page, lambda: page.goto(f"{root}#tab=cases"))
            yield "first picture of the cases", f"{first:.2f} s"
            for name, state in FILTERS.items():
                took = _timed(page, _go(page, f"tab=cases&{state}"))
                yield f"filter: {name}", f"{took:.3f} s"
                _timed(page, _go(page, "tab=cases"))
            yield from _scrolled(page)
            _opened(page)
            opened = time.perf_counter()
            page.evaluate("location.hash = 'tab=cases&case=case-100'")
            page.wait_for_selector("article.one-case")
            yield "one case (22 models, 110 verdicts)", f"{time.perf_counter() - opened:.3f} s"
            yield "memory of the page", _memory(session)
            for rest in (0, 5):
                took = _searched(browser, folder, rest)
                yield f"report.html: first search {rest} s after its cases", f"{took:.3f} s"
            yield "memory of its process", f"{_renderer(browser):.0f} MB"
            yield "memory of the server", f"{_resident(os.getpid()):.0f} MB"


def _searched(browser: Browser, folder: Path, rest: float) -> float:
    """Seconds of the first search in the self-contained report, after some seconds of rest."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(f"{(folder / 'report.html').resolve().as_uri()}#tab=cases")
    page.wait_for_selector(".big-row.placed a")
    page.wait_for_timeout(rest * 1000)
    _remember(page)
    took = _timed(page, _go(page, "tab=cases&q=chest+pain+dyspnea+edema"))
    page.close()
    return took


def _commanded(folder: Path) -> Iterator[tuple[str, str]]:
    """From the start of the command to its address, and to the first rows of the page of cases."""
    command = [sys.executable, "-m", "dxjudge", "view", str(folder), "--no-open"]
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        started = time.perf_counter()
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            address = re.search(r"http://\S+", process.stderr.readline())
            assert address is not None
            yield "from the command to its address", f"{time.perf_counter() - started:.2f} s"
            _pictured(page, f"{address[0]}#tab=cases", ".big-row.placed a")
            yield "from the command to the rows of cases", f"{time.perf_counter() - started:.2f} s"
            process.terminate()


def _pictured(page: Page, address: str, mark: str) -> float:
    """Seconds until a page shows an element."""
    started = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(mark)
    return time.perf_counter() - started


def _opened(page: Page) -> None:
    page.evaluate("document.querySelector('.big-table').scrollTop = 0")


def _scrolled(page: Page) -> Iterator[tuple[str, str]]:
    for share in (0.25, 0.9, 0.5):
        jump = (
            f"(b => b.scrollTop = b.scrollHeight * {share})(document.querySelector('.big-table'))"
        )
        took = _timed(page, lambda jump=jump: page.evaluate(jump))  # type: ignore[misc]
        yield f"scroll to {share:.0%} of 80,300 rows", f"{took:.3f} s"


def _memory(session: CDPSession) -> str:
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    return f"{metrics['JSHeapUsedSize'] / 1e6:.0f} MB of JavaScript, {metrics['Nodes']:.0f} nodes"


def _renderer(browser: Browser) -> float:
    """Megabytes of the largest process that draws pages."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return max(_resident(one["id"]) for one in processes if one["type"] == "renderer")


def _resident(process: int) -> float:
    text = Path(f"/proc/{process}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) / 1e3


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="Keep the run here, or use the one that is here.")
    keep = parser.parse_args().keep
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary) / "run"
        if not (folder / "signature.json").exists():
            started = time.perf_counter()
            make_run(folder)
            print(f"made the run in {time.perf_counter() - started:.0f} s")
        for name, number in measure(folder):
            print(f"{name:<40} {number}", flush=True)


if __name__ == "__main__":
    main()
