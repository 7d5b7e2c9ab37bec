"""Read the rows that a step judges, check them before any work, and write them with verdicts."""

import sys
from collections.abc import Mapping, Sequence
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
from ...files.forms import OutputFormat, output_format, refuse_mapping_form
from ...files.nearest import unread_column
from ...files.rows_in import Sheet, read_sheet
from ...files.rows_out import added_names, check_columns, write_table
from ...graphs.row_inputs import field_columns, given_values, row_inputs
from ...ontology.table import short_signature
from ..judging_options import StepRows
from ..sources_command import read_which, say_added


@dataclass(frozen=True)
class Job:
    """The step, the input, and the inputs of every row with their keys in the journal.

    read: a line that says which field was read from which column. mapper: the signature of the
    mapper, where equal codes decide.
    """

    step: Step[Any, Any]
    sheet: Sheet
    output: str
    format: OutputFormat
    inputs: Sequence[dict[str, Any]]
    keys: list[str]
    read: str
    mapper: str | None = None


def read_job(
    rows: StepRows, output: str, *, engine: str, has_judge: bool, case: str | None = ""
) -> Job:
    """Read the rows for one judge, or for none.

    case: as in `read_rows`. Raises UsageError where the engine cannot judge the step, and the
    errors of `read_rows`.
    """
    step = find_step(rows.step)
    codes = engines_by_codes(step)
    if engine not in codes:
        check_engine(step, engine, has_judge, codes)
    return read_rows(rows, output, step, case)


def engines_by_codes(step: Step[Any, Any]) -> tuple[str, ...]:
    """Return "ontology" for a step that compares two diagnoses, whose codes can decide it."""
    return ("ontology",) if "predicted" in step.input.model_fields else ()


def read_rows(rows: StepRows, output: str, step: Step[Any, Any], case: str | None = "") -> Job:
    """Read the rows and check that the output can be written.

    case: the column with the names of the cases; None for `id`, if there is one; "" if no names
    are read. Raises InputError, OutputError and UsageError, each naming the file.
    """
    sheet = read_sheet(rows.input, rows.form, list_allowed=False)
    format = output_format(output, rows.output_format, sheet.format)
    refuse_mapping_form(format, "verdicts")
    check_columns(sheet, format)
    if output != "-":
        if Path(output).resolve() == Path(rows.input).resolve():
            raise UsageError("input and output must be different files")
        check_writable(Path(output))
    constants = given_values(step, rows.given or ())
    column_of = field_columns(step, sheet, rows.fields or (), constants)
    inputs = row_inputs(step, sheet, column_of, constants)
    keys = [_key(step, row) for row in inputs]
    free = [name for name in step.input.model_fields if name not in {*column_of, *constants}]
    read = _read_line(sheet, column_of, case, free)
    return Job(step, sheet, output, format, inputs, keys, read)


def decided_by_codes(job: Job, added: str) -> Job:
    """Return the same job with the stand-in "ontology", which compares codes.

    added: the value of --added-sources. Every distinct text is mapped here, once.
    """
    from ...graphs.codes import SURE, codes_of, compared_texts
    from ...graphs.mapper import Mapper

    mapper = Mapper(added=read_which(added))
    say_added(mapper.added)
    codes = codes_of(mapper, compared_texts(job.inputs), SURE)
    step = with_ontology(job.step, codes.get, decide_different=True)
    about = {**vars(job), "step": step, "mapper": short_signature(mapper.signature)}
    return Job(**about)


def write_rows(job: Job, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Write the rows with the added columns; return lines that say what was read and renamed."""
    names = added_names(job.sheet, list(columns))
    write_table(
        job.output, job.format, job.sheet, {names[name]: cells for name, cells in columns.items()}
    )
    renamed = [f"{own} for {name}" for name, own in names.items() if own != name]
    note = f"the input has columns of these names, so the new ones are {', '.join(renamed)}"
    return [job.read, *([note] if renamed else [])]


def say(*lines: str) -> None:
    """Print lines on standard error."""
    print("\n".join(lines), file=sys.stderr, flush=True)


def warn_unused(flags: list[str], why: str) -> None:
    """Print a warning that names the options without effect, and why; nothing for no flags."""
    if flags:
        have = "has" if len(flags) == 1 else "have"
        say(f"dxjudge: warning: {', '.join(flags)} {have} no effect: {why}")


def _key(step: Step[Any, Any], inputs: dict[str, Any]) -> str:
    """Return the key of a row in the journal: a hash of its inputs and of the data they name."""
    try:
        return fingerprint(step.read_input(inputs).model_dump(mode="json"))
    except DxjudgeError:
        return ""  # these inputs fail, and a failed row is never kept


def _read_line(
    sheet: Sheet, column_of: Mapping[str, int], case: str | None, free: Sequence[str]
) -> str:
    pairs = [
        field if sheet.columns[index] == field else f"{field} from {sheet.columns[index]!r}"
        for field, index in column_of.items()
    ]
    indexes = set(column_of.values())
    name_column = "id" if case is None else case
    if name_column in sheet.columns:
        pairs.append(f"names of the cases from {name_column!r}")
        indexes.add(sheet.columns.index(name_column))
    unread = [
        unread_column(name, free)
        for index, name in enumerate(sheet.columns)
        if index not in indexes
    ]
    rest = f"; not read: {', '.join(unread)}" if unread else ""
    return f"read {', '.join(pairs) or 'no column'}{rest}"
