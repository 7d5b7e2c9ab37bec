"""The table of verdicts inside report.html: the columns by which its page filters and sorts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..pages.coded import Codes, Numbers
from ..pages.items import Items
from ..pages.wanted import FACETS


def rows_inside(items: Items, places: Sequence[int]) -> dict[str, Any]:
    """Return the columns of all rows on some cases, in the order of the rows.

    row: the place of each row among all verdicts. codes: for each filter, the place of each row's
    value in `values`. groups: column -> value -> which of the cases have it. scores: by metric.
    """
    ids = [items.inputs.cases[place].id for place in places]
    rows = sorted(row for case in ids for row in items.rows_of_case.get(case, ()))
    at = np.array(rows, dtype=np.intp)
    facets = {name: items.facets[name] for name in FACETS}
    in_file = {case: place for place, case in enumerate(items.case.values)}
    own: Codes = np.array([in_file[case] for case in ids], dtype=np.int32)
    number = {int(code): place for place, code in enumerate(own)}
    return {
        "row": rows,
        "values": {"case": ids, **{name: one.values for name, one in facets.items()}},
        "codes": {
            "case": [number[code] for code in items.case.codes[at].tolist()],
            **{name: one.codes[at].tolist() for name, one in facets.items()},
        },
        "groups": {
            column: {value: np.flatnonzero(mask[own]).tolist() for value, mask in by_value.items()}
            for column, by_value in items.groups.items()
        },
        "place": [int(items.rows[row].place) for row in rows],
        "repairs": [int(items.rows[row].repairs or 0) for row in rows],
        "verdict": [items.words_of(row) for row in rows],
        "score": _shown(items.score_of(""), at),
        "cost": _shown(items.cost, at),
        "seconds": _shown(items.seconds, at),
        "scores": {name: _shown(items.score_of(name), at) for name in items.scores.metrics},
    }


def _shown(column: Numbers, at: "np.ndarray[tuple[int], np.dtype[np.intp]]") -> list[float]:
    numbers: list[float] = column[at].tolist()
    return numbers
