"""Connections to model servers: several small pools in the place of one large pool."""

import socket
import ssl
from functools import cache
from typing import Any

import httpx2

_POOLS = 16
_ALIVE = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]  # an answer may take minutes
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=16)


class Pools(httpx2.AsyncBaseTransport):
    """Sends each request through the pool that has the fewest under way.

    A pool looks at every connection it has for every request, so that at 256 connections half of
    a request's processor time goes there; a pool of a sixteenth of them costs a sixteenth.
    """

    def __init__(self) -> None:
        self._pools = [
            httpx2.AsyncHTTPTransport(verify=certificates(), limits=_LIMITS, socket_options=_ALIVE)
            for _ in range(_POOLS)
        ]
        self._under_way = [0] * _POOLS

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request."""
        place = self._under_way.index(min(self._under_way))
        self._under_way[place] += 1
        try:
            response = await self._pools[place].handle_async_request(request)
            # Until the body is read the connection is in use.
            response.stream = _Counted(response.stream, self._under_way, place)
        except BaseException:
            self._under_way[place] -= 1
            raise
        return response

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in self._pools:
            await pool.aclose()


class _Counted(httpx2.AsyncByteStream):
    """A body that says when it is done with."""

    def __init__(self, stream: Any, under_way: list[int], place: int) -> None:
        self._stream = stream
        self._under_way = under_way
        self._place = place

    async def __aiter__(self) -> Any:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        self._under_way[self._place] -= 1
        await self._stream.aclose()


@cache
def certificates() -> ssl.SSLContext:
    """The usual certificates, read once: each client would take 50 ms to read them again."""
    return httpx2.create_ssl_context()
