"""Find the judges that make the same errors, from their verdicts on the same responses."""

import itertools
from collections.abc import Iterator

from ...errors import UsageError
from ...scoring.bootstrap import Plan
from ...scoring.raters.shared_errors import hidden_error_correlations
from .self_preference import Families
from .swap_rows import SharedErrorRow
from .swap_table import SwapTable

ASSUMES_ERRORS = (
    "errors in common assume that a judge is as accurate on every model's responses and that most "
    "judges are better than chance; models of a judge's family are left out; an error that all "
    "judges make cannot be seen without people"
)


def shared_error_rows(table: SwapTable, families: Families, plan: Plan) -> Iterator[SharedErrorRow]:
    """Yield a row for every two judges: the correlation of their errors, or why there is none.

    The responses of models that are of a judge's family are left out, because a judge that favours
    them is not as accurate there as elsewhere.
    """
    names = table.judges
    kin = frozenset().union(*(families(judge) for judge in names))
    others = [at for at, model in enumerate(table.models) if not families(model) & kin]
    scores = table.by_unit()[:, others][:, :, table.units.order]
    try:
        errors = hidden_error_correlations(scores, clusters=table.drawn, plan=plan)
    except UsageError as fault:
        for first, second in itertools.combinations(names, 2):
            yield SharedErrorRow(table.metric, first, second, None, None, None, None, False,
                                 str(fault))  # fmt: skip
        return
    for (i, j), one in errors.items():
        interval = one.correlation
        yield SharedErrorRow(
            table.metric, names[i], names[j], _known(interval.estimate), _known(interval.low),
            _known(interval.high), _known(one.p_value), one.shared, interval.warning or "",
        )  # fmt: skip


def _known(value: float) -> float | None:
    return None if value != value else value
