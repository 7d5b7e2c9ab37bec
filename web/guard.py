"""What stands before every request: the host, the origin, the token and the size of the body."""

import asyncio
import hmac
import json
from contextlib import suppress
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, unquote, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPEN_PATHS = frozenset({"/health"})
"""Paths that need no token, because the machinery around a service asks for them."""


@dataclass(frozen=True)
class Guard:
    """What requests must show and how large they may be.

    token: None for no token. hosts: the names under which the service answers, "*" for every one.
    most_bytes: of a body. cookie: the name of the cookie that may hold the token of a browser,
    which gets it by opening an address that ends in ?token=TOKEN. missing: what to do without it.
    """

    token: str | None
    hosts: tuple[str, ...]
    most_bytes: int
    cookie: str
    missing: str


class _TooLarge(Exception):
    pass


def guarded(app: ASGIApp, rules: Guard) -> ASGIApp:
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
        entry = _entry(scope, headers, rules)
        if entry is not None:
            await _enter(send, entry, rules)
            return
        refusal = _refusal(scope["path"], headers, rules)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        excess = asyncio.Event()

        async def send_unless(message: Message) -> None:
            # The application takes the error for a body that it cannot read, and answers 400.
            if not excess.is_set():
                await send(message)

        with suppress(_TooLarge):
            await app(scope, _limited(receive, rules.most_bytes, excess), send_unless)
        if excess.is_set():
            await _refuse(send, *_too_large(rules))

    return guard


def _entry(scope: Scope, headers: dict[str, str], rules: Guard) -> str | None:
    """Return where a browser goes that shows the token in the address; None for other requests.

    The token leaves the address at once, so that it is in no bookmark and no screenshot.
    """
    if rules.token is None or scope["method"] != "GET" or not _is_own_host(headers, rules):
        return None
    fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    shown = [value for name, value in fields if name == "token"]
    if not shown or not _is_token(shown[-1], rules):
        return None
    rest = urlencode([(name, value) for name, value in fields if name != "token"])
    # With two slashes before it, a path would be the name of another host.
    return "/" + quote(scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")


async def _enter(send: Send, where: str, rules: Guard) -> None:
    cookie = (
        f"{rules.cookie}={quote(rules.token or '', safe='')}; HttpOnly; SameSite=Strict; Path=/"
    )
    headers = [(b"location", where.encode("latin-1")), (b"set-cookie", cookie.encode("latin-1"))]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _is_token(shown: str, rules: Guard) -> bool:
    return rules.token is None or hmac.compare_digest(shown.encode(), rules.token.encode())


def _is_own_host(headers: dict[str, str], rules: Guard) -> bool:
    hosts = {host.lower() for host in rules.hosts}
    return "*" in hosts or _host(headers.get("host", "")).lower() in hosts


def _shown_token(headers: dict[str, str], rules: Guard) -> str:
    shown = headers.get("authorization", "").removeprefix("Bearer ")
    if shown:
        return shown
    try:
        held = SimpleCookie(headers.get("cookie", "")).get(rules.cookie)
    except CookieError:
        return ""
    return unquote(held.value) if held else ""


def _refusal(path: str, headers: dict[str, str], rules: Guard) -> tuple[int, str] | None:
    if not _is_own_host(headers, rules):
        return 421, "this service does not answer under that host name; see --allow-host"
    origin = headers.get("origin")
    if origin and origin.partition("://")[2] != headers.get("host"):
        return 403, "requests from pages of other sites are refused"
    if path not in OPEN_PATHS and not _is_token(_shown_token(headers, rules), rules):
        return 401, rules.missing
    length = headers.get("content-length", "0")
    return _too_large(rules) if length.isdigit() and int(length) > rules.most_bytes else None


def _host(header: str) -> str:
    return header if header.endswith("]") else header.rpartition(":")[0] or header


def _too_large(rules: Guard) -> tuple[int, str]:
    return 413, f"the body is larger than {rules.most_bytes:,} bytes"


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
