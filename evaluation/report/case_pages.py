"""The cases of the report: every response with its verdicts, quotes and the judges' attempts."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...agents.outcome import Abstained, Failed
from ..cases import Case
from ..judged import MISSING, Diagnoses
from ..judging import JudgedItem
from ..result import Evaluation
from .case_tables import status_of
from .explained import explained, shown

_LONGEST = 4000  # the characters of a text that are shown at most
_LONGEST_ATTEMPT = 1200


@dataclass(frozen=True)
class Segment:
    """A piece of a response; `note` names what the judge quotes it for, empty without a quote."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class AttemptView:
    """One answer of a judge, as the model wrote it."""

    turn: int
    status: str
    text: str
    error: str


@dataclass(frozen=True)
class VerdictView:
    """One verdict in words, with the attempts of the judge."""

    step: str
    judge: str
    status: str
    words: str
    why: str
    decided_by: str
    attempts: tuple[AttemptView, ...]


@dataclass(frozen=True)
class ResponseView:
    """One model's response to a case, with its diagnoses and verdicts."""

    model: str
    status: str
    segments: tuple[Segment, ...]
    diagnoses: tuple[tuple[str, str, str], ...]
    verdicts: tuple[VerdictView, ...]


@dataclass(frozen=True)
class CaseView:
    """A case with every model's response; `failed`: at least one response has no verdict."""

    id: str
    truth: str
    text: str
    reference: str
    groups: str
    failed: bool
    responses: tuple[ResponseView, ...]


def read_attempts(path: Path) -> dict[str, tuple[AttemptView, ...]]:
    """Read the attempts by the key of their outcome; empty where there is no file."""
    by_key: dict[str, list[AttemptView]] = {}
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                attempt = json.loads(line)
            except ValueError:
                continue  # a line that an interruption cut short
            view = AttemptView(
                attempt["turn"],
                attempt["status"],
                _cut(attempt["text"], _LONGEST_ATTEMPT),
                _cut(attempt["error"], _LONGEST_ATTEMPT),
            )
            by_key.setdefault(attempt["key"], []).append(view)
    return {key: tuple(views) for key, views in by_key.items()}


def sampled(cases: Sequence[Case], count: int, seed: int) -> list[Case]:
    """Draw `count` cases at random, and keep them in the order of the file."""
    if count >= len(cases):
        return list(cases)
    places = sorted(random.Random(seed).sample(range(len(cases)), count))
    return [cases[place] for place in places]


def case_view(
    evaluation: Evaluation, case: Case, attempts: Mapping[str, tuple[AttemptView, ...]]
) -> CaseView:
    """Build what the report shows of a case."""
    responses = tuple(
        _response(evaluation, model, case, attempts) for model in evaluation.judged.models
    )
    truth = case.diagnosis.text if case.diagnosis else case.answer
    return CaseView(
        case.id,
        truth,
        _cut("\n".join(part for part in (case.case, case.question) if part), _LONGEST),
        _cut(case.reference, _LONGEST),
        "; ".join(f"{name}: {', '.join(values)}" for name, values in case.groups.items()),
        any(one.status == "failed" for one in responses),
        responses,
    )


def _response(
    evaluation: Evaluation, model: str, case: Case, attempts: Mapping[str, tuple[AttemptView, ...]]
) -> ResponseView:
    items = [
        item
        for task in evaluation.judged.tasks
        for judge in evaluation.judged.judges
        for item in evaluation.judged.of(task, judge, model, case.id)
    ]
    views = tuple(_verdict(item, attempts) for item in items)
    response = evaluation.judged.first_response(model, case.id)
    text = (response.text or response.answer or "") if response else ""
    failed = response is None or any(view.status == "failed" for view in views)
    return ResponseView(
        model,
        "failed" if failed else "done",
        tuple(highlight(_cut(text, _LONGEST), list(_quotes(items)))),
        tuple(_diagnoses(evaluation, model, case)),
        views,
    )


def _diagnoses(evaluation: Evaluation, model: str, case: Case) -> Iterator[tuple[str, str, str]]:
    """Kind, text and code of each diagnosis of a response."""
    kinds = {"final": evaluation.judged.finals, "differential": evaluation.judged.ddx}
    for kind, by_case in kinds.items():
        diagnoses: Diagnoses = by_case.get((model, case.id), MISSING)
        for name in diagnoses.names:
            row = evaluation.judged.codes.find(name) if evaluation.judged.codes else None
            code = f"{row.code} {row.name}" if row and row.code else ""
            yield kind, name, code if evaluation.judged.codes is None or code else "no code"


def _verdict(item: JudgedItem, attempts: Mapping[str, tuple[AttemptView, ...]]) -> VerdictView:
    outcome = item.outcome
    why = ""
    if isinstance(outcome, Failed):
        why = outcome.why
    elif isinstance(outcome, Abstained):
        why = outcome.reason
    else:
        why = explained(item)
    step = item.task + (f" {item.place + 1}" if item.task.endswith("_ddx")
                        and item.task.startswith("judge") else "")  # fmt: skip
    return VerdictView(
        step,
        item.judge,
        status_of(item),
        shown(item),
        _cut(why, _LONGEST_ATTEMPT),
        outcome.decided_by,
        attempts.get(outcome.key or "", ()),
    )


def _quotes(items: Sequence[JudgedItem]) -> Iterator[tuple[int, int, str]]:
    """Start, end and note of every quote from a response."""
    for item in items:
        value = item.value
        for error in getattr(value, "errors", ()):
            if error.quote is not None and error.quote.source == "response":
                yield error.quote.start, error.quote.end, error.category
        for name, dimension in getattr(value, "dimensions", {}).items():
            for quote in (*dimension.quotes, *dimension.invented):
                invented = quote in dimension.invented
                yield quote.start, quote.end, f"{name}{' (invented)' if invented else ''}"


def highlight(text: str, quotes: Sequence[tuple[int, int, str]]) -> list[Segment]:
    """Cut a text where quotes begin and end; a quoted piece has the notes of its quotes.

    >>> [(s.text, s.note) for s in highlight("a red rash", [(2, 5, "x"), (2, 10, "y")])]
    [('a ', ''), ('red', 'x; y'), (' rash', 'y')]
    """
    inside = [(s, min(e, len(text)), note) for s, e, note in quotes if 0 <= s < min(e, len(text))]
    cuts = sorted({0, len(text), *(s for s, _, _ in inside), *(e for _, e, _ in inside)})
    pieces = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        notes = dict.fromkeys(note for s, e, note in inside if s <= start and end <= e)
        pieces.append(Segment(text[start:end], "; ".join(notes)))
    return pieces


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + " …"
