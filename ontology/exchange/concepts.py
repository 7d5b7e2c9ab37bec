"""OMOP concepts of codes, from the vocabulary files that a user downloads from Athena.

The vocabularies have licences of their own, so none comes with dxjudge.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, UnknownCode
from ..mapping import Mapping as MappingOfText
from ..tree import Tree

_CONCEPTS, _RELATIONS = "CONCEPT.csv", "CONCEPT_RELATIONSHIP.csv"


class Concept(NamedTuple):
    """One concept: its id, name, domain and vocabulary, and whether it is a standard concept."""

    id: int
    name: str
    domain: str
    vocabulary: str
    code: str
    standard: bool


@dataclass(frozen=True)
class Concepts:
    """The concepts of a release's codes.

    own: for a code, its own concept. standard: for a code, the standard concepts to which it maps;
    empty where the folder has no relationships. by_id: all of them by their id.
    """

    own: Mapping[str, Concept]
    standard: Mapping[str, tuple[Concept, ...]] = field(default_factory=dict)

    def of(self, code: str) -> tuple[Concept, ...]:
        """Return the standard concepts of a code, else its own concept, else nothing."""
        own = self.own.get(code)
        return self.standard.get(code) or ((own,) if own else ())

    def of_mapping(self, mapping: MappingOfText) -> tuple[Concept, ...]:
        """Return the concepts of the code of a text and of the codes beside it, each once."""
        return tuple(dict.fromkeys(one for code in mapping.codes for one in self.of(code)))

    def codes_of(self, concept: int) -> tuple[str, ...]:
        """Return the codes that have this concept as their own, else those that map to it."""
        own = tuple(code for code, one in self.own.items() if one.id == concept)
        return own or tuple(
            code for code, many in self.standard.items() if any(one.id == concept for one in many)
        )


def read_concepts(folder: Path, tree: Tree) -> Concepts:
    """Read CONCEPT.csv and, where it is there, CONCEPT_RELATIONSHIP.csv of a folder.

    Raises InputError where CONCEPT.csv is missing, lacks a column, or has no concept of the
    release.
    """
    if not tree.descriptor.omop:
        raise InputError(f"{tree.descriptor.shown} has no vocabulary in OMOP")
    path = folder / _CONCEPTS
    if not path.exists():
        raise InputError(
            f"{folder} has no {_CONCEPTS}: download the vocabulary {tree.descriptor.omop} from "
            "athena.ohdsi.org and name its folder"
        )
    own = {
        code: concept
        for concept in _concepts(path)
        if concept.vocabulary == tree.descriptor.omop and (code := _known(concept.code, tree))
    }
    if not own:
        raise InputError(f"{path} has no concept of the vocabulary {tree.descriptor.omop}")
    relations = folder / _RELATIONS
    return Concepts(own, _standard(relations, path, own) if relations.exists() else {})


def _known(code: str, tree: Tree) -> str | None:
    # Other editions of a vocabulary have codes that this one lacks.
    try:
        return tree.node(code).code
    except UnknownCode:
        return None


def _standard(
    relations: Path, path: Path, own: Mapping[str, Concept]
) -> dict[str, tuple[Concept, ...]]:
    codes = {concept.id: code for code, concept in own.items()}
    targets: dict[str, list[int]] = {}
    wanted = ("concept_id_1", "concept_id_2", "relationship_id", "invalid_reason")
    for first, second, relation, invalid in _rows(relations, wanted):
        if relation == "Maps to" and not invalid and first.isdigit() and int(first) in codes:
            targets.setdefault(codes[int(first)], []).append(int(second))
    ids = {one for many in targets.values() for one in many}
    found = {concept.id: concept for concept in _concepts(path) if concept.id in ids}
    return {
        code: tuple(found[one] for one in many if one in found) for code, many in targets.items()
    }


def _concepts(path: Path) -> Iterator[Concept]:
    wanted = (
        "concept_id", "concept_name", "domain_id", "vocabulary_id", "concept_code",
        "standard_concept", "invalid_reason",
    )  # fmt: skip
    for id, name, domain, vocabulary, code, standard, invalid in _rows(path, wanted):
        if id.isdigit() and not invalid:
            yield Concept(int(id), name, domain, vocabulary, code, standard == "S")


def _rows(path: Path, wanted: tuple[str, ...]) -> Iterator[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            yield from _cells(file, path, wanted)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _cells(lines: Iterable[str], path: Path, wanted: tuple[str, ...]) -> Iterator[list[str]]:
    # The files of Athena are tab-separated in spite of their names, and quotes mean nothing.
    rows = (line.rstrip("\r\n").split("\t") for line in lines)
    header = next(rows, [])
    if missing := [name for name in wanted if name not in header]:
        raise InputError(f"{path} has no column {missing[0]!r}: is it a file of Athena?")
    places = [header.index(name) for name in wanted]
    for number, cells in enumerate(rows, 2):
        if len(cells) != len(header):
            raise InputError(f"{path}, line {number}: has {len(cells)} cells, not {len(header)}")
        yield [cells[place] for place in places]
