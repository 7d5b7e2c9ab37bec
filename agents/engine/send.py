"""Send one request to a model, through its provider's SDK or a user's chat model object."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx2

from ...files.json_text import load_json, read_nested
from ..judge import JudgeSpec
from ..wires import anthropic_wire, converse_wire, openai_wire
from ..wires.clients import open_client
from ..wires.request import NoAnswer, Reply, Request
from .judges import Judge, check_key
from .langchain_model import send_to_object
from .models import Wire, wire_of
from .redact import redact, redact_value
from .watch import watching


async def send(judge: Judge, spec: JudgeSpec, request: Request, timeout: float) -> Reply:
    """Send one request, in the form of `spec.method`, with the parameters of `spec`.

    `timeout`: seconds until the complete answer must be there. Raises NoAnswer, TimeoutError, or
    the exceptions of the SDK or LangChain.
    """
    if judge.model is not None:
        async with asyncio.timeout(timeout):
            return await send_to_object(judge, spec, request)
    check_key(judge)
    async with watching(spec, request) as watch:
        reply = await _post(judge, spec, request, timeout)
        if watch is not None:
            await watch.end(reply)
    return reply


_WIRES: Mapping[Wire, Any] = {
    "openai": openai_wire,
    "anthropic": anthropic_wire,
    "converse": converse_wire,
}


async def _post(judge: Judge, spec: JudgeSpec, request: Request, timeout: float) -> Reply:
    wire = wire_of_spec(spec)
    client = open_client(spec, timeout)
    async with asyncio.timeout(timeout):
        # `post` is the SDK's method for a ready body: it signs and sends the request and raises
        # the SDK's errors, but does not copy the body into types and back.
        response = await client.post(
            wire.path(spec), cast_to=httpx2.Response, **_as_sent(wire.body(spec, request), wire)
        )
    try:
        data = load_json(redact(response.content.decode("utf-8"), judge))
        return read_reply(judge, spec, data)
    except ValueError as fault:
        raise NoAnswer(f"the body is not JSON in UTF-8: {fault}") from None


def read_reply(judge: Judge, spec: JudgeSpec, data: Any) -> Reply:
    """Return the reply in a response's JSON.

    Raises NoAnswer when it holds no answer, and ValueError for an answer nested too deeply.
    """
    reply: Reply = read_nested(wire_of_spec(spec).read, data)
    # Reading JSON can turn escapes into a key, so keys are removed again.
    return replace(reply, text=redact(reply.text, judge), data=redact_value(reply.data, judge))


def wire_of_spec(spec: JudgeSpec) -> Any:
    """Return the module of a model's wire, which writes bodies and reads answers."""
    return _WIRES[wire_of(spec.provider, spec.model)]


def _as_sent(body: Any, wire: Any) -> dict[str, Any]:
    if wire is not converse_wire:
        return {"body": body}
    # The SDK's client for Bedrock adds a field to a body that it encodes itself.
    headers = {"Content-Type": "application/json"}
    return {"content": json.dumps(body).encode(), "options": {"headers": headers}}
