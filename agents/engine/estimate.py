"""Estimate the calls, tokens and cost of a run before it is started."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

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
_CHUNK = 500  # calls looked up in the cache at once


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


@dataclass
class Count:
    """What is counted of items, without the items: a run may have many.

    items, unusable, by_stand_in, cached: as in `Estimate`. measured: kept replies with a known
    length; length: the tokens of these. tokens: tokens in of each distinct call, in the order of
    `keys`, its key.
    """

    items: int = 0
    unusable: int = 0
    by_stand_in: int = 0
    cached: int = 0
    measured: int = 0
    length: int = 0
    tokens: "array[int]" = field(default_factory=lambda: array("q"))
    keys: dict[bytes, None] = field(default_factory=dict)

    def look_up(self, calls: Sequence[Call], run: Run) -> None:
        """Count calls by whether their reply is kept; each distinct one is asked once."""
        entries = run.replies.find([call.key for call in calls])
        lengths = [one["tokens_out"] for one in entries.values() if one.get("tokens_out")]
        self.measured, self.length = self.measured + len(lengths), self.length + sum(lengths)
        for call in calls:
            if call.key in entries:
                self.cached += 1
            else:
                self._ask(bytes.fromhex(call.key), _tokens(call))

    def _ask(self, key: bytes, tokens: int) -> None:
        if key not in self.keys:
            self.keys[key] = None
            self.tokens.append(tokens)

    def plain(self) -> dict[str, Any]:
        """Return the count as plain JSON."""
        calls = [[key.hex(), tokens] for key, tokens in zip(self.keys, self.tokens, strict=True)]
        return {**{name: getattr(self, name) for name in _ADDED}, "calls": calls}

    def add(self, other: Mapping[str, Any]) -> None:
        """Add the plain count of other items; a call that both have is asked once."""
        for name in _ADDED:
            setattr(self, name, getattr(self, name) + other[name])
        for key, tokens in other["calls"]:
            self._ask(bytes.fromhex(key), tokens)

    def estimate(self, step: Step[Any, Any], judge: AnyJudge, run: Run) -> Estimate:
        """Return the estimate of the items, which this step and judge get."""
        spec = as_judge(judge).spec
        price = run.prices.in_batch(spec) if run.batches else run.prices.of(spec)
        mean_out = self.length / self.measured if self.measured else _TOKENS_OUT[step.reply]
        costs = [price.cost(tokens, round(mean_out)) if price else None for tokens in self.tokens]
        return Estimate(
            items=self.items,
            unusable=self.unusable,
            by_stand_in=self.by_stand_in,
            cached=self.cached,
            calls=len(self.tokens),
            tokens_in=sum(self.tokens),
            tokens_out=round(len(self.tokens) * mean_out),
            cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        )


_ADDED = ("items", "unusable", "by_stand_in", "cached", "measured", "length")


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
    count = count_calls(step, inputs, judge=judge, run=run, engine=engine, repeat=repeat)
    return count.estimate(step, judge, run)


def count_calls(
    step: Step[Any, Any],
    inputs: Iterable[BaseModel | Mapping[str, Any]],
    *,
    judge: AnyJudge,
    run: Run,
    engine: str = "auto",
    repeat: int = 0,
) -> Count:
    """Count what `estimate` says of some items, so that the counts of several can be added."""
    live = as_judge(judge)
    run.check(live)
    count = Count()
    open_calls: list[Call] = []
    for item in inputs:
        count.items += 1
        try:
            typed = step.read_input(without_hidden(item)[0])
            if by_stand_in(step, typed, engine, True, repeat) is not None:
                count.by_stand_in += 1
            elif is_split(step, run) and step.dimensions is not None:
                parts = step.dimensions.inputs(typed).values()
                open_calls += [prepare(step, part, live, repeat) for part in parts]
            else:
                open_calls.append(prepare(step, typed, live, repeat))
        except (UsageError, InputError):
            count.unusable += 1
        if len(open_calls) >= _CHUNK:
            count.look_up(open_calls, run)
            open_calls = []
    count.look_up(open_calls, run)
    return count


def _tokens(call: Call) -> int:
    characters = len(call.rendered.system) + len(call.rendered.user) + schema_length(call)
    text_tokens = characters // _CHARACTERS_A_TOKEN
    return text_tokens + len(call.images) * _TOKENS_AN_IMAGE
