"""Reads what people say of the responses: ratings, and choices between two responses."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..files.forms import Form
from .cells import text_of
from .read import Data, is_path, read_rows

_TIES = ("tie", "equal", "both", "neither")


@dataclass(frozen=True)
class Rating:
    """One person's rating of a model's response to a case."""

    case: str
    model: str
    rater: str
    rating: float


@dataclass(frozen=True)
class Choice:
    """One person's choice between the responses of two models to a case.

    first_chosen: None where the person calls them equal.
    """

    case: str
    first: str
    second: str
    rater: str
    first_chosen: bool | None


@dataclass(frozen=True)
class Ratings:
    """What people said of the responses, in the order of the table."""

    ratings: tuple[Rating, ...]
    choices: tuple[Choice, ...]


def read_expert_ratings(
    data: Data, cases: Collection[str], models: Collection[str], form: Form | None = None
) -> Ratings:
    """Read a table of ratings and choices.

    A rating has the columns case, model, rater and rating. A choice has the columns case, rater,
    first and second (two models) and chosen (1, 2, one of the two models, or tie).

    Raises InputError, naming the row, for a case or model that is not evaluated, for a rating that
    is not a number, and for a second rating of the same by the same person.
    """
    name = str(data) if is_path(data) else "ratings"
    ratings: dict[tuple[str, ...], Rating] = {}
    choices: dict[tuple[str, ...], Choice] = {}
    for number, row in enumerate(read_rows(data, form), 1):
        place = f"{name}, row {number}"
        cells = {column: text_of(value) for column, value in row.items()}
        case, rater = (_known(cells, column, None, place) for column in ("case", "rater"))
        if case not in cases:
            raise InputError(f"{place}: no case has the id {case!r}")
        if cells.get("rating") and cells.get("chosen"):
            raise InputError(f"{place}: a row is either a rating or a choice, not both")
        if cells.get("chosen"):
            choice = _choice(cells, case, rater, models, place)
            _add(choices, (case, rater, *sorted((choice.first, choice.second))), choice, place)
        else:
            model = _known(cells, "model", models, place)
            rating = Rating(case, model, rater, _number(cells.get("rating", ""), place))
            _add(ratings, (case, rater, model), rating, place)
    if not ratings and not choices:
        raise InputError(f"{name} has no rating")
    return Ratings(tuple(ratings.values()), tuple(choices.values()))


def _add(table: dict[tuple[str, ...], Any], key: tuple[str, ...], entry: Any, place: str) -> None:
    if key in table:
        raise InputError(f"{place}: {key[1]} judged {', '.join(key[2:])} on {key[0]} before")
    table[key] = entry


def _known(cells: Mapping[str, str], column: str, known: Collection[str] | None, place: str) -> str:
    value = cells.get(column, "")
    if not value:
        raise InputError(f"{place}: the column {column} is missing or empty")
    if known is not None and value not in known:
        raise InputError(f"{place}: no model {value!r}; there are {', '.join(known)}")
    return value


def _choice(
    cells: Mapping[str, str], case: str, rater: str, models: Collection[str], place: str
) -> Choice:
    first, second = (_known(cells, column, models, place) for column in ("first", "second"))
    if first == second:
        raise InputError(f"{place}: first and second are the same model")
    chosen = cells["chosen"]
    of = {first: True, second: False, **dict.fromkeys(_TIES), "1": True, "2": False}
    if chosen not in of and chosen.lower() not in of:
        raise InputError(f"{place}: chosen is {chosen!r}; write 1, 2, {first}, {second} or tie")
    return Choice(case, first, second, rater, of.get(chosen, of.get(chosen.lower())))


def _number(text: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{place}: the rating {text!r} is not a number") from None
    if value != value or abs(value) == float("inf"):
        raise InputError(f"{place}: the rating {text!r} is not a number")
    return value
