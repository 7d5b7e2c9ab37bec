"""Define a graph node that runs with and without async, also inside a running event loop."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from .loop import run_here

Work = Callable[[Any], Awaitable[dict[str, Any]]]


class Node(Runnable[Any, dict[str, Any]]):
    """A node from an async function that takes the state and returns the update of the state.

    In a synchronous graph, LangGraph cannot call an async function. A Node works in both kinds of
    graph. You can also await the node itself.
    """

    def __init__(self, name: str, work: Work) -> None:
        """Set the node's function and its name, which is also the default name in a graph."""
        self.name = self.__name__ = name
        self._work = work

    def __repr__(self) -> str:
        return f"Node({self.name!r})"

    async def __call__(self, state: Any) -> dict[str, Any]:
        """Return the node's update of this state."""
        return await self._work(state)

    def invoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Return the node's update of this state, for code that is not async."""
        return run_here(self(input))

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Return the node's update of this state."""
        return await self(input)
