"""Write SSSOM TSV: one mapping for each distinct text, for the tools that exchange mappings.

Most tools need an id for each text. `subject_id` is made from the text, so that the same text has
the same id in every set of mappings. Other columns of the input are left out, and so are failures,
which say nothing about a text.
"""

import datetime
import json
import uuid
from collections.abc import Iterator
from importlib.metadata import version
from typing import BinaryIO

from ...files.delimited import Style, write_delimited
from ..release import Release
from ..tree import Tree
from .mapped_text import TEXTS, MappedText, exportable

_SETS = "https://w3id.org/sssom/mappings/"  # as in ids of the sssom package
_TEXTS = "text"
_PREFIXES = {
    _TEXTS: TEXTS,
    "bioregistry": "https://bioregistry.io/",
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "sssom": "https://w3id.org/sssom/",
}
_JUSTIFIED = {
    "exact": "semapv:LexicalMatching",
    "embedded": "semapv:SemanticSimilarityThresholdMatching",
    "llm": "semapv:CompositeMatching",
    "reviewed": "semapv:ManualMappingCuration",
    "none": "semapv:SemanticSimilarityThresholdMatching",
}
_PREDICATES = {"equal": "skos:exactMatch", "wider": "skos:broadMatch", "close": "skos:closeMatch"}
_COLUMNS = [
    "subject_id",
    "subject_label",
    "subject_category",
    "predicate_id",
    "object_id",
    "object_label",
    "object_category",
    "mapping_justification",
    "mapping_cardinality",
    "confidence",
    "reviewer_label",
    "match_string",
    "comment",
    "other",
]


ROWS, FURTHER = "rows", "additional"
"""The names in `other` of the number of rows with the text, and of a code beside the first."""


def write_sssom(file: BinaryIO, texts: list[MappedText], tree: Tree, remark: str = "") -> None:
    """Write the mappings of distinct texts to codes of `tree`.

    The predicate is skos:exactMatch where the text is an official name or holds the code,
    skos:broadMatch where it is another term of the code, and skos:closeMatch otherwise.
    `confidence` is the score; `other` holds that of the category. `object_category`
    is the chapter of the code. `remark` becomes the comment of the set. An unmapped text maps to
    sssom:NoTermFound.
    """
    rows = [_record(text, tree) for text in exportable(texts)]
    file.write("".join(_header(rows, tree.descriptor, tree.version, remark)).encode())
    write_delimited(file, _COLUMNS, rows, Style("\t"))


def _header(rows: list[list[str]], release: Release, edition: str, remark: str) -> Iterator[str]:
    content = json.dumps([release.name, edition, rows])
    lines = {
        "mapping_set_id": f"{_SETS}{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "mapping_set_title": f"Free-text diagnoses mapped to {release.curie_prefix}",
        "license": "https://w3id.org/sssom/license/unspecified",
        "mapping_date": datetime.date.today().isoformat(),
        "mapping_tool": "dxjudge",
        "mapping_tool_version": version("dxjudge"),
        "object_source": release.registered or release.address,
        "object_source_version": edition,
        **({"comment": remark} if remark else {}),
    }
    for name, value in lines.items():
        # A JSON string is quoted YAML, so that a reader keeps dates and versions as text.
        yield f"# {name}: {json.dumps(value)}\n"
    yield "# curie_map:\n"
    for prefix, address in ({release.curie_prefix: release.address} | _PREFIXES).items():
        yield f"#   {prefix}: {json.dumps(address)}\n"


def _record(text: MappedText, tree: Tree) -> list[str]:
    mapping = text.mapping
    return [
        f"{_TEXTS}:{text.id}",
        mapping.text,
        "diagnosis",
        _PREDICATES[text.relation],
        tree.descriptor.curie(mapping.code) if mapping.code else "sssom:NoTermFound",
        mapping.name or "",
        tree.name(tree.chapter(mapping.code)) if mapping.code else "",
        _JUSTIFIED[mapping.decided_by],
        "" if mapping.code else "1:0",
        f"{mapping.score:.4f}" if mapping.code else "",
        text.reviewer,
        mapping.term or "",
        text.comment,
        _other(text),
    ]


def _other(text: MappedText) -> str:
    """Return what SSSOM has no slot for, such as `rows=12|category_score=0.9`."""
    slots = [(ROWS, str(text.rows))] if text.rows else []
    if text.mapping.code is not None:
        slots.append(("category_score", f"{text.mapping.category_score:.4f}"))
        if text.accepted is not None:
            slots.append(("accepted", "yes" if text.accepted else "no"))
        slots += [(FURTHER, further.code) for further in text.mapping.additional]
    return "|".join(map("=".join, slots))
