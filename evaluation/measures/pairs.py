"""Measure pairs of items: set accuracy, individual accuracy and confusion (MediConfusion)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from ...errors import InputError
from ...scoring.paired import Spread, pair_outcome, variant_spread
from ...scoring.shares import Failed as NoVerdict
from ...scoring.shares import mean
from ..cases import Case
from ..judged import Judged
from .answered import Answer, by_variant, one_choice
from .answers import choice_mark
from .ended import unresolved
from .measure import NOT_CONCERNED, UNRESOLVED, Measure, Score, Status, Units, case_units, worse


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
    """Yield set and individual accuracy, confusion and invalid answers, means over variants.

    Each item is one row. Both items of a pair have the set accuracy and confusion of the pair.
    """
    for judge in judged.judges:
        for model in judged.models:
            rows = [
                _rows_of(judged, judge, model, pairs, variant)
                for variant in variants_of(judged, model)
            ]
            wrong = [sum(own[case.id].invalid for own in rows) for case in judged.cases]
            for metric in ("set_accuracy", "individual_accuracy", "confusion", "invalid_answers"):
                cells = [[own[case.id].cells[metric] for own in rows] for case in judged.cases]
                yield pair_measure(metric, model, judge, cells, wrong)


def pair_measure(
    metric: str, model: str, judge: str, cells: Sequence[Sequence[Score]], invalid: Sequence[int]
) -> Measure:
    """Return the measure of the items; `cells` has one row per item and one column per variant."""
    known = np.array([[c.value is not None for c in row] for row in cells]).mean(axis=1)
    open_ = np.array([[c.status in UNRESOLVED for c in row] for row in cells]).mean(axis=1)
    right = np.array([[c.value or 0.0 for c in row] for row in cells]).mean(axis=1)
    higher = metric not in ("confusion", "invalid_answers")
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
        by_cluster=metric not in ("individual_accuracy", "invalid_answers"),
        higher_is_better=higher,
    )


def _worst_status(statuses: Sequence[Status]) -> Status:
    return reduce(worse, statuses)


def variants_of(judged: Judged, model: str) -> list[str]:
    """The wordings of the prompt that a model has responses to, sorted."""
    wordings = {
        response.wording
        for responses in judged.responses[model].values()
        for response in responses
        if not response.withheld
    }
    return sorted(wordings) or [""]


@dataclass(frozen=True)
class PairedItem:
    """One item's scores by metric. `invalid`: its answer matches no option."""

    cells: Mapping[str, Score]
    invalid: bool


def pair_rows(
    pairs: Sequence[tuple[Case, Case]], answer_to: Callable[[Case], Answer]
) -> dict[str, PairedItem]:
    """Return the scores of every item, by case. answer_to: the answer to an item."""
    rows = {}
    for pair in pairs:
        answers = [answer_to(case) for case in pair]
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
                "individual_accuracy": choice_mark(answer, case),
                "confusion": confused if outcome.counts else NOT_CONCERNED,
                "invalid_answers": _invalid(answer),
            }
            rows[case.id] = PairedItem(cells, answer.status == "invalid")
    return rows


def _rows_of(
    judged: Judged, judge: str, model: str, pairs: Sequence[tuple[Case, Case]], variant: str
) -> dict[str, PairedItem]:
    """Return the scores of every item under one wording of the prompt; samples vote."""

    def answer_to(case: Case) -> Answer:
        items = by_variant(judged, "score_free_answer", judge, model, case.id)
        return one_choice(items.get(variant, ()))

    return pair_rows(pairs, answer_to)


def _invalid(answer: Answer) -> Score:
    if answer.status in UNRESOLVED:
        return Score(None, answer.status)
    return Score(float(answer.status == "invalid"), answer.status)


def _choice_of(answer: Answer) -> str | None | NoVerdict:
    letters = answer.letters
    return ",".join(sorted(letters)) if isinstance(letters, tuple) else letters


def _cell(mark: bool | None, status: Status, unknown: Score) -> Score:
    return unknown if mark is None else Score(float(mark), status)


def variant_spreads(
    judged: Judged, pairs: Sequence[tuple[Case, Case]]
) -> dict[tuple[str, str], Spread]:
    """Return the spread of set accuracy over several prompt variants, by model and judge."""
    spreads = {}
    for judge in judged.judges:
        for model in judged.models:
            variants = variants_of(judged, model)
            accuracies = []
            for variant in variants:
                rows = _rows_of(judged, judge, model, pairs, variant)
                marks = [one.cells["set_accuracy"].value for one in rows.values()]
                accuracy = mean(marks)
                if accuracy.value == accuracy.value:
                    accuracies.append(accuracy.value)
            if len(variants) > 1 and accuracies:
                spreads[model, judge] = variant_spread(accuracies)
    return spreads
