"""Ontologies with cross-references to codes: OBO 1.4 text and OBO-graph JSON.

Mondo marks references of the same meaning with `MONDO:equivalentTo` or `exactMatch`, and repeats
Orphanet's relations (e, ntbt, btnt). The Disease Ontology and others mark nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...files.json_text import load_json
from ..tree import Tree
from .xref import Relation, Row, code_in

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
    """One class of an ontology: its names, and its references to codes with their relation."""

    where: str
    name: str = ""
    synonyms: list[str] = field(default_factory=list)
    references: list[tuple[str, Relation]] = field(default_factory=list)
    is_obsolete: bool = False

    def rows(self, tree: Tree) -> Iterator[Row]:
        if self.is_obsolete:
            return
        for reference, relation in self.references:
            match = code_in(reference, tree.descriptor)
            if match is not None:
                for text in (self.name, *self.synonyms):
                    yield Row(self.where, text, *match, relation)


class Stanza(NamedTuple):
    """A [Term] stanza: the number of its first line, and its tags with their values as written."""

    line: int
    tags: list[tuple[str, str]]


def term_stanzas(path: Path, text: str) -> Iterator[Stanza]:
    """Yield the [Term] stanzas of an OBO document.

    Raises InputError for a line of a stanza that is not a tag and a value.
    """
    stanza: Stanza | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("!"):
            continue
        if line.startswith("["):
            if stanza:
                yield stanza
            stanza = Stanza(number, []) if line.startswith("[Term]") else None
            continue
        tag, colon, value = line.partition(":")
        if not colon:
            raise InputError(f"{path}, line {number}: is not an OBO tag and value: {line[:60]!r}")
        if stanza:
            stanza.tags.append((tag, value.strip()))
    if stanza:
        yield stanza


def plain_value(value: str) -> str:
    """Return a value without its qualifiers, its comment and its escapes."""
    return _unescape(_COMMENT.sub("", _QUALIFIERS.sub("", value)))


def exact_synonym(value: str) -> str | None:
    """Return the text of an exact synonym, None for a broader, narrower or related one."""
    match = _QUOTED.match(value)
    return _unescape(match[1]) if match and match[2] == "EXACT" else None


def read_obo(path: Path, text: str, tree: Tree) -> Iterator[Row]:
    """Names and exact synonyms of the [Term] stanzas that refer to a code of the release.

    Raises InputError as `term_stanzas`.
    """
    for stanza in term_stanzas(path, text):
        entry = _Entry(f"line {stanza.line}")
        for tag, value in stanza.tags:
            _add_tag(entry, tag, value)
        yield from entry.rows(tree)


def read_graph(path: Path, text: str, tree: Tree) -> Iterator[Row]:
    """The same of the nodes of an OBO-graph document.

    Raises InputError for text that is not JSON or holds no graphs.
    """
    try:
        document: Any = load_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: is not JSON: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{path}, line 1: is not JSON: {error}") from error
    graphs = document.get("graphs") if isinstance(document, dict) else None
    if not isinstance(graphs, list) or not all(isinstance(graph, dict) for graph in graphs):
        raise InputError(f"{path}, line 1: is not an OBO graph (it has no list 'graphs')")
    for graph in graphs:
        for place, node in enumerate(graph.get("nodes", ()), 1):
            try:
                entry = _entry_of_node(node)
            except (AttributeError, TypeError) as error:
                raise InputError(f"{path}: node {place} is not an OBO-graph node") from error
            yield from entry.rows(tree)


def _add_tag(entry: _Entry, tag: str, value: str) -> None:
    qualifiers = _QUALIFIERS.search(value)
    stated = qualifiers[1] if qualifiers and "=" in qualifiers[1] else ""
    bare = _QUALIFIERS.sub("", value) if stated else value
    if tag == "name":
        entry.name = _unescape(bare)
    elif tag == "is_obsolete":
        entry.is_obsolete = value.startswith("true")
    elif tag == "synonym":
        if (synonym := exact_synonym(value)) is not None:
            entry.synonyms.append(synonym)
    elif tag == "xref":
        entry.references.append(
            (_unescape(_COMMENT.sub("", bare)).split(" ")[0], relation_of(stated))
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
        stated = " ".join(_strings(reference.get("meta", {})))
        entry.references.append((str(reference.get("val", "")), relation_of(stated)))
    for value in meta.get("basicPropertyValues", ()):
        if str(value.get("pred", "")).endswith("exactMatch"):
            entry.references.append((str(value.get("val", "")), "exact"))
    return entry


def _strings(value: Any) -> Iterable[str]:
    """Return every text in a piece of JSON, at any depth."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]


def relation_of(words: str) -> Relation:
    """Return the relation that the words beside a reference state, as Mondo or Orphanet put it."""
    if _EXACT.search(words):
        return "exact"
    if _OTHER.search(words):
        return "other"
    return "near" if _NEAR.search(words) else "unstated"


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: " " if match[1] in "nWt" else match[1], text).strip()
