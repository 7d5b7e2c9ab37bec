"""The texts of a case inside report.html, each once: those that it shows and is found by."""

from typing import Any

from ..pages.opened import OpenedCases
from ..pages.texts import of_case, of_response, of_verdict


class CaseTexts:
    """The texts by which the rows on a case are found; exchanges have their places.

    All judges of an item get the same messages, so that these are most of the text of a case.
    """

    def __init__(self, cases: OpenedCases, place: int) -> None:
        """Collect the texts of a case, its responses and its verdicts. place: among all cases."""
        self._cases = cases
        self._places: dict[str, int] = {}
        self._of_row: dict[int, list[int]] = {}
        items = cases.items
        case = items.inputs.cases[place]
        about = of_case(case)
        for row in items.rows_of_case.get(case.id, ()):
            one = items.rows[row]
            response = of_response(items, one.model, one.case, one.response)
            texts = (about, response, of_verdict(items, one))
            self._of_row[row] = [self._place(text) for text in texts]

    def _place(self, text: str) -> int:
        return self._places.setdefault(text, len(self._places))

    def exchange(self, row: int) -> dict[str, Any]:
        """Return what was sent and received for a row, with places instead of its texts."""
        told = self._cases.exchange(row).model_dump()
        parts = [(told, name) for name in ("system", "user", "reply")]
        parts += [(one, name) for one in told["attempts"] for name in ("text", "error")]
        for part, name in parts:
            part[name] = self._place(part[name])
            self._of_row[row].append(part[name])
        return told

    @property
    def told(self) -> dict[str, Any]:
        """The texts, and for each row its place among all rows and those of its texts."""
        rows = [[row, *dict.fromkeys(places)] for row, places in self._of_row.items()]
        return {"texts": list(self._places), "rows": rows}
