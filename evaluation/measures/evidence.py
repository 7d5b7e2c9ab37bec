"""Measure how much a model's answers depend on one type of evidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...errors import InputError, UsageError
from ...scoring.sensitivity import (
    choice_shares,
    evidence_sensitivity,
    mean_over_types,
    nmse_gap,
    share_below_diagonal,
)
from ..cases import Case, Response
from ..judged import Judged
from .answered import chosen
from .measure import NOT_CONCERNED, Measure, Score, mean_measure

PRESENTATIONS = ("image", "text")


@dataclass(frozen=True)
class ModalGap:
    """How differently a model uses one type of evidence shown as an image and as text (MEDSYN).

    evidence: the type, or "(mean)" for the mean over the types. cases: the number of cases with
    both sensitivities. unpaired: the number of cases with only one, which cannot count. For the
    mean, both numbers are sums over the types.
    """

    model: str
    evidence: str
    nmse_gap: float
    share_below_diagonal: float
    cases: int
    unpaired: int


MEAN = "(mean)"


def sensitivity_measures(judged: Judged) -> Iterator[Measure]:
    """Yield the mean evidence sensitivity of every model, by type of withheld evidence.

    Evidence that is shown both as an image and as text has one measure for each.
    """
    for model in judged.models:
        for kind in withheld_kinds(judged):
            for shown in presentations(judged, kind):
                by_case = sensitivities(judged, model, kind, shown)
                scores = [
                    Score(by_case[case.id], "done") if case.id in by_case else _unseen(case)
                    for case in judged.cases
                ]
                yield mean_measure(sensitivity_name(kind, shown), model, "", scores)


def sensitivity_name(kind: str, shown: str) -> str:
    """Return the metric's name for a type of evidence and a presentation ("" for none)."""
    return f"sensitivity: {kind} as {shown}" if shown else f"sensitivity: {kind}"


def presentations(judged: Judged, kind: str) -> tuple[str, ...]:
    """Return the presentations of a type of evidence; ("",) if no response names one."""
    shown = {
        response.presented_as
        for by_case in judged.responses.values()
        for responses in by_case.values()
        for response in responses
        if response.withheld == kind
    }
    return tuple(way for way in PRESENTATIONS if way in shown) or ("",)


def _unseen(case: Case) -> Score:
    return Score(None, "failed") if case.options else NOT_CONCERNED


def withheld_kinds(judged: Judged) -> list[str]:
    """Return the types of evidence that were withheld in some response."""
    return sorted(
        {
            response.withheld
            for by_case in judged.responses.values()
            for responses in by_case.values()
            for response in responses
            if response.withheld
        }
    )


def sensitivities(judged: Judged, model: str, kind: str, shown: str = "") -> dict[str, float]:
    """Return the evidence sensitivity of each case for one model and one type of evidence.

    It uses the probabilities of the responses. Without them it uses how often each option was
    chosen over the samples, as read by the first judge.

    shown: use only responses with this presentation of the evidence. A response with all evidence
    and no presentation serves for every presentation.

    Raises InputError for probabilities that do not form a distribution.
    """
    by_case = {}
    for case in judged.cases:
        with_all = _distribution(judged, model, case, "", shown)
        if with_all is None and shown:
            with_all = _distribution(judged, model, case, "", "")
        without = _distribution(judged, model, case, kind, shown)
        if with_all is None or without is None:
            continue
        try:
            by_case[case.id] = evidence_sensitivity(with_all, without)
        except UsageError as fault:
            raise InputError(f"{model}, case {case.id}: {fault}") from fault
    return by_case


def _distribution(
    judged: Judged, model: str, case: Case, kind: str, shown: str
) -> list[float] | None:
    letters = list(case.options)
    responses = judged.responses[model].get(case.id, ())
    wanted = [
        at
        for at, response in enumerate(responses)
        if response.withheld == kind and response.presented_as == shown
    ]
    if any(responses[at].fault for at in wanted):
        return None  # a faulty distribution is a failure; the samples must not replace it
    distributions = [
        r for at in wanted if (r := _probabilities(responses[at], letters)) is not None
    ]
    if distributions:
        return distributions[0]
    choices = [
        answer.letters[0]
        for verdict in judged.of("match_option", judged.judges[0], model, case.id)
        if verdict.response in wanted
        and isinstance((answer := chosen(verdict)).letters, tuple)
        and answer.letters
    ]
    if not choices:
        return None
    return choice_shares(choices, letters)


def _probabilities(response: Response, letters: Sequence[str]) -> list[float] | None:
    probabilities = response.probabilities
    return None if probabilities is None else [probabilities.get(letter, 0.0) for letter in letters]


def cross_modal(judged: Judged) -> tuple[ModalGap, ...]:
    """Return the cross-modal gap of every model by type of evidence, then the mean over types.

    Only types that are shown both as an image and as text have a gap.
    """
    rows: list[ModalGap] = []
    for model in judged.models:
        own = [
            row
            for kind in withheld_kinds(judged)
            if presentations(judged, kind) == PRESENTATIONS
            and (row := _modal_gap(judged, model, kind)) is not None
        ]
        rows += own
        gaps = [row for row in own if row.nmse_gap == row.nmse_gap]
        if gaps:
            rows.append(
                ModalGap(
                    model,
                    MEAN,
                    mean_over_types([row.nmse_gap for row in gaps]),
                    mean_over_types([row.share_below_diagonal for row in gaps]),
                    sum(row.cases for row in own),
                    sum(row.unpaired for row in own),
                )
            )
    return tuple(rows)


def _modal_gap(judged: Judged, model: str, kind: str) -> ModalGap | None:
    image, text = (sensitivities(judged, model, kind, shown) for shown in PRESENTATIONS)
    common = sorted(case for case in image if case in text)  # sums do not depend on the rows
    unpaired = len(image.keys() ^ text.keys())
    if not common:
        nan = float("nan")
        return ModalGap(model, kind, nan, nan, 0, unpaired) if unpaired else None
    pair = [image[case] for case in common], [text[case] for case in common]
    gap, below = nmse_gap(*pair), share_below_diagonal(*pair)
    return ModalGap(model, kind, gap, below, len(common), unpaired)
