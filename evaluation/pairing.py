"""Which two models are compared on a case, and what the judge sees of their responses."""

import random
from collections.abc import Iterable, Mapping
from itertools import combinations

from ..errors import UsageError
from .asking import right_answer
from .cases import Case, Response
from .judged import Responses, first_response
from .settings import Settings
from .task import Ask, Inputs

TASK = "choose_better"
Pair = tuple[str, str]


def check_models(settings: Settings, responses: Mapping[str, Responses]) -> None:
    """Raise UsageError if models are to be compared, and there is only one."""
    if TASK in settings.tasks and len(responses) < 2:
        raise UsageError(f"{TASK} compares models: give the responses of at least two")


def drawn_pairs(case: Case, models: Iterable[str], settings: Settings) -> list[Pair]:
    """Return the pairs of models that are compared on a case, each in the order of the names.

    With `settings.pairs` these are so many pairs, drawn with the seed and the id of the case;
    otherwise all pairs. The order of the files of responses does not matter.
    """
    pairs = list(combinations(sorted(models), 2))
    if settings.pairs is None or settings.pairs >= len(pairs):
        return pairs
    drawn = random.Random(f"{settings.seed} pairs {case.id}").sample(pairs, settings.pairs)
    return sorted(drawn)


def opponents(
    model: str, case: Case, responses: Mapping[str, Responses], settings: Settings
) -> tuple[str, ...]:
    """Return the second models of the pairs in which a model is the first, if both have a text.

    The items of the task are in this order: two for each opponent, one for each order.
    """
    return tuple(
        second
        for first, second in drawn_pairs(case, responses, settings)
        if first == model
        and None not in (_text(responses, first, case), _text(responses, second, case))
    )


def compared_responses(ask: Ask) -> Inputs:
    """The case with the responses of two models, in both orders, for each opponent."""
    responses, case = ask.material.responses, ask.case
    shown = shown_case(case)
    if not shown:
        return []
    return [
        {
            "case": shown,
            "response_a": _text(responses, ask.model, case),
            "response_b": _text(responses, second, case),
            "reference": reference_of(case),
            "swapped": swapped,
        }
        for second in opponents(ask.model, case, responses, ask.settings)
        for swapped in (False, True)
    ]


def shown_case(case: Case) -> str:
    """The text of a case with its question and options; "" where it has neither."""
    options = "".join(f"\n{letter}. {text}" for letter, text in case.options.items())
    return "\n\n".join(filter(None, (case.case, f"{case.question}{options}".strip())))


def reference_of(case: Case) -> str:
    """The reference of a case, or else its right answer, or its diagnosis; "" without any."""
    if case.reference or case.answer:
        return case.reference or right_answer(case)
    return case.diagnosis.text if case.diagnosis else ""


def _text(responses: Mapping[str, Responses], model: str, case: Case) -> str | None:
    response: Response | None = first_response(responses[model].get(case.id, ()))
    if response is None:
        return None
    return response.text if response.text is not None else response.answer
