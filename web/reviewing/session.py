"""One review of a table: decisions, blind reviews, flags, and taking back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...errors import InputError, UsageError
from ...ontology.exchange.carry import Carried
from ...ontology.mapping import BETWEEN
from .edited import Conflict, Edit, EditedTable
from .log import Log, Review
from .rows import Row, in_share, row_id

NONE_FITS = ""
"""The code of a decision that no code of the release fits."""

Kind = Literal["decided", "settled"]


@dataclass(frozen=True)
class Decision:
    """What a reviewer decided about a row that they saw in a version."""

    id: str
    version: str
    reviewer: str
    code: str
    additional: tuple[str, ...] = ()
    note: str = ""


@dataclass
class Session:
    """A table under review, with its record.

    reviewer: proposed on the page. blind: reviews go to the record alone, and no reviewer sees
    those of others. share: which part of how many, by the seed. earlier: what became of each row
    of the table of an earlier release, by id.
    """

    table: EditedTable
    log: Log
    reviewer: str = ""
    blind: bool = False
    share: tuple[int, int] = (1, 1)
    seed: int = 0
    earlier: Mapping[str, Carried] = field(default_factory=dict)

    def refresh(self) -> None:
        """Read again what others wrote."""
        with self.table.lock:
            self.table.refresh()
            self.log.refresh()

    def is_mine(self, row: Row) -> bool:
        """Return whether a row belongs to the share of this review."""
        return self.share == (1, 1) or in_share(row.id, self.share, self.seed)

    def decide(self, decision: Decision, act: Kind = "decided") -> None:
        """Record a decision: in the table, or as a blind review.

        Raises Conflict where the row is no longer what the reviewer saw, UsageError for a decision
        that cannot stand, OutputError where nothing can be written.
        """
        cells = self._checked(decision)
        if self.blind:
            self._add_blind(decision, cells)
            return
        self.write([(decision, cells)], act)

    def write(self, decisions: Sequence[tuple[Decision, dict[str, str]]], act: Kind) -> None:
        """Write decisions with their cells into the table and then into the record."""
        with self.table.claimed():
            self.refresh()
            reviews = []
            for decision, cells in decisions:
                row = self.row(decision.id)
                now = self.table.cells(row)
                before = {name: now[name] for name in cells}
                details = {"before": before, "after": cells}
                reviews.append(_review(decision, act, row, cells, details))
            self.table.change([Edit(one.id, one.version, cells) for one, cells in decisions])
            self.log.append(reviews)

    def cells_of(self, decision: Decision) -> dict[str, str]:
        """Return the cells of a row that a decision changes."""
        tree = self.table.tree
        code = tree.node(decision.code).code if decision.code else ""
        further = list(dict.fromkeys(tree.node(one).code for one in decision.additional))
        return {
            "code": code,
            "name": tree.name(code) if code else "",
            "status": "mapped" if code else "unmapped",
            "additional_codes": BETWEEN.join(one for one in further if one != code),
            "reviewed": "yes",
            "reviewer": decision.reviewer.strip(),
            "note": decision.note.strip(),
        }

    def _checked(self, decision: Decision) -> dict[str, str]:
        if not decision.reviewer.strip():
            raise UsageError("name the reviewer first")
        tree = self.table.tree
        for code in filter(None, (decision.code, *decision.additional)):
            if not tree.is_code(code):
                raise UsageError(f"{code} is a heading, not a code that a text can get")
        if decision.additional and not decision.code:
            raise UsageError("further codes need a first code")
        return self.cells_of(decision)

    def _add_blind(self, decision: Decision, cells: dict[str, str]) -> None:
        with self.table.claimed():
            self.refresh()
            row = self.row(decision.id)
            self.log.append([_review(decision, "blind", row, cells, {})])

    def flag(self, id: str, reviewer: str, on: bool) -> None:
        """Flag a row for a second look, or remove the flag; the record holds it."""
        with self.table.claimed():
            self.refresh()
            row = self.row(id)
            self.log.append([Review(reviewer, "flagged" if on else "unflagged", row.text)])

    def undo(self, reviewer: str) -> str:
        """Take back the last decision of a reviewer that is not taken back; return the row's id.

        Raises UsageError where there is none, and Conflict where somebody changed the row since.
        """
        with self.table.claimed():
            self.refresh()
            last = self._last(reviewer)
            if last is None:
                raise UsageError(f"there is nothing of {reviewer} to take back")
            row = self.row(row_id(last.text))
            if last.act != "blind":
                self._restore(row, last)
            self.log.append([Review(reviewer, "undone", last.text)])
            return row.id

    def _restore(self, row: Row, last: Review) -> None:
        now, after = self.table.cells(row), last.details.get("after", {})
        if any(now.get(name) != cell for name, cell in after.items()):
            raise Conflict(
                f"{row.text!r} was changed since, by {row.reviewer or 'another program'}: "
                "nothing was taken back"
            )
        before = last.details["before"]
        self.table.change([Edit(row.id, self.table.version(row), before)])

    def _last(self, reviewer: str) -> Review | None:
        stack: list[Review] = []
        acts = ("blind",) if self.blind else ("decided", "settled")
        for review in self.log.reviews:
            if review.reviewer != reviewer:
                continue
            if review.act in acts:
                stack.append(review)
            elif review.act == "undone" and stack and stack[-1].text == review.text:
                stack.pop()
        return stack[-1] if stack else None

    def row(self, id: str) -> Row:
        """Return a row. Raises InputError where the table no longer holds it."""
        row = self.table.rows.get(id)
        if row is None:
            raise InputError("this row is not in the table any more")
        return row


def _review(
    decision: Decision,
    act: Literal["decided", "settled", "blind"],
    row: Row,
    cells: Mapping[str, str],
    details: Mapping[str, Any],
) -> Review:
    return Review(
        reviewer=cells["reviewer"],
        act=act,
        text=row.text,
        code=cells["code"],
        additional_codes=cells["additional_codes"],
        note=cells["note"],
        details=details,
    )
