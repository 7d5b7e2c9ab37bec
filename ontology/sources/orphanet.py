"""Orphanet's nomenclature with its references to ICD-10 (Orphadata product 1, XML)."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from ..tree import Tree
from .obo import relation_of
from .xref import Row, code_in, parse_xml


def read_orphanet(path: Path, text: str, tree: Tree) -> Iterator[Row]:
    """Yield names and synonyms of the disorders that refer to ICD-10, with Orphanet's relation.

    Raises InputError for text that is not XML.
    """
    for disorder in parse_xml(path, text).iter("Disorder"):
        yield from _rows(disorder, tree)


def _rows(disorder: ET.Element, tree: Tree) -> Iterator[Row]:
    where = f"ORPHA:{disorder.findtext('OrphaCode', '?')}"
    names = [disorder.findtext("Name", "")]
    names += [synonym.text or "" for synonym in disorder.findall("SynonymList/Synonym")]
    for reference in disorder.findall("ExternalReferenceList/ExternalReference"):
        curie = f"{reference.findtext('Source', '')}:{reference.findtext('Reference', '')}"
        match = code_in(curie, tree.descriptor)
        if match is not None:
            relation = relation_of(reference.findtext("DisorderMappingRelation/Name", ""))
            for name in names:
                yield Row(where, name, *match, relation)
