"""How much a model's answers depend on one type of evidence."""

from collections.abc import Iterator, Sequence

from ...errors import InputError, UsageError
from ...scoring.sensitivity import evidence_sensitivity, nmse_gap, share_below_diagonal
from ..cases import Case, Response
from ..judged import Judged
from .answered import chosen
from .measure import NOT_CONCERNED, Measure, Score, mean_measure


def sensitivity_measures(judged: Judged) -> Iterator[Measure]:
    """Mean evidence sensitivity of every model, by the type of evidence that was withheld."""
    for model in judged.models:
        for kind in withheld_kinds(judged):
            found = sensitivities(judged, model, kind)
            scores = [
                Score(found[case.id], "done") if case.id in found else _unseen(case)
                for case in judged.cases
            ]
            yield mean_measure(f"sensitivity: {kind}", model, "", scores)


def _unseen(case: Case) -> Score:
    return Score(None, "failed") if case.options else NOT_CONCERNED


def withheld_kinds(judged: Judged) -> list[str]:
    """The types of evidence that some response went without."""
    return sorted(
        {
            response.withheld
            for by_case in judged.responses.values()
            for responses in by_case.values()
            for response in responses
            if response.withheld
        }
    )


def sensitivities(judged: Judged, model: str, kind: str) -> dict[str, float]:
    """Evidence sensitivity of each case for one model and one type of evidence.

    From the probabilities of the responses; without them, from how often each option was
    chosen over the samples (by the first judge).

    Raises InputError for probabilities that are no distribution.
    """
    found = {}
    for case in judged.cases:
        with_all = _distribution(judged, model, case, "")
        without = _distribution(judged, model, case, kind)
        if with_all is None or without is None:
            continue
        try:
            found[case.id] = evidence_sensitivity(with_all, without)
        except UsageError as fault:
            raise InputError(f"{model}, case {case.id}: {fault}") from fault
    return found


def _distribution(judged: Judged, model: str, case: Case, kind: str) -> list[float] | None:
    letters = list(case.options)
    responses = judged.responses[model].get(case.id, ())
    wanted = [at for at, response in enumerate(responses) if response.withheld == kind]
    if any(responses[at].fault for at in wanted):
        return None  # a distribution that is none is a failure, not another answer
    given = [r for at in wanted if (r := _probabilities(responses[at], letters)) is not None]
    if given:
        return given[0]
    choices = [
        answer.letters[0]
        for verdict in judged.of("match_option", judged.judges[0], model, case.id)
        if verdict.response in wanted
        and isinstance((answer := chosen(verdict)).letters, tuple)
        and answer.letters
    ]
    if not choices:
        return None
    return [choices.count(letter) / len(choices) for letter in letters]


def _probabilities(response: Response, letters: Sequence[str]) -> list[float] | None:
    held = response.probabilities
    return None if held is None else [held.get(letter, 0.0) for letter in letters]


def cross_modal(judged: Judged, model: str) -> tuple[float, float, int] | None:
    """NMSE gap and share below the diagonal of images against text, and the cases behind them.

    None where the responses do not withhold both "image" and "text" on a common case.
    """
    image, text = (sensitivities(judged, model, kind) for kind in ("image", "text"))
    common = [case for case in image if case in text]
    if not common:
        return None
    pair = [image[case] for case in common], [text[case] for case in common]
    return nmse_gap(*pair), share_below_diagonal(*pair), len(common)
