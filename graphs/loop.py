"""Running a coroutine from code that is not async, also inside a running event loop."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_STARTING = threading.Lock()
_LOOP: asyncio.AbstractEventLoop | None = None


def run_here(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end and return the result.

    One loop in a thread of its own serves the process: a notebook's loop is not disturbed, and
    connections stay open from one call to the next. An interrupt cancels the work. Raises what
    the coroutine raises; RuntimeError when called from inside such work.
    """
    loop = _background()
    try:
        inside = asyncio.get_running_loop() is loop
    except RuntimeError:
        inside = False
    if inside:
        work.close()
        raise RuntimeError("a synchronous call inside asynchronous work would wait for itself")
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
