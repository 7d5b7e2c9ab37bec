"""What `engine.py` measures: a server on the real wire, and three ways to ask it."""

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
"""(base URL, items, concurrency): ask for every item and check the answers."""


def serve(ready: Connection, latency: float) -> None:
    """Answer every request with the same completion; under /slow after `latency` seconds."""
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
    """One item, unlike every other."""
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
    """The SDK's own call with a JSON schema; the answer is parsed and validated."""
    form: Any = {
        "type": "json_schema",
        "json_schema": {"name": "A", "strict": True, "schema": sent_schema(CandidateAnswer)},
    }
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def call(number: int) -> None:
            system, user = _rendered(number)
            found = await client.chat.completions.create(
                model="double",
                messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
                response_format=form,
                temperature=0,
            )
            CandidateAnswer.model_validate_json(found.choices[0].message.content or "")

        await _at_once(call, items, concurrency)


async def langchain(url: str, items: int, concurrency: int) -> None:
    """LangChain's structured output, as its documentation says."""
    model = ChatOpenAI(
        model="double", base_url=url, api_key=SecretStr("none"), max_retries=0, temperature=0
    ).with_structured_output(CandidateAnswer, method="json_schema", include_raw=True)

    async def call(number: int) -> None:
        system, user = _rendered(number)
        found: Any = await model.ainvoke([SystemMessage(system), HumanMessage(user)])
        assert found["parsed"].choice

    await _at_once(call, items, concurrency)


def dxjudge(folder: Path) -> Way:
    """A run of the engine with a cache in a file, new each time."""

    async def way(url: str, items: int, concurrency: int) -> None:
        cache = folder / f"{len(list(folder.iterdir()))}.sqlite"
        inputs = (item(number) for number in range(items))
        with Run(cache=cache, concurrency=concurrency, attempts=1) as run:
            stream = stream_step(CHOOSE_CANDIDATE, inputs, judge=f"openai:double@{url}", run=run)
            async for _, outcome in stream:
                assert outcome.status == "done" and outcome.calls == 1, outcome

    return way
