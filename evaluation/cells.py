"""Cells of cases and responses: lists, letters, options, probabilities, in any of their forms."""

import ast
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..ontology.reading.query import split_diagnoses

Row = Mapping[str, Any]
LETTER = re.compile(r"[A-Z]")
_ROUNDED = 0.01
"""How far from 1 the sum of rounded probabilities may be."""


def read_list(cell: Any, place: str) -> list[Any]:
    """The entries of a cell that holds a list in any of its forms; empty for an empty cell.

    >>> read_list("asthma; croup", ""), read_list("['a', 'b']", ""), read_list(None, "")
    (['asthma', 'croup'], ['a', 'b'], [])

    Raises InputError for text that begins like a list and is none.
    """
    if is_empty(cell):
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


def read_predictions(cell: Any, place: str) -> list[str]:
    """The diagnoses of a cell of predictions: a list, an object {"diagnoses": [...]}, or text.

    >>> read_predictions('{"diagnoses": ["gout", "asthma"]}', "")
    ['gout', 'asthma']
    >>> read_predictions("gout | asthma", ""), read_predictions("gout, acute; asthma", "")
    (['gout', 'asthma'], ['gout, acute', 'asthma'])

    Raises InputError for text with commas and no other mark: it may be one diagnosis or several.
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
    """The list of an object {"diagnoses": [...]}, as it is or as JSON; None for anything else."""
    if isinstance(cell, str) and cell.strip().startswith("{"):
        try:
            cell = json.loads(cell)
        except ValueError:
            return None
    if not isinstance(cell, Mapping) or list(cell) != ["diagnoses"]:
        return None
    names = cell["diagnoses"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return [name.strip() for name in names if name.strip()]


def read_options(row: Row, place: str) -> dict[str, str]:
    """The options of a question by letter. Raises InputError for what is no list or object."""
    given = row.get("options")
    if isinstance(given, str) and given.strip().startswith("{"):
        try:
            given = json.loads(given)
        except ValueError as fault:
            raise InputError(f"{place}: the options are not JSON: {fault}") from fault
    if isinstance(given, Mapping):
        return {
            text_of(letter): text_of(text) for letter, text in given.items() if not is_empty(text)
        }
    if not is_empty(given):
        entries = read_list(given, f"{place}, options")
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
    """A distribution over the options, why it cannot be used, and whether it was scaled.

    A sum within 0.01 of 1 is what rounding leaves: the values are scaled to sum to 1. One that
    is further away, or a value that is no probability, makes the distribution unusable.

    Raises InputError for a cell that is no object of letters and numbers.
    """
    if is_empty(cell):
        return None, "", False
    try:
        given = json.loads(cell) if isinstance(cell, str) else cell
        values = {str(letter): float(value) for letter, value in given.items()}
    except (ValueError, TypeError, AttributeError) as fault:
        raise InputError(
            f"{place}: probabilities must be an object, letter to probability"
        ) from fault
    if any(not math.isfinite(value) or value < 0 for value in values.values()):
        return None, "its probabilities hold a value that is none", False
    total = math.fsum(values.values())
    if abs(total - 1) > _ROUNDED + 1e-9:
        return None, f"its probabilities sum to {total:.6g}, not to 1", False
    scaled = {letter: value / total for letter, value in values.items()}
    return scaled, "", abs(total - 1) > 1e-6


def values_of(cell: Any, place: str) -> tuple[str, ...]:
    """The groups that a cell names."""
    if isinstance(cell, list | tuple) or str(cell).strip().startswith("["):
        return tuple(map(text_of, read_list(cell, place))) or ("(none)",)
    return (text_of(cell) or "(none)",)


def is_empty(cell: Any) -> bool:
    """Whether a cell holds nothing."""
    missing = cell is None or (isinstance(cell, float) and math.isnan(cell))
    return missing or (isinstance(cell, str) and not cell.strip())


def text_of(cell: Any) -> str:
    """A cell as text; a whole number of a spreadsheet without its point."""
    if is_empty(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))  # a spreadsheet's whole number
    return str(cell).strip()
