"""Draws the figures of an evaluation from its numbers."""

import random
from collections.abc import Callable, Iterator

from ...files.svg import Point, bars, heat, lines, scatter, slopes, stacks
from ...prompts.load_data import load_rubric, load_taxonomy
from ...scoring.votes import Vote
from ..judges.as_votes import confusion_counts, votes_of
from ..measures.evidence import MEAN, PRESENTATIONS
from ..measures.measure import UNRESOLVED
from ..measures.numbers import Number
from ..result import Evaluation
from .figure import Figure
from .main_table import judges_of

_FEW = 8  # a reader can tell so many lines or bars apart
_POINTS = 3000
_GRADES = (0, 2, 3, 4, 5)
_NAN = float("nan")


def all_figures(evaluation: Evaluation) -> list[Figure]:
    """Draw every figure for which the evaluation has the numbers."""
    return [figure for make in _MAKERS for figure in make(evaluation)]


def _value(one: Number | None) -> float:
    return one.value if one is not None else _NAN


def _cascade(evaluation: Evaluation) -> Iterator[Figure]:
    models, tree = evaluation.judged.models, evaluation.judged.tree
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
    caption = f"How much is right at each depth of the tree, from {levels[0]} to {levels[-1]}."
    if len(models) <= _FEW:
        points = [[_point(one) for one in row] for row in table]
        svg = lines(title, models, levels, points)
        caption += f" Bars: {evaluation.settings.level:.0%} interval."
    else:
        svg = heat(title, models, levels, [[_value(one) for one in row] for row in table])
    yield Figure("cascade", title, caption, svg)


def _point(one: Number | None) -> Point:
    return Point(one.value, one.low, one.high) if one else Point(_NAN)


def _rank_shift(evaluation: Evaluation) -> Iterator[Figure]:
    for judge, shifts in evaluation.shifts.items():
        if len(shifts) < 2:
            continue
        ends = evaluation.preset.before, evaluation.preset.after
        title = f"Rank by {ends[0]} and by {ends[1]}" + _by(judge, evaluation)
        ranks = [(shift.model, shift.before, shift.after) for shift in shifts]
        caption = "Each line is a model; the line falls where the second score ranks it lower."
        yield Figure(
            _file("rank_shift", judge, evaluation),
            title,
            caption,
            slopes(title, ends, ranks, evaluation.judged.models),
        )


def _by(judge: str, evaluation: Evaluation) -> str:
    return f", judged by {judge}" if len(evaluation.judged.judges) > 1 and judge else ""


def _file(name: str, judge: str, evaluation: Evaluation) -> str:
    several = len(evaluation.judged.judges) > 1 and judge in evaluation.judged.judges
    return f"{name}_{evaluation.judged.judges.index(judge) + 1}" if several else name


def _rubric(evaluation: Evaluation) -> Iterator[Figure]:
    rubric = load_rubric(evaluation.settings.rubric)
    titles = [dimension.title for dimension in rubric.dimensions]
    for judge in judges_of(evaluation):
        table = [
            [
                _value(evaluation.number(f"rubric_{d.name}", model, judge))
                / (d.factor * d.values[-1])
                for d in rubric.dimensions
            ]
            for model in evaluation.judged.models
        ]
        if all(value != value for row in table for value in row):
            continue
        title = "Rubric profile" + _by(judge, evaluation)
        caption = "Mean points of each dimension as a share of the most that it can give."
        svg = heat(title, evaluation.judged.models, titles, table)
        if len(table) <= _FEW:
            svg = bars(
                title, titles, evaluation.judged.models, list(map(list, zip(*table, strict=True)))
            )
        yield Figure(_file("rubric", judge, evaluation), title, caption, svg)


def _errors(evaluation: Evaluation) -> Iterator[Figure]:
    names = [category.name for category in load_taxonomy(evaluation.settings.taxonomy).categories]
    for judge in judges_of(evaluation):
        table = [
            [
                _value(evaluation.number(f"error: {name}", model, judge))
                for model in evaluation.judged.models
            ]
            for name in names
        ]
        if all(value != value for row in table for value in row):
            continue
        title = "Errors by category" + _by(judge, evaluation)
        caption = "Share of the judged responses with at least one error of the category."
        if len(evaluation.judged.models) <= _FEW:
            svg = bars(title, names, evaluation.judged.models, table)
        else:
            svg = heat(title, names, evaluation.judged.models, table)
        yield Figure(_file("errors", judge, evaluation), title, caption, svg)


def _grades(evaluation: Evaluation) -> Iterator[Figure]:
    names = [f"grade {grade}" for grade in _GRADES] + ["no differential", "no verdict"]
    for judge in evaluation.judged.judges:
        table = [_grade_counts(evaluation, judge, model) for model in evaluation.judged.models]
        if not any(map(any, table)):
            continue
        title = "Grades of the differentials" + _by(judge, evaluation)
        caption = "Cases by grade: 5 the diagnosis is listed, 0 nothing related."
        svg = stacks(title, evaluation.judged.models, names, table)
        yield Figure(_file("ddx_grades", judge, evaluation), title, caption, svg)


def _grade_counts(evaluation: Evaluation, judge: str, model: str) -> list[int]:
    measure = next(
        (m for m in evaluation.measures
         if (m.metric, m.model, m.judge) == ("ddx_grade", model, judge)),
        None,
    )  # fmt: skip
    if measure is None:
        return [0] * (len(_GRADES) + 2)
    values = measure.values().tolist()
    done = [v for v, status in zip(values, measure.status, strict=True) if status == "done"]
    counts = [sum(value == grade for value in done) for grade in _GRADES]
    without = sum(status in UNRESOLVED for status in measure.status)
    return [*counts, measure.status.count("abstained"), without]


def _sensitivity(evaluation: Evaluation) -> Iterator[Figure]:
    clouds = []
    rows = [row for row in evaluation.modal if row.cases and row.evidence != MEAN]
    total = sum(row.cases for row in rows)
    for model in dict.fromkeys(row.model for row in rows):
        spots = [
            spot
            for row in rows
            if row.model == model
            for spot in _spots(evaluation, model, row.evidence)
        ]
        keep = max(1, len(spots) * _POINTS // max(total, _POINTS))
        clouds.append((model, random.Random(evaluation.settings.seed).sample(spots, keep)))
    if not clouds:
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
    yield Figure("sensitivity", title, caption, scatter(title, axes, clouds))


def _spots(evaluation: Evaluation, model: str, kind: str) -> list[tuple[float, float]]:
    image, text = (evaluation.sensitivity[model, kind, shown] for shown in PRESENTATIONS)
    return [(text[case], image[case]) for case in image if case in text]


def _confusion(evaluation: Evaluation) -> Iterator[Figure]:
    if evaluation.agreement is None:
        return
    by_step: dict[str, list[Vote]] = {}
    for vote in votes_of(evaluation.judged):
        by_step.setdefault(vote.step, []).append(vote)
    for task in evaluation.judged.tasks:  # the table of agreement has the parts of a verdict
        labels, counts = confusion_counts(by_step.get(task, ()), *evaluation.judged.judges[:2])
        if not labels:
            continue
        title = f"Two judges on {task}"
        caption = f"Rows: {evaluation.judged.judges[0]}; columns: {evaluation.judged.judges[1]}."
        top = float(max(map(max, counts)))
        svg = heat(title, labels, labels, counts, top=top, digits=0)
        yield Figure(f"confusion_{task}", title, caption, svg)


_MAKERS: tuple[Callable[[Evaluation], Iterator[Figure]], ...] = (
    _cascade,
    _rank_shift,
    _rubric,
    _errors,
    _grades,
    _sensitivity,
    _confusion,
)
