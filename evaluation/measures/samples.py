"""Measure several samples of an answer to the items of pairs: best of N, oracle, and spread."""

import itertools
import math
import statistics
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ...scoring.paired import best_of_subsets, oracle_is_right, variant_spread
from ...scoring.shares import FAILED
from ..cases import Case
from ..judged import Judged
from ..settings import Settings
from .answered import Answer, chosen
from .answers import choice_mark
from .ended import unresolved
from .measure import UNRESOLVED, Measure, Score
from .pairs import pair_measure, pair_rows

Pairs = Sequence[tuple[Case, Case]]
_METRICS = ("set_accuracy", "individual_accuracy", "confusion")
_MISSING = Answer(FAILED, "failed")


@dataclass(frozen=True)
class SampleSpread:
    """A score of pairs over the samples of one prompt: each sample is scored like a run of its own.

    sd: the sample standard deviation over the samples (n - 1).
    """

    model: str
    judge: str
    variant: str
    metric: str
    mean: float
    sd: float
    lowest: float
    highest: float
    samples: int


def sample_spreads(judged: Judged, pairs: Pairs) -> Iterator[SampleSpread]:
    """Yield the spread over samples of every model, judge, wording and metric with two or more."""
    for judge, model in itertools.product(judged.judges, judged.models):
        for variant, samples in _sampled(judged, judge, model).items():
            runs = [pair_rows(pairs, partial(_answer, own)) for own in samples.values()]
            for metric in _METRICS if len(runs) > 1 else ():
                marks = [[row.cells[metric].value for row in run.values()] for run in runs]
                known = [[mark for mark in run if mark is not None] for run in marks]
                scores = [statistics.fmean(run) for run in known if run]
                if scores:
                    spread = variant_spread(scores)
                    yield SampleSpread(model, judge, variant, metric, spread.mean, spread.sd,
                                       spread.lowest, spread.highest, spread.n)  # fmt: skip


def sample_measures(judged: Judged, pairs: Pairs, settings: Settings) -> Iterator[Measure]:
    """Yield the set accuracy of the best of N samples and of the oracle, means over variants.

    The samples of both items of a pair are drawn apart, so that a pair has the product of its
    items. An item with a sample without a verdict is unresolved. There are only those N for which
    every wording has enough samples.
    """
    for judge, model in itertools.product(judged.judges, judged.models):
        by_variant = _sampled(judged, judge, model)
        least = min(map(len, by_variant.values()), default=0)
        if least < 2:
            continue
        counts = [
            {case.id: _counted(case, samples.values()) for case in judged.cases}
            for samples in by_variant.values()
        ]
        for metric, score in _scores(settings, least):
            cells: dict[str, list[Score]] = {}
            for first, second in pairs:
                row = [_of_pair(own[first.id], own[second.id], score) for own in counts]
                cells[first.id] = cells[second.id] = row
            ordered = [cells[case.id] for case in judged.cases]
            yield pair_measure(metric, model, judge, ordered, [0] * len(ordered))


def _scores(settings: Settings, least: int) -> Iterator[tuple[str, Callable[[int, int], float]]]:
    """Yield each metric with its function of the number of right samples and of all samples."""
    for n in settings.best_of:
        if n <= least:
            yield f"set_best_of: {n}", partial(_best, n)
    for share in settings.oracle:
        yield f"set_oracle: {share:g}", partial(_oracle, share)


def _best(n: int, right: int, total: int) -> float:
    return best_of_subsets(right, total, n)


def _oracle(share: float, right: int, total: int) -> float:
    return float(oracle_is_right(right, total, share))


def _answer(answers: Mapping[str, Answer], case: Case) -> Answer:
    return answers.get(case.id, _MISSING)


def _counted(case: Case, samples: Collection[Mapping[str, Answer]]) -> tuple[int, int] | Score:
    """The number of right samples and of all; a score without a value if a verdict is missing."""
    answers = [_answer(own, case) for own in samples]
    if any(answer.status in UNRESOLVED for answer in answers):
        return unresolved(answer.status for answer in answers)
    return sum(choice_mark(answer, case).value == 1 for answer in answers), len(answers)


def _of_pair(
    first: tuple[int, int] | Score,
    second: tuple[int, int] | Score,
    score: Callable[[int, int], float],
) -> Score:
    """The product of both items; 0 as soon as one of them is known to be 0."""
    values = [None if isinstance(item, Score) else score(*item) for item in (first, second)]
    if 0 in values:
        return Score(0.0, "done")
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return unresolved(item.status for item in (first, second) if isinstance(item, Score))
    return Score(math.prod(known), "done")


def _sampled(judged: Judged, judge: str, model: str) -> dict[str, dict[str, dict[str, Answer]]]:
    """What a judge read in every sample: by wording and by name of the sample, both sorted."""
    table: dict[str, dict[str, dict[str, Answer]]] = {}
    for case, responses in judged.responses[model].items():
        shown = [response for response in responses if not response.withheld]
        for response in shown:
            table.setdefault(response.wording, {}).setdefault(response.sample, {})
        for item in judged.of("score_free_answer", judge, model, case):
            response = responses[item.response]
            if not response.withheld:
                table[response.wording][response.sample][case] = chosen(item)
    return {variant: dict(sorted(table[variant].items())) for variant in sorted(table)}
