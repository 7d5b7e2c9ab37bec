"""Check over a set whether options alone give the answer away, and draw such options again.

A solver sees only the options. If the lower bound of its share of right guesses (Wilson, 95 %) is
above chance, the options that it solved are drawn again, and the set is checked again. After the
last draw, the items that the solver solved at every draw are rejected.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from ...agents.making.guess_option import GUESS_OPTION
from ...graphs.gather import as_finished
from ...scoring.share_limits import wilson
from ..asking import Asking, Ended, StageAsking
from ..chain import chain
from ..item import Ending, Item, Trace
from .stages import MedsynWork

STAGE = "options alone"


class DrawIn(TypedDict):
    """A case whose options are drawn again."""

    id: str
    diagnosis: str
    considered: list[str]
    earlier: list[list[str]]


class DrawState(DrawIn, total=False):
    """The state of the graph of a new draw (see `MedsynState`)."""

    options: dict[str, str]
    answer: str
    objections: list[str]
    tries: int
    ending: dict[str, Any]
    trail: Annotated[list[dict[str, Any]], operator.add]


async def check_options(items: Sequence[Item], work: MedsynWork, asking: Asking) -> list[Item]:
    """Return the items, with new options where a solver without the case did too well.

    Each accepted item has the solver's `guess`, a letter. An item that the solver could not be
    asked about is failed, and one without a valid guess is rejected.
    """
    current = await _guessed(items, asking)
    graph = chain(
        "medsyn_draw",
        asking,
        {"options": work.options},
        state=DrawState,
        inputs=DrawIn,
        tries=work.settings.tries,
    )

    async def again(place: int) -> tuple[int, Item]:
        item = current[place]
        options = item.data["options"].items()
        wrong = [text for letter, text in options if letter != item.data["answer"]]
        earlier = [*item.data.get("earlier", ()), wrong]
        names = ("diagnosis", "considered")
        state = {"id": item.id, **{name: item.data[name] for name in names}, "earlier": earlier}
        return place, _redrawn(item, await graph.ainvoke(state))

    for _ in range(work.settings.tries - 1):
        if not gives_away(current):
            return current
        solved = [place for place, item in enumerate(current) if is_solved(item)]
        async for place, item in as_finished(solved, again, width=asking.run.width):
            current[place] = item
        current = await _guessed(current, asking, solved)
    return [_rejected(item) for item in current] if gives_away(current) else current


def gives_away(items: Sequence[Item]) -> bool:
    """Whether the solver beats chance beyond the interval of its share."""
    numbers = solver_numbers(items)
    return bool(numbers["n"]) and numbers["interval"][0] > numbers["chance"]


def solver_numbers(items: Sequence[Item]) -> dict[str, Any]:
    """Return how often the solver was right on the accepted items, with its interval and chance."""
    accepted = [item for item in items if item.ending.status == "accepted"]
    if not accepted:
        return {"n": 0}
    right = sum(map(is_solved, accepted))
    share = right / len(accepted)
    return {
        "n": len(accepted),
        "right": right,
        "share": share,
        "interval": list(wilson(share, len(accepted))),
        "chance": sum(1 / len(item.data["options"]) for item in accepted) / len(accepted),
        "drawn_again": sum(bool(item.data.get("earlier")) for item in accepted),
    }


def is_solved(item: Item) -> bool:
    """Whether the item is accepted and the solver guessed its answer."""
    return item.ending.status == "accepted" and item.data.get("guess") == item.data["answer"]


async def _guessed(
    items: Sequence[Item], asking: Asking, places: Sequence[int] | None = None
) -> list[Item]:
    """Return the items; those at these places (all by default) have a new guess if accepted."""
    current = list(items)
    chosen = range(len(items)) if places is None else places
    open_places = [place for place in chosen if items[place].ending.status == "accepted"]

    async def guess(place: int) -> tuple[int, Item]:
        item = items[place]
        ask = StageAsking(asking, STAGE)
        try:
            guessed = await ask.value(GUESS_OPTION, {"options": item.data["options"]})
        except Ended as end:  # an item that was not checked is not accepted
            return place, _with(item, {}, ask.trail, end.ending)
        return place, _with(item, {"guess": guessed.option}, ask.trail)

    async for place, item in as_finished(open_places, guess, width=asking.run.width):
        current[place] = item
    return current


def _redrawn(item: Item, state: Mapping[str, Any]) -> Item:
    drawn = {name: state[name] for name in ("options", "answer", "earlier") if name in state}
    trail = [Trace.model_validate(step) for step in state["trail"]]
    return _with(item, drawn, trail, Ending.model_validate(state["ending"]))


def _rejected(item: Item) -> Item:
    if not is_solved(item):
        return item
    draws = len(item.data.get("earlier", ())) + 1
    reason = f"a solver that saw only the options chose the answer at each of {draws} draws"
    return _with(item, {}, (), Ending(status="rejected", stage=STAGE, reasons=(reason,)))


def _with(
    item: Item, data: Mapping[str, Any], trail: Sequence[Trace], ending: Ending | None = None
) -> Item:
    """Return the item with more data, a longer trail, and perhaps another ending."""
    return Item(
        id=item.id,
        ending=ending or item.ending,
        data={**item.data, **data},
        trail=(*item.trail, *trail),
    )
