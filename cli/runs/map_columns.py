"""The columns that `dxjudge map` adds to the input's rows."""

import dataclasses
from collections.abc import Mapping as ReadOnly
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...ontology.mapping import Mapping

BETWEEN = "; "
"""Stands between the codes of a cell that was split."""


class Verdict(NamedTuple):
    """What one row of the input came to; `band` is that of its weakest code."""

    code: str | None
    name: str | None
    score: float | None
    decided_by: str
    status: str
    reason: str | None
    band: str | None


def verdict(mappings: Sequence[Mapping]) -> Verdict:
    """The verdict on a row from the mappings of its texts, one unless its cell was split.

    Of several the codes, names and ways of deciding are joined and the lowest score counts.
    The row failed where one of them failed, is mapped where one has a code, and the reason
    names those without.
    """
    coded = [each for each in mappings if each.code is not None]
    without = [each for each in mappings if each.code is None]
    statuses = {each.status for each in mappings}
    status = next(each for each in ("failed", "mapped", "unmapped") if each in statuses)
    if len(mappings) == 1:
        reason = mappings[0].reason
    else:
        reason = BETWEEN.join(f"{each.text}: {each.reason}" for each in without) or None
    if not coded:
        return Verdict(None, None, None, "none", status, reason, None)
    weakest = min(coded, key=lambda each: each.score)
    return Verdict(
        BETWEEN.join(each.code or "" for each in coded),
        BETWEEN.join(each.name or "" for each in coded),
        weakest.score,
        BETWEEN.join(each.decided_by for each in coded),
        status,
        reason,
        "reviewed" if weakest.decided_by == "reviewed" else weakest.band,
    )


def added_columns(
    texts: Sequence[tuple[str, ...]],
    found: ReadOnly[str, Mapping],
    *,
    parts: bool,
    candidates: bool,
) -> dict[str, list[Any]]:
    """Column -> one value a row: code, name, score, decided_by, status, reason.

    With `parts` also a list of objects, one for each diagnosis of a split cell; with
    `candidates` also the ranked candidates of each, one list for all.
    """
    rows = [[found[text] for text in each] for each in texts]
    verdicts = [verdict(row) for row in rows]
    names = ("code", "name", "score", "decided_by", "status", "reason")
    columns: dict[str, list[Any]] = {
        name: [getattr(each, name) for each in verdicts] for name in names
    }
    if parts:
        columns["parts"] = [[_part(each) for each in row] for row in rows]
    if candidates:
        columns["candidates"] = [
            [dataclasses.asdict(candidate) for each in row for candidate in each.candidates]
            for row in rows
        ]
    return columns


def _part(mapping: Mapping) -> dict[str, Any]:
    fields = ("text", "code", "name", "score", "decided_by", "status", "reason")
    part = {name: getattr(mapping, name) for name in fields}
    if mapping.code is None:
        part["score"] = None
    return part
