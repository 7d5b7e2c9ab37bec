"""OpenTelemetry spans of a run, with the names of the conventions for generative AI.

Each item has a span; inside it each request to a model has one, and each repair has one around its
requests. No prompt and no answer is written to a span, because they may be about patients.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from ..judge import JudgeSpec
from ..outcome import Outcome

_PROVIDERS = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "google": "gcp.gemini",
    "mistral": "mistral_ai",
    "vertex": "gcp.vertex_ai",
}
_SENT = ("temperature", "max_tokens", "seed")


@contextmanager
def item_span(tracer: Any, step: str) -> Iterator[Any]:
    """Open the span of an item; yield None if nobody listens."""
    if tracer is None:
        yield None
        return
    about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": step}
    with tracer.start_as_current_span(f"invoke_agent {step}", attributes=about) as span:
        yield span


def end_item(span: Any, outcome: Outcome) -> None:
    """Write an item's outcome to its span."""
    if span is None:
        return
    span.set_attributes(
        {
            "dxjudge.status": outcome.status,
            "dxjudge.decided_by": outcome.decided_by,
            "dxjudge.cached": outcome.cached,
            "dxjudge.calls": outcome.calls,
            "dxjudge.repairs": outcome.repairs,
            "dxjudge.repeat": outcome.repeat,
        }
    )
    if outcome.judge is not None:
        span.set_attribute("gen_ai.request.model", outcome.judge.model)
    if outcome.status == "failed":
        _mark_failed(span, outcome.kind)


def settled_item(tracer: Any, outcome: Outcome) -> None:
    """Write the span of an item that needed no request."""
    if tracer is None:
        return
    with item_span(tracer, outcome.step) as span:
        end_item(span, outcome)


@contextmanager
def repair_span(tracer: Any, turn: int) -> Iterator[None]:
    """Open the span of a repair: of turn 1 and later ones, but not of the first question."""
    if tracer is None or turn == 0:
        yield
        return
    with tracer.start_as_current_span(f"repair {turn}", attributes={"dxjudge.turn": turn}):
        yield


@contextmanager
def call_span(tracer: Any, spec: JudgeSpec, attempt: int) -> Iterator[Any]:
    """Open the span of a request; yield None if nobody listens. An exception marks it failed."""
    if tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind

    about: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(spec.provider, spec.provider),
        "gen_ai.request.model": spec.model,
        "gen_ai.output.type": "text" if spec.method == "text" else "json",
        "dxjudge.attempt": attempt,
    }
    sent = {f"gen_ai.request.{name}": getattr(spec, name) for name in _SENT}
    about |= {name: value for name, value in sent.items() if value is not None}
    if spec.base_url:
        address = urlsplit(spec.base_url)
        about["server.address"] = address.hostname or spec.base_url
        if address.port is not None:
            about["server.port"] = address.port
    span_is = {"kind": SpanKind.CLIENT, "attributes": about, "record_exception": False}
    with tracer.start_as_current_span(
        f"chat {spec.model}", set_status_on_exception=False, **span_is
    ) as span:
        try:
            yield span
        except BaseException as error:
            _mark_failed(span, type(error).__name__)
            raise


def end_call(
    span: Any, finish: str, tokens_in: int | None, tokens_out: int | None, cost: float | None
) -> None:
    """Write a reply to the span of its request. cost: US dollars, None if it is unknown."""
    if span is None:
        return
    counts = {
        "gen_ai.usage.input_tokens": tokens_in,
        "gen_ai.usage.output_tokens": tokens_out,
        "dxjudge.cost": cost,
    }
    known = {name: value for name, value in counts.items() if value is not None}
    span.set_attributes({"gen_ai.response.finish_reasons": [finish], **known})


def _mark_failed(span: Any, kind: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)
