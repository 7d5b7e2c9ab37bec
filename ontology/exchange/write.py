"""Write mappings in the form that a user asks for."""

from typing import BinaryIO

from ...errors import UsageError
from ...files.forms import OutputFormat
from ..tree import Tree
from .concepts import Concepts
from .fhir import write_concept_map
from .mapped_text import MappedText
from .omop import write_source_to_concept_map
from .sssom import write_sssom
from .usagi import write_usagi


def write_mappings(
    file: BinaryIO,
    form: OutputFormat,
    texts: list[MappedText],
    tree: Tree,
    concepts: Concepts | None = None,
    remark: str = "",
) -> None:
    """Write the mappings of distinct texts in one of the forms of `files.forms.MAPPING_FORMS`.

    concepts: OMOP's concepts, which the form "omop" needs and "usagi" uses. remark: what a reader
    should know about the set; only SSSOM has a place for it. Texts that failed are left out. Raises
    UsageError where the form needs concepts and there are none.
    """
    match form:
        case "sssom":
            write_sssom(file, texts, tree, remark)
        case "fhir":
            write_concept_map(file, texts, tree, "r4")
        case "fhir-r5":
            write_concept_map(file, texts, tree, "r5")
        case "omop":
            write_source_to_concept_map(file, texts, _needed(concepts))
        case "usagi":
            write_usagi(file, texts, concepts)
        case _:
            raise ValueError(f"{form} is not a form of mappings")


def check_concepts(form: OutputFormat, concepts: object) -> None:
    """Raise UsageError where the form needs OMOP's concepts, or does not use them."""
    if form == "omop" and concepts is None:
        raise UsageError(
            "OMOP's table holds concepts, not codes: name a folder with CONCEPT.csv of Athena "
            "(--concepts FOLDER), or write .usagi.csv"
        )
    if concepts is not None and form not in ("omop", "usagi"):
        raise UsageError("--concepts has no effect: only the forms omop and usagi hold concepts")


def _needed(concepts: Concepts | None) -> Concepts:
    check_concepts("omop", concepts)
    assert concepts is not None
    return concepts
