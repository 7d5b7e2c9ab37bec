"""Files of other evaluations as they are: DDXPlus patients and VLMEvalKit predictions."""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..errors import InputError
from .cases import Source
from .cells import Row

Layout = Literal["own", "ddxplus", "vlmevalkit"]
_MOST_LIKELY = 5


def layout_of(rows: Sequence[Row]) -> Layout:
    """Which layout the columns are of."""
    columns = set(rows[0]) if rows else set()
    if {"PATHOLOGY", "DIFFERENTIAL_DIAGNOSIS"} <= columns:
        return "ddxplus"
    if "index" in columns and "id" not in columns and ({"question", "prediction"} & columns):
        return "vlmevalkit"
    return "own"


def from_vlmevalkit(source: Source) -> Source:
    """Rows of a VLMEvalKit question or prediction table under our names.

    `index` becomes the id and `prediction` the response; question, answer, category and the
    options A, B, ... keep their names. Images (base64 in the question table) are left out.

    Raises InputError for a row without index.
    """
    rows: list[Row] = []
    for number, row in enumerate(source.rows, 1):
        if row.get("index") in (None, ""):
            raise InputError(f"{source.name}, row {number}: the index is missing")
        kept = {name: cell for name, cell in row.items() if name not in _VLM_NAMES}
        kept |= {ours: row[theirs] for theirs, ours in _VLM_NAMES.items() if ours and theirs in row}
        rows.append(kept)
    return Source(source.name, rows, foreign=True)


_VLM_NAMES = {
    "index": "id",
    "prediction": "response",
    "hint": "case",
    "image": "",
    "image_path": "",
}


def from_ddxplus(
    source: Source,
    conditions: Mapping[str, Mapping[str, Any]],
    evidences: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    most: int = _MOST_LIKELY,
) -> Source:
    """Patients of DDXPlus as cases: the pathology, the differential, the codes of both.

    The id is the number of the patient in the file, from 0. The differential keeps its `most`
    likeliest conditions.

    Args:
        source: rows with AGE, SEX, PATHOLOGY, EVIDENCES, INITIAL_EVIDENCE and
            DIFFERENTIAL_DIAGNOSIS.
        conditions: release_conditions.json: name -> "icd10-id" and more.
        evidences: release_evidences.json, for the questions behind the codes of the evidence.
        most: how many conditions of the differential are kept.

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
    """Codes by every name a condition goes by."""
    found = {}
    for key, about in conditions.items():
        codes = [code for code in re.split(r"[,;\s]+", str(about.get("icd10-id", ""))) if code]
        names = (key, about.get("condition_name"), about.get("cond-name-eng"))
        found.update({str(name): codes for name in names if name})
    return found


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
    pathology = str(row["PATHOLOGY"])
    for name in (pathology, *names):
        if name not in codes:
            raise InputError(f"{place}: no condition {name!r} in the file of conditions")
    told = [_evidence(str(code), evidences) for code in _literal(row, "EVIDENCES", place)]
    return {
        "id": str(number),
        "case": f"Sex: {row.get('SEX')}. Age: {row.get('AGE')}. Evidence: {'; '.join(told)}.",
        "diagnosis": pathology,
        "codes": codes[pathology],
        "ddx": [{"diagnosis": name, "codes": codes[name]} for name in names],
        "sex": row.get("SEX"),
    }


def _literal(row: Row, column: str, place: str) -> list[Any]:
    cell = row.get(column)
    try:
        found = cell if isinstance(cell, list) else ast.literal_eval(str(cell or "[]"))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as fault:
        raise InputError(f"{place}: {column} is not a list") from fault
    if not isinstance(found, list):
        raise InputError(f"{place}: {column} is not a list")
    return found


def _likelihood(place: str) -> Any:
    def key(entry: Any) -> float:
        try:
            return -float(entry[1])
        except (TypeError, ValueError, IndexError, KeyError) as fault:
            raise InputError(
                f"{place}: DIFFERENTIAL_DIAGNOSIS holds {entry!r}, not [condition, probability]"
            ) from fault

    return key


def _evidence(code: str, evidences: Mapping[str, Mapping[str, Any]]) -> str:
    """The question and value behind E_x or E_x_@_V_y, or the code where they are not known."""
    name, _, value = code.partition("_@_")
    about = evidences.get(name)
    if about is None:
        return code
    question = str(about.get("question_en") or name)
    meaning = about.get("value_meaning", {}).get(value, {}).get("en", value) or "yes"
    return f"{question} {meaning}"
