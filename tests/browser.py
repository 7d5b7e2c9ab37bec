"""A real Chromium for the tests of the pages, driven by Playwright."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi import APIRouter
from playwright.sync_api import Browser, Page, sync_playwright

from dxjudge.web.guard import Guard, guarded
from dxjudge.web.listening import bind, make_server
from dxjudge.web.local import HOST, Job, make_local_app

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
    listening = bind(HOST, 0)
    listening.listen()
    port = listening.getsockname()[1]
    guard = Guard(
        TOKEN, (HOST, "localhost"), 5_000_000, cookie=f"dxjudge-{port}", missing="a token"
    )
    app = guarded(make_local_app(job, api), guard)
    server = make_server(app, grace=2)
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


def inaccessible(page: Page, *, contrast: bool = True) -> list[str]:
    """Return what axe finds wrong on the page: the rule, and the first element it names.

    contrast: also of colours, which is most of the work and the same at every width.
    """
    if not _AXE.exists():
        pytest.skip("axe-core is not installed (make pages)")
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        """async (contrast) => (await axe.run({resultTypes: ["violations"],
        rules: {"color-contrast": {enabled: contrast}}})).violations""",
        contrast,
    )
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def looks(page: Page) -> Iterator[int]:
    """Show a page at three widths, light and dark, and yield the width.

    At each of these axe finds nothing: at every width once, and the colours once in each scheme.
    """
    for scheme, widths in (("light", (390, 1140, 1900)), ("dark", (1900, 1140, 390))):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            yield width
            is_first = width == widths[0]
            if is_first or scheme == "light":
                assert inaccessible(page, contrast=is_first) == [], (scheme, width)


def sideways(page: Page) -> list[str]:
    """Return the tables of telephones that still scroll sideways in their boxes."""
    script = """() => [...document.querySelectorAll('table.stacks')]
        .map(table => table.parentElement)
        .filter(box => box.scrollWidth > box.clientWidth)
        .map(box => box.textContent)"""
    found: list[str] = page.evaluate(script)
    return found


def check_widths(page: Page, name: str) -> None:
    """Assert at every look that axe finds nothing and that nothing is wider than the page.

    DXJUDGE_SCREENSHOTS in the environment is a folder for a picture of each.
    """
    folder = os.environ.get("DXJUDGE_SCREENSHOTS")
    for at, width in enumerate(looks(page)):
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, (name, width, over)
        assert width > 640 or not sideways(page), (name, width)
        if folder:
            page.screenshot(path=f"{folder}/{name}-{at}-{width}.png", full_page=True)


def fits(page: Page, width: int) -> None:
    """Wait until the page is no wider than its window; parts of it are drawn after a change.

    A function, as everywhere: a bare expression is evaluated in the page, whose policy forbids it.
    """
    script = "width => document.documentElement.scrollWidth <= width"
    page.wait_for_function(script, arg=width, timeout=20_000)
