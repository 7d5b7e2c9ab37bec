"""Report requests to LangChain's callbacks when a tracer or an event stream listens."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ..judge import JudgeSpec
from ..wires.request import Reply, Request
from .langchain_model import messages_of
from .models import is_traced


@dataclass(frozen=True)
class Watch:
    """The run of one request in LangChain's callbacks."""

    run: Any

    async def end(self, reply: Reply) -> None:
        """Report the reply, with its tokens."""
        from langchain_core.messages import AIMessage
        from langchain_core.outputs import ChatGeneration, LLMResult

        usage: Any = None
        if reply.tokens_in is not None and reply.tokens_out is not None:
            usage = {
                "input_tokens": reply.tokens_in,
                "output_tokens": reply.tokens_out,
                "total_tokens": reply.tokens_in + reply.tokens_out,
            }
        text = reply.text if reply.data is None else str(dict(reply.data))
        message = AIMessage(text, usage_metadata=usage)
        await self.run.on_llm_end(LLMResult(generations=[[ChatGeneration(message=message)]]))


@asynccontextmanager
async def watching(spec: JudgeSpec, request: Request) -> AsyncIterator[Watch | None]:
    """Report the start of a request, and its failure if it raises; yield None if none listens."""
    watch = await _start(spec, request)
    try:
        yield watch
    except BaseException as error:
        if watch is not None:
            await watch.run.on_llm_error(error)
        raise


async def _start(spec: JudgeSpec, request: Request) -> Watch | None:
    from langchain_core.runnables.config import (
        get_async_callback_manager_for_config,
        var_child_runnable_config,
    )

    config = var_child_runnable_config.get() or {}
    handlers = getattr(config.get("callbacks"), "handlers", config.get("callbacks"))
    if not handlers and not is_traced():
        return None
    manager = get_async_callback_manager_for_config(config)
    serialized = {
        "name": spec.label,
        "id": ["dxjudge", spec.provider],
        "lc": 1,
        "type": "constructor",
    }
    [run] = await manager.on_chat_model_start(
        serialized, [messages_of(request)], invocation_params={"model": spec.model}, name=spec.label
    )
    return Watch(run)
