"""A leaderboard: the models of several finished evaluations over the cases that all have."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import UsageError
from ...files.counted import counted
from ...scoring import SAME
from ...scoring.bootstrap import Plan
from ..measures.measure import NOT_CONCERNED, Measure, Score, Units, mean_measure
from ..measures.numbers import Number, numbers_of
from ..measures.standings import Gap, Rank, differences_of, ranks_of, too_coarse
from ..presets import main_columns
from .read_run import FinishedRun, Key


@dataclass(frozen=True)
class BoardRow:
    """A model's place under one metric and judge.

    rank: over the rank_n units that all models resolved. value, low, high: over the n common
    units of this model. worst, best: what the value could be with the failed ones. overlaps: the
    models that the unresolved units could put in another order. not_apart: the models whose
    difference from this one is not clear (p after Holm's correction). "; " separates names.
    """

    metric: str
    judge: str
    rank: int | None
    model: str
    run: str
    value: float
    low: float
    high: float
    worst: float
    best: float
    n: int
    failed: int
    rank_n: int
    rank_if_wrong: int | None
    overlaps: str
    not_apart: str
    warning: str


@dataclass(frozen=True)
class Board:
    """The rows of comparable runs. notes: sentences. left_out: what is not in the rows, and why."""

    runs: tuple[str, ...]
    cases: int
    rows: tuple[BoardRow, ...]
    notes: tuple[str, ...]
    left_out: tuple[str, ...]


def board_of(runs: Sequence[FinishedRun], metrics: Sequence[str], plan: Plan) -> Board:
    """Compare the models of runs with the same conditions, over the cases that all runs have.

    metrics: by default those of the main tables that all runs have.

    Raises UsageError where the runs have no case or no metric in common.
    """
    cases, left_out = _common_cases(runs)
    labels = _labels(runs)
    rows: list[BoardRow] = []
    notes: list[str] = []
    for metric in metrics or _metrics(runs):
        table, units, reasons = _measures(metric, runs, cases, labels)
        left_out += reasons
        if table:
            gaps = differences_of(table, units, plan)
            notes.append(too_coarse(max((gap.tests for gap in gaps), default=0), plan))
            rows += _rows(
                table, units, plan, gaps, {label: run for (run, _), label in labels.items()}
            )
    if not rows:
        raise UsageError("the runs have no metric in common: " + "; ".join(left_out))
    names = tuple(run.name for run in runs)
    kept = tuple(dict.fromkeys(filter(None, notes)))
    return Board(names, len(cases), tuple(rows), kept, tuple(left_out))


def _common_cases(runs: Sequence[FinishedRun]) -> tuple[set[str], list[str]]:
    """Return the ids of the cases that all runs have, and sentences about the others."""
    by_run = [{case.id: replace(case, groups={}) for case in run.recorded.cases} for run in runs]
    shared = set.intersection(*(set(cases) for cases in by_run))
    same = {i for i in shared if all(cases[i] == by_run[0][i] for cases in by_run)}
    sentences = [
        f"{run.name}: {len(cases) - len(shared):,} of its {counted(len(cases), 'case')} "
        "cannot count, because not every run has them"
        for run, cases in zip(runs, by_run, strict=True)
        if len(cases) > len(shared)
    ]
    if len(same) < len(shared):
        first = min(shared - same)
        sentences.append(
            f"{counted(len(shared) - len(same), 'case')} with the same id but another content, the "
            f"first is {first}"
        )
    if not same:
        raise UsageError("the runs have no case in common: " + "; ".join(sentences))
    return same, sentences


def _labels(runs: Sequence[FinishedRun]) -> dict[tuple[str, str], str]:
    """Return (run, model) -> the model's name, with the run where several runs have the name."""
    names = [model for run in runs for model in run.models]
    return {
        (run.name, model): f"{model} ({run.name})" if names.count(model) > 1 else model
        for run in runs
        for model in run.models
    }


def _metrics(runs: Sequence[FinishedRun]) -> list[str]:
    """Return the metrics of the main table of the first run; all metrics if it has none."""
    known = dict.fromkeys(key[0] for run in runs for key in run.scores)
    columns = main_columns(runs[0].recorded.settings)
    return list(dict.fromkeys(m for c in columns if not c.by for m in known if c.covers(m))) or [
        *known
    ]


def _measures(
    metric: str,
    runs: Sequence[FinishedRun],
    cases: set[str],
    labels: Mapping[tuple[str, str], str],
) -> tuple[list[Measure], Units, list[str]]:
    """Return the measures of all models under a metric, and why the metric is left out, if so."""
    lacking = [run.name for run in runs if all(key[0] != metric for key in run.scores)]
    if lacking:
        return [], Units(()), [f"{metric}: {', '.join(lacking)} has no scores of it"]
    found = [
        (run, key, scores) for run in runs for key, scores in run.scores.items() if key[0] == metric
    ]
    for run, key, _ in found:
        if not _is_mean(run, key):
            return [], Units(()), [f"{metric}: it is not a mean over cases ({run.name})"]
    pairs = {case: pair for run in runs for case, pair in run.pair_of.items()}
    whole = {pair for case, pair in pairs.items() if case in cases} - {
        pair for case, pair in pairs.items() if case not in cases
    }
    ids = sorted({unit for *_, scores in found for unit in scores if unit in cases | whole})
    clusters = tuple(pairs.get(unit, unit) for unit in ids) if pairs else None
    low, top = _ends(metric, runs)
    better = all(run.numbers[key]["higher_is_better"] != "false" for run, key, _ in found)
    table = [
        _measure(run, key, labels[run.name, key[2]], ids, (low, top), better)
        for run, key, _ in found
    ]
    return table, Units(tuple(ids), {}, clusters), []


def _measure(
    run: FinishedRun, key: Key, label: str, ids: Sequence[str], ends: tuple[float, float],
    better: bool,
) -> Measure:  # fmt: skip
    metric, judge, model = key
    sides = [run.scores[part, judge, model] for part in _parts(metric)]
    low, top = ends
    columns = [
        mean_measure(metric, label, judge, [side.get(unit, NOT_CONCERNED) for unit in ids],
                     low=low, top=top, higher_is_better=better)
        for side in sides
    ]  # fmt: skip
    if len(columns) == 1:
        return columns[0]
    return replace(
        columns[0],
        numerator=np.hstack([one.numerator for one in columns]),
        denominator=np.hstack([one.denominator for one in columns]),
        worst=(low, low), best=(top, top), fill=(1.0, 1.0), combine="harmonic",
    )  # fmt: skip


def _parts(metric: str) -> tuple[str, ...]:
    """Return the metrics of which a metric is made: HDF1 is the harmonic mean of two means."""
    return ("hdp", "hdr") if metric == "hdf1" else (metric,)


def _is_mean(run: FinishedRun, key: Key) -> bool:
    """Return whether the number in the summary is the mean of the scores."""
    metric, judge, model = key
    if any((part, judge, model) not in run.scores for part in _parts(metric)):
        return False
    means = [_mean(run.scores[part, judge, model]) for part in _parts(metric)]
    value = means[0] if len(means) == 1 else 2 * math.prod(means) / (sum(means) or 1.0)
    row = run.numbers.get(key)
    printed = float(row["value"]) if row and row["value"] else math.nan
    return (math.isnan(value) and math.isnan(printed)) or abs(value - printed) <= SAME


def _mean(scores: Mapping[str, Score]) -> float:
    known = [one.value for one in scores.values() if one.value is not None]
    return math.fsum(known) / len(known) if known else math.nan


def _ends(metric: str, runs: Sequence[FinishedRun]) -> tuple[float, float]:
    """Return the ends of the scale, NaN for an end that the metric does not have.

    HDF1 has the scale of its parts.
    """
    part = _parts(metric)[0]
    rows = [row for run in runs for key, row in run.numbers.items() if key[0] == part]
    if not rows:
        return math.nan, math.nan
    low, top = (float(rows[0][end] or "nan") for end in ("scale_low", "scale_high"))
    return low, top


def _rows(
    table: Sequence[Measure], units: Units, plan: Plan, gaps: Sequence[Gap],
    run_of: Mapping[str, str],
) -> Iterator[BoardRow]:  # fmt: skip
    places = {(one.judge, one.model): one for one in ranks_of(table, units)}
    numbers = numbers_of(table, units, plan)
    alpha = 1 - plan.level
    order = sorted(numbers, key=lambda one: (one.judge, _rank(places, one), one.model))
    for one in order:
        place = places.get((one.judge, one.model))
        unclear = [
            gap.second if gap.first == one.model else gap.first
            for gap in gaps
            if gap.judge == one.judge and one.model in (gap.first, gap.second)
            and not gap.p_holm < alpha
        ]  # fmt: skip
        yield BoardRow(
            one.metric, one.judge, place.rank if place else None, one.model, run_of[one.model],
            one.value, one.low, one.high, one.worst, one.best, one.n, one.failed,
            place.n if place else 0, place.rank_if_wrong if place else None,
            place.overlaps if place else "", "; ".join(unclear), one.warning,
        )  # fmt: skip


def _rank(places: Mapping[tuple[str, str], Rank], one: Number) -> float:
    place = places.get((one.judge, one.model))
    return math.inf if place is None or place.rank is None else place.rank
