"""Measure the accuracy of choices under each ablation: evidence withheld, or shown otherwise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..cases import Case, Response
from ..judged import Judged
from .answered import one_choice
from .answers import choice_mark, mean_score
from .measure import NOT_CONCERNED, UNRESOLVED, Measure, Score, mean_measure, worse


@dataclass(frozen=True)
class Condition:
    """What the models saw of a case: the evidence withheld, and how the rest was presented."""

    withheld: str
    presented_as: str

    @property
    def name(self) -> str:
        """Its name in metrics: "without history", "as text", "without CT as image"."""
        without = f"without {self.withheld}" if self.withheld else ""
        shown = f"as {self.presented_as}" if self.presented_as else ""
        return f"{without} {shown}".strip()

    def holds(self, response: Response) -> bool:
        """Whether a response was given under it."""
        return (response.withheld, response.presented_as) == (self.withheld, self.presented_as)


def ablation_measures(judged: Judged) -> Iterator[Measure]:
    """Yield the accuracy of every model under each condition, and its change by the ablation.

    The change is the accuracy under the condition minus that of the same model on the same cases
    with all evidence; for text, minus that with images. Several samples vote, and several prompts
    are averaged, as for the accuracy itself. A case on which no model has a response under a
    condition does not count; a model without this response is unresolved.
    """
    conditions = _conditions(judged)
    for judge in judged.judges if conditions and "match_option" in judged.tasks else ():
        for model in judged.models:
            for condition in conditions:
                after = _scores(judged, judge, model, condition)
                name = f"ablation: {condition.name}"
                yield mean_measure(name, model, judge, after)
                before = _reference(condition, conditions)
                if before is not None:
                    with_all = _scores(judged, judge, model, before)
                    change = f"ablation change: {condition.name}"
                    yield _change(change, model, judge, after, with_all)


def _conditions(judged: Judged) -> list[Condition]:
    """Every ablation in the responses, sorted by its name."""
    conditions = {
        Condition(response.withheld, response.presented_as)
        for by_case in judged.responses.values()
        for responses in by_case.values()
        for response in responses
    }
    return sorted((one for one in conditions if one.name), key=lambda one: one.name)


def _reference(condition: Condition, conditions: Sequence[Condition]) -> Condition | None:
    """What a condition is compared with; None where there is nothing to compare."""
    image = Condition("", "image")
    if condition.withheld:
        whole = Condition("", condition.presented_as)
        return whole if whole in conditions else Condition("", "")
    if condition.presented_as == "text":
        return image if image in conditions else Condition("", "")
    return None


def _scores(judged: Judged, judge: str, model: str, condition: Condition) -> list[Score]:
    return [_score(judged, judge, model, case, condition) for case in judged.cases]


def _score(judged: Judged, judge: str, model: str, case: Case, condition: Condition) -> Score:
    asked = any(
        condition.holds(response)
        for by_case in judged.responses.values()
        for response in by_case.get(case.id, ())
    )
    if not case.options or not asked:
        return NOT_CONCERNED
    responses = judged.responses[model].get(case.id, ())
    by_prompt: dict[str, list[int]] = {}
    for place, response in enumerate(responses):
        if condition.holds(response):
            by_prompt.setdefault(response.variant, []).append(place)
    items = judged.of("match_option", judge, model, case.id)
    answers = [
        one_choice(tuple(item for item in items if item.response in places))
        for places in by_prompt.values()
    ]
    return mean_score([choice_mark(answer, case) for answer in answers])


def _change(
    metric: str, model: str, judge: str, after: Sequence[Score], before: Sequence[Score]
) -> Measure:
    """Return the mean of after minus before, over the cases that have both scores."""
    pairs = [
        (NOT_CONCERNED, NOT_CONCERNED) if NOT_CONCERNED in pair else pair
        for pair in zip(after, before, strict=True)
    ]
    value = np.array(
        [[np.nan if one.value is None else one.value for one in pair] for pair in pairs]
    )
    known = ~np.isnan(value).any(axis=1)
    unresolved = np.array([any(one.status in UNRESOLVED for one in pair) for pair in pairs])
    return Measure(
        metric,
        model,
        judge,
        np.where(known[:, None], value, 0.0),
        np.repeat(known[:, None].astype(float), 2, axis=1),
        unresolved,
        tuple(worse(first.status, second.status) for first, second in pairs),
        np.where(np.isnan(value), [0.0, 1.0], value),
        np.where(np.isnan(value), [1.0, 0.0], value),
        (1.0, 1.0),
        combine="difference",
        low=-1.0,
    )
