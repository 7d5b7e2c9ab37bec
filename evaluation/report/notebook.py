"""What a notebook shows of an evaluation: the main table, and the gaps between groups."""

import html
from collections.abc import Sequence

from ..judges.agreement_text import number
from ..result import Evaluation
from .latex import caption_of, main_rows

_LONGEST = 30  # the rows of gaps that are shown at most


def notebook_html(evaluation: Evaluation) -> str:
    """Return the main table, and where there are groups their gaps, as HTML."""
    header, rows = main_rows(evaluation)
    parts = [table_html(caption_of(evaluation), header, rows)]
    gaps = [gap for gap in evaluation.group_gaps if gap.worst]
    if gaps:
        lines = [
            [gap.metric, gap.model, gap.group_by, f"{gap.worst} {gap.worst_value:.3f}",
             f"{gap.best} {gap.best_value:.3f}", number(gap.value, gap.low, gap.high),
             number(gap.by_chance)]
            for gap in gaps[:_LONGEST]
        ]  # fmt: skip
        caption = (
            f"Gaps between groups, {len(lines)} of {len(gaps)}; by chance: the gap to expect if "
            "all groups were equal. table('group_gaps') has all."
        )
        names = ["Metric", "Model", "Groups of", "Worst", "Best", "Gap", "By chance"]
        parts.append(table_html(caption, names, lines))
    return "".join(parts)


def table_html(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows of texts as an HTML table; every text is escaped."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
