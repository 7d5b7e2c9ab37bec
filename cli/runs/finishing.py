"""The frame of a command that works under a journal: what is kept, what is open, how it ends."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...agents.engine.run import Run
from ...files.journal import Journal
from ..exit_codes import BUDGET, INTERRUPTED, SOME_FAILED
from ..option_groups import RunOptions
from ..progress import counting
from .step_rows import say

T = TypeVar("T")


def journal_path(output: str, named: Path | None) -> Path | None:
    """Return the path of the journal: as named, else beside the output; None for no journal."""
    if named is not None or output == "-":
        return named
    return Path(f"{output}.journal")


def journalled(
    journal: Journal[Any], options: RunOptions, work: Callable[[Run], bool], *, what: str
) -> int:
    """Do `work` with a run of these options; return the exit code.

    work: writes the output and returns whether anything failed. what: the plural of what the
    journal keeps. The journal is removed when nothing failed, and kept after an interrupt.
    """
    done = False
    try:
        with options.open() as run:
            failed = work(run)
            done = not failed
            return BUDGET if run.budget_reached else SOME_FAILED if failed else 0
    except KeyboardInterrupt:
        kept = f"finished {what} are kept in {journal.path}" if journal.path else "none is kept"
        say(f"dxjudge: interrupted, no output written; {kept}")
        return INTERRUPTED
    finally:
        journal.close(remove=done)


@dataclass(frozen=True)
class Rows(Generic[T]):
    """Rows to finish, each with a key, which is "" for one that is never kept.

    ask: (places of rows, run) -> (index into the places, outcome) as they are finished.
    is_failed: whether an outcome counts as failed. is_final: whether it is kept, since asking
    again could change nothing.
    """

    keys: Sequence[str]
    ask: Callable[[list[int], Run], AsyncGenerator[tuple[int, T], None]]
    is_failed: Callable[[T], bool]
    is_final: Callable[[T], bool]

    def finished(self, journal: Journal[T]) -> dict[int, T]:
        """The rows that the journal has, by their places."""
        kept = ((place, journal.find(key)) for place, key in enumerate(self.keys))
        return {place: outcome for place, outcome in kept if outcome is not None}

    async def finish(self, run: Run, journal: Journal[T], *, quiet: bool) -> list[T]:
        """The outcomes of all rows, in their order; those that the journal lacks are asked."""
        outcomes = self.finished(journal)
        places = [place for place in range(len(self.keys)) if place not in outcomes]
        with counting(run, len(places), quiet=quiet) as progress:
            async with aclosing(self.ask(places, run)) as stream:
                async for index, outcome in stream:
                    place = places[index]
                    outcomes[place] = outcome
                    if self.keys[place] and self.is_final(outcome):
                        journal.keep(self.keys[place], outcome)
                    progress.add(failed=self.is_failed(outcome))
        return [outcomes[place] for place in range(len(self.keys))]
