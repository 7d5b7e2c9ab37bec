"""What the engine costs beside the raw SDK and plain LangChain, in one run.

    python benchmarks/engine.py [--items 400] [--concurrency 64] [--rounds 3] [--replay 20000]

A server in a process of its own answers at once on the real wire. Measured is the processor
time of the client per structured call (wall time depends on the neighbours), the best of some
rounds, everything in one process and one run: only the ratios carry over to another machine.
The engine's figure includes the graph, the checks, the ledger, the limiter, the budget and a
cache in a file. The replay is a full cache, verdicts a second, through `run_step`.
"""

import argparse
import asyncio
import json
import multiprocessing
import tempfile
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import openai
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE, CandidateAnswer
from dxjudge.agents.engine.answer import sent_schema
from dxjudge.agents.engine.run import Run
from dxjudge.agents.step import Step
from dxjudge.graphs.step import run_step

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
Call = Callable[[int], Awaitable[Any]]


def serve(ready: Connection) -> None:
    """Answer every request with the same completion."""
    body = json.dumps(REPLY).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    reply = head.encode() + b"\r\n" + body

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
                sizes = [line for line in lines if line.startswith(b"content-length")]
                await reader.readexactly(int(sizes[0].split(b":")[1]))
                writer.write(reply)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(one, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


async def at_once(call: Call, items: int, concurrency: int) -> None:
    """Call for 0..items-1, `concurrency` at a time."""
    numbers = iter(range(items))

    async def worker() -> None:
        for number in numbers:
            await call(number)

    await asyncio.gather(*(worker() for _ in range(concurrency)))


def item(number: int) -> dict[str, Any]:
    return {"diagnosis": f"some diagnosis in words, number {number}", "candidates": NAMES}


def rendered(number: int) -> tuple[str, str]:
    inputs = CHOOSE_CANDIDATE.read_input(item(number))
    found = CHOOSE_CANDIDATE.load_prompt().render(CHOOSE_CANDIDATE.values(inputs))
    return found.system, found.user


def raw_sdk(url: str) -> Call:
    """The SDK's own call with a JSON schema; the answer is parsed and validated."""
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    form: Any = {
        "type": "json_schema",
        "json_schema": {"name": "A", "strict": True, "schema": sent_schema(CandidateAnswer)},
    }

    async def call(number: int) -> BaseModel:
        system, user = rendered(number)
        found = await client.chat.completions.create(
            model="double",
            messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
            response_format=form,
            temperature=0,
        )
        return CandidateAnswer.model_validate_json(found.choices[0].message.content or "")

    return call


def langchain(url: str) -> Call:
    """LangChain's structured output, as its documentation says."""
    model = ChatOpenAI(
        model="double", base_url=url, api_key=SecretStr("none"), max_retries=0, temperature=0
    ).with_structured_output(CandidateAnswer, method="json_schema", include_raw=True)

    async def call(number: int) -> Any:
        system, user = rendered(number)
        found: Any = await model.ainvoke([SystemMessage(system), HumanMessage(user)])
        assert found["parsed"].choice
        return found

    return call


# One loop for all: plain LangChain shares a client across loops and fails in a second one.
RUNNER = asyncio.Runner()


def processor(work: Callable[[], Awaitable[Any]]) -> tuple[float, float]:
    """Processor and wall seconds of the work."""
    cpu, wall = time.process_time(), time.perf_counter()
    RUNNER.run(work())  # type: ignore[arg-type]
    return time.process_time() - cpu, time.perf_counter() - wall


def best(make: Callable[[], Callable[[], Awaitable[Any]]], rounds: int) -> tuple[float, float]:
    return min(processor(make()) for _ in range(rounds))


def engine(url: str, items: int, concurrency: int, folder: Path) -> Callable[[], Awaitable[Any]]:
    step: Step[Any, Any] = CHOOSE_CANDIDATE
    cache = folder / f"{time.monotonic_ns()}.sqlite"

    async def work() -> None:
        with Run(cache=cache, concurrency=concurrency) as run:
            judge = f"openai:double@{url}"
            inputs = [item(number) for number in range(items)]
            outcomes = await run_step(step, inputs, judge=judge, run=run)
            assert all(outcome.status == "done" for outcome in outcomes)
            assert sum(outcome.calls for outcome in outcomes) == items

    return work


def replay(url: str, items: int, folder: Path) -> float:
    """Verdicts a second from a full cache."""
    cache = folder / "replay.sqlite"
    judge = f"openai:double@{url}"
    inputs = [item(number) for number in range(items)]

    async def work(mode: Any) -> list[Any]:
        with Run(cache=cache, mode=mode, concurrency=64) as run:
            return await run_step(CHOOSE_CANDIDATE, inputs, judge=judge, run=run)

    RUNNER.run(work("read-write"))
    started = time.perf_counter()
    outcomes = RUNNER.run(work("replay"))
    seconds = time.perf_counter() - started
    assert all(outcome.cached and outcome.status == "done" for outcome in outcomes)
    return items / seconds


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--items", type=int, default=400)
    options.add_argument("--concurrency", type=int, default=64)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--replay", type=int, default=5000)
    given = options.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def calls(make: Callable[[str], Call]) -> Callable[[], Callable[[], Awaitable[Any]]]:
            call = make(url)
            return lambda: lambda: at_once(call, given.items, given.concurrency)

        ways: dict[str, Callable[[], Callable[[], Awaitable[Any]]]] = {
            "openai SDK": calls(raw_sdk),
            "LangChain structured": calls(langchain),
            "dxjudge": lambda: engine(url, given.items, given.concurrency, folder),
        }
        for make in ways.values():  # imports, compilation, certificates
            processor(make())
        figures = {way: best(make, given.rounds) for way, make in ways.items()}
        base = figures["openai SDK"][0]
        print(f"{'way':24}{'cpu ms/call':>12}{'x SDK':>8}{'calls/s':>10}")
        for way, (cpu, wall) in figures.items():
            per = 1000 * cpu / given.items
            print(f"{way:24}{per:12.2f}{cpu / base:8.2f}{given.items / wall:10.0f}")
        print(f"full-cache replay: {replay(url, given.replay, folder):,.0f} verdicts/s")
    server.terminate()


if __name__ == "__main__":
    main()
