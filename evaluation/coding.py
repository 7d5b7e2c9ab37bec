"""One canonical table for all models: every distinct diagnosis is mapped once."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.judge_equivalence import MappedCode
from ..ontology.mapping import Mapping
from ..ontology.table import CanonicalTable, entry_of, read_table, short_signature, write_table
from ..ontology.tree import Tree

MapTexts = Callable[[list[str]], Sequence[Mapping]]


@dataclass(frozen=True)
class Codes:
    """The canonical table of an evaluation: text -> its mapping; and what made it."""

    mappings: ReadOnly[str, Mapping]
    signature: ReadOnly[str, Any]

    def find(self, text: str) -> Mapping | None:
        """The mapping of a text; None where it was never mapped."""
        return self.mappings.get(text)

    def mapper(self, text: str) -> MappedCode | None:
        """Text to code and name, as the equivalence step takes it."""
        found = self.mappings.get(text)
        if found is None or found.code is None:
            return None
        return MappedCode(found.code, found.name or "")


def code_texts(
    texts: Iterable[str],
    map_texts: MapTexts,
    tree: Tree,
    *,
    signature: ReadOnly[str, Any],
    table: Path | None = None,
    aside: Path | None = None,
) -> Codes:
    """Map every distinct text once, and keep the table.

    A row of `table` that a person reviewed wins, and one that the same mapper made is used
    again. The table is written back to `table`, and what this evaluation used to `aside`.

    Raises InputError or OutputError for these files.
    """
    wanted = list(dict.fromkeys(text for text in texts if text))
    held = read_table(table, tree) if table else CanonicalTable()
    short = short_signature(signature)
    found = {text: known for text in wanted if (known := held.settled(text, short)) is not None}
    new = [text for text in wanted if text not in found]
    made = list(map_texts(new)) if new else []
    found.update(zip(new, made, strict=True))
    if table:
        write_table(held.merged(entry_of(each, short) for each in made), table, tree)
    if aside:
        aside.unlink(missing_ok=True)
        used = (entry_of(found[text], short) for text in wanted)
        write_table(CanonicalTable().merged(used), aside, tree)
    return Codes({text: found[text] for text in wanted}, signature)
