"""Measure how well every metric agrees with the people who rated the responses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...scoring.bootstrap import Interval, Plan
from ...scoring.raters.agreement import Coefficient, jury_agreement
from ...scoring.raters.alignment import choice_alignment, rank_alignment
from ..ratings import Choice, Rating, Ratings
from .measure import Measure, Units

MEAN, ALL, AMONG = "(mean)", "(all)", "(among raters)"


@dataclass(frozen=True)
class AlignmentRow:
    """One number of the agreement between a metric and people, or among the people.

    rater: a name; "(mean)" for the mean rating of all of them, "(all)" for all their choices,
    "(among raters)" for their own agreement, where the metric is empty. measure: spearman,
    kendall, forced_choice, or a measure of agreement. n: the number of rated responses, or of
    choices. ties: choices between equal scores. missing: rated responses or choices without a
    score; among raters, missing ratings.
    """

    metric: str
    judge: str
    rater: str
    measure: str
    value: float
    low: float
    high: float
    n: int
    ties: int
    missing: int
    warning: str


def alignment_of(
    measures: Sequence[Measure], units: Units, ratings: Ratings, plan: Plan
) -> list[AlignmentRow]:
    """Return the agreement among the raters, then of every metric with them; cases are resampled.

    A metric whose lower numbers are better is turned round, so that agreement is positive.
    """
    rows = [*_among(ratings, plan)]
    tables: dict[tuple[str, str], list[Measure]] = {}
    for measure in measures:
        if not measure.slice:
            tables.setdefault((measure.metric, measure.judge), []).append(measure)
    for (metric, judge), alike in tables.items():
        scores = _scores(alike, units)
        for rater, given in _by_rater(ratings.ratings):
            rows += _ranks(metric, judge, rater, given, scores, plan)
        for rater, choices in _choices_by_rater(ratings.choices):
            rows.append(_choices(metric, judge, rater, choices, scores, plan))
    return rows


def _scores(measures: Sequence[Measure], units: Units) -> dict[tuple[str, str], float]:
    """The score of each response, by case and model; higher is better."""
    scores = {}
    for measure in measures:
        sign = 1.0 if measure.higher_is_better else -1.0
        for case, value in zip(units.ids, measure.values().tolist(), strict=True):
            scores[case, measure.model] = sign * value
    return scores


def _by_rater(ratings: Sequence[Rating]) -> Iterator[tuple[str, dict[tuple[str, str], float]]]:
    """The mean rating of every response, then the ratings of each rater, where several rated."""
    by_response: dict[tuple[str, str], list[float]] = {}
    for one in ratings:
        by_response.setdefault((one.case, one.model), []).append(one.rating)
    if not by_response:
        return
    yield MEAN, {key: fmean(values) for key, values in by_response.items()}
    raters = sorted({one.rater for one in ratings})
    for rater in raters if len(raters) > 1 else ():
        yield rater, {(one.case, one.model): one.rating for one in ratings if one.rater == rater}


def _choices_by_rater(choices: Sequence[Choice]) -> Iterator[tuple[str, list[Choice]]]:
    decided = [one for one in choices if one.first_chosen is not None]
    if not decided:
        return
    yield ALL, decided
    raters = sorted({one.rater for one in decided})
    for rater in raters if len(raters) > 1 else ():
        yield rater, [one for one in decided if one.rater == rater]


def _ranks(
    metric: str,
    judge: str,
    rater: str,
    given: dict[tuple[str, str], float],
    scores: dict[tuple[str, str], float],
    plan: Plan,
) -> Iterator[AlignmentRow]:
    responses = sorted(given)  # so that the order of rows does not matter
    aligned = rank_alignment(
        [scores.get(key) for key in responses],
        [given[key] for key in responses],
        clusters=[case for case, _ in responses],
        plan=plan,
    )
    for measure, interval in (("spearman", aligned.spearman), ("kendall", aligned.kendall)):
        yield _row(metric, judge, rater, measure, interval, aligned.n, 0, aligned.missing)


def _choices(
    metric: str,
    judge: str,
    rater: str,
    choices: Sequence[Choice],
    scores: dict[tuple[str, str], float],
    plan: Plan,
) -> AlignmentRow:
    ordered = sorted(choices, key=lambda one: (one.case, one.rater, one.first, one.second))
    aligned = choice_alignment(
        [scores.get((one.case, one.first)) for one in ordered],
        [scores.get((one.case, one.second)) for one in ordered],
        [bool(one.first_chosen) for one in ordered],
        clusters=[one.case for one in ordered],
        plan=plan,
    )
    return _row(metric, judge, rater, "forced_choice", aligned.share, aligned.n, aligned.ties,
                aligned.missing)  # fmt: skip


def _row(
    metric: str,
    judge: str,
    rater: str,
    measure: str,
    interval: Interval,
    n: int,
    ties: int,
    missing: int,
) -> AlignmentRow:
    return AlignmentRow(
        metric, judge, rater, measure, interval.estimate, interval.low, interval.high, n, ties,
        missing, interval.warning or "",
    )  # fmt: skip


def _among(ratings: Ratings, plan: Plan) -> Iterator[AlignmentRow]:
    """The agreement among the raters: on ratings (ordinal), and on choices (nominal)."""
    rated = {(one.case, one.model, one.rater): one.rating for one in ratings.ratings}
    # a choice between b and a is the opposite choice between a and b
    chosen = {
        (one.case, "\t".join(sorted((one.first, one.second))), one.rater): (
            "tie" if one.first_chosen is None else min(one.first, one.second)
            if one.first_chosen == (one.first < one.second) else max(one.first, one.second)
        )
        for one in ratings.choices
    }  # fmt: skip
    for kind, table in (("ratings", rated), ("choices", chosen)):
        raters = sorted({rater for *_, rater in table})
        if len(raters) < 2:
            continue
        units = sorted({(case, what) for case, what, _ in table})
        verdicts = [[table.get((*unit, rater)) for rater in raters] for unit in units]
        labels = [case for case, _ in units]
        scale = "ordinal" if kind == "ratings" else "nominal"
        for one in jury_agreement(verdicts, scale=scale, clusters=labels, plan=plan):  # type: ignore[arg-type]
            yield _agreement(f"{kind}: {one.name}", one)


def _agreement(name: str, one: Coefficient) -> AlignmentRow:
    nan = float("nan")
    low, high = (one.interval.low, one.interval.high) if one.interval else (nan, nan)
    value = nan if one.value is None else one.value
    return AlignmentRow(
        "", "", AMONG, name, value, low, high, one.n, 0, one.missing, one.warning or ""
    )
