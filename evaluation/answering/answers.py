"""Ask the models, and gather the outcomes of the calls into the rows of the responses."""

from bisect import bisect_left, bisect_right
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ...agents.answering.form import PROBABILITIES, SCORES
from ...agents.engine.estimate import Estimate, estimate
from ...agents.engine.run import Run
from ...agents.outcome import Outcome
from ...files.sequences import Lazy
from ...graphs.columns import columns_of
from ...graphs.gather import side_by_side
from ...graphs.step import stream_step
from ...scoring.tokens import likeliest_option, mean_logprobs, option_probabilities
from .plan import AnswerPlan, Item, Row, groups_of


async def ask_models(
    plan: AnswerPlan, positions: Sequence[int], run: Run
) -> AsyncGenerator[tuple[int, Outcome], None]:
    """Yield (index into the positions, outcome) of each call as it ends.

    The models are asked side by side, each about one group of calls after the other.
    """
    items = [plan.items[position] for position in positions]
    by_model: dict[str, list[list[int]]] = {}
    for group in groups_of(items):
        by_model.setdefault(items[group[0]].judge.spec.endpoint, []).append(group)
    streams = [_ask_groups(items, groups, run) for groups in by_model.values()]
    async with aclosing(side_by_side(streams)) as outcomes:
        async for _, pair in outcomes:
            yield pair


async def _ask_groups(
    items: Sequence[Item], groups: Sequence[Sequence[int]], run: Run
) -> AsyncGenerator[tuple[int, Outcome], None]:
    for group in groups:
        first = items[group[0]]
        stream = stream_step(
            first.step,
            [items[place].inputs for place in group],
            judge=first.judge,
            run=run,
            engine="llm",
            repeat=first.repeat,
        )
        async with aclosing(stream):
            async for index, outcome in stream:
                yield group[index], outcome


def estimate_answers(
    plan: AnswerPlan, positions: Sequence[int], run: Run
) -> list[tuple[str, str, Estimate]]:
    """Return the estimate of each group of these calls with its model and step; sends nothing."""
    items = [plan.items[position] for position in positions]
    return [
        (
            (first := items[group[0]]).judge.spec.label,
            first.step.name,
            estimate(
                first.step,
                [items[place].inputs for place in group],
                judge=first.judge,
                run=run,
                engine="llm",
                repeat=first.repeat,
            ),
        )
        for group in groups_of(items)
    ]


@dataclass(frozen=True)
class Answered:
    """A row of the responses with its answers: column -> value.

    reason: why a call failed, "" where none did. notes: what was changed in the question.
    """

    row: Row
    answers: Mapping[str, Any]
    reason: str
    notes: tuple[str, ...] = ()


def gather_answers(plan: AnswerPlan, outcomes: Sequence[Outcome]) -> Sequence[Answered]:
    """Return the rows with their answers, read from the outcomes when they are asked for.

    outcomes: in the order of the plan's items, in which the items of a row follow each other.
    """

    def answered(place: int) -> Answered:
        first = bisect_left(plan.items, place, key=_row)
        last = bisect_right(plan.items, place, first, key=_row)
        calls = [(plan.items[number], outcomes[number]) for number in range(first, last)]
        return _answered(plan.rows[place], calls)

    return Lazy(len(plan.rows), answered)


def _row(item: Item) -> int:
    return item.row


def answer_columns(plan: AnswerPlan, answered: Sequence[Answered]) -> dict[str, Sequence[Any]]:
    """Return the columns of the responses, in the form that `evaluate` reads.

    sample, variant, withheld and presented_as are written where the settings ask for them. The
    values are read when they are asked for.
    """
    settings = plan.settings
    asked = {
        "sample": settings.samples > 1,
        "variant": settings.variants,
        "withheld": settings.withheld,
        "presented_as": settings.presentations,
    }
    names = ("id", "model", *(name for name, is_asked in asked.items() if is_asked))
    of_form = (*plan.form.columns, *plan.form.adds)
    # The form may write a column that is named like what was not asked for, such as variant.
    own = frozenset((*names, "status", "reason"))

    def cells(one: Answered) -> dict[str, Any]:
        about = {name: value for name, value in _about(one).items() if name in own}
        return {**one.answers, **plan.form.adds, **about}

    return columns_of(answered, dict.fromkeys((*names, *of_form, "status", "reason")), cells)


def _about(one: Answered) -> dict[str, Any]:
    """The cells of a row that do not come from its answers."""
    row = one.row
    return {
        "id": row.case,
        "model": row.model,
        "sample": str(row.sample + 1),
        "variant": row.variant,
        "withheld": row.withheld,
        "presented_as": row.presented_as,
        "status": "failed" if one.reason else "done",
        "reason": "; ".join((one.reason, *one.notes)).lstrip("; "),
    }


def _answered(row: Row, calls: Sequence[tuple[Item, Outcome]]) -> Answered:
    answers: dict[str, Any] = {}
    reasons = [row.fault] if row.fault else []
    for column in dict.fromkeys(item.ask.writes for item, _ in calls):
        own = [(item, outcome) for item, outcome in calls if item.ask.writes == column]
        failed = [outcome for _, outcome in own if outcome.status == "failed"]
        if failed:
            several = len({item.ask.writes for item, _ in calls}) > 1
            reasons.append(f"{column}: {_reason(failed[0])}" if several else _reason(failed[0]))
            continue
        written, fault = _READERS[own[0][0].ask.reply](own)
        answers |= {column if name == "" else name: value for name, value in written.items()}
        reasons += [fault] if fault else []
    notes = dict.fromkeys(note for _, outcome in calls for note in outcome.notes)
    return Answered(row, answers, "; ".join(reasons), tuple(notes))


def _reason(outcome: Outcome) -> str:
    return outcome.last_why if outcome.status == "failed" else ""


Written = tuple[dict[str, Any], str]
Calls = Sequence[tuple[Item, Outcome]]


def _text(calls: Calls) -> Written:
    return {"": _value(calls[0][1], "text")}, ""


def _differential(calls: Calls) -> Written:
    return {"": list(_value(calls[0][1], "diagnoses"))}, ""


def _first_token(calls: Calls) -> Written:
    [(item, outcome)] = calls
    tokens = [(str(token), float(score)) for token, score in _value(outcome, "tokens")]
    probabilities = option_probabilities(tokens, item.letters)
    if not probabilities:
        listed = ", ".join(repr(token) for token, _ in tokens[:5])
        return {}, f"invalid: no option is among the likeliest first tokens {listed}, ..."
    letter = likeliest_option(probabilities)
    # A letter that was not among the tokens has an unknown probability, not 0.
    is_whole = set(probabilities) == set(item.letters)
    if letter is None and not is_whole:
        return {}, "invalid: several options are equally likely, and not all are among the tokens"
    ordered = {name: probabilities[name] for name in item.letters if name in probabilities}
    return {"": letter, PROBABILITIES: ordered if is_whole else None}, ""


def _likelihood(calls: Calls) -> Written:
    scores = mean_logprobs({item.option: _value(outcome, "logprobs") for item, outcome in calls})
    return {"": likeliest_option(scores), SCORES: scores}, ""


_READERS = {
    "text": _text,
    "differential": _differential,
    "probabilities": _first_token,
    "likelihood": _likelihood,
}


def _value(outcome: Outcome, name: str) -> Any:
    value = outcome.value if outcome.status != "failed" else None
    # A value that a journal kept is plain JSON.
    return getattr(value, name) if isinstance(value, BaseModel) else dict(value or {})[name]
