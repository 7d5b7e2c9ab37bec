"""What the workers of `dxjudge judge --cluster` do: three kinds of work, one after the other.

    Count  a piece of the input -> its number of rows, or why it cannot be judged
    Judge  a block of its rows  -> their outcomes                       _journal/judged/
    Write  a piece of the input -> its rows with their verdicts         part-NNNNNN.parquet

A row that is finished is not judged again, also where others of its block failed.
"""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, overload

from ...adapters.permits import RayPermits
from ...agents.engine.run import Run
from ...agents.step import Step
from ...agents.steps import find_step
from ...errors import InputError, OutputError, UsageError
from ...files.blocks import JOURNAL, Blocks
from ...files.forms import Form
from ...files.frames import with_added
from ...files.nearest import no_column
from ...files.rows_in import Sheet
from ...files.sequences import picked
from ...graphs.case_names import case_names
from ...graphs.row_inputs import frame_inputs, given_values
from ..option_groups import RunOptions
from .asking import Asking
from .case_names import digests
from .office import run_of_worker
from .on_ray import Item
from .pieces import Piece, PieceRows, read_piece, why_unread

JUDGED = f"{JOURNAL}/judged"


@dataclass(frozen=True)
class JudgeJob:
    """What all workers know. fields, given: the options --set and --give. asking: who judges."""

    source: str
    output: str
    form: Form
    fields: tuple[str, ...]
    given: tuple[str, ...]
    asking: Asking

    @property
    def step(self) -> Step[Any, Any]:
        """The step."""
        return find_step(self.asking.step_name)

    @cached_property
    def blocks(self) -> Blocks:
        """The parts of the output, and the outcomes that are kept until the job is complete."""
        return Blocks(self.output)

    def inputs_of(self, rows: PieceRows) -> Sequence[dict[str, Any]]:
        """Return the inputs of the rows. Raises UsageError for a field without a column."""
        given = given_values(self.step, self.given)
        return frame_inputs(self.step, rows.frame, self.fields, given)

    def names_of(self, rows: PieceRows) -> list[str] | None:
        """Return the names of the rows' cases; None where no column has names.

        Raises UsageError and InputError as `case_names` does.
        """
        columns, wanted = rows.table.column_names, self.asking.case
        wanted = ("id" if "id" in columns else "") if wanted is None else wanted
        if not wanted:
            return None
        if wanted not in columns:
            raise UsageError(no_column("the frame", wanted, columns))
        cells = [[cell] for cell in rows.column(wanted)]
        return case_names(Sheet("the frame", "parquet", [wanted], cells), wanted)

    def cases_of(self, rows: PieceRows, at: int) -> list[str]:
        """Return what names the rows' cases: their names, or numbers from `at`."""
        names = self.names_of(rows)
        return [str(at + row) for row in range(len(rows))] if names is None else names

    def read(self, piece: Piece) -> PieceRows:
        """Return the rows of a piece."""
        return _read(self.source, piece, self.form)


@lru_cache(maxsize=1)
def _read(source: str, piece: Piece, form: Form) -> PieceRows:
    # The blocks of a piece follow each other, so a worker mostly needs the same piece again.
    return read_piece(source, piece, form, None)


@dataclass(frozen=True)
class Count:
    """Counts the rows of a piece. One that cannot be read, or lacks a field, is unread.

    named: whether the job needs the names of its cases.
    """

    job: JudgeJob
    named: bool = False

    def __call__(self, item: Item) -> Item:
        """Return the number of rows, why the piece is unread, and the digests of its names."""
        piece = Piece.of_item(item)
        try:
            rows = self.job.read(piece)
            self.job.inputs_of(rows.slice(0, 1))
            names = self.job.names_of(rows)
        except (InputError, UsageError, OutputError) as fault:
            why = why_unread(piece, fault)
            return {"piece": piece.number, "rows": 0, "unread": why, "cases": None}
        cases = None if names is None or not self.named else digests(names)
        return {"piece": piece.number, "rows": len(rows), "unread": "", "cases": cases}


@dataclass(frozen=True)
class Estimate:
    """Counts what the judges would be asked about a block of rows.

    begun: the rows of a block of outcomes, where an earlier run began this job; 0 where none did.
    """

    job: JudgeJob
    options: RunOptions
    begun: int = 0

    @cached_property
    def _run(self) -> Run:
        return run_of_worker(self.options, None)

    def __call__(self, item: Item) -> Item:
        """Return the counts of each group of calls, and how many rows the earlier run finished."""
        piece, first, rows = Piece.of_item(item["piece"]), item["first"], item["rows"]
        inputs = self.job.inputs_of(self.job.read(piece).slice(first, rows))
        if self.begun:
            inputs = picked(inputs, self._open(piece.number, first, rows))
        groups = self.job.asking.groups(inputs)
        counts = [group.count(inputs, self._run).plain() for group in groups]
        return {"counts": counts, "finished": rows - len(inputs)}

    def _open(self, piece: int, first: int, rows: int) -> list[int]:
        """Return the places of the rows that the earlier run has not finished."""
        places: list[int] = []
        for start in range(0, rows, self.begun):
            name = block_name(piece, first + start)
            known = self.job.blocks.counts(name)
            outcomes = _read_outcomes(self.job, name) if known else [None] * self.begun
            places += open_places(self.job.asking, outcomes[: rows - start], start)
        return places


@dataclass(frozen=True)
class Judge:
    """Judges a block of rows. permits: limits and budget of the whole job; None for its own."""

    job: JudgeJob
    options: RunOptions
    permits: RayPermits | None

    @cached_property
    def _run(self) -> Run:
        return run_of_worker(self.options, self.permits)

    def __call__(self, item: Item) -> Item:
        """Return what is counted of the block, and what was asked now.

        open: rows that the next run asks again. before: rows that an earlier run judged.
        """
        piece, first, rows = Piece.of_item(item["piece"]), item["first"], item["rows"]
        asking, name = self.job.asking, block_name(piece.number, first)
        known = self.job.blocks.counts(name)
        if known and not known["open"]:
            return {**known, "rows": rows, "at": item["at"], "before": rows, "asked": None}
        outcomes = _read_outcomes(self.job, name) if known else [None] * rows
        places = open_places(asking, outcomes)
        block = self.job.read(piece).slice(first, rows)
        inputs, cases = self.job.inputs_of(block), self.job.cases_of(block, item["at"])
        asked = asking.ask(
            [inputs[place] for place in places], [cases[place] for place in places], self._run
        )
        for place, outcome in zip(places, asked, strict=True):
            outcomes[place] = outcome
        counts = {
            "counts": asking.count(outcomes),
            "open": sum(not asking.is_final(one) for one in outcomes),
        }
        plain = [json.dumps(asking.write(one)) for one in outcomes]
        self.job.blocks.write(name, [_table(plain)], counts)
        calls, before = self._run.take_counts(), rows - len(places)
        return {**counts, "rows": rows, "at": item["at"], "before": before, "asked": calls}


def open_places(asking: Asking, outcomes: Sequence[Any], start: int = 0) -> list[int]:
    """Return the places, which count from `start`, of the rows without a final outcome."""
    numbered = enumerate(outcomes, start)
    return [place for place, one in numbered if one is None or not asking.is_final(one)]


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
        whole, asking = self.job.read(piece), self.job.asking
        for first in range(0, max(len(whole), 1), self.block):
            rows = whole.slice(first, self.block)
            name = block_name(piece.number, first)
            outcomes = _read_outcomes(self.job, name) if len(rows) else []
            counts["rows"] += len(outcomes)
            counts["failed"] += sum(not asking.is_final(one) for one in outcomes)
            yield with_added(rows.table, asking.columns(outcomes), asking.types())


def block_name(piece: int, first: int) -> str:
    """Return the name of the block of outcomes that begins with a row of a piece."""
    return f"{JUDGED}/{piece:06d}-{first:09d}"


class BlockOutcomes(Sequence[Any]):
    """The outcomes of a job, in the order of the rows, read from its blocks one by one."""

    def __init__(self, job: JudgeJob, blocks: Sequence[Item]) -> None:
        """blocks: as the items of `Judge`."""
        self._job, self._blocks = job, blocks
        self._ends = list(accumulate(block["rows"] for block in blocks))
        self._read: tuple[int, list[Any]] = (-1, [])  # the block that was read last

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        number = range(len(self))[row]
        place = bisect_right(self._ends, number)
        if place != self._read[0]:
            block = self._blocks[place]
            name = block_name(block["piece"]["number"], block["first"])
            self._read = place, _read_outcomes(self._job, name)
        return self._read[1][number - self._ends[place]]  # counted from the end of the block


def _read_outcomes(job: JudgeJob, name: str) -> list[Any]:
    """Return the outcomes of a finished block."""
    column = job.blocks.read(name)["outcome"].to_pylist()
    return [job.asking.read(json.loads(plain)) for plain in column]


def _table(outcomes: Sequence[str]) -> Any:
    import pyarrow

    return pyarrow.table({"outcome": pyarrow.array(outcomes, pyarrow.string())})
