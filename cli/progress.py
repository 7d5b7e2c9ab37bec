"""Progress on a terminal: one bar a stage, with rate and time left; silent on a pipe."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_TITLES = {
    "encoding": "building the index: meanings",
    "indexing": "building the index: vectors",
    "mapping": "mapping",
}


class Stages:
    """Takes (stage, done, total), as the builder of an index and the mapper report them."""

    def __init__(self, bar: Any, quiet: bool) -> None:
        self._bar = bar
        self._quiet = quiet
        self._tasks: dict[str, Any] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is."""
        if stage not in self._tasks:
            self._tasks[stage] = self._start(stage, total)
        if self._bar is not None:
            self._bar.update(self._tasks[stage], completed=done, total=total)

    def _start(self, stage: str, total: int) -> Any:
        title = _TITLES.get(stage, stage)
        if self._bar is not None:
            return self._bar.add_task(title, total=total, rate="")
        # A first run takes minutes; a log without a word would look like a hang.
        if not self._quiet and stage == "encoding":
            print(f"{title} of {total:,} terms, once", file=sys.stderr)
        return None


@contextmanager
def stages(*, quiet: bool) -> Iterator[Stages]:
    """Bars on standard error where it is a terminal and `quiet` is not wished."""
    if quiet or not sys.stderr.isatty():
        yield Stages(None, quiet)
        return
    with open_bar("{task.description}") as bar:
        yield Stages(bar, quiet)


def open_bar(text: str) -> Any:
    """A bar on standard error with count, rate and time left; `text` is a template of rich."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )

    class Rate(TextColumn):
        def render(self, task: Task) -> Any:
            a_minute = f"{60 * task.speed:,.0f} a minute" if task.speed else ""
            return super().render(task) + a_minute

    columns = (
        TextColumn(text),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(""),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
