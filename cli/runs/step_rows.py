"""Reading the rows that a step judges, and finding out before any work whether all fits."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...agents.judge_equivalence import with_ontology
from ...agents.stand_ins import check_engine
from ...agents.step import Step
from ...agents.steps import find_step
from ...cache.key import fingerprint
from ...errors import DxjudgeError, UsageError
from ...files.bytes import check_writable
from ...files.forms import FORMS_OUT, OutputFormat, output_format
from ...files.rows_in import Sheet, read_sheet
from ...files.rows_out import added_names, check_columns, write_table
from ...graphs.row_inputs import field_columns, given_values, row_inputs
from ...ontology.table import short_signature
from ..judging_options import StepRows
from ..sources_command import read_which, say_added


@dataclass(frozen=True)
class Job:
    """The step, the input as read, and every row's inputs with their keys.

    read: what was read from which column, as a line for a person. mapper: the signature of the
    codes that decide, where codes do.
    """

    step: Step[Any, Any]
    sheet: Sheet
    output: str
    format: OutputFormat
    inputs: list[dict[str, Any]]
    keys: list[str]
    read: str
    mapper: str | None = None


def read_job(rows: StepRows, output: str, *, engine: str, has_judge: bool) -> Job:
    """Read the rows for one judge, or none.

    Raises UsageError where the step cannot be judged so, and as `read_rows`.
    """
    step = find_step(rows.step)
    if engine == "ontology" and "predicted" in step.input.model_fields:
        return read_rows(rows, output, step)
    check_engine(step, engine, has_judge)
    return read_rows(rows, output, step)


def read_rows(rows: StepRows, output: str, step: Step[Any, Any]) -> Job:
    """Read the rows and check that the output can be written.

    Raises InputError, OutputError and UsageError, each naming the file.
    """
    sheet = read_sheet(rows.input, rows.form, list_allowed=False)
    format = output_format(output, rows.output_format, sheet.format)
    if format == "sssom":
        raise UsageError(f"verdicts have no SSSOM form; write {FORMS_OUT}")
    check_columns(sheet, format)
    if output != "-":
        if Path(output).resolve() == Path(rows.input).resolve():
            raise UsageError("input and output must be different files")
        check_writable(Path(output))
    given = given_values(step, rows.given or ())
    places = field_columns(step, sheet, rows.fields or (), given)
    inputs = row_inputs(step, sheet, places, given)
    keys = [_key(step, row) for row in inputs]
    return Job(step, sheet, output, format, inputs, keys, _read_line(sheet, places))


def decided_by_codes(job: Job, added: str) -> Job:
    """The same rows under the equivalence step with the stand-in "ontology": equal codes.

    Every text is mapped once, here.
    """
    from ...graphs.codes import SURE, codes_of
    from ...graphs.mapper import Mapper

    texts = [str(row.get(field, "")) for row in job.inputs for field in ("predicted", "truth")]
    mapper = Mapper(added=read_which(added))
    say_added(mapper.added)
    step = with_ontology(job.step, codes_of(mapper, texts, SURE), decide_different=True)
    about = {**vars(job), "step": step, "mapper": short_signature(mapper.signature)}
    return Job(**about)


def write_rows(job: Job, columns: Mapping[str, list[Any]]) -> list[str]:
    """Write the rows with the columns added; return what a person should know of it."""
    names = added_names(job.sheet, list(columns))
    write_table(
        job.output, job.format, job.sheet, {names[name]: cells for name, cells in columns.items()}
    )
    moved = [f"{own} for {name}" for name, own in names.items() if own != name]
    said = f"the input has columns of these names, so the new ones are {', '.join(moved)}"
    return [job.read, *([said] if moved else [])]


def say(*lines: str) -> None:
    """Print lines on standard error."""
    print("\n".join(lines), file=sys.stderr, flush=True)


def warn_unused(flags: list[str], why: str) -> None:
    """Say which of the options that were given have no effect, and why."""
    if flags:
        have = "has" if len(flags) == 1 else "have"
        say(f"dxjudge: warning: {', '.join(flags)} {have} no effect: {why}")


def _key(step: Step[Any, Any], inputs: dict[str, Any]) -> str:
    """What a row's outcome lies under: its inputs with the data they refer to."""
    try:
        return fingerprint(step.read_input(inputs).model_dump(mode="json"))
    except DxjudgeError:
        return ""  # not usable: fails, and is never kept


def _read_line(sheet: Sheet, places: Mapping[str, int]) -> str:
    pairs = [
        field if sheet.columns[place] == field else f"{field} from {sheet.columns[place]!r}"
        for field, place in places.items()
    ]
    unread = [name for place, name in enumerate(sheet.columns) if place not in places.values()]
    rest = f"; not read: {', '.join(unread)}" if unread else ""
    return f"read {', '.join(pairs) or 'no column'}{rest}"
