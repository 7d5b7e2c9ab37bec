"""A step asked through the real engine and clients, with the protocol server as its model."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dxjudge.agents.engine.run import Run
from dxjudge.agents.step import Step
from dxjudge.graphs.step import run_step

from .protocol_server import ProtocolServer

EXAMPLES = Path(__file__).parent.parent / "examples"


def ask_step(
    step: Step[Any, Any] | str, inputs: Any, *answers: Any, engine: str = "llm"
) -> tuple[Any, list[Any]]:
    """The outcome of one item where the model gives these answers in turn, and what it saw."""
    with ProtocolServer(list(answers)) as server, Run(mode="off") as run:
        found = run_step(step, inputs, judge=server.judge(), run=run, engine=engine)
        return asyncio.run(found), server.seen


def settle(step: Step[Any, Any] | str, inputs: Any, engine: str = "rules") -> Any:
    """The outcome without any model."""
    with Run(mode="off") as run:
        return asyncio.run(run_step(step, inputs, run=run, engine=engine))


def example_rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of an example file."""
    with (EXAMPLES / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
