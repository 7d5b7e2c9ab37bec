"""The local web app behind `dxjudge view`, `review` and `rate`, over real sockets and a browser."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import APIRouter
from playwright.sync_api import Browser

from dxjudge.errors import EnvironmentFault, InputError
from dxjudge.web.listening import bind
from dxjudge.web.local import HOST, Job

from .browser import TOKEN, chromium, faults_of, served

TITLE = "runs/a&b <script>alert(1)</script>"


def _api() -> APIRouter:
    api = APIRouter()

    @api.get("/runs")
    async def runs() -> list[str]:
        return []

    @api.get("/fails")
    async def fails() -> None:
        raise InputError("row 3 of t.csv is damaged")

    @api.post("/echo")
    async def echo(body: dict[str, str]) -> dict[str, str]:
        return body

    return api


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(Job(job="view", title=TITLE), _api()) as address:
        yield address


@pytest.fixture(scope="module")
def root(address: str) -> str:
    return address.partition("?")[0].rstrip("/")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def test_the_page_shows_its_title_as_text_and_asks_no_other_machine(
    browser: Browser, address: str
) -> None:
    page = browser.new_page()
    faults = faults_of(page)
    page.goto(address)
    page.wait_for_selector("h1")
    assert TITLE in page.inner_text("h1")
    assert "token" not in page.url, "the token stays in the address"
    assert page.title() == f"{TITLE} · dxjudge"
    assert faults == []


def test_a_browser_without_the_token_gets_nothing(root: str) -> None:
    for path in ("/", "/app.js", "/api/job"):
        assert httpx.get(root + path).status_code == 401
    assert httpx.get(f"{root}/?token=wrong").status_code == 401


def test_the_token_becomes_a_cookie_that_scripts_cannot_read(address: str, root: str) -> None:
    reply = httpx.get(f"{address}&case=7")
    assert (reply.status_code, reply.headers["location"]) == (303, "/?case=7")
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    name, _, value = cookie.partition(";")[0].partition("=")
    assert httpx.get(f"{root}/api/job", cookies={name: value}).json()["title"] == TITLE


def test_pages_of_other_sites_and_names_are_refused(root: str) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    port = urlsplit(root).port
    evil = {"Host": f"evil.example:{port}"}
    assert httpx.get(f"{root}/api/job", headers=bearer).status_code == 200
    assert (
        httpx.post(
            f"{root}/api/echo", json={}, headers={**bearer, "Origin": "http://evil.example"}
        ).status_code
        == 403
    )
    assert httpx.get(f"{root}/?token={TOKEN}", headers=evil).status_code == 421
    assert "set-cookie" not in httpx.get(f"{root}/?token={TOKEN}", headers=evil).headers


def test_every_reply_forbids_other_sources(root: str) -> None:
    for path in ("/", "/app.js", "/api/fails"):
        headers = httpx.get(root + path, headers={"Authorization": f"Bearer {TOKEN}"}).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_a_fault_comes_as_its_sentence(root: str) -> None:
    reply = httpx.get(f"{root}/api/fails", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (reply.status_code, reply.json()) == (422, {"error": "row 3 of t.csv is damaged"})


def test_a_port_in_use_is_named() -> None:
    with bind(HOST, 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EnvironmentFault, match=f"port {port} of 127.0.0.1 cannot be used"):
            bind(HOST, port)
