"""Run `dxjudge compare-judges`: read the records, ask further judges, write the swap report."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ...agents.engine.families import families_of
from ...agents.engine.judges import AnyJudge, as_judge, check_named_once
from ...agents.judge import JudgeSpec
from ...errors import UsageError
from ...evaluation.evaluate import evaluate
from ...evaluation.from_data import JOURNAL, Opened
from ...evaluation.judges.self_preference import Families
from ...evaluation.judges.stress_table import read_rates
from ...evaluation.judges.swap import swap_of
from ...evaluation.judges.swap_rows import Swap
from ...evaluation.judges.swap_text import no_family, swap_blocks
from ...evaluation.judging import Panel, open_journal
from ...evaluation.presets import main_columns
from ...evaluation.records import Recorded, read_recorded
from ...evaluation.report.html import STRESS
from ...evaluation.report.write import make_folder, write_everything
from ...evaluation.result import Evaluation
from ...evaluation.settings import OwnTask, Settings
from ...evaluation.tasks import fillable, find_task
from ..exit_codes import INTERRUPTED
from ..option_groups import JudgeModelOptions, RunOptions
from ..terminal.evaluated import remark
from ..terminal.facts import tell
from ..terminal.printing import print_blocks, print_json, print_lines
from ..terminal.progress import stages
from .estimates import keep_estimates
from .evaluate_estimate import estimate_evaluation, evaluation_facts
from .evaluate_run import exit_code


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    run: Path
    judges: str | None
    output: Path
    families: tuple[str, ...]
    stress: Path | None
    seed: int | None
    boot: int | None
    asking: RunOptions
    asked: JudgeModelOptions
    as_json: bool
    quiet: bool
    estimate: bool = False


def run_compare(request: Request) -> int:
    """Run the command and return its exit code."""
    recorded, kept = read_recorded(request.run), request.run / JOURNAL
    judges = find_judges(request.judges, recorded.judges, request.asked)
    families = families_by(request.families)
    if request.output.resolve() == request.run.resolve():
        raise UsageError(f"--output {request.output} is the folder of the evaluation: name another")
    if request.stress is not None:
        # A fault in the table is found here, before any work.
        read_rates(request.stress, recorded.settings.plan)
    if request.estimate:
        with request.asking.open() as run:
            opened = _opened(request, recorded, judges)
            facts = evaluation_facts(opened, run, kept, recorded.outcomes)
            tell(facts, as_json=request.as_json, file=sys.stdout)
        return 0
    make_folder(request.output)
    journal = open_journal(kept)
    ledger = request.output / "attempts.jsonl"
    with (
        stages(quiet=request.quiet) as progress,
        request.asking.open(ledger) as run,
    ):
        run.one_dimension = recorded.settings.one_dimension_a_call
        if request.asking.account is not None:
            opened = _opened(request, recorded, judges)
            planned = estimate_evaluation(opened, run, kept, recorded.outcomes)
            keep_estimates(planned.estimates, run)
        panel = Panel(judges, run, journal, progress, records=recorded.outcomes)
        try:
            evaluation = judge_again(request, recorded, panel)
        except KeyboardInterrupt:
            text = "dxjudge: interrupted; run the same command again to continue from here"
            print(text, file=sys.stderr)
            return INTERRUPTED
        finally:
            journal.close()
        swap = swap_of(evaluation, families)
        if swap is None:
            raise UsageError(f"{request.run}: no metric of this evaluation is decided by a judge")
        _write(request, replace(evaluation, swap=swap))
        _print(request, swap)
        if not request.quiet:
            for line in run.remarks():
                remark(line)
        return exit_code(evaluation, run.budget_reached)


def find_judges(
    text: str | None,
    known: Sequence[JudgeSpec],
    asked: JudgeModelOptions = JudgeModelOptions(),  # noqa: B008
) -> tuple[JudgeSpec, ...]:
    """Return the judges to compare: judges of the run, by label or model name, else new judges.

    text: the names, separated by commas; None for all judges of the run. known: the judges of
    the run, which keep their parameters. asked: the parameters of new judges.

    Raises UsageError for fewer than two judges, or a judge that is named twice.
    """
    names = [name.strip() for name in text.split(",") if name.strip()] if text else None
    judges = list(known) if names is None else [_find(name, known, asked) for name in names]
    check_named_once(map(as_judge, judges))
    if len(judges) < 2:
        listed = ", ".join(judge.label for judge in known) or "none"
        raise UsageError(
            f"a comparison needs two judges or more, and there is {len(judges)}: name them with "
            f"--judges A,B (judges of the run: {listed})"
        )
    return tuple(judges)


def _find(name: str, known: Sequence[JudgeSpec], asked: JudgeModelOptions) -> JudgeSpec:
    matches = [judge for judge in known if name == judge.label]
    matches = matches or [judge for judge in known if name == judge.model]
    return matches[0] if len(matches) == 1 else asked.applied(as_judge(name)).spec


def families_by(texts: Sequence[str]) -> Families:
    """Return a function from a name to its families: those of NAME=FAMILY, else by the name."""
    families: dict[str, frozenset[str]] = {}
    for text in texts:
        name, equals, family = text.rpartition("=")
        if not equals or not name or not family:
            raise UsageError(f"--family {text!r}: write NAME=FAMILY")
        families[name] = families.get(name, frozenset()) | {family.strip().lower()}
    return lambda name: families[name] if name in families else families_of(name)


def judge_again(request: Request, recorded: Recorded, panel: Panel) -> Evaluation:
    """Evaluate the same responses with the judges of the panel."""
    settings = _settings(request, recorded, panel.judges)
    return evaluate(recorded.cases, recorded.responses, settings, panel, files=recorded.files)


def _opened(request: Request, recorded: Recorded, judges: Sequence[JudgeSpec]) -> Opened:
    settings, live = _settings(request, recorded, judges), tuple(map(as_judge, judges))
    return Opened(settings, live, recorded.cases, recorded.responses, recorded.files)


def _settings(request: Request, recorded: Recorded, judges: Sequence[AnyJudge]) -> Settings:
    """Return the settings of the run with these judges, and without what no judge decides."""
    settings = recorded.settings
    changed: dict[str, Any] = {
        "judges": tuple(as_judge(judge).spec.label for judge in judges),
        "tasks": tuple(
            task for task in settings.tasks if isinstance(task, OwnTask) or find_task(task).step
        ),
    }
    if request.seed is not None:
        changed["seed"] = request.seed
    if request.boot is not None:
        changed["resamples"] = request.boot
    known = main_columns(settings)
    settings = settings.model_copy(update=changed)
    measures = fillable(settings)
    columns = tuple(
        column for column in known if any(measure.covers(column.metric) for measure in measures)
    )
    return settings.model_copy(update={"columns": columns})


def _write(request: Request, evaluation: Evaluation) -> None:
    write_everything(evaluation, request.output, shown=200, stress=_stress(request))


def _stress(request: Request) -> Path | None:
    """Return the table of trials that --stress names, else that of the run, where it has one."""
    own = request.run / STRESS
    return own if request.stress is None and own.exists() else request.stress


def _print(request: Request, swap: Swap) -> None:
    if request.as_json:
        print_json(asdict(swap))
    if request.quiet or request.as_json:
        return
    print_blocks(swap_blocks(swap))
    print_lines(conclusion.sentence for conclusion in swap.conclusions)
    if no_family(swap):
        print_lines(
            [f"Self-preference: {no_family(swap)}; name families with --family NAME=FAMILY."]
        )
    print(f"dxjudge: report: {request.output / 'report.html'}", file=sys.stderr)
