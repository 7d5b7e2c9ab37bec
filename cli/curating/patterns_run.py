"""Run `dxjudge curate patterns`: read a report, ask for patterns, write them."""

import asyncio
import sys
from pathlib import Path

from ...agents.engine.ask import ask
from ...agents.engine.estimate import estimate as estimate_calls
from ...agents.engine.judges import as_judge
from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.making.find_failure_patterns import FIND_FAILURE_PATTERNS, Patterns
from ...curation.mediconfusion.failures import read_failures
from ...curation.write import write_rows
from ...files.bytes import check_writable
from ...files.forms import Form
from ..exit_codes import BUDGET, SOME_FAILED
from ..option_groups import RunOptions
from ..runs.estimates import Estimates, estimate_facts, keep_estimates
from ..terminal.facts import Fact, tell


def run_patterns(
    questions: str,
    report: Path,
    output: Path,
    spec: JudgeSpec,
    options: RunOptions,
    *,
    failed_by: float,
    pairs: int,
    most: int,
    seed: int,
    form: Form,
    as_json: bool,
    estimate: bool,
) -> int:
    """Run the command and return its exit code."""
    failures = read_failures(
        questions, report, failed_by=failed_by, most=pairs, seed=seed, form=form
    )
    found = Fact(
        f"{failures.failed} of {failures.scored} pairs are failed; {len(failures.pairs)} are shown",
        {"failed": failures.failed, "scored": failures.scored, "shown": len(failures.pairs)},
    )
    if not as_json:  # before the model is asked, which takes a while
        tell([found], as_json=False)
    inputs = {"pairs": failures.pairs, "most": most}

    def calls(run: Run) -> Estimates:
        asked = estimate_calls(FIND_FAILURE_PATTERNS, [inputs], judge=spec, run=run)
        return [(spec.label, FIND_FAILURE_PATTERNS.name, asked)]

    if estimate:
        with options.open() as run:
            facts = estimate_facts(calls(run), run, rows=len(failures.pairs), noun="pair")
            tell((found, *facts) if as_json else facts, as_json=as_json, file=sys.stdout)
        return 0
    check_writable(output)
    with options.open() as run:
        if options.account is not None:
            keep_estimates(calls(run), run)
        outcome = asyncio.run(ask(FIND_FAILURE_PATTERNS, inputs, judge=as_judge(spec), run=run))
    if outcome.status != "done":
        reasons = outcome.reasons if outcome.status == "failed" else (outcome.reason,)
        failed = Fact(f"failed: {'; '.join(reasons)}", {"failures": [*reasons]})
        tell([found, failed] if as_json else [failed], as_json=as_json)
        return BUDGET if run.budget_reached else SOME_FAILED
    patterns = Patterns.model_validate(outcome.value).patterns
    write_rows(output, (pattern.model_dump(mode="json") for pattern in patterns))
    wrote = Fact(f"{len(patterns)} patterns: {output}", {"patterns": len(patterns), "file": output})
    tell([found, wrote] if as_json else [wrote], as_json=as_json)
    return 0
