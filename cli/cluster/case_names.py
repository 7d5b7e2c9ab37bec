"""The names of a job's cases, where votes are told apart by them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import InputError

_REMEDY = "name a column with another name in each row of the job (--case)"


@dataclass
class CaseNames:
    """The names in all pieces of a job: each stands once, also in different files.

    places: the file of each name. numbered: a file whose rows have no names, so that their numbers
    in the whole job stand for them. unread: why a file has no rows here.
    """

    places: dict[str, str] = field(default_factory=dict)
    numbered: str = ""
    unread: str = ""

    def add(self, path: str, counted: Mapping[str, Any]) -> None:
        """Add what `Count` counts of a piece. Raises InputError for a name that stands twice."""
        self.unread = self.unread or counted["unread"]
        if counted["cases"] is None and counted["rows"]:
            self.numbered = path
        for name in counted["cases"] or ():
            if name in self.places:
                files = " and ".join(sorted({self.places[name], path}))
                raise InputError(f"the case {name!r} stands twice in {files}: {_REMEDY}")
            self.places[name] = path

    def check(self) -> None:
        """Raise InputError where the number of a row may name another row too."""
        why = f"{self.numbered} has no column of names, so its rows are named by their numbers"
        if self.numbered and self.places:
            other = next(iter(self.places.values()))
            raise InputError(f"{why}, and {other} has names: {_REMEDY}")
        if self.numbered and self.unread:
            raise InputError(
                f"{why}, which change once all files are read ({self.unread}): mend that file, or "
                f"{_REMEDY}"
            )
