"""How commands print a result: tables that fit the terminal, sentences, or one JSON object."""

import math
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from ...evaluation.judges.agreement_text import Block

_WIDTH = 80  # the columns of a page that is no terminal, such as a pipe or a file
_GAP = 3  # the columns of characters between two columns of a table


def print_json(result: Mapping[str, Any]) -> None:
    """Print a result as one JSON object on standard output.

    Tables are lists of objects, one for each row; a number that does not exist is null.
    """
    import json

    print(json.dumps(plain(result), indent=2, ensure_ascii=False, default=str))


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN and infinity become None, dataclasses objects."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value


def width() -> int:
    """Return how many columns standard output has: COLUMNS, else the terminal's, else 80."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return shutil.get_terminal_size((_WIDTH, 25)).columns if sys.stdout.isatty() else _WIDTH


def print_blocks(blocks: Iterable["Block"]) -> None:
    """Print small tables with titles and notes, each cut into tables that fit the width."""
    for block in blocks:
        print_lines([block.title], indent=2)
        print_table(block.header, block.rows, names=block.names)
        print_lines([f"  {note}" for note in block.notes], indent=4)
        print()


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> None:
    """Print a table, cut into tables that fit the width; each has the first `names` columns.

    The interval and the bounds of a number stand below it. No text is cut: what is too wide even
    alone goes on in the next line.
    """
    across = width()
    for titles, lines in fitted(header, rows, across, names):
        _print_fitting(_console(across), titles, lines, names)


def print_lines(lines: Iterable[str], indent: int = 0) -> None:
    """Print sentences, broken between words; all lines but the first of each are indented."""
    for line in lines:
        wrapped = textwrap.wrap(
            line, max(width(), indent + 20), subsequent_indent=" " * indent,
            break_long_words=False, break_on_hyphens=False, drop_whitespace=True,
        )  # fmt: skip
        print("\n".join(wrapped))


def fitted(
    header: Sequence[str], rows: Sequence[Sequence[str]], across: int, names: int = 1
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Cut a table into tables that fit the width; each has the first `names` columns.

    In a table that is cut, the interval and the bounds of a number stand below it. Names take half
    of the width at most; longer ones go on in the next line.
    """
    if sum(_widths([header, *rows])) <= across:
        yield [*header], [[*row] for row in rows]
        return
    lines = [header, *((*row[:names], *map(_stacked, row[names:])) for row in rows)]
    widths = _widths(lines)
    room = across - min(sum(widths[:names]), across // 2)
    parts: list[list[int]] = [[]]
    for at in range(names, len(widths)):
        if parts[-1] and sum(widths[one] for one in (*parts[-1], at)) > room:
            parts.append([])
        parts[-1].append(at)
    for part in parts:
        header, *rows = ([line[at] for at in (*range(names), *part)] for line in lines)
        yield header, rows


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(_broadest, cells)) + _GAP for cells in zip(*lines, strict=True)]


def _stacked(cell: str) -> str:
    return cell.replace(" [", "\n[").replace(" {", "\n{")


def _broadest(cell: str) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, cell.split("\n")))


def _print_fitting(
    console: "Console", titles: Sequence[str], lines: Sequence[Sequence[str]], names: int
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, title in enumerate(titles):
        cells = [line[number] for line in lines]
        is_text = number < names or not all(map(_is_number, cells))
        broad = max(map(_broadest, [title, *cells]))
        table.add_column(
            Text(title),
            justify="left" if is_text else "right",
            overflow="fold",
            no_wrap=number >= names and broad <= console.width // 3,
        )
    for line in lines:
        table.add_row(*map(Text, line))
    with console.capture() as printed:
        console.print(table)
    # Without the spaces at the ends of lines, a line that fits is not broken by a pager.
    print("\n".join(line.rstrip() for line in printed.get().rstrip().split("\n")))


def _is_number(cell: str) -> bool:
    return not cell or cell[0] in "+-−<{[." or cell[0].isdigit()


def _console(across: int) -> "Console":
    from rich.console import Console

    return Console(width=across)
