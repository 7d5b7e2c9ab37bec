"""Run `dxjudge curate probe`: read rows, ask, write the rows with what was found."""

import asyncio
import time

from ...agents.judge import JudgeSpec
from ...curation.probes import probe_columns, probe_lines, probe_rows
from ...files.forms import Form, output_format
from ...files.rows_in import read_sheet, records
from ...files.rows_out import added_names, write_table
from ..exit_codes import BUDGET, SOME_FAILED
from ..option_groups import RunOptions
from ..terminal.facts import Fact, check_output, tell
from ..terminal.progress import work_done


def run_probe(
    source: str,
    output: str,
    spec: JudgeSpec,
    options: RunOptions,
    *,
    by_heart: int,
    form: Form,
    as_json: bool,
) -> int:
    """Run the command and return its exit code."""
    started = time.monotonic()
    check_output(output, as_json=as_json)
    sheet = read_sheet(source, form, list_allowed=False)
    kind = output_format(output, None, sheet.format)
    with options.open() as run:
        probed = asyncio.run(probe_rows(records(sheet), spec, run))
        failed = sum(bool(one.failed) for one in probed)
        columns = probe_columns(probed)
        names = added_names(sheet, list(columns))
        write_table(output, kind, sheet, {names[name]: cells for name, cells in columns.items()})
        elapsed = max(time.monotonic() - started, 1e-9)
        lines = probe_lines(probed, by_heart)
        ended = Fact(f"failed: {failed:,} rows" if failed else "", {"failed": failed})
        facts = (*lines, *work_done(len(probed), 0, run, elapsed, "row"), ended)
        tell(facts, as_json=as_json)
    if run.budget_reached:
        return BUDGET
    return SOME_FAILED if failed else 0
