"""What the workers of `dxjudge judge --cluster` do: three kinds of work, one after the other.

    Count  a piece of the input -> its number of rows, or why it cannot be judged
    Judge  a block of its rows  -> their outcomes                       _journal/judged/
    Write  a piece of the input -> its rows with their verdicts         part-NNNNNN.parquet

A row that is finished is not judged again, also where others of its block failed.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ...agents.engine.permits import Permits
from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.outcome import Outcome, read_outcome, write_outcome
from ...agents.step import Step
from ...agents.steps import find_step
from ...errors import InputError, OutputError, UsageError
from ...files.blocks import JOURNAL, Blocks
from ...files.forms import Form
from ...files.frames import with_added
from ...graphs.columns import judged_columns, result_types
from ...graphs.row_inputs import frame_inputs, given_values
from ...graphs.step import run_step_sync
from ..option_groups import RunOptions
from ..terminal.judged import count_outcomes
from .office import run_of_worker
from .on_ray import Item
from .pieces import Piece, read_piece, why_unread

JUDGED = f"{JOURNAL}/judged"


@dataclass(frozen=True)
class JudgeJob:
    """What all workers know. fields, given: the options --set and --give."""

    source: str
    output: str
    form: Form
    step_name: str
    fields: tuple[str, ...]
    given: tuple[str, ...]
    judge: JudgeSpec | None
    engine: str
    repeat: int

    @property
    def step(self) -> Step[Any, Any]:
        """The step."""
        return find_step(self.step_name)

    @cached_property
    def blocks(self) -> Blocks:
        """The parts of the output, and the outcomes that are kept until the job is complete."""
        return Blocks(self.output)

    def inputs_of(self, table: Any) -> Sequence[dict[str, Any]]:
        """Return the inputs of the rows. Raises UsageError for a field without a column."""
        return frame_inputs(self.step, table, self.fields, given_values(self.step, self.given))

    def read(self, piece: Piece) -> Any:
        """Return the rows of a piece as an Arrow table."""
        return _read(self.source, piece, self.form)


@lru_cache(maxsize=1)
def _read(source: str, piece: Piece, form: Form) -> Any:
    # The blocks of a piece follow each other, so a worker mostly needs the same piece again.
    return read_piece(source, piece, form, None)


@dataclass(frozen=True)
class Count:
    """Counts the rows of a piece. One that cannot be read, or lacks a field, is unread."""

    job: JudgeJob

    def __call__(self, item: Item) -> Item:
        """Return the number of rows, and why the piece is unread."""
        piece = Piece.of_item(item)
        try:
            table = self.job.read(piece)
            self.job.inputs_of(table.slice(0, 1))
        except (InputError, UsageError, OutputError) as fault:
            return {"piece": piece.number, "rows": 0, "unread": why_unread(piece, fault)}
        return {"piece": piece.number, "rows": table.num_rows, "unread": ""}


@dataclass(frozen=True)
class Judge:
    """Judges a block of rows. permits: limits and budget of the whole job; None for its own."""

    job: JudgeJob
    options: RunOptions
    permits: Permits | None

    @cached_property
    def _run(self) -> Run:
        return run_of_worker(self.options, self.permits)

    def __call__(self, item: Item) -> Item:
        """Return the counts of the block: statuses, deciders, failures, and what was asked."""
        piece, first, rows = Piece.of_item(item["piece"]), item["first"], item["rows"]
        name = block_name(piece.number, first)
        known = self.job.blocks.counts(name)
        if known and not known["failures"]:
            return {**known, "at": item["at"], "before": rows, "asked": None}
        outcomes = read_outcomes(self.job.blocks, name) if known else [None] * rows
        places = [n for n, one in enumerate(outcomes) if one is None or one.status == "failed"]
        inputs = self.job.inputs_of(self.job.read(piece).slice(first, rows))
        asked = run_step_sync(
            self.job.step, [inputs[place] for place in places],
            judge=self.job.judge, run=self._run, engine=self.job.engine, repeat=self.job.repeat,
        )  # fmt: skip
        for place, outcome in zip(places, asked, strict=True):
            outcomes[place] = outcome
        done = [outcome for outcome in outcomes if outcome is not None]
        counts = _counts(done)
        self.job.blocks.write(name, [_as_table(done)], counts)
        asked_now = self._run.take_counts()
        return {**counts, "at": item["at"], "before": rows - len(places), "asked": asked_now}


@dataclass(frozen=True)
class Write:
    """Writes the rows of a piece with their verdicts, from blocks of so many rows."""

    job: JudgeJob
    block: int

    def __call__(self, item: Item) -> Item:
        """Return the number of rows. A part with rows that failed is written again."""
        piece = Piece.of_item(item)
        name = f"part-{piece.number:06d}"
        known = self.job.blocks.counts(name)
        if known and not known["failed"]:
            return known
        counts: Counter[str] = Counter(rows=0, failed=0)
        self.job.blocks.write(name, self._judged(piece, counts), counts)
        return counts

    def _judged(self, piece: Piece, counts: Counter[str]) -> Iterator[Any]:
        table, step = self.job.read(piece), self.job.step
        for first in range(0, max(table.num_rows, 1), self.block):
            rows = table.slice(first, self.block)
            name = block_name(piece.number, first)
            outcomes = read_outcomes(self.job.blocks, name) if rows.num_rows else []
            counts["rows"] += len(outcomes)
            counts["failed"] += sum(one.status == "failed" for one in outcomes)
            yield with_added(rows, judged_columns(step, outcomes), result_types(step))


def block_name(piece: int, first: int) -> str:
    """Return the name of the block of outcomes that begins with a row of a piece."""
    return f"{JUDGED}/{piece:06d}-{first:09d}"


def read_outcomes(blocks: Blocks, name: str) -> list[Any]:
    """Return the outcomes of a finished block."""
    column = blocks.open(name).read()["outcome"].to_pylist()
    return [read_outcome(json.loads(plain)) for plain in column]


def _as_table(outcomes: Sequence[Outcome]) -> Any:
    import pyarrow

    plain = [json.dumps(write_outcome(outcome)) for outcome in outcomes]
    return pyarrow.table({"outcome": pyarrow.array(plain, pyarrow.string())})


def _counts(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return counts of outcomes; failures: the place of each in the block, and why."""
    return count_outcomes(outcomes, range(len(outcomes)))._asdict()
