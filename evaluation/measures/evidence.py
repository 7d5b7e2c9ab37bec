"""Measure how much a model's answers depend on one type of evidence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError, UsageError
from ...scoring.bootstrap import Interval, Plan
from ...scoring.sensitivity import (
    below_diagonal_intervals,
    choice_shares,
    evidence_sensitivity,
    nmse_intervals,
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
    mean, both numbers are sums over the types. nmse_low, nmse_high, below_low, below_high: the
    limits of the intervals; NaN if there is none, and `warning` says why.
    """

    model: str
    evidence: str
    nmse_gap: float
    share_below_diagonal: float
    cases: int
    unpaired: int
    nmse_low: float = math.nan
    nmse_high: float = math.nan
    below_low: float = math.nan
    below_high: float = math.nan
    warning: str = ""


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


def cross_modal(judged: Judged, plan: Plan) -> tuple[ModalGap, ...]:
    """Return the cross-modal gap of every model by type of evidence, then the mean over types.

    Only types that are shown both as an image and as text have a gap.
    """
    kinds = [
        kind for kind in withheld_kinds(judged) if presentations(judged, kind) == PRESENTATIONS
    ]
    return tuple(gap for model in judged.models for gap in _modal_gaps(judged, model, kinds, plan))


def _modal_gaps(judged: Judged, model: str, kinds: Sequence[str], plan: Plan) -> Iterator[ModalGap]:
    sides = {
        kind: [sensitivities(judged, model, kind, shown) for shown in PRESENTATIONS]
        for kind in kinds
    }
    unpaired = {kind: len(image.keys() ^ text.keys()) for kind, (image, text) in sides.items()}
    paired = {
        kind: {case: (image[case], text[case]) for case in image if case in text}
        for kind, (image, text) in sides.items()
    }
    with_pairs = [kind for kind in kinds if paired[kind]]
    gaps, below = _intervals([paired[kind] for kind in with_pairs], plan)
    nan = math.nan
    for kind in kinds:
        if kind in with_pairs:
            at = with_pairs.index(kind)
            yield _gap(model, kind, gaps[at], below[at], len(paired[kind]), unpaired[kind])
        elif unpaired[kind]:
            why = "no case has both presentations"
            yield ModalGap(model, kind, nan, nan, 0, unpaired[kind], warning=why)
    if any(one.estimate == one.estimate for one in gaps):
        cases = sum(map(len, paired.values()))
        yield _gap(model, MEAN, gaps[-1], below[-1], cases, sum(unpaired.values()))


def _intervals(
    paired: Sequence[Mapping[str, tuple[float, float]]], plan: Plan
) -> tuple[tuple[Interval, ...], tuple[Interval, ...]]:
    """Return the intervals of the gaps and of the shares below the diagonal: types, then mean."""
    cases = sorted({case for pairs in paired for case in pairs})  # not in the order of the rows
    if not cases:
        return (), ()
    missing = (math.nan, math.nan)
    image, text = np.array([[pairs.get(case, missing) for pairs in paired] for case in cases]).T
    gaps = nmse_intervals(image.T, text.T, plan=plan)
    known = [at for at, gap in enumerate(gaps[:-1]) if gap.estimate == gap.estimate]
    below = below_diagonal_intervals(image.T, text.T, plan=plan)
    mean = below_diagonal_intervals(image.T[:, known], text.T[:, known], plan=plan) if known else ()
    return gaps, (*below[:-1], *mean[-1:])


def _gap(
    model: str, kind: str, gap: Interval, below: Interval, cases: int, unpaired: int
) -> ModalGap:
    reasons = dict.fromkeys(filter(None, (gap.warning, below.warning)))
    return ModalGap(
        model, kind, gap.estimate, below.estimate, cases, unpaired, gap.low, gap.high, below.low,
        below.high, "; ".join(reasons),
    )  # fmt: skip
