"""Run `dxjudge curate probe`: read rows, ask, write the rows with what was found."""

import asyncio
import sys
import time

from ...agents.judge import JudgeSpec
from ...curation.probes import estimate_probes, probe_columns, probe_lines, probe_rows
from ...files.forms import Form, output_format
from ...files.rows_in import read_sheet, records
from ...files.rows_out import added_names, write_table
from ..exit_codes import BUDGET, SOME_FAILED
from ..option_groups import RunOptions
from ..runs.estimates import estimate_facts, keep_estimates
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
    estimate: bool,
) -> int:
    """Run the command and return its exit code."""
    started = time.monotonic()
    if not estimate:
        check_output(output, as_json=as_json)
    sheet = read_sheet(source, form, list_allowed=False)
    kind = output_format(output, None, sheet.format)
    with options.open() as run:
        if estimate or options.account is not None:
            calls = estimate_probes(records(sheet), spec, run)
            keep_estimates(calls, run)
        if estimate:
            facts = estimate_facts(calls, run, rows=len(sheet.rows))
            tell(facts, as_json=as_json, file=sys.stdout)
            return 0
        probed = asyncio.run(probe_rows(records(sheet), spec, run))
        failed = sum(bool(one.failed) for one in probed)
        columns = probe_columns(probed)
        names = added_names(sheet, list(columns))
        write_table(output, kind, sheet, {names[name]: cells for name, cells in columns.items()})
        elapsed = max(time.monotonic() - started, 1e-9)
        lines = probe_lines(probed, by_heart)
        ended = Fact(f"failed: {failed:,} rows" if failed else "", {"failed": failed})
        said = (*lines, *work_done(len(probed), 0, run, elapsed, "row"), ended)
        tell(said, as_json=as_json)
    if run.budget_reached:
        return BUDGET
    return SOME_FAILED if failed else 0
