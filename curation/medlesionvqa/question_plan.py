"""Plan a set: how many questions each ability gets, and which subjects they are about."""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...agents.making.annotation import Annotation
from ...prompts.annotations import QuestionType
from ..item import Item
from .ability_settings import AbilitySettings
from .subjects import Subject, subjects_of, with_synonyms, wrong_terms


@dataclass(frozen=True)
class Planned:
    """A question that is to be written: its name, its ability and the inputs of the step."""

    id: str
    ability: str
    type: QuestionType
    kind: str
    record: Annotation
    about: tuple[str, ...]
    right: tuple[str, ...]
    true: tuple[str, ...]
    candidates: tuple[str, ...]

    def state(self) -> dict[str, Any]:
        """Return the question as the state that the graph begins with."""
        return {
            "id": self.id,
            "ability": self.ability,
            "type": self.type,
            "kind": self.kind,
            "record": self.record.id,
            "patient": self.record.patient,
            "images": list(self.record.images),
            "case": self.record.sheet(),
            "about": list(self.about),
            "right": list(self.right),
            "true": list(self.true),
            "candidates": list(self.candidates),
        }


Pools = Mapping[str, Sequence[Planned]]
"""The questions that can be asked, by ability, in the order in which they are taken."""


def pools_of(records: Sequence[Annotation], settings: AbilitySettings) -> Pools:
    """Return every question that the records allow, in an order drawn with the seed.

    Each subject has one question, whose type is drawn among those that fit.
    """
    pools: dict[str, list[Planned]] = {}
    for ability in settings.rules.abilities:
        pool = pools[ability.name] = []
        for record in records:
            for number, subject in enumerate(subjects_of(record, ability.facet), 1):
                name = f"{record.id}/{ability.name}/{number}"
                draw = random.Random(f"{settings.seed}/{name}")
                types = [
                    kind for kind in subject.types(settings.rules.options) if kind in ability.types
                ]
                planned = [
                    one
                    for kind in types
                    if (one := _planned(name, ability.name, kind, record, subject, draw, settings))
                ]
                if planned:
                    pool.append(draw.choice(planned))
        random.Random(f"{settings.seed}/{ability.name}").shuffle(pool)
    return pools


def wanted_counts(pools: Pools, settings: AbilitySettings) -> dict[str, int]:
    """Return the number of questions of each ability: the shares of the wanted total.

    Without a total, it is the largest one for which every pool has enough questions.
    """
    shares = {ability.name: ability.share for ability in settings.rules.abilities}
    total = settings.questions
    if total is None:
        total = min(
            (math.floor(len(pools[name]) / share + 1e-9) for name, share in shares.items() if share)
        )
        while any(count > len(pools[name]) for name, count in apportion(total, shares).items()):
            total -= 1
    return apportion(total, shares)


def apportion(total: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Divide a total by shares that sum to 1; the largest remainders get what is left.

    >>> apportion(10, {"a": 0.55, "b": 0.25, "c": 0.2})
    {'a': 6, 'b': 2, 'c': 2}
    """
    exact = {name: total * share for name, share in shares.items()}
    counts = {name: math.floor(value + 1e-9) for name, value in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (counts[name] - exact[name], -shares[name]))
    for name in by_remainder[: total - sum(counts.values())]:
        counts[name] += 1
    return counts


def next_batch(pools: Pools, wanted: Mapping[str, int], items: Sequence[Item]) -> list[Planned]:
    """Return the questions to write next: in place of rejected ones, others are taken.

    A failed question is not replaced, because the same command can still write it.
    """
    tried = {item.id for item in items}
    kept = Counter(
        item.data["ability"]
        for item in items
        if item.ending.status != "rejected" and "ability" in item.data
    )
    batch: list[Planned] = []
    for ability, pool in pools.items():
        rest = [planned for planned in pool if planned.id not in tried]
        batch += rest[: max(wanted[ability] - kept[ability], 0)]
    return batch


def _planned(
    name: str,
    ability: str,
    kind: QuestionType,
    record: Annotation,
    subject: Subject,
    draw: random.Random,
    settings: AbilitySettings,
) -> Planned | None:
    """Return the question of this type; None if its list has too few wrong terms."""
    lists = settings.lists
    right = _right(subject, kind, draw)
    candidates = _candidates(subject, kind, right, settings)
    if candidates is None:
        return None
    return Planned(
        id=name,
        ability=ability,
        type=kind,
        kind=lists.of(subject.values).kind if subject.values else "other",
        record=record,
        about=_named(subject),
        right=right,
        true=with_synonyms(subject.true, lists) if subject.values else subject.true,
        candidates=candidates,
    )


def _candidates(
    subject: Subject, kind: QuestionType, right: tuple[str, ...], settings: AbilitySettings
) -> tuple[str, ...] | None:
    """Return what wrong options are chosen from; nothing if they are written or not wanted."""
    if kind == "open" or not subject.values or not settings.lists.of(subject.values).groups:
        return ()
    return wrong_terms(subject, right, settings.rules.options - len(right), settings.lists)


def _named(subject: Subject) -> tuple[str, ...]:
    """Return what the question must name: the subject, and the attribute it asks for."""
    if subject.facet == "attribute":
        return (*subject.about, subject.values)
    return subject.about


def _right(subject: Subject, kind: QuestionType, draw: random.Random) -> tuple[str, ...]:
    if kind == "multiple":
        return subject.true
    if subject.facet == "disease":
        return subject.true[:1]
    if kind == "single":
        return (draw.choice(subject.true),)
    return ("; ".join(subject.true),)
