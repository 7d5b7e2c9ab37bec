"""What a run would take, before anything is spent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ...cache.store import Entry
from ...errors import InputError, UsageError
from ..stand_ins import by_stand_in
from ..step import Step
from ..steps import find_step
from .answer import schema_text
from .call import Call, prepare
from .hidden import without_hidden
from .judges import AnyJudge, as_judge
from .run import Run

_TOKENS_OUT = 40  # an answer of a few fields, where no kept reply tells better
_TOKENS_AN_IMAGE = 1000
_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Estimate:
    """Items by what will settle them, and what the calls will take.

    calls: first requests, one for each distinct item that is neither kept nor decided otherwise;
    repairs and retries come on top. cost: US dollars, None where the price is unknown.
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
    """Estimate a run of a step; sends nothing and needs no key.

    Tokens in are characters / 4. Tokens out are the mean of the items' kept replies, where
    there are any. Raises UsageError for the step, the judge or the engine.
    """
    found, live = find_step(step), as_judge(judge)
    items = unusable = by_rule = 0
    calls: list[Call] = []
    for item in inputs:
        items += 1
        try:
            typed = found.read_input(without_hidden(item)[0])
            if by_stand_in(found, typed, engine, True, repeat) is not None:
                by_rule += 1
            else:
                calls.append(prepare(found, typed, live, repeat))
        except (UsageError, InputError):
            unusable += 1
    kept = run.replies.find([call.key for call in calls])
    asked = {call.key: _tokens(call) for call in calls if call.key not in kept}
    mean_out = _mean_tokens_out(kept.values())
    price = run.prices.of(live.spec)
    costs = [price.cost(tokens, round(mean_out)) if price else None for tokens in asked.values()]
    return Estimate(
        items=items,
        unusable=unusable,
        by_stand_in=by_rule,
        cached=sum(call.key in kept for call in calls),
        calls=len(asked),
        tokens_in=sum(asked.values()),
        tokens_out=round(len(asked) * mean_out),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _tokens(call: Call) -> int:
    written = (call.rendered.system, call.rendered.user, schema_text(call.answer))
    text = sum(map(len, written)) // _CHARACTERS_A_TOKEN
    return text + len(call.images) * _TOKENS_AN_IMAGE


def _mean_tokens_out(entries: Iterable[Entry]) -> float:
    known = [entry["tokens_out"] for entry in entries if entry.get("tokens_out")]
    return sum(known) / len(known) if known else _TOKENS_OUT
