"""Read the weights of judges from a file, or learn them from votes on cases with labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...agents.step import Step
from ...errors import InputError
from ...files.cells import is_empty
from ...files.rows_in import Sheet, read_sheet
from ...scoring.jury import learn_weights
from ...scoring.votes import Scalar, identity
from .votes_file import NEEDED, read_known, read_votes

LABEL = "label"


def read_weights(path: Path, steps: Sequence[Step[Any, Any]] = ()) -> dict[str, float]:
    """Return the weight of each judge.

    A file with the columns judge and weight contains the weights. From a table of votes with the
    column label (the right verdict), `scoring.jury.learn_weights` learns them.

    steps: your own steps, whose votes and labels are in the table.

    Raises InputError for any other file; the message names the file, row and column.
    """
    sheet = read_sheet(str(path), list_allowed=False)
    if {"judge", "weight"} <= set(sheet.columns):
        return _given(sheet)
    if {*NEEDED, LABEL} <= set(sheet.columns):
        return _learnt(path, steps)
    raise InputError(
        f"{path} has neither judge and weight nor {', '.join(NEEDED)} and {LABEL}; it has "
        f"{', '.join(sheet.columns)}"
    )


def _given(sheet: Sheet) -> dict[str, float]:
    judge, weight = sheet.columns.index("judge"), sheet.columns.index("weight")
    weights: dict[str, float] = {}
    for number, row in enumerate(sheet.rows, 1):
        name, cell = row[judge], row[weight]
        if is_empty(name) or str(name) in weights:
            what = "occurs twice" if str(name) in weights else "is empty"
            raise InputError(f"{sheet.name}, row {number}, column 'judge': {name!r} {what}")
        try:
            if isinstance(cell, bool):
                raise ValueError
            weights[str(name)] = float(cell)
        except (TypeError, ValueError):
            message = f"{sheet.name}, row {number}, column 'weight': {cell!r} is not a number"
            raise InputError(message) from None
    return weights


def _learnt(path: Path, steps: Sequence[Step[Any, Any]]) -> dict[str, float]:
    votes = read_votes(path, steps=steps)
    labels: dict[tuple[str, str], Scalar] = {}
    for vote in votes:
        if LABEL not in vote.groups:
            continue
        key = vote.case, vote.step
        try:
            label = read_known(vote.step, vote.groups[LABEL], steps)
        except ValueError as fault:
            raise InputError(f"{path}: the label of case {vote.case} {fault}") from None
        if identity(labels.setdefault(key, label)) != identity(label):
            raise InputError(f"{path}: case {vote.case} in {vote.step} has two labels")
    voted = {identity(vote.verdict) for vote in votes if vote.verdict is not None}
    known = voted | {identity(label) for label in labels.values()}
    return learn_weights(votes, labels, verdicts=max(2, len(known)))
