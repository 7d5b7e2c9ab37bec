"""The data of the pages of `dxjudge review`."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field

from ...errors import UsageError
from .blind import agreement, blind_reviews, reviewers, settle_agreed
from .edited import Conflict
from .finder import Finder
from .order import Wanted, queue
from .samples import accept, described, draw, progress, steps, withdraw
from .session import Decision, Kind, Session
from .shown import briefs, detail

_QUEUES = 20  # orders of the queue that are kept
_LONGEST = 10_000  # characters of a note

Name = Annotated[str, Field(max_length=200)]


class DecisionIn(BaseModel):
    """A decision about a row that the reviewer saw in a version; no code: none fits."""

    id: str
    version: str
    reviewer: Name
    code: Name = ""
    additional: list[Name] = []
    note: str = Field("", max_length=_LONGEST)


class FlagIn(BaseModel):
    """A flag for a row."""

    id: str
    reviewer: Name
    on: bool


class ReviewerIn(BaseModel):
    """Who asks."""

    reviewer: Name


class SampleIn(BaseModel):
    """A sample to draw."""

    reviewer: Name
    lowest: float
    size: int = 50
    seed: int | None = None


class AcceptIn(BaseModel):
    """A sample whose other rows are accepted, or opened again."""

    reviewer: Name
    number: Name


def make_review_api(session: Session, finder: Finder) -> APIRouter:
    """Return the routes. Those of rows read again first what others wrote."""
    api = APIRouter()

    @api.get("/review")
    def state() -> dict[str, Any]:
        """Return what the page needs to begin, and how far the review is."""
        session.refresh()
        tree = session.table.tree
        return {
            "reviewer": session.reviewer,
            "reviewers": reviewers(session.log.reviews),
            "blind": session.blind,
            "share": list(session.share),
            "release": f"{tree.descriptor.shown}, {tree.version}",
            "carried": bool(session.earlier),
            "mapper": finder.state,
            "mapper_fault": finder.fault,
            **_changes(session),
        }

    @api.get("/review/changes")
    def changes() -> dict[str, Any]:
        """Return a number that grows with every change, by anyone, and a fault of the file."""
        session.refresh()
        return {"mapper": finder.state, **_changes(session)}

    _add_rows(api, session)
    _add_codes(api, session, finder)
    _add_acts(api, session)
    _add_samples(api, session)
    return api


def _add_rows(api: APIRouter, session: Session) -> None:
    queues: dict[str, list[str]] = {}

    @api.get("/review/queue")
    def make_queue(wanted: Annotated[Wanted, Query()], me: str = "") -> dict[str, Any]:
        """Return an order of rows, which stays as it is while its rows are decided."""
        session.refresh()
        ids = queue(session, wanted, me)
        number = str(1 + max(map(int, queues), default=0))
        queues[number] = ids
        for old in list(queues)[:-_QUEUES]:
            queues.pop(old, None)
        return {"queue": number, "count": len(ids), "number": session.table.number}

    @api.get("/review/rows")
    def rows(queue: str, first: int = 0, count: int = 100, me: str = "") -> dict[str, Any]:
        """Return rows of a queue as they stand now."""
        ids = queues.get(queue)
        if ids is None:
            raise HTTPException(410, "this list is too old: load the page again")
        part = ids[max(0, first) : max(0, first) + min(count, 500)]
        return {"first": first, "rows": briefs(session, part, me)}

    @api.get("/review/place-of")
    def place_of(queue: str, id: str) -> dict[str, int | None]:
        """Return where a row stands in a queue; null where it is not in it."""
        ids = queues.get(queue, [])
        return {"place": ids.index(id) if id in ids else None}

    @api.get("/review/row/{id}")
    def row(id: str, me: str = "") -> dict[str, Any]:
        """Return one row with everything that is known of it."""
        session.refresh()
        return detail(session, id, me)


def _add_codes(api: APIRouter, session: Session, finder: Finder) -> None:
    @api.get("/review/candidates/{id}")
    def candidates(id: str) -> dict[str, Any]:
        """Return the candidates of a row, once the mapper is there."""
        return finder.candidates(session.row(id).text)

    @api.get("/review/search")
    def search(words: str) -> list[dict[str, Any]]:
        """Search the release for words or a code."""
        return finder.search(words[:500])

    @api.get("/review/place")
    def place(code: str) -> dict[str, Any]:
        """Return where a code stands in the tree."""
        return finder.place(code)


def _add_acts(api: APIRouter, session: Session) -> None:
    @api.post("/review/decide")
    def decide(body: DecisionIn) -> dict[str, Any]:
        """Save a decision: 409 where the row is no longer what the reviewer saw."""
        decision = Decision(
            body.id, body.version, body.reviewer, body.code, tuple(body.additional), body.note
        )
        is_settled = not session.blind and body.id in blind_reviews(session.log.reviews)
        act: Kind = "settled" if is_settled else "decided"
        return _saved(session, body.id, body.reviewer, lambda: session.decide(decision, act))

    @api.post("/review/flag")
    def flag(body: FlagIn) -> dict[str, Any]:
        """Flag a row, or remove its flag."""
        return _saved(session, body.id, body.reviewer, lambda: session.flag(
            body.id, _named(body.reviewer), body.on
        ))  # fmt: skip

    @api.post("/review/undo")
    def undo(body: ReviewerIn) -> dict[str, Any]:
        """Take back the reviewer's last decision."""
        try:
            id = session.undo(body.reviewer)
        except Conflict as fault:
            raise HTTPException(409, str(fault)) from fault
        return detail(session, id, body.reviewer)


def _add_samples(api: APIRouter, session: Session) -> None:
    @api.get("/review/progress")
    def how_far(with_steps: bool = False, me: str = "") -> dict[str, Any]:
        """Return how much of the rows is done, by everybody or blind by one; and the samples."""
        session.refresh()
        return {**progress(session, me), "steps": steps(session) if with_steps else []}

    @api.post("/review/sample")
    def sample(body: SampleIn) -> dict[str, Any]:
        """Draw a sample of the open rows above a confidence."""
        drawn = draw(session, body.lowest, body.size, _named(body.reviewer), body.seed)
        return next(one for one in described(session) if one["number"] == drawn.number)

    @api.post("/review/accept")
    def accept_rows(body: AcceptIn) -> dict[str, Any]:
        """Accept the other rows of a sample."""
        return {"texts": accept(session, body.number, _named(body.reviewer))}

    @api.post("/review/withdraw")
    def withdraw_rows(body: AcceptIn) -> dict[str, Any]:
        """Open the accepted rows of a sample again."""
        return {"texts": withdraw(session, body.number, _named(body.reviewer))}

    @api.get("/review/agreement")
    def how_agreed() -> dict[str, Any]:
        """Return how far reviewers agree. Refused while the review is blind."""
        _check_not_blind(session)
        session.refresh()
        return agreement(session)

    @api.post("/review/settle")
    def settle(body: ReviewerIn) -> dict[str, Any]:
        """Write into the table what all reviewers of a row agree on."""
        _check_not_blind(session)
        return {"texts": settle_agreed(session)}


def _changes(session: Session) -> dict[str, Any]:
    return {
        "number": f"{session.table.number}-{len(session.log.reviews)}",
        "texts": len(session.table.rows),
        "fault": session.table.fault,
    }


def _saved(session: Session, id: str, reviewer: str, act: Callable[[], None]) -> dict[str, Any]:
    try:
        act()
    except Conflict as fault:
        raise HTTPException(409, str(fault)) from fault
    return detail(session, id, reviewer)


def _named(reviewer: str) -> str:
    if not reviewer.strip():
        raise UsageError("name the reviewer first")
    return reviewer.strip()


def _check_not_blind(session: Session) -> None:
    if session.blind:
        raise UsageError("agreement is shown without --blind, so that it stays blind")
