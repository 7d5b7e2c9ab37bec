"""`dxjudge map --count`: a list of distinct texts gives the numbers of the table it was made of."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run
from dxjudge.files import large

TIMES = {"Acute appendicitis": 3, "schedule follow up": 2, "gout; asthma": 4, "": 1}
OPTIONS = ("--json", "--quiet", "--split", "--accept", "0.9")
SMALL = ("--ontology", f"{Path(__file__).parent / 'data' / 'releases' / 'own.py'}:ICD11")


def written(path: Path, rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("diagnosis", "n"), *rows])
    return path


def told(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert run(["map", *map(str, words)]) == 0
    facts = json.loads(capsys.readouterr().out)
    return {name: fact for name, fact in facts.items() if name not in ("seconds", "files", "input")}


@pytest.mark.parametrize("least", [1, large.LARGE])
@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl"])
def test_a_list_of_counted_texts_gives_the_numbers_of_the_whole_table(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
    least: int,
) -> None:
    monkeypatch.setattr(large, "LARGE", least)
    monkeypatch.setattr(large, "_LARGE_PACKED", least)
    whole = written(
        tmp_path / "whole.csv", [(text, 1) for text in TIMES for _ in range(TIMES[text])]
    )
    short = written(tmp_path / "short.csv", [*TIMES.items()])
    if suffix != ".csv":  # numbers of a spreadsheet or of JSON are no text
        assert run(["map", str(short), "-o", str(tmp_path / f"short{suffix}"), "-q", *SMALL]) == 0
        short = tmp_path / f"short{suffix}"
    exports, tables = [], []
    facts = []
    for path, *count in ((whole,), (short, "--count", "n")):
        output, table = tmp_path / f"{path.stem}.usagi.csv", tmp_path / f"{path.stem}.tsv"
        facts.append(told(capsys, path, "-o", output, "--table", table, *count, *OPTIONS))
        exports.append(output.read_text("utf-8"))
        tables.append(sorted(table.read_text("utf-8").splitlines()))
    assert facts[1].pop("table_rows") == 4
    assert facts[0] == facts[1] and facts[0]["rows"] == 10
    assert exports[0] == exports[1] and tables[0] == tables[1]


@pytest.mark.parametrize("cell", ["many", "-1", "2.5", "", "9" * 30])
def test_a_count_that_is_no_number_of_rows_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cell: str
) -> None:
    path = written(tmp_path / "short.csv", [("gout", 2), ("asthma", cell)])
    assert run(["map", str(path), "--count", "n", "-o", str(tmp_path / "out.csv")]) == 4
    assert f"row 2 (line 3): column 'n' holds {cell!r}" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


def test_a_column_that_may_hold_counts_is_not_passed_over_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "short.csv"
    path.write_text("diagnosis,Frequency\ngout,2\nasthma,7\n", "utf-8")
    assert run(["map", str(path), "-o", str(tmp_path / "out.csv"), *SMALL]) == 0
    assert "--count Frequency counts those rows" in capsys.readouterr().err
    assert (
        run(["map", str(path), "-o", str(tmp_path / "out.csv"), "--count", "Frequency", *SMALL])
        == 0
    )
    err = capsys.readouterr().err
    assert "2 rows that stand for 9 rows" in err and "--count" not in err
