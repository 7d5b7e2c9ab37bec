"""Run `dxjudge map`: read, map each distinct text once, write, print a summary."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as ReadOnly
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...files.bytes import writing_to
from ...files.content import Tell
from ...files.forms import MAPPING_FORMS
from ...files.journal import Journal
from ...files.rows_out import added_names, write_sheet
from ...graphs.chooser import Chooser, fell_back, is_final, part_of
from ...graphs.many import ADDED
from ...graphs.mapper import Mapper
from ...graphs.workers import stream_by, workers_for
from ...ontology.exchange.mapped_text import mapped_text
from ...ontology.exchange.write import write_mappings
from ...ontology.mapping import Mapping
from ...ontology.search.encode import DEFAULT_MODEL
from ...ontology.sources.added import AddedSource, describe
from ...ontology.table import (
    CanonicalTable,
    entry_of,
    read_table,
    short_signature,
    write_table,
)
from ...ontology.tree import Tree, load_tree
from ..exit_codes import BUDGET, INTERRUPTED, SOME_FAILED
from ..terminal.facts import Fact, Facts, named, tell
from ..terminal.progress import Stages, stages, tell_of_batches
from .finishing import journal_path
from .map_accept import Taken, Taking, open_taking, take
from .map_columns import added_columns
from .map_job import Job, Request, hint_of_counts, read_job
from .map_journal import kept_texts, open_journal
from .map_model import Asked, asking, mapper_settings
from .map_style import StyleInUse, style_in_use
from .map_summary import model_summary, not_fitted, summary


@dataclass
class Work:
    """The state of a run: the settings, and the mappings so far.

    settings: of the mapper, with those of the chooser where a model chooses. mappings: by text.
    wanted: the texts that the table does not settle. resumed: how many of them the journal had.
    seconds: how long it took to map the others. added: the added sources in use.
    """

    settings: dict[str, Any]
    chooser: Chooser | None = None
    taking: Taking = Taking()
    mappings: dict[str, Mapping] = field(default_factory=dict)
    signature: str = ""
    wanted: list[str] = field(default_factory=list)
    resumed: int = 0
    seconds: float = 0.0
    added: tuple[AddedSource, ...] = ()
    journal: Journal[Mapping] | None = None

    @property
    def new(self) -> list[Mapping]:
        """Return the new mappings, of this run and of the journal, in the order of the input."""
        return [self.mappings[text] for text in self.wanted if text and text in self.mappings]


def run_map(
    request: Request,
    settings: dict[str, Any],
    asked: Asked | None,
    *,
    quiet: bool,
    as_json: bool,
) -> int:
    """Run the command; return the exit code. All options and inputs are checked before any work."""
    if (request.workers or 1) > 1 and (asked or not _is_packaged(settings)):
        raise UsageError("--workers is for the packaged encoder, without --model and --chroma")
    tree = load_tree(settings["ontology"])
    with stages(quiet=quiet) as progress:
        job = read_job(request, tree, progress.of_bytes("reading"))
    style = style_in_use(request.style, job.distinct, settings)
    settings = {**settings, "style": style.style}
    taking = open_taking(request.wanted, request.table)
    table = read_table(request.table, tree) if request.table else CanonicalTable()
    with asking(asked) as chooser:
        work = Work({**settings, **mapper_settings(chooser)}, chooser, taking)
        if asked and asked.estimate_only:
            tell(_estimate(request, job, table, work, quiet), as_json=as_json, file=sys.stdout)
            return 0
        code = None
        if chooser and chooser.run:
            tell_of_batches(chooser.run, quiet=quiet)
        try:
            with keeping(request.table, table, work, tree, job.counts):
                with stages(quiet=quiet) as progress:
                    map_texts(job.frequent_first, table, work, progress, request)
                taken = take(taking, work.mappings, job.texts, job.stands_for)
                with stages(quiet=quiet or _is_read_here(request.output)) as progress:
                    write_output(request, job, taken, table, tree, progress.of_bytes("writing"))
            code = _exit_code(work)
        except KeyboardInterrupt:
            rest = _where_kept(request, work)
            print(f"dxjudge: interrupted, no output written; {rest}", file=sys.stderr)
            return INTERRUPTED
        finally:
            if work.journal is not None:  # an empty one is false
                work.journal.close(remove=code == 0)
        facts = _report(request, job, work, taken, tree, style)
        tell(facts, as_json=as_json, quiet=quiet)
        return code


def _exit_code(work: Work) -> int:
    if work.chooser and work.chooser.run and work.chooser.run.budget_reached:
        return BUDGET
    has_failed = any(mapping.status == "failed" for mapping in work.mappings.values())
    return SOME_FAILED if has_failed else 0


def _estimate(request: Request, job: Job, table: CanonicalTable, work: Work, quiet: bool) -> Facts:
    """Map without the model the texts that are not settled or finished; return the estimate."""
    from .map_estimate import count_embedded, mapping_facts

    assert work.chooser
    with stages(quiet=quiet) as progress:
        mapper = Mapper(**work.settings, progress=progress)
        texts = [text for text in job.distinct if text]
        work.signature = work.taking.checked(short_signature(mapper.signature))
        _settle(texts, table, work, request.candidates)
        path = journal_path(request.output, request.journal)
        kept = kept_texts(path, work.signature, whole=True)
        left = [text for text in work.wanted if text not in kept]
        count = count_embedded(mapper, left, work.chooser, progress)
    finished = len(work.wanted) - len(left)
    return mapping_facts(len(job.texts), len(texts), count, work.chooser, finished)


def map_texts(
    texts: list[str], table: CanonicalTable, work: Work, progress: Stages, request: Request
) -> None:
    """Fill `work` with the mappings of the journal and the table, then map the other texts.

    Every batch is written to the journal before the next batch begins. Texts that failed are not
    written, so that the next run tries them again. Raises what `Taking.checked` raises, before any
    work.
    """
    mapper = Mapper(**work.settings, progress=progress)
    work.added = mapper.added
    if not texts:
        return
    work.signature = work.taking.checked(short_signature(mapper.signature))
    path = journal_path(request.output, request.journal)
    whole = request.candidates or work.chooser is not None
    work.journal = journal = open_journal(path, work.signature, whole=whole)
    _settle(texts, table, work, request.candidates)
    remaining = [text for text in work.wanted if text not in work.mappings]
    work.resumed = len(work.new)
    if work.chooser and work.chooser.run and work.chooser.run.has_account:
        from .map_estimate import count_embedded, keep_mapping_estimate

        asked = [text for text in remaining if text]
        count = count_embedded(mapper, asked, work.chooser, progress)
        keep_mapping_estimate(count, work.chooser)
    started = time.monotonic()
    total = _filled(work.wanted)
    done = total - _filled(remaining)
    if remaining:
        progress("mapping", done, total)  # the pace counts from here
    workers = _workers(request, work, len(remaining))
    for batch in stream_by(mapper, remaining, workers):
        for mapping in batch:
            # Candidates are most of what a mapping takes in memory.
            work.mappings[mapping.text] = mapping if whole else replace(mapping, candidates=())
            if is_final(part_of(mapping, work.chooser)):
                journal.keep(mapping.text, mapping)
        work.seconds = time.monotonic() - started
        done += _filled(mapping.text for mapping in batch)
        progress("mapping", done, total)


def _filled(texts: Iterable[str]) -> int:
    """Return how many texts are not empty; the summary counts only these."""
    return sum(map(bool, texts))


def _workers(request: Request, work: Work, texts: int) -> int:
    """Return how many processes map; a model, another encoder and Chroma are asked by one."""
    if work.chooser or not _is_packaged(work.settings):
        return 1
    return request.workers or workers_for(texts)


def _is_packaged(settings: ReadOnly[str, Any]) -> bool:
    return settings["model"] == DEFAULT_MODEL and not settings["chroma"]


def _settle(texts: list[str], table: CanonicalTable, work: Work, candidates: bool) -> None:
    """Put the mappings of reviewers, of the journal and of the table into `work`.

    The journal goes before the table, which rounds scores to four digits. With `candidates`, only
    reviewed rows of the table settle a text, because the table has no candidates.
    """
    for text in texts:
        settled = table.settled(text, work.signature)
        mapped = work.journal.find(text) if work.journal else None
        if settled and settled.decided_by == "reviewed":
            work.mappings[text] = settled
        elif mapped:
            work.mappings[text] = mapped
            work.wanted.append(text)
        elif settled and not candidates:
            work.mappings[text] = settled
        else:
            work.wanted.append(text)


@contextmanager
def keeping(
    path: Path | None, table: CanonicalTable, work: Work, tree: Tree, counts: ReadOnly[str, int]
) -> Iterator[None]:
    """Write the table at the end, also after an error or an interruption.

    counts: how many rows hold each text.
    """
    try:
        yield
    finally:
        if path and work.signature:
            new = [entry_of(mapping, _signature(mapping, work)) for mapping in work.new]
            write_table(table.merged(new).counted(counts), path, tree)


def _signature(mapping: Mapping, work: Work) -> str:
    """Return the run's signature, or another where the model failed: the next run asks again."""
    failed = fell_back(mapping, work.chooser)
    return f"{work.signature}-fallback" if failed else work.signature


def write_output(
    request: Request, job: Job, taken: Taken, table: CanonicalTable, tree: Tree, tell: Tell
) -> None:
    """Write the rows with their mappings. tell: follows how far they are written."""
    mappings = taken.mappings
    with writing_to(request.output) as file:
        if job.format in MAPPING_FORMS:
            texts = [
                mapped_text(
                    mappings[text], table.row_of(text), job.counts[text], taken.accepts(text)
                )
                for text in job.distinct
            ]
            remark = "; ".join(taken.notes)
            write_mappings(file, job.format, texts, tree, job.concepts, remark)
        else:
            columns = added_columns(
                job.texts, mappings, parts=request.split, candidates=request.candidates
            )
            if taken.marks is not None:
                columns["accepted"] = taken.marks
            names = added_names(job.sheet, list(columns))
            added = {names[name]: values for name, values in columns.items()}
            write_sheet(file, job.format, job.sheet, added, tell)


def _is_read_here(output: str) -> bool:
    """Whether the output goes to the terminal, where a bar would stand between its rows."""
    return output == "-" and sys.stdout.isatty()


def _where_kept(request: Request, work: Work) -> str:
    path = work.journal.path if work.journal else None
    places = " and ".join(str(place) for place in (request.table, path) if place)
    if places:
        return f"{len(work.new):,} newly mapped texts are kept in {places}"
    if work.chooser and work.chooser.run and work.chooser.run.replies.writes:
        return "the replies of the model are kept in the cache"
    return "with --table FILE the next run would continue from here"


def _report(
    request: Request, job: Job, work: Work, taken: Taken, tree: Tree, style: StyleInUse
) -> Iterator[Fact | str]:
    yield Fact(
        f"read the column {job.column!r} of {job.sheet.name}",
        {"input": job.sheet.name, "column": job.column},
    )
    if name := job.column_of_counts:
        yield hint_of_counts(name)
    yield from style.lines()
    if work.added:
        yield describe(work.added)
    new, resumed = len(work.new), work.resumed
    yield from summary(job.texts, taken.mappings, new, resumed, work.seconds, job.stands_for)
    yield from taken.notes
    if work.chooser:
        parts = Counter[str](part_of(mapping, work.chooser) for mapping in work.new)
        yield from model_summary(parts, work.chooser)
    if not tree.descriptor.fitted:
        yield not_fitted(tree.descriptor.shown)
    names = added_names(job.sheet, [*ADDED, *(["accepted"] if taken.rule else [])])
    renamed = [f"{own} for {name}" for name, own in names.items() if own != name]
    if renamed and job.format not in MAPPING_FORMS:
        yield f"the input has columns of these names, so the new ones are {', '.join(renamed)}"
    written = (("rows", request.output), ("canonical table", request.table))
    yield from named((what, path) for what, path in written if path not in (None, "-"))
