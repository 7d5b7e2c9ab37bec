"""Measure the criteria of cases: the score of every model, and its score on each tag."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...agents.outcome import Abstained, Done
from ...scoring.bootstrap import Floats
from ...scoring.rubric import CriteriaScore, criteria_score
from ..cases import Case
from ..judged import Judged
from ..settings import Settings
from .ended import ended, unresolved
from .measure import UNRESOLVED, Measure, Status

TASK = "judge_criteria"
SCORE = "criteria_score"
PHYSICIANS = "physician_f1"


@dataclass(frozen=True)
class CriterionRow:
    """One criterion of a case, and whether the response of a model meets it.

    met: None without a verdict. reason: the judge's words, or why there is no verdict.
    """

    case: str
    model: str
    judge: str
    number: int
    criterion: str
    points: float
    tags: str
    status: Status
    met: bool | None
    reason: str


def criteria_rows(judged: Judged) -> Iterator[CriterionRow]:
    """Yield every criterion of every case under each judge that judged criteria."""
    for judge in _judges(judged):
        for model in judged.models:
            for case in judged.cases:
                yield from rows_of(judged, judge, model, case)


def _judges(judged: Judged) -> list[str]:
    judges = {judge for task, judge, _, _ in judged.outcomes if task == TASK}
    return [judge for judge in judged.judges if judge in judges]


def rows_of(judged: Judged, judge: str, model: str, case: Case) -> list[CriterionRow]:
    """Return the criteria of a case; each was judged alone, or all of them in one item.

    An empty or broken response meets nothing.
    """
    count = len(case.criteria)
    verdicts: list[tuple[Status, bool | None, str]] = [("failed", None, "no response")] * count
    for item in judged.of(TASK, judge, model, case.id):
        covered = range(count) if len(item.inputs["criteria"]) == count else [item.place]
        outcome = item.outcome
        for at, place in enumerate(covered):
            if isinstance(outcome, Done):
                reasons = outcome.value.reasons or ("",) * count
                verdicts[place] = ("done", outcome.value.met[at], reasons[at])
            elif isinstance(outcome, Abstained):
                verdicts[place] = ("abstained", False, outcome.reason)
            else:
                verdicts[place] = (ended(outcome), None, "; ".join(outcome.reasons))
    return [
        CriterionRow(
            case.id, model, judge, number, one.criterion, one.points, "; ".join(one.tags), *verdict
        )
        for number, (one, verdict) in enumerate(zip(case.criteria, verdicts, strict=True), 1)
    ]


def criteria_measures(judged: Judged, settings: Settings) -> Iterator[Measure]:
    """Yield the score of every model under every judge, over all criteria and over each tag."""
    by_tag = _places(judged.cases)
    for judge in _judges(judged):
        for model in judged.models:
            rows = [rows_of(judged, judge, model, case) for case in judged.cases]
            yield _measure(SCORE, model, judge, rows)
            if any(case.physicians for case in judged.cases):
                yield _agreement(model, judge, judged.cases, rows)
            for tag, places in by_tag.items():
                chosen = [
                    [found[at] for at in places.get(case.id, ())]
                    for case, found in zip(judged.cases, rows, strict=True)
                ]
                yield _measure(metric_of(tag), model, judge, chosen)


def metric_of(tag: str) -> str:
    """Return the name of the metric of a tag.

    >>> metric_of("axis:accuracy"), metric_of("safety")
    ('axis: accuracy', 'tag: safety')
    """
    name, _, value = tag.partition(":")
    return f"{name}: {value}" if value else f"tag: {name}"


def _places(cases: Sequence[Case]) -> dict[str, dict[str, list[int]]]:
    """Return the places of the criteria that have a tag: tag -> case -> places."""
    by_tag: dict[str, dict[str, list[int]]] = {}
    for case in cases:
        for at, one in enumerate(case.criteria):
            for tag in dict.fromkeys(one.tags):
                by_tag.setdefault(tag, {}).setdefault(case.id, []).append(at)
    return dict(sorted(by_tag.items()))


def _measure(
    metric: str, model: str, judge: str, chosen: Sequence[Sequence[CriterionRow]]
) -> Measure:
    """Return the measure: the mean of the cases' scores, clipped to 0..1.

    chosen: the criteria that count, by case. A case without one that has positive points does not
    count.
    """
    scores = [criteria_score([r.points for r in some], [r.met for r in some]) for some in chosen]
    lowest = [criteria_score([r.points for r in some], [None] * len(some)) for some in chosen]
    return Measure(
        metric,
        model,
        judge,
        _column(0.0 if one is None or one.value is None else one.value for one in scores),
        _column(one is not None and one.value is not None for one in scores),
        np.array([one is not None and one.value is None for one in scores], dtype=bool),
        tuple(_status(one, some) for one, some in zip(scores, chosen, strict=True)),
        _column(one.worst if one else 0.0 for one in scores),
        _column(one.best if one else 0.0 for one in scores),
        _column(one is not None for one in scores),
        combine="clipped",
        low=min([one.worst for one in lowest if one], default=0.0),
    )


def _agreement(
    model: str, judge: str, cases: Sequence[Case], rows: Sequence[Sequence[CriterionRow]]
) -> Measure:
    """Return the macro F1 of a judge against every physician, as HealthBench's meta-evaluation.

    F1 of "met" is 2 TP / (2 TP + FP + FN) over all pairs of the judge and a physician, F1 of "not
    met" the same for the others; the number is their mean. There are no bounds, because a verdict
    moves both sides of a ratio.
    """
    above, below = np.zeros((len(cases), 2)), np.zeros((len(cases), 2))
    statuses: list[Status] = []
    for at, (case, found) in enumerate(zip(cases, rows, strict=True)):
        status: Status = found[0].status if len(found) == 1 and case.physicians else "none"
        statuses.append(status)
        if status in ("none", *UNRESOLVED):
            continue
        yes = sum(case.physicians)
        no = len(case.physicians) - yes
        if found[0].met:
            above[at], below[at] = (2 * yes, 0), (2 * yes + no, no)
        else:
            above[at], below[at] = (0, 2 * no), (yes, 2 * no + yes)
    unknown = (math.nan, math.nan)
    loose = np.array([status in UNRESOLVED for status in statuses], dtype=bool)
    return Measure(
        PHYSICIANS, model, judge, above, below, loose, tuple(statuses), unknown, unknown,
        (1.0, 1.0), combine="mean",
    )  # fmt: skip


def _column(values: Iterable[float]) -> Floats:
    return np.array([[float(value)] for value in values])


def _status(score: CriteriaScore | None, rows: Sequence[CriterionRow]) -> Status:
    if score is None:
        return "none"
    statuses = {row.status for row in rows}
    if statuses & set(UNRESOLVED):
        return unresolved(statuses).status
    return "abstained" if statuses == {"abstained"} else "done"
