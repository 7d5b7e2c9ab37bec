"""Assign the seats of a jury on one item, and decide which judges are asked next."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ...scoring.votes import identity
from .jurors import Juror
from .plan import JuryPlan

_FINAL = ("input", "budget")  # failures that another judge would share


class Seat(TypedDict):
    """A vote to ask for: its place (from 0), the juror, and the judge that the juror replaces."""

    place: int
    juror: str
    spec: dict[str, Any] | None
    repeat: int
    variant: str
    replaces: str


class Cast(TypedDict):
    """The votes of one seat; `failure` is the kind of a failure, "" for none."""

    seat: Seat
    votes: list[dict[str, Any]]
    value: Any
    failure: str


def seats_for(plan: JuryPlan, jurors: Sequence[Juror], start: int) -> list[Seat]:
    """Return a seat for each vote. Stand-ins and people vote once: they would not vary."""
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
    """Return the votes that count, in order of place: the last votes that were cast for a seat."""
    latest = {one["seat"]["place"]: one for one in cast}
    return [latest[place] for place in sorted(latest)]


def next_seats(plan: JuryPlan, cast: Sequence[Cast]) -> list[Seat]:
    """Return the seats to ask next: replacements first, then the rest; no seat means the end."""
    counted = held_seats(cast)
    seats = _replace(plan, cast, counted)
    if seats or not plan.escalate:
        return seats
    asked = {one["seat"]["juror"] for one in cast}
    rest = plan.jurors[2:]
    if rest[0].name in asked or not _differ(counted):
        return []
    return seats_for(plan, rest, len(counted))


def _replace(plan: JuryPlan, cast: Sequence[Cast], counted: Sequence[Cast]) -> list[Seat]:
    """Return seats for replacements of failed judges, as long as replacements are free."""
    used = {one["seat"]["juror"] for one in cast}
    free = [juror for juror in plan.replacements if juror.name not in used]
    chosen: dict[str, Juror] = {}
    seats: list[Seat] = []
    for one in counted:
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
                continue  # a stand-in or a person votes only once
            repeat, variant = 0, ""
        seats.append(_seat(juror, seat["place"], repeat, variant, seat["juror"]))
    return seats


def _differ(counted: Sequence[Cast]) -> bool:
    """Whether a vote is not done, or two votes on the same part differ."""
    by_step: dict[str, set[Any]] = {}
    for one in counted:
        for vote in one["votes"]:
            if vote["status"] != "done":
                return True
            by_step.setdefault(vote["step"], set()).add(identity(vote["verdict"]))
    return any(len(verdicts) > 1 for verdicts in by_step.values())
