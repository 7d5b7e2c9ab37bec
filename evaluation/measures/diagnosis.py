"""Measure diagnoses: accuracy, top-k, grades, rubric, errors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...agents.outcome import Abstained, Done, Failed, Outcome
from ...prompts.load_data import load_rubric, load_taxonomy
from ...scoring.flat import top_k_accuracy
from ...scoring.medsyn import covers
from ..cases import Case
from ..judged import MISSING, Diagnoses, Judged
from ..settings import Settings
from .ended import ended, unresolved
from .measure import NOT_CONCERNED, UNRESOLVED, Measure, Score, mean_measure

Scorer = Callable[[Case], Score]


@dataclass(frozen=True)
class View:
    """One model under one judge."""

    judged: Judged
    settings: Settings
    judge: str
    model: str

    def final(self, case: Case) -> Diagnoses:
        """Return the final diagnosis of the model's response to a case."""
        return self.judged.finals.get((self.model, case.id), MISSING)

    def ddx(self, case: Case) -> Diagnoses:
        """Return the differential of the model's response to a case."""
        return self.judged.ddx.get((self.model, case.id), MISSING)

    def outcome(self, task: str, case: Case) -> Outcome | None:
        """Return the outcome of the judge's only item of a task on a case."""
        return self.judged.outcome(task, self.judge, self.model, case.id)

    def measure(self, metric: str, scorer: Scorer, **options: Any) -> Measure:
        """Return a metric whose number is the mean of the cases' scores; see `mean_measure`."""
        scores = [scorer(case) for case in self.judged.cases]
        return mean_measure(metric, self.model, self.judge, scores, **options)

    def has_response(self, case: Case) -> bool:
        """Return whether the model has a text for a case."""
        response = self.judged.first_response(self.model, case.id)
        return response is not None and response.text is not None

    def judged_on(
        self, task: str, extracted: Diagnoses, case: Case, read: Any, nothing: float
    ) -> Score:
        """Return the score of a verdict on an extraction; `nothing` if the extraction abstained."""
        if case.diagnosis is None:
            return NOT_CONCERNED
        if extracted.status == "failed":
            return Score(None, "failed")
        if extracted.status == "abstained":
            return Score(nothing, "abstained")
        return read_outcome(self.outcome(task, case), read, nothing)


def under_each_judge(
    task: str, measure: Callable[[View], Iterator[Measure]]
) -> Callable[[Judged, Settings], Iterator[Measure]]:
    """Return a function that measures every model under every judge with a verdict on a task."""

    def measures(judged: Judged, settings: Settings) -> Iterator[Measure]:
        judges = {judge for name, judge, _, _ in judged.outcomes if name == task}
        for judge in judged.judges:
            for model in judged.models if judge in judges else ():
                yield from measure(View(judged, settings, judge, model))

    return measures


def read_outcome(outcome: Outcome | None, read: Callable[[Any], float], nothing: float) -> Score:
    """Return the score of an outcome; an abstention scores `nothing`, no verdict has no score."""
    if outcome is None or isinstance(outcome, Failed):
        return Score(None, ended(outcome))
    if isinstance(outcome, Abstained):
        return Score(nothing, "abstained")
    return Score(float(read(outcome.value)), "done")


def final_accuracy(view: View) -> Iterator[Measure]:
    """Yield the share of cases whose final diagnosis is the true one."""

    def scorer(case: Case) -> Score:
        diagnosis = view.final(case)
        return view.judged_on("judge_equivalence", diagnosis, case, lambda v: v.equivalent, 0.0)

    yield view.measure("final_accuracy", scorer)


def top_accuracies(view: View) -> Iterator[Measure]:
    """Yield, for every k, the share of cases with the true diagnosis among the first k."""
    for k in view.settings.top:
        yield view.measure(f"top_{k}", lambda case, k=k: _any_yes(view, case, k))  # type: ignore[misc]


def _any_yes(view: View, case: Case, k: int) -> Score:
    """Score 1 with a "yes" among the first k and 0 with only "no"; otherwise unresolved."""
    if case.diagnosis is None:
        return NOT_CONCERNED
    differential = view.ddx(case)
    if differential.status != "done":
        return Score(0.0 if differential.status == "abstained" else None, differential.status)
    items = view.judged.of("judge_equivalence_ddx", view.judge, view.model, case.id)
    marks = [_mark(item.outcome) for item in items if item.place < k]
    right = top_k_accuracy([marks], k).value if marks else float("nan")
    if right != right:
        return unresolved(ended(item.outcome) for item in items if item.place < k)
    return Score(right, "done")


def _mark(outcome: Outcome) -> bool | None:
    """Return whether a verdict is a "yes"; None without a verdict."""
    if isinstance(outcome, Failed):
        return None
    return isinstance(outcome, Done) and bool(outcome.value.equivalent)


def ddx_grades(view: View) -> Iterator[Measure]:
    """Yield the coverage of the true diagnosis by the differential, and its mean grade."""

    def graded(read: Callable[[Any], float]) -> Scorer:
        return lambda case: view.judged_on("grade_ddx", view.ddx(case), case, read, 0.0)

    yield view.measure("ddx_coverage", graded(lambda grade: covers(grade.score)))
    yield view.measure("ddx_grade", graded(lambda grade: grade.score), top=5.0)


def final_grades(view: View) -> Iterator[Measure]:
    """Yield the mean grade of the final diagnosis, if the model gives a final diagnosis at all.

    In MEDSYN a model may be asked for the choice alone.
    """
    if all(view.final(case) == MISSING for case in view.judged.cases):
        return

    def scorer(case: Case) -> Score:
        diagnosis = view.final(case)
        return view.judged_on("grade_final_diagnosis", diagnosis, case, lambda v: v.score, 1.0)

    yield view.measure("final_grade", scorer, low=1.0, top=5.0)


def rubric_points(view: View) -> Iterator[Measure]:
    """Yield the mean points in total and on every dimension of the rubric."""
    rubric = load_rubric(view.settings.rubric)

    def scored(read: Callable[[Any], float]) -> Scorer:
        def scorer(case: Case) -> Score:
            if not (case.reference and case.case):
                return NOT_CONCERNED
            return read_outcome(view.outcome("score_rubric", case), read, 0.0)

        return scorer

    yield view.measure("rubric_total", scored(lambda value: value.total), top=rubric.best)
    for dimension in rubric.dimensions:
        best = dimension.factor * dimension.values[-1]

        def points(value: Any, name: str = dimension.name) -> float:
            return float(value.dimensions[name].points)

        yield view.measure(f"rubric_{dimension.name}", scored(points), top=best)


def error_shares(view: View) -> Iterator[Measure]:
    """Yield how many responses have an error of each category, and how many of all errors it is."""
    outcomes = [_labelled(view, case) for case in view.judged.cases]
    for category in load_taxonomy(view.settings.taxonomy).categories:
        scores = [
            one
            if isinstance(one, Score)
            else read_outcome(one, lambda v, name=category.name: float(_count(v, name) > 0), 0.0)  # type: ignore[misc]
            for one in outcomes
        ]
        yield mean_measure(
            f"error: {category.name}", view.model, view.judge, scores, higher_is_better=False
        )
        yield _instances(view, category.name, outcomes)
    counts = [one if isinstance(one, Score) else read_outcome(one, _count, 0.0) for one in outcomes]
    nan = float("nan")  # a response can have any number of errors
    yield mean_measure(
        "errors_per_response", view.model, view.judge, counts, top=nan, higher_is_better=False
    )


def _labelled(view: View, case: Case) -> Outcome | Score:
    """The labels of a response, or why it has none."""
    outcome = view.outcome("label_errors", case)
    if outcome is None:
        sampled = view.settings.errors_sample is not None
        # the errors of a right response, and of one that was not drawn, are not labelled
        concerned = not view.has_response(case) and not sampled
        return Score(None, "failed") if concerned else NOT_CONCERNED
    return outcome


def _count(value: Any, category: str = "") -> int:
    return sum(not category or error.category == category for error in value.errors)


def _instances(view: View, category: str, outcomes: Sequence[Outcome | Score]) -> Measure:
    """The errors of a category over all errors. An unresolved response is one error, of it or not.

    A response without an error has no part in the share.
    """
    scores = [one if isinstance(one, Score) else read_outcome(one, _count, 0.0) for one in outcomes]
    own = [float(_count(one.value, category)) if isinstance(one, Done) else 0.0 for one in outcomes]
    return Measure(
        f"error instances: {category}",
        view.model,
        view.judge,
        np.array(own)[:, None],
        np.array([score.value or 0.0 for score in scores])[:, None],
        np.array([score.status in UNRESOLVED for score in scores], dtype=bool),
        tuple(score.status for score in scores),
        (1.0,),
        (0.0,),
        (1.0,),
        higher_is_better=False,
    )
