"""Runs an evaluation from Python: it takes files or frames, and its tables are frames."""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..agents.engine.judges import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.watching.prompt_log import PromptLog
from ..errors import UsageError
from ..files.bytes import read_bytes, writing
from ..files.forms import Form
from ..files.frames import whole
from ..files.parquet import frame_of
from ..graphs.mapper import Mapper
from .cases import Case, read_cases, read_responses
from .evaluate import check_evaluation
from .evaluate import evaluate as evaluate_cases
from .gold_codes import known_cases
from .judged import Responses
from .judging import Panel, Progress, open_journal
from .measures.numbers import Number
from .model_attributes import about_models, read_models, with_columns
from .own_task import own_columns
from .pages.kept import ATTEMPTS, PROMPTS
from .pages.progress import end_progress, progress_kept
from .ratings import Ratings, read_expert_ratings
from .read import Data, case_source, hashes_of, is_path, named_data, response_sources, with_images
from .read_settings import read_settings
from .report.notebook import notebook_html
from .report.table import Table
from .report.tables import all_tables
from .report.write import make_folder, write_everything
from .result import Evaluation
from .run import Coder
from .settings import Settings
from .unread import unread_in_cases, unread_in_responses

JOURNAL, MAPPING = "journal.jsonl", "mapping.tsv"
_OF_THE_RUN = (JOURNAL, ATTEMPTS, PROMPTS, MAPPING)


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationResult:
    """An evaluation with its tables; a notebook shows the main table.

    evaluation: everything from which the tables are built. folder: where the run writes its
    journal, attempts and mappings. budget_reached: whether the budget ended before all items
    were asked.
    """

    evaluation: Evaluation
    folder: Path
    budget_reached: bool
    _temporary: Any = field(default=None, repr=False)

    def __repr__(self) -> str:
        reached = ", budget reached" if self.budget_reached else ""
        about = repr(self.evaluation).removeprefix("Evaluation(").removesuffix(")")
        return f"EvaluationResult({about}{reached})"

    @cached_property
    def _tables(self) -> dict[str, Table]:
        return {table.name: table for table in all_tables(self.evaluation)}

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables: those of the CSV files, without `.csv`."""
        return tuple(self._tables)

    def table(self, name: str = "main_table") -> Any:
        """Return a table as a frame.

        Args:
            name: one of `tables`.

        Returns:
            a pandas DataFrame where pandas is installed, else an Arrow table.

        Raises:
            UsageError: for a table that does not exist.
        """
        if name not in self._tables:
            raise UsageError(f"there is no table {name!r}; there are {', '.join(self._tables)}")
        table = self._tables[name]
        return frame_of(table.columns, table.rows)

    def number(self, metric: str, model: str, judge: str = "", **where: str) -> Number | None:
        """Return one number.

        Args:
            metric: its name in the tables, such as "final_accuracy".
            model: the name of the model under test.
            judge: the judge's label; "" for a number that depends on none.
            where: slice, group_by or group, for a number over a part of the cases.

        Returns:
            the number with its interval and counts, or None where there is none.
        """
        return self.evaluation.number(metric, model, judge, **where)

    def write(
        self, folder: str | Path, *, report_cases: int = 200, stress: str | Path | None = None
    ) -> Path:
        """Write the folder that `dxjudge evaluate -o FOLDER` writes.

        Args:
            folder: where to write it.
            report_cases: the largest number of cases in the report.
            stress: a file with the trials of `dxjudge stress`, for the report.

        Returns:
            the path of the folder.

        Raises:
            OutputError: if a file cannot be written.
        """
        output = Path(folder)
        make_folder(output)
        for name in _OF_THE_RUN:
            source = self.folder / name
            if source.exists() and output.resolve() != self.folder.resolve():
                with writing(output / name) as file:
                    file.write(read_bytes(source))
        trials = Path(stress) if stress else None
        write_everything(self.evaluation, output, shown=report_cases, stress=trials)
        end_progress(self.folder)
        return output

    def _repr_html_(self) -> str:
        return notebook_html(self.evaluation)


@dataclass(frozen=True)
class Opened:
    """The input of an evaluation, read and checked, before a judge is asked.

    files: name -> hash of everything that was read. notes: sentences about columns that nothing
    reads and cases that were left out.
    """

    settings: Settings
    judges: tuple[Judge, ...]
    cases: tuple[Case, ...]
    responses: Mapping[str, Responses]
    files: Mapping[str, str]
    notes: tuple[str, ...] = ()
    ratings: Ratings | None = None


def open_evaluation(
    cases: Data,
    responses: Data | Mapping[str, Data] | Sequence[Data],
    *,
    judges: Sequence[AnyJudge] | None = None,
    config: str | Path | None = None,
    conditions: str | Path | None = None,
    evidences: str | Path | None = None,
    ratings: Data | None = None,
    form: Form | None = None,
    **settings: Any,
) -> Opened:
    """Read settings, cases and responses; arguments and faults are those of `evaluate`."""
    judges = tuple(judges or ())
    names = tuple(
        judge if isinstance(judge, str) else as_judge(judge).spec.label for judge in judges
    )
    models = settings.get("models")
    if models is not None and not isinstance(models, Mapping):
        settings["models"] = read_models(models)
    chosen = read_settings(Path(config) if config else None, judges=names or None, **settings)
    own = own_columns(chosen)
    cases = cases if is_path(cases) else whole(cases)
    case_rows = case_source(cases, conditions=conditions, evidences=evidences, form=form)
    named = named_data(responses)
    sources = response_sources(named, form)
    attributes = with_columns(chosen.models, sources, chosen.model_columns)
    chosen = chosen.model_copy(update={"models": attributes})
    notes = [*about_models(attributes, list(sources))]
    notes += [unread_in_cases(case_rows, chosen.groups or (), own)]
    notes += [unread_in_responses(source, own, chosen.model_columns) for source in sources.values()]
    read = with_images(read_cases(case_rows, chosen.groups, own), case_rows, cases)
    known = {case.id: case for case in read}
    by_model: dict[str, Responses] = {
        model: read_responses(rows, known, own) for model, rows in sources.items()
    }
    panel = tuple(map(as_judge, judges or chosen.judges))
    check_evaluation(read, by_model, chosen, panel)
    rated = None if ratings is None else read_expert_ratings(ratings, known, by_model, form)
    read, by_model, excluded = known_cases(read, by_model, chosen)
    all_notes = tuple(dict.fromkeys(filter(None, (*notes, *excluded))))
    files = hashes_of(cases, [*named, *([("ratings", ratings)] if ratings is not None else [])])
    return Opened(chosen, panel, read, by_model, files, all_notes, rated)


def run_opened(
    opened: Opened,
    folder: Path,
    run: Run,
    *,
    mapper: Mapper | None = None,
    release_mapper: bool = False,
    table: Path | None = None,
    progress: Progress | None = None,
) -> EvaluationResult:
    """Run an opened evaluation; the journal and the mappings are written to `folder`.

    A mapper that is given keeps its index in memory, unless it may be released after the mapping.
    """
    settings = opened.settings
    run.one_dimension = settings.one_dimension_a_call
    coding = mapper or Mapper(settings.ontology, run=run)
    release = coding.release if mapper is None or release_mapper else None
    coder = Coder(coding.map_many, lambda: coding.signature, table, folder / MAPPING, release)
    with (
        open_journal(folder / JOURNAL if opened.judges else None) as journal,
        _prompts_kept(run, folder / PROMPTS if opened.judges else None),
        progress_kept(folder, progress) as noted,
    ):
        evaluation = evaluate_cases(
            opened.cases,
            opened.responses,
            settings,
            Panel(opened.judges, run, journal, noted),
            coder,
            files=opened.files,
            notes=opened.notes,
            ratings=opened.ratings,
        )
    return EvaluationResult(evaluation, folder, run.budget_reached)


@contextmanager
def _prompts_kept(run: Run, path: Path | None) -> Iterator[None]:
    """Keep the prompts of everything that is asked within the block."""
    if path is None:
        yield
        return
    with PromptLog(path) as run.prompts:
        try:
            yield
        finally:
            run.prompts = None


def evaluate(
    cases: Data,
    responses: Data | Mapping[str, Data] | Sequence[Data],
    *,
    preset: str | None = None,
    judges: Sequence[AnyJudge] | None = None,
    config: str | Path | None = None,
    run: Run | None = None,
    mapper: Mapper | None = None,
    conditions: str | Path | None = None,
    evidences: str | Path | None = None,
    ratings: Data | None = None,
    table: Path | None = None,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    form: Form | None = None,
    **settings: Any,
) -> EvaluationResult:
    """Evaluate the responses of models, as `dxjudge evaluate` does.

    Args:
        cases: a path, a frame (pandas, polars, Arrow) or rows as mappings.
        responses: a mapping from model to such data; or data with a column `model`; or a list of
            paths, whose stems are the models' names.
        preset: diagnosis (the default), hddx, dermcase, medsyn, mediconfusion, medlesionvqa,
            healthbench, choice or pairwise.
        judges: judges or their names; each judges every item, and the first also extracts.
        config: a YAML file of settings; an argument of this call wins over the file.
        run: cache, budget and limits; by default a new run with the user's own cache.
        mapper: how diagnoses get codes; by default a mapper for the ontology of the settings.
        conditions, evidences: the files of DDXPlus.
        ratings: what people said of the responses; every metric is compared with it.
        table: a canonical table; reviewed codes are read from it, and it is written back.
        folder: where the journal of the judges' decisions is written, so that the same call
            continues after a stop; by default a temporary folder.
        progress: a function that is called with (stage, done, total).
        form: the separator, encoding or sheet of the files, where the files do not show it.
        settings: further settings, as in the YAML file: groups, tasks, columns, jury, seed, ...

    Returns:
        the evaluation with its tables; a notebook shows the main table.

    Raises:
        UsageError: settings that do not exist or do not fit, or the same judge twice.
        InputError: cases or responses that cannot be read; the message names file and row.
    """
    opened = open_evaluation(
        cases, responses, preset=preset, judges=judges, config=config, conditions=conditions,
        evidences=evidences, ratings=ratings, form=form, **settings,
    )  # fmt: skip
    temporary = tempfile.TemporaryDirectory(prefix="dxjudge-") if folder is None else None
    place = Path(temporary.name) if temporary else Path(str(folder))
    make_folder(place)
    using = run or Run(ledger=place / ATTEMPTS if opened.judges else None)
    try:
        result = run_opened(opened, place, using, mapper=mapper, table=table, progress=progress)
    finally:
        if run is None:
            using.close()
    return replace(result, _temporary=temporary)


async def aevaluate(
    cases: Data, responses: Data | Mapping[str, Data] | Sequence[Data], **options: Any
) -> EvaluationResult:
    """Run `evaluate` in a thread, so that the event loop of async code continues.

    Args:
        cases: a path, a frame or rows; see the synchronous form.
        responses: paths, frames or rows; see the synchronous form.
        options: the further arguments of the function that this one runs.

    Returns:
        the result of `evaluate`.
    """
    return await asyncio.to_thread(evaluate, cases, responses, **options)
