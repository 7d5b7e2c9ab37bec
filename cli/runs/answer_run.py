"""Run `dxjudge answer`: read cases, ask the models, write their responses, print a summary."""

import asyncio
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...agents.answering.form import load_form
from ...agents.engine.judges import Judge, as_judge
from ...agents.engine.run import Run
from ...agents.outcome import Outcome, read_outcome, write_outcome
from ...errors import UsageError
from ...evaluation.answering.answers import (
    answer_columns,
    ask_models,
    estimate_answers,
    gather_answers,
)
from ...evaluation.answering.from_data import presentations_of
from ...evaluation.answering.plan import AnswerPlan, Settings, plan_answers
from ...evaluation.read import case_source
from ...files.bytes import check_writable
from ...files.counted import counted
from ...files.forms import table_format
from ...files.journal import Journal
from ...files.rows_out import write_columns
from ..answering_options import AnswerOptions
from ..terminal.facts import Fact, named, tell
from ..terminal.progress import failed_facts, work_done
from .estimates import estimate_facts, finished_fact, keep_estimates
from .finishing import Rows, journal_path, journalled, unfinished
from .outcomes import Outcomes

_NAMED = re.compile(r"^(?P<name>[^:=]+)=(?P<model>.+)$")


def run_answer(options: AnswerOptions) -> int:
    """Run the command; return the exit code. All options and inputs are checked before any work."""
    started = time.monotonic()
    plan = _plan(options)
    path, job = journal_path(options.output, options.journal), _about(plan)
    keys = [item.key for item in plan.items]
    if options.estimate:
        left = unfinished(path, job, keys)
        with options.run.open() as run:
            facts = estimate_facts(estimate_answers(plan, left, run), run, rows=len(plan.rows))
            finished = finished_fact(len(keys) - len(left), str(path), "question")
            tell((*facts, *finished), as_json=options.as_json, file=sys.stdout)
        return 0
    if options.output == "-":
        raise UsageError("responses are written to a file: name it with -o")
    format = table_format(options.output, "responses")
    check_writable(Path(options.output))
    journal = Journal(
        path,
        read=read_outcome,
        write=write_outcome,
        job=job,
    )
    calls = Rows[Outcome](
        keys,
        lambda positions, run: ask_models(plan, positions, run),
        is_failed=_has_failed,
        is_final=lambda outcome: not _has_failed(outcome),
    )

    def work(run: Run) -> bool:
        with Outcomes(calls.keys, journal) as outcomes:
            if options.run.account is not None:
                keep_estimates(estimate_answers(plan, outcomes.open_rows(), run), run)
            asyncio.run(calls.finish(run, outcomes, quiet=options.quiet))
            answered = gather_answers(plan, outcomes)
            write_columns(options.output, format, answer_columns(plan, answered))
            failures = {row: one.reason for row, one in enumerate(answered, 1) if one.reason}
        seconds = max(time.monotonic() - started, 1e-9)
        work = work_done(len(plan.items), outcomes.resumed, run, seconds, "question")
        written = named([("responses", options.output)]) if options.as_json else ()
        facts = (*_counts(plan, failures), *work, *written)
        tell(facts, as_json=options.as_json, quiet=options.quiet)
        return bool(failures)

    return journalled(journal, options.run, work, what="answers")


def _plan(options: AnswerOptions) -> AnswerPlan:
    source = case_source(
        options.cases,
        conditions=options.conditions,
        evidences=options.evidences,
        form=options.file_form,
    )
    settings = Settings(
        models=_models(options),
        samples=options.samples,
        variants=options.wordings,
        withheld=tuple(dict.fromkeys(kind.strip() for kind in options.withhold or ())),
        presentations=presentations_of(options.presented_as or ()),
    )
    return plan_answers(source, load_form(options.form), settings, options.cases.absolute().parent)


def _about(plan: AnswerPlan) -> dict[str, Any]:
    return {"command": "answer", "form": plan.form.name}


def _models(options: AnswerOptions) -> dict[str, Judge]:
    models: dict[str, Judge] = {}
    for text in options.model:
        named = _NAMED.match(text)
        judge = as_judge(options.asked.judge(named["model"] if named else text))
        name = named["name"].strip() if named else judge.spec.label
        if name in models:
            raise UsageError(f"--model names {name} twice: write NAME=MODEL to tell them apart")
        models[name] = judge
    return models


def _has_failed(outcome: Outcome) -> bool:
    return outcome.status == "failed"


def _counts(plan: AnswerPlan, failures: Mapping[int, str]) -> Iterator[Fact | str]:
    """Yield facts on the rows of each model by status, on what was not asked, and on failures.

    failures: why a row failed, by its number from 1.
    """
    rows = Counter(row.model for row in plan.rows)
    failed = Counter(plan.rows[number - 1].model for number in failures)
    for model in plan.settings.models:
        statuses = {"done": rows[model] - failed[model], "failed": failed[model]}
        yield Fact(
            f"{model}: {counted(rows[model], 'response')}: "
            + " · ".join(f"{name} {n:,}" for name, n in statuses.items()),
            {"models": [{"model": model, "responses": rows[model], "statuses": statuses}]},
        )
    yield from plan.notes
    yield from failed_facts(failures.items(), "response")
