"""The browsable cases of the report: verdicts, quotes in their text, attempts of the models."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...agents.outcome import Abstained, Failed
from ..cases import Case
from ..judged import MISSING, Found
from ..judging import Verdict
from ..result import Evaluation
from .explained import explained, shown
from .tables import status_of

_LONGEST = 4000  # characters of a text that are shown
_LONGEST_ATTEMPT = 1200


@dataclass(frozen=True)
class Segment:
    """A piece of a response; `note` says which verdicts quote it, nothing where none does."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class AttemptView:
    """One answer of a judge as it came."""

    turn: int
    status: str
    text: str
    error: str


@dataclass(frozen=True)
class VerdictView:
    """One verdict in words, with the attempts behind it."""

    step: str
    judge: str
    status: str
    said: str
    why: str
    decided_by: str
    attempts: tuple[AttemptView, ...]


@dataclass(frozen=True)
class ResponseView:
    """One model's response to a case."""

    model: str
    status: str
    segments: tuple[Segment, ...]
    diagnoses: tuple[tuple[str, str, str], ...]
    verdicts: tuple[VerdictView, ...]


@dataclass(frozen=True)
class CaseView:
    """A case with every model's response; `failed` says that some verdict is missing."""

    id: str
    truth: str
    text: str
    reference: str
    groups: str
    failed: bool
    responses: tuple[ResponseView, ...]


def read_attempts(path: Path) -> dict[str, tuple[AttemptView, ...]]:
    """Attempts by the key of their outcome; none where there is no file."""
    found: dict[str, list[AttemptView]] = {}
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                held = json.loads(line)
            except ValueError:
                continue  # a line that an interruption cut short
            view = AttemptView(
                held["turn"],
                held["status"],
                _cut(held["text"], _LONGEST_ATTEMPT),
                _cut(held["error"], _LONGEST_ATTEMPT),
            )
            found.setdefault(held["key"], []).append(view)
    return {key: tuple(views) for key, views in found.items()}


def sampled(cases: Sequence[Case], count: int, seed: int) -> list[Case]:
    """So many cases at random, in the order of the file."""
    if count >= len(cases):
        return list(cases)
    places = sorted(random.Random(seed).sample(range(len(cases)), count))
    return [cases[place] for place in places]


def case_view(
    made: Evaluation, case: Case, attempts: Mapping[str, tuple[AttemptView, ...]]
) -> CaseView:
    """What the report shows of a case."""
    responses = tuple(_response(made, model, case, attempts) for model in made.judged.models)
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
    made: Evaluation, model: str, case: Case, attempts: Mapping[str, tuple[AttemptView, ...]]
) -> ResponseView:
    verdicts = [
        verdict
        for task in made.judged.tasks
        for judge in made.judged.judges
        for verdict in made.judged.of(task, judge, model, case.id)
    ]
    views = tuple(_verdict(one, attempts) for one in verdicts)
    response = made.judged.first_response(model, case.id)
    text = (response.text or response.answer or "") if response else ""
    failed = response is None or any(view.status == "failed" for view in views)
    return ResponseView(
        model,
        "failed" if failed else "done",
        tuple(highlight(_cut(text, _LONGEST), list(_quotes(verdicts)))),
        tuple(_diagnoses(made, model, case)),
        views,
    )


def _diagnoses(made: Evaluation, model: str, case: Case) -> Iterator[tuple[str, str, str]]:
    """Kind, text and code of what was found in a response."""
    for kind, held in (("final", made.judged.finals), ("differential", made.judged.ddx)):
        found: Found = held.get((model, case.id), MISSING)
        for name in found.names:
            row = made.judged.codes.find(name) if made.judged.codes else None
            code = f"{row.code} {row.name}" if row and row.code else ""
            yield kind, name, code if made.judged.codes is None or code else "no code"


def _verdict(verdict: Verdict, attempts: Mapping[str, tuple[AttemptView, ...]]) -> VerdictView:
    outcome = verdict.outcome
    why = ""
    if isinstance(outcome, Failed):
        why = f"{outcome.kind}: {'; '.join(outcome.reasons)}"
    elif isinstance(outcome, Abstained):
        why = outcome.reason
    else:
        why = explained(verdict)
    step = verdict.task + (f" {verdict.place + 1}" if verdict.task.endswith("_ddx")
                           and verdict.task.startswith("judge") else "")  # fmt: skip
    return VerdictView(
        step,
        verdict.judge,
        status_of(verdict),
        shown(verdict),
        _cut(why, _LONGEST_ATTEMPT),
        outcome.decided_by,
        attempts.get(outcome.key or "", ()),
    )


def _quotes(verdicts: Sequence[Verdict]) -> Iterator[tuple[int, int, str]]:
    """Start, end and note of every quote from a response."""
    for verdict in verdicts:
        value = verdict.value
        for error in getattr(value, "errors", ()):
            if error.quote is not None and error.quote.source == "response":
                yield error.quote.start, error.quote.end, error.category
        for name, one in getattr(value, "dimensions", {}).items():
            for quote in (*one.quotes, *one.invented):
                invented = quote in one.invented
                yield quote.start, quote.end, f"{name}{' (invented)' if invented else ''}"


def highlight(text: str, quotes: Sequence[tuple[int, int, str]]) -> list[Segment]:
    """Cut a text where quotes begin and end; pieces that are quoted carry the notes.

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
