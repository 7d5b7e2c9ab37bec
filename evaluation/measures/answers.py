"""Measure answers to questions: choices and open answers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...scoring.choice import choice_is_right
from ...scoring.shares import Failed as NoVerdict
from ...scoring.shares import mean
from ..cases import Case
from ..judged import Judged
from .answered import Answer, answer_score, by_variant, chosen, one_choice
from .ended import ended, unresolved
from .measure import (
    NOT_CONCERNED,
    Measure,
    Score,
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
            overall = mean_measure("answer_score", model, judge, both)
            yield overall
            yield from _macro_measure(overall, judged.cases)


def _choice(judged: Judged, judge: str, model: str, case: Case) -> Score:
    """Score a choice, 1 right and 0 wrong: majority over samples, then mean over variants."""
    if not case.options:
        return NOT_CONCERNED
    variants = by_variant(judged, "match_option", judge, model, case.id)
    answers = [one_choice(items) for items in variants.values()]
    return mean_score([choice_mark(answer, case) for answer in answers])


def _macro_measure(overall: Measure, cases: Sequence[Case]) -> Iterator[Measure]:
    """Yield the mean over the abilities of an overall score; nothing without abilities."""
    of_case = [case.groups.get("ability", ()) for case in cases]
    abilities = sorted({name for names in of_case for name in names})
    if not abilities:
        return
    has = np.array([[name in names for name in abilities] for names in of_case], dtype=float)
    yield replace(
        overall,
        metric=f"{overall.metric}_macro",
        numerator=overall.numerator * has,
        denominator=overall.denominator * has,
        worst=overall.low * has,
        best=overall.top * has,
        fill=has,
        combine="mean",
    )


def choice_mark(answer: Answer, case: Case) -> Score:
    """Score one choice: 1 right, 0 wrong, no value without a verdict."""
    if isinstance(answer.letters, NoVerdict):
        return Score(None, answer.status)
    return Score(float(choice_is_right(answer.letters, case.letters)), answer.status)


def mean_score(scores: Sequence[Score]) -> Score:
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
    return mean_score(scores)


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
