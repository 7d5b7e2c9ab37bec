"""The seats of a jury on one item: who holds them, what they said, and who is asked next."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ...scoring.votes import identity
from .jurors import Juror
from .plan import JuryPlan

_FINAL = ("input", "budget")  # failures that another judge would share


class Seat(TypedDict):
    """Whose vote is asked for: place 0 and up, who holds it, and whom they replace."""

    place: int
    juror: str
    spec: dict[str, Any] | None
    repeat: int
    variant: str
    replaces: str


class Cast(TypedDict):
    """What one seat's holder said; `failure` is the kind of a failure, "" for none."""

    seat: Seat
    votes: list[dict[str, Any]]
    value: Any
    failure: str


def seats_for(plan: JuryPlan, jurors: Sequence[Juror], start: int) -> list[Seat]:
    """A seat for each vote; stand-ins and people say the same every time, so they vote once."""
    seats: list[Seat] = []
    for juror in jurors:
        many = juror.kind == "model"
        for variant in plan.steps if many else ("",):
            for repeat in range(plan.repeats if many else 1):
                seats.append(_seat(juror, start + len(seats), repeat, variant))
    return seats


def _seat(juror: Juror, place: int, repeat: int, variant: str, replaces: str = "") -> Seat:
    spec = juror.judge.spec.model_dump(mode="json") if juror.judge else None
    return {
        "place": place,
        "juror": juror.name,
        "spec": spec,
        "repeat": repeat,
        "variant": variant,
        "replaces": replaces,
    }


def held_seats(cast: Sequence[Cast]) -> list[Cast]:
    """What counts: for each seat what its last holder said, by place."""
    latest = {one["seat"]["place"]: one for one in cast}
    return [latest[place] for place in sorted(latest)]


def next_seats(plan: JuryPlan, cast: Sequence[Cast]) -> list[Seat]:
    """Whom to ask next: replacements first, then the rest of the jury; nobody: done."""
    held = held_seats(cast)
    seats = _replace(plan, cast, held)
    if seats or not plan.escalate:
        return seats
    asked = {one["seat"]["juror"] for one in cast}
    rest = plan.jurors[2:]
    if rest[0].name in asked or not _differ(held):
        return []
    return seats_for(plan, rest, len(held))


def _replace(plan: JuryPlan, cast: Sequence[Cast], held: Sequence[Cast]) -> list[Seat]:
    """The seats whose holder failed, for the next replacements that are free."""
    used = {one["seat"]["juror"] for one in cast}
    free = [juror for juror in plan.replacements if juror.name not in used]
    chosen: dict[str, Juror] = {}
    seats: list[Seat] = []
    for one in held:
        seat = one["seat"]
        if not one["failure"] or one["failure"] in _FINAL:
            continue
        if seat["juror"] not in chosen and free:
            chosen[seat["juror"]] = free.pop(0)
        juror = chosen.get(seat["juror"])
        if juror is None:
            continue
        repeat, variant = seat["repeat"], seat["variant"]
        if juror.kind != "model":
            if any(taken["juror"] == juror.name for taken in seats):
                continue  # it says the same every time: one vote
            repeat, variant = 0, ""
        seats.append(_seat(juror, seat["place"], repeat, variant, seat["juror"]))
    return seats


def _differ(held: Sequence[Cast]) -> bool:
    """Whether the votes are not all done and the same."""
    said: dict[str, set[Any]] = {}
    for one in held:
        for vote in one["votes"]:
            if vote["status"] != "done":
                return True
            said.setdefault(vote["step"], set()).add(identity(vote["verdict"]))
    return any(len(verdicts) > 1 for verdicts in said.values())
