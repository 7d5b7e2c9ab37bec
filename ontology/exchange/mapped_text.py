"""A mapped text as other tools see it: the mapping, how often the text occurs, who reviewed it."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from ..mapping import WRITTEN, Mapping
from ..table_row import Entry

Relation = Literal["equal", "wider", "close"]
"""How a code stands to its text: it means the same, it means more, or it is near."""

TEXTS = "https://example.org/dxjudge/text/"
"""The address of the ids of texts."""


@dataclass(frozen=True)
class MappedText:
    """A text with its mapping.

    rows: how many rows of the input hold the text, 0 where nobody counted. reviewed: whether a
    person decided. reviewer, note: what the canonical table says. accepted: whether it can be taken
    without review, None where nobody asked.
    """

    mapping: Mapping
    rows: int = 0
    reviewed: bool = False
    reviewer: str = ""
    note: str = ""
    accepted: bool | None = None

    @property
    def id(self) -> str:
        """The id of the text: 16 hexadecimal characters, the same in every set of mappings."""
        return hashlib.sha256(self.mapping.text.encode()).hexdigest()[:16]

    @property
    def comment(self) -> str:
        """The note; without one, the reason of a mapping that no person decided."""
        return self.note or ("" if self.reviewed else self.mapping.reason or "")

    @property
    def relation(self) -> Relation:
        """How the code stands to the text.

        It is "equal" where the text is an official name or holds the code, "wider" where the text
        is another term of the code, and "close" otherwise.
        """
        if self.mapping.decided_by != "exact":
            return "close"
        return "equal" if self.mapping.source in ("official", WRITTEN) else "wider"


def mapped_text(
    mapping: Mapping, row: Entry | None, rows: int, accepted: bool | None = None
) -> MappedText:
    """Return a mapping with what the row of the canonical table, if any, says about its review."""
    if row is None:
        return MappedText(mapping, rows, accepted=accepted)
    return MappedText(mapping, rows, row.reviewed, row.reviewer, row.note, accepted)


def exportable(texts: list[MappedText]) -> list[MappedText]:
    """Return the texts that a set of mappings can hold: those with words that did not fail."""
    return [text for text in texts if text.mapping.status != "failed" and text.mapping.text.strip()]
