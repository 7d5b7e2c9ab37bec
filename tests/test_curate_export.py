"""Questions in the forms of other tools, and a data card that is counted from the rows."""

import base64
import csv
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dxjudge.cli.main import run as dxjudge
from dxjudge.curation.data_card import data_card

PNG = b"\x89PNG\r\n\x1a\n-one-"
ROWS: list[dict[str, Any]] = [
    {
        "id": "p-1", "pair": "p", "images": ["pictures/one.png"], "question": "Which side?",
        "A": "Left", "B": "Right", "answer": "A", "category": ["chest", "heart"], "split": "test",
        "text_only": True,
    },
    {
        "id": "p-2", "pair": "p", "images": ["pictures/one.png"], "question": "Which side?",
        "A": "Left", "B": "Right", "answer": "B", "category": ["chest"], "split": "validation",
        "text_only": False,
    },
    {"id": "o", "images": [], "question": "What colour is it?", "answer": "red", "split": "test"},
    {
        "id": "m", "images": [], "question": "Which of them?", "A": "x", "B": "y", "C": "z",
        "answer": "A,C", "split": "test",
    },
]  # fmt: skip


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    (tmp_path / "in" / "pictures").mkdir(parents=True)
    (tmp_path / "in" / "pictures" / "one.png").write_bytes(PNG)
    path = tmp_path / "in" / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    return path


def export(questions: Path, folder: Path, form: str) -> int:
    return dxjudge(["curate", "export", str(questions), "-o", str(folder), "--form", form])


def test_datasets_get_a_file_for_each_split_and_a_counted_card(
    questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "hub"
    assert export(questions, out, "datasets") == 0
    _, header, card = (out / "README.md").read_text("utf-8").split("---\n", 2)
    (config,) = yaml.safe_load(header)["configs"]
    files = {one["split"]: out / one["path"] for one in config["data_files"]}
    rows = {
        split: [json.loads(line) for line in path.open(encoding="utf-8")]
        for split, path in files.items()
    }
    assert {split: [row["id"] for row in own] for split, own in rows.items()} == {
        "test": ["p-1", "o", "m"],
        "validation": ["p-2"],
    }
    assert len({tuple(row) for own in rows.values() for row in own}) == 1  # the same columns
    image = rows["test"][0]["images"][0]
    assert (out / image).read_bytes() == PNG
    for line in (
        "- 4 rows; 3 with options, 1 images",
        "- 1 pairs",
        "- solved without the image: 50.0% of 2 rows [9.5%, 90.5%] (Wilson, 95 %)",
        "| chest | 2 | 50.0% |",
        "| test | 3 | 75.0% |",
        "| A | 2 | 50.0% |",
        "![Rows by group](balance.svg)",
    ):
        assert line in card.splitlines(), line
    assert "category: chest" in (out / "balance.svg").read_text("utf-8")


def test_samples_of_inspect_have_messages_choices_and_targets(
    questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "inspect"
    assert export(questions, out, "inspect") == 0
    samples = [json.loads(line) for line in (out / "samples.jsonl").open(encoding="utf-8")]
    first, _, open_one, multiple = samples
    (message,) = first["input"]
    assert [part["type"] for part in message["content"]] == ["image", "text"]
    assert (out / message["content"][0]["image"]).read_bytes() == PNG
    assert (first["choices"], first["target"], first["id"]) == (["Left", "Right"], "A", "p-1")
    assert first["metadata"]["category"] == ["chest", "heart"]
    assert (open_one["input"], open_one["target"]) == ("What colour is it?", "red")
    assert "choices" not in open_one
    assert (multiple["choices"], multiple["target"]) == (["x", "y", "z"], ["A", "C"])


def test_a_vlmevalkit_table_has_the_images_and_is_read_again_by_evaluate(
    questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "vlm"
    assert export(questions, out, "vlmevalkit") == 0
    with (out / "questions.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["index"] for row in rows] == ["1", "2", "3", "4"]
    assert base64.b64decode(rows[0]["image"]) == PNG and rows[2]["image"] == ""
    assert (rows[0]["name"], rows[3]["C"], rows[0]["C"]) == ("p-1", "z", "")
    predictions = [{**row, "prediction": row["answer"]} for row in rows]
    with (out / "model.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(predictions[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(predictions)
    words = ["evaluate", str(out / "questions.tsv"), str(out / "model.tsv"), "-o"]
    assert dxjudge([*words, str(tmp_path / "report"), "--preset", "medlesionvqa"]) == 0
    with (tmp_path / "report" / "main_table.csv").open(encoding="utf-8", newline="") as file:
        (numbers,) = list(csv.DictReader(file))
    assert (float(numbers["Choice"]), float(numbers["Open"])) == (1, 1)


@pytest.mark.parametrize(
    ("row", "form", "words"),
    [
        ({"id": "x", "question": "", "answer": "A"}, "inspect", "row 1: a question and an answer"),
        ({"id": "x", "question": "q", "answer": "A"}, "parrot", "--form 'parrot' is not one of"),
        (
            {"id": "x", "question": "q", "answer": "A", "images": ["https://host/a.png"]},
            "vlmevalkit",
            "row 1: https://host/a.png is not a file",
        ),
        ({"id": "x", "question": "q", "answer": "A", "images": ["gone.png"]}, "vlmevalkit", "gone"),
    ],
)
def test_rows_that_the_form_cannot_hold_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: dict[str, Any], form: str, words: str
) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    assert export(tmp_path / "q.jsonl", tmp_path / "out", form) in (2, 4)
    assert words in " ".join(capsys.readouterr().err.split())


def test_a_card_of_rows_without_groups_counts_what_there_is() -> None:
    assert data_card("none", []) == "# none\n\n- 0 rows; 0 with options, 0 images\n"
