"""What `dxjudge compare-judges` does: records, the judges that are missing, the swap report."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...agents.engine.families import families_of
from ...agents.engine.judges import as_judge
from ...agents.judge import JudgeSpec
from ...errors import UsageError
from ...evaluation.evaluate import evaluate
from ...evaluation.judges.self_preference import Families
from ...evaluation.judges.stress_table import read_rates
from ...evaluation.judges.swap import swap_of
from ...evaluation.judges.swap_rows import Swap
from ...evaluation.judges.swap_text import (
    no_family,
    swap_blocks,
    swap_plain,
)
from ...evaluation.judging import Panel, open_journal
from ...evaluation.presets import main_columns
from ...evaluation.records import Recorded, read_recorded
from ...evaluation.report.html import STRESS
from ...evaluation.report.write import make_folder, write_everything
from ...evaluation.result import Evaluation
from ...evaluation.settings import OwnTask
from ...evaluation.tasks import fillable, find_task
from ..exit_codes import INTERRUPTED
from ..option_groups import JudgeModelOptions, RunOptions
from ..progress import stages
from .agree_run import print_blocks
from .evaluate_run import exit_code


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

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


def run_compare(request: Request) -> int:
    """Do the whole job; return the exit code."""
    recorded = read_recorded(request.run)
    judges = find_judges(request.judges, recorded.judges, request.asked)
    families = families_by(request.families)
    if request.output.resolve() == request.run.resolve():
        raise UsageError("the output folder must be another than that of the evaluation")
    if request.stress is not None:
        read_rates(request.stress, recorded.settings.plan)  # a fault there comes before any work
    make_folder(request.output)
    journal = open_journal(request.run / "journal.jsonl")
    ledger = request.output / "attempts.jsonl"
    with (
        stages(quiet=request.quiet) as progress,
        request.asking.open(ledger) as run,
    ):
        panel = Panel(judges, run, journal, progress, records=recorded.outcomes)
        try:
            made = judge_again(request, recorded, panel)
        except KeyboardInterrupt:
            print("dxjudge: interrupted; run the same command again to go on from here",
                  file=sys.stderr)  # fmt: skip
            return INTERRUPTED
        finally:
            journal.close()
        swap = swap_of(made, families)
        if swap is None:
            raise UsageError("no metric of this evaluation is decided by a judge")
        _write(request, replace(made, swap=swap))
        _print(request, swap)
        return exit_code(made, run.budget_reached)


def find_judges(
    given: str | None,
    known: Sequence[JudgeSpec],
    asked: JudgeModelOptions = JudgeModelOptions(),  # noqa: B008
) -> tuple[JudgeSpec, ...]:
    """The judges to compare: by label or by model name of one of the run, else new ones.

    asked: how the new ones are asked; those of the run are asked as they were.

    Raises UsageError for fewer than two, or one that is there twice.
    """
    names = [name.strip() for name in given.split(",") if name.strip()] if given else None
    found = list(known) if names is None else [_find(name, known, asked) for name in names]
    labels = [one.label for one in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise UsageError(f"the judge {twice} is there twice")
    if len(found) < 2:
        listed = ", ".join(one.label for one in known) or "none"
        raise UsageError(
            f"a swap needs two judges or more, and there is {len(found)}: name them with "
            f"--judges A,B (judges of the run: {listed})"
        )
    return tuple(found)


def _find(name: str, known: Sequence[JudgeSpec], asked: JudgeModelOptions) -> JudgeSpec:
    fitting = [one for one in known if name == one.label]
    fitting = fitting or [one for one in known if name == one.model]
    return fitting[0] if len(fitting) == 1 else asked.applied(as_judge(name)).spec


def families_by(given: Sequence[str]) -> Families:
    """Families by name, where NAME=FAMILY says them, else by what the name tells."""
    said: dict[str, frozenset[str]] = {}
    for text in given:
        name, equals, family = text.rpartition("=")
        if not equals or not name or not family:
            raise UsageError(f"--family {text!r}: write NAME=FAMILY")
        said[name] = said.get(name, frozenset()) | {family.strip().lower()}
    return lambda name: said[name] if name in said else families_of(name)


def judge_again(request: Request, recorded: Recorded, panel: Panel) -> Evaluation:
    """The evaluation of the same responses by the judges of the panel."""
    settings = recorded.settings
    changed: dict[str, Any] = {
        "judges": tuple(as_judge(judge).spec.label for judge in panel.judges),
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
    can_fill = fillable(settings)
    columns = tuple(one for one in known if any(each.covers(one.metric) for each in can_fill))
    settings = settings.model_copy(update={"columns": columns})
    return evaluate(recorded.cases, recorded.responses, settings, panel, files=recorded.files)


def _write(request: Request, made: Evaluation) -> None:
    write_everything(made, request.output, shown=200, stress=_stress(request))


def _stress(request: Request) -> Path | None:
    """The table of trials that is named, else that of the run, where it has one."""
    own = request.run / STRESS
    return own if request.stress is None and own.exists() else request.stress


def _print(request: Request, swap: Swap) -> None:
    if request.as_json:
        print(json.dumps(swap_plain(swap), indent=2, ensure_ascii=False))
    if request.quiet or request.as_json:
        return
    print_blocks(swap_blocks(swap))
    print()
    for one in swap.conclusions:
        print(one.sentence)
    if no_family(swap):
        print(f"Self-preference: {no_family(swap)}; --family NAME=FAMILY says more.")
    print(f"dxjudge: report: {request.output / 'report.html'}", file=sys.stderr)
