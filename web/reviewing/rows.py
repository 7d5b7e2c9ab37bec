"""One row of the queue: what a reviewer must know of it, read quickly from the cells."""

import hashlib
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import InputError, UnknownCode
from ...ontology.mapping import band_of
from ...ontology.table_row import State, computed_code, state_of, text_key, written_codes
from ...ontology.tree import Tree


@dataclass(slots=True)
class Row:
    """A row of the table.

    id: of the text, in addresses. number: the place of the row in the file. rows: how many rows of
    the input hold the text, 0 where nobody counted. computed: the code in the signature. fault:
    what in the row cannot be read, "" for nothing.
    """

    id: str
    number: int
    text: str
    rows: int
    code: str
    name: str
    computed: str
    score: float
    category_score: float
    decided_by: str
    status: str
    state: State
    reviewer: str
    note: str
    additional: tuple[str, ...]
    fault: str = ""

    @property
    def weight(self) -> int:
        """Return the rows that the text stands for; a text that nobody counted is one row."""
        return self.rows or 1

    @property
    def doubt(self) -> float:
        """Return how many rows of the input are expected to be wrong: rows times 1 - score."""
        return self.weight * (1.0 - self.score)

    @property
    def band(self) -> str:
        """Return "exact", "high", "medium", "low", "unmapped" or "failed"."""
        if not self.code:
            return "failed" if self.status == "failed" else "unmapped"
        return band_of(self.score, "exact" if self.decided_by == "exact" else "embedded")

    def brief(self) -> dict[str, Any]:
        """Return what the list of the queue shows."""
        return {
            "id": self.id,
            "text": self.text,
            "rows": self.rows,
            "code": self.code,
            "name": self.name,
            "score": self.score,
            "band": self.band,
            "state": self.state,
            "reviewer": self.reviewer,
            "fault": self.fault,
        }


def row_id(text: str) -> str:
    """Return the id of a text: 16 hexadecimal characters."""
    return hashlib.sha256(text_key(text).encode()).hexdigest()[:16]


def row_of(
    cells: Mapping[str, str], number: int, tree: Tree, known: Container[str], place: str
) -> Row | None:
    """Return a row, None for one without a text. A cell that cannot be read is told in `fault`.

    known: the codes of the release as it writes them.
    """
    text = text_key(cells["text"])
    if not text:
        return None
    faults: list[str] = []
    code, *further = written_codes(cells["code"]) or [""]
    name = cells["name"].strip()
    if code not in known or not name:
        code, name = _code(code, name, tree, faults)
    also = (*further, *written_codes(cells["additional_codes"]))
    also = tuple(one if one in known else _code(one, "", tree, faults)[0] for one in also)
    signature = cells["signature"].strip()
    state: State = "open"
    try:
        state = state_of(cells["reviewed"], cells["code"] if further else code, signature, place)
    except InputError as fault:
        faults.append(str(fault).removeprefix(f"{place}: "))
    if faults:
        state = "open"
    score = _number(cells["score"], "score", faults)
    return Row(
        id=row_id(text),
        number=number,
        text=text,
        rows=int(_number(cells["rows"], "rows", faults)),
        code=code,
        name=name,
        computed=computed_code(signature),
        score=score,
        category_score=_number(cells["category_score"], "category_score", faults) or score,
        decided_by=cells["decided_by"].strip().lower(),
        status=cells["status"].strip().lower(),
        state=state,
        reviewer=cells["reviewer"].strip(),
        note=cells["note"].strip(),
        additional=tuple(one for one in dict.fromkeys(also) if one != code),
        fault="; ".join(faults),
    )


def _code(text: str, name: str, tree: Tree, faults: list[str]) -> tuple[str, str]:
    if not text:
        return "", ""
    try:
        code = tree.node(text).code
    except UnknownCode as fault:
        faults.append(str(fault))
        return text, name
    return code, tree.name(code)


def _number(text: str, column: str, faults: list[str]) -> float:
    try:
        number = float(text.replace(",", ".") or 0)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf") or (number > 1 and column != "rows"):
        faults.append(
            f"{column} is {text!r}, not a {'count' if column == 'rows' else 'number from 0 to 1'}"
        )
        return 0.0
    return number


def in_share(id: str, share: tuple[int, int], seed: int) -> bool:
    """Return whether a row belongs to a share such as (1, 3), the first of three.

    Every row belongs to one share, the same in every run with this seed, also when rows are added.
    """
    which, of = share
    return int(hashlib.sha256(f"{seed}\n{id}".encode()).hexdigest(), 16) % of == which - 1
