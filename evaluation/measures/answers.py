"""Measures over questions: choices, open answers, pairs of items."""

from collections.abc import Iterator, Sequence
from statistics import fmean

import numpy as np

from ...errors import InputError
from ...scoring.bootstrap import Floats
from ...scoring.paired import Spread, variant_spread
from ...scoring.shares import Failed as NoVerdict
from ..cases import Case
from ..judged import Judged
from .answered import Answer, answer_score, by_variant, chosen, one_choice
from .measure import NOT_CONCERNED, Measure, Score, Status, Units, mean_measure

_TASKS = {"match_option": "choice_score", "score_open_answer": "open_score"}


def answer_measures(judged: Judged, *, multiple: bool) -> Iterator[Measure]:
    """Scores of choices and open answers.

    `multiple`: several options may be right, so a choice has a score; else it has accuracy.
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
                next((one for one in held if one.status != "none"), NOT_CONCERNED)
                for held in zip(*by_task.values(), strict=True)
            ]
            yield mean_measure("answer_score", model, judge, both)


def _choice(judged: Judged, judge: str, model: str, case: Case) -> Score:
    """Whether the choice (by majority over samples, mean over variants) is the right one."""
    if not case.options:
        return NOT_CONCERNED
    variants = by_variant(judged, "match_option", judge, model, case.id)
    answers = [one_choice(verdicts) for verdicts in variants.values()]
    return _mean([_right(answer, case) for answer in answers])


def _right(answer: Answer, case: Case) -> Score:
    if isinstance(answer.letters, NoVerdict):
        return Score(None, "failed")
    right = answer.letters is not None and set(answer.letters) == set(case.letters)
    return Score(float(right), answer.status)


def _mean(scores: Sequence[Score]) -> Score:
    """The mean over variants; unresolved where one is, or where there is no answer."""
    values = [score.value for score in scores if score.value is not None]
    if not scores or len(values) < len(scores):
        return Score(None, "failed")
    odd = [score.status for score in scores if score.status != "done"]
    return Score(fmean(values), odd[0] if odd else "done")


def _score(judged: Judged, task: str, judge: str, model: str, case: Case) -> Score:
    if bool(case.options) != (task == "match_option") or not case.answer:
        return NOT_CONCERNED
    scores = []
    for verdicts in by_variant(judged, task, judge, model, case.id).values():
        for verdict in verdicts:
            value = answer_score(verdict, case)
            status: Status = verdict.outcome.status
            if task == "match_option":
                status = chosen(verdict).status
            scores.append(Score(value, status if value is not None else "failed"))
    return _mean(scores)


def gap_measures(measures: Sequence[Measure]) -> Iterator[Measure]:
    """DDx coverage minus accuracy of the choice, where a model has both under one judge."""
    held = {(one.metric, one.model, one.judge): one for one in measures}
    for (metric, model, judge), coverage in held.items():
        accuracy = held.get(("choice_accuracy", model, judge))
        if metric != "ddx_coverage" or accuracy is None:
            continue
        parts = (coverage, accuracy)
        resolved = [np.where(part.open, 1.0, 0.0) for part in parts]
        numerator = np.hstack([part.numerator for part in parts])
        below = np.hstack([part.denominator for part in parts])
        # Each column is unresolved on its own: what is known of the other one stays.
        gaps = np.column_stack(resolved) > 0
        yield Measure(
            "ddx_fdx_gap",
            model,
            judge,
            numerator,
            below,
            np.asarray(gaps.any(axis=1), dtype=bool),
            tuple(map(_worse, coverage.status, accuracy.status)),
            np.where(gaps, [0.0, 1.0], numerator),
            np.where(gaps, [1.0, 0.0], numerator),
            np.where(gaps, 1.0, below),
            combine="difference",
            higher_is_better=False,
        )


def _worse(first: Status, second: Status) -> Status:
    order: tuple[Status, ...] = ("failed", "invalid", "abstained", "done", "none")
    return min(first, second, key=order.index)


def pair_units(cases: Sequence[Case]) -> tuple[Units, tuple[tuple[Case, Case], ...]]:
    """The pairs as units, with their two items.

    Raises InputError for a pair that has not two items, or the same answer twice.
    """
    held: dict[str, list[Case]] = {}
    for case in cases:
        if not case.pair:
            raise InputError(f"case {case.id!r} has no pair")
        held.setdefault(case.pair, []).append(case)
    for name, items in held.items():
        if len(items) != 2:
            raise InputError(f"pair {name!r} has {len(items)} items, not two")
        if items[0].letters == items[1].letters:
            raise InputError(f"pair {name!r}: both items have the answer {items[0].answer!r}")
    pairs = tuple((items[0], items[1]) for items in held.values())
    groups = {name: tuple(first.groups[name] for first, _ in pairs) for name in cases[0].groups}
    return Units(tuple(held), groups), pairs


def pair_measures(judged: Judged, pairs: Sequence[tuple[Case, Case]]) -> Iterator[Measure]:
    """Set accuracy, individual accuracy and confusion of every model; means over variants."""
    for judge in judged.judges:
        for model in judged.models:
            variants = [
                _pair_columns(judged, judge, model, pairs, variant)
                for variant in _variants(judged, model)
            ]
            statuses = tuple(
                _worst_status(held) for held in zip(*(v[1] for v in variants), strict=True)
            )
            for metric in ("set_accuracy", "individual_accuracy", "confusion"):
                parts = [columns[metric] for columns, _ in variants]
                numerator, below, unresolved, low, high, fill = (
                    np.mean([part[at] for part in parts], axis=0) for at in range(6)
                )
                yield Measure(
                    metric,
                    model,
                    judge,
                    numerator,
                    below,
                    unresolved[:, 0] > 0,
                    statuses,
                    low,
                    high,
                    fill,
                    higher_is_better=metric != "confusion",
                )


def _worst_status(held: Sequence[Status]) -> Status:
    found = held[0]
    for status in held[1:]:
        found = _worse(found, status)
    return found


def _variants(judged: Judged, model: str) -> list[str]:
    found = {
        response.variant
        for responses in judged.responses[model].values()
        for response in responses
        if not response.withheld
    }
    return sorted(found) or [""]


Columns = tuple[Floats, Floats, Floats, Floats, Floats, Floats]


def _pair_columns(
    judged: Judged, judge: str, model: str, pairs: Sequence[tuple[Case, Case]], variant: str
) -> tuple[dict[str, Columns], list[Status]]:
    """For one variant: numerator, denominator, open, worst, best and fill of each metric."""
    rows: dict[str, list[tuple[float, ...]]] = {
        "set_accuracy": [], "individual_accuracy": [], "confusion": []
    }  # fmt: skip
    statuses: list[Status] = []
    for pair in pairs:
        answers = [_pair_answer(judged, judge, model, case, variant) for case in pair]
        rights = [_right(answer, case).value for answer, case in zip(answers, pair, strict=True)]
        known = [right for right in rights if right is not None]
        lost = 2 - len(known)
        both = float(min(known)) if known else 1.0  # a known wrong half settles the pair
        settled = not lost or both == 0.0
        rows["set_accuracy"].append(
            (both * settled, float(settled), float(not settled), 0.0, 1.0, 1.0)
            if not settled
            else (both, 1.0, 0.0, both, both, 1.0)
        )
        total = float(sum(known))
        rows["individual_accuracy"].append(
            (total, float(len(known)), float(lost), total, total + lost, 2.0)
        )
        rows["confusion"].append(_confusion(answers))
        statuses.append(_worst_status([answer.status for answer in answers]))
    columns = {
        metric: tuple(np.array(held, dtype=float)[:, [at]] for at in range(6))
        for metric, held in rows.items()
    }
    return columns, statuses  # type: ignore[return-value]


def _pair_answer(judged: Judged, judge: str, model: str, case: Case, variant: str) -> Answer:
    held = by_variant(judged, "score_free_answer", judge, model, case.id)
    return one_choice(held.get(variant, ()))


def _confusion(answers: Sequence[Answer]) -> tuple[float, ...]:
    """A pair counts with two valid choices; a failed half may still have been one."""
    letters = [answer.letters for answer in answers]
    if None in letters:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if any(isinstance(one, NoVerdict) for one in letters):
        return (0.0, 0.0, 1.0, 1.0, 0.0, 1.0)
    same = float(letters[0] == letters[1])
    return (same, 1.0, 0.0, same, same, 1.0)


def variant_spreads(
    judged: Judged, pairs: Sequence[tuple[Case, Case]]
) -> dict[tuple[str, str], Spread]:
    """Spread of set accuracy over prompt variants, by model and judge, where there are several."""
    spreads = {}
    for judge in judged.judges:
        for model in judged.models:
            variants = _variants(judged, model)
            accuracies = []
            for variant in variants:
                columns, _ = _pair_columns(judged, judge, model, pairs, variant)
                right, below = columns["set_accuracy"][:2]
                if below.sum() > 0:
                    accuracies.append(float(right.sum() / below.sum()))
            if len(variants) > 1 and accuracies:
                spreads[model, judge] = variant_spread(accuracies)
    return spreads
