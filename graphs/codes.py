"""Turn a mapper into the function from text to code and name that cases and steps need."""

from collections.abc import Callable, Collection, Iterable
from collections.abc import Mapping as ReadOnly
from typing import Any

from ..agents.judge_equivalence import MappedCode
from ..agents.judge_equivalence import Mapper as CodeOf
from ..ontology.mapping import Mapping
from .mapper import Mapper

SURE = ("reviewed", "exact", "high")
"""Confidence bands in which two equal codes count as the same disease."""


def code_of(mapper: Mapper, bands: Collection[str] | None = None) -> CodeOf:
    """Return a function that maps each distinct text once; only mappings in `bands` have a code."""
    known: dict[str, MappedCode | None] = {}

    def find(text: str) -> MappedCode | None:
        if text not in known:
            known[text] = _code(mapper.map(text), bands)
        return known[text]

    return find


def codes_of(
    mapper: Mapper, texts: Iterable[str], bands: Collection[str] | None = None
) -> dict[str, MappedCode | None]:
    """Map all texts at once, which is faster, and return their codes."""
    mappings = mapper.map_many(sorted(set(texts)))
    return {mapping.text: _code(mapping, bands) for mapping in mappings}


def compared_texts(inputs: Iterable[ReadOnly[str, Any]]) -> set[str]:
    """Return the texts of items whose codes `with_ontology` compares."""
    return {str(item.get(field, "")) for item in inputs for field in ("predicted", "truth")}


def chapters_of(mapper: Mapper) -> Callable[[str], str]:
    """Return a function from a diagnosis to the code and the title of its chapter."""
    find = code_of(mapper)

    def chapter(text: str) -> str:
        mapped = find(text)
        if mapped is None:
            return "no code"
        node = mapper.tree.chapter(mapped.code)
        return f"{node.code} {mapper.tree.name(node)}"

    return chapter


def _code(mapping: Mapping, bands: Collection[str] | None) -> MappedCode | None:
    if mapping.code is None or mapping.name is None:
        return None
    band = "reviewed" if mapping.decided_by == "reviewed" else mapping.band
    if bands is not None and band not in bands:
        return None
    return MappedCode(mapping.code, mapping.name)
