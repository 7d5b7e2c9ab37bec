"""Write questions in the forms of Hugging Face datasets, inspect_ai and VLMEvalKit."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..errors import InputError
from ..files.bytes import read_bytes
from ..files.rows_out import write_columns
from .balance import write_card
from .data_card import option_letters
from .paths import is_remote, seen_from
from .write import make_folder, write_rows

Row = Mapping[str, Any]
CARD = "README.md"
_WHICH = "Which diagnosis is right?"


def export_rows(
    rows: Sequence[Row], form: str, folder: Path, source: Path, title: str
) -> list[Path]:
    """Write the rows in a form (a key of FORMS); return the files.

    source: the folder that paths of images in the rows are relative to. Raises InputError naming
    the row for an image that cannot be read, for evidence that is no list of texts and objects,
    and for a row without question and answer.
    """
    rows = [_as_question(row, number) for number, row in enumerate(rows, 1)]
    for number, row in enumerate(rows, 1):
        if not row.get("question") or row.get("answer") in (None, ""):
            raise InputError(f"row {number}: a question and an answer are needed")
    make_folder(folder)
    return FORMS[form](rows, folder, source, title)


def _as_question(row: Row, number: int) -> Row:
    """Return a row; a case of MEDSYN as a question with its evidence, its images and A, B, ..."""
    options, evidence = row.get("options"), row.get("evidence") or ()
    if row.get("question") or not row.get("case") or not isinstance(options, Mapping):
        return row
    is_list = isinstance(evidence, list | tuple)
    if not is_list or not all(isinstance(one, str | Mapping) for one in evidence):
        raise InputError(f"row {number}: the evidence is not a list of texts and objects")
    pieces = [{"text": one} if isinstance(one, str) else one for one in evidence]
    texts = [
        ": ".join(str(part) for part in (one.get("type"), one["text"]) if part)
        for one in pieces
        if one.get("text")
    ]
    images = [image for one in pieces for image in one.get("images") or ()]
    rest = {name: row[name] for name in row if name not in ("case", "evidence", "options")}
    question = "\n\n".join([row["case"], *texts, _WHICH])
    return {**rest, "question": question, **options, "images": images}


def _datasets(rows: Sequence[Row], folder: Path, source: Path, title: str) -> list[Path]:
    """Write a file for each split, and a card whose header names them."""
    by_split: dict[str, list[Row]] = {}
    for row in rows:
        by_split.setdefault(str(row.get("split") or "test"), []).append(row)
    names = _columns(rows)
    files = []
    for split, own in sorted(by_split.items()):
        files.append(folder / f"{split}.jsonl")
        # Every line has the same columns, because datasets wants one type for each.
        write_rows(
            files[-1],
            ({name: _moved(row, source, folder).get(name) for name in names} for row in own),
        )
    data_files = [{"split": split, "path": f"{split}.jsonl"} for split in sorted(by_split)]
    header = {
        "pretty_name": title,
        "configs": [{"config_name": "default", "data_files": data_files}],
    }
    shown = yaml.safe_dump(header, sort_keys=False, allow_unicode=True)
    return [*files, *write_card(folder, title, rows, f"---\n{shown}---\n", CARD)]


def _inspect(rows: Sequence[Row], folder: Path, source: Path, title: str) -> list[Path]:
    """Write samples as `inspect_ai.dataset.json_dataset` reads them."""
    path = folder / "samples.jsonl"
    write_rows(path, (_sample(_moved(row, source, folder)) for row in rows))
    return [path]


def _sample(row: Row) -> dict[str, Any]:
    letters = option_letters(row)
    images = [{"type": "image", "image": image} for image in row.get("images") or ()]
    content: Any = [*images, {"type": "text", "text": row["question"]}]
    right = str(row["answer"]).split(",") if letters else [str(row["answer"])]
    named = {"id", "question", "answer", "images", *letters}
    return {
        "id": row.get("id"),
        "input": [{"role": "user", "content": content}] if images else row["question"],
        **({"choices": [row[letter] for letter in letters]} if letters else {}),
        "target": right[0] if len(right) == 1 else right,
        "metadata": {name: value for name, value in row.items() if name not in named},
    }


def _vlmevalkit(rows: Sequence[Row], folder: Path, source: Path, title: str) -> list[Path]:
    """Write a TSV table with an index and the image as base64, as VLMEvalKit wants it."""
    path = folder / f"{title}.tsv"
    letters = sorted({letter for row in rows for letter in option_letters(row)})
    others = [
        name for name in _columns(rows) if name not in {"question", "answer", "images", *letters}
    ]
    columns: dict[str, list[Any]] = {
        "index": list(range(1, len(rows) + 1)),
        "image": [_encoded(row, number, source) for number, row in enumerate(rows, 1)],
        "question": [row["question"] for row in rows],
        **{letter: [row.get(letter) or "" for row in rows] for letter in letters},
        "answer": [row["answer"] for row in rows],
    }
    # Their own column `id` would make it another table than theirs.
    columns |= {
        ("name" if name == "id" else name): [_cell(row.get(name)) for row in rows]
        for name in others
    }
    write_columns(str(path), "tsv", columns)
    return [path]


FORMS: Mapping[str, Callable[[Sequence[Row], Path, Path, str], list[Path]]] = {
    "datasets": _datasets,
    "inspect": _inspect,
    "vlmevalkit": _vlmevalkit,
}


def _moved(row: Row, source: Path, folder: Path) -> dict[str, Any]:
    images = row.get("images")
    if not images:
        return dict(row)
    return {**row, "images": [seen_from(_placed(image, source), folder) for image in images]}


def _placed(image: str, source: Path) -> str:
    return image if is_remote(image) else str(source / image)


def _encoded(row: Row, number: int, source: Path) -> str:
    """Return the images of a row as base64: one as it is, several as a JSON list."""
    texts = []
    for image in row.get("images") or ():
        if is_remote(image):
            raise InputError(f"row {number}: {image[:80]} is not a file, whose bytes are needed")
        texts.append(base64.b64encode(read_bytes(source / image)).decode())
    return texts[0] if len(texts) == 1 else json.dumps(texts) if texts else ""


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
