"""Draws the figures about judges: agreement, the models' ranks under each judge, robustness."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

from ...files.charts import Bar, Point, bars, heat, ranks
from ...scoring.robustness import ALL
from ..judges.agreement_rows import Agreement, AgreementRow
from ..judges.agreement_text import headline
from ..judges.names import short_names
from ..judges.stress_table import StressRate
from ..result import Evaluation
from .figure import Figure
from .rank_order import places_of, ranked_models

_PAIRS = 6  # so many columns of pairs fit on a page
_NAN = float("nan")
_NONE = Point(_NAN)


def judge_figures(evaluation: Evaluation, rates: Sequence[StressRate] = ()) -> list[Figure]:
    """Draw every figure about the judges for which there are numbers."""
    return [
        *_agreement(evaluation),
        *_ranks(evaluation),
        *_robustness(rates),
    ]


def _agreement(evaluation: Evaluation) -> Iterator[Figure]:
    if evaluation.agreement is None:
        return
    judges = evaluation.judged.single_judges
    names = short_names(judges)
    if len(judges) * (len(judges) - 1) // 2 <= _PAIRS:
        yield _by_step(evaluation.agreement, judges, names)
    else:
        for step in dict.fromkeys(row.step for row in evaluation.agreement.rows if row.step):
            yield _by_judge(evaluation.agreement, step, judges, names)


_READ = "1 is full agreement, and 0 is the agreement by chance. The interval is in brackets."


def _by_step(agreement: Agreement, judges: Sequence[str], names: Mapping[str, str]) -> Figure:
    steps = list(dict.fromkeys(row.step for row in agreement.rows if row.step))
    alphas = _headlines(agreement)
    keys = list(itertools.combinations(judges, 2))
    columns = [f"{names[a]} / {names[b]}" for a, b in keys]
    jury = ["all judges"] if len(judges) > 2 else []
    everybody = [("*", "*")] if jury else []
    table = [[alphas.get((step, *key), _NONE) for key in (*keys, *everybody)] for step in steps]
    title = "Agreement of the judges by step: Krippendorff's alpha"
    return Figure("agreement", title, _READ, heat(title, steps, [*columns, *jury], table))


def _by_judge(
    agreement: Agreement, step: str, judges: Sequence[str], names: Mapping[str, str]
) -> Figure:
    alphas = _headlines(agreement)
    alphas |= {(name, b, a): alpha for (name, a, b), alpha in alphas.items()}
    table = [[alphas.get((step, a, b), _NONE) if a != b else _NONE for b in judges] for a in judges]
    shown = [names[judge] for judge in judges]
    title = f"Agreement on {step}: Krippendorff's alpha"
    return Figure(f"agreement_{step}", title, _READ, heat(title, shown, shown, table))


def _headlines(agreement: Agreement) -> dict[tuple[str, str, str], Point]:
    """Alpha on each step's scale by (step, first, second); ("*", "*") is of all judges."""
    alphas = {}
    rows = [row for row in agreement.rows if not row.group_by and row.between in ("pair", "jury")]
    for step in dict.fromkeys(row.step for row in rows):
        alike = [row for row in rows if row.step == step]
        measure = headline(alike)
        for row in alike:
            if row.measure == measure:
                pair = ("*", "*") if row.between == "jury" else (row.first, row.second)
                alphas[(step, *pair)] = _point(row)
    return alphas


def _point(row: AgreementRow) -> Point:
    values = (_NAN if value is None else value for value in (row.value, row.low, row.high))
    return Point(*values)


def _ranks(evaluation: Evaluation) -> Iterator[Figure]:
    if evaluation.swap is None or len(evaluation.swap.models) < 2:
        return
    judges = evaluation.swap.judges
    names = short_names(judges)
    by_judge = {(row.metric, row.judge, row.model): row.rank for row in evaluation.swap.scores}
    for metric, title in evaluation.swap.titles.items():
        ordered = ranked_models(evaluation, judges[0], metric)
        models = [model for model in ordered if model in evaluation.swap.models]
        table = [(model, [by_judge.get((metric, judge, model)) for judge in judges])
                 for model in models]  # fmt: skip
        whole = f"{title}: rank by judge"
        caption = "Where two lines cross, the order of the two models depends on the judge."
        columns = [names[judge] for judge in judges]
        chart = ranks(whole, columns, table, places=places_of(evaluation, models))
        yield Figure(f"rank_by_judge_{metric}", whole, caption, chart)


def _robustness(rates: Sequence[StressRate]) -> Iterator[Figure]:
    for step in dict.fromkeys(rate.step for rate in rates):
        by_kind = {(one.judge, one.perturbation): one for one in rates if one.step == step}
        judges = list(dict.fromkeys(judge for judge, _ in by_kind))
        kinds = list(dict.fromkeys(kind for _, kind in by_kind))
        kinds.sort(key=lambda kind: kind == ALL)
        names = short_names(judges)
        cells = [[by_kind.get((judge, kind)) for judge in judges] for kind in kinds]
        title = f"Robustness of {step}: how often the verdict flips"
        caption = (
            "Each bar is the share of verdicts that flip when the input changes in a way that "
            "should not matter, with its interval; beside it is the number of flips and of "
            "comparisons. A shorter bar is better."
        )
        chart = bars(
            title,
            ["all" if kind == ALL else kind for kind in kinds],
            [names[judge] for judge in judges],
            [[_rate(one) for one in row] for row in cells],
        )
        yield Figure(f"robustness_{step}", title, caption, chart)


def _rate(one: StressRate | None) -> Bar:
    if one is None:
        return Bar(_NONE)
    return Bar(Point(one.rate, one.low, one.high), f"{one.flips} of {one.compared}")
