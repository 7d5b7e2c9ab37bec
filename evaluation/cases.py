"""Cases and responses as the evaluation sees them, read from plain rows.

A row is a mapping from column to cell. Lists may come as lists, as JSON or Python literals,
or as text with a semicolon between entries. Column names are those of docs/evaluate.md.
"""

import ast
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import InputError
from ..ontology.reading.normalise import normalise_text

Row = Mapping[str, Any]
_LETTER = re.compile(r"[A-Z]")
_USUAL_GROUPS = (
    "specialty",
    "language",
    "ability",
    "category",
    "department",
    "modality",
    "evidence_types",
)


@dataclass(frozen=True)
class Diagnosis:
    """A true diagnosis and its codes, where the file gives them."""

    text: str
    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One case, question or half of a pair.

    `options` maps letters to texts; `answer` holds the right letters, or the reference of an
    open question. `groups` maps a column to the case's values in it. `columns` holds the cells
    that only a task of one's own reads.
    """

    id: str
    case: str = ""
    reference: str = ""
    diagnosis: Diagnosis | None = None
    ddx: tuple[Diagnosis, ...] = ()
    question: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    kind: str = "other"
    pair: str = ""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def letters(self) -> tuple[str, ...]:
        """The right options, in the order of the options."""
        return tuple(letter for letter in self.options if letter in _letters(self.answer))


@dataclass(frozen=True)
class Response:
    """What a model under test gave for a case.

    `diagnosis` and `ddx` are None where the file does not give them and they must be extracted.
    `withheld` names the type of evidence that the model did not see. `probabilities` is its
    distribution over the options. `sample` and `variant` tell repeated answers apart. `answered`
    is the answer to the case's question, where that is not the response itself. `columns` holds
    the cells that only a task of one's own reads.
    """

    case: str
    text: str | None = None
    diagnosis: str | None = None
    ddx: tuple[str, ...] | None = None
    sample: str = ""
    variant: str = ""
    withheld: str = ""
    answered: str | None = None
    probabilities: Mapping[str, float] | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> str | None:
        """The answer to the case's question; None where there is none."""
        return self.text if self.answered is None else self.answered


@dataclass(frozen=True)
class Source:
    """Rows with the name of the file they are from, for messages."""

    name: str
    rows: Sequence[Row]


def read_cases(
    source: Source, groups: Sequence[str] | None = None, own: Collection[str] = ()
) -> tuple[Case, ...]:
    """Read the cases; `groups` are the columns to break scores down by.

    Without `groups`, the usual columns that the file has: specialty, language, ability, ...
    `own`: further columns to keep, for tasks of one's own.

    Raises InputError, naming the row, for a missing or repeated id, a list that cannot be
    read, an answer that is none of the options, or a group column that no row has.
    """
    columns = {name for row in source.rows for name in row}
    wanted = [name for name in _USUAL_GROUPS if name in columns] if groups is None else groups
    for name in wanted:
        if name not in columns:
            listed = ", ".join(sorted(columns))
            raise InputError(f"{source.name} has no group column {name!r}; it has {listed}")
    cases: dict[str, Case] = {}
    for number, row in enumerate(source.rows, 1):
        place = f"{source.name}, row {number}"
        case = replace(_case(row, wanted, place), columns=_kept(row, own))
        if case.id in cases:
            raise InputError(f"{place}: the id {case.id!r} occurs twice")
        cases[case.id] = case
    if not cases:
        raise InputError(f"{source.name} holds no case")
    return tuple(cases.values())


def read_responses(
    source: Source, known: Mapping[str, Case], own: Collection[str] = ()
) -> dict[str, tuple[Response, ...]]:
    """Read one model's responses: case id -> its responses, in the order of the file.

    `own`: further columns to keep, for tasks of one's own.

    Raises InputError, naming the row, for an id that is no case, or the same case, sample,
    variant and withheld evidence twice.
    """
    found: dict[str, list[Response]] = {}
    seen: set[tuple[str, str, str, str]] = set()
    for number, row in enumerate(source.rows, 1):
        place = f"{source.name}, row {number}"
        response = replace(_response(row, place), columns=_kept(row, own))
        if response.case not in known:
            raise InputError(f"{place}: {response.case!r} is the id of no case")
        key = (response.case, response.sample, response.variant, response.withheld)
        if key in seen:
            raise InputError(f"{place}: a second response to {response.case!r}")
        seen.add(key)
        found.setdefault(response.case, []).append(response)
    return {case: tuple(responses) for case, responses in found.items()}


def _kept(row: Row, own: Collection[str]) -> dict[str, Any]:
    return {name: row[name] for name in row if name in own}


def _case(row: Row, groups: Sequence[str], place: str) -> Case:
    name = _text(row.get("id"))
    if not name:
        raise InputError(f"{place}: the id is missing")
    options = _options(row, place)
    text = _text(row.get("diagnosis"))
    codes = read_list(row.get("codes"), f"{place}, codes")
    case = Case(
        id=name,
        case=_text(row.get("case")),
        reference=_text(row.get("reference")),
        diagnosis=Diagnosis(text, tuple(map(_text, codes))) if text else None,
        ddx=tuple(_diagnosis(entry, place) for entry in read_list(row.get("ddx"), f"{place}, ddx")),
        question=_text(row.get("question")),
        options=options,
        answer=_answer(row.get("answer")),
        kind=_text(row.get("kind")) or "other",
        pair=_text(row.get("pair")),
        groups={column: _values(row.get(column), place) for column in groups},
    )
    if options and not case.letters:
        listed = ", ".join(options)
        raise InputError(f"{place}: the answer {case.answer!r} is none of the options {listed}")
    return case


def _response(row: Row, place: str) -> Response:
    name = _text(row.get("id"))
    if not name:
        raise InputError(f"{place}: the id is missing")
    ddx = row.get("predicted_ddx")
    given = None if _empty(ddx) else read_list(ddx, f"{place}, predicted_ddx")
    text = row.get("response")
    return Response(
        case=name,
        text=None if _empty(text) and not isinstance(text, str) else _text(text),
        diagnosis=_text(row.get("predicted_diagnosis")) or None,
        ddx=None if given is None else _distinct(map(_text, given)),
        sample=_text(row.get("sample")),
        variant=_text(row.get("variant")),
        withheld=_text(row.get("withheld")),
        answered=_text(row["answered"]) if row.get("answered") is not None else None,
        probabilities=_probabilities(row.get("probabilities"), place),
    )


def _distinct(texts: Any) -> tuple[str, ...]:
    """Each diagnosis once, by its normalised name, in the order given."""
    kept: dict[str, str] = {}
    for text in texts:
        if text:
            kept.setdefault(normalise_text(text) or text, text)
    return tuple(kept.values())


def read_list(cell: Any, place: str) -> list[Any]:
    """The entries of a cell that holds a list in any of its forms; empty for an empty cell.

    >>> read_list("asthma; croup", ""), read_list("['a', 'b']", ""), read_list(None, "")
    (['asthma', 'croup'], ['a', 'b'], [])

    Raises InputError for text that begins like a list and is none.
    """
    if _empty(cell):
        return []
    if isinstance(cell, list | tuple):
        return list(cell)
    text = str(cell).strip()
    if text.startswith("["):
        for reader in (json.loads, ast.literal_eval):
            try:
                found = reader(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(found, list):
                return found
        raise InputError(f"{place}: {text[:60]!r} begins like a list and is none")
    return [entry.strip() for entry in re.split(r";|\n", text) if entry.strip()]


def _diagnosis(entry: Any, place: str) -> Diagnosis:
    if isinstance(entry, Mapping):
        text = _text(entry.get("diagnosis"))
        codes = tuple(map(_text, read_list(entry.get("codes"), f"{place}, ddx codes")))
    else:
        text, codes = _text(entry), ()
    if not text:
        raise InputError(f"{place}: an entry of the ddx has no diagnosis")
    return Diagnosis(text, codes)


def _options(row: Row, place: str) -> dict[str, str]:
    given = row.get("options")
    if isinstance(given, str) and given.strip().startswith("{"):
        try:
            given = json.loads(given)
        except ValueError as fault:
            raise InputError(f"{place}: the options are not JSON: {fault}") from fault
    if isinstance(given, Mapping):
        return {_text(letter): _text(text) for letter, text in given.items() if not _empty(text)}
    if not _empty(given):
        entries = read_list(given, f"{place}, options")
        return {chr(ord("A") + at): _text(text) for at, text in enumerate(entries)}
    return {
        name: _text(cell)
        for name, cell in sorted(row.items())
        if _LETTER.fullmatch(name) and not _empty(cell)
    }


def _answer(cell: Any) -> str:
    return ",".join(map(_text, cell)) if isinstance(cell, list | tuple) else _text(cell)


def _letters(answer: str) -> set[str]:
    parts = set(re.split(r"[\s,;]+", answer))
    return parts if len(parts) > 1 or not answer.isalpha() else parts | set(answer)


def _probabilities(cell: Any, place: str) -> dict[str, float] | None:
    if _empty(cell):
        return None
    try:
        given = json.loads(cell) if isinstance(cell, str) else cell
        return {str(letter): float(value) for letter, value in given.items()}
    except (ValueError, TypeError, AttributeError) as fault:
        raise InputError(
            f"{place}: probabilities must be an object, letter to probability"
        ) from fault


def _values(cell: Any, place: str) -> tuple[str, ...]:
    if isinstance(cell, list | tuple) or str(cell).strip().startswith("["):
        return tuple(map(_text, read_list(cell, place))) or ("(none)",)
    return (_text(cell) or "(none)",)


def _empty(cell: Any) -> bool:
    missing = cell is None or (isinstance(cell, float) and math.isnan(cell))
    return missing or (isinstance(cell, str) and not cell.strip())


def _text(cell: Any) -> str:
    if _empty(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))  # a spreadsheet's whole number
    return str(cell).strip()
