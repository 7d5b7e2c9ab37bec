"""The API behind the pages of `dxjudge rate`.

A page gets no name of a model, a judge, a case or a file: items are numbers, and what it shows is
what a judge would read.
"""

import threading
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from ..agents.images import load_images
from ..agents.people.form import Question, questions_of
from ..agents.people.shown import Passage, show
from ..errors import InputError
from ..evaluation.people.kept import Status
from ..evaluation.people.rating import Rating, Refused

_LONGEST_NOTE = 10_000
_REST = 9
"""How long the writer rests, in times of what it took to write."""
Rater = Annotated[str, Query(max_length=200)]


class Overview(BaseModel):
    """How far a person is. statuses: of every item in order, null where there is no answer.

    raters: without a name, who has begun: under another spelling nobody goes on.
    """

    rater: str
    statuses: list[Status | None]
    raters: tuple[str, ...] = ()


class Asked(BaseModel):
    """One item as a person sees it, and this person's last answer to it.

    seen: the number of that answer, 0 for none. may_abstain: whether the step has a verdict that
    leaves it open. images: how many there are.
    """

    place: int
    task: str
    rules: str
    material: tuple[Passage, ...]
    images: int
    questions: tuple[Question, ...]
    may_abstain: bool
    status: Status | None
    answer: dict[str, Any]
    note: str
    seen: int


class GivenAnswer(BaseModel):
    """An answer from a page; `seen` is the number of the answer that the page showed."""

    model_config = ConfigDict(extra="forbid")

    place: int
    rater: str = Field(max_length=200)
    status: Literal["done", "abstained", "skipped", "withdrawn"]
    answer: dict[str, Any] = Field(default_factory=dict)
    note: str = Field(default="", max_length=_LONGEST_NOTE)
    seen: int = 0


class Kept(BaseModel):
    """What became of an answer. replaced: an answer of the same person that the page had not seen.

    problems: why the step does not accept it; then nothing was kept.
    """

    seen: int = 0
    replaced: str = ""
    problems: tuple[str, ...] = ()


def make_rating_api(rating: Rating, *, rater: str = "", changed: Callable[[], None]) -> APIRouter:
    """Return the routes. rater: the name that the page begins with. changed: called after a change.

    The routes are not async, so that a slow disk holds up no other person.
    """
    api = APIRouter(prefix="/rating")

    @api.get("")
    def overview(name: Rater = rater) -> Overview:
        """Return what a person has answered; without a name, nothing is answered."""
        if not name.strip():
            open_items: list[Status | None] = [None] * len(rating.items)
            return Overview(rater="", statuses=open_items, raters=tuple(rating.kept.raters))
        known = rating.rater(name)
        return Overview(rater=known, statuses=rating.statuses(known))

    @api.get("/items/{place}")
    def item(place: int, name: Rater) -> Asked:
        """Return one item."""
        return _asked(rating, place, rating.rater(name))

    @api.get("/items/{place}/images/{number}", response_class=Response)
    def image(place: int, number: int) -> Response:
        """Return an image of an item, which is named by numbers alone."""
        return _image(rating, place, number)

    @api.post("/answers", response_model=Kept)
    def answers(given: GivenAnswer) -> Kept | JSONResponse:
        """Keep an answer; it is on the disk when this returns."""
        name = rating.rater(given.rater)
        try:
            kept = rating.give(
                given.place, name, given.status, given.answer, given.note, given.seen
            )
        except Refused as refused:
            return Kept(problems=refused.problems)
        changed()
        before = kept.replaced
        words = f"{before.status} at {before.at}" if before is not None else ""
        return Kept(seen=kept.answer.number, replaced=words)

    return api


def _asked(rating: Rating, place: int, name: str) -> Asked:
    one = rating.item(place)
    shown = show(one.step, one.asked)
    last = rating.answer_at(place, name)
    return Asked(
        place=place,
        task=shown.task,
        rules=shown.rules,
        material=shown.material,
        images=len(getattr(one.asked, "images", ())),
        questions=questions_of(one.step, one.asked),
        may_abstain=one.step.abstain is not None,
        status=last.status if last else None,
        answer=last.answer if last else {},
        note=last.note if last else "",
        seen=last.number if last else 0,
    )


def _image(rating: Rating, place: int, number: int) -> Response:
    images = getattr(rating.item(place).asked, "images", ())
    if not 0 <= number < len(images):
        raise InputError(f"item {place + 1} has no image {number + 1}")
    if images[number].url is not None:
        raise InputError("this image is an address: the pages load nothing from other machines")
    try:
        loaded = load_images((images[number],))[0]
    except InputError as fault:
        # The message of the fault names the file, and a name of a file may name a model.
        raise InputError(
            f"image {number + 1} cannot be shown: it is missing, too large, or no PNG, JPEG, GIF "
            "or WebP"
        ) from fault
    media_type, content = loaded.content
    return Response(content, media_type=media_type)


class Writer:
    """Writes the votes soon after a change, at most once at a time; use it as a context manager."""

    def __init__(self, write: Callable[[], object], failed: Callable[[Exception], None]) -> None:
        """Call `write` in a thread after `changed`, and `failed` with what it raises."""
        self._write = write
        self._failed = failed
        self._changed = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def changed(self) -> None:
        """Write again soon."""
        self._changed.set()

    def __enter__(self) -> "Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._changed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            self._changed.wait()
            self._changed.clear()
            started = time.monotonic()
            try:
                self._write()
            except Exception as fault:  # the answers are kept; the table is written again later
                self._failed(fault)
            # A large table takes seconds to write: most of the time is left for the pages.
            self._ended.wait(_REST * (time.monotonic() - started))
