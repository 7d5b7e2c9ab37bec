"""Ontologies with cross-references to ICD-10: OBO 1.4 text and OBO-graph JSON.

Mondo marks the references that mean the same as `MONDO:equivalentTo` or `exactMatch`, and passes
on Orphanet's kinds (e, ntbt, btnt); the Disease Ontology and others mark none.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InputError
from .xref import Relation, Row, icd_code

_QUOTED = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*(\w*)')
_QUALIFIERS = re.compile(r"\s*(?<!\\)\{([^{}]*)\}\s*(?:!.*)?$")
_COMMENT = re.compile(r"\s+!\s.*$")
_ESCAPE = re.compile(r"\\(.)")
_EXACT = re.compile(r"MONDO:equivalentTo|/e\b|\bE \(exact", re.IGNORECASE)
_NEAR = re.compile(r"ntbt|/attributed|/inclusion|mondoIsNarrowerThanSource", re.IGNORECASE)
_OTHER = re.compile(
    r"btnt|mondoIsBroaderThanSource|MONDO:(?:related|directSibling|obsolete|equivalentObsolete|other)",
    re.IGNORECASE,
)


@dataclass
class _Entry:
    """One class of an ontology as far as it matters here."""

    where: str
    name: str = ""
    synonyms: list[str] = field(default_factory=list)
    references: list[tuple[str, Relation]] = field(default_factory=list)
    is_obsolete: bool = False

    def rows(self, release: str) -> Iterator[Row]:
        if self.is_obsolete:
            return
        for reference, relation in self.references:
            found = icd_code(reference, release)
            if found is not None:
                for text in (self.name, *self.synonyms):
                    yield Row(self.where, text, *found, relation)


def read_obo(path: Path, text: str, release: str) -> Iterator[Row]:
    """Names and exact synonyms of the [Term] stanzas that refer to a code of the release.

    Raises InputError for a line of a stanza that is no tag and value.
    """
    entry: _Entry | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("!"):
            continue
        if line.startswith("["):
            if entry:
                yield from entry.rows(release)
            entry = _Entry(f"line {number}") if line.startswith("[Term]") else None
            continue
        tag, colon, value = line.partition(":")
        if not colon:
            raise InputError(f"{path}, line {number}: is no OBO tag and value: {line[:60]!r}")
        if entry:
            _add_tag(entry, tag, value.strip())
    if entry:
        yield from entry.rows(release)


def read_graph(path: Path, text: str, release: str) -> Iterator[Row]:
    """The same of the nodes of an OBO-graph document.

    Raises InputError for text that is not JSON or holds no graphs.
    """
    try:
        document: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: is not JSON: {error.msg}") from error
    graphs = document.get("graphs") if isinstance(document, dict) else None
    if not isinstance(graphs, list) or not all(isinstance(each, dict) for each in graphs):
        raise InputError(f"{path}, line 1: is no OBO graph (no list of 'graphs')")
    for graph in graphs:
        for place, node in enumerate(graph.get("nodes", ()), 1):
            try:
                entry = _entry_of_node(node)
            except (AttributeError, TypeError) as error:
                raise InputError(f"{path}: node {place} is no OBO-graph node") from error
            yield from entry.rows(release)


def _add_tag(entry: _Entry, tag: str, value: str) -> None:
    qualifiers = _QUALIFIERS.search(value)
    said = qualifiers[1] if qualifiers and "=" in qualifiers[1] else ""
    bare = _QUALIFIERS.sub("", value) if said else value
    if tag == "name":
        entry.name = _unescape(bare)
    elif tag == "is_obsolete":
        entry.is_obsolete = value.startswith("true")
    elif tag == "synonym":
        found = _QUOTED.match(value)
        if found and found[2] == "EXACT":
            entry.synonyms.append(_unescape(found[1]))
    elif tag == "xref":
        entry.references.append(
            (_unescape(_COMMENT.sub("", bare)).split(" ")[0], relation_of(said))
        )
    elif tag == "property_value":
        predicate, _, target = bare.partition(" ")
        if predicate.endswith("exactMatch"):
            entry.references.append((_unescape(target.strip()).split(" ")[0].strip('"'), "exact"))


def _entry_of_node(node: dict[str, Any]) -> _Entry:
    meta = node.get("meta", {})
    entry = _Entry(f"node {node.get('id', '?')}", node.get("lbl", ""))
    entry.is_obsolete = bool(meta.get("deprecated"))
    entry.synonyms = [
        synonym["val"]
        for synonym in meta.get("synonyms", ())
        if synonym.get("pred") == "hasExactSynonym" and "val" in synonym
    ]
    for reference in meta.get("xrefs", ()):
        said = " ".join(_strings(reference.get("meta", {})))
        entry.references.append((str(reference.get("val", "")), relation_of(said)))
    for value in meta.get("basicPropertyValues", ()):
        if str(value.get("pred", "")).endswith("exactMatch"):
            entry.references.append((str(value.get("val", "")), "exact"))
    return entry


def _strings(value: Any) -> Iterable[str]:
    """Every text in a piece of JSON, however deep."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]


def relation_of(said: str) -> Relation:
    """The relation that the words beside a reference speak of, Mondo's or Orphanet's."""
    if _EXACT.search(said):
        return "exact"
    if _OTHER.search(said):
        return "other"
    return "near" if _NEAR.search(said) else "unstated"


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: " " if found[1] in "nWt" else found[1], text).strip()
