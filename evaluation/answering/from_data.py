"""Ask models under test from Python: cases from files or frames, responses as a frame or file."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...agents.answering.case import Presentation
from ...agents.answering.form import load_form
from ...agents.engine.judges import AnyJudge, Judge, as_judge
from ...agents.engine.run import Run
from ...agents.outcome import Outcome
from ...errors import UsageError
from ...files.counted import counted
from ...files.forms import Form, output_format
from ...files.parquet import frame_of
from ...files.rows_out import write_columns
from ...files.sequences import read_by_row
from ...graphs.loop import run_here
from ..judging import Progress
from ..read import Data, case_source, is_path
from ..report.notebook import table_html
from .answers import answer_columns, ask_models, gather_answers
from .plan import AnswerPlan, Settings, plan_answers

_SHOWN = ("id", "model", "response", "status", "reason")  # columns that a notebook shows
_LONGEST, _MOST = 200, 10  # characters of a cell and rows that it shows at most
_PRESENTATIONS: tuple[Presentation, ...] = ("image", "text")


@dataclass(frozen=True, eq=False, repr=False)
class AnswerResult:
    """The responses of models under test, which `dxjudge.evaluate` reads.

    columns: column -> values, as in the file that `dxjudge answer` writes. budget_reached: whether
    the budget ended before all was asked. notes: what was not asked.
    """

    columns: Mapping[str, list[Any]]
    budget_reached: bool
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        responses = counted(len(self.columns["status"]), "response")
        reached = ", budget reached" if self.budget_reached else ""
        return f"AnswerResult({responses}, {self.failed} failed{reached})"

    def _repr_html_(self) -> str:
        shown = [
            [str(row[name] or "")[:_LONGEST] for name in _SHOWN if name in row]
            for row in self.rows[:_MOST]
        ]
        names = [name for name in _SHOWN if name in self.columns]
        return table_html(f"{self!r}, the first {len(shown)}", names, shown)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The responses as mappings from column to value."""
        values = zip(*self.columns.values(), strict=True)
        return [dict(zip(self.columns, row, strict=True)) for row in values]

    @property
    def failed(self) -> int:
        """The number of responses with the status failed; their `reason` says why."""
        return self.columns["status"].count("failed")

    def table(self) -> Any:
        """The responses as a frame: of pandas where pandas is installed, else an Arrow table."""
        return frame_of(list(self.columns), [list(row.values()) for row in self.rows])

    def write(self, path: str | Path) -> Path:
        """Write the responses to a file.

        Args:
            path: its suffix says the form, such as .jsonl or .csv.

        Returns:
            the path.

        Raises:
            OutputError: if the file cannot be written.
        """
        write_columns(str(path), output_format(str(path), None, "jsonl"), dict(self.columns))
        return Path(path)


def answer(
    cases: Data,
    *,
    form: str | Path,
    models: AnyJudge | Sequence[AnyJudge] | Mapping[str, AnyJudge],
    samples: int = 1,
    variants: Sequence[str] = (),
    withhold: Sequence[str] = (),
    presented_as: Sequence[str] = (),
    run: Run | None = None,
    conditions: str | Path | None = None,
    evidences: str | Path | None = None,
    folder: str | Path | None = None,
    file_form: Form | None = None,
    progress: Progress | None = None,
) -> AnswerResult:
    """Ask models under test about cases, as `dxjudge answer` does.

    A model that gives no answer has a row with the status failed and the reason. Replies are kept
    in the run's cache, so that the same call after a stop asks only for missing replies.

    Args:
        cases: a path, a frame (pandas, polars, Arrow) or rows as mappings.
        form: what is asked: the name of a form or the path of its YAML file.
        models: a model, models, or a mapping from a name in the responses to a model. A model is
            named as a judge is, or is a LangChain chat model.
        samples: how often each question is asked.
        variants: further wordings of the prompts, in which each question is asked too.
        withhold: types of evidence; each case that has one is asked once more without it.
        presented_as: "image", "text" or both; without it, evidence is shown with its image and
            text.
        run: cache, budget and limits; by default a new run with the user's own cache.
        conditions, evidences: the files of DDXPlus.
        folder: where relative paths of images begin; by default the folder of the file of cases,
            or the current folder.
        file_form: the separator, encoding or sheet of the file, where it does not show them.
        progress: a function that is called with (stage, done, total).

    Returns:
        the responses, as a frame, rows or a file.

    Raises:
        UsageError: arguments that do not exist or do not fit, or one name for two models.
        InputError: cases that cannot be read or asked; the message names file and row.
    """
    source = case_source(cases, conditions=conditions, evidences=evidences, form=file_form)
    settings = Settings(
        models=named_models(models),
        samples=samples,
        variants=tuple(variants),
        withheld=tuple(dict.fromkeys(withhold)),
        presentations=presentations_of(presented_as),
    )
    start = Path(cases).absolute().parent if is_path(cases) else Path.cwd()
    plan = plan_answers(source, load_form(str(form)), settings, Path(folder or start))
    using = run or Run()
    try:
        outcomes = run_here(_outcomes(plan, using, progress))
        reached = using.budget_reached
    finally:
        if run is None:
            using.close()
    columns = read_by_row(answer_columns(plan, gather_answers(plan, outcomes)))
    return AnswerResult(columns, reached, plan.notes)


async def aanswer(cases: Data, **options: Any) -> AnswerResult:
    """Run `answer` in a thread, so that the event loop of async code continues.

    Args:
        cases: a path, a frame or rows; see the synchronous form.
        options: the further arguments of the function that this one runs.

    Returns:
        the result of `answer`.
    """
    return await asyncio.to_thread(lambda: answer(cases, **options))


def named_models(
    models: AnyJudge | Sequence[AnyJudge] | Mapping[str, AnyJudge],
) -> dict[str, Judge]:
    """Return the models by their name in the responses, which is their label where none is given.

    Raises UsageError for a name that two models have, and where there is no model.
    """
    if isinstance(models, Mapping):
        return {name: as_judge(model) for name, model in models.items()}
    listed: Sequence[Any] = models if isinstance(models, list | tuple) else [models]
    by_name: dict[str, Judge] = {}
    for model in map(as_judge, listed):
        if model.spec.label in by_name:
            raise UsageError(f"{model.spec.label} is named twice: give a mapping with two names")
        by_name[model.spec.label] = model
    if not by_name:
        raise UsageError("no model is named")
    return by_name


def presentations_of(names: Sequence[str]) -> tuple[Presentation, ...]:
    """Return the ways in which evidence is shown. Raises UsageError for an unknown one."""
    for name in names:
        if name not in _PRESENTATIONS:
            raise UsageError(f"evidence cannot be presented as {name!r}: write image or text")
    return tuple(name for name in _PRESENTATIONS if name in names)


async def _outcomes(plan: AnswerPlan, run: Run, progress: Progress | None) -> list[Outcome]:
    outcomes: dict[int, Outcome] = {}
    async with aclosing(ask_models(plan, range(len(plan.items)), run)) as stream:
        async for index, outcome in stream:
            outcomes[index] = outcome
            if progress is not None:
                progress("answers", len(outcomes), len(plan.items))
    return [outcomes[index] for index in range(len(plan.items))]
