"""Connections to model servers, in several small pools instead of one large pool."""

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

    For every request, a pool examines each of its connections: with 256 connections that takes
    half of a request's processor time. A pool with a sixteenth of them takes a sixteenth.
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
            # The connection is in use until the body is read.
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
    """A body that reduces its pool's count of open requests when it is closed."""

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
    """Return the default certificates, read only once because reading them takes 50 ms."""
    return httpx2.create_ssl_context()
