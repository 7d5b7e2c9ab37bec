"""Each number of README is a claim with a command; the cards have the counts of the files."""

import importlib.util
import json
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import yaml

from dxjudge.ontology.base import default_terms
from dxjudge.ontology.tree import load_tree

ROOT = Path(__file__).resolve().parents[1]
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"\w*[A-Za-z][\w./:@-]*|\]\([^)]*\)")  # ICD-10, I21, addresses of links
_DIGITS = re.compile(r"\d[\d.,]*")


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("claims", ROOT / "benchmarks/claims.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["claims"] = module
    spec.loader.exec_module(module)
    return module


CLAIMS = _module()


def test_the_texts_of_a_claim_stand_on_their_pages() -> None:
    for claim in CLAIMS.load_claims():
        for page, texts in claim.stands.items():
            written = (ROOT / page).read_text("utf-8")
            missing = [text for text in texts if text not in written]
            assert not missing, f"{page} lacks {missing} of: {claim.claim}"


def test_each_number_of_the_readme_is_a_claim() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for claim in CLAIMS.load_claims():
        for stated in claim.stands.get("README.md", []):
            text = text.replace(stated, "")
    prose = _NAME.sub(" ", _FENCE.sub("", text))
    assert not _DIGITS.findall(prose), [line for line in prose.splitlines() if _DIGITS.search(line)]


def test_the_table_of_claims_is_current() -> None:
    page = (ROOT / "docs/claims.md").read_text("utf-8")
    assert page.endswith(CLAIMS.page(CLAIMS.load_claims())), "python benchmarks/claims.py --write"


def test_the_scripts_of_the_commands_exist() -> None:
    for claim in CLAIMS.load_claims():
        for script in re.findall(r"benchmarks/\w+\.py|tests/\w+\.py", claim.run):
            assert (ROOT / script).exists(), script


@pytest.mark.parametrize(
    ("line", "output", "fits"),
    [
        ("doid {1649} {76.5}", "doid   1649   76.5 [74.4", True),
        ("doid {1649} {76.5}", "doid 1,649 76.4", False),
        ("x {0.5..1.2}", "x 0.89", True),
        ("x {0.5..1.2}", "x 1.21", False),
        ("exit {0}", "exit 5", False),
        ("exit {0}", "nothing", False),
    ],
)
def test_a_number_is_compared(line: str, output: str, fits: bool) -> None:
    assert CLAIMS.compare(line, output)[0] is fits


def test_a_claim_that_is_not_true_differs(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = CLAIMS.Claim("Two and two are five", "expr 2 + 2", 1, ("{5}",), {})
    chosen: Any = type("Chosen", (), {"list": False, "quick": True, "gold": None})
    assert CLAIMS.judge(wrong, chosen) == "differs"
    assert "differs 4" in capsys.readouterr().out
    late = CLAIMS.Claim("Late", "false", 61, (), {})
    assert CLAIMS.judge(late, chosen) == "skipped"


def test_a_command_that_does_not_end_is_stopped_with_what_it_started(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CLAIMS, "_LAST_SECONDS", 0.1)
    # Neither the shell nor its child ends when it is asked to.
    stubborn = "trap '' TERM; echo 4 started; sh -c 'sleep 60; sleep 60'; sleep 60"
    wrong = CLAIMS.Claim("It ends", stubborn, 1, ("{4} started",), {})
    chosen: Any = type("Chosen", (), {"list": False, "quick": True, "gold": None})
    for patience in (0.2, 2, 20):  # seconds, in one of which the shell is there
        monkeypatch.setattr(CLAIMS, "_PATIENCE", patience)
        assert CLAIMS.judge(wrong, chosen) == "differs"
        told = capsys.readouterr().out
        assert "differs had not ended after" in told
        if "ok      4 started" in told:
            return
    raise AssertionError("what a command printed before it was stopped is lost")


def test_the_citation_has_the_version_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'version = "{citation["version"]}"' in project
    assert {"cff-version", "message", "title", "authors", "license", "type"} <= citation.keys()
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"


def _lines(name: str) -> list[str]:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _count(row: str) -> int:
    """The number in the second column of a row of the data card."""
    for line in (ROOT / "docs/data_card.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].startswith(row):
            return int(cells[1].replace(",", ""))
    raise AssertionError(f"the data card has no row {row!r}")


def test_the_counts_of_the_data_card_are_those_of_the_files() -> None:
    terms = Counter(term.source for term in default_terms(load_tree()))
    assert _count("ICD-10-CM April 2026 names") == terms["official"]
    assert _count("ICD-10-CM inclusion terms") == terms["inclusion"]
    assert _count("ICD-10-CM `includes` notes") == terms["includes"]
    card = (ROOT / "docs/data_card.md").read_text("utf-8")
    assert f"{terms['dxjudge']:,} of the synonyms are terms of the base" in card
    for row, name in (
        ("the project's synonyms", "synonyms"),
        ("the project's words in seven languages", "glossary"),
        ("the project's lay words", "lay"),
        ("the project's states and factors", "told"),
        ("the project's measures", "measures"),
        ("the project's abbreviations", "abbreviations"),
    ):
        assert _count(row) == len(_lines(f"ontology/data/{name}.tsv")) - 1, row
    for name in ("non_diagnoses", "charts"):
        lines = (ROOT / f"benchmarks/data/{name}.tsv").read_text("utf-8").splitlines()
        tuning = sum(line.endswith("\ttune") for line in lines)
        assert _count(f"`benchmarks/data/{name}.tsv`") == tuning
    assert _count("`benchmarks/data/several.tsv`") == len(_lines("benchmarks/data/several.tsv")) - 1


def test_the_model_card_describes_the_files_that_ship() -> None:
    card = (ROOT / "docs/model_card.md").read_text("utf-8")
    data = ROOT / "ontology/data"
    for name in ("reranker.json", "confidence.json"):
        size = round((data / name).stat().st_size / 1000)
        assert f"`ontology/data/{name}`, {size} KB" in card, (name, size)
    for path in data.iterdir():
        if path.suffix in (".json", ".npz"):
            assert f"`ontology/data/{path.name}`" in card, path.name
    reranker = json.loads((data / "reranker.json").read_text())
    assert f"over {len(reranker['features'])} features" in card
    confidence = json.loads((data / "confidence.json").read_text())
    assert f"over {len(confidence['evidence'])} numbers of evidence" in card
    assert f"{len(np.load(data / 'vectors.npz')['keys']):,} distinct normalised terms" in card
    for cap in ("negation", "part", "word for word", "spelling"):
        assert f"{confidence['caps'][cap][0] + 1e-9:.2f}" in card, cap
