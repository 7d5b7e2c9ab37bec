"""Maps every distinct diagnosis once, through one canonical table for all models."""

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
    """The canonical table of an evaluation (text -> mapping), and the signature of the mapper."""

    mappings: ReadOnly[str, Mapping]
    signature: ReadOnly[str, Any]

    def find(self, text: str) -> Mapping | None:
        """The mapping of a text; None where the text was not mapped."""
        return self.mappings.get(text)

    def mapper(self, text: str) -> MappedCode | None:
        """The code and name of a text, for the equivalence step; None without a code."""
        mapping = self.mappings.get(text)
        if mapping is None or mapping.code is None:
            return None
        return MappedCode(mapping.code, mapping.name or "")


def code_texts(
    texts: Iterable[str],
    map_texts: MapTexts,
    tree: Tree,
    *,
    signature: ReadOnly[str, Any],
    table: Path | None = None,
    aside: Path | None = None,
) -> Codes:
    """Map every distinct text once, and write the canonical table.

    A row of `table` that a person reviewed wins, and a row that the same mapper made is used
    again. The table is written back to `table`; the rows that this evaluation used are written
    to `aside`.

    Raises InputError or OutputError for these files.
    """
    wanted = list(dict.fromkeys(text for text in texts if text))
    canonical = read_table(table, tree) if table else CanonicalTable()
    short = short_signature(signature)
    settled = {text: canonical.settled(text, short) for text in wanted}
    mappings = {text: mapping for text, mapping in settled.items() if mapping is not None}
    new = [text for text in wanted if text not in mappings]
    new_mappings = list(map_texts(new)) if new else []
    mappings.update(zip(new, new_mappings, strict=True))
    if table:
        entries = (entry_of(mapping, short) for mapping in new_mappings)
        write_table(canonical.merged(entries), table, tree)
    if aside:
        aside.unlink(missing_ok=True)
        used = (entry_of(mappings[text], short) for text in wanted)
        write_table(CanonicalTable().merged(used), aside, tree)
    return Codes({text: mappings[text] for text in wanted}, signature)
