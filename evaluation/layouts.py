"""Reads the layouts of others: DDXPlus, HealthBench, MediConfusion, tables of VLMEvalKit."""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import ValidationError

from ..agents.judge_criteria import conversation_text
from ..errors import InputError
from .cases import Source
from .cells import Row, is_empty, read_list, text_of

Layout = Literal[
    "own", "ddxplus", "healthbench", "healthbench-meta", "mediconfusion", "mediconfusion-results",
    "vlmevalkit",
]  # fmt: skip
_MOST_LIKELY = 5


def layout_of(rows: Sequence[Row]) -> Layout:
    """Name the layout that the columns belong to."""
    columns = set(rows[0]) if rows else set()
    if {"PATHOLOGY", "DIFFERENTIAL_DIAGNOSIS"} <= columns:
        return "ddxplus"
    if {"prompt_id", "prompt", "rubrics"} <= columns:
        return "healthbench"
    if {"prompt", "completion", "rubric", "binary_labels"} <= columns:
        return "healthbench-meta"
    if {"id", *_OF_PAIR, *_halves(1), *_halves(2)} <= columns:
        return "mediconfusion"
    if columns == {"id", "answer", "score"} and _has_images(rows[0]["answer"]):
        return "mediconfusion-results"
    if "index" in columns and "id" not in columns and ({"question", "prediction"} & columns):
        return "vlmevalkit"
    return "own"


def from_vlmevalkit(source: Source) -> Source:
    """Rename the columns of a VLMEvalKit question or prediction table to ours.

    `index` becomes the id and `prediction` the response; question, answer, category and the
    options A, B, ... keep their names. Images (base64 in the question table) stay as they are.

    Raises InputError for a row without an index.
    """
    rows: list[Row] = []
    for number, row in enumerate(source.rows, 1):
        if row.get("index") in (None, ""):
            raise InputError(f"{source.name}, row {number}: the index is missing")
        renamed = {name: cell for name, cell in row.items() if name not in _VLM_NAMES}
        renamed |= {
            ours: row[theirs] for theirs, ours in _VLM_NAMES.items() if ours and theirs in row
        }
        rows.append(renamed)
    return Source(source.name, rows, foreign=True)


_VLM_NAMES = {
    "index": "id",
    "prediction": "response",
    "hint": "case",
    "image": "image",
    "image_path": "image_path",
}


def from_healthbench(source: Source) -> Source:
    """Turn the rows of HealthBench's JSON Lines into ours.

    `prompt_id` becomes the id, the messages of `prompt` the text of the case, `rubrics` the
    criteria, and the physician's answer, where there is one, the reference. Each of `example_tags`
    such as `theme:hedging` becomes a value of a column `theme`.

    Raises InputError for a row without a prompt_id, or whose prompt is not a list of messages.
    """
    rows: list[Row] = []
    for number, row in enumerate(source.rows, 1):
        place = f"{source.name}, row {number}"
        rows.append(
            {
                "id": _needed(row, "prompt_id", place),
                "case": _conversation(row, place),
                "reference": _ideal(row.get("ideal_completions_data")),
                "criteria": _needed(row, "rubrics", place),
                **_example_tags(read_list(row.get("example_tags"), f"{place}, example_tags")),
            }
        )
    return Source(source.name, rows, foreign=True)


def from_healthbench_meta(source: Source) -> Source:
    """Turn the rows of HealthBench's meta-evaluation into cases, or into responses to them.

    A row is a completion, one criterion, and what each physician said of it. The id is the number
    of the row; the same file has cases and responses.

    Raises InputError for a row whose prompt is not a list of messages.
    """
    rows: list[Row] = []
    for number, row in enumerate(source.rows, 1):
        place = f"{source.name}, row {number}"
        criterion = {"criterion": _needed(row, "rubric", place), "points": 1.0}
        rows.append(
            {
                "id": str(number),
                "case": _conversation(row, place),
                "criteria": [criterion],
                "physicians": row.get("binary_labels"),
                "category": row.get("category"),
                "response": row.get("completion"),
            }
        )
    return Source(source.name, rows, foreign=True)


def _needed(row: Row, column: str, place: str) -> Any:
    """Return a cell. Raises InputError where the row has none, or an empty one."""
    cell = row.get(column)
    if is_empty(cell):
        raise InputError(f"{place}: the {column} is missing")
    return cell


def _conversation(row: Row, place: str) -> str:
    try:
        return conversation_text(read_list(_needed(row, "prompt", place), f"{place}, prompt"))
    except ValidationError as fault:
        raise InputError(f"{place}: prompt is not a list of messages") from fault


def _ideal(cell: Any) -> str:
    about = cell if isinstance(cell, Mapping) else {}
    return text_of(about.get("ideal_completion"))


def _example_tags(tags: Sequence[Any]) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    for tag in map(text_of, tags):
        name, _, value = tag.partition(":")
        columns.setdefault(name if value else "tag", []).append(value or name)
    return columns


_OF_PAIR = {"question": "question", "option_A": "A", "option_B": "B"}


def _halves(number: int) -> dict[str, str]:
    """The columns of one image of a pair, and our names for them."""
    return {f"im_{number}_correct": "answer", f"category_{number}": "category"}


def from_mediconfusion(source: Source) -> Source:
    """Turn the pairs of MediConfusion's `dataset.csv` into items, two for each pair.

    The ids of the items are the id of the pair with `-1` and `-2`, in the order of its images.

    Raises InputError for a row without an id.
    """
    rows: list[Row] = []
    for number, row in enumerate(source.rows, 1):
        pair = text_of(_needed(row, "id", f"{source.name}, row {number}"))
        shared = {ours: row.get(theirs) for theirs, ours in _OF_PAIR.items()}
        for half in (1, 2):
            own = {ours: row.get(theirs) for theirs, ours in _halves(half).items()}
            rows.append({"id": f"{pair}-{half}", "pair": pair, **shared, **own})
    return Source(source.name, rows, foreign=True)


def _has_images(answer: Any) -> bool:
    return isinstance(answer, Mapping) and {"im1", "im2"} <= {*answer}


def from_mediconfusion_results(source: Source) -> Source:
    """Turn the answers that MediConfusion's scripts write into responses, two for each pair.

    `full_answer` becomes the response; the scores beside it are left out.

    Raises InputError for a pair without an answer to each of its images.
    """
    rows: list[Row] = []
    for number, row in enumerate(source.rows, 1):
        place = f"{source.name}, row {number}"
        cell = row.get("answer")
        answers = cell if isinstance(cell, Mapping) else {}
        for half in (1, 2):
            answer = answers.get(f"im{half}")
            if not isinstance(answer, Mapping) or "full_answer" not in answer:
                raise InputError(f"{place}: im{half} has no full_answer")
            name = f"{text_of(_needed(row, 'id', place))}-{half}"
            rows.append({"id": name, "response": answer["full_answer"]})
    return Source(source.name, rows, foreign=True)


def from_ddxplus(
    source: Source,
    conditions: Mapping[str, Mapping[str, Any]],
    evidences: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    most: int = _MOST_LIKELY,
) -> Source:
    """Turn patients of DDXPlus into cases: the pathology, the differential, and their codes.

    The id is the number of the patient in the file, from 0.

    Args:
        source: rows with AGE, SEX, PATHOLOGY, EVIDENCES and DIFFERENTIAL_DIAGNOSIS.
        conditions: release_conditions.json: name -> an object with "icd10-id".
        evidences: release_evidences.json, which has the question for each code of the evidence.
        most: so many of the likeliest conditions of the differential are kept.

    Raises InputError, naming the row, for a condition that is not in `conditions`, or a
    differential that is not a list of (condition, probability).
    """
    codes = _condition_codes(conditions)
    rows = [
        _patient(number, row, codes, evidences or {}, most, f"{source.name}, row {number + 1}")
        for number, row in enumerate(source.rows)
    ]
    return Source(source.name, rows, foreign=True)


def _condition_codes(conditions: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Codes by every name of a condition."""
    codes_by_name = {}
    for key, about in conditions.items():
        codes = [code for code in re.split(r"[,;\s]+", str(about.get("icd10-id", ""))) if code]
        names = (key, about.get("condition_name"), about.get("cond-name-eng"))
        codes_by_name.update({str(name): codes for name in names if name})
    return codes_by_name


def _patient(
    number: int,
    row: Row,
    codes: Mapping[str, list[str]],
    evidences: Mapping[str, Mapping[str, Any]],
    most: int,
    place: str,
) -> Row:
    ranked = sorted(_literal(row, "DIFFERENTIAL_DIAGNOSIS", place), key=_likelihood(place))
    names = [str(entry[0]) for entry in ranked[:most]]
    pathology = str(_needed(row, "PATHOLOGY", place))
    for name in (pathology, *names):
        if name not in codes:
            raise InputError(f"{place}: no condition {name!r} in the file of conditions")
    findings = [_evidence(str(code), evidences) for code in _literal(row, "EVIDENCES", place)]
    return {
        "id": str(number),
        "case": f"Sex: {row.get('SEX')}. Age: {row.get('AGE')}. Evidence: {'; '.join(findings)}.",
        "diagnosis": pathology,
        "codes": codes[pathology],
        "ddx": [{"diagnosis": name, "codes": codes[name]} for name in names],
        "sex": row.get("SEX"),
        "age": row.get("AGE"),
        "evidence": findings,
    }


def _literal(row: Row, column: str, place: str) -> list[Any]:
    cell = row.get(column)
    try:
        entries = cell if isinstance(cell, list) else ast.literal_eval(str(cell or "[]"))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as fault:
        raise InputError(f"{place}: {column} is not a list") from fault
    if not isinstance(entries, list):
        raise InputError(f"{place}: {column} is not a list")
    return entries


def _likelihood(place: str) -> Any:
    def key(entry: Any) -> float:
        try:
            return -float(entry[1])
        except (TypeError, ValueError, IndexError, KeyError, OverflowError) as fault:
            raise InputError(
                f"{place}: DIFFERENTIAL_DIAGNOSIS has {entry!r}, not [condition, probability]"
            ) from fault

    return key


def _evidence(code: str, evidences: Mapping[str, Mapping[str, Any]]) -> str:
    """The question and value of the code E_x or E_x_@_V_y; the code itself where it is unknown."""
    name, _, value = code.partition("_@_")
    about = evidences.get(name)
    if about is None:
        return code
    question = str(about.get("question_en") or name)
    meaning = about.get("value_meaning", {}).get(value, {}).get("en", value) or "yes"
    return f"{question} {meaning}"
