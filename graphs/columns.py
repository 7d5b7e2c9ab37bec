"""The columns that `dxjudge judge` adds to the input's rows, made when they are written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

from ..agents.outcome import Outcome
from ..agents.step import Step
from ..errors import UsageError
from ..files.sequences import Lazy

T = TypeVar("T")


def result_fields(
    step: Step[Any, Any], values: Iterable[Mapping[str, Any] | None]
) -> tuple[str, ...]:
    """Return the fields of a step's result; if they depend on the input, those of `values`."""
    if step.known_result is not None:
        return tuple(step.known_result.model_fields)
    return tuple(dict.fromkeys(field for value in values for field in value or ()))


def judged_columns(step: Step[Any, Any], outcomes: Sequence[Outcome]) -> dict[str, Sequence[Any]]:
    """Return the columns, with one value for each row; None in the columns of a missing result.

    The values are read from the outcomes when they are asked for.
    """
    values = (one.model_dump(mode="json").get("value") for one in outcomes)
    names = ("status", "reason", "decided_by", "repairs", *result_fields(step, values))
    return columns_of(outcomes, names, _cells)


def columns_of(
    items: Sequence[T], names: Iterable[str], cells: Callable[[T], Mapping[str, Any]]
) -> dict[str, Sequence[Any]]:
    """Return columns whose values are read from the items when they are asked for.

    cells: the cells of an item by column; a column that it does not have is None.
    """
    rows = _Rows(items, cells)
    return {name: Lazy(len(items), partial(rows.cell, name)) for name in names}


def result_types(step: Step[Any, Any]) -> dict[str, frozenset[type]]:
    """Return the types that the values of each column of `judged_columns` may have.

    What is neither a truth value nor a number is text, also lists and objects, as JSON. Raises
    UsageError for a step whose result depends on its input.
    """
    if step.known_result is None:
        raise UsageError(
            f"the columns of {step.name} depend on its input: declare result= in the step, so that "
            "all rows have the same"
        )
    text = frozenset((str,))
    own = {"status": text, "reason": text, "decided_by": text, "repairs": frozenset((int,))}
    fields = step.known_result.model_fields.items()
    return {**own, **{name: _types(field.annotation) for name, field in fields}}


def _types(annotation: Any) -> frozenset[type]:
    is_union = isinstance(annotation, UnionType) or get_origin(annotation) is Union
    members = set(get_args(annotation) if is_union else (annotation,)) - {type(None)}
    return frozenset(members if members <= {bool, int, float} else {str})


class _Rows(Generic[T]):
    """The cells of items. It keeps one row, because tables are written row by row."""

    def __init__(self, items: Sequence[T], cells: Callable[[T], Mapping[str, Any]]) -> None:
        self._items, self._cells = items, cells
        self._number = -1
        self._row: Mapping[str, Any] = {}

    def cell(self, name: str, number: int) -> Any:
        if number != self._number:
            self._row = self._cells(self._items[number])
            self._number = number
        return self._row.get(name)


def _cells(outcome: Outcome) -> dict[str, Any]:
    plain = outcome.model_dump(mode="json")
    own = {name: plain[name] for name in ("status", "decided_by", "repairs")}
    return {**own, "reason": _reason(outcome), **(plain.get("value") or {})}


def _reason(outcome: Outcome) -> str | None:
    if outcome.status == "failed":
        return outcome.why
    abstained = [outcome.reason] if outcome.status == "abstained" else []
    return "; ".join((*abstained, *outcome.notes)) or None
