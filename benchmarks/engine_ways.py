"""A server on a real socket, and the three ways to ask it that `engine.py` measures."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import openai
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE, CandidateAnswer
from dxjudge.agents.engine.answer import sent_schema
from dxjudge.agents.engine.run import Run
from dxjudge.graphs.step import stream_step

NAMES = [f"Disease number {number} of some organ, unspecified" for number in range(15)]
REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 0,
    "model": "double",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": json.dumps({"choice": NAMES[3]})},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 400, "completion_tokens": 12, "total_tokens": 412},
}
Way = Callable[[str, int, int], Awaitable[None]]
"""A function of (base URL, items, concurrency) that asks for all items and checks the answers."""


def serve(ready: Connection, latency: float) -> None:
    """Answer every request with the same completion; below /slow after `latency` seconds."""
    body = json.dumps(REPLY).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    reply = head.encode() + b"\r\n" + body

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
                sizes = [line for line in lines if line.startswith(b"content-length")]
                await reader.readexactly(int(sizes[0].split(b":")[1]))
                if b"/slow/" in lines[0]:
                    await asyncio.sleep(latency)
                writer.write(reply)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(one, "127.0.0.1", 0, backlog=1024)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def item(number: int) -> dict[str, Any]:
    """Return an item that differs from all others."""
    return {"diagnosis": f"some diagnosis in words, number {number}", "candidates": NAMES}


def _rendered(number: int) -> tuple[str, str]:
    inputs = CHOOSE_CANDIDATE.read_input(item(number))
    prompt = CHOOSE_CANDIDATE.load_prompt().render(CHOOSE_CANDIDATE.values(inputs))
    return prompt.system, prompt.user


async def _at_once(call: Callable[[int], Awaitable[Any]], items: int, concurrency: int) -> None:
    numbers = iter(range(items))

    async def worker() -> None:
        for number in numbers:
            await call(number)

    await asyncio.gather(*(worker() for _ in range(concurrency)))


async def raw_sdk(url: str, items: int, concurrency: int) -> None:
    """Call the SDK with a JSON schema; parse and validate the answer."""
    form: Any = {
        "type": "json_schema",
        "json_schema": {"name": "A", "strict": True, "schema": sent_schema(CandidateAnswer)},
    }
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def call(number: int) -> None:
            system, user = _rendered(number)
            completion = await client.chat.completions.create(
                model="double",
                messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
                response_format=form,
                temperature=0,
            )
            CandidateAnswer.model_validate_json(completion.choices[0].message.content or "")

        await _at_once(call, items, concurrency)


async def langchain(url: str, items: int, concurrency: int) -> None:
    """Use LangChain's structured output as its documentation shows."""
    model = ChatOpenAI(
        model="double", base_url=url, api_key=SecretStr("none"), max_retries=0, temperature=0
    ).with_structured_output(CandidateAnswer, method="json_schema", include_raw=True)

    async def call(number: int) -> None:
        system, user = _rendered(number)
        reply: Any = await model.ainvoke([SystemMessage(system), HumanMessage(user)])
        assert reply["parsed"].choice

    await _at_once(call, items, concurrency)


def dxjudge(folder: Path) -> Way:
    """Return a run of the engine with a new cache file for each call."""

    async def way(url: str, items: int, concurrency: int) -> None:
        cache = folder / f"{len(list(folder.iterdir()))}.sqlite"
        inputs = (item(number) for number in range(items))
        with Run(cache=cache, concurrency=concurrency, attempts=1) as run:
            stream = stream_step(CHOOSE_CANDIDATE, inputs, judge=f"openai:double@{url}", run=run)
            async for _, outcome in stream:
                assert outcome.status == "done" and outcome.calls == 1, outcome

    return way
