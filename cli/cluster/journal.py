"""The journal of a job on many machines: a folder in the output, with the blocks it finished."""

import os
import re
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import InputError, UsageError
from ...files.blocks import JOURNAL, Blocks
from ...files.claim import claim
from ..exit_codes import INTERRUPTED
from ..terminal.facts import Fact, Facts, tell

_ROOT = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^/]*)?/*")  # a host or a bucket without a path
_JOB, _SUMMARY = f"{JOURNAL}/job", f"{JOURNAL}/summary"


def whole_path(place: str) -> str:
    """Return an address as it is, and a path as an absolute one, which all workers understand."""
    return place if "://" in place else os.path.abspath(place)


def beside(place: str) -> str:
    """Return a new place beside a path or an address, for what is not kept.

    Raises UsageError for a whole bucket or disk: beside it would be another one.
    """
    path, mark, query = place.partition("?") if "://" in place else (place, "", "")
    if _ROOT.fullmatch(path):
        raise UsageError(
            f"nothing can be kept beside {place} while texts are counted: name a folder in it (-o)"
        )
    return f"{path.rstrip('/')}.{uuid.uuid4().hex[:12]}{mark}{query}"


def check_places(source: str, output: str) -> None:
    """Raise UsageError where the output folder cannot be one, or lies in the input folder."""
    if "-" in (source, output):
        raise UsageError("--cluster reads files and writes a folder: name both, not -")
    inside = f"{whole_path(output).rstrip('/')}/"
    if inside.startswith(f"{whole_path(source).rstrip('/')}/"):
        raise UsageError("the output folder must lie outside the input")


def check_options(refused: Mapping[str, bool]) -> None:
    """Raise UsageError for options that --cluster does not have. refused: flag -> it is given."""
    flags = ", ".join(name for name, is_given in refused.items() if is_given)
    if flags:
        raise UsageError(
            f"--cluster goes without {flags}: leave that out, or give the command for each file "
            "without --cluster"
        )


def in_journal(
    output: str, about: Mapping[str, Any], folders: Sequence[str],
    work: Callable[[], tuple[Facts, int]], *, as_json: bool, quiet: bool,
    made: Path | None = None,
) -> int:  # fmt: skip
    """Do a job, or what an earlier run left of it, tell its summary and return the exit code.

    output, about: as for `_begun`. folders: those of the blocks, which are removed when the job is
    complete. work: returns the summary and the exit code. made: a file that it makes from the
    blocks; UsageError is raised where it is gone once the blocks are.
    """
    with _begun(whole_path(output), about) as journal:
        before = _summary_of(journal)
        if before is not None:
            if made is not None and not made.exists():
                raise UsageError(
                    f"the job in {output} was complete before, and {made} cannot be written from "
                    "its rows: remove the folder, or name another --output; kept replies are not "
                    "asked for again"
                )
            tell(["this job was complete before", *before], as_json=as_json, quiet=quiet)
            return 0
        journal.create(*folders)
        try:
            facts, code = work()
        except KeyboardInterrupt:
            kept = f"what is finished is kept in {output}: run the same command again"
            print(f"dxjudge: interrupted; {kept}", file=sys.stderr)
            return INTERRUPTED
        told = list(facts)
        tell(told, as_json=as_json, quiet=quiet)
        if code == 0:
            _complete(journal, folders, told)
        return code


def is_unfinished(output: str, about: Mapping[str, Any]) -> bool:
    """Whether an output folder has the journal of this job, which is not complete."""
    journal = Blocks(whole_path(output))
    return journal.read_note(_JOB) == about and _summary_of(journal) is None


@contextmanager
def _begun(output: str, about: Mapping[str, Any]) -> Iterator[Blocks]:
    """Begin the journal of a job in its output folder, or continue it.

    about: everything that changes the results. Raises InputError for the journal of another job,
    and OutputError for a folder that has other content or that another run is writing.
    """
    journal = Blocks(output)
    known = journal.read_note(_JOB)
    if known is None:
        journal.check_empty()
    elif known != about:
        names = ", ".join(name for name in {**known, **about} if known.get(name) != about.get(name))
        raise InputError(
            f"{output} has the journal of another job ({names} differ): run that job's command "
            "again, remove the folder, or name another --output"
        )
    if known is None:
        journal.create()
    with _held(output, journal):
        if known is None:
            journal.write_note(_JOB, about)
        yield journal


def _summary_of(journal: Blocks) -> list[Fact] | None:
    """Return the summary of a job that is complete, None for any other."""
    kept = journal.read_note(_SUMMARY)
    return None if kept is None else [Fact(line, values) for line, values in kept]


def _complete(journal: Blocks, folders: Sequence[str], facts: Facts) -> None:
    """Keep the summary of a complete job in place of its blocks."""
    as_facts = (one if isinstance(one, Fact) else Fact(one, {"notes": [one]}) for one in facts)
    journal.write_note(_SUMMARY, [[fact.line, fact.values] for fact in as_facts])
    journal.remove(*folders)


@contextmanager
def _held(output: str, journal: Blocks) -> Iterator[None]:
    """Keep other runs out of a local folder; object stores have no locks."""
    if "://" in output:
        yield
        return
    give_back: Callable[[], None] = claim(Path(journal.path) / _JOB)
    try:
        yield
    finally:
        give_back()
