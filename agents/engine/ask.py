"""The engine: turn an item into an outcome by stand-ins, the cache, a model and repairs."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic import BaseModel

from ...cache.store import Entry
from ...errors import ReplayMiss
from ..batches.answers import AskedElsewhere
from ..outcome import Abstained, Done, Failed, FailureKind, Outcome
from ..stand_ins import by_stand_in
from ..step import Step
from ..steps import find_step
from ..watching.spans import end_item, item_span, repair_span, settled_item
from .call import Call, prepare
from .conclude import account, as_entry, conclude, from_entry, summed
from .conversation import Conversation
from .echo import echo, listed
from .examine import Problem, Valid, examine
from .flights import Flights
from .hidden import without_hidden
from .judges import AnyJudge, Judge, as_judge
from .ledger import AttemptStatus
from .limits import BudgetReached
from .run import Run
from .tally import Arrived
from .verdicts import TurnFailed

BREATH = 50
"""After so many items without waiting, other tasks of the event loop get a turn."""
_FLIGHTS: Flights[Outcome] = Flights()
_FREE: dict[str, Any] = {"calls": 0, "tokens_in": 0, "tokens_out": 0, "cost": 0.0}
_STATUS: dict[FailureKind, AttemptStatus] = {"refused": "refused", "truncated": "truncated"}


async def ask(
    step: Step[Any, Any] | str,
    inputs: BaseModel | Mapping[str, Any],
    *,
    judge: AnyJudge | None,
    run: Run,
    repeat: int = 0,
    engine: str = "auto",
) -> Outcome:
    """Run one item through one step and return its outcome.

    engine: "auto" (the stand-ins in their order, then the judge), "llm" (only the judge) or the
    name of a stand-in. repeat: the number of this sample; another number is another call.
    Raises UsageError or InputError (inputs, judge or engine cannot be used), AuthenticationFault,
    ModelFault (no item can succeed) or ReplayMiss. Every other fault is returned as Failed.
    """
    step = find_step(step)
    cleaned, hidden = without_hidden(inputs)
    typed = step.read_input(cleaned)
    run.count_hidden(hidden)
    decided = by_stand_in(step, typed, engine, judge is not None, repeat)
    if decided is not None:
        run.ledger.close_item(decided, decided.decided_by)
        settled_item(run.tracer, decided)
        return decided
    assert judge is not None  # without a judge, by_stand_in has decided or raised
    if is_split(step, run):
        return await ask_dimensions(step, typed, judge=as_judge(judge), run=run, repeat=repeat)
    return await settle(prepare(step, typed, as_judge(judge), repeat), run)


def is_split(step: Step[Any, Any], run: Run) -> bool:
    """Whether this run asks about each dimension of this step in a call of its own."""
    return run.one_dimension and step.dimensions is not None


async def ask_dimensions(
    step: Step[Any, Any], typed: BaseModel, *, judge: Judge, run: Run, repeat: int
) -> Outcome:
    """Ask about each dimension of an input in a call of its own, and return one outcome.

    It fails if a dimension fails; each reason names its dimension. The account is the sum.
    """
    assert step.dimensions is not None
    calls = {
        name: prepare(step, inputs, judge, repeat)
        for name, inputs in step.dimensions.inputs(typed).items()
    }
    settled = await asyncio.gather(*(settle(call, run) for call in calls.values()))
    outcomes: dict[str, Outcome] = dict(zip(calls, settled, strict=True))
    about = summed(outcomes)
    failed = {name: one for name, one in outcomes.items() if one.status == "failed"}
    if failed:
        reasons = tuple(f"{name}: {why}" for name, one in failed.items() for why in one.reasons)
        return Failed(**about, kind=next(iter(failed.values())).kind, reasons=reasons)
    abstained = next((one for one in outcomes.values() if one.status == "abstained"), None)
    if abstained is not None:
        return Abstained(**about, reason=abstained.reason)
    values = {name: one.value for name, one in outcomes.items() if one.status == "done"}
    return Done(**about, value=step.dimensions.result(typed, values))


async def settle(call: Call, run: Run) -> Outcome:
    """Return a call's outcome: kept, shared with an identical call, or asked from the model."""
    with item_span(run.tracer, call.step.name) as span:
        outcome = await _settle(call, run)
        end_item(span, outcome)
    run.ledger.close_item(outcome, call.spec.label)
    return outcome


async def _settle(call: Call, run: Run) -> Outcome:
    if run.replies.mode == "off" or not call.judge.cacheable:
        return await _converse(call, run)
    # The flight includes the look-up: between the two, an identical call may finish.
    place = (run.replies.store.place, run.replies.mode, call.key)
    outcome, shared = await _FLIGHTS.share(place, lambda: _look_up(call, run))
    if not shared:
        return outcome
    return outcome.model_copy(update={**_FREE, "cached": outcome.status != "failed"})


async def replay(calls: Sequence[Call], run: Run) -> list[Outcome | None]:
    """Return the kept outcomes of many calls, None for a call without one."""
    entries = await run.replies.afind([call.key for call in calls if call.judge.cacheable])
    outcomes: list[Outcome | None] = []
    for place, call in enumerate(calls):
        if place % BREATH == 0:
            await asyncio.sleep(0)
        outcomes.append(_kept(call, entries[call.key], run) if call.key in entries else None)
    for call, outcome in zip(calls, outcomes, strict=True):
        if outcome is not None:
            run.ledger.close_item(outcome, call.spec.label)
            settled_item(run.tracer, outcome)
    return outcomes


async def missed(calls: Sequence[Call], run: Run) -> ReplayMiss:
    """Return the error for calls without a kept reply, and note their fields for `why`."""
    await run.replies.anote(((call.key, call.fields) for call in calls), "replay")
    first = calls[0]
    many = "1 reply is" if len(calls) == 1 else f"{len(calls)} replies are"
    return ReplayMiss(
        f"step {first.step.name}: {many} not in {run.replies.store.place}; "
        f"`dxjudge cache why {first.key[:16]}` explains the first"
    )


async def _look_up(call: Call, run: Run) -> Outcome:
    while True:
        try:
            return await _look_up_once(call, run)
        except AskedElsewhere:
            continue  # the reply is in the cache now


async def _look_up_once(call: Call, run: Run) -> Outcome:
    async with _claimed(call, run) as entry:
        outcome = _kept(call, entry, run) if entry is not None else None
        if outcome is not None:
            return outcome
        if run.replies.mode == "replay":
            raise await missed([call], run)
        # A kept reply that does not hold is no reason to look into the cache again.
        return await _converse(call, run, call.key if entry is None else "")


@asynccontextmanager
async def _claimed(call: Call, run: Run) -> AsyncIterator[Entry | None]:
    """Yield the kept reply of a call, or None: then the block may ask."""
    if run.batches is None:
        async with run.replies.claimed(call.key) as entry:
            yield entry
        return
    # Of a request that is in a batch, its ticket tells other processes so.
    with run.batches.desk.on_the_way(call.spec.endpoint):
        entries = await run.replies.afind([call.key])
    yield entries.get(call.key)


def _kept(call: Call, entry: Entry, run: Run) -> Outcome | None:
    """Return the outcome of a kept reply, and note its prompt, which no attempt notes."""
    outcome = from_entry(call, entry)
    if run.prompts is not None and outcome is not None and outcome.judge is not None:
        Conversation(call, run).note_prompt(outcome.judge, str(entry.get("text", "")))
    return outcome


async def _converse(call: Call, run: Run, key: str = "") -> Outcome:
    """Ask, and ask for repairs, until an answer is valid or no repairs are left.

    key: as in `Conversation`.
    """
    talk = Conversation(call, run, key)
    reasons: list[str] = []
    try:
        while True:
            with repair_span(run.tracer, len(talk.turns)):
                arrived = await talk.ask()
            finding = examine(call, arrived.reply)
            if isinstance(finding, Valid):
                return await _keep(talk, arrived, finding)
            talk.record(arrived, _STATUS.get(finding.kind, "invalid"), finding.text)
            kind = finding.kind
            reasons.append(f"{kind}: {finding.text}")
            if not finding.repairable or len(talk.turns) >= call.step.max_repairs:
                break
            _ask_again(talk, arrived, finding)
    except TurnFailed as failed:
        kind = failed.kind
        reasons.append(f"{kind}: {failed}")
    except BudgetReached as reached:
        kind = "budget"
        reasons.append(str(reached))
    if kind != "budget":
        await run.replies.anote([(call.key, call.fields)], kind)
        await talk.end()
    return Failed(**account(talk, talk.habits.fit(call.spec)), kind=kind, reasons=tuple(reasons))


async def _keep(talk: Conversation, arrived: Arrived, valid: Valid) -> Outcome:
    talk.record(arrived, "valid")
    call, sent = talk.call, arrived.sent
    if sent.method == talk.habits.method:
        talk.habits.proven = True
    outcome = conclude(call, valid.answer, account(talk, sent))
    if outcome.status != "failed" and call.judge.cacheable:
        entry = as_entry(talk, arrived.reply, sent, valid)
        await talk.run.replies.akeep(call.fields, call.key, entry)
    await talk.end()
    return outcome


def _ask_again(talk: Conversation, arrived: Arrived, problem: Problem) -> None:
    sent, reply = arrived.sent, arrived.reply
    if problem.prose and talk.call.spec.method == "auto" and not talk.habits.proven:
        # A server that answers a request for JSON with prose ignores the form of the request, so
        # the next requests ask for JSON in words.
        talk.habits.demote(sent.method, "text")
    if problem.kind == "truncated":
        talk.repair(echo(reply), "Truncated")
    else:
        talk.repair(echo(reply), "Repair", listed(problem.lines))
