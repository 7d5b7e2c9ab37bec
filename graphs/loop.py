"""Run a coroutine from code that is not async, also inside a running event loop."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_STARTING = threading.Lock()
_LOOP: asyncio.AbstractEventLoop | None = None


def run_here(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end and return its result.

    The process has one loop in a separate thread, so that a notebook's loop is not disturbed and
    connections stay open from one call to the next. An interrupt cancels the work. Raises the
    exceptions of the coroutine, and RuntimeError if it is called from inside such a coroutine.
    """
    loop = _background()
    try:
        inside = asyncio.get_running_loop() is loop
    except RuntimeError:
        inside = False
    if inside:
        work.close()
        raise RuntimeError("a synchronous call inside asynchronous work never ends; use await")
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _background() -> asyncio.AbstractEventLoop:
    global _LOOP
    with _STARTING:
        if _LOOP is None:
            _LOOP = asyncio.new_event_loop()
            threading.Thread(target=_LOOP.run_forever, name="dxjudge", daemon=True).start()
        return _LOOP
