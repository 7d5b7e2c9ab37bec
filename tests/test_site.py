"""The docs site builds without a warning, asks no other server, and names what the code has."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer

import dxjudge
from dxjudge.agents.steps import STEPS
from dxjudge.cli.main import app
from dxjudge.evaluation.presets import PRESETS
from dxjudge.evaluation.settings import Settings
from dxjudge.evaluation.tasks import TASKS, every_column

from .pages import ROOT

pytest.importorskip("material", reason="the docs extra is not installed")
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """What a page loads, where it links to, and the places that others can link to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.loads: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.places.add(values.get("id", ""))
        if tag == "a":
            self.links.append(values.get("href", ""))
        elif tag in LOADED and values.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(values.get(LOADED[tag], ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = ["build", "--strict", "--quiet", "--config-file", str(ROOT / "mkdocs.yml")]
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", *words, "--site-dir", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    files = (path for path in site.glob("*.html") if path.name != "404.html")
    return {path.name: Page(path.read_text("utf-8")) for path in files}


def test_no_page_loads_anything_from_another_server(site: Path, pages: dict[str, Page]) -> None:
    loads = {load for page in pages.values() for load in page.loads}
    assert loads and {load for load in loads if urlsplit(load).netloc} == set()
    styles = [path.read_text("utf-8") for path in site.rglob("*.css")]
    assert styles and not [text for text in styles if re.search(r"url\(['\"]?(https?:)?//", text)]


def test_every_link_of_the_site_leads_to_a_page_and_a_place(pages: dict[str, Page]) -> None:
    broken = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            target = parts.path.removeprefix("./") or name
            if parts.scheme or not target.endswith(".html"):
                continue
            place = unquote(parts.fragment)
            known = pages.get(target)
            if known is None or (place and place not in known.places):
                broken.append(f"{name}: {link}")
    assert len(pages) > 25 and broken == []


def _leaves(group: typer.core.TyperGroup, words: str = "dxjudge") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, typer.core.TyperGroup):
            yield from _leaves(command, f"{words} {name}")
        else:
            yield f"{words} {name}"


def test_the_reference_has_every_name_command_step_and_preset(pages: dict[str, Page]) -> None:
    python = pages["reference_api.html"]
    for name in {*dxjudge.__all__} - {"__version__"}:
        assert name.lower() in python.places or f"<code>{name}</code>" in python.text, name
    group = typer.main.get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    commands = {words.replace(" ", "-") for words in _leaves(group)}
    assert len(commands) > 30 and pages["reference_cli.html"].places >= commands
    assert pages["reference_steps.html"].places >= {step.name for step in STEPS}
    assert pages["reference_presets.html"].places >= {preset.name for preset in PRESETS}


def test_the_page_of_numbers_has_every_metric() -> None:
    text = (ROOT / "docs/numbers.md").read_text("utf-8")
    shown = set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))
    settings = Settings(preset="diagnosis")
    metrics = {one.metric for task in TASKS for one in every_column(task, settings)}
    metrics |= {column.metric for preset in PRESETS for column in preset.columns}
    families = {re.split(r"[*:]", name)[0] for name in shown if "*" in name}
    missing = {m for m in metrics if m not in shown and not m.startswith(tuple(families))}
    assert len(metrics) > 50 and missing == set()


_LINK = re.compile(r"\]\(([^)\s]+)\)")


def _slug(title: str) -> str:
    """The anchor of a heading, as code hosts and the site make it."""
    bare = re.sub(r"[^\w\s-]", "", title.replace("`", "").strip().lower())
    return re.sub(r"[\s]+", "-", bare)


def _places(path: Path) -> set[str]:
    return {_slug(title) for title in re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.M)}


@pytest.mark.parametrize(
    "page",
    sorted(
        str(path.relative_to(ROOT))
        for folder in (".", "docs", "training", "examples")
        for path in (ROOT / folder).glob("*.md")
    ),
)
def test_every_relative_link_of_a_page_leads_to_a_file_and_a_heading(page: str) -> None:
    made = {"reference_api.md", "reference_cli.md", "reference_steps.md", "reference_presets.md"}
    broken = []
    for link in _LINK.findall(
        re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.S)
    ):
        parts = urlsplit(link)
        path = (ROOT / page).parent / parts.path if parts.path else ROOT / page
        if parts.scheme or path.name in made:
            continue
        if not path.exists() or (parts.fragment and parts.fragment not in _places(path)):
            broken.append(link)
    assert broken == []
