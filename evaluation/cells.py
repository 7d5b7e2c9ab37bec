"""Reads the cells of cases and responses: lists, letters, options and probabilities."""

import ast
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..files.cells import plain_text
from ..files.json_text import KeyTwice, load_cell
from ..files.short import short
from ..ontology.reading.several import split_diagnoses

Row = Mapping[str, Any]
_PROSE = re.compile(r"[\n:.?!](?:\s|$)|^-+$|(?:\S+\s+){11}\S")
"""What a name does not have: the end of a line or of a sentence, a colon, or twelve words."""
_FENCED = re.compile(r"^```\w*\s+(.*?)\s*```$", re.DOTALL)
LETTER = re.compile(r"[A-Z]")
_ROUNDED = 0.01
"""The sum of rounded probabilities may differ from 1 by so much."""


def read_list(cell: Any, place: str) -> list[Any]:
    """Read the entries of a cell that holds a list; empty for an empty cell.

    >>> read_list("asthma; croup", ""), read_list("['a', 'b']", ""), read_list(None, "")
    (['asthma', 'croup'], ['a', 'b'], [])

    Raises InputError for text that begins like a list and cannot be read as one, and for an object
    with a key twice.
    """
    if is_empty(cell):
        return []
    if isinstance(cell, list | tuple):
        return list(cell)
    text = str(cell).strip()
    if text.startswith("["):
        for reader in (load_cell, ast.literal_eval):
            try:
                entries = reader(text)
            except KeyTwice as fault:
                raise InputError(f"{place}: {fault}") from fault
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(entries, list):
                return entries
        raise InputError(
            f"{place}: {text[:60]!r} begins like a list and cannot be read as one; write JSON, or "
            "put a semicolon between the entries"
        )
    return [entry.strip() for entry in re.split(r";|\n", text) if entry.strip()]


def read_predictions(cell: Any, place: str) -> list[str]:
    """Read the diagnoses of a cell: a list, an object {"diagnoses": [...]}, or text.

    >>> read_predictions('{"diagnoses": ["gout", "asthma"]}', "")
    ['gout', 'asthma']
    >>> read_predictions("gout | asthma", ""), read_predictions("gout, acute; asthma", "")
    (['gout', 'asthma'], ['gout, acute', 'asthma'])

    Raises InputError for text with commas and no other separator, which is ambiguous.
    """
    named = named_list(cell)
    if named is not None:
        return named
    entries = list(map(text_of, read_list(cell, place)))
    if len(entries) != 1 or isinstance(cell, list | tuple) or text_of(cell).startswith("["):
        return entries
    parts = list(split_diagnoses(entries[0]))
    if len(parts) == 1 and "," in parts[0]:
        shown = json.dumps([parts[0]], ensure_ascii=False)
        raise InputError(
            f"{place}: {parts[0][:60]!r} has commas: is it one diagnosis or several? Put a "
            f"semicolon between several; write one as a list: {shown}"
        )
    return parts


def named_list(cell: Any) -> list[str] | None:
    """The list of an object {"diagnoses": [...]}, also in JSON; None for anything else."""
    if isinstance(cell, str) and cell.strip().startswith("{"):
        try:
            cell = load_cell(cell)
        except ValueError:
            return None
    if not isinstance(cell, Mapping) or list(cell) != ["diagnoses"]:
        return None
    names = cell["diagnoses"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return [name.strip() for name in names if name.strip()]


def listed_diagnoses(text: Any) -> list[str] | None:
    """The diagnoses of a response that is nothing but a list of them; None for anything else.

    A list is {"diagnoses": [...]} or a JSON array of texts, also in a fence of Markdown, or one
    line with bars between names.

    >>> listed_diagnoses("psoriasis | lichen planus"), listed_diagnoses("It is psoriasis.")
    (['psoriasis', 'lichen planus'], None)
    """
    if not isinstance(text, str):
        return named_list(text)
    line = _FENCED.sub(r"\1", text.strip()).strip()
    if (named := named_list(line)) is not None:
        return named
    if line.startswith("["):
        return named_list(f'{{"diagnoses": {line}}}')
    names = [name.strip() for name in line.removesuffix(".").split("|")]
    plain = all(name and not _PROSE.search(name) for name in names)
    return names if len(names) > 1 and plain else None


def read_options(row: Row, place: str) -> dict[str, str]:
    """Read the options of a question: letter -> text. Raises InputError for JSON with a fault."""
    cell = row.get("options")
    if isinstance(cell, str) and cell.strip().startswith("{"):
        try:
            cell = load_cell(cell)
        except ValueError as fault:
            raise InputError(f"{place}: the options are not JSON: {fault}") from fault
    if isinstance(cell, Mapping):
        return {
            text_of(letter): text_of(text) for letter, text in cell.items() if not is_empty(text)
        }
    if not is_empty(cell):
        entries = read_list(cell, f"{place}, options")
        return {chr(ord("A") + at): text_of(text) for at, text in enumerate(entries)}
    return {
        name: text_of(cell)
        for name, cell in sorted(row.items())
        if LETTER.fullmatch(name) and not is_empty(cell)
    }


def answer_of(cell: Any) -> str:
    """The right letters, or the reference of an open question."""
    return ",".join(map(text_of, cell)) if isinstance(cell, list | tuple) else text_of(cell)


def letters_of(answer: str) -> set[str]:
    """The letters that an answer may mean."""
    parts = set(re.split(r"[\s,;]+", answer))
    return parts if len(parts) > 1 or not answer.isalpha() else parts | set(answer)


def read_probabilities(cell: Any, place: str) -> tuple[dict[str, float] | None, str, bool]:
    """Read a distribution over the options: its values, its fault, and whether it was scaled.

    Rounding may move the sum away from 1 by 0.01: then the values are scaled to sum to 1. With
    another sum, or a value that is not a probability, the distribution cannot be used.

    Raises InputError for a cell that is not an object of letters and numbers.
    """
    if is_empty(cell):
        return None, "", False
    try:
        values = _by_letter(cell)
    except ValueError as fault:
        raise InputError(
            f"{place}: probabilities must be an object, letter to probability: {fault}"
        ) from fault
    if any(not math.isfinite(value) or value < 0 for value in values.values()):
        return None, "its probabilities have a value that is not a probability", False
    total = math.fsum(values.values())
    if abs(total - 1) > _ROUNDED + 1e-9:
        return None, f"its probabilities sum to {total:.6g}, not to 1", False
    scaled = {letter: value / total for letter, value in values.items()}
    return scaled, "", abs(total - 1) > 1e-6


def _by_letter(cell: Any) -> dict[str, float]:
    """Read an object of letters and numbers. Raises ValueError for any other cell."""
    numbers = load_cell(cell) if isinstance(cell, str) else cell
    if not isinstance(numbers, Mapping):
        raise ValueError(f"it is {short(cell)}")
    try:
        return {str(letter): float(value) for letter, value in numbers.items()}
    except (TypeError, OverflowError) as fault:
        raise ValueError(str(fault)) from fault


def read_scores(cell: Any, place: str) -> dict[str, float] | None:
    """Read a score for each option, of which the highest is the answer; None for an empty cell.

    Raises InputError for a cell that is not an object of letters and finite numbers.
    """
    if is_empty(cell):
        return None
    try:
        scores = _by_letter(cell)
    except ValueError as fault:
        raise InputError(f"{place}: scores must be an object, letter to number: {fault}") from fault
    if not all(map(math.isfinite, scores.values())):
        raise InputError(f"{place}: a score of {cell} is not a finite number")
    return scores


def values_of(cell: Any, place: str) -> tuple[str, ...]:
    """The groups that a cell names; "(none)" for an empty cell."""
    if isinstance(cell, list | tuple) or str(cell).strip().startswith("["):
        return tuple(map(text_of, read_list(cell, place))) or ("(none)",)
    return (text_of(cell) or "(none)",)


def is_empty(cell: Any) -> bool:
    """Whether a cell is empty: None, NaN, or text of spaces alone."""
    missing = cell is None or (isinstance(cell, float) and math.isnan(cell))
    return missing or (isinstance(cell, str) and not cell.strip())


def text_of(cell: Any) -> str:
    """A cell as text. Whole numbers, which spreadsheets keep as 7.0, have no decimal point."""
    if is_empty(cell):
        return ""
    return plain_text(cell).strip()
