"""Progress on standard error (a bar on a terminal, elsewhere lines), and what a run did."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...files.counted import counted
from .facts import Fact

if TYPE_CHECKING:
    from ...agents.engine.ledger import Line
    from ...agents.engine.run import Run

SECONDS_BETWEEN_LINES = 30.0
_SHOWN = 5  # the rows of failures that a line names
_MOST_REASONS = 3
_TITLES = {
    "encoding": "building the index: meanings",
    "indexing": "building the index: vectors",
    "mapping": "mapping",
    "reading bytes": "reading the input, MB",
    "writing bytes": "writing, MB read again",
}
_MEGABYTE = 1_000_000


class Pace:
    """How fast a run asks, and how long it will still take.

    done: what was finished before the work began, as by an earlier run; the pace leaves it out,
    and whatever was answered from the cache.
    """

    def __init__(self, done: int = 0) -> None:
        self._free = float(done)
        self._started = time.monotonic()

    def leave_out(self, count: float) -> None:
        """Leave so many more items, which were answered from the cache, out of the pace."""
        self._free += count

    def a_minute(self, done: int) -> float:
        """Return how many items a minute were asked."""
        asked = max(done - self._free, 0)
        return 60 * asked / max(time.monotonic() - self._started, 1e-9)

    def left(self, done: int, total: int) -> str:
        """Return the time that is left, "" where nothing was asked or nothing is left."""
        pace = self.a_minute(done)
        if not pace or done >= total:
            return ""
        return f"{duration(60 * (total - done) / pace)} left"


class Now:
    """Prints a line on standard error, at most one every 30 seconds."""

    def __init__(self, done: int = 0) -> None:
        """done: as for `Pace`."""
        self.pace = Pace(done)
        self._printed = time.monotonic()

    def say(self, title: str, done: int, total: int, state: str = "") -> None:
        """Print how far the work is, where the last line, or the start, is 30 seconds ago.

        total: 0 where it is unknown.
        """
        now = time.monotonic()
        if now - self._printed < SECONDS_BETWEEN_LINES:
            return
        self._printed = now
        left, asked = self.pace.left(done, total), f"{self.pace.a_minute(done):,.0f} a minute"
        parts = (f"dxjudge: {title}: {reached(done, total)}", left, asked, state)
        print(", ".join(filter(None, parts)), file=sys.stderr, flush=True)


class Stages:
    """Shows (stage, done, total), which the builder of an index and the mapper report."""

    def __init__(self, bar: Any, quiet: bool) -> None:
        self._bar = bar
        self._quiet = quiet
        self._tasks: dict[str, Any] = {}
        self._lines: dict[str, Now] = {}
        self._done: dict[str, int] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is. total: 0 where it is unknown."""
        if stage not in self._tasks:
            self._lines[stage] = Now(done)
            self._tasks[stage] = self._start(stage, total)
        if done < self._done.get(stage, 0):  # the same is read once more
            self._lines[stage].pace = Pace(done)
        self._done[stage] = done
        if self._bar is not None:
            show(self._bar, self._tasks[stage], self._lines[stage].pace, done, total)
        elif not self._quiet:
            self._lines[stage].say(_TITLES.get(stage, stage), done, total)

    def of_bytes(self, stage: str) -> Callable[[int, int], None]:
        """Return what shows how far a stage is from bytes, in megabytes."""
        name = f"{stage} bytes"
        return lambda done, total: self(name, done // _MEGABYTE, total // _MEGABYTE)

    def replayed(self, stage: str, count: int = 1) -> None:
        """Leave items that were finished before, as those from the cache, out of a stage's pace."""
        if stage in self._lines:
            self._lines[stage].pace.leave_out(count)

    def _start(self, stage: str, total: int) -> Any:
        title = _TITLES.get(stage, stage)
        if self._bar is not None:
            return add_task(self._bar, title, total)
        # A first run takes minutes, and without this line it would look as if it did nothing.
        if not self._quiet and stage == "encoding":
            print(f"{title} of {total:,} terms, once", file=sys.stderr)
        return None


@contextmanager
def stages(*, quiet: bool) -> Iterator[Stages]:
    """Show stages on standard error: bars on a terminal, elsewhere lines, nothing with `quiet`."""
    if quiet or not sys.stderr.isatty():
        yield Stages(None, quiet)
        return
    with open_bar() as bar:
        yield Stages(bar, quiet)


class Counted:
    """Shows how far a judging run is, with its failures and its cost."""

    def __init__(self, bar: Any, run: "Run", total: int, *, quiet: bool) -> None:
        self._bar = bar
        self._run = run
        self._total = total
        self._quiet = quiet
        self._now = Now()
        self._done = self._failed = 0
        self._replayed = 0.0
        if bar is not None:
            self._task = add_task(bar, "judging", total)

    def add(self, *, failed: bool) -> None:
        """Count one more row; the share of its verdicts from the cache is left out of the pace."""
        self._done += 1
        self._failed += failed
        replayed = self._done * replayed_share(self._run)
        self._now.pace.leave_out(replayed - self._replayed)
        self._replayed = replayed
        if self._bar is not None:
            what = f"judging · {self._state()}"
            show(self._bar, self._task, self._now.pace, self._done, self._total, what=what)
        elif not self._quiet:
            self._now.say("judging", self._done, self._total, self._state())

    def _state(self) -> str:
        return f"{self._failed:,} failed · {cost_text(self._run.ledger.summary())}"


def tell_of_batches(run: "Run", *, quiet: bool) -> None:
    """Let the batches of a run say on standard error what they wait for, unless `quiet`."""
    if run.batches is not None and not quiet:
        run.batches.tell = lambda text: print(f"dxjudge: {text}", file=sys.stderr, flush=True)


@contextmanager
def counting(run: "Run", total: int, *, quiet: bool) -> Iterator[Counted]:
    """Count on standard error: a bar on a terminal, elsewhere lines, nothing with `quiet`."""
    tell_of_batches(run, quiet=quiet)
    if quiet or not sys.stderr.isatty():
        yield Counted(None, run, total, quiet=quiet)
        return
    with open_bar() as bar:
        yield Counted(bar, run, total, quiet=quiet)


def add_task(bar: Any, what: str, total: int) -> Any:
    """Add a task to a bar. total: 0 where it is unknown."""
    return bar.add_task(
        "", total=total or None, reached=reached(0, total), what=what, left="", rate=""
    )


def show(bar: Any, task: Any, pace: Pace, done: int, total: int, **fields: str) -> None:
    """Show on a bar how far a task is, with the time left and the pace."""
    asked = pace.a_minute(done)
    rate, left = f"{asked:,.0f} a minute" if asked else "", pace.left(done, total)
    so_far = reached(done, total)
    bar.update(
        task, completed=done, total=total or None, reached=so_far, rate=rate, left=left, **fields
    )


def reached(done: int, total: int) -> str:
    """Return how far something is, in words; 0 stands for a total that is unknown."""
    return f"{done:,} of {total:,}" if total else f"{done:,}"


def open_bar() -> Any:
    """Open a bar on standard error: count, time left, pace, bar, and what is done.

    In a narrow terminal the end of the last one is cut, never the count or the time.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.table import Column
    from rich.text import Text

    class What(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.fields["what"], no_wrap=True, overflow="ellipsis")

    whole = Column(no_wrap=True)
    columns = (
        TextColumn("{task.fields[reached]}", table_column=whole),
        TextColumn("{task.fields[left]}", table_column=whole.copy()),
        TextColumn("{task.fields[rate]}", table_column=whole.copy()),
        BarColumn(bar_width=16),
        What(),
    )
    return Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        # What is printed meanwhile stands above the bar; a file or a pipe gets it as it is.
        redirect_stdout=sys.stdout.isatty(),
    )


def replayed_share(run: "Run") -> float:
    """Return the share of the run's verdicts that were answered from the cache."""
    lines = run.ledger.summary()
    return sum(line.cached for line in lines) / max(sum(line.items for line in lines), 1)


def duration(seconds: float) -> str:
    """Return a time in the unit that a reader would choose: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:,.1f} h"


def without_tokens(lines: "Sequence[Line]") -> str:
    """Return how many answers a number of tokens leaves out; "" for none."""
    unknown = sum(line.answers_without_tokens for line in lines)
    return f" (not reported for {counted(unknown, 'answer')})" if unknown else ""


def cost_text(lines: "Sequence[Line]") -> str:
    """Return what the calls cost, as far as the price of their models is known."""
    cost = f"${sum(line.cost for line in lines):,.4f}"
    calls = sum(line.calls for line in lines)
    unknown = sum(line.calls_of_unknown_cost for line in lines)
    if not unknown:
        return f"cost {cost}"
    if unknown >= calls:
        return "cost unknown"
    known = counted(calls - unknown, "call")
    return f"cost {cost} for {known}; the price of the other {unknown:,} is unknown"


def failed_facts(failures: Iterable[tuple[int, str]], thing: str) -> Iterator[Fact]:
    """Yield a fact for each reason, the most frequent first: how many failed, and where.

    failures: (the number of the row, reason). thing: the noun of what failed. Three reasons have a
    line, and one line counts the others.
    """
    rows_of: dict[str, list[int]] = {}
    for row, reason in failures:
        rows_of.setdefault(reason[:300], []).append(row)
    ranked = sorted(rows_of.items(), key=lambda pair: -len(pair[1]))
    for place, (reason, rows) in enumerate(ranked):
        distinct = list(dict.fromkeys(rows))
        numbers = ", ".join(map(str, distinct[:_SHOWN])) + ", …" * (len(distinct) > _SHOWN)
        where = f": {numbers}" if thing == "row" else f" on row{'s'[: len(distinct) > 1]} {numbers}"
        line = f"failed ({counted(len(rows), thing)}{where}): {reason}"
        about = {"reason": reason, "count": len(rows), "rows": distinct}
        yield Fact(line if place < _MOST_REASONS else "", {"failures": [about]})
    if others := ranked[_MOST_REASONS:]:
        count = sum(len(rows) for _, rows in others)
        reasons = counted(len(others), "other reason")
        yield Fact(f"failed ({counted(count, thing)}): {reasons}, which --json lists", {})


def work_done(
    rows: int, resumed: int, run: "Run", seconds: float, noun: str = "row", asked: str = ""
) -> "Iterator[Fact | str]":
    """Yield facts on what this run did: calls, tokens, cost and pace.

    noun: what the run finishes. asked: what a judge is asked for, where one row needs several.
    """
    if resumed:
        yield Fact(
            f"finished by an earlier run: {counted(resumed, noun)}", {"finished_before": resumed}
        )
    lines = run.ledger.summary()
    calls, cached = sum(line.calls for line in lines), sum(line.cached for line in lines)
    if calls or cached:
        tokens = sum(line.tokens_in + line.tokens_out for line in lines)
        repaired = sum(line.repaired for line in lines)
        yield Fact(
            f"{counted(calls, 'call')}, {counted(cached, asked or noun)} from the cache, "
            f"{repaired:,} repaired, {tokens:,} tokens{without_tokens(lines)}, {cost_text(lines)}",
            {"repaired": repaired, **calls_of(lines)},
        )
    yield from run.remarks()
    new, share = rows - resumed, replayed_share(run)
    rate = 60 * new * (1 - share) / seconds
    asked_alone = " without those from the cache" if share else ""
    yield Fact(
        f"{counted(new, noun)} in {seconds:.1f} s, {rate:,.0f} a minute{asked_alone}",
        {"finished_now": new, "seconds": round(seconds, 3), "asked_a_minute": round(rate, 1)},
    )


def calls_of(lines: "Sequence[Line]") -> dict[str, Any]:
    """Return what was called, as values of JSON. cost: of the calls whose price is known."""
    return {
        "calls": sum(line.calls for line in lines),
        "from_cache": sum(line.cached for line in lines),
        "tokens_in": sum(line.tokens_in for line in lines),
        "tokens_out": sum(line.tokens_out for line in lines),
        "answers_without_tokens": sum(line.answers_without_tokens for line in lines),
        "cost": sum(line.cost for line in lines),
        "calls_of_unknown_cost": sum(line.calls_of_unknown_cost for line in lines),
    }
