"""Draws the figures of an evaluation from its numbers."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...files.charts import Bar, Chart, Point, bars, clouds, heat, lines, ranks, stacks
from ...files.charts.chart import FEW
from ...prompts.load_data import load_rubric, load_taxonomy
from ..judges.names import short_names
from ..measures.evidence import MEAN, PRESENTATIONS
from ..measures.measure import UNRESOLVED
from ..measures.numbers import Number
from ..result import Evaluation
from .figure import Figure
from .main_table import judges_of
from .rank_order import places_of, ranked_models

_POINTS = 1500
_GRADES = (5, 4, 3, 2, 0)
_SHADES = ("#08306b", "#2166ac", "#5b9bd0", "#a6cbe6", "#dceaf6")  # darker is better
_PARTS = (
    *((f"grade {grade}", shade) for grade, shade in zip(_GRADES, _SHADES, strict=True)),
    ("no differential", "#c9c9c9"),
    ("undecided", "#e3b23c"),
    ("failed", "#a8201a"),
)
_NAN = float("nan")


def all_figures(evaluation: Evaluation) -> list[Figure]:
    """Draw every figure for which the evaluation has the numbers."""
    return [figure for make in _MAKERS for figure in make(evaluation)]


def _cascade(evaluation: Evaluation) -> Iterator[Figure]:
    models, tree = ranked_models(evaluation, metric="hdf1"), evaluation.judged.tree
    if tree is None:
        return
    levels = tree.levels
    table = [
        [evaluation.number("hdf1", model, slice=f"level: {level}") for level in levels]
        for model in models
    ]
    if not any(one for row in table for one in row):
        return
    title = f"HDF1 by level of {tree.descriptor.shown}"
    caption = (
        f"How much is right at each depth of the tree, from {levels[0]} to {levels[-1]}. "
        f"{_counted(one for row in table for one in row)}"
    )
    points = [[_point(one) for one in row] for row in table]
    if len(models) <= FEW:
        chart = lines(title, models, levels, points, places=places_of(evaluation, models))
        caption += f" Whiskers: {evaluation.settings.level:.0%} interval."
    else:
        chart = heat(title, models, levels, points)
    yield Figure("cascade", title, caption, chart)


def _counted(numbers: Iterable[Number | None]) -> str:
    """A sentence with the number of units of some numbers."""
    counts = sorted({one.n for one in numbers if one is not None})
    if not counts:
        return ""
    span = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    return f"Units (cases, items or pairs) of a number: n {span}."


def _point(one: Number | None) -> Point:
    return Point(one.value, one.low, one.high) if one else Point(_NAN)


def _rank_shift(evaluation: Evaluation) -> Iterator[Figure]:
    for judge, shifts in evaluation.shifts.items():
        if len(shifts) < 2:
            continue
        ends = evaluation.preset.before, evaluation.preset.after
        title = f"Rank by {ends[0]} and by {ends[1]}" + _by(judge, evaluation)
        order = sorted(shifts, key=lambda shift: shift.before)
        models = [shift.model for shift in order]
        table = [(shift.model, (shift.before, shift.after)) for shift in order]
        caption = "Each line is a model; the line falls where the second score ranks it lower."
        yield Figure(
            _file("rank_shift", judge, evaluation),
            title,
            caption,
            ranks(title, ends, table, places=places_of(evaluation, models)),
        )


def _by(judge: str, evaluation: Evaluation) -> str:
    judges = evaluation.judged.judges
    name = short_names(judges).get(judge, judge)
    return f", judged by {name}" if len(judges) > 1 and judge else ""


def _file(name: str, judge: str, evaluation: Evaluation) -> str:
    several = len(evaluation.judged.judges) > 1 and judge in evaluation.judged.judges
    return f"{name}_{evaluation.judged.judges.index(judge) + 1}" if several else name


def _rubric(evaluation: Evaluation) -> Iterator[Figure]:
    rubric = load_rubric(evaluation.settings.rubric)
    most = {f"rubric_{d.name}": d.factor * d.values[-1] for d in rubric.dimensions}
    titles = [dimension.title for dimension in rubric.dimensions]
    for judge in judges_of(evaluation):
        models = ranked_models(evaluation, judge, "rubric_total")
        title = "Rubric profile" + _by(judge, evaluation)
        chart = _profile(evaluation, title, judge, (models, titles), most)
        if chart is not None:
            caption = "Mean points of each dimension as a share of the most that it can give."
            yield Figure(_file("rubric", judge, evaluation), title, caption + _whiskers(
                evaluation, models), chart)  # fmt: skip


def _errors(evaluation: Evaluation) -> Iterator[Figure]:
    names = [category.name for category in load_taxonomy(evaluation.settings.taxonomy).categories]
    for judge in judges_of(evaluation):
        models = ranked_models(evaluation, judge)
        title = "Errors by category" + _by(judge, evaluation)
        most = {f"error: {name}": 1.0 for name in names}
        chart = _profile(evaluation, title, judge, (models, names), most)
        if chart is not None:
            caption = "Share of the judged responses with at least one error of the category."
            yield Figure(_file("errors", judge, evaluation), title, caption + _whiskers(
                evaluation, models), chart)  # fmt: skip


def _whiskers(evaluation: Evaluation, models: Sequence[str]) -> str:
    level = f"{evaluation.settings.level:.0%}"
    about = (
        f"Whiskers: {level} interval" if len(models) <= FEW else f"In brackets: {level} interval"
    )
    return f" {about}; n: units that count; failed and undecided ones have no value."


def _profile(
    evaluation: Evaluation,
    title: str,
    judge: str,
    names: tuple[list[str], list[str]],
    most: Mapping[str, float],
) -> Chart | None:
    """Draw metrics as shares of the most that each can be; None without a number.

    names: the models, and the titles of the metrics in the order of `most`.
    """
    models, titles = names
    table = [[evaluation.number(metric, model, judge) for model in models] for metric in most]
    if all(one is None or one.value != one.value for row in table for one in row):
        return None
    shares = [
        [_share(one, top) for one in row] for row, top in zip(table, most.values(), strict=True)
    ]
    if len(models) <= FEW:
        bars_ = [
            [Bar(point, _note(one)) for point, one in zip(points, row, strict=True)]
            for points, row in zip(shares, table, strict=True)
        ]
        return bars(title, titles, models, bars_, places=places_of(evaluation, models))
    return heat(title, models, titles, list(map(list, zip(*shares, strict=True))))


def _share(one: Number | None, top: float) -> Point:
    point = _point(one)
    return Point(point.value / top, point.low / top, point.high / top)


def _note(one: Number | None) -> str:
    """What counts for a number: its units, and those without a verdict."""
    if one is None:
        return "no number"
    parts = [f"n {one.n:,}"]
    parts += [f"{count:,} {name}" for name in ("failed", "undecided")
              if (count := getattr(one, name))]  # fmt: skip
    return ", ".join(parts)


def _grades(evaluation: Evaluation) -> Iterator[Figure]:
    for judge in evaluation.judged.judges:
        models = ranked_models(evaluation, judge, "ddx_grade")
        table = [_grade_counts(evaluation, judge, model) for model in models]
        if not any(map(any, table)):
            continue
        title = "Grades of the differentials" + _by(judge, evaluation)
        caption = (
            "Cases by grade: 5 the diagnosis is listed, 0 nothing related. Undecided: the votes "
            "of a jury are tied; failed: no readable verdict."
        )
        chart = stacks(title, models, _PARTS, table)
        yield Figure(_file("ddx_grades", judge, evaluation), title, caption, chart)


def _grade_counts(evaluation: Evaluation, judge: str, model: str) -> list[int]:
    measure = next(
        (m for m in evaluation.measures
         if (m.metric, m.model, m.judge) == ("ddx_grade", model, judge)),
        None,
    )  # fmt: skip
    if measure is None:
        return [0] * len(_PARTS)
    values = measure.values().tolist()
    done = [v for v, status in zip(values, measure.status, strict=True) if status == "done"]
    counts = [sum(value == grade for value in done) for grade in _GRADES]
    return [*counts, *map(measure.status.count, ("abstained", *UNRESOLVED[::-1]))]


def _sensitivity(evaluation: Evaluation) -> Iterator[Figure]:
    spots_by_model = []
    rows = [row for row in evaluation.modal if row.cases and row.evidence != MEAN]
    total = sum(row.cases for row in rows)
    known = {row.model for row in rows}
    for model in (one for one in ranked_models(evaluation) if one in known):
        spots = [
            spot
            for row in rows
            if row.model == model
            for spot in _spots(evaluation, model, row.evidence)
        ]
        keep = max(1, len(spots) * _POINTS // max(total, _POINTS))
        spots_by_model.append((model, random.Random(evaluation.settings.seed).sample(spots, keep)))
    if not spots_by_model:
        return
    title = "Evidence sensitivity: image against text"
    caption = (
        "Each point is a case and a type of evidence. It shows how much the answer changes without "
        "this evidence: presented as text (horizontal) and as an image (vertical). Below the "
        "diagonal the model uses the text more."
    )
    if total > _POINTS:
        caption += f" {_POINTS:,} of {total:,} points are drawn."
    axes = ("sensitivity to text", "sensitivity to image")
    places = places_of(evaluation, [model for model, _ in spots_by_model])
    chart = clouds(title, axes, spots_by_model, places=places)
    yield Figure("sensitivity", title, caption, chart)


def _spots(evaluation: Evaluation, model: str, kind: str) -> list[tuple[float, float]]:
    image, text = (evaluation.sensitivity[model, kind, shown] for shown in PRESENTATIONS)
    return [(text[case], image[case]) for case in image if case in text]


_MAKERS: tuple[Callable[[Evaluation], Iterator[Figure]], ...] = (
    _cascade,
    _rank_shift,
    _rubric,
    _errors,
    _grades,
    _sensitivity,
)
