"""Run `dxjudge map --cluster`: scan, gather, map and write on a Ray cluster, and sum up."""

import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InputError, UsageError
from ...files.blocks import JOURNAL
from ...files.bytes import read_bytes
from ...graphs.mapper import Mapper
from ...ontology.reading.style import style_of
from ...ontology.sources.added import describe
from ...ontology.table import CanonicalTable, read_table, short_signature
from ...ontology.tree import load_tree
from ..exit_codes import INTERRUPTED, SOME_FAILED
from ..runs.map_accept import open_calibration
from ..runs.map_job import Request
from ..runs.map_style import StyleInUse, style_or
from ..runs.map_summary import Told, not_fitted, tell_counts
from ..terminal.facts import Fact, named, tell
from ..terminal.progress import Stages, stages
from .journal import begun, check_places, complete, told_before, whole_path
from .map_work import DISTINCT, MAPPED, TEXTS, Gather, Map, MapJob, Scan, Write
from .not_read import not_read
from .on_ray import connected, each
from .pieces import Pieces, find_pieces

_STYLE = f"{JOURNAL}/style"
_BUCKET = 64_000_000  # bytes of the input for each bucket of distinct texts
_MOST_BUCKETS = 1024
_SMALLEST, _LARGEST, _BLOCKS = 250, 25_000, 4_000  # texts of a block, and blocks of a job


@dataclass(frozen=True)
class Prepared:
    """A job that was checked, and what differs between its runs: workers and progress."""

    request: Request
    settings: dict[str, Any]
    found: Pieces
    table: CanonicalTable
    mapper: Mapper
    job: MapJob


@dataclass
class Done:
    """The counts of a job. unread: why, for each file that could not be read.

    distinct: texts that are not empty. settled: by reviewers. before: mapped by an earlier run.
    """

    columns: dict[str, None] = field(default_factory=dict)
    unread: dict[str, None] = field(default_factory=dict)
    distinct: int = 0
    settled: int = 0
    before: int = 0
    seconds: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)


def run_map_cluster(
    request: Request, settings: dict[str, Any], address: str, *, quiet: bool, as_json: bool
) -> int:
    """Run the command; return the exit code. All options and inputs are checked before any work."""
    with stages(quiet=quiet) as progress:
        prepared = _prepare(request, settings, progress)
    job = prepared.job
    with begun(job.output, _about(prepared)) as journal:
        facts = told_before(journal)
        if facts is not None:
            tell(["this job was complete before", *facts], as_json=as_json, quiet=quiet)
            return 0
        journal.create(TEXTS, DISTINCT, MAPPED)
        try:
            with connected(address) as cores, stages(quiet=quiet) as progress:
                done, style = _run(prepared, request.workers or cores, progress)
        except KeyboardInterrupt:
            kept = f"finished blocks are kept in {request.output}: run the same command again"
            print(f"dxjudge: interrupted; {kept}", file=sys.stderr)
            return INTERRUPTED
        told = list(_report(prepared, done, style))
        tell(told, as_json=as_json, quiet=quiet)
        if done.failures or done.unread or prepared.found.others:
            return SOME_FAILED
        complete(journal, (TEXTS, DISTINCT, MAPPED), told)
        return 0


def _prepare(request: Request, settings: dict[str, Any], progress: Stages) -> Prepared:
    """Check the options and list the input."""
    _check(request)
    found = find_pieces(request.input, request.form)
    settings = {
        **settings,
        "ontology": _absolute(settings["ontology"]),
        "sources": tuple(Path(path).resolve() for path in settings["sources"]),
    }
    table = CanonicalTable()
    if request.table:
        table = read_table(request.table, load_tree(settings["ontology"]))
    job = MapJob(
        whole_path(request.input), whole_path(request.output), request.form, request.column,
        request.split, request.candidates, min(found.size // _BUCKET + 1, _MOST_BUCKETS),
    )  # fmt: skip
    mapper = Mapper(**{**settings, "style": request.style or "chart"}, progress=progress)
    _ = mapper.parts  # the index is built here, before the workers look for it
    return Prepared(request, {**settings, "rebuild": False}, found, table, mapper, job)


def _check(request: Request) -> None:
    """Raise UsageError for an option that a job on a cluster does not have."""
    check_places(request.input, request.output)
    others = {
        f"--output-format {request.output_format}": request.output_format not in (None, "parquet"),
        "--journal": request.journal is not None,
        "--accept": request.wanted.accept is not None,
        "--calibration": open_calibration(request.wanted, request.table) is not None,
        "--concepts": request.concepts is not None,
    }
    flags = ", ".join(name for name, is_given in others.items() if is_given)
    if flags:
        raise UsageError(f"--cluster goes without {flags}")


def _absolute(ontology: str) -> str:
    """Return the name of a release so that a worker in another folder finds its files."""
    name, at, folder = ontology.partition("@")
    if at:
        return f"{name}@{os.path.abspath(folder)}"
    return os.path.abspath(ontology) if ".py" in ontology else ontology


def _about(prepared: Prepared) -> dict[str, Any]:
    """Return everything that changes the results, for the journal."""
    request = prepared.request
    table = read_bytes(request.table) if request.table and request.table.exists() else b""
    return {
        "settings": short_signature(prepared.mapper.signature),
        "style": request.style or "auto",
        "column": request.column,
        "split": request.split,
        "candidates": request.candidates,
        "form": asdict(request.form),
        "table": hashlib.sha256(table).hexdigest(),
        "input": [prepared.job.source, prepared.found.digest],
    }


def _run(prepared: Prepared, workers: int, progress: Stages) -> tuple[Done, StyleInUse]:
    """Do the four kinds of work; return the counts and the style of the texts."""
    job, found, done = prepared.job, prepared.found, Done()
    pieces = [piece.as_item() for piece in found.pieces]
    for number, scanned in enumerate(each(Scan(job), pieces), 1):
        done.columns |= {scanned["column"]: None} if scanned["column"] else {}
        done.unread |= {scanned["unread"]: None} if scanned["unread"] else {}
        progress("reading", number, len(pieces))
    if done.unread and not done.columns:
        raise InputError(next(iter(done.unread)))
    buckets = [{"bucket": number} for number in range(job.buckets)]
    gathered = list(each(Gather(job, len(pieces)), buckets))
    done.distinct = sum(one["texts"] - one["empty"] for one in gathered)
    of_form = sum(one["of_form"] for one in gathered)
    style = style_or(
        prepared.request.style, lambda: style_of(of_form, done.distinct), prepared.settings
    )
    _keep_style(job, style.style)
    settings = {**prepared.settings, "style": style.style}
    signature = short_signature(Mapper(**settings).signature)
    texts = {one["bucket"]: one["texts"] for one in gathered}
    _map(Map(job, settings, signature, prepared.table), texts, done, workers, progress)
    for number, written in enumerate(each(Write(job), pieces), 1):
        done.rows.update(written)
        progress("writing", number, len(pieces))
    return done, style


def _keep_style(job: MapJob, style: str) -> None:
    """Note the style, so that all texts are read in one. Raises InputError where it differs.

    It is found from all texts: a file that could not be read by an earlier run may change it.
    """
    before = job.blocks.read_note(_STYLE)
    if before not in (None, style):
        raise InputError(
            f"the texts were mapped in the style {before!r}, and with the files that can be read "
            f"now they look like {style!r}: remove {job.output} and run the command again"
        )
    job.blocks.write_note(_STYLE, style)


def _map(work: Map, texts: dict[int, int], done: Done, workers: int, progress: Stages) -> None:
    """Map the blocks of all buckets. texts: how many each bucket holds."""
    total, mapped = sum(texts.values()), 0
    size = min(max(_SMALLEST, total // _BLOCKS), _LARGEST)
    blocks = [
        {"bucket": bucket, "first": first, "texts": min(size, count - first)}
        for bucket, count in texts.items()
        for first in range(0, count, size)
    ]
    progress("mapping", 0, total)
    started = time.monotonic()
    for result in each(work, blocks, actors=workers):
        count, settled = result["texts"], result["settled"]
        mapped += count
        done.settled += settled
        done.failures.update(result["failures"])
        if result["before"]:
            done.before += count - settled
            progress.replayed("mapping", count)
        progress("mapping", mapped, total)
    done.seconds = time.monotonic() - started


def _report(prepared: Prepared, done: Done, style: StyleInUse) -> Iterator[Fact | str]:
    request, found = prepared.request, prepared.found
    columns = " and ".join(repr(name) for name in done.columns)
    yield Fact(
        f"read the column{'s'[: len(done.columns) > 1]} {columns} of {request.input}",
        {"input": request.input, "columns": list(done.columns)},
    )
    yield from style.lines()
    if prepared.mapper.added:
        yield describe(prepared.mapper.added)
    new = done.distinct - done.settled
    yield from tell_counts(
        Told(done.rows, done.distinct, done.settled, new, min(done.before, new), done.seconds,
             done.failures)
    )  # fmt: skip
    yield from not_read(list(done.unread), found.others)
    release = prepared.mapper.tree.descriptor
    if not release.fitted:
        yield not_fitted(release.shown)
    yield from named([("rows", request.output)])
