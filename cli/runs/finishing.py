"""Run a command with a journal: continue its finished items, close it, return the exit code."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...agents.engine.run import Run
from ...files.journal import Journal, finished_keys
from ..exit_codes import BUDGET, INTERRUPTED, SOME_FAILED
from ..option_groups import RunOptions
from ..terminal.progress import counting
from .outcomes import Outcomes
from .step_rows import say

T = TypeVar("T")


def journal_path(output: str, named: Path | None) -> Path | None:
    """Return the path of the journal: as named, else beside the output; None for no journal."""
    if named is not None or output == "-":
        return named
    return Path(f"{output}.journal")


def unfinished(path: Path | None, job: Mapping[str, Any], keys: Sequence[str]) -> Sequence[int]:
    """Return the numbers of the items that the journal of a run that did not end does not have.

    keys: the key of each item in the journal.
    """
    kept = finished_keys(path, job)
    return [item for item, key in enumerate(keys) if key not in kept] if kept else range(len(keys))


def journalled(
    journal: Journal[Any],
    options: RunOptions,
    work: Callable[[Run], bool],
    *,
    what: str,
    can_retry: bool = True,
) -> int:
    """Call `work` with a run of these options; return the exit code.

    work: writes the output and returns whether an item failed. what: the plural of what the
    journal keeps, for messages. The journal is kept when an item failed and another did not,
    unless the same command could only fail again (`can_retry` is false: no model is asked).
    """
    done = False
    try:
        with options.open() as run:
            failed = work(run)
            done = not (failed and can_retry)
            return BUDGET if run.budget_reached else SOME_FAILED if failed else 0
    except KeyboardInterrupt:
        path = journal.path
        is_kept = path is not None and len(journal) > 0
        rest = f"finished {what} are kept in {path}" if is_kept else f"no finished {what} are kept"
        say(f"dxjudge: interrupted, no output written; {rest}")
        return INTERRUPTED
    finally:
        journal.close(remove=done)


@dataclass(frozen=True)
class Rows(Generic[T]):
    """The rows to finish.

    keys: the key of each row in the journal, "" for a row that is never kept. ask: (positions of
    rows, run) -> (index into the positions, outcome), in the order in which they are finished.
    is_failed: whether an outcome counts as failed. is_final: whether an outcome is kept, because
    asking again would not change it.
    """

    keys: Sequence[str]
    ask: Callable[[Sequence[int], Run], AsyncGenerator[tuple[int, T], None]]
    is_failed: Callable[[T], bool]
    is_final: Callable[[T], bool]

    async def finish(self, run: Run, outcomes: Outcomes[T], *, quiet: bool) -> None:
        """Ask for the rows that have no outcome yet, and keep their outcomes."""
        rows = outcomes.open_rows()
        with counting(run, len(rows), quiet=quiet) as progress:
            async with aclosing(self.ask(rows, run)) as stream:
                async for index, outcome in stream:
                    outcomes.keep(rows[index], outcome, is_final=self.is_final(outcome))
                    progress.add(failed=self.is_failed(outcome))
