"""The routes behind the page "Cases": the filtered table, one case, and one exchange."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from ...errors import UsageError
from ...evaluation.pages.case_view import CaseView
from ...evaluation.pages.opened import Exchange, OpenedCases
from ...evaluation.pages.wanted import FACETS, GROUP, RANGES, Found, Range, RangeName, Wanted
from .open_runs import OpenRuns

_MOST = 500  # rows of one answer


class RowView(BaseModel):
    """A row of the table of verdicts. row: its place among all verdicts of the run."""

    row: int
    case: str
    model: str
    judge: str
    task: str
    place: int
    status: str
    right: str
    verdict: str
    score: float | None
    cost: float | None
    seconds: float | None
    repairs: int
    judges: str


def wanted_of(request: Request) -> Wanted:
    """Read the filters of an address.

    A facet may be repeated; score, cost and seconds are "low..high", each end may be empty.
    Raises UsageError for a number that cannot be read.
    """
    chosen: dict[str, set[str]] = {}
    ranges: dict[RangeName, Range] = {}
    for name, value in request.query_params.multi_items():
        if name in FACETS or name.startswith(GROUP):
            chosen.setdefault(name, set()).add(value)
    for span in RANGES:
        if (text := request.query_params.get(span)) is not None:
            ranges[span] = _range(span, text)
    return Wanted(
        chosen={name: frozenset(values) for name, values in chosen.items()},
        ranges=ranges,
        metric=request.query_params.get("metric", ""),
        text=request.query_params.get("q", ""),
        sort=request.query_params.get("sort", ""),
    )


def _range(name: str, text: str) -> Range:
    low, dots, high = text.partition("..")
    try:
        if not dots:
            raise ValueError
        return (float(low) if low else None, float(high) if high else None)
    except ValueError:
        raise UsageError(
            f"{name}={text} is not a range: write two numbers with two points between them"
        ) from None


def add_cases(api: APIRouter, runs: OpenRuns) -> None:
    """Add the routes."""

    @api.get("/found")
    def found(run: int, request: Request) -> Found:
        """Return what the filters leave, with the counts of every filter."""
        return runs.run(run).cases.table.found(wanted_of(request))

    @api.get("/rows")
    def rows(
        run: int,
        request: Request,
        first: Annotated[int, Query(ge=0)] = 0,
        count: Annotated[int, Query(ge=1, le=_MOST)] = 100,
    ) -> list[RowView]:
        """Return some of the filtered rows, in their order."""
        cases, wanted = runs.run(run).cases, wanted_of(request)
        places = cases.table.places(wanted)[first : first + count]
        cases.read_on()
        return [_row(cases, int(place), wanted.metric) for place in places]

    @api.get("/case")
    def case(run: int, id: str, request: Request) -> CaseView:
        """Return one case, beside the cases that the filters leave."""
        return runs.run(run).cases.case(id, wanted_of(request))

    @api.get("/image", response_class=Response)
    def image(run: int, case: int, number: int) -> Response:
        """Return an image of a case, both by their places; only images are sent."""
        media_type, content = runs.run(run).cases.image(case, number).content
        return Response(content, media_type=media_type)

    @api.get("/exchange")
    def exchange(run: int, row: Annotated[int, Query(ge=0)]) -> Exchange:
        """Return what was sent and received for one verdict."""
        cases = runs.run(run).cases
        if row >= len(cases.items.rows):
            raise UsageError(f"there is no verdict {row}")
        return cases.exchange(row)


def _row(cases: OpenedCases, place: int, metric: str) -> RowView:
    items = cases.items
    row = items.rows[place]
    return RowView(
        row=place,
        case=row.case,
        model=row.model,
        judge=row.judge,
        task=row.task,
        place=int(row.place),
        status=row.status,
        right=items.facets["right"].at(place),
        verdict=items.words_of(place),
        score=_known(items.score_of(metric)[place]),
        cost=_known(items.cost[place]),
        seconds=_known(items.seconds[place]),
        repairs=int(row.repairs or 0),
        judges=items.facets["judges"].at(place),
    )


def _known(number: float) -> float | None:
    return float(number) if number == number else None
