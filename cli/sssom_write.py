"""SSSOM TSV out: one mapping a distinct text, for the tools that exchange mappings.

The texts are literals (`subject_type: rdfs literal`). The input's other columns do not go
into a set of mappings, and neither do failures, which say nothing about a text.
"""

import datetime
import json
import uuid
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import BinaryIO

from ..files.delimited import Style, write_delimited
from ..ontology.mapping import Mapping
from ..ontology.tree import Tree

_PREFIXES = {
    "ICD10CM": "http://purl.bioontology.org/ontology/ICD10CM/",
    "ICD10WHO": "https://icd.who.int/browse10/2019/en#/",
    "bioregistry": "https://bioregistry.io/",
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "sssom": "https://w3id.org/sssom/",
}
_PREFIX_OF = {"icd10cm": "ICD10CM", "icd10": "ICD10WHO"}
_REGISTERED = {"icd10cm": "bioregistry:icd10cm", "icd10": "bioregistry:icd10"}
_JUSTIFIED = {
    "exact": "semapv:LexicalMatching",
    "embedded": "semapv:SemanticSimilarityThresholdMatching",
    "llm": "semapv:CompositeMatching",
    "reviewed": "semapv:ManualMappingCuration",
    "none": "semapv:SemanticSimilarityThresholdMatching",
}
_COLUMNS = [
    "subject_label",
    "predicate_id",
    "object_id",
    "object_label",
    "mapping_justification",
    "mapping_cardinality",
    "confidence",
    "reviewer_label",
    "match_string",
    "comment",
]


def write_sssom(
    file: BinaryIO,
    mappings: Iterable[Mapping],
    reviewers: dict[str, str],
    tree: Tree,
) -> None:
    """Write the mappings of distinct texts to codes of `tree`; `reviewers` are names by text.

    The predicate is skos:exactMatch where the text is an official name, skos:broadMatch where
    it is another term of the code, and skos:closeMatch otherwise. `confidence` is the score.
    An unmapped text maps to sssom:NoTermFound.
    """
    rows = [
        _record(mapping, reviewers.get(mapping.text, ""), tree.release)
        for mapping in mappings
        if mapping.status != "failed" and mapping.text.strip()
    ]
    file.write("".join(_header(rows, tree.release, tree.version)).encode())
    write_delimited(file, _COLUMNS, rows, Style("\t"))


def _header(rows: list[list[str]], release: str, edition: str) -> Iterator[str]:
    content = json.dumps([release, edition, rows])
    lines = {
        "mapping_set_id": uuid.uuid5(uuid.NAMESPACE_URL, content).urn,
        "mapping_set_title": f"Free-text diagnoses mapped to {_PREFIX_OF[release]}",
        "license": "https://w3id.org/sssom/license/unspecified",
        "mapping_date": datetime.date.today().isoformat(),
        "mapping_tool": "dxjudge",
        "mapping_tool_version": version("dxjudge"),
        "subject_type": "rdfs literal",
        "object_source": _REGISTERED[release],
        "object_source_version": edition,
    }
    for name, value in lines.items():
        # JSON is YAML, quoted so that no reader takes a date or a version for something else.
        yield f"# {name}: {json.dumps(value)}\n"
    yield "# curie_map:\n"
    for prefix, address in _PREFIXES.items():
        yield f"#   {prefix}: {json.dumps(address)}\n"


def _record(mapping: Mapping, reviewer: str, release: str) -> list[str]:
    mapped = mapping.code is not None
    return [
        mapping.text,
        _predicate(mapping),
        f"{_PREFIX_OF[release]}:{mapping.code}" if mapped else "sssom:NoTermFound",
        mapping.name or "",
        _JUSTIFIED[mapping.decided_by],
        "" if mapped else "1:0",
        f"{mapping.score:.4f}" if mapped else "",
        reviewer,
        mapping.term or "",
        mapping.reason or "",
    ]


def _predicate(mapping: Mapping) -> str:
    if mapping.decided_by == "exact":
        return "skos:exactMatch" if mapping.source == "official" else "skos:broadMatch"
    return "skos:closeMatch"
