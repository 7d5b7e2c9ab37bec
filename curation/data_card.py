"""Write a data card from what is counted in the rows of a data set."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..scoring.share_limits import wilson

GROUPS = (
    "split", "chapter", "ability", "category", "type", "kind", "specialty", "language",
    "evidence_types",
)  # fmt: skip
"""The columns whose values are counted, where the rows have them."""


def data_card(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the card in Markdown: numbers of rows, of values by column, and of right options.

    Nothing on it is written by hand, so that it cannot differ from the data.
    """
    return "\n".join([f"# {title}", "", *_facts(rows), *_tables(rows)]) + "\n"


def group_counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """Return the number of rows of each value, by column, for the columns that the rows have."""
    counts = {
        column: Counter(value for row in rows for value in _values(row.get(column)))
        for column in GROUPS
    }
    return {column: own for column, own in counts.items() if own}


def option_letters(row: Mapping[str, Any]) -> list[str]:
    """Return the columns of a row that are its options, in order."""
    return [
        name
        for name in row
        if len(name) == 1 and name.isascii() and name.isupper() and row[name] not in (None, "")
    ]


def _letters(row: Mapping[str, Any]) -> list[str]:
    """Return the letters of a row's options, which stand in columns or in one object."""
    options = row.get("options")
    return [*options] if isinstance(options, Mapping) else option_letters(row)


def _images(row: Mapping[str, Any]) -> Iterator[str]:
    yield from row.get("images") or ()
    for one in row.get("evidence") or ():
        if isinstance(one, Mapping):
            yield from one.get("images") or ()


def _facts(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    with_options = [row for row in rows if _letters(row)]
    images = {image for row in rows for image in _images(row)}
    words = [len(str(row["question"]).split()) for row in rows if row.get("question")]
    yield f"- {len(rows):,} rows; {len(with_options):,} with options, {len(images):,} images"
    for column, things in (("pair", "pairs"), ("record", "records"), ("patient", "patients")):
        names = {row[column] for row in rows if row.get(column)}
        if names:
            yield f"- {len(names):,} {things}"
    if words:
        mean = sum(words) / len(words)
        yield f"- questions of {min(words)} to {max(words)} words, {mean:.1f} on average"
    marks = [bool(row["text_only"]) for row in rows if row.get("text_only") is not None]
    if marks:
        share = sum(marks) / len(marks)
        low, high = wilson(share, len(marks))
        yield (
            f"- solved without the image: {share:.1%} of {len(marks):,} rows "
            f"[{low:.1%}, {high:.1%}] (Wilson, 95 %)"
        )


def _tables(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for column, counts in group_counts(rows).items():
        yield from _table(column, counts, len(rows))
    right = Counter(
        letter for row in rows if _letters(row) for letter in str(row.get("answer", "")).split(",")
    )
    if right:
        yield from _table("right option", right, sum(right.values()))


def _table(column: str, counts: Mapping[str, int], total: int) -> Iterator[str]:
    yield from ("", f"| {column} | rows | share |", "|---|---|---|")
    for value, count in sorted(counts.items()):
        shown = value.replace("|", "\\|")
        yield f"| {shown} | {count:,} | {count / total:.1%} |"


def _values(cell: Any) -> list[str]:
    if cell is None or cell == "":
        return []
    return [str(entry) for entry in cell] if isinstance(cell, list | tuple) else [str(cell)]
