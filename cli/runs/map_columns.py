"""The columns that `dxjudge map` adds to the input's rows."""

import dataclasses
from collections.abc import Mapping as ReadOnly
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ...files.sequences import Repeated
from ...graphs.many import ADDED
from ...ontology.mapping import BETWEEN, Mapping


class Verdict(NamedTuple):
    """The added cells of one row; `band` is that of the code with the lowest score."""

    code: str | None
    name: str | None
    score: float | None
    category_score: float | None
    decided_by: str
    status: str
    additional_codes: str | None
    additional_names: str | None
    reason: str | None
    band: str | None


def verdict(mappings: Sequence[Mapping]) -> Verdict:
    """Return the cells of a row from the mappings of its texts; a split cell has several.

    The codes, names and ways of deciding are joined, and the lowest scores count. The row is
    failed where a mapping failed, else mapped where a mapping has a code. The reason names the
    texts without a code.
    """
    coded = [mapping for mapping in mappings if mapping.code is not None]
    without = [mapping for mapping in mappings if mapping.code is None]
    statuses = {mapping.status for mapping in mappings}
    status = next(name for name in ("failed", "mapped", "unmapped") if name in statuses)
    if len(mappings) == 1:
        reason = mappings[0].reason
    else:
        reason = BETWEEN.join(f"{mapping.text}: {mapping.reason}" for mapping in without) or None
    if not coded:
        return Verdict(None, None, None, None, "none", status, None, None, reason, None)
    weakest = min(coded, key=lambda mapping: mapping.score)
    return Verdict(
        BETWEEN.join(mapping.code or "" for mapping in coded),
        BETWEEN.join(mapping.name or "" for mapping in coded),
        weakest.score,
        min(mapping.category_score for mapping in coded),
        BETWEEN.join(mapping.decided_by for mapping in coded),
        status,
        BETWEEN.join(filter(None, (mapping.additional_codes for mapping in coded))) or None,
        BETWEEN.join(filter(None, (mapping.additional_names for mapping in coded))) or None,
        reason,
        "reviewed" if weakest.decided_by == "reviewed" else weakest.band,
    )


def added_columns(
    texts: Repeated[tuple[str, ...]],
    mappings: ReadOnly[str, Mapping],
    *,
    parts: bool,
    candidates: bool,
) -> dict[str, Repeated[Any]]:
    """Return the added columns, with one value for each row, from the texts of each row.

    The columns are those of `ADDED`. `parts` adds a list of objects, one for each diagnosis of a
    split cell. `candidates` adds one list of the ranked candidates of all diagnoses of the row.
    """
    rows = texts.replaced(lambda of_row: [mappings[text] for text in of_row])
    verdicts = rows.replaced(verdict)
    columns = {name: verdicts.replaced(attrgetter(name)) for name in ADDED}
    if parts:
        columns["parts"] = rows.replaced(lambda row: [_part(mapping) for mapping in row])
    if candidates:
        columns["candidates"] = rows.replaced(_candidates)
    return columns


def _candidates(row: Sequence[Mapping]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(candidate) for mapping in row for candidate in mapping.candidates]


def _part(mapping: Mapping) -> dict[str, Any]:
    part = {name: getattr(mapping, name) for name in ("text", *ADDED)}
    if mapping.code is None:
        part["score"] = part["category_score"] = None
    return part
