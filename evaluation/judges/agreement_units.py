"""Group votes into units, find the scale of their verdicts, and put them side by side.

A unit is one thing that several judges judged. It is identified by case and step, and by the item
columns (which model wrote the response, which place of a differential). The prompt variant and
the repeat identify a judge's votes on a unit.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...agents.step import Step
from ...agents.steps import find_verdict
from ...agents.verdict import TRUTHS
from ...errors import UsageError
from ...files.nearest import did_you_mean
from ...scoring.raters._ratings import Scale, is_number
from ...scoring.votes import Vote

Replicate = tuple[str, int]
"""Prompt variant and repeat."""

Known = tuple[Scale | None, tuple[Any, ...] | None]
"""Scale and levels of the verdicts on a step; None where the verdicts decide."""


def known_scale(step: str, known: Mapping[str, Known] | None = None) -> Known:
    """Return the scale and levels of a step; `known` wins over the steps of the toolkit."""
    if known and step in known:
        return known[step]
    return _scale_of(step, ())


def _scale_of(step: str, own: Sequence[Step[Any, Any]]) -> Known:
    verdict, part = find_verdict(step, own)
    return (verdict.scale_of(part), verdict.levels_of(part)) if verdict else (None, None)


def known_scales(votes: Iterable[Vote], steps: Sequence[Step[Any, Any]]) -> dict[str, Known]:
    """Return the scale and levels of the votes on your own steps, by the step of the votes."""
    return {name: _scale_of(name, steps) for name in dict.fromkeys(vote.step for vote in votes)}


CHANCE = "chance"
"""The column with the probability with which a person was asked about a unit."""
MODEL = "model"
"""The column that names models under test, where the votes have one."""


@dataclass(frozen=True)
class Unit:
    """One thing that was judged, with its votes by judge, and by variant and repeat.

    item: the values of the item columns.
    """

    step: str
    case: str
    item: tuple[str, ...]
    groups: Mapping[str, str]
    votes: Mapping[str, Mapping[Replicate, Vote]]


@dataclass(frozen=True)
class Measured:
    """How a step's verdicts are compared.

    kind: what the verdicts are: words, yes or no, numbers. categories: the levels in order; None
    means those that occur. span: the width of the scale. note: a sentence that tells the reader
    how the verdicts are compared, and why.
    """

    kind: str
    scale: Scale
    categories: tuple[Any, ...] | None
    span: float
    note: str


def label(vote: Vote | None) -> Any:
    """Return the verdict as one comparable value; None for an abstained or failed vote."""
    if vote is None or vote.status != "done":
        return None
    if vote.verdict is None or isinstance(vote.verdict, bool | int | float | str):
        return vote.verdict
    return json.dumps(vote.verdict, sort_keys=True, default=str)


def units_of(
    votes: Sequence[Vote], item: Sequence[str] | None = None, *, apart: Sequence[str] = ()
) -> list[Unit]:
    """Group votes by what they judge.

    item: the group columns that identify, with step and case, what was judged. None finds them:
    the columns in which votes of the same case, step, judge, variant and repeat differ. apart:
    columns that identify no unit if some votes have no value in them.

    Raises UsageError for an unknown column, or for two votes that differ in no column.
    """
    columns = tuple(_item_columns(votes, apart) if item is None else item)
    known = {name for vote in votes for name in vote.groups}
    for name in columns:
        if name not in known:
            hint = did_you_mean(name, known, f"there are: {_listed(known)}")
            raise UsageError(f"no vote has the column {name!r}; {hint}")
    votes_by_unit: dict[tuple[str, str, tuple[str, ...]], dict[str, dict[Replicate, Vote]]] = {}
    for vote in votes:
        place = (vote.step, vote.case, tuple(str(vote.groups.get(name, "")) for name in columns))
        mine = votes_by_unit.setdefault(place, {}).setdefault(vote.judge, {})
        if (vote.variant, vote.repeat) in mine:
            raise UsageError(
                f"{vote.judge} has two votes on case {vote.case!r}, step {vote.step!r}, repeat "
                f"{vote.repeat}; name the column that tells them apart with --item"
            )
        mine[vote.variant, vote.repeat] = vote
    return [Unit(*place, _shared_groups(mine), mine) for place, mine in votes_by_unit.items()]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _item_columns(votes: Sequence[Vote], apart: Sequence[str]) -> list[str]:
    seen: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    columns: dict[str, None] = {}
    for vote in votes:
        key = (vote.step, vote.case, vote.judge, vote.variant, vote.repeat)
        first = seen.setdefault(key, vote.groups)
        if first is not vote.groups:
            for name in {**first, **vote.groups}:
                if str(first.get(name, "")) != str(vote.groups.get(name, "")):
                    columns[name] = None
    partial = {name for name in apart if not all(str(v.groups.get(name, "")) for v in votes)}
    return [name for name in columns if name not in partial]


def _shared_groups(votes: Mapping[str, Mapping[Replicate, Vote]]) -> dict[str, str]:
    """Return the groups of a unit: for each column the first value that is not empty."""
    groups: dict[str, str] = {}
    for mine in votes.values():
        for vote in mine.values():
            for name, value in vote.groups.items():
                if str(value):
                    groups.setdefault(name, str(value))
    return groups


def group_values(unit: Unit, column: str) -> list[str]:
    """Return the groups of a column that a unit belongs to; semicolons separate them."""
    return [part.strip() for part in unit.groups.get(column, "").split(";") if part.strip()]


def with_human_column(votes: Sequence[Vote], column: str) -> list[Vote]:
    """Return the votes plus those of a human whose verdicts are in a column of the same rows.

    The human has one vote on each unit. Raises UsageError if two rows of one unit have different
    human verdicts.
    """
    bare = [
        replace(vote, groups={k: v for k, v in vote.groups.items() if k != column})
        for vote in votes
    ]
    like = {type(label(vote)) for vote in votes if label(vote) is not None}
    units = {id(v): u for u in units_of(bare) for m in u.votes.values() for v in m.values()}
    human_votes: dict[int, Vote] = {}
    for vote, plain in zip(votes, bare, strict=True):
        text = str(vote.groups.get(column, "")).strip()
        if not text:
            continue
        unit = units[id(plain)]
        human = Vote(case=vote.case, step=vote.step, judge=column, groups=plain.groups,
                     status="done", verdict=_as_verdict(text, like))  # fmt: skip
        first = human_votes.setdefault(id(unit), human)
        if first.verdict != human.verdict:
            raise UsageError(
                f"column {column!r} gives case {vote.case!r}, step {vote.step!r} two verdicts: "
                f"{first.verdict!r} and {human.verdict!r}"
            )
    return [*bare, *human_votes.values()]


def _as_verdict(text: str, like: set[type]) -> Any:
    """Convert a cell to the type of the judges' verdicts."""
    if bool in like and text.lower() in TRUTHS:
        return TRUTHS[text.lower()]
    if like & {int, float}:
        try:
            return float(text) if "." in text or "e" in text.lower() else int(text)
        except ValueError:
            return text
    return text


def measured(
    units: Sequence[Unit],
    step: str,
    scale: Scale | None = None,
    categories: Sequence[Any] | None = None,
    span: float | None = None,
    known: Mapping[str, Known] | None = None,
) -> Measured:
    """Return how the verdicts of a step are compared: as the caller says, else as the step says.

    A step in `known`, or one of dxjudge, has its own scale. It has its own levels too, unless a
    verdict lies outside them. For other steps, numbers are ordinal; yes/no and words are nominal.
    The span is that of the levels, or of the verdicts if there are no levels.

    Raises UsageError for a verdict outside the categories, and for numbers mixed with true and
    false.
    """
    _check_mixed(units, step)
    labels = {label(v) for u in units for mine in u.votes.values() for v in mine.values()}
    verdicts = labels - {None}
    if any(isinstance(value, str) for value in verdicts):
        kind, default = "words", "nominal"
    elif all(isinstance(value, bool) for value in verdicts):
        kind, default = "yes or no", "nominal"
    else:
        kind, default = "numbers", "ordinal"
    step_scale, step_levels = known_scale(step, known)
    levels = tuple(categories) if categories is not None else step_levels
    if levels is not None and not verdicts <= set(levels):
        if categories is not None:
            odd = _listed(map(repr, verdicts - set(levels)))
            raise UsageError(f"step {step!r} has verdicts outside the categories: {odd}")
        levels = None
    own = step_scale if step_scale and kind != "words" else None
    chosen: Any = scale or own or default
    numbers = [float(v) for v in (levels or verdicts) if is_number(v)]
    width = span or (max(numbers) - min(numbers) if len(numbers) > 1 else 1.0)
    why = "as asked" if scale else "the step's own" if own else "--scale changes it"
    note = f"{step}: the verdicts are {kind}, compared as {chosen} ({why})"
    if levels is not None:
        note += f", levels {', '.join(map(str, levels))}"
    if kind == "numbers" and chosen != "nominal":
        note += f", span {width:g}"
    return Measured(kind, chosen, levels, width or 1.0, note)


def _check_mixed(units: Sequence[Unit], step: str) -> None:
    """Refuse votes that mix 1 and true: Python calls them equal, so the meaning is unclear."""
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
    """Return every judge with a vote, in the order of the votes."""
    return list(dict.fromkeys(judge for unit in units for judge in unit.votes))


def aligned(unit: Unit, judges: Sequence[str]) -> Iterator[list[Vote | None]]:
    """Yield the unit's votes side by side, one row per variant and repeat.

    A judge's only vote is put beside every repeat of the others, because a human judges once.
    """
    votes_by_judge = [unit.votes.get(judge, {}) for judge in judges]
    several = [mine for mine in votes_by_judge if len(mine) > 1]
    keys = dict.fromkeys(key for mine in several or votes_by_judge for key in mine)
    for key in keys:
        yield [
            next(iter(mine.values())) if len(mine) == 1 else mine.get(key)
            for mine in votes_by_judge
        ]
        if not several:  # every judge has one vote, whatever its repeat number is
            return


def replicated(unit: Unit, judge: str, by: int) -> Iterator[list[Vote]]:
    """Yield one judge's votes on a unit: by 1, the repeats of a variant; by 0, the reverse."""
    votes_by_key: dict[Any, list[Vote]] = {}
    for key, vote in unit.votes.get(judge, {}).items():
        votes_by_key.setdefault(key[1 - by], []).append(vote)
    yield from votes_by_key.values()
