"""Write OMOP's SOURCE_TO_CONCEPT_MAP (CDM 5.4): one row for each text and target concept."""

from typing import BinaryIO

from ...files.delimited import Style, write_delimited
from .concepts import Concept, Concepts
from .mapped_text import MappedText, exportable

VOCABULARY = "dxjudge"
"""The vocabulary id of the texts, at most 20 characters."""

_COLUMNS = (
    "source_code",
    "source_concept_id",
    "source_vocabulary_id",
    "source_code_description",
    "target_concept_id",
    "target_vocabulary_id",
    "valid_start_date",
    "valid_end_date",
    "invalid_reason",
)
_LONGEST = 255  # characters of source_code_description
_VALID = ("1970-01-01", "2099-12-31")  # as Usagi writes them


def write_source_to_concept_map(
    file: BinaryIO, texts: list[MappedText], concepts: Concepts
) -> None:
    """Write a comma-separated file with the columns of the table.

    A text has its id as source_code and its first 255 characters as description. A text without a
    concept has the concept 0 and the vocabulary "None", as OMOP asks.
    """
    rows = [
        _row(text, concept)
        for text in exportable(texts)
        for concept in concepts.of_mapping(text.mapping) or (None,)
    ]
    write_delimited(file, _COLUMNS, rows, Style(",", False, "\n"))


def _row(text: MappedText, concept: Concept | None) -> list[str]:
    return [
        text.id,
        "0",
        VOCABULARY,
        " ".join(text.mapping.text.split())[:_LONGEST],
        str(concept.id if concept else 0),
        concept.vocabulary if concept else "None",
        *_VALID,
        "",
    ]
