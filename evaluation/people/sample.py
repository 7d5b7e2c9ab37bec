"""Draw what people rate: at random, by a column, or half of it where judges differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...agents.step import Step
from ...errors import UsageError
from ...files.nearest import did_you_mean
from ...graphs.jury.votes_file import read_votes
from ...scoring.raters.drawn import draw_by_strata
from ...scoring.votes import Vote, identity
from ..judges.as_votes import ITEM
from .to_rate import ToRate

DIFFER, ALIKE = "judges differ", "judges do not differ"


@dataclass(frozen=True)
class Design:
    """How a sample is drawn. size: None for every item. by: the column of the strata.

    votes: tables of judges' votes, for strata of items on which judges differ, and the others.
    """

    size: int | None = None
    by: str | None = None
    votes: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """The places of the drawn items, and the stratum of every item, drawn or not."""

    places: tuple[int, ...]
    strata: tuple[str, ...]


def draw(items: Sequence[ToRate], design: Design, seed: int) -> Drawn:
    """Draw a sample of the items. Raises UsageError for a design that does not fit the items."""
    if (design.by or design.votes) and design.size is None:
        raise UsageError("--by and --where-judges-disagree need --sample NUMBER")
    if design.by and design.votes:
        raise UsageError("give either --by or --where-judges-disagree")
    strata = _strata(items, design)
    if design.size is None or design.size >= len(items):
        return Drawn(tuple(range(len(items))), strata)
    return Drawn(tuple(draw_by_strata(strata, design.size, seed)), strata)


def _strata(items: Sequence[ToRate], design: Design) -> tuple[str, ...]:
    if design.by:
        known = {STEP: None} | {name: None for one in items for name in one.groups}
        if design.by not in known:
            hint = did_you_mean(design.by, known, f"there are: {', '.join(known)}")
            raise UsageError(f"--by {design.by}: no item has this column; {hint}")
        return tuple(
            one.name if design.by == STEP else one.groups.get(design.by, "") for one in items
        )
    if design.votes:
        contested = judges_differ(items, design.votes)
        return tuple(DIFFER if differs else ALIKE for differs in contested)
    return ("",) * len(items)


STEP = "step"


def judges_differ(items: Sequence[ToRate], tables: Iterable[Path]) -> list[bool]:
    """Return for each item whether two votes on it, or on one of its parts, differ.

    tables: votes, or folders of evaluations. Raises UsageError where no vote is on any item.
    """
    steps = tuple({id(one.step): one.step for one in items}.values())
    verdicts: dict[tuple[str, ...], dict[str, set[Any]]] = {}
    for vote in _votes(tables, steps):
        if vote.verdict is not None:
            name, _, part = vote.step.partition(".")
            key = (vote.case, name, *(vote.groups.get(column, "") for column in ITEM))
            verdicts.setdefault(key, {}).setdefault(part, set()).add(identity(vote.verdict))
    of_items = [verdicts.get(_key(one)) for one in items]
    if not any(of_items):
        raise UsageError(
            "--where-judges-disagree: no vote of these tables is on an item: case, step (and "
            f"{', '.join(ITEM)}, where the votes have them) must be the same"
        )
    return [any(len(one) > 1 for one in (of or {}).values()) for of in of_items]


def _key(item: ToRate) -> tuple[str, ...]:
    return (item.case, item.name, *(item.groups.get(column, "") for column in ITEM))


def _votes(tables: Iterable[Path], steps: tuple[Step[Any, Any], ...]) -> Iterable[Vote]:
    for path in tables:
        table = path / "votes.csv" if path.is_dir() else path
        yield from read_votes(table, by_groups=True, steps=steps)
