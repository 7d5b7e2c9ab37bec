"""A reader who does what a page says, block by block, in a folder of their own."""

import ast
import asyncio
import inspect
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import yaml

from dxjudge.cli.main import run as dxjudge

from .pages import ROOT, SHELL, Block, blocks, matches, shown_lines, statements

DONE = (0, 3)  # 3: some rows failed, as a scripted model's answers may
_TARGETS = {line.split(":")[0] for line in (ROOT / "Makefile").read_text().splitlines()}
_EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
# The address of a scripted server, which a provider's own models do not show.
_ADDRESS = re.compile(r"@http://127\.0\.0\.1:\d+(/v1)?")
_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class PageReader:
    """Runs the blocks of one page and compares what they print with what the page shows.

    given: names that the Python of the page has without saying so. why_not: why a statement of the
    shell, or a block of Python, is not run here; None where it is. before: called with the words of
    a command before it runs, so that files of an earlier day lie there. fill: judges and addresses
    of a page -> those of the test.
    """

    def __init__(
        self,
        page: str,
        given: dict[str, Any],
        why_not: Callable[[str], str | None],
        before: Callable[[list[str]], None],
        fill: Callable[[str], str],
    ) -> None:
        self.page = page
        self.names = {"__name__": "__main__", **given}
        self.why_not = why_not
        self.before = before
        self.fill = fill
        self.printed = ""

    def read(self) -> None:
        """Do everything that the page says."""
        for block in blocks(self.page):
            self._do(block)

    def _do(self, block: Block) -> None:
        place = f"{self.page}:{block.line}"
        if block.title == "Output":
            assert matches(block.text, self.printed), f"{place} is not what came:\n{self.printed}"
        elif block.title.startswith("Output: "):
            written = Path(block.title.removeprefix("Output: ")).read_text("utf-8")
            assert matches(block.text, written), f"{place} is not what was written:\n{written}"
        elif block.title:
            Path(block.title).write_text(block.text, "utf-8")
        elif block.language in SHELL:
            self._shell(block, place)
        elif block.language == "python" and self.why_not(block.text) is None:
            self._python(block)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "yaml":
            yaml.safe_load(block.text)
        if block.title and block.language == "python" and block.title.endswith(".py"):
            compile(block.text, place, "exec", flags=_AWAIT)

    def _shell(self, block: Block, place: str) -> None:
        lines = [line for line in statements(block) if self.why_not(line) is None]
        if lines:
            printed = "".join(self._statement(line, place) for line in lines)
            self.printed = _ADDRESS.sub("", printed)
        shown = shown_lines(block)
        assert not shown or matches(shown, self.printed), f"{place} shows not:\n{self.printed}"

    def _statement(self, line: str, place: str) -> str:
        tool = line.split()[0]
        if tool == "dxjudge" and not re.search(r"[|>&]", re.sub(r"'[^']*'|\"[^\"]*\"", "", line)):
            return self._command(shlex.split(self.fill(line), comments=True)[1:], place)
        if tool == "make":
            assert line.split()[1] in _TARGETS, f"{place}: the Makefile has no {line}"
            return ""
        if tool == "pip":
            named = re.findall(r"\[([\w,-]+)\]", line)
            extras = {extra for group in named for extra in group.split(",")}
            assert extras <= set(_EXTRAS), f"{place}: pyproject.toml has not all of {extras}"
            return ""
        if tool == "export":
            name, _, value = line.removeprefix("export ").partition("=")
            os.environ.setdefault(name, value)
            return ""
        if tool == "python" and line.endswith(".py"):
            return self._program(line.split()[1])
        return self._other(line, place)

    def _program(self, name: str) -> str:
        """Run a file of Python as a program would: its own modules, its folder on the path."""
        before, path = set(sys.modules), list(sys.path)
        sys.path.insert(0, str(Path.cwd()))
        out = StringIO()
        try:
            with redirect_stdout(out):
                runpy.run_path(name, run_name="__main__")
        finally:
            sys.path[:] = path
            for module in set(sys.modules) - before:  # the next program imports it again
                file = getattr(sys.modules[module], "__file__", None)
                if file and Path(file).is_relative_to(Path.cwd()):
                    del sys.modules[module]
        return out.getvalue()

    def _command(self, words: list[str], place: str) -> str:
        self.before(words)
        # A scripted model may fail rows, so that a command leaves its journal for a retry. The next
        # command of the page may write the same output with other settings: another job.
        for journal in Path().glob("*.journal"):
            journal.unlink()
        out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in "ab")
        with redirect_stdout(out), redirect_stderr(err):
            code = dxjudge(words)
        first, second = (stream.buffer.getvalue().decode() for stream in (err, out))
        said = first + second + first  # a page shows both in either order
        assert code in DONE, f"{place}: dxjudge {shlex.join(words)}\n{said}"
        return said

    def _other(self, line: str, place: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", line],
            # A pytest of a page needs no plugin; each takes longer to load than the test to run.
            env={**os.environ, "PATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode in DONE, f"{place}: {line}\n{done.stdout}{done.stderr}"
        return done.stderr + done.stdout + done.stderr

    def _python(self, block: Block) -> None:
        text = "\n" * (block.line - 1) + self.fill(block.text)
        program = compile(text, self.page, "exec", flags=_AWAIT)
        out = StringIO()
        with redirect_stdout(out):
            result = eval(program, self.names)
            if inspect.iscoroutine(result):
                asyncio.run(result)
        self.printed = out.getvalue()
