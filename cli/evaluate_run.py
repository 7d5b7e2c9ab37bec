"""What `dxjudge evaluate` does: read, evaluate, write tables and report, sum up."""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.engine.judges import as_judge
from ..agents.engine.run import Run
from ..errors import UsageError
from ..evaluation.cases import Case
from ..evaluation.evaluate import evaluate
from ..evaluation.judged import Responses
from ..evaluation.judges.stress_table import read_rates
from ..evaluation.judges.swap_text import swap_markdown
from ..evaluation.judging import JURY, Panel, open_journal
from ..evaluation.presets import read_settings
from ..evaluation.records import INPUTS, OUTCOMES, inputs_text, outcome_lines
from ..evaluation.report.html import write_report
from ..evaluation.report.latex import all_latex, caption_of, main_rows
from ..evaluation.report.tables import all_tables
from ..evaluation.result import Evaluation
from ..evaluation.run import Coder
from ..evaluation.settings import Settings
from ..files.forms import Form
from ..graphs.mapper import Mapper
from .evaluate_files import (
    load_cases,
    load_responses,
    make_folder,
    sha256_of,
    write_table_file,
    write_text,
)
from .progress import Stages, stages
from .sources_command import read_which, say_added

SOME_FAILED, BUDGET, INTERRUPTED = 3, 7, 130
_MODES = ("read-write", "replay", "refresh", "off")


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    cases: Path
    responses: list[str]
    output: Path
    config: Path | None
    flags: Mapping[str, Any]
    conditions: Path | None
    evidences: Path | None
    table: Path | None
    encoder: str
    sources: tuple[Path, ...]
    added: str
    limits: Mapping[str, Any]
    mode: str
    stress: Path | None
    shown: int
    quiet: bool
    form: Form = Form()


def run_evaluation(request: Request) -> int:
    """Do the whole job; return the exit code."""
    settings = read_settings(request.config, **request.flags)
    if request.mode not in _MODES:
        raise UsageError(f"--cache-mode {request.mode!r} is none of {', '.join(_MODES)}")
    if request.stress is not None:
        read_rates(request.stress, settings.plan)  # a fault there comes before any work
    cases = load_cases(
        request.cases, settings.groups, request.conditions, request.evidences, request.form
    )
    responses, hashes = load_responses(request.responses, cases, request.form)
    hashes[request.cases.name] = sha256_of(request.cases)
    make_folder(request.output)
    judges = tuple(as_judge(name) for name in settings.judges)
    journal = open_journal(request.output / "journal.jsonl" if judges else None)
    ledger = request.output / "attempts.jsonl" if judges else None
    with (
        stages(quiet=request.quiet) as progress,
        Run(mode=request.mode, ledger=ledger, **request.limits) as run,  # type: ignore[arg-type]
    ):
        panel = Panel(judges, run, journal, progress)
        try:
            made = _evaluate(request, settings, panel, cases, responses, hashes, progress)
        except KeyboardInterrupt:
            _say("interrupted; run the same command again to go on from here")
            return INTERRUPTED
        finally:
            journal.close()
        write_everything(made, request.output, shown=request.shown, stress=request.stress)
        if not request.quiet:
            _print(made, request.output)
        return exit_code(made, run.budget_reached)


def _evaluate(
    request: Request,
    settings: Settings,
    panel: Panel,
    cases: tuple[Case, ...],
    responses: Mapping[str, Responses],
    hashes: Mapping[str, str],
    progress: Stages,
) -> Evaluation:
    mapper = Mapper(
        settings.ontology,
        model=request.encoder,
        sources=request.sources,
        added=read_which(request.added),
        progress=progress,
        run=panel.run,
    )
    if not request.quiet:
        say_added(mapper.added)
    coder = Coder(
        mapper.map_many,
        lambda: mapper.signature,
        request.table,
        request.output / "mapping.tsv",
    )
    return evaluate(cases, responses, settings, panel, coder, files=hashes)


def write_everything(
    made: Evaluation, folder: Path, *, shown: int, stress: Path | None = None
) -> None:
    """Tables as CSV, the main table as LaTeX, records, signature, report and figures."""
    for table in all_tables(made):
        write_table_file(table, folder)
    for name, text in all_latex(made).items():
        write_text(folder / f"{name}.tex", text)
    write_text(folder / INPUTS, inputs_text(made.judged))
    write_text(folder / OUTCOMES, "".join(f"{line}\n" for line in outcome_lines(made.judged)))
    if made.swap is not None:
        write_text(folder / "swap.md", swap_markdown(made.swap, made.signature["id"]))
    signature = json.dumps(made.signature, indent=2, ensure_ascii=False, default=str)
    write_text(folder / "signature.json", signature + "\n")
    write_report(made, folder, shown=shown, stress=stress)


def exit_code(made: Evaluation, budget_reached: bool) -> int:
    """7 where the budget ended the run, 3 where an item failed, else 0."""
    if budget_reached:
        return BUDGET
    return SOME_FAILED if sum(_failures(made).values()) else 0


def _failures(made: Evaluation) -> Counter[str]:
    """Failed items by step: verdicts, missing responses, mappings."""
    counted: Counter[str] = Counter()
    for (task, judge, *_), verdicts in made.judged.verdicts.items():
        if judge.startswith(JURY):
            continue  # what it lacks, its judges lack, or they are at odds
        counted[task] += sum(one.outcome.status == "failed" for one in verdicts)
    for model in made.judged.models:
        missing = sum(
            made.judged.first_response(model, case.id) is None for case in made.judged.cases
        )
        counted["missing response"] += missing
    if made.judged.codes is not None:
        rows = made.judged.codes.mappings.values()
        counted["map_to_icd10"] += sum(row.status == "failed" for row in rows)
    return Counter({name: count for name, count in counted.items() if count})


def _print(made: Evaluation, folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    header, rows = main_rows(made)
    table = Table(title=made.preset.title, caption=caption_of(made))
    for number, name in enumerate(header):
        table.add_column(name, justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 200).print(table, markup=False)
    for entry in made.left_out:
        _say(f"left out: {entry.task}: {entry.reason}")
    failures = _failures(made)
    if failures:
        listed = ", ".join(f"{name} {count:,}" for name, count in failures.items())
        _say(f"failed: {listed} (verdicts.csv says why)")
    _say(f"report: {folder / 'report.html'}")


def _say(text: str) -> None:
    print(f"dxjudge: {text}", file=sys.stderr)
