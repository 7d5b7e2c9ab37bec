"""Every table of an evaluation as plain rows: numbers, comparisons of models and judges."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from ...graphs.jury.votes_file import votes_table
from ..judges.agreement_rows import AgreementRow, CountRow
from ..judges.as_votes import votes_of
from ..judges.swap_text import swap_tables
from ..judging import NO_JUDGE
from ..measures.criteria import CriterionRow, criteria_rows
from ..measures.group_gaps import GroupGap
from ..measures.model_groups import GroupMean
from ..measures.numbers import Number
from ..measures.standings import Gap
from ..result import Evaluation
from .case_tables import misses_table, predictions_table, scores_table, verdicts_table
from .main_table import main_table
from .pairwise_tables import pairwise_tables
from .paper_tables import paper_table, paper_views
from .small_tables import (
    alignment_table,
    modal_table,
    ranks_table,
    samples_table,
    shifts_table,
    spreads_table,
)
from .table import Table, table_of


def all_tables(evaluation: Evaluation) -> Iterator[Table]:
    """Yield every table that has a row, the main one first; numbers have the signature's id.

    Each table is built when it is wanted: the rows of all would need much memory together.
    """
    return (table for table in _built(evaluation) if table.rows)


def _built(evaluation: Evaluation) -> Iterator[Table]:
    yield main_table(evaluation)
    yield _numbers("summary", evaluation, evaluation.numbers)
    yield _numbers(
        "levels", evaluation, [n for n in evaluation.numbers if n.slice.startswith("level")]
    )
    yield _numbers(
        "chapters", evaluation, [n for n in evaluation.numbers if n.slice.startswith("chapter")]
    )
    yield _numbers("groups", evaluation, [n for n in evaluation.numbers if n.group_by])
    yield ranks_table(evaluation)
    yield shifts_table(evaluation)
    yield table_of("differences", Gap, evaluation.gaps)
    yield table_of("group_gaps", GroupGap, evaluation.group_gaps)
    yield predictions_table(evaluation)
    yield verdicts_table(evaluation)
    yield scores_table(evaluation)
    yield misses_table(evaluation)
    yield alignment_table(evaluation)
    yield table_of("model_groups", GroupMean, evaluation.model_groups)
    yield from pairwise_tables(evaluation)
    yield table_of("criteria", CriterionRow, list(criteria_rows(evaluation.judged)))
    yield from _compared(evaluation)
    yield from _swap(evaluation)
    yield _stability(evaluation)
    yield spreads_table(evaluation)
    yield samples_table(evaluation)
    yield modal_table(evaluation)
    yield paper_table(paper_views(evaluation), evaluation.signature["id"])


def _numbers(name: str, evaluation: Evaluation, numbers: Sequence[Number]) -> Table:
    names = tuple(column.name for column in fields(Number))
    rows = [
        [*(getattr(one, column) for column in names), evaluation.signature["id"]] for one in numbers
    ]
    return Table(name, (*names, "signature"), rows)


def _compared(evaluation: Evaluation) -> list[Table]:
    """The votes of the judges, and their agreement."""
    tables = []
    if evaluation.judged.judges != (NO_JUDGE,):
        columns = votes_table(votes_of(evaluation.judged), typed=False, by_groups=True)
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        tables.append(Table("votes", tuple(columns), rows))
    if evaluation.agreement is not None:
        tables += [
            table_of("agreement", AgreementRow, evaluation.agreement.rows),
            table_of("vote_counts", CountRow, evaluation.agreement.counts),
        ]
    return tables


def _swap(evaluation: Evaluation) -> list[Table]:
    if evaluation.swap is None:
        return []
    return [Table(name, *table) for name, table in swap_tables(evaluation.swap).items()]


def _stability(evaluation: Evaluation) -> Table:
    rows: list[list[Any]] = []
    for metric, stability in evaluation.stability.items():
        for (first, second), tau in stability.taus.items():
            rows.append([metric, f"{first} / {second}", "kendall_tau_b", tau.estimate, tau.low,
                         tau.high])  # fmt: skip
        for entry in stability.ranges:
            rows.append([metric, entry.model, "rank_range", None, entry.best, entry.worst])
    return Table("stability", ("metric", "of", "measure", "value", "low", "high"), rows)
