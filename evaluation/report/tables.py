"""Tables of an evaluation as plain rows: verdicts, predictions, scores, numbers, comparisons."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ...agents.outcome import Abstained, Failed
from ...graphs.jury.votes_file import votes_table
from ..cases import Case
from ..judges.agreement_table import AgreementRow, CountRow
from ..judges.as_votes import votes_of
from ..judges.swap_text import swap_tables
from ..judging import NO_JUDGE, JudgedItem
from ..measures.answered import chosen
from ..measures.evidence import ModalGap
from ..measures.hierarchy import true_diagnoses
from ..measures.numbers import Number
from ..measures.standings import Gap, Rank
from ..result import Evaluation
from ..settings import Column
from .explained import score_of


@dataclass(frozen=True)
class Table:
    """A table: its file name without suffix, the column names, and rows of plain values."""

    name: str
    columns: tuple[str, ...]
    rows: list[list[Any]]


def all_tables(evaluation: Evaluation) -> list[Table]:
    """Every table that has a row, the main one first; numbers carry the signature's id."""
    tables = [
        main_table(evaluation),
        _numbers("summary", evaluation, evaluation.numbers),
        _numbers(
            "levels", evaluation, [n for n in evaluation.numbers if n.slice.startswith("level")]
        ),
        _numbers(
            "chapters", evaluation, [n for n in evaluation.numbers if n.slice.startswith("chapter")]
        ),
        _numbers("groups", evaluation, [n for n in evaluation.numbers if n.group_by]),
        _plain("ranks", Rank, evaluation.ranks),
        _shifts(evaluation),
        _plain("differences", Gap, evaluation.gaps),
        _predictions(evaluation),
        _verdicts(evaluation),
        _scores(evaluation),
        _misses(evaluation),
        *_compared(evaluation),
        *_swap(evaluation),
        _stability(evaluation),
        _spreads(evaluation),
        _modal(evaluation),
    ]
    return [table for table in tables if table.rows]


def judges_of(evaluation: Evaluation) -> tuple[str, ...]:
    """The judges under whom the main table differs; one empty name where no judge matters."""
    named = {one.judge for one in evaluation.numbers if one.judge}
    return tuple(judge for judge in evaluation.judged.judges if judge in named) or ("",)


def expanded(evaluation: Evaluation) -> list[tuple[Column, str]]:
    """The columns of the main table, each with its group.

    A column of a preset without any number is left out; one that the settings name stays, empty.
    """
    found = []
    for column in evaluation.columns:
        groups = [""]
        if column.by:
            groups = (
                evaluation.units.values(column.by) if column.by in evaluation.units.groups else []
            )
        for single in _single(evaluation, column):
            for group in groups:
                named = evaluation.settings.columns is not None and not column.by
                if named or any(_is(one, single, group) for one in evaluation.numbers):
                    found.append((single, group))
    return found


def _single(evaluation: Evaluation, column: Column) -> list[Column]:
    """The column, or one for each metric where it stands for several."""
    metrics = dict.fromkeys(one.metric for one in evaluation.numbers if column.covers(one.metric))
    if not metrics or column.metric in metrics:
        return [column]
    return [Column(metric, column.title_of(metric), column.by) for metric in metrics]


def _is(one: Number, column: Column, group: str) -> bool:
    held = (one.metric, one.slice, one.group_by, one.group)
    return held == (column.metric, "", column.by, group)


def cell_of(
    evaluation: Evaluation, column: Column, group: str, model: str, judge: str
) -> Number | None:
    """The number in a cell of the main table."""
    return evaluation.number(column.metric, model, judge, group_by=column.by, group=group)


def main_table(evaluation: Evaluation) -> Table:
    """The columns of the system's main table, with interval, bounds and what is unresolved."""
    columns = expanded(evaluation)
    titles = [column.title or group for column, group in columns]
    names = ["judge", "model"]
    for title in titles:
        names += [title, f"{title} low", f"{title} high", f"{title} worst", f"{title} best"]
    names += ["n", "failed", "abstained", "unmapped", "invalid", "signature"]
    rows = []
    for judge in judges_of(evaluation):
        for model in evaluation.judged.models:
            cells = [cell_of(evaluation, column, group, model, judge) for column, group in columns]
            row: list[Any] = [judge, model]
            for one in cells:
                row += [one.value, one.low, one.high, one.worst, one.best] if one else [None] * 5
            row += [*unresolved(cells), evaluation.signature["id"]]
            rows.append(row)
    return Table("main_table", tuple(names), rows)


def unresolved(cells: Sequence[Number | None]) -> list[int]:
    """The largest n, failed, abstained, unmapped and invalid of a model's headline numbers."""
    held = [one for one in cells if one is not None]
    names = ("n", "failed", "abstained", "unmapped", "invalid")
    return [max((getattr(one, name) for one in held), default=0) for name in names]


def _numbers(name: str, evaluation: Evaluation, numbers: Sequence[Number]) -> Table:
    names = tuple(each.name for each in fields(Number) if each.name != "higher_is_better")
    rows = [
        [*(getattr(one, column) for column in names), evaluation.signature["id"]] for one in numbers
    ]
    return Table(name, (*names, "signature"), rows)


def _plain(name: str, kind: Any, held: Sequence[Any]) -> Table:
    names = tuple(each.name for each in fields(kind))
    return Table(name, names, [[getattr(one, column) for column in names] for one in held])


def _shifts(evaluation: Evaluation) -> Table:
    rows = [
        [judge, shift.model, shift.before, shift.after, shift.change]
        for judge, shifts in evaluation.shifts.items()
        for shift in shifts
    ]
    before, after = evaluation.preset.before, evaluation.preset.after
    return Table(
        "rank_change", ("judge", "model", f"rank {before}", f"rank {after}", "places climbed"), rows
    )


def _predictions(evaluation: Evaluation) -> Table:
    """One row a diagnosis: the true ones and what was found in every response."""
    columns = ("case", "model", "kind", "place", "text", "status", "code", "name", "decided_by",
               "mapping_status", "mapping_decided_by", "reason")  # fmt: skip
    rows = []
    for case in evaluation.judged.cases:
        if evaluation.judged.codes is not None:
            for place, diagnosis in enumerate(true_diagnoses(case, evaluation.settings), 1):
                coded = _coded(evaluation, diagnosis.text)
                if diagnosis.codes:
                    coded = [" ".join(diagnosis.codes), *coded[1:2], "mapped", "given"]
                rows.append(
                    [case.id, "(truth)", "truth", place, diagnosis.text, "given", *coded[:2],
                     "file", *coded[2:], ""]
                )  # fmt: skip
        for model in evaluation.judged.models:
            rows += _found_rows(evaluation, model, case)
    return Table("predictions", columns, rows)


def _found_rows(evaluation: Evaluation, model: str, case: Case) -> Iterator[list[Any]]:
    for kind, held in (("final", evaluation.judged.finals), ("ddx", evaluation.judged.ddx)):
        found = held.get((model, case.id))
        if found is None:
            continue
        for place, name in enumerate(found.names or ("",), 1):
            coded = _coded(evaluation, name)
            yield [case.id, model, kind, place, name, found.status, *coded[:2],
                   found.decided_by, *coded[2:], found.reason]  # fmt: skip


def _coded(evaluation: Evaluation, text: str) -> list[Any]:
    row = evaluation.judged.codes.find(text) if evaluation.judged.codes else None
    return [row.code, row.name, row.status, row.decided_by] if row else ["", "", "", ""]


def _verdicts(evaluation: Evaluation) -> Table:
    """One row a case, model, step, judge and place."""
    columns = ("case", "model", "step", "judge", "response", "place", "status", "failure",
               "reason", "score", "value", "decided_by", "cached", "repairs", "calls",
               "tokens_in", "tokens_out", "cost", "key")  # fmt: skip
    rows = [
        _verdict_row(verdict)
        for verdicts in evaluation.judged.outcomes.values()
        for verdict in verdicts
    ]
    return Table("verdicts", columns, rows)


def _verdict_row(verdict: JudgedItem) -> list[Any]:
    outcome = verdict.outcome
    failed = isinstance(outcome, Failed)
    reason = ""
    if isinstance(outcome, Failed):
        reason = "; ".join(outcome.reasons)
    elif isinstance(outcome, Abstained):
        reason = outcome.reason
    return [
        verdict.case, verdict.model, verdict.task, verdict.judge, verdict.response, verdict.place,
        status_of(verdict), outcome.kind if failed else "", reason,  # type: ignore[union-attr]
        score_of(verdict), _json(verdict.value), outcome.decided_by, outcome.cached,
        outcome.repairs, outcome.calls, outcome.tokens_in, outcome.tokens_out, outcome.cost,
        outcome.key,
    ]  # fmt: skip


def status_of(verdict: JudgedItem) -> str:
    """done, abstained, invalid (an answer that matches no option), undecided (a tied jury), failed.

    A jury whose judges are at odds has not failed: each of them answered.
    """
    outcome = verdict.outcome
    if isinstance(outcome, Failed) and outcome.reasons[0].startswith("tied: "):
        return "undecided"
    if verdict.task in ("match_option", "score_free_answer"):
        return chosen(verdict).status
    return verdict.outcome.status


def _json(value: Any) -> str:
    if value is None:
        return ""
    plain = value.model_dump(mode="json") if hasattr(value, "model_dump") else value
    return json.dumps(plain, ensure_ascii=False)


def _scores(evaluation: Evaluation) -> Table:
    """Every unit's own score under every metric (of HDF1: the unit's F1), without slices."""
    rows = []
    for measure in evaluation.measures:
        if measure.slice:
            continue
        values = measure.values().tolist()
        for unit, value, status in zip(evaluation.units.ids, values, measure.status, strict=True):
            if status != "none":
                rows.append([unit, measure.model, measure.judge, measure.metric, value, status])
    return Table("scores", ("unit", "model", "judge", "metric", "value", "status"), rows)


def _misses(evaluation: Evaluation) -> Table:
    from ..measures.compare import MissRow

    return _plain("misses", MissRow, evaluation.misses)


def _compared(evaluation: Evaluation) -> list[Table]:
    """The votes of the judges and how far they agree."""
    tables = []
    if evaluation.judged.judges != (NO_JUDGE,):
        columns = votes_table(votes_of(evaluation.judged), typed=False, by_groups=True)
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        tables.append(Table("votes", tuple(columns), rows))
    if evaluation.agreement is not None:
        tables += [
            _plain("agreement", AgreementRow, evaluation.agreement.rows),
            _plain("vote_counts", CountRow, evaluation.agreement.counts),
        ]
    return tables


def _swap(evaluation: Evaluation) -> list[Table]:
    if evaluation.swap is None:
        return []
    return [Table(name, *held) for name, held in swap_tables(evaluation.swap).items()]


def _stability(evaluation: Evaluation) -> Table:
    rows: list[list[Any]] = []
    for metric, found in evaluation.stability.items():
        for (first, second), tau in found.taus.items():
            rows.append([metric, f"{first} / {second}", "kendall_tau_b", tau.estimate, tau.low,
                         tau.high])  # fmt: skip
        for entry in found.ranges:
            rows.append([metric, entry.model, "rank_range", None, entry.best, entry.worst])
    return Table("stability", ("metric", "of", "measure", "value", "low", "high"), rows)


def _spreads(evaluation: Evaluation) -> Table:
    rows = [[model, judge, s.mean, s.sd, s.lowest, s.highest, s.n]
            for (model, judge), s in evaluation.spreads.items()]  # fmt: skip
    names = ("model", "judge", "mean set accuracy", "sd", "lowest", "highest", "variants")
    return Table("variants", names, rows)


def _modal(evaluation: Evaluation) -> Table:
    return _plain("cross_modal", ModalGap, evaluation.modal)


def plain_cells(row: Sequence[Any]) -> list[str]:
    """Cells as text: numbers with all their digits, nothing for None and NaN."""
    return [_cell(value) for value in row]


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
