"""With --json every command prints one JSON object, with the numbers of its table."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cache.replies import Replies
from dxjudge.cli.main import run

from .protocol_server import ProtocolServer

pytestmark = pytest.mark.usefixtures("one_picture")

EXAMPLES = Path(__file__).parents[1] / "examples"
CASES = [str(EXAMPLES / "cases.jsonl"), *(str(EXAMPLES / "evaluate" / f"{name}.jsonl")
                                          for name in ("careful", "hasty"))]  # fmt: skip


def result_of(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert run([*map(str, words), "--json"]) == code
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)  # NaN is no JSON
    assert isinstance(found, dict)
    return found


def table_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file, with numbers as numbers and empty cells as None."""

    def value(cell: str) -> Any:
        try:
            return float(cell) if cell else None
        except ValueError:
            return cell

    with path.open(newline="", encoding="utf-8") as file:
        return [{name: value(cell) for name, cell in row.items()} for row in csv.DictReader(file)]


def written(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same rows as a CSV file has them."""
    return [
        {
            name: {True: "true", False: "false", "": None}.get(value, value)
            if isinstance(value, bool | str)
            else value
            for name, value in row.items()
        }
        for row in rows
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("evaluated") / "out"
    words = ["--preset", "choice", "--resamples", "50", "-q"]
    cases = place.parent / "cases.jsonl"
    rows = [{"id": str(n), "question": "?", "A": "x", "B": "y", "answer": "A"} for n in range(12)]
    cases.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    files = []
    for name, letters in (("a", "AAAB"), ("b", "ABBB")):
        path = place.parent / f"{name}.jsonl"
        said = [{"id": str(n), "answered": letters[n % 4]} for n in range(11)]
        path.write_text("".join(json.dumps(row) + "\n" for row in said), "utf-8")
        files.append(str(path))
    assert run(["evaluate", str(cases), *files, "-o", str(place), *words]) == 3
    return place


def test_evaluate(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [folder.parent / name for name in ("cases.jsonl", "a.jsonl", "b.jsonl")]
    out = tmp_path / "out"
    options = ("-o", out, "--preset", "choice", "--resamples", 50)
    found = result_of(capsys, "evaluate", *files, *options, code=3)
    for name in ("main_table", "summary"):
        assert written(found[name]) == table_of(out / f"{name}.csv")
    assert found["signature"] == json.loads((out / "signature.json").read_text("utf-8"))
    assert found["report"] == str(out / "report.html")
    assert found["failures"] and any("Failed" in note for note in found["notes"])


def test_leaderboard_and_power(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "board.csv"
    (board,) = result_of(capsys, "leaderboard", folder, "-o", table, code=3)["boards"]
    rows = [{"board": 1.0, **row} for row in written(board["rows"])]
    assert rows == table_of(table) and board["cases"] == 12
    plan = tmp_path / "power.csv"
    found = result_of(capsys, "power", folder, "--difference", "0.1", "-o", plan)
    assert written(found["rows"]) == table_of(plan)


def test_strengths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{n},x,y,{'x' if n % 3 else 'y'}" for n in range(30)] + ["30,x,y,"]
    (tmp_path / "wins.csv").write_text("\n".join(["case,a,b,winner", *rows]), "utf-8")
    out, apart = tmp_path / "out.csv", tmp_path / "apart.csv"
    words = ("strengths", tmp_path / "wins.csv", "-o", out, "--differences", apart, "--boot", 50)
    found = result_of(capsys, *words, code=3)
    assert written(found["strengths"]) == table_of(out)
    assert written(found["differences"]) == table_of(apart)
    assert found["unresolved"] == 1


def test_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{n},grade,{judge},{(n + at) % 3}" for n in range(12) for at, judge in enumerate("xy")]
    (tmp_path / "votes.csv").write_text("\n".join(["case,step,judge,verdict", *rows]), "utf-8")
    out = tmp_path / "out.csv"
    found = result_of(capsys, "agree", tmp_path / "votes.csv", "-o", out, "--boot", 50)
    assert written(found["rows"]) == table_of(out)
    header, *kept = [line + "," for line in (tmp_path / "votes.csv").read_text("utf-8").split()]
    kept[0] = "0,grade,x,,failed"
    (tmp_path / "votes.csv").write_text("\n".join([header + "status", *kept]), "utf-8")
    assert run(["agree", str(tmp_path / "votes.csv"), "--boot", "50"]) == 3
    assert "1 vote failed and left out of every measure" in capsys.readouterr().err


def test_check_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.csv"
    table.write_text("Model,Micro Precision,Micro Recall,Micro F1\nm,50.0,50.0,70.0\n", "utf-8")
    words = ("check-table", table, "--preset", "dermcase")
    found = result_of(capsys, *words, code=3)
    assert run([*map(str, words)]) == 3
    shown = capsys.readouterr().out
    assert len(found["broken"]) == 1 and found["broken"][0]["printed"] == 70.0
    assert f"{found['checked']} " in shown and "is 70, but" in shown


def test_difference_of_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, texts in (("one", ["gout", "asthma"]), ("two", ["gout", "measles"])):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts), "utf-8")
        table = str(tmp_path / f"{name}.tsv")
        words = ["map", str(tmp_path / f"{name}.txt"), "-o", str(tmp_path / f"{name}.csv"), "-q"]
        assert run([*words, "--table", table]) == 0
    moved = tmp_path / "moved.csv"
    tables = (tmp_path / "one.tsv", tmp_path / "two.tsv")
    found = result_of(capsys, "table", "diff", *tables, "-o", moved)
    assert written(found["differences"]) == table_of(moved)
    assert (found["texts"], sum(found["changes"].values())) == (3, len(found["differences"]))
    assert result_of(capsys, "table", "diff", *tables) == found


@pytest.mark.parametrize(
    ("words", "name", "column"),
    [
        (("steps",), "steps", "name"),
        (("providers",), "providers", "provider"),
        (("sources", "list"), "known", "name"),
        (("search", "gout", "-k", "3"), "candidates", "code"),
    ],
)
def test_lists(
    words: tuple[str, ...], name: str, column: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = result_of(capsys, *words)[name]
    assert run([*words]) == 0
    shown = capsys.readouterr().out
    assert rows and all(row[column] in shown for row in rows)


def test_the_cache(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache, source = tmp_path / "replies.sqlite", tmp_path / "pairs.csv"
    source.write_text("predicted,truth\npodagra of toe,gout\n", "utf-8")
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        words = ["judge", "judge_equivalence", str(source), "-o", str(tmp_path / "out.csv"), "-q",
                 "--judge", server.judge(), "--cache", str(cache), "--engine", "llm"]  # fmt: skip
        assert run(words) == 0
    found = result_of(capsys, "cache", "info", "--cache", cache)
    assert found["place"] == str(cache)
    assert [(row["step"], row["replies"]) for row in found["replies"]] == [("judge_equivalence", 1)]
    (key,) = (key for key, _ in Replies(cache).entries())
    why = result_of(capsys, "cache", "why", key, "--cache", cache)
    assert (why["key"], why["kept"], why["nearest"]) == (key, True, None)
    cassette = tmp_path / "replies.jsonl"
    told = result_of(capsys, "cache", "export", cassette, "--cache", cache)
    assert told == {"cassette": str(cassette), "replies": 1}
    kept = result_of(capsys, "cache", "import", cassette, "--cache", tmp_path / "2.sqlite")
    assert kept == {**told, "replaced": 0}
    cleared = result_of(capsys, "cache", "clear", "--yes", "--cache", cache)
    assert cleared == {"place": str(cache), "replies": 0} and not [*Replies(cache).entries()]


SMALL = ("--ontology", f"{Path(__file__).parent / 'data' / 'releases' / 'own.py'}:ICD11")


def test_map_and_calibrate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.csv").write_text("dx\nCholera\nn/a\nCholera\n", "utf-8")
    out, table = tmp_path / "out.csv", tmp_path / "t.tsv"
    words = ("map", tmp_path / "in.csv", *SMALL)
    found = result_of(capsys, *words, "-o", out, "--table", table)
    coded = sum(row["code"] is not None for row in table_of(out))
    assert (found["rows"], found["distinct_texts"], found["column"]) == (3, 2, "dx")
    assert found["rows_by_band"]["unmapped"] == 3 - coded == 1
    assert {one["what"]: one["path"] for one in found["files"]} == {
        "rows": str(out), "canonical table": str(table)
    }  # fmt: skip
    assert run([*map(str, words), "--json"]) == 2
    assert "name a file for the rows with -o" in " ".join(capsys.readouterr().err.split())
    estimate = result_of(
        capsys, *words, "--model", "openai:gpt-4o", "--estimate", "--rerank", "all"
    )
    assert (estimate["rows"], estimate["distinct_texts"]) == (3, 2)
    (asked,) = estimate["models"]
    assert asked["calls"] + estimate["texts_without_a_call"] == 2
    codes = ("1A00", "BA41")
    rows = [f"text {n}\t{codes[n % 2]}\t0.{n:02}\tyes\ts=1A00" for n in range(60)]
    table.write_text("\n".join(["text\tcode\tscore\treviewed\tsignature", *rows]), "utf-8")
    fitted = result_of(capsys, "table", "calibrate", table, *SMALL)
    assert fitted["reviewed"] == 60 and {one["of"] for one in fitted["brier"]} == {
        "code",
        "category",
    }
    assert Path(fitted["files"][0]["path"]).exists()


def test_tables_go_to_other_tools_and_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(name: str, rows: list[str]) -> Path:
        path = tmp_path / name
        path.write_text(
            "\n".join(["text\tcode\tscore\treviewed\tstatus\tsignature", *rows]), "utf-8"
        )
        return path

    one = write(
        "1.tsv", ["a\t1A00\t1\tyes\t\ts=1A00", "b\tBA41\t.5\t\t\ts=BA41", "c\t\t0\t\tfailed\ts="]
    )
    two = write("2.tsv", ["d\t1A00\t.9\tyes\t\ts=1A00"])
    sssom, back, both = (tmp_path / name for name in ("1.sssom.tsv", "back.tsv", "both.tsv"))
    told = result_of(capsys, "table", "export", one, *SMALL, "-o", sssom, code=3)
    assert (told["texts"], told["reviewed"], told["left_out"]) == (2, 1, 1)
    assert told["files"] == [{"what": "written", "path": str(sssom)}]
    told = result_of(capsys, "table", "import", sssom, *SMALL, "-o", back)
    assert (told["texts"], told["passed_over"], told["kept"]) == (1, 1, [])
    assert run(["table", "import", str(sssom), *SMALL, "-o", str(back)]) == 0
    assert "1 reviewed text of" in (said := capsys.readouterr().err)
    assert "; 1 row that no person decided passed over:" in said
    told = result_of(capsys, "table", "merge", one, two, *SMALL, "-o", both)
    assert (told["texts"], told["reviewed"], told["tables"]) == (4, 2, 2)
    old, new = (
        write("old.tsv", ["x\t1A00\t1\tyes\t\ts=1A00", "y\tZZ99\t1\tyes\t\ts=1A00"]),
        tmp_path / "new.tsv",
    )
    told = result_of(capsys, "table", "carry", old, "-o", new, "--to", SMALL[1], code=3)
    assert told["rows"] == sum(told["fates"].values()) == 2 and told["need_a_decision"] == 1
    assert run(["table", "export", str(one), *SMALL, "-o", str(sssom), "-q"]) == 3
    assert capsys.readouterr().err.startswith("left out: 1 text that failed")


def test_judge_and_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.csv").write_text("predicted,truth\npodagra,gout\n,gout\nlupus,gout\n", "utf-8")
    out = tmp_path / "out.csv"
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        words = ("judge", "judge_equivalence", tmp_path / "in.csv", "--cache-mode", "off",
                 "--judge", server.judge(), "--engine", "llm")  # fmt: skip
        estimate = result_of(capsys, *words, "--estimate")
        found = result_of(capsys, *words, "-o", out)
        jury = result_of(capsys, *words[:-2], "--judge", "rules", "-o", out, code=3)
    (asked,) = estimate["models"]
    assert (estimate["rows"], asked["questions"], asked["calls"]) == (3, 3, 2)
    assert found["rows"] == sum(found["statuses"].values()) == len(table_of(out)) == 3
    assert found["calls"] == found["decided_by"]["llm"] == 2
    assert [(one["count"], one["rows"]) for one in jury["failures"]] == [(2, [1, 3])]
    assert jury["rows"] == 3 and [one["judge"] for one in jury["votes"]][1:] == ["rules"]


def test_sources(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "ward.csv").write_text("term,code\nsugar,E11.9\nodd,XX\n", "utf-8")
    added = result_of(capsys, "sources", "add", tmp_path / "ward.csv")
    assert (added["source"]["name"], len(added["skipped"])) == ("ward", 1)
    changed = result_of(capsys, "sources", "set", "ward", "--inactive")
    assert changed["source"]["active"] is False
    assert result_of(capsys, "sources", "remove", "ward") == {"removed": "ward"}


def test_curate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.csv").write_text(
        "id,case\na,A red plaque.\nb,A red plaque.\nc,Cough\n", "utf-8"
    )
    out = tmp_path / "out.csv"
    found = result_of(capsys, "curate", "dedupe", tmp_path / "in.csv", "-o", out)
    assert (found["cases"], found["kept"], found["left_out"]) == (3, 2, 1)
    assert len(table_of(out)) == 2 and sum(found["reasons"].values()) == 1


def test_an_error_goes_to_standard_error_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["strengths", "none.csv", "--json"]) == 4
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("dxjudge: ")
