"""What can be asked about an annotation record: for each ability its subjects and answers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...agents.making.annotation import Annotation
from ...prompts.annotations import Facet, QuestionType, ValueLists
from ...scoring.choice import merge_ranks


@dataclass(frozen=True)
class Subject:
    """Something that a question can ask for.

    facet: what of the record. values: its value list; "" for statements. about: terms that the
    question must name. true: everything that is right, the best first. best: whether the first is
    better than the others, so that a question may ask for it alone.
    """

    facet: Facet
    values: str
    about: tuple[str, ...]
    true: tuple[str, ...]
    best: bool = False

    def types(self, options: int) -> tuple[QuestionType, ...]:
        """Return the types of question that fit, with so many options."""
        fitting: list[QuestionType] = []
        is_ranked = self.facet == "disease"
        if self.best or not is_ranked:
            fitting.append("single")
        if 2 <= len(self.true) < options and self.values:
            fitting.append("multiple")
        if self.best or len(self.true) == 1 or not self.values:
            fitting.append("open")
        return tuple(fitting)


def subjects_of(record: Annotation, facet: Facet) -> list[Subject]:
    """Return the subjects of a facet that the record documents, in the order of the record."""
    found = {
        "region": _regions,
        "lesion": _lesions,
        "attribute": _attributes,
        "relation": _relations,
        "reasoning": _reasoning,
        "disease": _diseases,
        "advice": _advice,
    }
    return list(found[facet](record))


def with_synonyms(terms: Iterable[str], lists: ValueLists) -> tuple[str, ...]:
    """Return terms with their synonyms, each once."""
    return tuple(
        dict.fromkeys(word for term in terms for word in (term, *sorted(lists.same(term))))
    )


def wrong_terms(
    subject: Subject, right: tuple[str, ...], needed: int, lists: ValueLists
) -> tuple[str, ...] | None:
    """Return the terms that wrong options are chosen from; None if the list has too few.

    They are of the groups of the right terms, if these have enough others; else of the whole list.
    """
    values = lists.of(subject.values)
    taken = {word.lower() for word in with_synonyms(subject.true, lists)}
    alike = dict.fromkeys(other for term in right for other in values.alike(term))
    near = [term for term in alike if term.lower() not in taken]
    if len(near) >= needed:
        return tuple(near)
    rest = [term for term in values.terms if term.lower() not in taken]
    return tuple(rest) if len(rest) >= needed else None


def _regions(record: Annotation) -> Iterator[Subject]:
    if record.regions:
        yield Subject("region", "region", (), record.regions)


def _lesions(record: Annotation) -> Iterator[Subject]:
    for region in record.regions:
        names = (lesion.name for lesion in record.lesions if lesion.region == region)
        kinds = tuple(dict.fromkeys(names))
        if kinds:
            yield Subject("lesion", "lesion", (region,), kinds)


def _attributes(record: Annotation) -> Iterator[Subject]:
    """Yield each attribute of each lesion that is the only one of its kind in its region."""
    places = [(lesion.name, lesion.region) for lesion in record.lesions]
    for lesion, place in zip(record.lesions, places, strict=True):
        if places.count(place) == 1:
            for name, value in lesion.attributes.items():
                yield Subject("attribute", name, place, (value,))


def _relations(record: Annotation) -> Iterator[Subject]:
    for one in record.relations:
        first, second = record.lesion(one.first), record.lesion(one.second)
        stated = {
            other.relation
            for other in record.relations
            if (record.lesion(other.first).name, record.lesion(other.second).name)
            == (first.name, second.name)
        }
        if first.name != second.name and len(stated) == 1:
            yield Subject("relation", "relation", (first.name, second.name), (one.relation,))


def _reasoning(record: Annotation) -> Iterator[Subject]:
    if record.reasoning:
        yield Subject("reasoning", "", (), record.reasoning)


def _diseases(record: Annotation) -> Iterator[Subject]:
    """Yield the diseases, merged by summed 1/rank; the first is the best if its sum is greater."""
    ranked = merge_ranks(record.diseases)
    if ranked:
        best = len(ranked) == 1 or ranked[0].weight > ranked[1].weight + 1e-9
        yield Subject("disease", "disease", (), tuple(one.name for one in ranked), best)


def _advice(record: Annotation) -> Iterator[Subject]:
    if record.advice:
        yield Subject("advice", "", (), record.advice)
