"""What `dxjudge judge` does: read, judge each row, keep a journal, write, sum up."""

import asyncio
import sys
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.engine.run import Run
from ..agents.judge import JudgeSpec, parse_judge
from ..agents.judge_equivalence import with_ontology
from ..agents.outcome import Outcome, read_outcome, write_outcome
from ..agents.stand_ins import check_engine
from ..agents.step import Step
from ..agents.steps import find_step
from ..cache.key import fingerprint
from ..errors import DxjudgeError, UsageError
from ..files.bytes import check_writable
from ..files.forms import FORMS_OUT, Form, OutputFormat, output_format
from ..files.journal import Journal
from ..files.rows_in import Sheet, read_sheet
from ..files.rows_out import added_names, check_columns, write_table
from ..graphs.columns import judged_columns
from ..graphs.row_inputs import field_columns, given_values, row_inputs
from ..graphs.step import stream_step
from ..ontology.table import short_signature
from .journalled import journalled
from .judge_progress import counting, summary
from .sources_command import read_which, say_added


@dataclass(frozen=True)
class Request:
    """What the user asked for; the judge and the run's settings stand apart."""

    step: str
    input: str
    output: str
    fields: tuple[str, ...]
    given: tuple[str, ...]
    form: Form
    output_format: str | None
    engine: str
    repeat: int
    journal: Path | None
    added: str = "all"


@dataclass(frozen=True)
class Job:
    """The step, the input as read, and every row's inputs with their keys.

    mapper: the signature of the codes that decide, where codes do.
    """

    step: Step[Any, Any]
    sheet: Sheet
    format: OutputFormat
    inputs: list[dict[str, Any]]
    keys: list[str]
    mapper: str | None = None


def run_judge(
    request: Request,
    name: str | None,
    parameters: dict[str, Any],
    settings: dict[str, Any],
    *,
    quiet: bool,
) -> int:
    """Do the whole job; return the exit code. No work starts before all is known to fit.

    name, parameters: the judge as `parse_judge` takes them. settings: of the `Run`.
    """
    started = time.monotonic()
    judge = parse_judge(name, **parameters) if name is not None else None
    job = read_job(request, judge)
    about = _about(request, job, judge)
    journal = Journal(journal_path(request), read=read_outcome, write=write_outcome, job=about)

    def work(run: Run) -> bool:
        resumed = len(journal)
        outcomes = asyncio.run(_judge_rows(request, job, judge, run, journal, quiet))
        write_columns(request, job, judged_columns(job.step, outcomes))
        if not quiet:
            lines = summary(outcomes, resumed, run, started)
            print("\n".join(lines), file=sys.stderr)
        return any(outcome.status == "failed" for outcome in outcomes)

    return journalled(journal, settings, work, what="rows")


def read_job(request: Request, judge: JudgeSpec | None) -> Job:
    """Read the input and find out, before any work, whether everything fits together."""
    step = find_step(request.step)
    ontology = request.engine == "ontology" and "predicted" in step.input.model_fields
    if not ontology:
        check_engine(step, request.engine, judge is not None)
    return read_inputs(request, step, ontology=ontology)


def read_inputs(request: Request, step: Step[Any, Any], *, ontology: bool) -> Job:
    """Read the rows and check that the output can be written.

    ontology: the step gets the stand-in of this name.
    """
    sheet = read_sheet(request.input, request.form, list_allowed=False)
    format = output_format(request.output, request.output_format, sheet.format)
    if format == "sssom":
        raise UsageError(f"verdicts have no SSSOM form; write {FORMS_OUT}")
    check_columns(sheet, format)
    if request.output != "-":
        if Path(request.output).resolve() == Path(request.input).resolve():
            raise UsageError("input and output must be different files")
        check_writable(Path(request.output))
    given = given_values(step, request.given)
    places = field_columns(step, sheet, request.fields, given)
    inputs = row_inputs(step, sheet, places, given)
    signature = None
    if ontology:
        step, signature = _with_codes(step, inputs, request.added)
    keys = [_key(step, each) for each in inputs]
    return Job(step, sheet, format, inputs, keys, signature)


def _with_codes(
    step: Step[Any, Any], inputs: list[dict[str, Any]], added: str
) -> tuple[Step[Any, Any], str]:
    """The equivalence step decided by codes alone, and the signature of these.

    Every text is mapped once, beforehand.
    """
    from ..graphs.codes import SURE, codes_of
    from ..graphs.mapper import Mapper

    texts = [str(row.get(field, "")) for row in inputs for field in ("predicted", "truth")]
    mapper = Mapper(added=read_which(added))
    say_added(mapper.added)
    decided = with_ontology(step, codes_of(mapper, texts, SURE), decide_different=True)
    return decided, short_signature(mapper.signature)


def _key(step: Step[Any, Any], inputs: dict[str, Any]) -> str:
    """What a row's outcome lies under: its inputs with the data they refer to."""
    try:
        return fingerprint(step.read_input(inputs).model_dump(mode="json"))
    except DxjudgeError:
        return ""  # not usable: fails, and is never kept


def journal_path(request: Request) -> Path | None:
    """Where finished rows are kept; None for nowhere."""
    if request.journal is not None or request.output == "-":
        return request.journal
    return Path(f"{request.output}.journal")


def _about(request: Request, job: Job, judge: JudgeSpec | None) -> dict[str, Any]:
    step = job.step
    return {
        "step": step.name,
        "version": step.version,
        "prompt": step.load_prompt().hash,
        "engine": request.engine,
        "repeat": request.repeat,
        "judge": judge.model_dump(mode="json") if judge else None,
        "mapper": job.mapper,
    }


async def _judge_rows(
    request: Request,
    job: Job,
    judge: JudgeSpec | None,
    run: Run,
    journal: Journal[Outcome],
    quiet: bool,
) -> list[Outcome]:
    found = {
        place: outcome
        for place, key in enumerate(job.keys)
        if (outcome := journal.find(key)) is not None
    }
    todo = [place for place in range(len(job.inputs)) if place not in found]
    with counting(run, len(todo), quiet=quiet) as progress:
        stream = stream_step(
            job.step,
            [job.inputs[place] for place in todo],
            judge=judge,
            run=run,
            engine=request.engine,
            repeat=request.repeat,
        )
        async with aclosing(stream):
            async for index, outcome in stream:
                found[todo[index]] = outcome
                failed = outcome.status == "failed"
                if not failed:
                    journal.keep(job.keys[todo[index]], outcome)
                progress.add(failed=failed)
    return [found[place] for place in range(len(job.inputs))]


def write_columns(request: Request, job: Job, columns: Mapping[str, list[Any]]) -> None:
    """Write the rows with the columns added to them."""
    names = added_names(job.sheet, list(columns))
    added = {names[name]: values for name, values in columns.items()}
    write_table(request.output, job.format, job.sheet, added)
