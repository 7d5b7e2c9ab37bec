"""Define the annotation record of an image of the body surface, and check its terms."""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ...prompts.annotations import ValueLists

MOST_PHYSICIANS, MOST_DISEASES = 2, 3
"""So many physicians rank so many diseases each (MedLesionVQA)."""
MEASURE = re.compile(r"\d+(?:\.\d+)?\s?(?:mm|cm)")
"""The form of a size."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Lesion(BaseModel):
    """A lesion: its kind, its region, and its attributes by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Text
    name: Text
    region: Text
    attributes: dict[str, Text] = {}


class Relation(BaseModel):
    """How one lesion is placed with respect to another; both are named by their ids."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: Text
    relation: Text
    second: Text


class Annotation(BaseModel):
    """An annotation record.

    patient: records of one patient stay together in a split. reasoning, advice: statements, each
    true by itself. diseases: for each physician the diseases, the most probable first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Text
    patient: str = ""
    images: tuple[Text, ...] = Field(min_length=1)
    regions: tuple[Text, ...] = ()
    lesions: tuple[Lesion, ...] = ()
    relations: tuple[Relation, ...] = ()
    reasoning: tuple[Text, ...] = ()
    diseases: tuple[tuple[Text, ...], ...] = ()
    advice: tuple[Text, ...] = ()

    def lesion(self, name: str) -> Lesion:
        """Return the lesion with this id."""
        return next(lesion for lesion in self.lesions if lesion.id == name)

    def sheet(self) -> str:
        """Return the record as a text for a prompt."""
        lines = [f"regions: {', '.join(self.regions)}"]
        for lesion in self.lesions:
            own = "; ".join(f"{name}: {value}" for name, value in lesion.attributes.items())
            lines.append(f"lesion {lesion.id}: {lesion.name} on the {lesion.region}; {own}")
        lines += [f"relation: {one.first} {one.relation} {one.second}" for one in self.relations]
        lines += [f"reasoning: {text}" for text in self.reasoning]
        for number, ranked in enumerate(self.diseases, 1):
            lines.append(f"diseases, physician {number}: {', '.join(ranked)}")
        return "\n".join([*lines, *(f"advice: {text}" for text in self.advice)])


def annotation_faults(record: Annotation, lists: ValueLists) -> list[str]:
    """Return what a record says that its lists do not have, and what contradicts itself."""
    return [*_listed(record, lists), *_consistent(record), *_sized(record)]


def _listed(record: Annotation, lists: ValueLists) -> Iterator[str]:
    """Yield the terms that their value list does not have."""
    used = [("regions", "region", region) for region in record.regions]
    for lesion in record.lesions:
        used.append((f"lesion {lesion.id}", "lesion", lesion.name))
        for name, value in lesion.attributes.items():
            if name in lists.attributes:
                used.append((f"lesion {lesion.id}, {name}", name, value))
            else:
                yield f"lesion {lesion.id}: there is no attribute {name!r}"
    used += [("relations", "relation", one.relation) for one in record.relations]
    used += [("diseases", "disease", name) for ranked in record.diseases for name in ranked]
    for place, kind, term in used:
        values = lists.of(kind)
        if values.groups and term not in values.terms:
            yield f"{place}: {term!r} is not in the list {kind}"


def _consistent(record: Annotation) -> Iterator[str]:
    ids = [lesion.id for lesion in record.lesions]
    if len(set(ids)) < len(ids):
        yield "lesions: an id occurs twice"
    for lesion in record.lesions:
        if lesion.region not in record.regions:
            yield f"lesion {lesion.id}: its region {lesion.region!r} is not in regions"
    for one in record.relations:
        unknown = [name for name in (one.first, one.second) if name not in ids]
        if unknown or one.first == one.second:
            yield f"relations: {one.first} and {one.second} are not two lesions"
    for number, ranked in enumerate(record.diseases, 1):
        if len(set(ranked)) < len(ranked):
            yield f"diseases, physician {number}: a disease occurs twice"


def _sized(record: Annotation) -> Iterator[str]:
    if len(record.diseases) > MOST_PHYSICIANS:
        yield f"diseases: {len(record.diseases)} physicians; at most {MOST_PHYSICIANS} fit"
    if any(len(ranked) > MOST_DISEASES for ranked in record.diseases):
        yield f"diseases: a physician ranks at most {MOST_DISEASES}"
    for lesion in record.lesions:
        size = lesion.attributes.get("size")
        if size is not None and not MEASURE.fullmatch(size):
            yield f"lesion {lesion.id}, size: {size!r} is not a number with mm or cm"
