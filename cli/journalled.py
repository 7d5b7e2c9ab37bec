"""The frame of a command that judges rows under a journal: budget, interrupt, exit code."""

import sys
from collections.abc import Callable
from typing import Any

from ..agents.engine.run import Run
from ..files.journal import Journal

SOME_FAILED = 3
BUDGET = 7
INTERRUPTED = 130


def journalled(
    journal: Journal[Any], settings: dict[str, Any], work: Callable[[Run], bool], *, what: str
) -> int:
    """Do `work` with a run of these settings; return the exit code.

    work: writes the output and tells whether anything failed. what: the plural of what the
    journal keeps. The journal is removed when nothing failed, and kept after an interrupt.
    """
    done = False
    try:
        with Run(**settings) as run:
            failed = work(run)
            done = not failed
            return BUDGET if run.budget_reached else SOME_FAILED if failed else 0
    except KeyboardInterrupt:
        kept = f"finished {what} are kept in {journal.path}" if journal.path else "none is kept"
        print(f"dxjudge: interrupted, no output written; {kept}", file=sys.stderr)
        return INTERRUPTED
    finally:
        journal.close(remove=done)
