"""Run `dxjudge map --cluster`: scan, gather, map and write on a Ray cluster, and sum up."""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ...agents.engine.run import Run
from ...errors import InputError
from ...files.bytes import read_bytes
from ...graphs.chooser import Chooser
from ...graphs.mapper import Mapper
from ...ontology.reading.style import style_of
from ...ontology.sources.added import describe
from ...ontology.table import CanonicalTable, read_table, short_signature
from ...ontology.tree import load_tree
from ..exit_codes import BUDGET, SOME_FAILED
from ..runs.map_accept import Taking, open_taking
from ..runs.map_estimate import keep_mapping_estimate
from ..runs.map_job import Request, hint_of_counts
from ..runs.map_model import Asked, asking, mapper_settings
from ..runs.map_style import StyleInUse, style_or
from ..runs.map_summary import Told, model_summary, not_fitted, tell_counts
from ..terminal.facts import Fact, Facts, named
from ..terminal.progress import Stages, stages
from .distinct_texts import DISTINCT, LARGEST, TEXTS, Gather, MapJob, Scan, blocks_of
from .journal import check_options, check_places, in_journal, whole_path
from .left_to_ask import LeftToAsk, count_left
from .map_work import MAPPED, Map, Write
from .not_read import not_read
from .office import check_batch, permits_of
from .on_ray import connected, each
from .pieces import Pieces, find_pieces

_STYLE = f"{DISTINCT}/style"  # it goes with the texts
_BUCKET = 64_000_000  # bytes of the input for each bucket of distinct texts
_MOST_BUCKETS = 1024
_LARGEST_ASKED = 1_000  # texts of a block for which a model is asked


@dataclass(frozen=True)
class Prepared:
    """A job that was checked.

    settings: of the mapper, without those of the chooser. asked: the model that chooses, if any.
    """

    request: Request
    settings: dict[str, Any]
    asked: Asked | None
    found: Pieces
    table: CanonicalTable
    taking: Taking
    mapper: Mapper
    job: MapJob


@dataclass
class Done:
    """The counts of a job. unread: why, for each file that could not be read.

    counting: a column that nobody named and that may say how many rows each stands for. read:
    rows. distinct: texts that are not empty. settled: by reviewers. before: mapped by an earlier
    run. parts: texts by the part of the model in their mapping. taken: what `Taking` counts.
    """

    columns: dict[str, None] = field(default_factory=dict)
    unread: dict[str, None] = field(default_factory=dict)
    counting: str | None = None
    read: int = 0
    distinct: int = 0
    settled: int = 0
    before: int = 0
    seconds: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    parts: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    taken: dict[str, Counter[str]] = field(default_factory=dict)


def run_map_cluster(
    request: Request, settings: dict[str, Any], asked: Asked | None, address: str,
    *, quiet: bool, as_json: bool,
) -> int:  # fmt: skip
    """Run the command; return the exit code. All options and inputs are checked before any work."""
    with stages(quiet=quiet) as progress:
        prepared = prepare(request, settings, asked, progress)

    def work() -> tuple[Facts, int]:
        with (
            asking(asked) as chooser,
            connected(address) as cores,
            stages(quiet=quiet) as progress,
        ):
            done, style = _run(prepared, chooser, request.workers or cores, progress)
            told = list(_report(prepared, done, style, chooser))
        if chooser and chooser.run and chooser.run.budget_reached:
            return told, BUDGET
        return told, SOME_FAILED if done.failures or done.unread or prepared.found.others else 0

    about, folders = about_job(prepared), (TEXTS, DISTINCT, MAPPED)
    return in_journal(request.output, about, folders, work, as_json=as_json, quiet=quiet)


def prepare(
    request: Request, settings: dict[str, Any], asked: Asked | None, progress: Stages
) -> Prepared:
    """Check the options and list the input. Raises UsageError and InputError."""
    _check(request, asked)
    found = find_pieces(request.input, request.form)
    settings = {
        **settings,
        "ontology": _absolute(settings["ontology"]),
        "sources": tuple(Path(path).resolve() for path in settings["sources"]),
    }
    taking = open_taking(request.wanted, request.table)
    table = CanonicalTable()
    if request.table:
        table = read_table(request.table, load_tree(settings["ontology"]))
    job = MapJob(
        whole_path(request.input), whole_path(request.output), request.form, request.column,
        request.split, request.candidates, min(found.size // _BUCKET + 1, _MOST_BUCKETS),
        request.count,
    )  # fmt: skip
    chooser = Chooser(asked.judge, **asked.options) if asked else None
    mapper = Mapper(
        **{**settings, "style": request.style or "chart"},
        **mapper_settings(chooser),
        progress=progress,
    )
    _ = mapper.parts  # the index is built here, before the workers look for it
    settings["rebuild"] = False
    return Prepared(request, settings, asked, found, table, taking, mapper, job)


def _check(request: Request, asked: Asked | None) -> None:
    """Raise UsageError for an option that a job on a cluster does not have."""
    check_places(request.input, request.output)
    if asked:
        check_batch(asked.run)
    check_options({
        f"--output-format {request.output_format}": request.output_format not in (None, "parquet"),
        "--journal": request.journal is not None,
        "--concepts": request.concepts is not None,
    })  # fmt: skip


def _absolute(ontology: str) -> str:
    """Return the name of a release so that a worker in another folder finds its files."""
    name, at, folder = ontology.partition("@")
    if at:
        return f"{name}@{os.path.abspath(folder)}"
    return os.path.abspath(ontology) if ".py" in ontology else ontology


def about_job(prepared: Prepared) -> dict[str, Any]:
    """Return everything that changes the results, for the journal."""
    request = prepared.request
    table = read_bytes(request.table) if request.table and request.table.exists() else b""
    return {
        "settings": short_signature(prepared.mapper.signature),
        "style": request.style or "auto",
        "column": request.column,
        "split": request.split,
        "candidates": request.candidates,
        **({"count": request.count} if request.count is not None else {}),
        "form": asdict(request.form),
        "table": hashlib.sha256(table).hexdigest(),
        "input": [prepared.job.source, prepared.found.digest],
        **prepared.taking.about,
    }


def _run(
    prepared: Prepared, chooser: Chooser | None, workers: int, progress: Stages
) -> tuple[Done, StyleInUse]:
    """Do the four kinds of work; return the counts and the style of the texts.

    chooser: what its run asks is the sum of what all workers ask.
    """
    done = Done(taken=prepared.taking.counts(()))
    texts, style = gather(prepared, done, progress)
    work = mapping_work(prepared, style, chooser)
    if prepared.asked and chooser and chooser.run:
        if chooser.run.has_account:
            left = LeftToAsk(work, prepared.job.output)
            keep_mapping_estimate(count_left(left, texts, workers, progress)[0], chooser)
        with permits_of(prepared.asked.run, chooser.run) as permits:
            _map(replace(work, permits=permits), texts, done, workers, progress, chooser.run)
    else:
        _map(work, texts, done, workers, progress)
    pieces = [piece.as_item() for piece in prepared.found.pieces]
    for number, written in enumerate(each(Write(prepared.job, prepared.taking), pieces), 1):
        done.rows.update(written)
        progress("writing", number, len(pieces))
    return done, style


def gather(prepared: Prepared, done: Done, progress: Stages) -> tuple[dict[int, int], StyleInUse]:
    """Find the distinct texts of the job; return how many each bucket has, and their style."""
    job, pieces = prepared.job, [piece.as_item() for piece in prepared.found.pieces]
    for number, scanned in enumerate(each(Scan(job), pieces), 1):
        done.read += scanned["rows"]
        done.columns |= {scanned["column"]: None} if scanned["column"] else {}
        done.unread |= {scanned["unread"]: None} if scanned["unread"] else {}
        done.counting = done.counting or scanned.get("counting")
        progress("reading", number, len(pieces))
    if done.unread and not done.columns:
        raise InputError(next(iter(done.unread)))
    buckets = [{"bucket": number} for number in range(job.buckets)]
    gathered = list(each(Gather(job, len(pieces)), buckets))
    done.distinct = sum(one["texts"] - one["empty"] for one in gathered)
    if prepared.job.count is not None or sum(one["texts"] for one in gathered) < done.read:
        done.counting = None
    of_form = sum(one["of_form"] for one in gathered)
    style = style_or(
        prepared.request.style, lambda: style_of(of_form, done.distinct), prepared.settings
    )
    _keep_style(job, style.style)
    return {one["bucket"]: one["texts"] for one in gathered}, style


def mapping_work(prepared: Prepared, style: StyleInUse, chooser: Chooser | None) -> Map:
    """Return the work on blocks of texts. Raises UsageError where a calibration is not for it."""
    settings = {**prepared.settings, "style": style.style}
    mapper = Mapper(**settings, **mapper_settings(chooser))
    signature = prepared.taking.checked(short_signature(mapper.signature))
    return Map(prepared.job, settings, signature, prepared.table, prepared.taking, prepared.asked)


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


def _map(
    work: Map, texts: dict[int, int], done: Done, workers: int, progress: Stages,
    run: Run | None = None,
) -> None:  # fmt: skip
    """Map the blocks of all buckets. texts: how many each bucket holds. run: counts what is asked.

    Blocks are smaller where a model is asked: what a lost worker was doing may be paid again.
    """
    total, mapped = sum(texts.values()), 0
    blocks = blocks_of(texts, _LARGEST_ASKED if run else LARGEST)
    progress("mapping", 0, total)
    started = time.monotonic()
    for result in each(work, blocks, actors=workers):
        mapped += result["texts"]
        done.settled += result["settled"]
        done.before += result["before"]
        done.failures.update(result["failures"])
        done.parts.update(result["parts"])
        for name, counts in done.taken.items():
            counts.update(result["taken"][name])
        if run and result["asked"]:
            run.add_counts(result["asked"])
        progress.replayed("mapping", result["before"])
        progress("mapping", mapped, total)
    done.seconds = time.monotonic() - started


def _report(
    prepared: Prepared, done: Done, style: StyleInUse, chooser: Chooser | None
) -> Iterator[Fact | str]:
    request, found = prepared.request, prepared.found
    columns = " and ".join(repr(name) for name in done.columns)
    yield Fact(
        f"read the column{'s'[: len(done.columns) > 1]} {columns} of {request.input}",
        {"input": request.input, "columns": list(done.columns)},
    )
    if done.counting:
        yield hint_of_counts(done.counting)
    yield from style.lines()
    if prepared.mapper.added:
        yield describe(prepared.mapper.added)
    new = done.distinct - done.settled
    yield from tell_counts(
        Told(done.rows, done.distinct, done.settled, new, min(done.before, new), done.seconds,
             done.failures, done.read if request.count is not None else None)
    )  # fmt: skip
    yield from prepared.taking.notes(done.taken, done.rows["accepted"], done.rows["rows"])
    if chooser:
        yield from model_summary(done.parts, chooser)
    yield from not_read(list(done.unread), found.others)
    release = prepared.mapper.tree.descriptor
    if not release.fitted:
        yield not_fitted(release.shown)
    yield from named([("rows", request.output)])
