"""The recipes of docs/howto_cluster.md for other data tools run as they stand there."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dxjudge import Mapper

from .pages import ROOT, blocks
from .ray_nodes import with_ray


def _block(word: str) -> str:
    """The block of the page that imports a package."""
    words = (f"import {word}", f"from {word}")
    page = blocks("docs/howto_cluster.md")
    [text] = [one.text for one in page if any(some in one.text for some in words)]
    return text


def _codes(written: Path) -> dict[str, str]:
    """The codes that a recipe wrote, by text."""
    table = pq.read_table(written)
    return dict(zip(table["diagnosis"].to_pylist(), table["code"].to_pylist(), strict=True))


@pytest.fixture(scope="module")
def expected(mapper: Mapper) -> dict[str, str | None]:
    with (ROOT / "examples" / "diagnoses.csv").open(encoding="utf-8") as file:
        texts = [row["diagnosis"] for row in csv.DictReader(file) if row["diagnosis"]]
    return {one.text: one.code for one in mapper.map_many(texts)}


def test_duckdb(expected: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(_block("duckdb"), "recipe", "exec"), {})
    assert len(expected) > 50 and _codes(tmp_path / "coded.parquet") == expected


@with_ray
def test_spark(expected: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "recipe.py").write_text(_block("pyspark"), "utf-8")
    done = subprocess.run(
        [sys.executable, "recipe.py"], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert _codes(tmp_path / "coded") == expected
