"""The main table of an evaluation as the pages show it: numbers, limits, counts, ranks."""

from dataclasses import dataclass

from ..judges.names import short_names
from ..measures.numbers import Number
from ..measures.standings import Rank
from ..report.latex import show
from ..report.main_table import cell_of, expanded, judges_of
from ..report.rank_order import ranked_models
from ..result import Evaluation


@dataclass(frozen=True)
class MainCell:
    """A number with everything that stands beside it; `text` is all of it as one line.

    rank_if_wrong: the rank if everything unresolved were wrong. overlaps: the models that the
    unresolved items could put in another order with this one.
    """

    value: float
    low: float
    high: float
    worst: float
    best: float
    sd: float
    n: int
    failed: int
    undecided: int
    abstained: int
    unmapped: int
    invalid: int
    interval: str
    warning: str
    text: str
    rank: int | None
    rank_if_wrong: int | None
    overlaps: str


@dataclass(frozen=True)
class MainColumn:
    """A column; `low` and `high` are the ends on which its whiskers are drawn."""

    title: str
    metric: str
    group: str
    higher_is_better: bool
    low: float
    high: float


@dataclass(frozen=True)
class MainRow:
    """A model under a judge; `change` is its rank under the two scores that a preset compares."""

    judge: str
    judge_short: str
    model: str
    change: str
    cells: tuple[MainCell | None, ...]


@dataclass(frozen=True)
class MainTable:
    """The main table; `change` names the two scores, empty where the preset compares none."""

    columns: tuple[MainColumn, ...]
    rows: tuple[MainRow, ...]
    change: str


def main_cells(evaluation: Evaluation) -> MainTable:
    """Return the main table: a row for each judge and model, models in the order of their rank."""
    columns = expanded(evaluation)
    judges = judges_of(evaluation)
    names = short_names([judge for judge in judges if judge]) | {"": ""}
    ranks = {
        (one.metric, one.judge, one.model): one
        for one in evaluation.ranks
        if not (one.slice or one.group_by)
    }
    climbs = {
        (judge, shift.model): " > ".join(shift.shown)
        for judge, shifts in evaluation.shifts.items()
        for shift in shifts
    }
    rows = []
    for judge in judges:
        for model in ranked_models(evaluation, judge):
            cells = []
            for column, group in columns:
                number = cell_of(evaluation, column, group, model, judge)
                by = None if group else ranks.get((column.metric, judge, model)) or ranks.get(
                    (column.metric, "", model)
                )  # fmt: skip
                cells.append(_cell(number, by))
            change = climbs.get((judge, model), climbs.get(("", model), ""))
            rows.append(MainRow(judge, names[judge], model, change, tuple(cells)))
    heads = tuple(
        _column(
            (column.title or group, column.metric, group),
            [row.cells[at] for row in rows],
            _any(evaluation, column.metric),
        )
        for at, (column, group) in enumerate(columns)
    )
    before, after = evaluation.preset.before, evaluation.preset.after
    return MainTable(heads, tuple(rows), f"{before} > {after}" if evaluation.shifts else "")


def _any(evaluation: Evaluation, metric: str) -> Number | None:
    return next((one for one in evaluation.numbers if one.metric == metric), None)


def _cell(number: Number | None, rank: Rank | None) -> MainCell | None:
    if number is None:
        return None
    return MainCell(
        number.value, number.low, number.high, number.worst, number.best, number.sd, number.n,
        number.failed, number.undecided, number.abstained, number.unmapped, number.invalid,
        number.interval, number.warning, show(number),
        rank.rank if rank else None, rank.rank_if_wrong if rank else None,
        rank.overlaps if rank else "",
    )  # fmt: skip


def _column(
    names: tuple[str, str, str], cells: list[MainCell | None], number: Number | None
) -> MainColumn:
    """The ends are those of the scale where it has ends, else of the numbers with their limits."""
    low, high = (number.scale_low, number.scale_high) if number else (0.0, 1.0)
    known = [
        one
        for cell in cells if cell
        for one in (cell.value, cell.low, cell.high, cell.worst, cell.best) if one == one
    ]  # fmt: skip
    low = low if low == low and low > -1e6 else min((0.0, *known))
    high = high if high == high and high < 1e6 else max((0.0, *known))
    better = number.higher_is_better if number else True
    return MainColumn(*names, better, low, high)
