"""The tables of a paper as data: which of our numbers stand in them, their order and titles.

Each preset with a paper has a file in `papers/`. Its metrics are the names of our tables, its
titles are those of the paper.
"""

from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from ..errors import UsageError
from ..scoring.identities import Identity
from .settings import Column, Settings
from .task import Task
from .tasks import TASKS, every_column

Show = Literal["number", "percent", "deviation", "mean_deviation", "count", "rank", "change"]
"""How a number is shown: as it is, times 100, its standard deviation alone, both, the number of
units that it covers, a rank ("2=" where models share it), or with its sign."""

_FROZEN = ConfigDict(frozen=True, extra="forbid")


class PaperColumn(BaseModel):
    """A column of a table of the paper, and the number that stands in it.

    title: the paper's title. With "{}" in it, the rest of the metric or the group stands there.
    metric: our name. With ": *" at its end there is a column for each metric that begins so.
    slice: a level or chapter of the ontology.
    by, group: the group of cases; without `group` there is a column for each group.
    order: the groups in the paper's order. Other groups of the cases follow.
    table: a table of ours that has the number, in place of a metric; `value`, `low`, `high` and
        `sd` name its columns, and `where` says which row of the model it is.
    show, digits: how the number is shown.
    """

    model_config = _FROZEN

    title: str = ""
    metric: str = ""
    slice: str = ""
    by: str = ""
    group: str = ""
    order: tuple[str, ...] = ()
    table: Literal[
        "", "ranks", "rank_change", "variants", "samples", "cross_modal", "alignment"
    ] = ""
    value: str = ""
    low: str = ""
    high: str = ""
    sd: str = ""
    where: dict[str, str] = {}
    show: Show = "number"
    digits: int = 3

    @model_validator(mode="after")
    def _one_source(self) -> "PaperColumn":
        if bool(self.metric) == bool(self.table):
            raise ValueError("give either a metric or a table")
        if bool(self.table) != bool(self.value):
            raise ValueError("a table and a value belong together")
        return self


class PaperTable(BaseModel):
    """A table of the paper.

    name: of its file. title: its caption.
    models_by: an attribute of models such as type; the rows are then means over the models of each
        group, in place of the models.
    rows_by: a column of our tables whose values are the rows, in place of the models.
    rows: its values in the paper's order -> the paper's titles.
    transposed: whether the models are the columns, and the numbers are the rows.
    draw: the figure that shows the same numbers.
    """

    model_config = _FROZEN

    name: str
    title: str
    models_by: str = ""
    rows_by: str = ""
    rows: dict[str, str] = {}
    transposed: bool = False
    draw: Literal["", "bars", "heat", "radar"] = ""
    columns: tuple[PaperColumn, ...]


class Paper(BaseModel):
    """The tables of a paper, in its order.

    source: which paper it is. identities: what the numbers of one row must keep, by our names.
    """

    model_config = _FROZEN

    source: str
    tables: tuple[PaperTable, ...]
    identities: tuple[Identity, ...] = ()


@lru_cache
def load_paper(preset: str) -> Paper | None:
    """Load the tables of the paper behind a preset; None for a preset without a paper.

    Raises UsageError for a file that does not describe tables.
    """
    file = resources.files(__package__) / "papers" / f"{preset}.yaml"
    if not file.is_file():
        return None
    return read_paper(file.read_text(encoding="utf-8"), f"papers/{preset}.yaml")


def read_paper(text: str, name: str) -> Paper:
    """Read the tables of a paper from YAML. Raises UsageError that names the file and the fault."""
    try:
        return Paper.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as fault:
        raise UsageError(f"{name} is not YAML: {' '.join(str(fault).split())}") from fault
    except ValidationError as fault:
        lines = [
            f"{'.'.join(map(str, error['loc']))}: {error['msg']}"
            for error in fault.errors(include_url=False)
        ]
        raise UsageError(f"{name}: {'; '.join(lines)}") from fault


def check_paper(paper: Paper, settings: Settings) -> None:
    """Check that some task can fill every column. Raises UsageError that names the others."""
    for table in paper.tables:
        for column in table.columns:
            if column.metric and not any(filling(column.metric, settings)):
                raise UsageError(
                    f"table {table.name} of the paper: no task fills the metric {column.metric!r}"
                )
    for identity in paper.identities:
        for metric in (*identity.of, identity.gives):
            if not any(filling(metric, settings)):
                raise UsageError(f"identities of the paper: no task fills the metric {metric!r}")


def filling(metric: str, settings: Settings) -> Iterator[tuple[Task, Column]]:
    """Yield every listed task, with its column, that can fill a metric under the settings."""
    for task in TASKS:
        for column in every_column(task, settings):
            if column.covers(metric) or (
                metric.endswith(": *") and column.metric.startswith(metric[:-1])
            ):
                yield task, column
