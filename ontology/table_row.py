"""One row of the canonical table: its columns, and how its cells are read and written."""

from collections.abc import Iterable
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..errors import InputError, UnknownCode
from .mapping import BETWEEN, Additional, DecidedBy, Mapping, Status, band_of
from .reading.several import split_diagnoses
from .tree import Tree

COLUMNS = (
    "text",
    "code",
    "name",
    "score",
    "category_score",
    "decided_by",
    "status",
    "term",
    "source",
    "reason",
    "additional_codes",
    "reviewed",
    "reviewer",
    "note",
    "rows",
    "signature",
)
_YES = frozenset({"yes", "y", "true", "1", "x"})
_NO = frozenset({"no", "n", "false", "0", ""})
ACCEPTED = "accepted"
"""What `reviewed` says of a row that nobody saw, and that was accepted after a look at a sample."""

State = Literal["open", "reviewed", "accepted"]
"""Who decided a row: nobody yet, a person, or a look at a sample of such rows."""


@dataclass(frozen=True)
class Entry:
    """One row: the mapping as computed or as edited; `other` holds the user's own columns.

    rows: how many rows of the last input that held the text have it; 0 where nobody counted.
    accepted: whether the row was accepted unseen, after a look at a sample of such rows; a row is
    never both reviewed and accepted.
    """

    mapping: Mapping
    rows: int = 0
    reviewed: bool = False
    reviewer: str = ""
    note: str = ""
    signature: str = ""
    other: ReadOnly[str, str] = field(default_factory=dict)
    accepted: bool = False


def text_key(text: str) -> str:
    """Return the key of a text's row: the text without blanks at its ends, line ends as "\\n"."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def read_row(cells: dict[str, str], tree: Tree, place: str) -> Entry | None:
    """Return a row as an entry; None for a row without text and code.

    Raises InputError, which begins with `place`, for a cell that cannot be read.
    """
    known = {name: text_key(cells.get(name, "")) for name in COLUMNS}
    if not known["text"]:
        if known["code"]:
            raise InputError(f"{place}: has a code but no text")
        return None
    mapping = _mapping(known, tree, place)
    signature = known["signature"]
    # No run writes several codes into this cell: such a cell stands for a person's decision.
    several = len(written_codes(known["code"])) > 1
    code = known["code"] if several else mapping.code or ""
    state = state_of(known["reviewed"], code, signature, place)
    return Entry(
        mapping,
        _count(known["rows"], place),
        reviewed=state == "reviewed",
        reviewer=known["reviewer"],
        note=known["note"],
        signature=signature,
        other={name: cell for name, cell in cells.items() if name not in COLUMNS},
        accepted=state == "accepted",
    )


def state_of(mark: str, code: str, signature: str, place: str) -> State:
    """Return who decided a row with this mark in `reviewed`, this code and this signature.

    An edited code is a person's decision, also without a mark. Raises InputError, which begins with
    `place`, for another mark than yes, no and accepted.
    """
    lower = mark.strip().lower()
    if lower not in _YES | _NO | {ACCEPTED}:
        raise InputError(f"{place}: reviewed is {mark!r}, neither yes nor no")
    if lower in _YES or computed_code(signature) != code:
        return "reviewed"
    return "accepted" if lower == ACCEPTED and code else "open"


def computed_code(signature: str) -> str:
    """Return the code that a row's signature names, "" for none."""
    return signature.partition("=")[2]


def _mapping(known: dict[str, str], tree: Tree, place: str) -> Mapping:
    codes = _codes(known["code"], tree, place)
    code = codes[0] if codes else None
    further = [*codes[1:], *_codes(known["additional_codes"], tree, place)]
    decided_by: DecidedBy | None = next(
        (way for way in get_args(DecidedBy) if way == (known["decided_by"].lower() or "none")), None
    )
    if decided_by is None:
        raise InputError(
            f"{place}: decided_by is {known['decided_by']!r}, not one of "
            f"{', '.join(get_args(DecidedBy))}"
        )
    status: Status = "failed" if known["status"].lower() == "failed" else "unmapped"
    score = _score(known["score"], "score", place)
    category_score = _score(known["category_score"] or known["score"], "category_score", place)
    parts = split_diagnoses(known["text"])
    return Mapping(
        text=known["text"],
        status="mapped" if code else status,
        code=code,
        name=tree.name(code) if code else None,
        term=known["term"] or None,
        source=known["source"] or None,
        score=score,
        category_score=category_score,
        decided_by=decided_by,
        band=band_of(score, decided_by) if code else None,
        reason=known["reason"] or None,
        parts=parts if len(parts) > 1 else (),
        additional=_additional((one for one in further if one != code), tree) if code else (),
    )


def read_additional(cell: str, tree: Tree, place: str) -> tuple[Additional, ...]:
    """Return the further codes of a cell, which holds no more of them than the codes."""
    return _additional(_codes(cell, tree, place), tree)


def _additional(codes: Iterable[str], tree: Tree) -> tuple[Additional, ...]:
    return tuple(
        Additional(code, tree.name(code), 0.0, "", "stands in the canonical table")
        for code in dict.fromkeys(codes)
    )


def _codes(cell: str, tree: Tree, place: str) -> list[str]:
    return [code for text in written_codes(cell) if (code := _valid_code(text, tree, place))]


def written_codes(cell: str) -> list[str]:
    """Return the codes of a cell as they are written, with ";" between them."""
    return list(filter(None, map(str.strip, cell.split(BETWEEN.strip()))))


def _valid_code(text: str, tree: Tree, place: str) -> str | None:
    try:
        return tree.node(text).code if text else None
    except UnknownCode as error:
        raise InputError(f"{place}: {error}") from error


def _score(text: str, column: str, place: str) -> float:
    try:
        score = float(text.replace(",", ".") or 0)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise InputError(f"{place}: {column} is {text!r}, not a number from 0 to 1")
    return score


def _count(text: str, place: str) -> int:
    try:
        count = float(text.replace(",", ".") or 0)
    except ValueError:
        count = -1.0
    if count < 0 or count != int(count):
        raise InputError(f"{place}: rows is {text!r}, not a count")
    return int(count)


def cells_of(entry: Entry) -> dict[str, str]:
    """Return the cells of a row by column, as `read_row` reads them."""
    mapping = entry.mapping
    # The score of a code that a reviewer removed stays: `table calibrate` reads it.
    has_score = mapping.score > 0 if entry.reviewed else mapping.code is not None
    is_own = entry.reviewed and mapping.code is not None and mapping.decided_by == "none"
    return {
        **entry.other,
        "text": mapping.text,
        "code": mapping.code or "",
        "name": mapping.name or "",
        "score": f"{mapping.score:.4f}" if has_score else "",
        "category_score": f"{mapping.category_score:.4f}" if has_score else "",
        "decided_by": "reviewed" if is_own else mapping.decided_by,
        "status": mapping.status,
        "term": mapping.term or "",
        "source": mapping.source or "",
        "reason": mapping.reason or "",
        "additional_codes": mapping.additional_codes or "",
        "reviewed": "yes" if entry.reviewed else ACCEPTED if entry.accepted else "no",
        "reviewer": entry.reviewer,
        "note": entry.note,
        "rows": str(entry.rows) if entry.rows else "",
        "signature": entry.signature,
    }
