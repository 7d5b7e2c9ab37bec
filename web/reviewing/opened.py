"""Open a review: check the options, read the table, prepare the mapper."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from ...errors import InputError, UsageError
from ...files.bytes import check_writable
from ...graphs.mapper import Mapper
from ...ontology.exchange.carry import Carried, carry_row
from ...ontology.exchange.equivalences import read_equivalences
from ...ontology.table_edit import open_edited
from ...ontology.tree import Tree, load_tree
from .edited import EditedTable
from .finder import Finder
from .log import Log, log_path
from .rows import row_id
from .session import Session


@dataclass(frozen=True)
class Opening:
    """The options of `dxjudge review`."""

    table: Path
    ontology: str
    reviewer: str = ""
    share: str | None = None
    seed: int = 0
    blind: bool = False
    earlier: Path | None = None
    old: str | None = None
    equivalences: Path | None = None
    scope: str | None = None
    sources: Sequence[Path] = ()
    added: Literal["all", "none"] | Sequence[str] = "all"


class Opened(NamedTuple):
    """A review that is ready but for the mapper, which `finder.start()` loads."""

    session: Session
    finder: Finder


def open_review(opening: Opening) -> Opened:
    """Read the table and its record.

    Raises UsageError for an option that cannot be used, InputError for a table that is not there
    or cannot be read, OutputError for one that cannot be written.
    """
    share = read_share(opening.share)
    if not opening.table.exists():
        raise InputError(
            f"there is no table {opening.table}; dxjudge map --table {opening.table} makes it"
        )
    if (opening.old or opening.equivalences) and not opening.earlier:
        raise UsageError("--from and --equivalences are about the table of --earlier; name it too")
    tree = load_tree(opening.ontology)
    mapper = Mapper(
        opening.ontology, scope=opening.scope, sources=opening.sources, added=opening.added
    )
    table = EditedTable(opening.table, tree)
    table.refresh()
    check_writable(opening.table)
    log = Log(log_path(opening.table))
    check_writable(log.path)
    log.refresh()
    session = Session(
        table,
        log,
        reviewer=opening.reviewer,
        blind=opening.blind,
        share=share,
        seed=opening.seed,
        earlier=_earlier(opening, tree),
    )
    return Opened(session, Finder(mapper, tree))


def read_share(text: str | None) -> tuple[int, int]:
    """Return a share such as "1/3" as its numbers. Raises UsageError for another form."""
    if text is None:
        return 1, 1
    match = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", text)
    which, of = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= which <= of:
        raise UsageError(f"--share {text} is not a share such as 1/3, 2/3 or 3/3")
    return which, of


def _earlier(opening: Opening, tree: Tree) -> dict[str, Carried]:
    """Return what became of the rows of the earlier table whose codes changed."""
    if opening.earlier is None:
        return {}
    before = load_tree(opening.old) if opening.old else None
    equivalents = read_equivalences(opening.equivalences) if opening.equivalences else None
    file = open_edited(opening.earlier)
    carried = (
        (file.cells(number), carry_row(file.cells(number), tree, before, equivalents))
        for number in range(len(file.rows))
    )
    return {row_id(cells["text"]): row for cells, row in carried if row.fate != "kept"}
