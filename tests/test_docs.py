"""Every block of README and docs runs, in the order of its page, and prints what the page shows."""

import csv
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from dxjudge.cli.main import run as dxjudge
from dxjudge.files.folders import VARIABLE
from dxjudge.graphs.mapper import Mapper

from . import (
    mediconfusion_model,
    medlesionvqa_model,
    scripted_dermcase,
    scripted_medsyn,
    test_carry,
    test_exchange,
    tutorial_judge,
)
from .page_reader import PageReader
from .pages import PAGES, ROOT, blocks, commands, valid_answer
from .protocol_server import ProtocolServer, Seen, say

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")

# Statements that cannot run here: page and words of the statement -> why.
NOT_RUN = {
    ("docs/claims.md", "claims.py"): "measures for minutes; tests/test_claims.py",
    ("docs/install.md", "uv tool"): "installs from the network",
    ("docs/install.md", "pipx"): "installs from the network",
    ("docs/install.md", "podman"): "needs a container engine; tests/test_packaging.py",
    ("docs/install.md", "venv"): "makes an environment, which pip fills from the network",
    ("docs/sources.md", "mondo"): "fetches from the network",
    ("docs/map.md", "--max-cost"): "prices are those of the provider's own address",
    ("docs/howto_cluster.md", "--cluster"): "starts Ray; tests/test_cluster_map.py",
    ("docs/howto_cluster.md", "ray.data"): "starts Ray; tests/test_map_batch.py",
    ("docs/howto_cluster.md", "docker"): "needs a container engine; tests/test_packaging.py",
    ("docs/howto_cluster.md", "pyspark"): "starts Spark; tests/test_recipes.py",
    ("docs/howto_cluster.md", "duckdb"): "tests/test_recipes.py",
    ("docs/batch.md", "batch"): "waits for a provider's batches; tests/test_batches.py",
    ("docs/serve.md", "dxjudge serve"): "runs until it is stopped; tests/test_serve.py",
    ("docs/serve.md", "curl"): "asks the service of the line before it",
    ("docs/serve.md", "dxjudge mcp"): "reads until its input ends; tests/test_serve.py",
    ("docs/adapters.md", "inspect_ai"): "may be missing; tests/test_as_inspect_scorer.py",
    ("docs/adapters.md", "langgraph dev"): "runs until it is stopped; tests/test_studio.py",
    ("docs/pages.md", "dxjudge view"): "serves until it is stopped; tests/test_view.py",
    ("docs/pages.md", "dxjudge review"): "serves until it is stopped; tests/test_review.py",
    ("docs/pages.md", "dxjudge rate"): "serves until it is stopped; tests/test_rate.py",
    ("docs/pages.md", "dxjudge agree"): "reads what people rated; tests/test_rate_sample.py",
}
# Pages of which every block runs in a test of its own, with a judge made for the page.
ELSEWHERE = {
    "docs/files.md": "tests/test_table_forms.py",
    "docs/own_ontology.md": "tests/test_own_release.py",
    "docs/own_step.md": "tests/test_own_step_page.py",
    "docs/scoring.md": "tests/test_scoring_examples.py",
}


HDDX = ["pulmonary embolism", "pneumonia", "pleurisy", "myocardial infarction", "asthma"]


ROLE = {"answers": "usual"}


def answer(seen: Seen) -> Any:
    if ROLE["answers"] == "tutorial":
        return tutorial_judge.answer(seen)
    if ROLE["answers"] != "usual":
        good = {"dermcase": scripted_dermcase.good, "medsyn": scripted_medsyn.good}
        return say(good[ROLE["answers"]](seen))
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
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setitem(ROLE, "answers", "usual")
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


def _filled(text: str, server: ProtocolServer) -> str:
    """Judges that a page names by a letter or at an address of its own are those of the server."""
    for port in (8000, 8080):
        text = text.replace(f"qwen@http://127.0.0.1:{port}/v1", f"qwen@{server.url}")
    text = text.replace("anthropic:MODEL", "anthropic:claude-sonnet-4-5")

    def judges(match: re.Match[str]) -> str:
        return match[1] + re.sub("[A-C]", lambda one: server.judge(one[0].lower()), match[2])

    return re.sub(r"(--judges? )([A-C](?:,[A-C])*)(?![\w:])", judges, text)


def _evaluated(folder: Path, server: ProtocolServer) -> None:
    """The folder RUN of an evaluation with two judges, and the votes of a doctor."""
    if (folder / "RUN").exists():
        return
    judges = ["--judge", server.judge("a"), "--judge", server.judge("b")]
    files = ["cases.jsonl", "model-a.jsonl", "model-b.jsonl"]
    assert dxjudge(["evaluate", *files, "-o", "RUN", *judges]) in (0, 3)
    doctor = [{"case": "c1", "judge": "doctor", "step": "judge_equivalence", "verdict": "true"}]
    _rows(folder / "doctor.csv", doctor)


def _ann_has_rated(folder: Path, server: ProtocolServer) -> None:
    """The folder `out` of an evaluation with the votes that a person gave in the browser."""
    _evaluated(folder, server)
    shutil.copytree(folder / "RUN", folder / "out")
    vote = {"case": "c1", "judge": "ann", "step": "judge_equivalence", "verdict": "true"}
    _rows(folder / "out/ratings.csv", [vote])


def _reviewed(folder: Path, server: ProtocolServer) -> None:
    """A column whose mapping a person has reviewed: 60 rows, of which a few had another code."""
    shutil.copy(folder / "examples/diagnoses.csv", folder / "diagnoses.csv")
    table = folder / "reviewed.tsv"
    table.unlink(missing_ok=True)
    assert dxjudge(["map", "diagnoses.csv", "-o", "mapped.csv", "--table", str(table)]) == 0
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for number, row in enumerate(rows):
        row["reviewed"] = "yes"
        row["code"] = "Z23" if number % 9 == 0 else row["code"]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)


def _rated(folder: Path, server: ProtocolServer) -> None:
    """A person rates the sample that a procedure has drawn; then come case reports again."""
    ROLE["answers"] = "dermcase"
    with (folder / "dermcase/sample.csv").open(newline="", encoding="utf-8") as file:
        sample = list(csv.DictReader(file))
    _rows(folder / "dermcase/sample.csv", [{**row, "verdict": "yes"} for row in sample])


def _role(name: str) -> Callable[[Path, ProtocolServer], None]:
    return lambda folder, server: ROLE.update(answers=name)


def _concepts(folder: Path, server: ProtocolServer) -> None:
    (folder / "athena").mkdir(exist_ok=True)
    (folder / "athena/CONCEPT.csv").write_text(test_exchange.CONCEPTS, "utf-8")


def _editions(folder: Path, server: ProtocolServer) -> None:
    """The official files of an older edition, and CMS's equivalences from ICD-9-CM."""
    (folder / "2025").mkdir(exist_ok=True)
    (folder / "2025/icd10cm_tabular_2025.xml").write_text(test_carry.TABULAR, "utf-8")
    (folder / "2025/icd10cm-order-2025.txt").write_text(test_carry.ORDER, "utf-8")
    (folder / "2018_I9gem.txt").write_text("7242  M545    10000\n", "utf-8")
    (folder / "icd9.tsv").write_text("text\tcode\treviewed\nlumbago\t724.2\tyes\n", "utf-8")


# What lies in the folder before a command with this word: the work of a person or of another day.
EARLIER: dict[str, dict[str, Callable[[Path, ProtocolServer], None]]] = {
    "docs/agreement.md": {"RUN": _evaluated},
    "docs/pages.md": {"agree": _ann_has_rated},
    "docs/map.md": {"calibrate": _reviewed},
    "docs/curation.md": {
        "dermcase": _role("dermcase"),
        "medsyn": _role("medsyn"),
        "mediconfusion": _role("usual"),
        "agree": _rated,
    },
    "docs/exchange.md": {"athena": _concepts, "carry": _editions},
}


def _why_not(page: str, text: str) -> str | None:
    for (of_page, words), reason in NOT_RUN.items():
        if page == of_page and words in text:
            return reason
    return None


def test_what_is_not_run_here_is_still_there_and_runs_elsewhere() -> None:
    for (page, words), reason in NOT_RUN.items():
        assert words in (ROOT / page).read_text("utf-8"), (page, words)
        for named in re.findall(r"tests/\w+\.py", reason):
            assert (ROOT / named).exists(), reason
    for page, test in ELSEWHERE.items():
        assert page in PAGES and Path(page).name in (ROOT / test).read_text("utf-8")


class _State(TypedDict, total=False):
    inputs: dict[str, Any]
    case: str
    verdict: Any
    errors: Any


def _given(page: str, server: ProtocolServer) -> dict[str, Any]:
    """The names that the Python of a page has without saying so."""
    pandas = pytest.importorskip("pandas")
    case: dict[str, Any] = {"truth": "gout", "ddx": ["gout", "sepsis"]}
    if page == "docs/steps.md":
        case = {"case": "A toe.", "reference": "Gout.", "response": "Gout."}
    return {
        "graph": StateGraph(_State),
        "builder": StateGraph(_State),
        "frame": pandas.DataFrame({"diagnosis": ["gout", "asthma"]}),
        "texts": ["gout", "asthma"],
        "cases": [case],
        "names": ["c1"],
        "judge": server.judge(),
    }


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
def test_every_block_of_a_page_runs(page: str, folder: Path, server: ProtocolServer) -> None:
    def before(words: list[str]) -> None:
        for word, prepare in EARLIER.get(page, {}).items():
            if word in words:
                prepare(folder, server)

    def fill(text: str) -> str:
        return _filled(text, server)

    if Path(page).name.startswith("tutorial_"):
        ROLE["answers"] = "tutorial"  # until the end of the test: the folder's fixture sets it back
    given = _given(page, server)
    PageReader(page, given, lambda text: _why_not(page, text), before, fill).read()


def test_every_block_names_its_language() -> None:
    known = {"bash", "console", "csv", "json", "markdown", "python", "sh", "text", "yaml"}
    others = [
        (page, one.line) for page in PAGES for one in blocks(page) if one.language not in known
    ]
    assert others == []


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
    assert dxjudge(shlex.split(_filled(shlex.join(words), server))) == 0
    page = (ROOT / "docs/curation.md").read_text("utf-8")
    shown = [line for line in page.splitlines() if line.startswith(row)]
    written = (folder / output).read_text("utf-8").replace(f"@{server.url}", "")
    assert len(shown) == 1 and shown[0] in written.splitlines()


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|\n").split("|")]


def _table(page: str, first: str) -> list[dict[str, str]]:
    """The rows of the table whose first column has this title."""
    lines = iter((ROOT / page).read_text("utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first} |"):
            next(lines)
            rows = takewhile(lambda row: row.startswith("|"), lines)
            return [dict(zip(_cells(line), _cells(row), strict=True)) for row in rows]
    raise AssertionError(f"{page} has no table of {first}")


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_mapping_that_a_front_page_shows_is_what_comes_out(page: str, mapper: Mapper) -> None:
    rows = _table(page, "diagnosis")
    assert len(rows) > 3
    for shown in rows:
        mapping = mapper.map(shown["diagnosis"])
        mapped = mapping.code is not None
        scores = {"score": mapping.score, "category_score": mapping.category_score}
        came = {
            "diagnosis": shown["diagnosis"],
            "→ code": mapping.code or "",
            "name": mapping.name or "",
            **{name: f"{score:.2f}" if mapped else "" for name, score in scores.items()},
            "decided_by": mapping.decided_by,
            "status": mapping.status,
            "reason": mapping.reason or "",
        }
        for name in scores.keys() & {name for name in shown if shown[name]}:
            shown[name] = f"{float(shown[name]):.2f}"
        assert shown == {name: came[name] for name in shown}


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_verdicts_that_a_front_page_shows_are_what_comes_out(page: str, folder: Path) -> None:
    words = next(words for words in commands(page) if "ontology" in words)
    assert dxjudge(words) == 3
    rows = [json.loads(line) for line in (folder / "verdicts.jsonl").open(encoding="utf-8")]
    for shown in _table(page, "predicted"):
        row = next(
            row
            for row in rows
            if row["diagnosis"] == shown["truth"]
            and (row["response_diagnosis"] or "(none)") == shown["predicted"]
        )
        equivalent = "" if row["equivalent"] is None else str(row["equivalent"]).lower()
        came = (row["status"], row["decided_by"], equivalent, row["reason"] or "")
        names = ("→ status", "decided_by", "equivalent", "reason")
        assert tuple(shown[name] for name in names) == came, shown
