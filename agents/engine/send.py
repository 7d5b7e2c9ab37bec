"""One request to a model: through its provider's SDK, or through the chat model of a user."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import httpx2

from ..judge import JudgeSpec
from . import anthropic_wire, openai_wire
from .clients import open_client
from .judges import Judge, check_key
from .langchain_model import send_to_object
from .models import PROVIDERS
from .redact import redact, redact_value
from .request import NoAnswer, Reply, Request
from .watch import watching


async def send(judge: Judge, spec: JudgeSpec, request: Request, timeout: float) -> Reply:
    """Send one request, in the form of `spec.method`, with the parameters of `spec`.

    `timeout` seconds hold for the whole answer, however slowly it trickles in. Raises NoAnswer,
    what the SDK or LangChain raises, or TimeoutError.
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


async def _post(judge: Judge, spec: JudgeSpec, request: Request, timeout: float) -> Reply:
    wire: Any = openai_wire
    if PROVIDERS[spec.provider].wire == "anthropic":
        wire = anthropic_wire
    client = open_client(spec.provider, spec.base_url, timeout)
    async with asyncio.timeout(timeout):
        # The SDK's own method for a body made elsewhere: it builds, signs and sends the request
        # and raises its own errors, without copying the body into types and back.
        response = await client.post(
            wire.PATH, body=wire.body(spec, request), cast_to=httpx2.Response
        )
    try:
        text = redact(response.content.decode("utf-8"), judge)
        reply: Reply = wire.read(json.loads(text))
    except (ValueError, RecursionError) as fault:
        raise NoAnswer(f"the body is not JSON in UTF-8: {fault}") from None
    # Once more, now that the escapes of JSON are undone.
    return replace(reply, text=redact(reply.text, judge), data=redact_value(reply.data, judge))
