"""SSSOM TSV: a mapping set whose subjects or objects are codes of the release."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import yaml

from ...errors import InputError
from ..tree import Tree
from .tabular import read_lines
from .xref import Relation, Row, code_in

_COLUMNS = {"subject_id", "predicate_id", "object_id"}
# The relation of a disease (subject) to a code (object). Where the code is the subject, broad and
# narrow change places.
_RELATIONS: dict[str, Relation] = {
    "exactMatch": "exact",
    "closeMatch": "near",
    "broadMatch": "near",
}
_REVERSED = {"broadMatch": "narrowMatch", "narrowMatch": "broadMatch"}


def is_sssom(text: str) -> bool:
    """Return whether the first line that is not a comment has SSSOM's columns."""
    lines = (line for line in text.splitlines() if line.strip() and line[0] != "#")
    return set(next(lines, "").split("\t")) >= _COLUMNS


def read_sssom(path: Path, text: str, tree: Tree) -> Iterator[Row]:
    """Yield the mappings that have a code of the release as their subject or their object.

    Prefixes come from the set's `curie_map` or are the usual ones. Negated mappings are left out.
    Raises InputError for metadata that is not YAML and for rows with more cells than the header.
    """
    prefixes = _prefixes(path, text)
    (_, header), *lines = read_lines(path, text)
    for number, cells in lines:
        if len(cells) > len(header):
            raise InputError(
                f"{path}, line {number}: has {len(cells)} cells, the header {len(header)}"
            )
        mapping = dict(zip(header, cells, strict=False))
        if mapping.get("predicate_modifier", "").lower() != "not":
            yield from _rows(mapping, f"line {number}", prefixes, tree)


def _rows(
    mapping: dict[str, str], where: str, prefixes: dict[str, str], tree: Tree
) -> Iterator[Row]:
    predicate = mapping.get("predicate_id", "").replace("#", ":").rpartition(":")[2]
    for code_side, term_side in (("object", "subject"), ("subject", "object")):
        match = _code(mapping.get(f"{code_side}_id", ""), prefixes, tree)
        if match is not None:
            if code_side == "subject":
                predicate = _REVERSED.get(predicate, predicate)
            relation = _RELATIONS.get(predicate, "other")
            yield Row(where, mapping.get(f"{term_side}_label", ""), *match, relation)
            return


def _prefixes(path: Path, text: str) -> dict[str, str]:
    """Return the `curie_map` in the comments before the table, empty where there is none."""
    comments = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            break
        comments.append(line[1:])
    try:
        metadata: Any = yaml.safe_load(dedent("\n".join(comments)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line_number = mark.line + 1 if mark else 1
        raise InputError(f"{path}, line {line_number}: the metadata is not YAML") from error
    prefixes = metadata.get("curie_map") if isinstance(metadata, dict) else None
    return {str(key): str(value) for key, value in prefixes.items()} if prefixes else {}


def _code(curie: str, prefixes: dict[str, str], tree: Tree) -> tuple[str, bool] | None:
    """Return the code of a CURIE by the usual prefixes, else by the set's own `curie_map`."""
    prefix, _, local = curie.partition(":")
    release = tree.descriptor
    return code_in(curie, release) or code_in(prefixes.get(prefix, "") + local, release)
