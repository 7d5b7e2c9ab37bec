"""Reads the folder of a finished evaluation: its record, its signature and its scores."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..measures.measure import Score
from ..read import read_rows
from ..records import SIGNATURE, Recorded, read_recorded, read_signature

SCORES, SUMMARY = "scores.csv", "summary.csv"
_SCALE = ("scale_low", "scale_high")
Key = tuple[str, str, str]
"""Metric, judge, model."""


@dataclass(frozen=True)
class FinishedRun:
    """The folder of an evaluation.

    scores: metric, judge and model -> unit -> its score. A unit is a case, or a pair of cases for
    metrics of pairs. numbers: the rows of summary.csv over all cases, by the same key.
    """

    folder: Path
    recorded: Recorded
    signature: Mapping[str, Any]
    scores: Mapping[Key, Mapping[str, Score]]
    numbers: Mapping[Key, Mapping[str, str]]

    @property
    def name(self) -> str:
        """The folder as the user wrote it."""
        return str(self.folder)

    @property
    def models(self) -> tuple[str, ...]:
        """The models under test."""
        return tuple(self.recorded.responses)

    @cached_property
    def pair_of(self) -> Mapping[str, str]:
        """Case id -> the name of its pair, for cases in pairs."""
        return {case.id: case.pair for case in self.recorded.cases if case.pair}


def read_run(folder: Path) -> FinishedRun:
    """Read the folder of an evaluation.

    Raises InputError, naming the file, for a folder without an evaluation or with a damaged one.
    """
    recorded = read_recorded(folder)
    scores: dict[Key, dict[str, Score]] = {}
    for number, row in enumerate(_rows(folder / SCORES), 2):
        try:
            key = (row["metric"], row["judge"] or "", row["model"])
            value = float(row["value"]) if row["value"] else None
            scores.setdefault(key, {})[row["unit"]] = Score(value, row["status"])  # type: ignore[arg-type]
        except (KeyError, ValueError) as fault:
            raise InputError(f"{folder / SCORES}, row {number} is not a score: {fault}") from fault
    rows = _rows(folder / SUMMARY)
    if rows and not {*_SCALE} <= {*rows[0]}:
        raise InputError(
            f"{folder / SUMMARY} has no column {' or '.join(_SCALE)}: it is of an earlier version; "
            "run dxjudge evaluate again"
        )
    numbers = {
        (row["metric"], row["judge"] or "", row["model"]): row
        for row in rows
        if not (row["slice"] or row["group_by"])
    }
    return FinishedRun(folder, recorded, read_signature(folder / SIGNATURE), scores, numbers)


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        raise InputError(f"{path.parent} has no {path.name}; run dxjudge evaluate again")
    return [{k: "" if v is None else str(v) for k, v in row.items()} for row in read_rows(path)]


def value_of(score: Score | None) -> float:
    """Return a unit's value; NaN if it is not resolved."""
    return math.nan if score is None or score.value is None else score.value
