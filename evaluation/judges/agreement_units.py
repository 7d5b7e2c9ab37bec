"""From a list of votes to what was judged: units, their scales, and matrices of verdicts.

A unit is one thing that several judges judged: a case under one step, told apart further by
item columns (which model wrote the response, which place of a differential). A judge's votes
on a unit are told apart by prompt variant and repeat.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...agents.step import Step
from ...agents.steps import find_verdict
from ...errors import UsageError
from ...scoring._ratings import Scale, is_number
from ...scoring.votes import Vote

Replicate = tuple[str, int]
"""Prompt variant and repeat."""

Known = tuple[Scale | None, tuple[Any, ...] | None]
"""Scale and levels of the verdicts on a step; None for what is to be found from them."""


def known_scale(step: str, known: Mapping[str, Known] | None = None) -> Known:
    """Scale and levels as the step says them; `known` comes before the steps of the toolkit."""
    if known and step in known:
        return known[step]
    return _scale_of(step, ())


def _scale_of(step: str, own: Sequence[Step[Any, Any]]) -> Known:
    verdict, part = find_verdict(step, own)
    return (verdict.scale_of(part), verdict.levels_of(part)) if verdict else (None, None)


def known_scales(votes: Iterable[Vote], steps: Sequence[Step[Any, Any]]) -> dict[str, Known]:
    """Scale and levels of the votes on steps of one's own, by the step of the votes."""
    return {name: _scale_of(name, steps) for name in dict.fromkeys(vote.step for vote in votes)}


MODEL = "model"
"""The column that names models under test, where the votes have one."""


@dataclass(frozen=True)
class Unit:
    """What was judged: by judge the votes, by variant and repeat. `item` holds the item columns."""

    step: str
    case: str
    item: tuple[str, ...]
    groups: Mapping[str, str]
    votes: Mapping[str, Mapping[Replicate, Vote]]


@dataclass(frozen=True)
class Measured:
    """How a step's verdicts are compared; `said` tells a reader why.

    `kind` is what the verdicts are: words, yes or no, numbers. `categories` are the levels in
    order (None: those that occur), `span` the width of the scale.
    """

    kind: str
    scale: Scale
    categories: tuple[Any, ...] | None
    span: float
    said: str


def label(vote: Vote | None) -> Any:
    """The verdict as one value to compare; None where there is none (abstained, failed)."""
    if vote is None or vote.status != "done":
        return None
    if vote.verdict is None or isinstance(vote.verdict, bool | int | float | str):
        return vote.verdict
    return json.dumps(vote.verdict, sort_keys=True, default=str)


def units_of(votes: Sequence[Vote], item: Sequence[str] | None = None) -> list[Unit]:
    """Group votes by what they judge.

    `item` names the group columns that, beside step and case, tell apart what was judged.
    Without it they are found: the columns in which two votes differ that agree in case, step,
    judge, variant and repeat.

    Raises UsageError for an unknown column, or two votes that nothing tells apart.
    """
    columns = tuple(_item_columns(votes) if item is None else item)
    known = {name for vote in votes for name in vote.groups}
    for name in columns:
        if name not in known:
            raise UsageError(f"no vote has the column {name!r}; there are {_listed(known)}")
    held: dict[tuple[str, str, tuple[str, ...]], dict[str, dict[Replicate, Vote]]] = {}
    for vote in votes:
        place = (vote.step, vote.case, tuple(str(vote.groups.get(name, "")) for name in columns))
        mine = held.setdefault(place, {}).setdefault(vote.judge, {})
        if (vote.variant, vote.repeat) in mine:
            raise UsageError(
                f"{vote.judge} has two votes on case {vote.case!r}, step {vote.step!r}, repeat "
                f"{vote.repeat}; name the column that tells them apart with --item"
            )
        mine[vote.variant, vote.repeat] = vote
    return [Unit(*place, _shared_groups(mine), mine) for place, mine in held.items()]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _item_columns(votes: Sequence[Vote]) -> list[str]:
    seen: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    found: dict[str, None] = {}
    for vote in votes:
        key = (vote.step, vote.case, vote.judge, vote.variant, vote.repeat)
        first = seen.setdefault(key, vote.groups)
        if first is not vote.groups:
            for name in {**first, **vote.groups}:
                if str(first.get(name, "")) != str(vote.groups.get(name, "")):
                    found[name] = None
    return list(found)


def _shared_groups(votes: Mapping[str, Mapping[Replicate, Vote]]) -> dict[str, str]:
    """The groups of a unit: what its votes say, the first to say something first."""
    groups: dict[str, str] = {}
    for mine in votes.values():
        for vote in mine.values():
            for name, value in vote.groups.items():
                if str(value):
                    groups.setdefault(name, str(value))
    return groups


def group_values(unit: Unit, column: str) -> list[str]:
    """The groups of a column that a unit is in; a semicolon stands between several."""
    return [part.strip() for part in unit.groups.get(column, "").split(";") if part.strip()]


def with_human_column(votes: Sequence[Vote], column: str) -> list[Vote]:
    """Votes plus those of a human whose verdicts stand in a column beside the judges'.

    The human judges what each vote judges, once. Raises UsageError where two rows of one unit
    give different human verdicts.
    """
    bare = [
        replace(vote, groups={k: v for k, v in vote.groups.items() if k != column})
        for vote in votes
    ]
    like = {type(label(vote)) for vote in votes if label(vote) is not None}
    units = {id(v): u for u in units_of(bare) for m in u.votes.values() for v in m.values()}
    said: dict[int, Vote] = {}
    for vote, plain in zip(votes, bare, strict=True):
        text = str(vote.groups.get(column, "")).strip()
        if not text:
            continue
        unit = units[id(plain)]
        human = Vote(case=vote.case, step=vote.step, judge=column, groups=plain.groups,
                     status="done", verdict=_as_verdict(text, like))  # fmt: skip
        first = said.setdefault(id(unit), human)
        if first.verdict != human.verdict:
            raise UsageError(
                f"column {column!r} gives case {vote.case!r}, step {vote.step!r} two verdicts: "
                f"{first.verdict!r} and {human.verdict!r}"
            )
    return [*bare, *said.values()]


def _as_verdict(text: str, like: set[type]) -> Any:
    """A cell in the form that the judges' verdicts have."""
    if bool in like and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    if like & {int, float}:
        try:
            return float(text) if "." in text or "e" in text.lower() else int(text)
        except ValueError:
            return text
    return text


_TRUTHS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


def measured(
    units: Sequence[Unit],
    step: str,
    scale: Scale | None = None,
    categories: Sequence[Any] | None = None,
    span: float | None = None,
    known: Mapping[str, Known] | None = None,
) -> Measured:
    """How the verdicts of a step are compared: what is given, else what the verdicts are.

    A step that dxjudge knows, or that `known` has, has its own scale and, where no verdict lies
    outside them, its own levels. Of others numbers are ordinal, yes/no and words nominal. The
    span is that of the levels, or of the verdicts where there are none.

    Raises UsageError for a verdict that is no category, and for numbers beside true and false.
    """
    _check_mixed(units, step)
    found = {label(v) for u in units for mine in u.votes.values() for v in mine.values()} - {None}
    if any(isinstance(value, str) for value in found):
        kind, default = "words", "nominal"
    elif all(isinstance(value, bool) for value in found):
        kind, default = "yes or no", "nominal"
    else:
        kind, default = "numbers", "ordinal"
    step_scale, step_levels = known_scale(step, known)
    levels = tuple(categories) if categories is not None else step_levels
    if levels is not None and not found <= set(levels):
        if categories is not None:
            odd = _listed(map(repr, found - set(levels)))
            raise UsageError(f"step {step!r} has verdicts that are none of the categories: {odd}")
        levels = None
    own = step_scale if step_scale and kind != "words" else None
    chosen: Any = scale or own or default
    numbers = [float(v) for v in (levels or found) if is_number(v)]
    width = span or (max(numbers) - min(numbers) if len(numbers) > 1 else 1.0)
    why = "as asked" if scale else "the step's own" if own else "--scale changes it"
    said = f"{step}: the verdicts are {kind}, compared as {chosen} ({why})"
    if levels is not None:
        said += f", levels {', '.join(map(str, levels))}"
    if kind == "numbers" and chosen != "nominal":
        said += f", span {width:g}"
    return Measured(kind, chosen, levels, width or 1.0, said)


def _check_mixed(units: Sequence[Unit], step: str) -> None:
    """Refuse 1 beside true: Python calls them equal, and nobody knows what was meant."""
    judges: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for unit in units:
        for judge, mine in unit.votes.items():
            for vote in mine.values():
                if is_number(label(vote)):
                    judges[isinstance(label(vote), bool)][judge] = None
    if judges[True] and judges[False]:
        raise UsageError(
            f"the verdicts of step {step!r} are both true or false ({', '.join(judges[True])}) "
            f"and numbers ({', '.join(judges[False])}): write them alike"
        )


def judges_of_units(units: Iterable[Unit]) -> list[str]:
    """Every judge with a vote, in the order of the votes."""
    return list(dict.fromkeys(judge for unit in units for judge in unit.votes))


def aligned(unit: Unit, judges: Sequence[str]) -> Iterator[list[Vote | None]]:
    """The unit's votes side by side: one row a variant and repeat.

    The only vote of a judge stands beside every repeat of the others (a human judges once).
    """
    held = [unit.votes.get(judge, {}) for judge in judges]
    several = [mine for mine in held if len(mine) > 1]
    keys = dict.fromkeys(key for mine in several or held for key in mine)
    for key in keys:
        yield [next(iter(mine.values())) if len(mine) == 1 else mine.get(key) for mine in held]
        if not several:  # all have one vote, whatever its number
            return


def replicated(unit: Unit, judge: str, by: int) -> Iterator[list[Vote]]:
    """One judge's votes on a unit: a list a variant over repeats (by 1), or the other way (0)."""
    held: dict[Any, list[Vote]] = {}
    for key, vote in unit.votes.get(judge, {}).items():
        held.setdefault(key[1 - by], []).append(vote)
    yield from held.values()
