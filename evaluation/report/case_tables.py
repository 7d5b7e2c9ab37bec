"""Tables with a row for each case: diagnoses, verdicts, scores, misses."""

import json
from collections.abc import Iterator
from typing import Any

from ...agents.outcome import Abstained, Failed
from ..cases import Case
from ..judges.as_votes import votes_of_one
from ..judging import JudgedItem
from ..measures.answered import chosen
from ..measures.compare import MissRow
from ..measures.ended import ended
from ..measures.hierarchy import true_diagnoses
from ..measures.measure import Status, worse
from ..result import Evaluation
from ..tasks import OF_OPTIONS
from .table import Table, table_of


def predictions_table(evaluation: Evaluation) -> Table:
    """A row for each diagnosis: the true ones, and those of every response."""
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
            rows += _diagnosis_rows(evaluation, model, case)
    return Table("predictions", columns, rows)


def _diagnosis_rows(evaluation: Evaluation, model: str, case: Case) -> Iterator[list[Any]]:
    for kind, by_case in (("final", evaluation.judged.finals), ("ddx", evaluation.judged.ddx)):
        diagnoses = by_case.get((model, case.id))
        if diagnoses is None:
            continue
        for place, name in enumerate(diagnoses.names or ("",), 1):
            coded = _coded(evaluation, name)
            yield [case.id, model, kind, place, name, diagnoses.status, *coded[:2],
                   diagnoses.decided_by, *coded[2:], diagnoses.reason]  # fmt: skip


def _coded(evaluation: Evaluation, text: str) -> list[Any]:
    row = evaluation.judged.codes.find(text) if evaluation.judged.codes else None
    return [row.code, row.name, row.status, row.decided_by] if row else ["", "", "", ""]


def verdicts_table(evaluation: Evaluation) -> Table:
    """A row for each case, model, step, judge and place."""
    columns = ("case", "model", "step", "judge", "response", "place", "status", "failure",
               "reason", "score", "value", "decided_by", "cached", "repairs", "calls",
               "tokens_in", "tokens_out", "cost", "key")  # fmt: skip
    rows = [_verdict_row(item) for items in evaluation.judged.outcomes.values() for item in items]
    return Table("verdicts", columns, rows)


def _verdict_row(item: JudgedItem) -> list[Any]:
    outcome = item.outcome
    failed = isinstance(outcome, Failed)
    reason = ""
    if isinstance(outcome, Failed):
        reason = "; ".join(outcome.reasons)
    elif isinstance(outcome, Abstained):
        reason = outcome.reason
    return [
        item.case, item.model, item.task, item.judge, item.response, item.place,
        status_of(item), outcome.kind if failed else "", reason,  # type: ignore[union-attr]
        score_of(item), _json(item.value), outcome.decided_by, outcome.cached,
        outcome.repairs, outcome.calls, outcome.tokens_in, outcome.tokens_out, outcome.cost,
        outcome.key,
    ]  # fmt: skip


def status_of(item: JudgedItem) -> str:
    """done, abstained, invalid (an answer that matches no option), undecided (a tied jury), failed.

    A jury with a tie has not failed, because each of its judges answered.
    """
    if item.task in OF_OPTIONS:
        return chosen(item).status
    return ended(item.outcome)


def score_of(item: JudgedItem) -> float | None:
    """The verdict as one number, or the number computed from its parts; None without one."""
    verdict = item.step.verdict
    if item.value is None or verdict is None:
        return None
    if verdict.parts is not None and verdict.parts.total:
        return verdict.total(item.value)
    if not verdict.field or not (verdict.is_numeric or verdict.kind == "truth"):
        return None
    votes = votes_of_one(item)
    return float(votes[0].verdict) if votes[0].verdict is not None else None


def _json(value: Any) -> str:
    if value is None:
        return ""
    plain = value.model_dump(mode="json") if hasattr(value, "model_dump") else value
    return json.dumps(plain, ensure_ascii=False)


def scores_table(evaluation: Evaluation) -> Table:
    """A row for each unit's own score under every metric (for HDF1, the unit's F1), no slices.

    A metric of pairs has a row for each pair, with the name of the pair as its unit.
    """
    rows = []
    for measure in evaluation.measures:
        if measure.slice:
            continue
        values = measure.values().tolist()
        units = evaluation.units.drawn if measure.by_cluster else evaluation.units.ids
        of_unit: dict[str, tuple[float, Status]] = {}
        for unit, value, status in zip(units, values, measure.status, strict=True):
            if status != "none":
                worst = worse(status, of_unit[unit][1]) if unit in of_unit else status
                of_unit[unit] = value, worst
        about = (measure.model, measure.judge, measure.metric)
        rows += [[unit, *about, value, status] for unit, (value, status) in of_unit.items()]
    return Table("scores", ("unit", "model", "judge", "metric", "value", "status"), rows)


def misses_table(evaluation: Evaluation) -> Table:
    """A row for each true diagnosis that no prediction matches."""
    return table_of("misses", MissRow, evaluation.misses)
