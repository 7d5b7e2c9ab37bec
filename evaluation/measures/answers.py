"""Measure answers to questions: choices, open answers, pairs of items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from ...errors import InputError
from ...scoring.choice import choice_is_right
from ...scoring.paired import Spread, pair_outcome, variant_spread
from ...scoring.shares import Failed as NoVerdict
from ...scoring.shares import mean
from ..cases import Case
from ..judged import Judged
from .answered import Answer, answer_score, by_variant, chosen, one_choice
from .ended import ended, unresolved
from .measure import (
    NOT_CONCERNED,
    UNRESOLVED,
    Measure,
    Score,
    Status,
    Units,
    case_units,
    mean_measure,
    worse,
)

_TASKS = {"match_option": "choice_score", "score_open_answer": "open_score"}


def answer_measures(judged: Judged, *, multiple: bool) -> Iterator[Measure]:
    """Yield the measures of choices and open answers.

    multiple: several options can be right, so that a choice has a score. If False, a choice is
    right or wrong.
    """
    asked = [task for task in _TASKS if task in judged.tasks]
    for judge in judged.judges if asked else ():
        for model in judged.models:
            if not multiple and "match_option" in asked:
                right = [_choice(judged, judge, model, case) for case in judged.cases]
                yield mean_measure("choice_accuracy", model, judge, right)
            by_task = {
                task: [_score(judged, task, judge, model, case) for case in judged.cases]
                for task in asked
            }
            for task, scores in by_task.items():
                if multiple or task != "match_option":
                    yield mean_measure(_TASKS[task], model, judge, scores)
            if not multiple:
                continue
            both = [
                next((score for score in scores if score.status != "none"), NOT_CONCERNED)
                for scores in zip(*by_task.values(), strict=True)
            ]
            yield mean_measure("answer_score", model, judge, both)


def _choice(judged: Judged, judge: str, model: str, case: Case) -> Score:
    """Score a choice, 1 right and 0 wrong: majority over samples, then mean over variants."""
    if not case.options:
        return NOT_CONCERNED
    variants = by_variant(judged, "match_option", judge, model, case.id)
    answers = [one_choice(items) for items in variants.values()]
    return _mean([_right(answer, case) for answer in answers])


def _right(answer: Answer, case: Case) -> Score:
    if isinstance(answer.letters, NoVerdict):
        return Score(None, answer.status)
    return Score(float(choice_is_right(answer.letters, case.letters)), answer.status)


def _mean(scores: Sequence[Score]) -> Score:
    """Return the mean over variants; unresolved if a variant is, or without an answer."""
    values = [score.value for score in scores if score.value is not None]
    if not scores or len(values) < len(scores):
        return unresolved(score.status for score in scores)
    odd = [score.status for score in scores if score.status != "done"]
    return Score(mean(values).value, odd[0] if odd else "done")


def _score(judged: Judged, task: str, judge: str, model: str, case: Case) -> Score:
    if bool(case.options) != (task == "match_option") or not case.answer:
        return NOT_CONCERNED
    scores = []
    for items in by_variant(judged, task, judge, model, case.id).values():
        for item in items:
            value = answer_score(item, case)
            status = chosen(item).status if task == "match_option" else ended(item.outcome)
            scores.append(Score(value, status))
    return _mean(scores)


def gap_measures(measures: Sequence[Measure]) -> Iterator[Measure]:
    """Yield DDx coverage minus accuracy of the choice, if a model has both under one judge."""
    measure_of = {(one.metric, one.model, one.judge): one for one in measures}
    for (metric, model, judge), coverage in measure_of.items():
        accuracy = measure_of.get(("choice_accuracy", model, judge))
        if metric != "ddx_coverage" or accuracy is None:
            continue
        parts = (coverage, accuracy)
        resolved = [np.where(part.open, 1.0, 0.0) for part in parts]
        numerator = np.hstack([part.numerator for part in parts])
        below = np.hstack([part.denominator for part in parts])
        # Each column is resolved or not on its own, so that the known part of a case still counts.
        gaps = np.column_stack(resolved) > 0
        yield Measure(
            "ddx_fdx_gap",
            model,
            judge,
            numerator,
            below,
            np.asarray(gaps.any(axis=1), dtype=bool),
            tuple(map(worse, coverage.status, accuracy.status)),
            np.where(gaps, [0.0, 1.0], numerator),
            np.where(gaps, [1.0, 0.0], numerator),
            np.where(gaps, 1.0, below),
            combine="difference",
            higher_is_better=False,
        )


def pair_units(cases: Sequence[Case]) -> tuple[Units, tuple[tuple[Case, Case], ...]]:
    """Return the items as units, resampled pair by pair, and the pairs.

    Every item counts in its own groups. As in the authors' code, the result of a pair counts in
    the categories of both images.

    Raises InputError for a case without a pair, a pair that does not have two items, or a pair
    whose items have the same answer.
    """
    by_pair: dict[str, list[Case]] = {}
    for case in cases:
        if not case.pair:
            raise InputError(f"case {case.id!r} has no pair: give every case the name of its pair")
        by_pair.setdefault(case.pair, []).append(case)
    for name, items in by_pair.items():
        if len(items) != 2:
            raise InputError(f"pair {name!r} has {len(items)} items, not two")
        if items[0].letters == items[1].letters:
            raise InputError(f"pair {name!r}: both items have the answer {items[0].answer!r}")
    clusters = tuple(str(case.pair) for case in cases)
    units = replace(case_units(cases), clusters=clusters)
    return units, tuple((items[0], items[1]) for items in by_pair.values())


def pair_measures(judged: Judged, pairs: Sequence[tuple[Case, Case]]) -> Iterator[Measure]:
    """Yield set accuracy, individual accuracy and confusion of every model, means over variants.

    Each item is one row. Both items of a pair have the set accuracy and confusion of the pair.
    """
    for judge in judged.judges:
        for model in judged.models:
            rows = [
                _pair_rows(judged, judge, model, pairs, variant)
                for variant in _variants(judged, model)
            ]
            wrong = [sum(own[case.id].invalid for own in rows) for case in judged.cases]
            for metric in ("set_accuracy", "individual_accuracy", "confusion"):
                cells = [[own[case.id].cells[metric] for own in rows] for case in judged.cases]
                yield _pair_measure(metric, model, judge, cells, wrong)


def _pair_measure(
    metric: str, model: str, judge: str, cells: Sequence[Sequence[Score]], invalid: Sequence[int]
) -> Measure:
    """Return the measure of the items; `cells` has one row per item and one column per variant."""
    known = np.array([[c.value is not None for c in row] for row in cells]).mean(axis=1)
    open_ = np.array([[c.status in UNRESOLVED for c in row] for row in cells]).mean(axis=1)
    right = np.array([[c.value or 0.0 for c in row] for row in cells]).mean(axis=1)
    higher = metric != "confusion"
    ends = (right, right + open_) if higher else (right + open_, right)
    return Measure(
        metric,
        model,
        judge,
        right[:, None],
        known[:, None],
        open_ > 0,
        tuple(_worst_status([cell.status for cell in row]) for row in cells),
        ends[0][:, None],
        ends[1][:, None],
        (known + open_)[:, None],
        invalid=np.array(invalid, dtype=int),
        by_cluster=metric != "individual_accuracy",
        higher_is_better=higher,
    )


def _worst_status(statuses: Sequence[Status]) -> Status:
    return reduce(worse, statuses)


def _variants(judged: Judged, model: str) -> list[str]:
    wordings = {
        response.wording
        for responses in judged.responses[model].values()
        for response in responses
        if not response.withheld
    }
    return sorted(wordings) or [""]


@dataclass(frozen=True)
class _Item:
    """One item's scores by metric. `invalid`: its answer matches no option."""

    cells: Mapping[str, Score]
    invalid: bool


def _pair_rows(
    judged: Judged, judge: str, model: str, pairs: Sequence[tuple[Case, Case]], variant: str
) -> dict[str, _Item]:
    """Return the scores of every item under one wording of the prompt, by case."""
    rows = {}
    for pair in pairs:
        answers = [_pair_answer(judged, judge, model, case, variant) for case in pair]
        first, second = (
            (",".join(sorted(case.letters)), _choice_of(answer))
            for case, answer in zip(pair, answers, strict=True)
        )
        outcome = pair_outcome(first, second)
        open_pair = unresolved(answer.status for answer in answers)
        for case, answer in zip(pair, answers, strict=True):
            status: Status = "done" if answer.status in UNRESOLVED else answer.status
            confused = _cell(outcome.same, "done", open_pair)
            cells = {
                "set_accuracy": _cell(outcome.both, status, open_pair),
                "individual_accuracy": _right(answer, case),
                "confusion": confused if outcome.counts else NOT_CONCERNED,
            }
            rows[case.id] = _Item(cells, answer.status == "invalid")
    return rows


def _choice_of(answer: Answer) -> str | None | NoVerdict:
    letters = answer.letters
    return ",".join(sorted(letters)) if isinstance(letters, tuple) else letters


def _cell(mark: bool | None, status: Status, unknown: Score) -> Score:
    return unknown if mark is None else Score(float(mark), status)


def _pair_answer(judged: Judged, judge: str, model: str, case: Case, variant: str) -> Answer:
    verdicts_by_variant = by_variant(judged, "score_free_answer", judge, model, case.id)
    return one_choice(verdicts_by_variant.get(variant, ()))


def variant_spreads(
    judged: Judged, pairs: Sequence[tuple[Case, Case]]
) -> dict[tuple[str, str], Spread]:
    """Return the spread of set accuracy over several prompt variants, by model and judge."""
    spreads = {}
    for judge in judged.judges:
        for model in judged.models:
            variants = _variants(judged, model)
            accuracies = []
            for variant in variants:
                rows = _pair_rows(judged, judge, model, pairs, variant)
                marks = [one.cells["set_accuracy"].value for one in rows.values()]
                accuracy = mean(marks)
                if accuracy.value == accuracy.value:
                    accuracies.append(accuracy.value)
            if len(variants) > 1 and accuracies:
                spreads[model, judge] = variant_spread(accuracies)
    return spreads
