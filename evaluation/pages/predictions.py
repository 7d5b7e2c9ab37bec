"""The diagnoses of cases and responses with their codes, as a run has written them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel

from .coded import rows_of

PREDICTIONS, TRUTH = "predictions.csv", "truth"
_COLUMNS = ("case", "model", "kind", "place", "text", "status", "code", "name", "decided_by",
            "mapping_decided_by", "reason")  # fmt: skip


class Prediction(BaseModel):
    """A diagnosis: a true one, the final one of a response, or one of its differential.

    status: of the extraction. decided_by: who extracted it. coded_by: who chose the code. reason:
    why there is no diagnosis.
    """

    model: str
    kind: str
    place: int
    text: str
    status: str
    code: str
    name: str
    decided_by: str
    coded_by: str
    reason: str


class Predictions:
    """The table predictions.csv, read when first asked for; empty where there is none."""

    def __init__(self, folder: Path) -> None:
        """folder: of a finished run."""
        self._path = folder / PREDICTIONS

    @cached_property
    def _rows(self) -> Mapping[str, list[Sequence[str]]]:
        by_case: dict[str, list[Sequence[str]]] = {}
        if self._path.exists():
            for case, *cells in rows_of(self._path, _COLUMNS):
                by_case.setdefault(case, []).append(cells)
        return by_case

    def of(self, case: str) -> list[Prediction]:
        """Return the diagnoses of a case: the true ones first, then those of every model."""
        return [
            Prediction(model=model, kind=kind, place=int(place or 1), text=text, status=status,
                       code=code, name=name, decided_by=by, coded_by=coded_by, reason=reason)
            for model, kind, place, text, status, code, name, by, coded_by, reason
            in self._rows.get(case, ())
        ]  # fmt: skip
