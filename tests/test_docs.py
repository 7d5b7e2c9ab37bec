"""Every command and every Python block of README and docs runs, in the order of its page."""

import ast
import asyncio
import csv
import inspect
import json
import os
import shutil
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from dxjudge.cli.main import run as dxjudge
from dxjudge.files.folders import VARIABLE
from dxjudge.graphs.mapper import Mapper

from . import mediconfusion_model, medlesionvqa_model
from .pages import PAGES, ROOT, commands, python_of, valid_answer
from .protocol_server import ProtocolServer, Seen, say

DONE = (0, 3)  # 3: some rows failed, as a scripted model's answers may
# Commands that show a form, need a network, or are run by tests of their own.
NOT_RUN = {
    ("docs/evaluate.md", "CASES"): "shows the form of the command",
    ("docs/sources.md", "mondo"): "fetches from the network",
    ("docs/map.md", "--max-cost"): "prices are those of the provider's own address",
    ("docs/curation.md", "dermcase"): "tests/test_curate_command.py runs it",
    ("docs/serve.md", ""): "tests/test_serve.py runs it",
    ("docs/pages.md", ""): "tests/test_view.py runs it",
    ("docs/curation.md", "medsyn"): "tests/test_curation_medsyn.py runs it",
    ("docs/map.md", "calibrate"): "tests/test_confidence.py runs it with reviewed rows",
    ("docs/curation.md", "agree"): "tests/test_curation_reports.py runs it",
    ("docs/exchange.md", "carry"): "tests/test_carry.py runs it with old editions",
    ("docs/exchange.md", "new.tsv"): "the table of the command before it",
    ("docs/exchange.md", "athena"): "tests/test_exchange.py runs it with concepts",
    ("docs/own_ontology.md", ""): "tests/test_own_release.py runs it",
    ("docs/own_step.md", ""): "tests/test_own_step_page.py runs it",
    ("docs/files.md", ""): "tests/test_table_forms.py runs it",
}
PYTHON_NOT_RUN = {
    "docs/adapters.md": "tests/test_as_*.py run the adapters against the real frameworks",
    "docs/files.md": "tests/test_table_forms.py runs it",
    "docs/scoring.md": "tests/test_scoring_examples.py runs its examples",
    "docs/curation.md": "tests/test_curation_dermcase.py runs the graphs",
    "docs/own_ontology.md": "tests/test_own_release.py runs it",
    "docs/own_step.md": "tests/test_own_step_page.py runs it",
}


HDDX = ["pulmonary embolism", "pneumonia", "pleurisy", "myocardial infarction", "asthma"]


def answer(seen: Seen) -> Any:
    if seen.schema is None:  # a model under test, asked for text
        return say("A" if "Options:" in seen.user else "Final diagnosis: gout")
    if mediconfusion_model.is_known(seen):
        return say(mediconfusion_model.answer(seen))
    if "in plaster" in seen.user:
        return say({"diagnoses": HDDX})
    if medlesionvqa_model.step_of(seen) in ("write", "solve"):
        return say(medlesionvqa_model.answer(seen))
    return say(valid_answer(seen.schema))


@pytest.fixture(scope="module")
def server() -> Iterator[ProtocolServer]:
    with ProtocolServer(answer) as running:
        yield running


def _rows(path: Path, rows: list[dict[str, Any]]) -> None:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def folder(
    tmp_path: Path, server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder with the files that the pages speak of, and a cache of its own."""
    place = tmp_path / "work"
    shutil.copytree(ROOT / "examples", place / "examples")
    cache = tmp_path / "cache"
    cache.mkdir()
    for shared in ("index", "ontology"):
        source = Path(os.environ[VARIABLE]) / shared
        source.mkdir(parents=True, exist_ok=True)
        (cache / shared).symlink_to(source)
    monkeypatch.setenv(VARIABLE, str(cache))
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    monkeypatch.chdir(place)
    texts = ["gout", "asthma", "heart attack", "N/A"]
    _rows(place / "diagnoses.csv", [{"id": i, "diagnosis": text} for i, text in enumerate(texts)])
    _rows(place / "diagnosen.csv", [{"id": "1", "diagnosis": "Gicht"}])
    cases = [
        {
            "id": f"c{number}",
            "specialty": "ward",
            "case": "A painful toe.",
            "reference": "Gout.",
            "diagnosis": truth,
            "truth": truth,
            "predicted": "podagra",
            "ddx": '["gout", "sepsis"]',
            "response": "Final diagnosis: gout",
            "answer": "It is gout.",
        }
        for number, truth in enumerate(["gout", "sepsis", "asthma"], 1)
    ]
    for name in ("cases.csv", "pairs.csv", "answers.csv"):
        _rows(place / name, cases)
    lists = [{**case, "ddx": ["gout", "sepsis"]} for case in cases]
    _rows(place / "cases.jsonl", lists)
    question = {"question": "Which?", "options": {"A": "gout", "B": "sepsis"}, "answer": "A"}
    _rows(place / "options.jsonl", [{"id": "o1", **question}])
    said = [{"id": case["id"], "response": "Final diagnosis: gout"} for case in cases]
    for name in ("a", "b", "model-a", "model-b"):
        _rows(place / f"{name}.jsonl", said)
    _rows(place / "ward.csv", [{"term": "toe ache", "code": "M79.67", "said": "x", "icd": "M10"}])
    shutil.copy(ROOT / "tests/data/sources/index.xml", place / "icd10cm_index_2026.xml")
    shutil.copy(ROOT / "prompts/rubric_dermcase.yaml", place / "mine.yaml")
    votes = [
        {
            "case": f"c{case}",
            "judge": judge,
            "step": "grade_ddx",
            "verdict": grade,
            "status": "done",
        }
        | {"specialty": "ward"}
        for judge in ("A", "B", "doctor")
        for case, grade in enumerate((5, 4, 2, 0, 3), 1)
    ]
    _rows(place / "votes.csv", votes)
    two = {"id": "1", "case": "A red toe.", "response_a": "It is gout.", "response_b": "A sprain."}
    _rows(place / "comparisons.csv", [two])
    _rows(place / "wins.csv", [{"case": "1", "a": "x", "b": "y", "winner": "x"}])
    yield place


def _filled(words: list[str], server: ProtocolServer) -> list[str]:
    """Judges that a page names by a letter or at an address of its own are those of the server."""
    names = {letter: server.judge(letter.lower()) for letter in "ABC"}
    filled = []
    for word in words:
        if word.startswith(("openai:qwen@", "openai:gpt", "anthropic:")) and "," not in word:
            word = word.split("@")[0].replace("MODEL", "claude-sonnet-4-5")
        if "," in word and word[0] in "Ao":
            word = ",".join(_filled(word.split(","), server))
        filled.append(names.get(word, word))
    return filled


def _why_not(page: str, words: list[str]) -> str | None:
    for (of_page, word), reason in NOT_RUN.items():
        if page == of_page and (not word or word in words):
            return reason
    return None


def test_what_is_not_run_here_is_run_elsewhere() -> None:
    for reason in (*NOT_RUN.values(), *PYTHON_NOT_RUN.values()):
        named = reason.split()[0]
        assert not named.startswith("tests/") or list(ROOT.glob(named)), reason


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_the_commands_of_a_page_run(
    page: str, folder: Path, server: ProtocolServer, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = [words for words in commands(page) if _why_not(page, words) is None]
    if any("RUN" in words for words in shown):
        judges = ["--judge", server.judge("a"), "--judge", server.judge("b")]
        files = ["cases.jsonl", "model-a.jsonl", "model-b.jsonl"]
        assert dxjudge(["evaluate", *files, "-o", "RUN", *judges]) in DONE
        doctor = [{"case": "c1", "judge": "doctor", "step": "judge_equivalence", "verdict": "true"}]
        _rows(folder / "doctor.csv", doctor)
    for words in shown:
        # The scripted model fails some rows, so that a command leaves its journal for a retry. The
        # next command of the page may write the same output with other settings: another job.
        for journal in folder.glob("*.journal"):
            journal.unlink()
        code = dxjudge(_filled(words, server))
        output = capsys.readouterr()
        assert code in DONE, f"{page}: dxjudge {' '.join(words)}\n{output.err}"


@pytest.mark.parametrize(
    ("command", "output", "row"),
    [
        ("mediconfusion", "pairs/questions.jsonl", '{"id": "chest1'),
        ("medlesionvqa", "lesions/questions.jsonl", '{"id": "rec1/'),
        ("differentials.jsonl", "differentials.jsonl", '{"id": "0"'),
    ],
)
def test_the_page_of_curation_shows_the_rows_that_come_out(
    folder: Path, server: ProtocolServer, command: str, output: str, row: str
) -> None:
    words = next(words for words in commands("docs/curation.md") if command in words)
    assert dxjudge(_filled(words, server)) == 0
    page = (ROOT / "docs/curation.md").read_text("utf-8")
    shown = [line for line in page.splitlines() if line.startswith(row)]
    written = (folder / output).read_text("utf-8").replace(f"@{server.url}", "")
    assert len(shown) == 1 and shown[0] in written.splitlines()


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|\n").split("|")]


def _table(page: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column has this title."""
    lines = iter((ROOT / page).read_text("utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first} |"):
            next(lines)
            return [_cells(row) for row in takewhile(lambda row: row.startswith("|"), lines)]
    raise AssertionError(f"{page} has no table of {first}")


def test_the_mapping_that_the_readme_shows_is_what_comes_out(mapper: Mapper) -> None:
    for text, code, name, score, category, decided_by, status, reason in _table(
        "README.md", "diagnosis"
    ):
        mapping = mapper.map(text)
        shown_score = f"{mapping.category_score:.2f}" if mapping.code else ""
        assert shown_score == (category and f"{float(category):.2f}")
        shown = (mapping.code or "", mapping.name or "", mapping.decided_by, mapping.status)
        assert shown == (code, name, decided_by, status), text
        assert (f"{mapping.score:.2f}" if mapping.code else "") == (score and f"{float(score):.2f}")
        of_category = f"{mapping.category_score:.2f}" if mapping.code else ""
        assert of_category == (category and f"{float(category):.2f}")
        assert (mapping.reason or "") == reason


def test_the_verdicts_that_the_readme_shows_are_what_comes_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = next(words for words in commands("README.md") if "ontology" in words)
    assert dxjudge(words) == 3
    shown = next(line for line in (ROOT / "README.md").open() if line.startswith("54 rows:"))
    assert shown.strip() in capsys.readouterr().err
    rows = [json.loads(line) for line in (folder / "verdicts.jsonl").open(encoding="utf-8")]
    for predicted, truth, status, equivalent, decided_by, _ in _table("README.md", "predicted"):
        row = next(
            row
            for row in rows
            if row["diagnosis"] == truth and (row["response_diagnosis"] or "(none)") == predicted
        )
        assert (row["status"], row["decided_by"]) == (status, decided_by), truth
        assert equivalent == ("" if row["equivalent"] is None else str(row["equivalent"]).lower())


class _State(TypedDict, total=False):
    inputs: dict[str, Any]
    case: str
    verdict: Any
    errors: Any


@pytest.mark.parametrize("page", [page for page in PAGES if python_of(page).strip()])
def test_the_python_of_a_page_runs(page: str, folder: Path, server: ProtocolServer) -> None:
    if page in PYTHON_NOT_RUN:
        pytest.skip(PYTHON_NOT_RUN[page])
    pandas = pytest.importorskip("pandas")
    case = {"truth": "gout", "ddx": ["gout", "sepsis"]}
    names: dict[str, Any] = {
        "graph": StateGraph(_State),
        "builder": StateGraph(_State),
        "frame": pandas.DataFrame({"diagnosis": ["gout", "asthma"]}),
        "texts": ["gout", "asthma"],
        "cases": [case],
        "names": ["c1"],
        "judge": server.judge(),
    }
    if page == "docs/steps.md":
        names["cases"] = [{"case": "A toe.", "reference": "Gout.", "response": "Gout."}]
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    program = compile(_placed(python_of(page), server), page, "exec", flags=flags)
    result = eval(program, names)
    if inspect.iscoroutine(result):
        asyncio.run(result)


def _placed(program: str, server: ProtocolServer) -> str:
    """The program with the server's address for those of the page."""
    for address in ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8000/v1"):
        program = program.replace(address, server.url)
    return program.replace("anthropic:MODEL", "anthropic:claude-sonnet-4-5")
