"""Writes leaderboards as blocks of text and as a page."""

import html
from collections.abc import Iterator, Sequence

from ...files.counted import counted
from ..judges.agreement_text import Block, number
from .board import Board, BoardRow

_SHOWN = 3  # the names in a cell; more are counted
MARK = (
    "not clearly apart: the difference is not clear after Holm's correction; * the unresolved "
    "cases could put the model in another place"
)


def blocks_of(board: Board) -> Iterator[Block]:
    """Yield a small table for each metric and judge."""
    tables: dict[tuple[str, str], list[BoardRow]] = {}
    for row in board.rows:
        tables.setdefault((row.metric, row.judge), []).append(row)
    for (metric, judge), rows in tables.items():
        under = f", judge {judge}" if judge else ""
        cases = counted(board.cases, "common case")
        yield Block(
            f"{metric}{under}: {rows[0].rank_n:,} of {cases} for ranks",
            ("rank", "model", "value", "n", "not clearly apart from"),
            tuple(map(_cells, rows)),
            names=2,
        )


def _cells(row: BoardRow) -> tuple[str, ...]:
    names = row.not_apart.split("; ") if row.not_apart else []
    others = ", ".join(names) if len(names) <= _SHOWN else f"{len(names)} models"
    failed = f" ({row.failed} failed)" if row.failed else ""
    rank = f"{row.rank or '-'}{'*' if row.overlaps else ''}"
    value = number(row.value, row.low, row.high)
    return rank, row.model, value, f"{row.n}{failed}", others or "-"


def page_of(boards: Sequence[Board]) -> str:
    """Return the boards as one HTML page that needs no other file."""
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>Leaderboard</title><style>:root{color-scheme:light dark}"
        "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:24px auto;padding:0 20px}"
        "table{border-collapse:collapse}th,td{padding:4px 10px;text-align:left;"
        "border-bottom:1px solid #8888}div{overflow-x:auto}</style></head><body>",
        "<h1>Leaderboard</h1>",
    ]
    for at, board in enumerate(boards, 1):
        if len(boards) > 1:
            parts.append(f"<h2>Board {at}</h2>")
        parts.append(
            f"<p>{_safe(', '.join(board.runs))}: {counted(board.cases, 'common case')}.</p>"
        )
        for title, sentences in (("Left out", board.left_out), ("Notes", board.notes)):
            if sentences:
                listed = "".join(f"<li>{_safe(sentence)}</li>" for sentence in sentences)
                parts.append(f"<h3>{title}</h3><ul>{listed}</ul>")
        parts += [_table(block) for block in blocks_of(board)]
    return "\n".join([*parts, f"<p>{_safe(MARK)}.</p></body></html>"]) + "\n"


def _table(block: Block) -> str:
    head = "".join(f'<th scope="col">{_safe(name)}</th>' for name in block.header)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>" for row in block.rows
    )
    return (
        f"<h3>{_safe(block.title)}</h3><div><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _safe(text: str) -> str:
    return html.escape(text)
