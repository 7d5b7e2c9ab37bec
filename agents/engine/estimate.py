"""Estimate the calls, tokens and cost of a run before it is started."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ...cache.store import Entry
from ...errors import InputError, UsageError
from ..stand_ins import by_stand_in
from ..step import ReplyForm, Step
from ..steps import find_step
from .ask import is_split
from .call import Call, prepare, schema_length
from .hidden import without_hidden
from .judges import AnyJudge, as_judge
from .run import Run

# Lengths of answers where there is no kept reply to measure: a few fields, a text, one token.
_TOKENS_OUT: Mapping[ReplyForm, int] = {"json": 40, "text": 400, "token": 1, "likelihood": 1}
_TOKENS_AN_IMAGE = 1000
_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Estimate:
    """How many items each way will settle, and the tokens and cost of the calls.

    calls: first requests, one for each distinct item without a kept reply or a stand-in's
    decision; repairs and retries are not included. cost: US dollars, None when the price is
    unknown.
    """

    items: int
    unusable: int
    by_stand_in: int
    cached: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def estimate(
    step: Step[Any, Any] | str,
    inputs: Iterable[BaseModel | Mapping[str, Any]],
    *,
    judge: AnyJudge,
    run: Run,
    engine: str = "auto",
    repeat: int = 0,
) -> Estimate:
    """Estimate a run of a step; sends no request and needs no key.

    Tokens in are characters / 4. Tokens out are the mean of the items' kept replies, or, when
    there are none, 40, for a free text 400. Raises UsageError for the step, the judge or the
    engine.
    """
    step = find_step(step)
    live = as_judge(judge)
    run.check(live)
    items = unusable = by_rule = 0
    calls: list[Call] = []
    for item in inputs:
        items += 1
        try:
            typed = step.read_input(without_hidden(item)[0])
            if by_stand_in(step, typed, engine, True, repeat) is not None:
                by_rule += 1
            elif is_split(step, run) and step.dimensions is not None:
                parts = step.dimensions.inputs(typed).values()
                calls += [prepare(step, part, live, repeat) for part in parts]
            else:
                calls.append(prepare(step, typed, live, repeat))
        except (UsageError, InputError):
            unusable += 1
    entries = run.replies.find([call.key for call in calls])
    tokens_by_key = {call.key: _tokens(call) for call in calls if call.key not in entries}
    mean_out = _mean_tokens_out(entries.values(), _TOKENS_OUT[step.reply])
    price = run.prices.in_batch(live.spec) if run.batches else run.prices.of(live.spec)
    costs = [
        price.cost(tokens, round(mean_out)) if price else None for tokens in tokens_by_key.values()
    ]
    return Estimate(
        items=items,
        unusable=unusable,
        by_stand_in=by_rule,
        cached=sum(call.key in entries for call in calls),
        calls=len(tokens_by_key),
        tokens_in=sum(tokens_by_key.values()),
        tokens_out=round(len(tokens_by_key) * mean_out),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _tokens(call: Call) -> int:
    characters = len(call.rendered.system) + len(call.rendered.user) + schema_length(call)
    text_tokens = characters // _CHARACTERS_A_TOKEN
    return text_tokens + len(call.images) * _TOKENS_AN_IMAGE


def _mean_tokens_out(entries: Iterable[Entry], unknown: int) -> float:
    counts = [entry["tokens_out"] for entry in entries if entry.get("tokens_out")]
    return sum(counts) / len(counts) if counts else unknown
