"""A real Chromium for the tests of the pages, driven by Playwright."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from fastapi import APIRouter
from playwright.sync_api import Browser, Page, sync_playwright

from dxjudge.web.guard import Guard, guarded
from dxjudge.web.local import HOST, Job, listen, make_local_app

_AXE = Path(__file__).parents[1] / "web/ui/node_modules/axe-core/axe.min.js"
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
TOKEN = "the-token-of-this-test"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield the machine's Chromium; a test is skipped where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no chromium (Debian's package chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield browser
        browser.close()


@contextmanager
def served(job: Job, api: APIRouter) -> Iterator[str]:
    """Serve the pages of a job as the commands do, and yield the address with its token."""
    listening = listen(HOST, 0)
    port = listening.getsockname()[1]
    guard = Guard(TOKEN, (HOST, "localhost"), 5_000_000, cookie=f"dxjudge-{port}")
    app = guarded(make_local_app(job, api), guard)
    server = uvicorn.Server(uvicorn.Config(app, access_log=False, log_config=None))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield f"http://{HOST}:{port}/?token={TOKEN}"
    finally:
        server.should_exit = True
        thread.join()


def faults_of(page: Page) -> list[str]:
    """Collect what the page writes to its console as errors, and requests to other machines."""
    seen: list[str] = []
    page.on("console", lambda m: seen.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda fault: seen.append(str(fault)))
    page.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith((f"http://{HOST}:", "data:", "file:", "blob:"))
            else seen.append(f"a request left the machine: {asked.url}")
        ),
    )
    return seen


def inaccessible(page: Page) -> list[str]:
    """Return what axe finds wrong on the page: the rule, and the first element it names."""
    if not _AXE.exists():
        pytest.skip("axe-core is not installed (make pages)")
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]
