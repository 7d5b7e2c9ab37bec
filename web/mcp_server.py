"""The same over the Model Context Protocol: tools that an assistant calls."""

import asyncio
import dataclasses
import functools
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from ..agents.outcome import write_outcome
from ..errors import DxjudgeError, UsageError
from ..graphs.described import schemas, step_row
from ..graphs.step import run_step
from ..ontology.described import describe
from .remote_inputs import check_no_files
from .settings import Service

_TEXTS = 200  # in one call
_Tool = Callable[..., Awaitable[Any]]


def _explained(tool: _Tool) -> _Tool:
    """Return the tool; the assistant reads the sentence of an error of dxjudge, not of a crash."""

    @functools.wraps(tool)
    async def explained(*arguments: Any, **named: Any) -> Any:
        try:
            return await tool(*arguments, **named)
        except DxjudgeError as error:
            raise ToolError(str(error)) from error

    return explained


class _Strict(MCPServer[Any]):
    """A server that refuses arguments which no tool has; the package would leave them out."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool. Raises ToolError for arguments that it does not have."""
        tool = next((one for one in await self.list_tools() if one.name == name), None)
        known = tool.input_schema.get("properties", {}) if tool else arguments
        if unknown := [argument for argument in arguments if argument not in known]:
            raise ToolError(f"{name} has no {', '.join(unknown)}; it has {', '.join(known)}")
        return await super().call_tool(name, arguments, context)


def make_mcp_server(service: Service) -> MCPServer[Any]:
    """Return a server with the tools map_diagnoses, search_codes, show_code, list_steps and judge.

    An error of dxjudge reaches the assistant as the tool's error, with its sentence.
    """
    server = _Strict(
        "dxjudge",
        version=version("dxjudge"),
        instructions=(
            "Maps free-text diagnoses to codes of "
            f"{service.mapper.tree.descriptor.shown}, and judges diagnoses with checked verdicts. "
            "A score is the estimated probability that the code is right."
        ),
        log_level="WARNING",
    )
    mapper = service.mapper

    @server.tool()
    @_explained
    async def map_diagnoses(texts: list[str]) -> list[dict[str, Any]]:
        """Map up to 200 free-text diagnoses to codes: code, name, score, status and reason."""
        if len(texts) > _TEXTS:
            raise UsageError(f"{len(texts)} texts in one call; send at most {_TEXTS}")
        mappings = await asyncio.to_thread(mapper.map_many, texts)
        return [dataclasses.replace(mapping, candidates=()).as_json() for mapping in mappings]

    @server.tool()
    @_explained
    async def search_codes(
        text: str, k: Annotated[int, Field(ge=1, le=100)] = 15
    ) -> list[dict[str, Any]]:
        """Search the codes of one diagnosis; return the k best candidates and why they match."""
        found = await asyncio.to_thread(mapper.search, text, k)
        return [dataclasses.asdict(candidate) for candidate in found]

    @server.tool()
    @_explained
    async def show_code(code: str) -> dict[str, Any]:
        """Show a code: its name, terms and notes, what is above it and what is below it."""
        return describe(mapper.tree, mapper.tree.node(code))

    @server.tool()
    @_explained
    async def list_steps() -> list[dict[str, Any]]:
        """List the judging steps with the JSON schema of their input."""
        return [
            {**step_row(step), "input": schemas(step)["input"]} for step in service.steps.values()
        ]

    @server.tool()
    @_explained
    async def judge(
        step: str, inputs: list[dict[str, Any]], judge: str | None = None, engine: str = "auto"
    ) -> list[dict[str, Any]]:
        """Run a judging step on items; each outcome is done, abstained or failed.

        judge: one of the models that this server was started with.
        """
        if step not in service.steps:
            raise UsageError(f"no step {step!r}; there is {', '.join(service.steps)}")
        if judge is not None and judge not in service.judges:
            offered = ", ".join(service.judges) or "none"
            raise UsageError(f"no judge {judge!r}; this server has {offered}")
        check_no_files(service.steps[step], inputs)
        chosen = judge or (next(iter(service.judges)) if len(service.judges) == 1 else None)
        outcomes = await run_step(
            service.steps[step],
            inputs,
            judge=service.judges[chosen] if chosen and engine in ("auto", "llm") else None,
            run=service.run,
            engine=engine,
        )
        return [write_outcome(outcome) for outcome in outcomes]

    return server
