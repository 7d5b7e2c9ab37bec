"""Read and map many texts, and write their mappings as columns of a table."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..errors import DxjudgeError, InputError, UsageError
from ..files.frames import without_missing
from ..ontology.chosen import failed_mapping
from ..ontology.mapping import Mapping

ADDED = (
    "code",
    "name",
    "score",
    "category_score",
    "decided_by",
    "status",
    "additional_codes",
    "additional_names",
    "reason",
)
"""The columns that a mapping adds to a table."""

LONGEST = 2_000
"""So many characters of a text are read; no diagnosis is longer."""


def mapping_columns(mappings: Sequence[Mapping]) -> dict[str, list[Any]]:
    """Return the columns, with one value for each mapping; without a code, the scores are None."""
    columns = {name: [getattr(mapping, name) for mapping in mappings] for name in ADDED}
    for name in ("score", "category_score"):
        values = zip(columns[name], mappings, strict=True)
        columns[name] = [value if mapping.code else None for value, mapping in values]
    return columns


def texts_of(texts: Any) -> list[str]:
    """Return the texts of a list, an iterable or a Series; a missing value is an empty text.

    Raises UsageError for a single text, and InputError for a value that is not a text.
    """
    if isinstance(texts, str):
        raise UsageError("map_many needs a list of texts; use map for one text")
    lists = (getattr(texts, name, None) for name in ("to_list", "to_pylist"))
    values = next((to_list() for to_list in lists if to_list is not None), texts)
    return [_text(value, place) for place, value in enumerate(values)]


def _text(value: Any, place: int) -> str:
    plain = without_missing(value)
    if plain is None:
        return ""
    if not isinstance(plain, str):
        raise InputError(f"item {place} is {type(value).__name__} {value!r}, not a text")
    return plain


def map_beginnings(texts: list[str], work: Callable[[list[str]], list[Mapping]]) -> list[Mapping]:
    """Map texts with `work`; of a text beyond `LONGEST` the beginning is read, and that is said."""
    read = [text[:LONGEST] for text in texts]
    mappings = zip(texts, map_each(read, work), strict=True)
    return [mapping if mapping.text == text else _told(mapping, text) for text, mapping in mappings]


def _told(mapping: Mapping, text: str) -> Mapping:
    left_out = f"only the first {LONGEST:,} of {len(text):,} characters were read"
    return replace(mapping, text=text, reason="; ".join(filter(None, (left_out, mapping.reason))))


def map_each(texts: list[str], work: Callable[[list[str]], list[Mapping]]) -> list[Mapping]:
    """Map texts together with `work`; if that raises, map them one by one.

    So only the text that raises is failed. A DxjudgeError concerns every text and is raised.
    """
    try:
        return work(texts)
    except DxjudgeError:
        raise
    except Exception as fault:
        if len(texts) == 1:
            why = f"{type(fault).__name__}: {fault}"
            return [failed_mapping(Mapping(texts[0], "failed"), why)]
        return [mapping for text in texts for mapping in map_each([text], work)]
