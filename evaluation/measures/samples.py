"""Measure several samples of an answer to the items of pairs: best of N, oracle, and spread."""

import statistics
from collections.abc import Callable, Iterator, Sequence
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
from .pairs import pair_measure, pair_rows, variants_of

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
    for judge in judged.judges:
        for model in judged.models:
            for variant in variants_of(judged, model):
                names = _names(judged, model, variant)
                runs = [
                    pair_rows(pairs, partial(_answer, judged, judge, model, variant, name))
                    for name in names
                ]
                for metric in _METRICS if len(names) > 1 else ():
                    marks = [[row.cells[metric].value for row in run.values()] for run in runs]
                    known = [[mark for mark in run if mark is not None] for run in marks]
                    scores = [statistics.fmean(run) for run in known if run]
                    if scores:
                        spread = variant_spread(scores)
                        about = (model, judge, variant, metric)
                        yield SampleSpread(*about, spread.mean, spread.sd, spread.lowest,
                                           spread.highest, spread.n)  # fmt: skip


def sample_measures(judged: Judged, pairs: Pairs, settings: Settings) -> Iterator[Measure]:
    """Yield the set accuracy of the best of N samples and of the oracle, means over variants.

    The samples of both items of a pair are drawn apart, so that a pair has the product of its
    items. An item with a sample without a verdict is unresolved. There are only those N for which
    every wording has enough samples.
    """
    for judge in judged.judges:
        for model in judged.models:
            variants = variants_of(judged, model)
            least = min(len(_names(judged, model, variant)) for variant in variants)
            if least < 2:
                continue
            answers = {
                (case.id, variant): [
                    _answer(judged, judge, model, variant, name, case)
                    for name in _names(judged, model, variant)
                ]
                for case in judged.cases
                for variant in variants
            }
            for metric, score in _scores(settings, least):
                by_case = {
                    case.id: [
                        _of_pair([_of_item(answers[one.id, variant], one, score) for one in pair])
                        for variant in variants
                    ]
                    for pair in pairs
                    for case in pair
                }
                cells = [by_case[case.id] for case in judged.cases]
                yield pair_measure(metric, model, judge, cells, [0] * len(cells))


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


def _of_item(answers: Sequence[Answer], case: Case, score: Callable[[int, int], float]) -> Score:
    """Score the samples of one item; each of them needs a verdict."""
    if any(answer.status in UNRESOLVED for answer in answers):
        return unresolved(answer.status for answer in answers)
    right = sum(choice_mark(answer, case).value == 1 for answer in answers)
    return Score(score(right, len(answers)), "done")


def _of_pair(items: Sequence[Score]) -> Score:
    """The product of both items; 0 as soon as one of them is known to be 0."""
    values = [item.value for item in items]
    if 0 in values:
        return Score(0.0, "done")
    first, second = values
    if first is None or second is None:
        return unresolved(item.status for item in items)
    return Score(first * second, "done")


def _names(judged: Judged, model: str, variant: str) -> list[str]:
    """The names of the samples of one wording, sorted."""
    return sorted(
        {
            response.sample
            for responses in judged.responses[model].values()
            for response in responses
            if response.wording == variant and not response.withheld
        }
    )


def _answer(
    judged: Judged, judge: str, model: str, variant: str, sample: str, case: Case
) -> Answer:
    """What a judge read in one sample of an item."""
    responses = judged.responses[model].get(case.id, ())
    for item in judged.of("score_free_answer", judge, model, case.id):
        response = responses[item.response]
        if (response.wording, response.sample) == (variant, sample) and not response.withheld:
            return chosen(item)
    return _MISSING
