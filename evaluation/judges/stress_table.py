"""Read the trials of `dxjudge stress`: how often a judge's verdict flipped under a change."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.cells import is_empty
from ...files.nearest import lacking
from ...files.rows_in import read_sheet
from ...scoring.bootstrap import Plan
from ...scoring.robustness import ALL
from ...scoring.share_limits import share_interval

_NEEDED = ("case", "step", "judge", "perturbation", "flipped")
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class StressRate:
    """The number of flips, and their share of the compared verdicts with its interval."""

    step: str
    judge: str
    perturbation: str
    flips: int
    compared: int
    rate: float
    low: float
    high: float


def read_rates(path: Path, plan: Plan) -> list[StressRate]:
    """Return the flip rates of a table of trials.

    Rows with an empty `flipped` (failed, abstained, a change that does not apply) are left out.

    Raises InputError, which names file, row and column, for a missing file or another table.
    """
    sheet = read_sheet(str(path), list_allowed=False)
    missing = [name for name in _NEEDED if name not in sheet.columns]
    if missing:
        others = [name for name in sheet.columns if name not in _NEEDED]
        raise InputError(
            f"{lacking(str(path), missing, others)}: give a table that dxjudge stress wrote"
        )
    trials_by_judge: dict[tuple[str, str], dict[str, list[tuple[str, bool]]]] = {}
    for number, row in enumerate(sheet.rows, 1):
        cells = dict(zip(sheet.columns, row, strict=True))
        flipped = _flipped(cells["flipped"], f"{path}, row {number}")
        if flipped is not None:
            kinds = trials_by_judge.setdefault((str(cells["step"]), str(cells["judge"])), {})
            trial = (str(cells["case"]), flipped)
            kinds.setdefault(str(cells["perturbation"]), []).append(trial)
    rates = []
    for (step, judge), kinds in trials_by_judge.items():
        if len(kinds) > 1:
            kinds[ALL] = [trial for trials in kinds.values() for trial in trials]
        rates += [_rate(step, judge, kind, trials, plan) for kind, trials in kinds.items()]
    return rates


def _flipped(cell: Any, place: str) -> bool | None:
    if is_empty(cell):
        return None
    text = str(cell).lower()
    if text not in _TRUTHS:
        raise InputError(f"{place}, column 'flipped': {cell!r} is neither true nor false")
    return _TRUTHS[text]


def _rate(
    step: str, judge: str, kind: str, trials: Iterable[tuple[str, bool]], plan: Plan
) -> StressRate:
    cases, marks = zip(*trials, strict=True)
    rate = share_interval(marks, cases, plan.level)
    return StressRate(step, judge, kind, sum(marks), len(marks), rate.estimate, rate.low, rate.high)
