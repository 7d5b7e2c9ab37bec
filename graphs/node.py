"""A node of a graph that runs with and without async, also inside a running event loop."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from .loop import run_here

Work = Callable[[Any], Awaitable[dict[str, Any]]]


class Node(Runnable[Any, dict[str, Any]]):
    """A node from an async function: the state in, what is written to it out.

    LangGraph calls an async function alone from no synchronous graph; a node has both ways.
    Awaiting the node itself is the async one.
    """

    def __init__(self, name: str, work: Work) -> None:
        """Name the node, which is also its name in a graph unless another is given."""
        self.name = self.__name__ = name
        self._work = work

    async def __call__(self, state: Any) -> dict[str, Any]:
        """What the node writes to this state."""
        return await self._work(state)

    def invoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """What the node writes to this state, for code that is not async."""
        return run_here(self(input))

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """What the node writes to this state."""
        return await self(input)
