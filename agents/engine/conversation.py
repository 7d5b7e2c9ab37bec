"""The conversation about one item: each turn is a request under limits, budget and retries."""

import asyncio
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_random_exponential

from ...cache.key import fingerprint
from ...errors import DxjudgeError
from ...prompts.load import load_sections
from ..batches.answers import AskedElsewhere, BatchFault
from ..judge import JudgeSpec
from ..watching.spans import call_span, end_call
from ..wires.request import Reply, Request
from .answer import schema_text
from .call import Call, schema_length
from .faults import Fault, RequestFault, read_fault, rejects_method
from .habits import Habits, habits_of
from .judges import methods_of
from .langchain_model import takes_images
from .ledger import Attempt, AttemptStatus
from .models import PROVIDERS
from .prices import Price
from .redact import redact, redact_value
from .run import Run
from .send import send
from .tally import Arrived, Tally, cost_of, tokens_of
from .verdicts import TurnFailed, final_fault, no_images

_BACKOFF = wait_random_exponential(multiplier=0.5, max=20)
_TOKENS_OUT = 256  # estimate of an answer's length, before it is known
_MOST_TOKENS_OUT = 1024
_PAUSE = 5.0  # seconds between looks at a budget that batches have reserved
_TOKENS_AN_IMAGE = 1000
_MOST_TOKENS_AN_IMAGE = 2000
_STATUS: dict[str, AttemptStatus] = {
    "throttled": "throttled",
    "transport": "transport",
    "unreachable": "transport",
}


@dataclass
class Conversation:
    """The turns of one item so far: pairs of a model's answer and the correction sent to it.

    key: under which another process may keep the reply meanwhile; "" where it would not help.
    live: whether this turn is asked at once, and not by a batch. tickets: of its requests that
    are, or were, in batches.
    """

    call: Call
    run: Run
    key: str = ""
    turns: list[tuple[str, str]] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    attempt: int = 0
    live: bool = True
    tickets: list[str] = field(default_factory=list)

    @property
    def habits(self) -> Habits:
        """What this process has learnt about the model."""
        known = PROVIDERS.get(self.call.spec.provider)
        absent = known.absent if known is not None and self.call.judge.model is None else ()
        return habits_of(self.call.spec.endpoint, methods_of(self.call.judge), absent)

    async def ask(self) -> Arrived:
        """Send the turn, in the form and with the parameters that the model takes.

        Raises TurnFailed for this item; AuthenticationFault or ModelFault when no item can
        succeed; BudgetReached; AskedElsewhere where the reply is in the cache by now.
        """
        self._check_images()
        self.attempt = 0
        batches = self.run.batches
        if batches is None:
            return await self._turn()
        way = batches.desk.way(
            self.call.judge, self._ticket(1), self.habits, repair=bool(self.turns)
        )
        async with way as self.live:
            return await self._turn()

    async def end(self) -> None:
        """Forget what was noted of this item's batches; call it when its outcome is kept."""
        if self.tickets and self.run.batches is not None:
            await self.run.batches.tickets.forget(self.tickets)

    async def _turn(self) -> Arrived:
        while True:
            sent = self.habits.fit(self.call.spec)
            try:
                return await _retrying(self.run.attempts)(self._send, sent)
            except RequestFault as failed:
                if not self.habits.adapt(self.call.spec, failed.sent, failed.fault):
                    spoke, attempts = self.habits.spoke, self.attempt
                    raise final_fault(
                        failed.fault, failed.sent, self.call, spoke, attempts, self.run.max_wait
                    ) from None

    def repair(self, text: str, section: str, problems: str = "") -> None:
        """Add a turn that shows the model its answer and what is wrong with it."""
        correction = load_sections("engine")[section].replace("{{problems}}", problems)
        self.turns.append((text.strip() or "(no answer)", correction))

    def record(self, arrived: Arrived, status: AttemptStatus, error: str = "") -> None:
        """Record an answer in the ledger, after its check."""
        self._note(arrived.sent, status, arrived.latency, arrived.reply, arrived.cost, error)

    async def _send(self, sent: JudgeSpec) -> Arrived:
        """Send one request, with its cost reserved in the budget."""
        self.attempt += 1
        price = self.run.price(sent, live=self.live)
        most = (price.cost(*self._most(sent)) if price else None) or 0.0
        await self.run.budget.reserve(most, *(() if self.live else (_PAUSE,)))
        cost = 0.0
        try:
            ask = self._in_turn if self.live else self._exchange
            arrived = await ask(sent, price)
            cost = most if arrived.cost is None else arrived.cost
            return arrived
        finally:
            self.run.budget.settle(most, cost)

    async def _in_turn(self, sent: JudgeSpec, price: Price | None) -> Arrived:
        expected = self._expected(sent)
        limiter = self.run.limiter(sent)
        entered = await limiter.enter(expected)
        used, throttled = 0, None
        try:
            arrived = await self._exchange(sent, price)
            used = tokens_of(arrived.reply, expected)
            return arrived
        except RequestFault as failed:
            throttled = _throttled(failed.fault)
            raise
        finally:
            limiter.leave(started=entered, throttled=throttled, surplus=used - expected)

    async def _exchange(self, sent: JudgeSpec, price: Price | None) -> Arrived:
        started = time.perf_counter()
        with call_span(self.run.tracer, sent, self.attempt) as span:
            try:
                reply, sent = await self._reply(sent)
            except (DxjudgeError, AskedElsewhere):
                raise
            except Exception as error:
                if isinstance(error, BatchFault):
                    sent = error.sent or sent
                raise self._failed(error, sent, time.perf_counter() - started) from None
            latency = time.perf_counter() - started
            cost = cost_of(price, reply)
            end_call(span, reply.finish, reply.tokens_in, reply.tokens_out, cost)
        self.habits.spoke = True
        self.tally.add(reply, cost)
        if self.run.batches is not None and not self.live:
            self.run.batches.count(cost, self.run.prices.of(sent), price)
        return Arrived(reply, sent, self.attempt, latency, cost)

    async def _reply(self, sent: JudgeSpec) -> tuple[Reply, JudgeSpec]:
        """Return the reply to a request, and the spec with which it was sent."""
        call, request, batches = self.call, self._request(sent), self.run.batches
        if batches is None or self.live:
            return await send(call.judge, sent, request, self.run.timeout), sent
        ticket = self._ticket(self.attempt)
        self.tickets.append(ticket)
        return await batches.desk.reply(call, self.key, sent, request, ticket)

    def _ticket(self, attempt: int) -> str:
        """Return the name of a request in a batch: the same for the same item, turn and attempt."""
        return fingerprint([self.call.key, self.turns, attempt])[:40]

    def _failed(self, error: Exception, sent: JudgeSpec, latency: float) -> Exception:
        """Count and record a request that failed; return the exception to raise for it."""
        self.tally.add(None, None)
        fault = read_fault(error, self.call.judge)
        if fault is None:
            message = redact(f"{type(error).__name__}: {error}"[:2000], self.call.judge)
            self._note(sent, "rejected", latency, None, None, message)
            return TurnFailed("error", message)
        status = _STATUS.get(fault.kind, "rejected")
        # A request that a server answered with an error costs nothing; a lost one may have a cost.
        cost = 0.0 if fault.status else None
        self._note(sent, status, latency, None, cost, fault.message)
        # Some servers answer 500 to a form of request that they do not know.
        form = self.call.spec.method == "auto" and rejects_method(fault, sent.method)
        patient = (fault.wait or 0) <= self.run.max_wait
        return RequestFault(fault, sent, again=fault.retryable and patient and not form)

    def _check_images(self) -> None:
        if self.call.images and takes_images(self.call.judge) is False:
            raise no_images(self.call, "by its profile")

    def _expected(self, sent: JudgeSpec) -> int:
        """Estimate the tokens of the request and its answer, at four characters a token."""
        images = len(self.call.images) * _TOKENS_AN_IMAGE
        return self._characters() // 4 + images + (sent.max_tokens or _TOKENS_OUT)

    def _most(self, sent: JudgeSpec) -> tuple[int, int]:
        """Estimate the most tokens in and out: two characters a token and a long answer."""
        images = len(self.call.images) * _MOST_TOKENS_AN_IMAGE
        return self._characters() // 2 + images, sent.max_tokens or _MOST_TOKENS_OUT

    def _characters(self) -> int:
        turns = sum(len(answer) + len(correction) for answer, correction in self.turns)
        first = len(self.call.rendered.system) + len(self.call.rendered.user)
        return first + turns + schema_length(self.call)

    def _request(self, sent: JudgeSpec) -> Request:
        call = self.call
        system = call.rendered.system
        reply = call.step.reply
        if reply == "json" and sent.method in ("text", "json_mode"):
            schema = schema_text(call.answer)
            system += "\n\n" + load_sections("engine")["Schema"].replace("{{schema}}", schema)
        return Request(
            system,
            call.rendered.user,
            call.images,
            self.turns,
            call.answer,
            reply,
            call.continuation,
        )

    def _note(
        self,
        sent: JudgeSpec,
        status: AttemptStatus,
        latency: float,
        reply: Reply | None,
        cost: float | None,
        error: str,
    ) -> None:
        call = self.call
        attempt = Attempt(
            at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            step=call.step.name,
            version=call.step.version,
            judge=sent.label,
            method=sent.method,
            key=call.key,
            repeat=call.repeat,
            turn=len(self.turns),
            attempt=self.attempt,
            status=status,
            text=reply.text if reply else "",
            error=error,
            tokens_in=reply.tokens_in if reply else None,
            tokens_out=reply.tokens_out if reply else None,
            tokens_cached=reply.tokens_cached if reply else None,
            cost=cost,
            latency=latency,
        )
        self.run.ledger.record(attempt)
        if not self.turns:
            self.note_prompt(sent)
        if self.run.log is not None:
            self.run.log.record(self._logged(sent), asdict(attempt))

    def note_prompt(self, sent: JudgeSpec, reply: str | None = None) -> None:
        """Keep the first messages for the pages of the run. reply: one that was kept before."""
        if self.run.prompts is not None:
            logged = self._logged(sent)
            messages = {name: logged[name] for name in ("system", "user", "images")}
            self.run.prompts.note(self.call.key, messages, reply)

    def _logged(self, sent: JudgeSpec) -> dict[str, Any]:
        """Return the prompt of a request for the log, without keys and without images."""
        request = self._request(sent)
        texts = {
            "system": request.system,
            "user": request.user,
            "turns": [list(turn) for turn in request.turns],
            "continuation": request.continuation,
        }
        logged: dict[str, Any] = redact_value(texts, self.call.judge)
        return {**logged, "images": [image.hash for image in self.call.images]}


@lru_cache(maxsize=64)
def _retrying(attempts: int) -> AsyncRetrying:
    """Return the only retry loop; all calls can share it, because each keeps its own state."""
    return AsyncRetrying(
        stop=stop_after_attempt(attempts),
        retry=retry_if_exception(lambda error: isinstance(error, RequestFault) and error.again),
        wait=_wait,
        sleep=asyncio.sleep,
        reraise=True,
    )


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, RequestFault) and error.fault.wait is not None:
        return error.fault.wait
    return _BACKOFF(state)


def _throttled(fault: Fault) -> float | None:
    return (fault.wait or 0.0) if fault.kind == "throttled" else None
