"""The confidences of one column: a curve for each, fitted to reviewed rows, kept in a small file.

`graphs/calibrate.py` fits the curves. A curve moves the log-odds of a confidence along a straight
line; a confidence of 1 has a value of its own. Candidates keep the scores that the package gives.
"""

import json
from dataclasses import asdict, dataclass, replace
from math import exp, floor
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files.bytes import writing
from .evidence import log_odds
from .mapping import Mapping, band_of

SUFFIX = ".calibration.json"
"""What the name of a table's calibration ends with, in place of the table's own suffix."""

_FORM = 1  # of the file


@dataclass(frozen=True)
class Curve:
    """A confidence p becomes 1 / (1 + exp(-(shift + slope log(p / (1 - p))))); 1 becomes `sure`."""

    shift: float = 0.0
    slope: float = 1.0
    sure: float = 1.0

    def __call__(self, share: float) -> float:
        """Return the fitted confidence, with four digits, rounded down."""
        if share >= 1:
            return self.sure
        told = 1 / (1 + exp(-(self.shift + self.slope * log_odds(share))))
        return floor(told * 1e4 + 1e-6) / 1e4


@dataclass(frozen=True)
class Calibration:
    """Both curves of a column, and what they were fitted to.

    signature: the short signature of the runs whose scores they are for. reviewed: the number of
    reviewed rows. code_counts and category_counts: for each bin of the fitted confidence its
    number, reviewed rows and right ones, from which thresholds are taken.
    """

    signature: str
    reviewed: int
    code: Curve
    category: Curve
    code_counts: tuple[tuple[float, ...], ...]
    category_counts: tuple[tuple[float, ...], ...]

    def counts(self, on: str) -> tuple[tuple[float, ...], ...]:
        """Return the counts of the code or of the category."""
        return self.code_counts if on == "code" else self.category_counts

    def confidences(self, score: float, category_score: float) -> tuple[float, float]:
        """Return the fitted confidences; that of the category is not below that of the code."""
        code = self.code(score)
        return code, max(code, self.category(category_score))

    def applied(self, mapping: Mapping) -> Mapping:
        """Return a mapping with the fitted confidences; what a person decided stays."""
        if mapping.code is None or mapping.decided_by == "reviewed":
            return mapping
        code, category = self.confidences(mapping.score, mapping.category_score)
        low = mapping.band == "low" and mapping.decided_by == "exact"
        band = "low" if low else band_of(code, mapping.decided_by)
        return replace(mapping, score=code, category_score=category, band=band)


def calibration_path(table: Path) -> Path:
    """Return where the calibration of a canonical table is kept."""
    return table.with_name(table.stem + SUFFIX)


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration. Raises OutputError where that is not possible."""
    content = {"dxjudge calibration": _FORM, **asdict(calibration)}
    with writing(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def read_calibration(path: Path) -> Calibration:
    """Read a calibration. Raises InputError, which names the file, where it is none."""
    try:
        content = json.loads(path.read_text("utf-8"))
        if content.pop("dxjudge calibration") != _FORM:
            raise InputError(f"{path} is a calibration of another version; fit it again")
        return Calibration(
            str(content["signature"]),
            int(content["reviewed"]),
            Curve(**content["code"]),
            Curve(**content["category"]),
            _rows(content["code_counts"]),
            _rows(content["category_counts"]),
        )
    except OSError as error:
        raise InputError(f"cannot read the calibration {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = "`dxjudge table calibrate` writes such a file"
        raise InputError(f"{path} is not a calibration; {why}") from error


def _rows(rows: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(number) for number in row) for row in rows)
