"""What stands before every request: the host, the origin, the token and the size of the body."""

import asyncio
import hmac
import json
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .settings import Service

OPEN_PATHS = frozenset({"/health"})
"""Paths that need no token, because the machinery around a service asks for them."""


class _TooLarge(Exception):
    pass


def guarded(app: ASGIApp, service: Service) -> ASGIApp:
    """Return the app behind its guard.

    A request for another host name is refused (421), because a page of a foreign site could reach
    this machine under a name of its own. A request from another origin is refused (403), one
    without the token too (401), and a body above the limit as soon as it is (413).
    """

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        refusal = _refusal(scope["path"], headers, service)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        excess = asyncio.Event()

        async def send_unless(message: Message) -> None:
            # The application takes the error for a body that it cannot read, and answers 400.
            if not excess.is_set():
                await send(message)

        with suppress(_TooLarge):
            await app(scope, _limited(receive, service.most_bytes, excess), send_unless)
        if excess.is_set():
            await _refuse(send, *_too_large(service))

    return guard


def _refusal(path: str, headers: dict[str, str], service: Service) -> tuple[int, str] | None:
    hosts = {host.lower() for host in service.hosts}
    if "*" not in hosts and _host(headers.get("host", "")).lower() not in hosts:
        return 421, "this service does not answer under that host name; see --allow-host"
    origin = headers.get("origin")
    if origin and origin.partition("://")[2] != headers.get("host"):
        return 403, "requests from pages of other sites are refused"
    shown = headers.get("authorization", "").removeprefix("Bearer ")
    if (
        service.token is not None
        and path not in OPEN_PATHS
        and not hmac.compare_digest(shown.encode(), service.token.encode())
    ):
        return 401, "send the token of the service: Authorization: Bearer TOKEN"
    length = headers.get("content-length", "0")
    return _too_large(service) if length.isdigit() and int(length) > service.most_bytes else None


def _host(header: str) -> str:
    return header if header.endswith("]") else header.rpartition(":")[0] or header


def _too_large(service: Service) -> tuple[int, str]:
    return 413, f"the body is larger than {service.most_bytes:,} bytes"


def _limited(receive: Receive, most: int, excess: asyncio.Event) -> Receive:
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            excess.set()
            raise _TooLarge
        return message

    return limited


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"error": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
