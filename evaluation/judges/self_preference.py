"""Measure whether a judge favours the models of its own family."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from ...scoring.bootstrap import Plan
from ...scoring.raters.own_family import self_preference, unscaled_preference
from .swap_rows import FamilyRow
from .swap_table import SwapTable

Families = Callable[[str], frozenset[str]]

ASSUMES = (
    "self-preference assumes that the judges of other families favour none of the models, that "
    "judges err independently of each other, and that a score rises evenly with the quality of a "
    "response"
)


def family_rows(table: SwapTable, families: Families, plan: Plan) -> Iterator[FamilyRow]:
    """Yield a row for every judge that judges a model of its own family."""
    kin = {name: families(name) for name in (*table.judges, *table.models)}
    for at, judge in enumerate(table.judges):
        own = [m for m, model in enumerate(table.models) if kin[model] & kin[judge]]
        if own:
            against = [j for j, other in enumerate(table.judges) if not kin[other] & kin[judge]]
            yield _row(table, at, own, against, "; ".join(sorted(kin[judge])), plan)


def _row(
    table: SwapTable, at: int, own: list[int], against: list[int], family: str, plan: Plan
) -> FamilyRow:
    about = (
        table.metric,
        table.judges[at],
        family,
        "; ".join(table.models[m] for m in own),
        "; ".join(table.judges[j] for j in against),
    )
    if len(own) == len(table.models) or not against:
        lack = "no judge" if not against else "no model"
        why = f"there is {lack} of another family to compare with"
        return FamilyRow(*about, None, None, None, None, why)
    sign = 1.0 if table.higher_is_better else -1.0
    scores = sign * table.by_unit()[:, :, table.units.order]
    scores[:, :, ~table.present[:, 0]] = np.nan
    raw = unscaled_preference(scores[at], [scores[j] for j in against], own)
    if len(against) < 2:
        why = "one judge of another family cannot tell preference from leniency; two judges can"
        return FamilyRow(*about, None, None, None, _known(raw), why)
    others = [scores[j] for j in against]
    interval = self_preference(scores[at], others, own, clusters=table.drawn, plan=plan)
    return FamilyRow(
        *about, _known(interval.estimate), _known(interval.low), _known(interval.high), _known(raw),
        interval.warning or "",
    )  # fmt: skip


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
